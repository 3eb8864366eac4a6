//===- DLCMovementFolds.cpp - Folds of shape changes and movement ---------===//
//
// Folds and canonicalizations of the ops in DLCMovementOps.td. All of them move
// bits only, so they hold for NaN and -0 too.
//
//===----------------------------------------------------------------------===//

#include "DLC/Dialect/IR/DLCMovementOps.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::dlc;

/// Turns entries of a mixed list that are constants into attributes. Returns
/// true if there was one. A constant that `isValid` refuses stays, so that the
/// error is reported at run time and no invalid op is created.
static bool foldConstants(MutableArrayRef<OpFoldResult> entries,
                          function_ref<bool(int64_t)> isValid) {
  bool changed = false;
  for (OpFoldResult &entry : entries) {
    auto value = dyn_cast<Value>(entry);
    if (!value)
      continue;
    std::optional<int64_t> constant = getConstantIntValue(value);
    if (!constant || !isValid(*constant) || ShapedType::isDynamic(*constant))
      continue;
    entry = IntegerAttr::get(IndexType::get(value.getContext()), *constant);
    changed = true;
  }
  return changed;
}

static bool isSize(int64_t value) { return value >= 0; }
static bool isAnything(int64_t) { return true; }
static bool isNotZero(int64_t value) { return value != 0; }

/// Replaces `op` by `value`, cast if its type is more or less precise.
static void replaceWithCast(PatternRewriter &rewriter, Operation *op,
                            Value value) {
  Type type = op->getResult(0).getType();
  if (value.getType() != type)
    value = tensor::CastOp::create(rewriter, op->getLoc(), type, value);
  rewriter.replaceOp(op, value);
}

/// Replaces `op` by one with other operands and properties. Fails, without a
/// change, if that op would be invalid: an error that the types did not show is
/// left to the run time.
template <typename OpTy>
static LogicalResult rebuild(PatternRewriter &rewriter, OpTy op,
                             ValueRange operands,
                             typename OpTy::Properties properties) {
  SmallVector<Type> types;
  if (failed(OpTy::inferReturnTypes(op.getContext(), std::nullopt, operands,
                                    DictionaryAttr(), &properties, {}, types)))
    return rewriter.notifyMatchFailure(op, "the op would be invalid");
  OperationState state(op.getLoc(), OpTy::getOperationName(), operands, types);
  state.addAttributes(llvm::to_vector(op->getDiscardableAttrs()));
  state.getOrAddProperties<typename OpTy::Properties>() = properties;
  replaceWithCast(rewriter, op, rewriter.create(state)->getResult(0));
  return success();
}

//===----------------------------------------------------------------------===//
// broadcast, reshape
//===----------------------------------------------------------------------===//

namespace {
/// Makes constant entries of `sizes` static.
template <typename OpTy>
struct FoldConstantSizes final : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    SmallVector<OpFoldResult> sizes = op.getMixedSizes();
    if (!foldConstants(sizes, isSize))
      return rewriter.notifyMatchFailure(op, "no size is a constant");
    SmallVector<int64_t> staticSizes;
    SmallVector<Value> operands = {op.getX()};
    dispatchIndexOpFoldResults(sizes, operands, staticSizes);
    auto properties = op.getProperties();
    properties.static_sizes = rewriter.getDenseI64ArrayAttr(staticSizes);
    return rebuild(rewriter, op, operands, properties);
  }
};

/// reshape(reshape(x)) -> reshape(x), and broadcast(broadcast(x)) ->
/// broadcast(x).
///
/// The inner op's run-time check goes away with it. That is allowed: a program
/// that fails the inner check has no defined result.
template <typename OpTy>
struct ComposeWithProducer final : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    auto producer = op.getX().template getDefiningOp<OpTy>();
    if (!producer)
      return rewriter.notifyMatchFailure(op, "operand has another producer");
    SmallVector<Value> operands = {producer.getX()};
    llvm::append_range(operands, op.getSizes());
    return rebuild(rewriter, op, operands, op.getProperties());
  }
};
} // namespace

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getX().getType() == getType() && getType().hasStaticShape())
    return getX();
  // A broadcast constant stays a splat.
  auto splat = dyn_cast_if_present<SplatElementsAttr>(adaptor.getX());
  if (splat && getType().hasStaticShape())
    return splat.resizeSplat(getType());
  return {};
}

void BroadcastOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns
      .add<FoldConstantSizes<BroadcastOp>, ComposeWithProducer<BroadcastOp>>(
          context);
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  // Two dynamic sizes can be exchanged by a reshape; a single one can change
  // only beside a size of 0.
  if (getX().getType() == getType() &&
      (getType().hasStaticShape() ||
       (getType().getNumDynamicDims() == 1 &&
        !llvm::is_contained(getType().getShape(), 0))))
    return getX();
  auto elements = dyn_cast_if_present<DenseElementsAttr>(adaptor.getX());
  if (elements && getType().hasStaticShape() &&
      elements.getNumElements() == getType().getNumElements())
    return elements.reshape(getType());
  return {};
}

void ReshapeOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *context) {
  patterns.add<FoldConstantSizes<ReshapeOp>, ComposeWithProducer<ReshapeOp>>(
      context);
}

//===----------------------------------------------------------------------===//
// transpose, reverse
//===----------------------------------------------------------------------===//

static bool isIdentity(ArrayRef<int64_t> permutation) {
  return llvm::all_of(llvm::enumerate(permutation), [](auto entry) {
    return entry.value() == static_cast<int64_t>(entry.index());
  });
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  if (isIdentity(getPermutation()) && getX().getType() == getType())
    return getX();
  auto splat = dyn_cast_if_present<SplatElementsAttr>(adaptor.getX());
  if (splat && getType().hasStaticShape())
    return splat.resizeSplat(getType());
  return {};
}

LogicalResult TransposeOp::canonicalize(TransposeOp op,
                                        PatternRewriter &rewriter) {
  auto producer = op.getX().getDefiningOp<TransposeOp>();
  if (!producer)
    return rewriter.notifyMatchFailure(op, "operand is not a transpose");
  SmallVector<int64_t> permutation;
  for (int64_t dim : op.getPermutation())
    permutation.push_back(producer.getPermutation()[dim]);
  auto properties = op.getProperties();
  properties.permutation = rewriter.getDenseI64ArrayAttr(permutation);
  return rebuild(rewriter, op, producer.getX(), properties);
}

OpFoldResult ReverseOp::fold(FoldAdaptor adaptor) {
  // Axes of size 1 or 0 have nothing to reverse.
  bool isTrivial = llvm::all_of(getAxes(), [&](int64_t axis) {
    int64_t size = getX().getType().getDimSize(axis);
    return size == 0 || size == 1;
  });
  if (isTrivial && getX().getType() == getType())
    return getX();
  auto producer = getX().getDefiningOp<ReverseOp>();
  if (producer && producer.getAxes() == getAxes() &&
      producer.getX().getType() == getType())
    return producer.getX();
  return {};
}

//===----------------------------------------------------------------------===//
// slice, update_slice
//===----------------------------------------------------------------------===//

static bool areAllConstant(ArrayRef<int64_t> entries, int64_t value) {
  return llvm::all_of(entries,
                      [value](int64_t entry) { return entry == value; });
}

OpFoldResult SliceOp::fold(FoldAdaptor adaptor) {
  // The whole of x.
  if (getX().getType() == getType() && getType().hasStaticShape() &&
      areAllConstant(getStaticOffsets(), 0) &&
      areAllConstant(getStaticStrides(), 1))
    return getX();
  auto splat = dyn_cast_if_present<SplatElementsAttr>(adaptor.getX());
  if (splat && getType().hasStaticShape())
    return splat.resizeSplat(getType());
  return {};
}

namespace {
struct FoldConstantSliceLists final : OpRewritePattern<SliceOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(SliceOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<OpFoldResult> offsets = op.getMixedOffsets();
    SmallVector<OpFoldResult> sizes = op.getMixedSizes();
    SmallVector<OpFoldResult> strides = op.getMixedStrides();
    bool changed = foldConstants(offsets, isAnything);
    changed |= foldConstants(sizes, isSize);
    changed |= foldConstants(strides, isNotZero);
    if (!changed)
      return rewriter.notifyMatchFailure(op, "no entry is a constant");
    SmallVector<int64_t> staticOffsets, staticSizes, staticStrides;
    SmallVector<Value> operands = {op.getX()};
    dispatchIndexOpFoldResults(offsets, operands, staticOffsets);
    int32_t numOffsets = operands.size() - 1;
    dispatchIndexOpFoldResults(sizes, operands, staticSizes);
    int32_t numSizes = operands.size() - 1 - numOffsets;
    dispatchIndexOpFoldResults(strides, operands, staticStrides);
    int32_t numStrides = operands.size() - 1 - numOffsets - numSizes;
    auto properties = op.getProperties();
    properties.static_offsets = rewriter.getDenseI64ArrayAttr(staticOffsets);
    properties.static_sizes = rewriter.getDenseI64ArrayAttr(staticSizes);
    properties.static_strides = rewriter.getDenseI64ArrayAttr(staticStrides);
    properties.operandSegmentSizes = {1, numOffsets, numSizes, numStrides};
    return rebuild(rewriter, op, operands, properties);
  }
};

