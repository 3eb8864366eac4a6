//===- DLCReductionOps.cpp - Reductions, scans, sorts ---------------------===//
//
// Type inference, shape reification and verification of the ops in
// DLCReductionOps.td.
//
//===----------------------------------------------------------------------===//

#include "DLC/Dialect/IR/DLCReductionOps.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::dlc;

#define GET_OP_CLASSES
#include "DLC/Dialect/IR/DLCReductionOps.cpp.inc"

void DLCDialect::registerReductionOps() {
  addOperations<
#define GET_OP_LIST
#include "DLC/Dialect/IR/DLCReductionOps.cpp.inc"
      >();
}

/// Emits an error on `op` unless `axis` is within [0, rank).
static LogicalResult checkAxis(std::optional<Location> loc, StringRef op,
                               int64_t axis, int64_t rank) {
  if (axis >= 0 && axis < rank)
    return success();
  return emitOptionalError(loc, "'", op, "' op expected axis to be within [0, ",
                           rank, "), but got ", axis);
}

/// The type of `x` with dimension `axis` removed, or of size 1 if `keepdims`.
static RankedTensorType dropAxis(RankedTensorType x, int64_t axis,
                                 bool keepdims, Type elementType) {
  SmallVector<int64_t> shape(x.getShape());
  if (keepdims)
    shape[axis] = 1;
  else
    shape.erase(shape.begin() + axis);
  return RankedTensorType::get(shape, elementType);
}

//===----------------------------------------------------------------------===//
// reduce
//===----------------------------------------------------------------------===//

LogicalResult ReduceOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &result) {
  auto x = cast<RankedTensorType>(adaptor.getX().getType());
  // C1: distinct axes within the rank.
  SmallVector<bool> reduced(x.getRank(), false);
  for (int64_t axis : adaptor.getAxes()) {
    if (failed(checkAxis(loc, getOperationName(), axis, x.getRank())))
      return failure();
    if (reduced[axis])
      return emitOptionalError(
          loc, "'dlc.reduce' op expected axes to be distinct, but got ", axis,
          " twice");
    reduced[axis] = true;
  }
  // C2: the element type fits the kind.
  ReduceKind kind = adaptor.getKind();
  bool isBitwise =
      kind == ReduceKind::logical_and || kind == ReduceKind::logical_or;
  bool isFloat = isa<FloatType>(x.getElementType());
  if ((kind == ReduceKind::mean && !isFloat) || (isBitwise && isFloat))
    return emitOptionalError(loc, "'dlc.reduce' op expected x of kind '",
                             stringifyReduceKind(kind), "' to hold ",
                             isFloat ? "integers" : "floats", ", but got ", x);
  SmallVector<int64_t> shape;
  for (int64_t i = 0; i < x.getRank(); ++i) {
    if (!reduced[i])
      shape.push_back(x.getDimSize(i));
    else if (adaptor.getKeepdims())
      shape.push_back(1);
  }
  result.push_back(RankedTensorType::get(shape, x.getElementType()));
  return success();
}

LogicalResult ReduceOp::reifyResultShapes(OpBuilder &builder,
                                          ReifiedRankedShapedTypeDims &shapes) {
  SmallVector<OpFoldResult> sizes;
  for (int64_t i = 0; i < getX().getType().getRank(); ++i) {
    if (!llvm::is_contained(getAxes(), i))
      sizes.push_back(tensor::getMixedSize(builder, getLoc(), getX(), i));
    else if (getKeepdims())
      sizes.push_back(builder.getIndexAttr(1));
  }
  shapes.push_back(std::move(sizes));
  return success();
}

OpFoldResult ReduceOp::fold(FoldAdaptor) {
  // Nothing is reduced. (A signalling NaN stays as it is, which every kind
  // allows.)
  if (getAxes().empty() && getX().getType() == getType())
    return getX();
  return {};
}

//===----------------------------------------------------------------------===//
// arg_reduce
//===----------------------------------------------------------------------===//

LogicalResult ArgReduceOp::inferReturnTypes(MLIRContext *context,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &result) {
  auto x = cast<RankedTensorType>(adaptor.getX().getType());
  int64_t axis = adaptor.getAxis();
  // C1
  if (failed(checkAxis(loc, getOperationName(), axis, x.getRank())))
    return failure();
  RankedTensorType type =
      dropAxis(x, axis, adaptor.getKeepdims(), IntegerType::get(context, 64));
  // C2
  if (x.getDimSize(axis) == 0 && !llvm::is_contained(type.getShape(), 0))
    return emitOptionalError(loc, "'dlc.arg_reduce' op expected axis ", axis,
                             " of x to have at least one element, but got ", x);
  result.push_back(type);
  return success();
}

LogicalResult
ArgReduceOp::reifyResultShapes(OpBuilder &builder,
                               ReifiedRankedShapedTypeDims &shapes) {
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(builder, getLoc(), getX());
  if (getKeepdims())
    sizes[getAxis()] = builder.getIndexAttr(1);
  else
    sizes.erase(sizes.begin() + getAxis());
  shapes.push_back(std::move(sizes));
  return success();
}

