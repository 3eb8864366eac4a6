//===- DLCMovementOps.cpp - Shape changes and parts of tensors ------------===//
//
// Type inference, shape reification and verification of the shape changes,
// slices, concatenations, pads and generators in DLCMovementOps.td. Gathers
// and scatters are in DLCGatherScatterOps.cpp, folds and canonicalizations in
// DLCMovementFolds.cpp.
//
//===----------------------------------------------------------------------===//

#include "DLC/Dialect/IR/DLCMovementOps.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::dlc;

#define GET_OP_CLASSES
#include "DLC/Dialect/IR/DLCMovementOps.cpp.inc"

void DLCDialect::registerMovementOps() {
  addOperations<
#define GET_OP_LIST
#include "DLC/Dialect/IR/DLCMovementOps.cpp.inc"
      >();
}

static RankedTensorType getTensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Emits an error unless `axis` is within [0, rank).
static LogicalResult checkAxis(std::optional<Location> loc, StringRef op,
                               int64_t axis, int64_t rank) {
  if (axis >= 0 && axis < rank)
    return success();
  return emitOptionalError(loc, "'", op, "' op expected axis to be within [0, ",
                           rank, "), but got ", axis);
}

/// Emits an error unless the mixed list `name` has `size` entries (any number
/// if negative), as many of them dynamic as there are operands, and, if
/// `isSize`, no negative one.
static LogicalResult checkMixedList(std::optional<Location> loc, StringRef op,
                                    StringRef name, ArrayRef<int64_t> entries,
                                    ValueRange values, int64_t size,
                                    bool isSize) {
  if (size >= 0 && static_cast<int64_t>(entries.size()) != size)
    return emitOptionalError(loc, "'", op, "' op expected ", name, " to hold ",
                             size, " entries, but got ", entries.size());
  if (llvm::count_if(entries, ShapedType::isDynamic) !=
      static_cast<int64_t>(values.size()))
    return emitOptionalError(loc, "'", op, "' op expected ", name,
                             " to have one operand per dynamic entry, but got ",
                             values.size());
  for (int64_t entry : entries)
    if (isSize && entry < 0 && !ShapedType::isDynamic(entry))
      return emitOptionalError(loc, "'", op, "' op expected ", name,
                               " not to be negative, but got ", entry);
  return success();
}

/// The sizes of a shape, as attributes where they are static and as `dims` of
/// `value` otherwise.
static SmallVector<OpFoldResult> getSizes(OpBuilder &builder, Location loc,
                                          Value value) {
  return tensor::getMixedSizes(builder, loc, value);
}

/// `a + b` of mixed index values.
static OpFoldResult addSizes(OpBuilder &builder, Location loc, OpFoldResult a,
                             OpFoldResult b) {
  std::optional<int64_t> lhs = getConstantIntValue(a);
  std::optional<int64_t> rhs = getConstantIntValue(b);
  if (lhs && rhs)
    return builder.getIndexAttr(*lhs + *rhs);
  if (lhs && *lhs == 0)
    return b;
  if (rhs && *rhs == 0)
    return a;
  return arith::AddIOp::create(builder, loc,
                               getValueOrCreateConstantIndexOp(builder, loc, a),
                               getValueOrCreateConstantIndexOp(builder, loc, b))
      .getResult();
}

//===----------------------------------------------------------------------===//
// broadcast
//===----------------------------------------------------------------------===//

SmallVector<OpFoldResult> BroadcastOp::getMixedSizes() {
  Builder builder(getContext());
  return mlir::getMixedValues(getStaticSizes(), getSizes(), builder);
}

void BroadcastOp::build(OpBuilder &builder, OperationState &state, Value x,
                        ArrayRef<OpFoldResult> sizes) {
  SmallVector<int64_t> staticSizes;
  SmallVector<Value> dynamicSizes;
  dispatchIndexOpFoldResults(sizes, dynamicSizes, staticSizes);
  build(builder, state, x, dynamicSizes, staticSizes);
}

