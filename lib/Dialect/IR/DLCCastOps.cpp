//===- DLCCastOps.cpp - Changes of element type ---------------------------===//
//
// Verification, shapes and scalar code of the ops in DLCCastOps.td.
//
//===----------------------------------------------------------------------===//

#include "DLC/Dialect/IR/DLCCastOps.h"

#include "DLC/Dialect/IR/DLCFloatConversion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace mlir::dlc;

#define GET_OP_CLASSES
#include "DLC/Dialect/IR/DLCCastOps.cpp.inc"

void DLCDialect::registerCastOps() {
  addOperations<
#define GET_OP_LIST
#include "DLC/Dialect/IR/DLCCastOps.cpp.inc"
      >();
}

/// C1: the operand and the result have the same shape.
static LogicalResult verifySameShape(Operation *op) {
  auto x = cast<RankedTensorType>(op->getOperand(0).getType());
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  if (failed(verifyCompatibleShape(x, result)))
    return op->emitOpError("expected the result to have the shape of the "
                           "operand, but got ")
           << x << " and " << result;
  return success();
}

static LogicalResult reifyOperandShape(Operation *op, OpBuilder &builder,
                                       ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(
      tensor::getMixedSizes(builder, op->getLoc(), op->getOperand(0)));
  return success();
}

#define DLC_REIFY(OP)                                                          \
  LogicalResult OP::reifyResultShapes(OpBuilder &builder,                      \
                                      ReifiedRankedShapedTypeDims &shapes) {   \
    return reifyOperandShape(getOperation(), builder, shapes);                 \
  }
DLC_REIFY(CastOp)
DLC_REIFY(BitcastOp)
DLC_REIFY(QuantizeOp)
DLC_REIFY(DequantizeOp)
#undef DLC_REIFY

//===----------------------------------------------------------------------===//
// cast
//===----------------------------------------------------------------------===//

LogicalResult CastOp::verify() { return verifySameShape(getOperation()); }

/// Truncates towards zero and saturates; NaN gives 0. arith.fptosi alone is
/// poison out of range.
static Value convertFloatToInt(ImplicitLocOpBuilder &b, Value value,
                               IntegerType to, bool isUnsigned) {
  auto type = cast<FloatType>(value.getType());
  unsigned width = to.getWidth();
  APInt lowest =
      isUnsigned ? APInt::getMinValue(width) : APInt::getSignedMinValue(width);
  APInt highest =
      isUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width);
  auto toFloat = [&](const APInt &bound) {
    APFloat result(type.getFloatSemantics());
    // Towards zero, so that the bound itself converts back within range.
    result.convertFromAPInt(bound, !isUnsigned, APFloat::rmTowardZero);
    return result;
  };
  Value low =
      arith::ConstantOp::create(b, FloatAttr::get(type, toFloat(lowest)));
  Value high =
      arith::ConstantOp::create(b, FloatAttr::get(type, toFloat(highest)));
  Value isNaN =
      arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, value, value);
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
  Value number = arith::SelectOp::create(b, isNaN, zero, value);
  Value clamped = arith::MinNumFOp::create(
      b, arith::MaxNumFOp::create(b, number, low).getResult(), high);
  Value converted = isUnsigned
                        ? arith::FPToUIOp::create(b, to, clamped).getResult()
                        : arith::FPToSIOp::create(b, to, clamped).getResult();
  // The highest float within range may be below the highest integer.
  Value isAbove =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, value, high);
  Value most = arith::ConstantOp::create(b, IntegerAttr::get(to, highest));
  return arith::SelectOp::create(b, isAbove, most, converted);
}

