//===- DLCGatherScatterOps.cpp - Gathers and scatters ---------------------===//
//
// Type inference and shape reification of the ops that read or write at
// positions held by a tensor.
//
//===----------------------------------------------------------------------===//

#include "DLC/Dialect/IR/DLCMovementOps.h"

using namespace mlir;
using namespace mlir::dlc;

static RankedTensorType getTensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// True if two sizes can be equal at run time.
static bool canBeEqual(int64_t lhs, int64_t rhs) {
  return lhs == rhs || ShapedType::isDynamic(lhs) || ShapedType::isDynamic(rhs);
}

/// Emits an error unless the first `count` sizes of both types can be equal.
static LogicalResult checkBatchSizes(std::optional<Location> loc, StringRef op,
                                     int64_t count, RankedTensorType x,
                                     RankedTensorType indices) {
  for (int64_t i = 0; i < count; ++i)
    if (!canBeEqual(x.getDimSize(i), indices.getDimSize(i)))
      return emitOptionalError(loc, "'", op, "' op expected batch dimension ",
                               i, " of indices to be ", x.getDimSize(i),
                               ", but got ", indices.getDimSize(i));
  return success();
}

/// Emits an error unless the last size of `indices` is static and at most
/// `limit`.
static LogicalResult checkIndexVectors(std::optional<Location> loc,
                                       StringRef op, RankedTensorType indices,
                                       int64_t limit) {
  if (indices.getRank() < 1 || indices.isDynamicDim(indices.getRank() - 1) ||
      indices.getShape().back() > limit)
    return emitOptionalError(loc, "'", op,
                             "' op expected the last size of indices to be "
                             "static and at most ",
                             limit, ", but got ", indices);
  return success();
}

//===----------------------------------------------------------------------===//
// gather
//===----------------------------------------------------------------------===//

LogicalResult GatherOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &result) {
  RankedTensorType x = getTensorType(adaptor.getX());
  RankedTensorType indices = getTensorType(adaptor.getIndices());
  int64_t axis = adaptor.getAxis(), batch = adaptor.getBatchDims();
  // C2
  if (batch < 0 || batch > indices.getRank())
    return emitOptionalError(
        loc, "'dlc.gather' op expected batch_dims to be within [0, ",
        indices.getRank(), "], but got ", batch);
  // C1
  if (axis < batch || axis >= x.getRank())
    return emitOptionalError(loc,
                             "'dlc.gather' op expected axis to be within [",
                             batch, ", ", x.getRank(), "), but got ", axis);
  if (failed(checkBatchSizes(loc, getOperationName(), batch, x, indices)))
    return failure();
  SmallVector<int64_t> shape(x.getShape().take_front(axis));
  llvm::append_range(shape, indices.getShape().drop_front(batch));
  llvm::append_range(shape, x.getShape().drop_front(axis + 1));
  result.push_back(RankedTensorType::get(shape, x.getElementType()));
  return success();
}

LogicalResult GatherOp::reifyResultShapes(OpBuilder &builder,
                                          ReifiedRankedShapedTypeDims &shapes) {
  SmallVector<OpFoldResult> x =
      tensor::getMixedSizes(builder, getLoc(), getX());
  SmallVector<OpFoldResult> indices =
      tensor::getMixedSizes(builder, getLoc(), getIndices());
  SmallVector<OpFoldResult> sizes(ArrayRef(x).take_front(getAxis()));
  llvm::append_range(sizes, ArrayRef(indices).drop_front(getBatchDims()));
  llvm::append_range(sizes, ArrayRef(x).drop_front(getAxis() + 1));
  shapes.push_back(std::move(sizes));
  return success();
}

//===----------------------------------------------------------------------===//
// gather_nd
//===----------------------------------------------------------------------===//

LogicalResult GatherNdOp::inferReturnTypes(MLIRContext *,
                                           std::optional<Location> loc,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &result) {
  RankedTensorType x = getTensorType(adaptor.getX());
  RankedTensorType indices = getTensorType(adaptor.getIndices());
  int64_t batch = adaptor.getBatchDims();
  // C1
  int64_t limit = std::min(x.getRank(), indices.getRank() - 1);
  if (batch < 0 || batch > limit)
    return emitOptionalError(
        loc, "'dlc.gather_nd' op expected batch_dims to be within [0, ", limit,
        "], but got ", batch);
  if (failed(checkBatchSizes(loc, getOperationName(), batch, x, indices)))
    return failure();
  // C2
  if (failed(checkIndexVectors(loc, getOperationName(), indices,
                               x.getRank() - batch)))
    return failure();
  SmallVector<int64_t> shape(indices.getShape().drop_back());
  llvm::append_range(
      shape, x.getShape().drop_front(batch + indices.getShape().back()));
  result.push_back(RankedTensorType::get(shape, x.getElementType()));
  return success();
}