LogicalResult BroadcastOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &result) {
  RankedTensorType x = getTensorType(adaptor.getX());
  ArrayRef<int64_t> sizes = adaptor.getStaticSizes();
  // C1
  if (failed(checkMixedList(loc, getOperationName(), "sizes", sizes,
                            adaptor.getSizes(), /*size=*/-1, /*isSize=*/true)))
    return failure();
  int64_t added = static_cast<int64_t>(sizes.size()) - x.getRank();
  if (added < 0)
    return emitOptionalError(loc, "'dlc.broadcast' op expected at least ",
                             x.getRank(), " sizes, but got ", sizes.size());
  // C2
  for (int64_t i = 0; i < x.getRank(); ++i) {
    int64_t from = x.getDimSize(i), to = sizes[i + added];
    if (!ShapedType::isDynamic(from) && !ShapedType::isDynamic(to) &&
        from != 1 && from != to)
      return emitOptionalError(loc, "'dlc.broadcast' op expected dimension ", i,
                               " of x to be 1 or ", to, ", but got ", from);
  }
  result.push_back(RankedTensorType::get(sizes, x.getElementType()));
  return success();
}

LogicalResult
BroadcastOp::reifyResultShapes(OpBuilder &,
                               ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(getMixedSizes());
  return success();
}

//===----------------------------------------------------------------------===//
// reshape
//===----------------------------------------------------------------------===//

SmallVector<OpFoldResult> ReshapeOp::getMixedSizes() {
  Builder builder(getContext());
  return mlir::getMixedValues(getStaticSizes(), getSizes(), builder);
}

void ReshapeOp::build(OpBuilder &builder, OperationState &state, Value x,
                      ArrayRef<OpFoldResult> sizes) {
  SmallVector<int64_t> staticSizes;
  SmallVector<Value> dynamicSizes;
  dispatchIndexOpFoldResults(sizes, dynamicSizes, staticSizes);
  build(builder, state, x, dynamicSizes, staticSizes);
}

LogicalResult ReshapeOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> loc,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &result) {
  RankedTensorType x = getTensorType(adaptor.getX());
  ArrayRef<int64_t> sizes = adaptor.getStaticSizes();
  // C1
  if (failed(checkMixedList(loc, getOperationName(), "sizes", sizes,
                            adaptor.getSizes(), /*size=*/-1, /*isSize=*/true)))
    return failure();
  // C2
  if (x.hasStaticShape() && !ShapedType::isDynamicShape(sizes) &&
      x.getNumElements() != ShapedType::getNumElements(sizes))
    return emitOptionalError(loc,
                             "'dlc.reshape' op expected the product of "
                             "sizes to be ",
                             x.getNumElements(), ", but got ",
                             ShapedType::getNumElements(sizes));
  result.push_back(RankedTensorType::get(sizes, x.getElementType()));
  return success();
}

LogicalResult
ReshapeOp::reifyResultShapes(OpBuilder &, ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(getMixedSizes());
  return success();
}

//===----------------------------------------------------------------------===//
// transpose, reverse
//===----------------------------------------------------------------------===//

LogicalResult TransposeOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &result) {
  RankedTensorType x = getTensorType(adaptor.getX());
  ArrayRef<int64_t> permutation = adaptor.getPermutation();
  // C1
  if (static_cast<int64_t>(permutation.size()) != x.getRank() ||
      !isPermutationVector(permutation))
    return emitOptionalError(
        loc, "'dlc.transpose' op expected permutation to hold each of 0 to ",
        x.getRank(), " - 1 once, but got [", permutation, "]");
  SmallVector<int64_t> shape;
  for (int64_t dim : permutation)
    shape.push_back(x.getDimSize(dim));
  result.push_back(RankedTensorType::get(shape, x.getElementType()));
  return success();
}