//===----------------------------------------------------------------------===//
// cumulative
//===----------------------------------------------------------------------===//

LogicalResult CumulativeOp::inferReturnTypes(MLIRContext *,
                                             std::optional<Location> loc,
                                             Adaptor adaptor,
                                             SmallVectorImpl<Type> &result) {
  auto x = cast<RankedTensorType>(adaptor.getX().getType());
  if (failed(
          checkAxis(loc, getOperationName(), adaptor.getAxis(), x.getRank())))
    return failure();
  result.push_back(RankedTensorType::get(x.getShape(), x.getElementType()));
  return success();
}

LogicalResult
CumulativeOp::reifyResultShapes(OpBuilder &builder,
                                ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(tensor::getMixedSizes(builder, getLoc(), getX()));
  return success();
}

//===----------------------------------------------------------------------===//
// sort
//===----------------------------------------------------------------------===//

LogicalResult SortOp::inferReturnTypes(MLIRContext *context,
                                       std::optional<Location> loc,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &result) {
  auto x = cast<RankedTensorType>(adaptor.getX().getType());
  if (failed(
          checkAxis(loc, getOperationName(), adaptor.getAxis(), x.getRank())))
    return failure();
  result.push_back(RankedTensorType::get(x.getShape(), x.getElementType()));
  result.push_back(
      RankedTensorType::get(x.getShape(), IntegerType::get(context, 64)));
  return success();
}

LogicalResult SortOp::reifyResultShapes(OpBuilder &builder,
                                        ReifiedRankedShapedTypeDims &shapes) {
  shapes.assign(2, tensor::getMixedSizes(builder, getLoc(), getX()));
  return success();
}

//===----------------------------------------------------------------------===//
// topk
//===----------------------------------------------------------------------===//

OpFoldResult TopkOp::getMixedK() {
  Builder builder(getContext());
  return mlir::getMixedValues(getStaticK(), getK(), builder).front();
}

void TopkOp::build(OpBuilder &builder, OperationState &state, Value x,
                   OpFoldResult k, int64_t axis, bool largest,
                   bool isUnsigned) {
  SmallVector<int64_t> staticK;
  SmallVector<Value> dynamicK;
  dispatchIndexOpFoldResult(k, dynamicK, staticK);
  build(builder, state, x, dynamicK, staticK, axis, largest, isUnsigned);
}

LogicalResult TopkOp::inferReturnTypes(MLIRContext *context,
                                       std::optional<Location> loc,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &result) {
  auto x = cast<RankedTensorType>(adaptor.getX().getType());
  int64_t axis = adaptor.getAxis();
  // C1
  if (failed(checkAxis(loc, getOperationName(), axis, x.getRank())))
    return failure();
  // C2: one entry, no larger than the axis.
  ArrayRef<int64_t> k = adaptor.getStaticK();
  if (k.size() != 1 ||
      ShapedType::isDynamicShape(k) != (adaptor.getK().size() == 1))
    return emitOptionalError(
        loc, "'dlc.topk' op expected k to hold one entry, but got ", k.size());
  if (!ShapedType::isDynamic(k[0]) &&
      (k[0] < 0 || (!x.isDynamicDim(axis) && k[0] > x.getDimSize(axis))))
    return emitOptionalError(
        loc, "'dlc.topk' op expected k to be within the size of axis ", axis,
        " of ", x, ", but got ", k[0]);
  SmallVector<int64_t> shape(x.getShape());
  shape[axis] = k[0];
  result.push_back(RankedTensorType::get(shape, x.getElementType()));
  result.push_back(RankedTensorType::get(shape, IntegerType::get(context, 64)));
  return success();
}

LogicalResult TopkOp::reifyResultShapes(OpBuilder &builder,
                                        ReifiedRankedShapedTypeDims &shapes) {
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(builder, getLoc(), getX());
  sizes[getAxis()] = getMixedK();
  shapes.assign(2, sizes);
  return success();
}

namespace {
/// Moves a constant `k` into `static_k`; the more precise type is cast back.
struct FoldConstantK final : OpRewritePattern<TopkOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(TopkOp op,
                                PatternRewriter &rewriter) const override {
    auto value = dyn_cast<Value>(op.getMixedK());
    std::optional<int64_t> k;
    if (value)
      k = getConstantIntValue(value);
    int64_t size = op.getX().getType().getDimSize(op.getAxis());
    if (!k || *k < 0 || (!ShapedType::isDynamic(size) && *k > size))
      return rewriter.notifyMatchFailure(op, "k is not a usable constant");
    auto topk = TopkOp::create(rewriter, op.getLoc(), op.getX(),
                               rewriter.getIndexAttr(*k), op.getAxis(),
                               op.getLargest(), op.getIsUnsigned());
    SmallVector<Value> results;
    for (auto [from, to] : llvm::zip(topk.getResults(), op.getResults()))
      results.push_back(from.getType() == to.getType()
                            ? Value(from)
                            : tensor::CastOp::create(rewriter, op.getLoc(),
                                                     to.getType(), from));
    rewriter.replaceOp(op, results);
    return success();
  }
};
} // namespace

void TopkOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                         MLIRContext *context) {
  patterns.add<FoldConstantK>(context);
}
