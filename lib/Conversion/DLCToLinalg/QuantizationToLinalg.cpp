//===- QuantizationToLinalg.cpp - quantize and dequantize to linalg -------===//
//
// One linalg.generic each; the maps of scale and zero point say whether there
// is one per tensor, per index of an axis or per block.
//
//===----------------------------------------------------------------------===//

#include "DLC/Conversion/DLCToLinalg/DLCToLinalg.h"

#include "DLC/Dialect/IR/DLCCastOps.h"
#include "DLC/Dialect/IR/DLCFloatConversion.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::dlc;

/// The map from the indices of x to those of its scale.
template <typename OpT> static AffineMap getScaleMap(OpT op) {
  MLIRContext *context = op.getContext();
  int64_t rank = cast<RankedTensorType>(op.getX().getType()).getRank();
  int64_t scaleRank = cast<RankedTensorType>(op.getScale().getType()).getRank();
  if (scaleRank == 0)
    return AffineMap::get(rank, 0, context);
  int64_t axis = *op.getAxis();
  AffineExpr onAxis = getAffineDimExpr(axis, context);
  if (op.getBlockSize())
    onAxis = onAxis.floorDiv(*op.getBlockSize());
  if (scaleRank == 1)
    return AffineMap::get(rank, 0, onAxis);
  SmallVector<AffineExpr> exprs;
  for (int64_t dim = 0; dim < rank; ++dim)
    exprs.push_back(dim == axis ? onAxis : getAffineDimExpr(dim, context));
  return AffineMap::get(rank, 0, exprs, context);
}

/// The type to compute in for an operand of type `type`.
static FloatType getComputeType(OpBuilder &builder, Type type) {
  return type.isF64() ? builder.getF64Type() : builder.getF32Type();
}

/// A scalar integer as i32.
static Value toI32(ImplicitLocOpBuilder &b, Value value, bool isUnsigned) {
  unsigned width = value.getType().getIntOrFloatBitWidth();
  if (width == 32)
    return value;
  if (width > 32)
    return arith::TruncIOp::create(b, b.getI32Type(), value);
  return isUnsigned
             ? arith::ExtUIOp::create(b, b.getI32Type(), value).getResult()
             : arith::ExtSIOp::create(b, b.getI32Type(), value).getResult();
}

/// clamp(round(x / scale) + zero) as an integer of type `to`.
static Value quantizeToInt(ImplicitLocOpBuilder &b, Value quotient, Value zero,
                           IntegerType to, bool isUnsigned) {
  unsigned width = to.getWidth();
  Value rounded = math::RoundEvenOp::create(b, quotient);
  auto type = cast<FloatType>(rounded.getType());
  auto constant = [&](double value) -> Value {
    return arith::ConstantOp::create(b, b.getFloatAttr(type, value));
  };
  // NaN becomes the zero point; far more than any sum needs still fits i32.
  Value isNaN =
      arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, rounded, rounded);
  rounded = arith::SelectOp::create(b, isNaN, constant(0), rounded);
  constexpr double kBound = 1 << 24;
  rounded = arith::MinNumFOp::create(
      b, arith::MaxNumFOp::create(b, rounded, constant(-kBound)).getResult(),
      constant(kBound));
  Value sum = arith::FPToSIOp::create(b, b.getI32Type(), rounded);
  if (zero)
    sum = arith::AddIOp::create(b, sum, toI32(b, zero, isUnsigned));
  int64_t low = isUnsigned ? 0 : -(int64_t(1) << (width - 1));
  int64_t high = (int64_t(1) << (isUnsigned ? width : width - 1)) - 1;
  auto bound = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, b.getI32IntegerAttr(value));
  };
  sum = arith::MaxSIOp::create(b, sum, bound(low));
  sum = arith::MinSIOp::create(b, sum, bound(high));
  return arith::TruncIOp::create(b, to, sum);
}

namespace {

/// Shared by both directions: a generic over x, scale and zero point.
template <typename OpT> struct QuantizationPattern : OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;

