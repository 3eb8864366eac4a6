//===- LoweringUtils.cpp - Building linalg ops ----------------------------===//
//
// What the conversions of contractions, windows and NN ops share: accumulators,
// element casts, broadcasting maps, run-time checks, sums of products.
//
//===----------------------------------------------------------------------===//

#include "LoweringUtils.h"

#include "DLC/Dialect/IR/DLCStructureOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::dlc;

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

Type mlir::dlc::getAccumulatorType(Type type) {
  if (!isa<FloatType>(type) || type.isF64())
    return type;
  return Float32Type::get(type.getContext());
}

Value mlir::dlc::castFloat(OpBuilder &builder, Location loc, Value value,
                           Type type) {
  unsigned from = value.getType().getIntOrFloatBitWidth();
  unsigned to = type.getIntOrFloatBitWidth();
  if (value.getType() == type)
    return value;
  if (from < to)
    return arith::ExtFOp::create(builder, loc, type, value);
  if (from > to)
    return arith::TruncFOp::create(builder, loc, type, value);
  // f16 and bf16 hold each other's values only through a wider type.
  Value wide = arith::ExtFOp::create(
      builder, loc, Float32Type::get(builder.getContext()), value);
  return arith::TruncFOp::create(builder, loc, type, wide);
}

Value mlir::dlc::extendScalar(OpBuilder &builder, Location loc, Value value,
                              Type type, bool isUnsigned) {
  if (isa<FloatType>(type))
    return castFloat(builder, loc, value, type);
  if (value.getType() == type)
    return value;
  if (isUnsigned || value.getType().isInteger(1))
    return arith::ExtUIOp::create(builder, loc, type, value);
  return arith::ExtSIOp::create(builder, loc, type, value);
}

Value mlir::dlc::createFloat(OpBuilder &builder, Location loc, Type type,
                             double value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getFloatAttr(type, value));
}