LogicalResult
TransposeOp::reifyResultShapes(OpBuilder &builder,
                               ReifiedRankedShapedTypeDims &shapes) {
  SmallVector<OpFoldResult> sizes;
  for (int64_t dim : getPermutation())
    sizes.push_back(tensor::getMixedSize(builder, getLoc(), getX(), dim));
  shapes.push_back(std::move(sizes));
  return success();
}

LogicalResult ReverseOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> loc,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &result) {
  RankedTensorType x = getTensorType(adaptor.getX());
  // C1
  SmallVector<bool> seen(x.getRank(), false);
  for (int64_t axis : adaptor.getAxes()) {
    if (failed(checkAxis(loc, getOperationName(), axis, x.getRank())))
      return failure();
    if (seen[axis])
      return emitOptionalError(
          loc, "'dlc.reverse' op expected axes to be distinct, but got ", axis,
          " twice");
    seen[axis] = true;
  }
  result.push_back(RankedTensorType::get(x.getShape(), x.getElementType()));
  return success();
}

LogicalResult
ReverseOp::reifyResultShapes(OpBuilder &builder,
                             ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(::getSizes(builder, getLoc(), getX()));
  return success();
}

//===----------------------------------------------------------------------===//
// slice, update_slice
//===----------------------------------------------------------------------===//

SmallVector<OpFoldResult> SliceOp::getMixedOffsets() {
  Builder builder(getContext());
  return mlir::getMixedValues(getStaticOffsets(), getOffsets(), builder);
}
SmallVector<OpFoldResult> SliceOp::getMixedSizes() {
  Builder builder(getContext());
  return mlir::getMixedValues(getStaticSizes(), getSizes(), builder);
}
SmallVector<OpFoldResult> SliceOp::getMixedStrides() {
  Builder builder(getContext());
  return mlir::getMixedValues(getStaticStrides(), getStrides(), builder);
}

void SliceOp::build(OpBuilder &builder, OperationState &state, Value x,
                    ArrayRef<OpFoldResult> offsets,
                    ArrayRef<OpFoldResult> sizes,
                    ArrayRef<OpFoldResult> strides) {
  SmallVector<int64_t> staticOffsets, staticSizes, staticStrides;
  SmallVector<Value> dynamicOffsets, dynamicSizes, dynamicStrides;
  dispatchIndexOpFoldResults(offsets, dynamicOffsets, staticOffsets);
  dispatchIndexOpFoldResults(sizes, dynamicSizes, staticSizes);
  dispatchIndexOpFoldResults(strides, dynamicStrides, staticStrides);
  build(builder, state, x, dynamicOffsets, dynamicSizes, dynamicStrides,
        staticOffsets, staticSizes, staticStrides);
}

/// Emits an error if a slice of static `offset`, `size` and `stride` leaves a
/// dimension of static `extent`. What is dynamic is not looked at.
static LogicalResult checkSliceBounds(std::optional<Location> loc, StringRef op,
                                      int64_t dim, int64_t extent,
                                      int64_t offset, int64_t size,
                                      int64_t stride) {
  if (ShapedType::isDynamic(extent) || ShapedType::isDynamic(offset) ||
      ShapedType::isDynamic(size) || ShapedType::isDynamic(stride) || size == 0)
    return success();
  int64_t last = offset + (size - 1) * stride;
  if (offset >= 0 && offset < extent && last >= 0 && last < extent)
    return success();
  return emitOptionalError(loc, "'", op, "' op expected dimension ", dim,
                           " to stay within [0, ", extent,
                           "), but got indices from ", offset, " to ", last);
}

