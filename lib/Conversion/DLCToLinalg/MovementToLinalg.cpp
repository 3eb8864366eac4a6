//===- MovementToLinalg.cpp - Movement ops to linalg ----------------------===//
//
// Conversion of broadcasts, permutations, slices, concatenations, pads and
// iota. Reshapes and gathers have files of their own.
//
//===----------------------------------------------------------------------===//

#include "IndexUtils.h"

#include "DLC/Conversion/DLCToLinalg/DLCToLinalg.h"
#include "DLC/Dialect/IR/DLCMovementOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::dlc;

//===----------------------------------------------------------------------===//
// broadcast
//===----------------------------------------------------------------------===//

/// True if `size` is known to be the size of dimension `dim` of `x`.
static bool isSizeOf(OpFoldResult size, Value x, int64_t dim) {
  if (std::optional<int64_t> constant = getConstantIntValue(size))
    return *constant == cast<RankedTensorType>(x.getType()).getDimSize(dim);
  auto op = cast<Value>(size).getDefiningOp<tensor::DimOp>();
  return op && op.getSource() == x && op.getConstantIndex() == dim;
}

namespace {
/// A broadcast whose repeated dimensions are known is a map; where only the run
/// time tells, the index is multiplied by 0 or 1, outside of the inner loop.
struct ConvertBroadcast final : OpRewritePattern<BroadcastOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(BroadcastOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value x = op.getX();
    RankedTensorType type = op.getX().getType();
    SmallVector<OpFoldResult> sizes = op.getMixedSizes();
    SmallVector<OpFoldResult> xSizes = getSizes(rewriter, loc, x);
    int64_t rank = sizes.size(), added = rank - type.getRank();
    IndexBuilder index(rewriter, loc);

    emitNotNegative(rewriter, op, sizes);
    SmallVector<AffineExpr> exprs;
    SmallVector<Value> factors(type.getRank());
    bool isMap = true;
    for (int64_t i = 0; i < type.getRank(); ++i) {
      OpFoldResult size = sizes[i + added];
      bool isRepeated = type.getDimSize(i) == 1;
      exprs.push_back(isRepeated ? rewriter.getAffineConstantExpr(0)
                                 : rewriter.getAffineDimExpr(i + added));
      if (isRepeated || isSizeOf(size, x, i))
        continue;
      if (!type.isDynamicDim(i) || getConstantIntValue(size) == 1) {
        emitSizesEqual(rewriter, op, xSizes[i], size,
                       "dimension " + Twine(i) +
                           " of x to be 1 or its new size");
        continue;
      }
      isMap = false;
      Value one = index.materialize(index.constant(1));
      Value isOne =
          arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq,
                                index.materialize(xSizes[i]), one);
      Value wanted = index.materialize(size);
      Value checked = arith::SelectOp::create(rewriter, loc, isOne, wanted,
                                              index.materialize(xSizes[i]));
      emitSizesEqual(rewriter, op, checked, wanted,
                     "dimension " + Twine(i) + " of x to be 1 or its new size");
      factors[i] = arith::SelectOp::create(
          rewriter, loc, isOne, index.materialize(index.constant(0)), one);
    }
    AffineMap map = AffineMap::get(rank, 0, exprs, getContext());
    Value result;
    if (isMap)
      result = createGenerator(
          rewriter, loc, sizes, type.getElementType(), x, map,
          [](OpBuilder &, Location, ValueRange args) { return args[0]; });
    else
      result = createGenerator(
          rewriter, loc, sizes, type.getElementType(), {}, {},
          [&](OpBuilder &b, Location l, ValueRange) -> Value {
            SmallVector<Value> at;
            for (int64_t i = 0; i < type.getRank(); ++i) {
              if (type.getDimSize(i) == 1) {
                at.push_back(arith::ConstantIndexOp::create(b, l, 0));
                continue;
              }
              Value iv = linalg::IndexOp::create(b, l, i + added);
              at.push_back(factors[i]
                               ? arith::MulIOp::create(b, l, iv, factors[i])
                               : iv);
            }
            return tensor::ExtractOp::create(b, l, x, at);
          });
    replaceWithCasts(rewriter, op, result);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// transpose, reverse
//===----------------------------------------------------------------------===//

struct ConvertTranspose final : OpRewritePattern<TransposeOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType type = op.getX().getType();
    SmallVector<OpFoldResult> xSizes = getSizes(rewriter, loc, op.getX());
    SmallVector<OpFoldResult> sizes;
    SmallVector<unsigned> inverse(type.getRank());
    for (auto [i, dim] : llvm::enumerate(op.getPermutation())) {
      sizes.push_back(xSizes[dim]);
      inverse[dim] = i;
    }
    AffineMap map = AffineMap::getPermutationMap(inverse, getContext());
    if (inverse.empty())
      map = rewriter.getMultiDimIdentityMap(0);
    Value result = createGenerator(
        rewriter, loc, sizes, type.getElementType(), op.getX(), map,
        [](OpBuilder &, Location, ValueRange args) { return args[0]; });
    replaceWithCasts(rewriter, op, result);
    return success();
  }
};