LogicalResult
GatherNdOp::reifyResultShapes(OpBuilder &builder,
                              ReifiedRankedShapedTypeDims &shapes) {
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(builder, getLoc(), getIndices());
  sizes.pop_back();
  int64_t depth = getBatchDims() + getIndices().getType().getShape().back();
  for (int64_t i = depth; i < getX().getType().getRank(); ++i)
    sizes.push_back(tensor::getMixedSize(builder, getLoc(), getX(), i));
  shapes.push_back(std::move(sizes));
  return success();
}

//===----------------------------------------------------------------------===//
// gather_elements, scatter_elements
//===----------------------------------------------------------------------===//

/// Checks the rank, the axis and the sizes of `indices` into `x`.
static LogicalResult checkElementIndices(std::optional<Location> loc,
                                         StringRef op, RankedTensorType x,
                                         RankedTensorType indices,
                                         int64_t axis) {
  // C1
  if (indices.getRank() != x.getRank())
    return emitOptionalError(loc, "'", op,
                             "' op expected indices to have rank ", x.getRank(),
                             ", but got ", indices);
  // C2
  if (axis < 0 || axis >= x.getRank())
    return emitOptionalError(loc, "'", op,
                             "' op expected axis to be within [0, ",
                             x.getRank(), "), but got ", axis);
  // C3
  for (int64_t i = 0; i < x.getRank(); ++i)
    if (i != axis && !x.isDynamicDim(i) && !indices.isDynamicDim(i) &&
        indices.getDimSize(i) > x.getDimSize(i))
      return emitOptionalError(loc, "'", op, "' op expected dimension ", i,
                               " of indices to be at most ", x.getDimSize(i),
                               ", but got ", indices.getDimSize(i));
  return success();
}

LogicalResult
GatherElementsOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                   Adaptor adaptor,
                                   SmallVectorImpl<Type> &result) {
  RankedTensorType x = getTensorType(adaptor.getX());
  RankedTensorType indices = getTensorType(adaptor.getIndices());
  if (failed(checkElementIndices(loc, getOperationName(), x, indices,
                                 adaptor.getAxis())))
    return failure();
  result.push_back(
      RankedTensorType::get(indices.getShape(), x.getElementType()));
  return success();
}

LogicalResult
GatherElementsOp::reifyResultShapes(OpBuilder &builder,
                                    ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(tensor::getMixedSizes(builder, getLoc(), getIndices()));
  return success();
}

/// Emits an error unless `updates` has the element type of `x` and can have
/// `shape`.
static LogicalResult checkUpdates(std::optional<Location> loc, StringRef op,
                                  RankedTensorType x, RankedTensorType updates,
                                  ArrayRef<int64_t> shape) {
  if (updates.getElementType() == x.getElementType() &&
      succeeded(verifyCompatibleShape(updates.getShape(), shape)))
    return success();
  return emitOptionalError(loc, "'", op, "' op expected updates to be ",
                           RankedTensorType::get(shape, x.getElementType()),
                           ", but got ", updates);
}

LogicalResult
ScatterElementsOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                    Adaptor adaptor,
                                    SmallVectorImpl<Type> &result) {
  RankedTensorType x = getTensorType(adaptor.getX());
  RankedTensorType indices = getTensorType(adaptor.getIndices());
  StringRef name = getOperationName();
  if (failed(checkElementIndices(loc, name, x, indices, adaptor.getAxis())) ||
      failed(checkUpdates(loc, name, x, getTensorType(adaptor.getUpdates()),
                          indices.getShape())))
    return failure();
  result.push_back(RankedTensorType::get(x.getShape(), x.getElementType()));
  return success();
}

LogicalResult
ScatterElementsOp::reifyResultShapes(OpBuilder &builder,
                                     ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(tensor::getMixedSizes(builder, getLoc(), getX()));
  return success();
}

//===----------------------------------------------------------------------===//
// scatter_nd
//===----------------------------------------------------------------------===//

LogicalResult ScatterNdOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &result) {
  RankedTensorType x = getTensorType(adaptor.getX());
  RankedTensorType indices = getTensorType(adaptor.getIndices());
  StringRef name = getOperationName();
  // C1
  if (failed(checkIndexVectors(loc, name, indices, x.getRank())))
    return failure();
  // C2
  SmallVector<int64_t> shape(indices.getShape().drop_back());
  llvm::append_range(shape, x.getShape().drop_front(indices.getShape().back()));
  if (failed(checkUpdates(loc, name, x, getTensorType(adaptor.getUpdates()),
                          shape)))
    return failure();
  result.push_back(RankedTensorType::get(x.getShape(), x.getElementType()));
  return success();
}

LogicalResult
ScatterNdOp::reifyResultShapes(OpBuilder &builder,
                               ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(tensor::getMixedSizes(builder, getLoc(), getX()));
  return success();
}