LogicalResult SliceOp::inferReturnTypes(MLIRContext *,
                                        std::optional<Location> loc,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &result) {
  RankedTensorType x = getTensorType(adaptor.getX());
  int64_t rank = x.getRank();
  ArrayRef<int64_t> sizes = adaptor.getStaticSizes();
  ArrayRef<int64_t> strides = adaptor.getStaticStrides();
  // C1, C2
  StringRef name = getOperationName();
  if (failed(checkMixedList(loc, name, "offsets", adaptor.getStaticOffsets(),
                            adaptor.getOffsets(), rank, /*isSize=*/false)) ||
      failed(checkMixedList(loc, name, "sizes", sizes, adaptor.getSizes(), rank,
                            /*isSize=*/true)) ||
      failed(checkMixedList(loc, name, "strides", strides, adaptor.getStrides(),
                            rank, /*isSize=*/false)))
    return failure();
  // C3
  if (llvm::is_contained(strides, 0))
    return emitOptionalError(
        loc, "'dlc.slice' op expected strides not to be 0, but got 0");
  // C4
  for (int64_t i = 0; i < rank; ++i)
    if (failed(checkSliceBounds(loc, name, i, x.getDimSize(i),
                                adaptor.getStaticOffsets()[i], sizes[i],
                                strides[i])))
      return failure();
  result.push_back(RankedTensorType::get(sizes, x.getElementType()));
  return success();
}

LogicalResult SliceOp::reifyResultShapes(OpBuilder &,
                                         ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(getMixedSizes());
  return success();
}

SmallVector<OpFoldResult> UpdateSliceOp::getMixedOffsets() {
  Builder builder(getContext());
  return mlir::getMixedValues(getStaticOffsets(), getOffsets(), builder);
}

void UpdateSliceOp::build(OpBuilder &builder, OperationState &state, Value x,
                          Value update, ArrayRef<OpFoldResult> offsets) {
  SmallVector<int64_t> staticOffsets;
  SmallVector<Value> dynamicOffsets;
  dispatchIndexOpFoldResults(offsets, dynamicOffsets, staticOffsets);
  SmallVector<int64_t> strides(offsets.size(), 1);
  build(builder, state, x, update, dynamicOffsets, staticOffsets, strides);
}

LogicalResult UpdateSliceOp::inferReturnTypes(MLIRContext *,
                                              std::optional<Location> loc,
                                              Adaptor adaptor,
                                              SmallVectorImpl<Type> &result) {
  RankedTensorType x = getTensorType(adaptor.getX());
  RankedTensorType update = getTensorType(adaptor.getUpdate());
  StringRef name = getOperationName();
  // C1
  if (x.getRank() != update.getRank() ||
      x.getElementType() != update.getElementType())
    return emitOptionalError(loc,
                             "'dlc.update_slice' op expected update to have "
                             "the rank and element type of ",
                             x, ", but got ", update);
  // C2
  ArrayRef<int64_t> strides = adaptor.getStaticStrides();
  if (failed(checkMixedList(loc, name, "offsets", adaptor.getStaticOffsets(),
                            adaptor.getOffsets(), x.getRank(),
                            /*isSize=*/false)))
    return failure();
  if (static_cast<int64_t>(strides.size()) != x.getRank())
    return emitOptionalError(
        loc, "'dlc.update_slice' op expected static_strides to hold ",
        x.getRank(), " entries, but got ", strides.size());
  // C3, C4
  for (int64_t i = 0; i < x.getRank(); ++i) {
    if (strides[i] <= 0)
      return emitOptionalError(
          loc,
          "'dlc.update_slice' op expected strides to be positive, but got ",
          strides[i]);
    if (failed(checkSliceBounds(loc, name, i, x.getDimSize(i),
                                adaptor.getStaticOffsets()[i],
                                update.getDimSize(i), strides[i])))
      return failure();
  }
  result.push_back(RankedTensorType::get(x.getShape(), x.getElementType()));
  return success();
}

LogicalResult
UpdateSliceOp::reifyResultShapes(OpBuilder &builder,
                                 ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(::getSizes(builder, getLoc(), getX()));
  return success();
}

//===----------------------------------------------------------------------===//
// concat
//===----------------------------------------------------------------------===//