struct ConvertReverse final : OpRewritePattern<ReverseOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(ReverseOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType type = op.getX().getType();
    SmallVector<OpFoldResult> sizes = getSizes(rewriter, loc, op.getX());
    IndexBuilder index(rewriter, loc);
    SmallVector<Value> last(type.getRank());
    for (int64_t axis : op.getAxes())
      last[axis] = index.materialize(index.sub(sizes[axis], index.constant(1)));
    Value result =
        createGenerator(rewriter, loc, sizes, type.getElementType(), {}, {},
                        [&](OpBuilder &b, Location l, ValueRange) -> Value {
                          SmallVector<Value> at =
                              getLoopIndices(b, l, type.getRank());
                          for (auto [iv, end] : llvm::zip_equal(at, last))
                            if (end)
                              iv = arith::SubIOp::create(b, l, end, iv);
                          return tensor::ExtractOp::create(b, l, op.getX(), at);
                        });
    replaceWithCasts(rewriter, op, result);
    return success();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// slice, update_slice
//===----------------------------------------------------------------------===//

/// Checks that `size` indices from `offset` in steps of `stride` lie in a
/// dimension of `extent` elements, unless there are none.
static void emitSliceChecks(OpBuilder &builder, Operation *op, int64_t dim,
                            OpFoldResult extent, OpFoldResult offset,
                            OpFoldResult size, OpFoldResult stride) {
  IndexBuilder index(builder, op->getLoc());
  std::string what =
      ("dimension " + Twine(dim) + " of the slice to lie in x").str();
  emitInBounds(builder, op, size, extent, what);
  if (getConstantIntValue(stride) == 1) {
    // 0 <= offset <= extent - size; holds for 0 once size is in bounds.
    if (getConstantIntValue(offset) == 0)
      return;
    emitInBounds(builder, op, index.selectZero(size, index.constant(0), offset),
                 index.sub(extent, size), what);
    return;
  }
  OpFoldResult last =
      index.add(offset, index.mul(index.sub(size, index.constant(1)), stride));
  OpFoldResult limit = index.selectZero(size, index.constant(0),
                                        index.sub(extent, index.constant(1)));
  for (OpFoldResult position : {offset, last})
    emitInBounds(builder, op,
                 index.selectZero(size, index.constant(0), position), limit,
                 what);
}

/// True if one of `sizes` is known to be 0. The verifiers of the slice ops of
/// the tensor dialect refuse that: no offset is inside.
static bool isEmpty(ArrayRef<OpFoldResult> sizes) {
  return llvm::any_of(
      sizes, [](OpFoldResult size) { return getConstantIntValue(size) == 0; });
}

namespace {
struct ConvertSlice final : OpRewritePattern<SliceOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(SliceOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType type = op.getX().getType();
    SmallVector<OpFoldResult> extents = getSizes(rewriter, loc, op.getX());
    SmallVector<OpFoldResult> offsets = op.getMixedOffsets();
    SmallVector<OpFoldResult> sizes = op.getMixedSizes();
    SmallVector<OpFoldResult> strides = op.getMixedStrides();
    bool isView = true;
    for (int64_t i = 0; i < type.getRank(); ++i) {
      emitSliceChecks(rewriter, op, i, extents[i], offsets[i], sizes[i],
                      strides[i]);
      isView &= getConstantIntValue(strides[i]).value_or(-1) > 0;
    }
    Value result;
    if (isEmpty(sizes)) {
      result =
          tensor::EmptyOp::create(rewriter, loc, sizes, type.getElementType());
    } else if (isView) {
      result = tensor::ExtractSliceOp::create(rewriter, loc, op.getX(), offsets,
                                              sizes, strides);
    } else {
      IndexBuilder outside(rewriter, loc);
      for (int64_t i = 0; i < type.getRank(); ++i) {
        offsets[i] = outside.materialize(offsets[i]);
        strides[i] = outside.materialize(strides[i]);
      }
      result = createGenerator(
          rewriter, loc, sizes, type.getElementType(), {}, {},
          [&](OpBuilder &b, Location l, ValueRange) -> Value {
            SmallVector<Value> at = getLoopIndices(b, l, type.getRank());
            for (int64_t i = 0; i < type.getRank(); ++i) {
              IndexBuilder index(b, l);
              at[i] = index.materialize(
                  index.add(offsets[i], index.mul(at[i], strides[i])));
            }
            return tensor::ExtractOp::create(b, l, op.getX(), at);
          });
    }
    replaceWithCasts(rewriter, op, result);
    return success();
  }
};

struct ConvertUpdateSlice final : OpRewritePattern<UpdateSliceOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(UpdateSliceOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    SmallVector<OpFoldResult> extents = getSizes(rewriter, loc, op.getX());
    SmallVector<OpFoldResult> sizes = getSizes(rewriter, loc, op.getUpdate());
    SmallVector<OpFoldResult> offsets = op.getMixedOffsets();
    SmallVector<OpFoldResult> strides =
        getAsIndexOpFoldResult(getContext(), op.getStaticStrides());
    for (size_t i = 0; i < extents.size(); ++i)
      emitSliceChecks(rewriter, op, i, extents[i], offsets[i], sizes[i],
                      strides[i]);
    if (isEmpty(sizes)) {
      replaceWithCasts(rewriter, op, op.getX());
      return success();
    }
    Value result = tensor::InsertSliceOp::create(
        rewriter, loc, op.getUpdate(), op.getX(), offsets, sizes, strides);
    replaceWithCasts(rewriter, op, result);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// concat
//===----------------------------------------------------------------------===//

/// A chain of insertions into one new tensor, which bufferize in place.
struct ConvertConcat final : OpRewritePattern<ConcatOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(ConcatOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    int64_t axis = op.getAxis();
    IndexBuilder index(rewriter, loc);
    ReifiedRankedShapedTypeDims shapes;
    if (failed(op.reifyResultShapes(rewriter, shapes)))
      return rewriter.notifyMatchFailure(op, "result shape cannot be reified");
    ArrayRef<OpFoldResult> sizes = shapes[0];
    Value result = tensor::EmptyOp::create(rewriter, loc, sizes,
                                           op.getType().getElementType());
    SmallVector<OpFoldResult> offsets(sizes.size(), index.constant(0));
    SmallVector<OpFoldResult> strides(sizes.size(), index.constant(1));
    for (Value input : op.getInputs()) {
      SmallVector<OpFoldResult> inputSizes = getSizes(rewriter, loc, input);
      for (size_t i = 0; i < sizes.size(); ++i) {
        if (static_cast<int64_t>(i) == axis)
          continue;
        emitSizesEqual(rewriter, op, inputSizes[i], sizes[i],
                       "dimension " + Twine(i) +
                           " of the operands to be equal");
      }
      if (!isEmpty(inputSizes))
        result = tensor::InsertSliceOp::create(rewriter, loc, input, result,
                                               offsets, inputSizes, strides);
      offsets[axis] = index.add(offsets[axis], inputSizes[axis]);
    }
    replaceWithCasts(rewriter, op, result);
    return success();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// pad
//===----------------------------------------------------------------------===//

/// The position in a dimension of `size` elements that `mode` reads for
/// `position`, which may lie outside.
static Value getPaddedIndex(OpBuilder &builder, Location loc, PadMode mode,
                            Value position, OpFoldResult size) {
  IndexBuilder index(builder, loc);
  OpFoldResult last = index.sub(size, index.constant(1));
  if (mode == PadMode::edge)
    return index.materialize(
        index.max(index.min(position, last), index.constant(0)));
  if (mode == PadMode::wrap)
    return index.floorMod(position, index.materialize(size));
  // A triangle wave of period 2 * (size - 1); all 0 over a single element.
  OpFoldResult period = index.mul(last, index.constant(2));
  Value inPeriod = index.floorMod(
      position, index.materialize(index.max(period, index.constant(1))));
  Value mirrored = index.materialize(index.sub(period, inPeriod));
  Value result = index.materialize(index.min(inPeriod, mirrored));
  return index.materialize(index.max(result, index.constant(0)));
}

namespace {
struct ConvertPad final : OpRewritePattern<PadOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(PadOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    IndexBuilder index(rewriter, loc);
    ReifiedRankedShapedTypeDims shapes;
    if (failed(op.reifyResultShapes(rewriter, shapes)))
      return rewriter.notifyMatchFailure(op, "result shape cannot be reified");
    ArrayRef<OpFoldResult> sizes = shapes[0];
    emitNotNegative(rewriter, op, sizes);
    Value result = op.getMode() == PadMode::constant
                       ? padWithConstant(rewriter, op, sizes)
                       : padFromSource(rewriter, op, sizes);
    replaceWithCasts(rewriter, op, result);
    return success();
  }

private:
  /// The part of x that is kept, inserted into a filled tensor.
  static Value padWithConstant(PatternRewriter &rewriter, PadOp op,
                               ArrayRef<OpFoldResult> sizes) {
    Location loc = op.getLoc();
    IndexBuilder index(rewriter, loc);
    Type elementType = op.getType().getElementType();
    Value scalar;
    if (op.getValue())
      scalar =
          tensor::ExtractOp::create(rewriter, loc, op.getValue(), ValueRange());
    else
      scalar = arith::ConstantOp::create(
          rewriter, loc, cast<TypedAttr>(rewriter.getZeroAttr(elementType)));
    Value empty = tensor::EmptyOp::create(rewriter, loc, sizes, elementType);
    Value filled =
        linalg::FillOp::create(rewriter, loc, scalar, empty).getResult(0);

    SmallVector<OpFoldResult> extents = getSizes(rewriter, loc, op.getX());
    SmallVector<OpFoldResult> low = op.getMixedLow(), high = op.getMixedHigh();
    SmallVector<OpFoldResult> from, to, kept;
    SmallVector<OpFoldResult> strides(sizes.size(), index.constant(1));
    bool isCropped = false;
    OpFoldResult zero = index.constant(0);
    for (size_t i = 0; i < sizes.size(); ++i) {
      // What a negative entry removes, at most all.
      OpFoldResult cutLow =
          index.min(index.max(index.sub(zero, low[i]), zero), extents[i]);
      OpFoldResult cutHigh = index.max(index.sub(zero, high[i]), zero);
      if (getConstantIntValue(low[i]).value_or(-1) >= 0)
        cutLow = zero;
      if (getConstantIntValue(high[i]).value_or(-1) >= 0)
        cutHigh = zero;
      bool isWhole =
          getConstantIntValue(cutLow) == 0 && getConstantIntValue(cutHigh) == 0;
      isCropped |= !isWhole;
      from.push_back(cutLow);
      // A large positive entry beside a large negative one leaves x outside.
      OpFoldResult start = index.max(low[i], zero);
      OpFoldResult rest = index.sub(index.sub(extents[i], cutLow), cutHigh);
      kept.push_back(isWhole ? extents[i] : index.max(rest, zero));
      to.push_back(isWhole ? start : index.min(start, sizes[i]));
    }
    Value x = op.getX();
    if (isEmpty(kept))
      return filled;
    if (isCropped)
      x = tensor::ExtractSliceOp::create(rewriter, loc, x, from, kept, strides);
    return tensor::InsertSliceOp::create(rewriter, loc, x, filled, to, kept,
                                         strides);
  }

  /// Every element read from x at a computed position.
  static Value padFromSource(PatternRewriter &rewriter, PadOp op,
                             ArrayRef<OpFoldResult> sizes) {
    Location loc = op.getLoc();
    IndexBuilder index(rewriter, loc);
    SmallVector<OpFoldResult> extents = getSizes(rewriter, loc, op.getX());
    SmallVector<OpFoldResult> low = op.getMixedLow(), high = op.getMixedHigh();
    SmallVector<Value> shifts(sizes.size());
    for (size_t i = 0; i < sizes.size(); ++i) {
      if (getConstantIntValue(low[i]) == 0 && getConstantIntValue(high[i]) == 0)
        continue;
      emitNotEmpty(rewriter, op, extents[i], sizes[i],
                   "dimension " + Twine(i) + " of x to have an element");
      shifts[i] = index.materialize(low[i]);
    }
    return createGenerator(
        rewriter, loc, sizes, op.getType().getElementType(), {}, {},
        [&](OpBuilder &b, Location l, ValueRange) -> Value {
          SmallVector<Value> at = getLoopIndices(b, l, sizes.size());
          for (auto [i, shift] : llvm::enumerate(shifts)) {
            if (!shift)
              continue;
            Value position = arith::SubIOp::create(b, l, at[i], shift);
            at[i] = getPaddedIndex(b, l, op.getMode(), position, extents[i]);
          }
          return tensor::ExtractOp::create(b, l, op.getX(), at);
        });
  }
};

//===----------------------------------------------------------------------===//
// iota
//===----------------------------------------------------------------------===//

struct ConvertIota final : OpRewritePattern<IotaOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(IotaOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type type = op.getType().getElementType();
    SmallVector<OpFoldResult> sizes = op.getMixedSizes();
    emitNotNegative(rewriter, op, sizes);
    Value result = createGenerator(
        rewriter, loc, sizes, type, {}, {},
        [&](OpBuilder &b, Location l, ValueRange) -> Value {
          Value iv = linalg::IndexOp::create(b, l, op.getAxis());
          if (isa<IndexType>(type))
            return iv;
          if (isa<IntegerType>(type))
            return arith::IndexCastOp::create(b, l, type, iv);
          Value wide = arith::IndexCastOp::create(b, l, b.getI64Type(), iv);
          Value number =
              arith::SIToFPOp::create(b, l, getComputeType(type), wide);
          return convertFloat(b, l, number, type);
        });
    replaceWithCasts(rewriter, op, result);
    return success();
  }
};
} // namespace

void mlir::dlc::populateMovementToLinalgPatterns(RewritePatternSet &patterns) {
  populateReshapeToLinalgPatterns(patterns);
  populateGatherScatterToLinalgPatterns(patterns);
  patterns
      .add<ConvertBroadcast, ConvertConcat, ConvertIota, ConvertPad,
           ConvertReverse, ConvertSlice, ConvertTranspose, ConvertUpdateSlice>(
          patterns.getContext());
}