  virtual bool isSupported(OpT op) const = 0;
  virtual Value emit(ImplicitLocOpBuilder &b, OpT op, Value x, Value scale,
                     Value zero) const = 0;

  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    if (!isSupported(op))
      return rewriter.notifyMatchFailure(op, "element types not supported");
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(op.getType());
    Value init = tensor::EmptyOp::create(
        rewriter, loc, tensor::getMixedSizes(rewriter, loc, op.getX()),
        type.getElementType());
    SmallVector<Value> inputs(op->getOperands());
    AffineMap identity = rewriter.getMultiDimIdentityMap(type.getRank());
    SmallVector<AffineMap> maps(inputs.size() + 1, getScaleMap(op));
    maps.front() = maps.back() = identity;
    SmallVector<utils::IteratorType> iterators(type.getRank(),
                                               utils::IteratorType::parallel);
    auto generic = linalg::GenericOp::create(
        rewriter, loc, init.getType(), inputs, init, maps, iterators,
        [&](OpBuilder &builder, Location bodyLoc, ValueRange args) {
          ImplicitLocOpBuilder b(bodyLoc, builder);
          Value zero = inputs.size() == 3 ? args[2] : Value();
          linalg::YieldOp::create(b, emit(b, op, args[0], args[1], zero));
        });
    Value result = generic.getResult(0);
    if (result.getType() != type)
      result = tensor::CastOp::create(rewriter, loc, type, result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct QuantizeToGeneric final : QuantizationPattern<QuantizeOp> {
  using QuantizationPattern::QuantizationPattern;

  bool isSupported(QuantizeOp op) const override {
    Type x = getElementTypeOrSelf(op.getX().getType());
    Type scale = getElementTypeOrSelf(op.getScale().getType());
    Type to = getElementTypeOrSelf(op.getType());
    bool isSmallInt = to.isInteger() && to.getIntOrFloatBitWidth() <= 16;
    return (x.isInteger(32) || isConvertibleFloat(x)) &&
           isConvertibleFloat(scale) && (isSmallInt || isConvertibleFloat(to));
  }

  Value emit(ImplicitLocOpBuilder &b, QuantizeOp op, Value x, Value scale,
             Value zero) const override {
    FloatType compute = getComputeType(b, x.getType());
    Value wide = isa<FloatType>(x.getType())
                     ? convertFloat(b, b.getLoc(), x, compute)
                     : arith::SIToFPOp::create(b, compute, x).getResult();
    Value divisor = convertFloat(b, b.getLoc(), scale, compute);
    Value quotient = arith::DivFOp::create(b, wide, divisor);
    Type to = getElementTypeOrSelf(op.getType());
    if (auto integer = dyn_cast<IntegerType>(to))
      return quantizeToInt(b, quotient, zero, integer, op.getIsUnsigned());
    if (zero)
      quotient = arith::AddFOp::create(
          b, quotient, convertFloat(b, b.getLoc(), zero, compute));
    return convertFloat(b, b.getLoc(), quotient, to, op.getSaturate());
  }
};

struct DequantizeToGeneric final : QuantizationPattern<DequantizeOp> {
  using QuantizationPattern::QuantizationPattern;

  bool isSupported(DequantizeOp op) const override {
    Type x = getElementTypeOrSelf(op.getX().getType());
    Type scale = getElementTypeOrSelf(op.getScale().getType());
    Type to = getElementTypeOrSelf(op.getType());
    return ((x.isInteger() && x.getIntOrFloatBitWidth() <= 32) ||
            isConvertibleFloat(x)) &&
           isConvertibleFloat(scale) && isConvertibleFloat(to);
  }

  Value emit(ImplicitLocOpBuilder &b, DequantizeOp op, Value x, Value scale,
             Value zero) const override {
    Type to = getElementTypeOrSelf(op.getType());
    FloatType compute = getComputeType(b, to);
    Value difference;
    if (isa<FloatType>(x.getType())) {
      difference = convertFloat(b, b.getLoc(), x, compute);
      if (zero)
        difference = arith::SubFOp::create(
            b, difference, convertFloat(b, b.getLoc(), zero, compute));
    } else {
      Value wide = toI32(b, x, op.getIsUnsigned());
      if (zero)
        wide =
            arith::SubIOp::create(b, wide, toI32(b, zero, op.getIsUnsigned()));
      difference = arith::SIToFPOp::create(b, compute, wide);
    }
    Value factor = convertFloat(b, b.getLoc(), scale, compute);
    Value product = arith::MulFOp::create(b, difference, factor);
    return convertFloat(b, b.getLoc(), product, to);
  }
};
} // namespace

void mlir::dlc::populateQuantizationToLinalgPatterns(
    RewritePatternSet &patterns) {
  patterns.add<QuantizeToGeneric, DequantizeToGeneric>(patterns.getContext());
}