LogicalResult ConcatOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &result) {
  // C1
  if (adaptor.getInputs().empty())
    return emitOptionalError(
        loc, "'dlc.concat' op expected at least one operand, but got none");
  RankedTensorType first = getTensorType(adaptor.getInputs().front());
  int64_t axis = adaptor.getAxis();
  // C2
  if (failed(checkAxis(loc, getOperationName(), axis, first.getRank())))
    return failure();
  SmallVector<int64_t> shape(first.getShape());
  for (Value input : adaptor.getInputs().drop_front()) {
    RankedTensorType type = getTensorType(input);
    if (type.getRank() != first.getRank() ||
        type.getElementType() != first.getElementType())
      return emitOptionalError(loc,
                               "'dlc.concat' op expected operands to have the "
                               "rank and element type of ",
                               first, ", but got ", type);
    for (int64_t i = 0; i < type.getRank(); ++i) {
      int64_t size = type.getDimSize(i);
      if (i == axis) {
        shape[i] =
            ShapedType::isDynamic(size) || ShapedType::isDynamic(shape[i])
                ? ShapedType::kDynamic
                : shape[i] + size;
      } else if (ShapedType::isDynamic(shape[i])) {
        shape[i] = size;
      } else if (!ShapedType::isDynamic(size) && size != shape[i]) { // C3
        return emitOptionalError(loc, "'dlc.concat' op expected dimension ", i,
                                 " of the operands to be ", shape[i],
                                 ", but got ", size);
      }
    }
  }
  result.push_back(RankedTensorType::get(shape, first.getElementType()));
  return success();
}

LogicalResult ConcatOp::reifyResultShapes(OpBuilder &builder,
                                          ReifiedRankedShapedTypeDims &shapes) {
  int64_t axis = getAxis();
  SmallVector<OpFoldResult> sizes;
  for (int64_t i = 0; i < getType().getRank(); ++i) {
    OpFoldResult size =
        tensor::getMixedSize(builder, getLoc(), getInputs().front(), i);
    for (Value input : getInputs().drop_front()) {
      if (i == axis)
        size = addSizes(builder, getLoc(), size,
                        tensor::getMixedSize(builder, getLoc(), input, i));
      else if (!getTensorType(input).isDynamicDim(i))
        size = builder.getIndexAttr(getTensorType(input).getDimSize(i));
    }
    sizes.push_back(size);
  }
  shapes.push_back(std::move(sizes));
  return success();
}

//===----------------------------------------------------------------------===//
// pad
//===----------------------------------------------------------------------===//

SmallVector<OpFoldResult> PadOp::getMixedLow() {
  Builder builder(getContext());
  return mlir::getMixedValues(getStaticLow(), getLow(), builder);
}
SmallVector<OpFoldResult> PadOp::getMixedHigh() {
  Builder builder(getContext());
  return mlir::getMixedValues(getStaticHigh(), getHigh(), builder);
}

void PadOp::build(OpBuilder &builder, OperationState &state, Value x,
                  Value value, ArrayRef<OpFoldResult> low,
                  ArrayRef<OpFoldResult> high, PadMode mode) {
  SmallVector<int64_t> staticLow, staticHigh;
  SmallVector<Value> dynamicLow, dynamicHigh;
  dispatchIndexOpFoldResults(low, dynamicLow, staticLow);
  dispatchIndexOpFoldResults(high, dynamicHigh, staticHigh);
  build(builder, state, x, value, dynamicLow, dynamicHigh, staticLow,
        staticHigh, mode);
}