TypedAttr mlir::dlc::getExtremeValue(Type type, bool highest, bool isUnsigned) {
  if (auto floatType = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &semantics = floatType.getFloatSemantics();
    // Some 8-bit floats have no infinity.
    APFloat value = APFloat::semanticsHasInf(semantics)
                        ? APFloat::getInf(semantics, !highest)
                        : APFloat::getLargest(semantics, !highest);
    return FloatAttr::get(type, value);
  }
  unsigned width = type.getIntOrFloatBitWidth();
  APInt value = isUnsigned || width == 1
                    ? (highest ? APInt::getMaxValue(width) : APInt(width, 0))
                    : (highest ? APInt::getSignedMaxValue(width)
                               : APInt::getSignedMinValue(width));
  return IntegerAttr::get(type, value);
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

SmallVector<OpFoldResult> mlir::dlc::getSizes(OpBuilder &builder, Location loc,
                                              Value tensor) {
  return tensor::getMixedSizes(builder, loc, tensor);
}

Value mlir::dlc::createFilled(OpBuilder &builder, Location loc,
                              ArrayRef<OpFoldResult> sizes, TypedAttr value) {
  Value empty = tensor::EmptyOp::create(builder, loc, sizes, value.getType());
  Value scalar = arith::ConstantOp::create(builder, loc, value);
  return linalg::FillOp::create(builder, loc, scalar, empty).getResult(0);
}

Value mlir::dlc::createZeros(OpBuilder &builder, Location loc,
                             ArrayRef<OpFoldResult> sizes, Type elementType) {
  return createFilled(builder, loc, sizes,
                      cast<TypedAttr>(builder.getZeroAttr(elementType)));
}

linalg::GenericOp mlir::dlc::createGeneric(OpBuilder &builder, Location loc,
                                           ValueRange inputs, ValueRange inits,
                                           ArrayRef<AffineMap> maps,
                                           ArrayRef<bool> isParallel,
                                           ElementBuilder body) {
  SmallVector<utils::IteratorType> iterators;
  for (bool parallel : isParallel)
    iterators.push_back(parallel ? utils::IteratorType::parallel
                                 : utils::IteratorType::reduction);
  return linalg::GenericOp::create(
      builder, loc, inits.getTypes(), inputs, inits, maps, iterators,
      [&](OpBuilder &nested, Location bodyLoc, ValueRange args) {
        linalg::YieldOp::create(nested, bodyLoc, body(nested, bodyLoc, args));
      });
}

Value mlir::dlc::createElementwise(OpBuilder &builder, Location loc,
                                   ArrayRef<OpFoldResult> sizes,
                                   Type elementType, ValueRange inputs,
                                   ArrayRef<AffineMap> inputMaps,
                                   ElementBuilder body) {
  Value empty = tensor::EmptyOp::create(builder, loc, sizes, elementType);
  SmallVector<AffineMap> maps(inputMaps);
  maps.push_back(builder.getMultiDimIdentityMap(sizes.size()));
  SmallVector<bool> isParallel(sizes.size(), true);
  return createGeneric(builder, loc, inputs, empty, maps, isParallel, body)
      .getResult(0);
}

AffineMap mlir::dlc::getDimsMap(MLIRContext *context, int64_t numDims,
                                ArrayRef<int64_t> dims) {
  SmallVector<AffineExpr> exprs;
  for (int64_t dim : dims)
    exprs.push_back(getAffineDimExpr(dim, context));
  return AffineMap::get(numDims, 0, exprs, context);
}

AffineMap mlir::dlc::getBroadcastMap(RankedTensorType operand,
                                     ArrayRef<int64_t> resultShape) {
  MLIRContext *context = operand.getContext();
  int64_t rank = resultShape.size(), offset = rank - operand.getRank();
  SmallVector<AffineExpr> exprs;
  for (int64_t i = 0; i < operand.getRank(); ++i) {
    bool isBroadcast =
        operand.getDimSize(i) == 1 && resultShape[i + offset] != 1;
    exprs.push_back(isBroadcast ? getAffineConstantExpr(0, context)
                                : getAffineDimExpr(i + offset, context));
  }
  return AffineMap::get(rank, 0, exprs, context);
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

void mlir::dlc::emitCheckEqual(OpBuilder &builder, Operation *op,
                               OpFoldResult lhs, OpFoldResult rhs,
                               const Twine &what) {
  std::optional<int64_t> l = getConstantIntValue(lhs),
                         r = getConstantIntValue(rhs);
  // Two known sizes are the verifier's business.
  if (lhs == rhs || (l && r))
    return;
  std::string message = ("'" + op->getName().getStringRef() + "' op expected " +
                         what + " to be equal")
                            .str();
  IndexMath math(builder, op->getLoc());
  CheckEqualOp::create(builder, op->getLoc(), math.value(lhs), math.value(rhs),
                       message);
}

void mlir::dlc::emitBroadcastChecks(OpBuilder &builder, Operation *op,
                                    StringRef name, Value operand,
                                    ArrayRef<OpFoldResult> sizes) {
  auto type = cast<RankedTensorType>(operand.getType());
  int64_t offset = static_cast<int64_t>(sizes.size()) - type.getRank();
  IndexMath math(builder, op->getLoc());
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (type.getDimSize(i) != 1)
      emitCheckEqual(builder, op, math.size(operand, i), sizes[i + offset],
                     "dimension " + Twine(i) + " of '" + name +
                         "' and its partner");
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

/// The accumulator of products of `lhs` and `rhs` whose sum is stored as
/// `result`.
static Type getContractionAccumulator(Type lhs, Type rhs, Type result) {
  if (!isa<FloatType>(result))
    return result;
  if (lhs.isF64() || rhs.isF64() || result.isF64())
    return Float64Type::get(result.getContext());
  return Float32Type::get(result.getContext());
}

static bool hasZeroSize(Value tensor) {
  return llvm::is_contained(cast<RankedTensorType>(tensor.getType()).getShape(),
                            0);
}

Value mlir::dlc::createContraction(OpBuilder &builder, Location loc, Value lhs,
                                   Value rhs, ArrayRef<OpFoldResult> sizes,
                                   ArrayRef<AffineMap> maps,
                                   ArrayRef<bool> isParallel,
                                   const ContractionTypes &types) {
  Type accumulator = getContractionAccumulator(
      getElementTypeOrSelf(lhs), getElementTypeOrSelf(rhs), types.resultType);
  // A sum over nothing, or nothing to compute; linalg rejects windows that do
  // not fit into an empty operand.
  Value zeros = createZeros(builder, loc, sizes, accumulator);
  Value sum = zeros;
  if (!hasZeroSize(lhs) && !hasZeroSize(rhs) && !hasZeroSize(zeros))
    sum = createGeneric(
              builder, loc, {lhs, rhs}, zeros, maps, isParallel,
              [&](OpBuilder &b, Location l,
                  ValueRange args) -> SmallVector<Value> {
                Value x =
                    extendScalar(b, l, args[0], accumulator, types.unsignedLhs);
                Value y =
                    extendScalar(b, l, args[1], accumulator, types.unsignedRhs);
                if (!isa<FloatType>(accumulator))
                  return {arith::AddIOp::create(
                      b, l, args[2], arith::MulIOp::create(b, l, x, y))};
                // The order of the sum is left to the code generator.
                auto flags = arith::FastMathFlagsAttr::get(
                    b.getContext(), arith::FastMathFlags::reassoc |
                                        arith::FastMathFlags::contract);
                Value product = arith::MulFOp::create(b, l, x, y, flags);
                return {arith::AddFOp::create(b, l, args[2], product, flags)};
              })
              .getResult(0);
  if (accumulator == types.resultType)
    return sum;
  return createElementwise(
      builder, loc, sizes, types.resultType, sum,
      builder.getMultiDimIdentityMap(sizes.size()),
      [&](OpBuilder &b, Location l, ValueRange args) -> SmallVector<Value> {
        return {castFloat(b, l, args[0], types.resultType)};
      });
}

//===----------------------------------------------------------------------===//
// Reshapes
//===----------------------------------------------------------------------===//

/// One group per dimension, except that `dim` and `dim + 1` are together.
static SmallVector<ReassociationIndices> joinDims(int64_t rank, int64_t dim) {
  SmallVector<ReassociationIndices> groups;
  for (int64_t i = 0; i < rank; ++i) {
    if (i == dim + 1)
      groups.back().push_back(i);
    else
      groups.push_back({i});
  }
  return groups;
}

/// `tensor` with the size `size` (or kDynamic) of dimension `dim` in its type.
static Value castDim(OpBuilder &builder, Location loc, Value tensor,
                     int64_t dim, int64_t size) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (type.getDimSize(dim) == size)
    return tensor;
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = size;
  return tensor::CastOp::create(builder, loc, type.clone(shape), tensor);
}

Value mlir::dlc::expandDim(OpBuilder &builder, Location loc, Value tensor,
                           int64_t dim, OpFoldResult outer,
                           OpFoldResult inner) {
  // tensor.expand_shape wants the whole to be known exactly if the parts are.
  int64_t whole = cast<RankedTensorType>(tensor.getType()).getDimSize(dim);
  std::optional<int64_t> o = getConstantIntValue(outer),
                         i = getConstantIntValue(inner);
  if (!ShapedType::isDynamic(whole) && o && !i && *o != 0)
    inner = builder.getIndexAttr(whole / *o);
  else if (!ShapedType::isDynamic(whole) && i && !o && *i != 0)
    outer = builder.getIndexAttr(whole / *i);
  else
    tensor = castDim(builder, loc, tensor, dim,
                     o && i ? *o * *i : ShapedType::kDynamic);
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<OpFoldResult> sizes = getSizes(builder, loc, tensor);
  sizes[dim] = outer;
  sizes.insert(sizes.begin() + dim + 1, inner);
  SmallVector<int64_t> shape;
  for (OpFoldResult &size : sizes) {
    std::optional<int64_t> constant = getConstantIntValue(size);
    shape.push_back(constant.value_or(ShapedType::kDynamic));
    if (constant)
      size = builder.getIndexAttr(*constant);
  }
  auto expandedType = RankedTensorType::get(shape, type.getElementType());
  if (ShapedType::isDynamic(shape[dim]) &&
      ShapedType::isDynamic(shape[dim + 1])) {
    // Upstream's expand-strided-metadata crashes on a memref.expand_shape with
    // two dynamic sizes in a group.
    IndexMath math(builder, loc);
    SmallVector<Value> values;
    for (OpFoldResult size : sizes)
      values.push_back(math.value(size));
    Value list = tensor::FromElementsOp::create(builder, loc, values);
    return tensor::ReshapeOp::create(builder, loc, expandedType, tensor, list);
  }
  return tensor::ExpandShapeOp::create(builder, loc, expandedType, tensor,
                                       joinDims(type.getRank() + 1, dim),
                                       sizes);
}

Value mlir::dlc::collapseDims(OpBuilder &builder, Location loc, Value tensor,
                              int64_t dim, RankedTensorType type) {
  Value collapsed = tensor::CollapseShapeOp::create(
      builder, loc, tensor, joinDims(type.getRank() + 1, dim));
  if (collapsed.getType() == type)
    return collapsed;
  return tensor::CastOp::create(builder, loc, type, collapsed);
}