/// A slice of all of x whose sizes are spelled as `tensor.dim` of x -> x.
struct FoldFullDynamicSlice final : OpRewritePattern<SliceOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(SliceOp op,
                                PatternRewriter &rewriter) const override {
    if (!areAllConstant(op.getStaticOffsets(), 0) ||
        !areAllConstant(op.getStaticStrides(), 1))
      return rewriter.notifyMatchFailure(op, "not all of the operand");
    for (auto [i, size] : llvm::enumerate(op.getMixedSizes())) {
      int64_t extent = op.getX().getType().getDimSize(i);
      std::optional<int64_t> constant = getConstantIntValue(size);
      if (constant && *constant == extent)
        continue;
      auto value = dyn_cast<Value>(size);
      auto dim = value ? value.getDefiningOp<tensor::DimOp>() : nullptr;
      if (!dim || dim.getSource() != op.getX() ||
          dim.getConstantIndex() != static_cast<int64_t>(i))
        return rewriter.notifyMatchFailure(op, "a size is not that of x");
    }
    replaceWithCast(rewriter, op, op.getX());
    return success();
  }
};

struct FoldConstantUpdateOffsets final : OpRewritePattern<UpdateSliceOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(UpdateSliceOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<OpFoldResult> offsets = op.getMixedOffsets();
    if (!foldConstants(offsets, isAnything))
      return rewriter.notifyMatchFailure(op, "no offset is a constant");
    SmallVector<int64_t> staticOffsets;
    SmallVector<Value> operands = {op.getX(), op.getUpdate()};
    dispatchIndexOpFoldResults(offsets, operands, staticOffsets);
    auto properties = op.getProperties();
    properties.static_offsets = rewriter.getDenseI64ArrayAttr(staticOffsets);
    return rebuild(rewriter, op, operands, properties);
  }
};
} // namespace

void SliceOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                          MLIRContext *context) {
  patterns.add<FoldConstantSliceLists, FoldFullDynamicSlice>(context);
}

OpFoldResult UpdateSliceOp::fold(FoldAdaptor) {
  // All of x is replaced.
  if (getUpdate().getType() == getType() && getType().hasStaticShape() &&
      areAllConstant(getStaticOffsets(), 0) &&
      areAllConstant(getStaticStrides(), 1))
    return getUpdate();
  // Nothing is replaced.
  if (llvm::is_contained(getUpdate().getType().getShape(), 0) &&
      getX().getType() == getType())
    return getX();
  return {};
}

void UpdateSliceOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                MLIRContext *context) {
  patterns.add<FoldConstantUpdateOffsets>(context);
}

//===----------------------------------------------------------------------===//
// concat, pad
//===----------------------------------------------------------------------===//

OpFoldResult ConcatOp::fold(FoldAdaptor) {
  if (getInputs().size() == 1 && getInputs()[0].getType() == getType())
    return getInputs()[0];
  return {};
}

LogicalResult ConcatOp::canonicalize(ConcatOp op, PatternRewriter &rewriter) {
  // Operands that are statically empty along the axis add nothing. The last one
  // stays if all are; one whose static sizes others need stays too.
  int64_t axis = op.getAxis();
  SmallVector<Value> inputs;
  for (Value input : op.getInputs())
    if (cast<RankedTensorType>(input.getType()).getDimSize(axis) != 0)
      inputs.push_back(input);
  if (inputs.empty() || inputs.size() == op.getInputs().size())
    return rewriter.notifyMatchFailure(op, "no operand can be dropped");
  return rebuild(rewriter, op, inputs, op.getProperties());
}

OpFoldResult PadOp::fold(FoldAdaptor) {
  if (areAllConstant(getStaticLow(), 0) && areAllConstant(getStaticHigh(), 0) &&
      getX().getType() == getType())
    return getX();
  return {};
}

namespace {
struct FoldConstantPadLists final : OpRewritePattern<PadOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(PadOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<OpFoldResult> low = op.getMixedLow(), high = op.getMixedHigh();
    bool changed = foldConstants(low, isAnything);
    changed |= foldConstants(high, isAnything);
    if (!changed)
      return rewriter.notifyMatchFailure(op, "no entry is a constant");
    SmallVector<int64_t> staticLow, staticHigh;
    SmallVector<Value> operands = {op.getX()};
    if (op.getValue())
      operands.push_back(op.getValue());
    int32_t numFixed = operands.size();
    dispatchIndexOpFoldResults(low, operands, staticLow);
    int32_t numLow = operands.size() - numFixed;
    dispatchIndexOpFoldResults(high, operands, staticHigh);
    int32_t numHigh = operands.size() - numFixed - numLow;
    auto properties = op.getProperties();
    properties.static_low = rewriter.getDenseI64ArrayAttr(staticLow);
    properties.static_high = rewriter.getDenseI64ArrayAttr(staticHigh);
    properties.operandSegmentSizes = {1, numFixed - 1, numLow, numHigh};
    return rebuild(rewriter, op, operands, properties);
  }
};
} // namespace

void PadOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                        MLIRContext *context) {
  patterns.add<FoldConstantPadLists>(context);
}