LogicalResult PadOp::inferReturnTypes(MLIRContext *,
                                      std::optional<Location> loc,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &result) {
  RankedTensorType x = getTensorType(adaptor.getX());
  StringRef name = getOperationName();
  ArrayRef<int64_t> low = adaptor.getStaticLow();
  ArrayRef<int64_t> high = adaptor.getStaticHigh();
  // C1
  if (failed(checkMixedList(loc, name, "low", low, adaptor.getLow(),
                            x.getRank(), /*isSize=*/false)) ||
      failed(checkMixedList(loc, name, "high", high, adaptor.getHigh(),
                            x.getRank(), /*isSize=*/false)))
    return failure();
  SmallVector<int64_t> shape;
  for (int64_t i = 0; i < x.getRank(); ++i) {
    if (x.isDynamicDim(i) || ShapedType::isDynamic(low[i]) ||
        ShapedType::isDynamic(high[i])) {
      shape.push_back(ShapedType::kDynamic);
      continue;
    }
    shape.push_back(x.getDimSize(i) + low[i] + high[i]);
    if (shape[i] < 0) // C3
      return emitOptionalError(loc, "'dlc.pad' op expected dimension ", i,
                               " of the result not to be negative, but got ",
                               shape[i]);
    if (adaptor.getMode() != PadMode::constant && x.getDimSize(i) == 0 &&
        (low[i] > 0 || high[i] > 0) && shape[i] > 0) // C4
      return emitOptionalError(loc, "'dlc.pad' op expected dimension ", i,
                               " of x to have at least one element, but got ",
                               x);
  }
  result.push_back(RankedTensorType::get(shape, x.getElementType()));
  return success();
}

LogicalResult PadOp::verify() {
  // C2
  if (!getValue())
    return success();
  RankedTensorType value = getTensorType(getValue());
  if (value.getRank() != 0 ||
      value.getElementType() != getType().getElementType())
    return emitOpError("expected value to be a 0-d tensor of ")
           << getType().getElementType() << ", but got " << value;
  if (getMode() != PadMode::constant)
    return emitOpError("expected no value with mode '")
           << stringifyPadMode(getMode()) << "', but got " << value;
  return success();
}

LogicalResult PadOp::reifyResultShapes(OpBuilder &builder,
                                       ReifiedRankedShapedTypeDims &shapes) {
  SmallVector<OpFoldResult> sizes = ::getSizes(builder, getLoc(), getX());
  SmallVector<OpFoldResult> low = getMixedLow(), high = getMixedHigh();
  for (size_t i = 0; i < sizes.size(); ++i)
    sizes[i] = addSizes(builder, getLoc(),
                        addSizes(builder, getLoc(), sizes[i], low[i]), high[i]);
  shapes.push_back(std::move(sizes));
  return success();
}

//===----------------------------------------------------------------------===//
// nonzero, iota
//===----------------------------------------------------------------------===//

LogicalResult NonzeroOp::inferReturnTypes(MLIRContext *context,
                                          std::optional<Location>,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &result) {
  result.push_back(RankedTensorType::get(
      {getTensorType(adaptor.getX()).getRank(), ShapedType::kDynamic},
      IntegerType::get(context, 64)));
  return success();
}

SmallVector<OpFoldResult> IotaOp::getMixedSizes() {
  Builder builder(getContext());
  return mlir::getMixedValues(getStaticSizes(), getSizes(), builder);
}

void IotaOp::build(OpBuilder &builder, OperationState &state, Type elementType,
                   ArrayRef<OpFoldResult> sizes, int64_t axis) {
  SmallVector<int64_t> staticSizes;
  SmallVector<Value> dynamicSizes;
  dispatchIndexOpFoldResults(sizes, dynamicSizes, staticSizes);
  build(builder, state, RankedTensorType::get(staticSizes, elementType),
        dynamicSizes, staticSizes, axis);
}

LogicalResult IotaOp::verify() {
  // C1
  StringRef name = getOperationName();
  if (failed(checkMixedList(getLoc(), name, "sizes", getStaticSizes(),
                            getSizes(), getType().getRank(), /*isSize=*/true)))
    return failure();
  if (failed(verifyCompatibleShape(getType().getShape(), getStaticSizes())))
    return emitOpError("expected the result to have the shape [")
           << getStaticSizes() << "], but got " << getType();
  // C2
  return checkAxis(getLoc(), name, getAxis(), getType().getRank());
}

LogicalResult IotaOp::reifyResultShapes(OpBuilder &,
                                        ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(getMixedSizes());
  return success();
}