Value CastOp::emitScalar(OpBuilder &builder, ValueRange elements) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  Value x = elements[0];
  Type from = x.getType(), to = getElementTypeOrSelf(getType());
  for (Type type : {from, to})
    if (isa<FloatType>(type) && !isConvertibleFloat(type)) {
      emitOpError("expected an element type that it can convert, but got ")
          << type;
      return {};
    }
  bool fromBool = from.isInteger(1);
  if (isa<FloatType>(from) && isa<FloatType>(to))
    return convertFloat(builder, getLoc(), x, to, getSaturate());
  if (isa<FloatType>(from)) {
    Value wide = from.getIntOrFloatBitWidth() < 32
                     ? convertFloat(builder, getLoc(), x, b.getF32Type())
                     : x;
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(wide.getType()));
    if (to.isInteger(1))
      return arith::CmpFOp::create(b, arith::CmpFPredicate::UNE, wide, zero);
    return convertFloatToInt(b, wide, cast<IntegerType>(to),
                             getUnsignedResult());
  }
  bool isUnsigned = getUnsignedInput() || fromBool;
  if (isa<FloatType>(to)) {
    Type wide = to.getIntOrFloatBitWidth() < 32 ? b.getF32Type() : to;
    Value converted = isUnsigned
                          ? arith::UIToFPOp::create(b, wide, x).getResult()
                          : arith::SIToFPOp::create(b, wide, x).getResult();
    return convertFloat(builder, getLoc(), converted, to, getSaturate());
  }
  if (to.isInteger(1)) {
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(from));
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, x, zero);
  }
  unsigned fromWidth = from.getIntOrFloatBitWidth();
  unsigned toWidth = to.getIntOrFloatBitWidth();
  if (toWidth < fromWidth)
    return arith::TruncIOp::create(b, to, x);
  if (toWidth == fromWidth)
    return x;
  return isUnsigned ? arith::ExtUIOp::create(b, to, x).getResult()
                    : arith::ExtSIOp::create(b, to, x).getResult();
}

//===----------------------------------------------------------------------===//
// bitcast
//===----------------------------------------------------------------------===//

LogicalResult BitcastOp::verify() {
  if (failed(verifySameShape(getOperation())))
    return failure();
  Type from = getElementTypeOrSelf(getX().getType());
  Type to = getElementTypeOrSelf(getType());
  // C2: the widths are equal.
  if (from.getIntOrFloatBitWidth() != to.getIntOrFloatBitWidth())
    return emitOpError("expected element types of one width, but got ")
           << from << " and " << to;
  return success();
}

Value BitcastOp::emitScalar(OpBuilder &builder, ValueRange elements) {
  Type to = getElementTypeOrSelf(getType());
  if (elements[0].getType() == to)
    return elements[0];
  return arith::BitcastOp::create(builder, getLoc(), to, elements[0]);
}

//===----------------------------------------------------------------------===//
// quantize, dequantize
//===----------------------------------------------------------------------===//

template <typename OpT> static LogicalResult verifyQuantization(OpT op) {
  if (failed(verifySameShape(op)))
    return failure();
  auto x = cast<RankedTensorType>(op.getX().getType());
  auto scale = cast<RankedTensorType>(op.getScale().getType());
  // C2: where the scale belongs.
  if (scale.getRank() > 1 && scale.getRank() != x.getRank())
    return op.emitOpError("expected scale to have rank 0, 1 or ")
           << x.getRank() << ", but got rank " << scale.getRank();
  if (scale.getRank() > 0) {
    std::optional<int64_t> axis = op.getAxis();
    if (!axis || *axis < 0 || *axis >= x.getRank())
      return op.emitOpError("expected axis to be within [0, ")
             << x.getRank() << ") for a scale of rank " << scale.getRank();
    bool isBlocked = scale.getRank() == x.getRank() && x.getRank() > 1;
    if (isBlocked && (!op.getBlockSize() || *op.getBlockSize() < 1))
      return op.emitOpError("expected a block_size of at least 1 for a scale "
                            "of rank ")
             << scale.getRank();
  }
  // C3: one zero point per scale.
  if (Value zeroPoint = op.getZeroPoint())
    if (failed(verifyCompatibleShape(zeroPoint.getType(), scale)))
      return op.emitOpError("expected zero_point to have the shape of scale, "
                            "but got ")
             << zeroPoint.getType() << " and " << scale;
  return success();
}

LogicalResult QuantizeOp::verify() { return verifyQuantization(*this); }
LogicalResult DequantizeOp::verify() { return verifyQuantization(*this); }
