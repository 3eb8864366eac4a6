//===- GatherScatterToLinalg.cpp - Gathers and scatters to linalg ---------===//
//
// A gather is a scan of the indices that reports bad ones, then a generic that
// reads at clamped indices. A scatter is a loop in the order of the updates.
//
//===----------------------------------------------------------------------===//

#include "IndexUtils.h"

#include "DLC/Conversion/DLCToLinalg/DLCToLinalg.h"
#include "DLC/Dialect/IR/DLCMovementOps.h"
#include "DLC/Dialect/IR/DLCStructureOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::dlc;

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

/// An element of an index tensor as it is, and counted from the front.
namespace {
struct LoadedIndex {
  Value raw;
  Value normalized;
};
} // namespace

/// Adds `extent` to a negative index.
static LoadedIndex normalize(OpBuilder &builder, Location loc, Value element,
                             OpFoldResult extent) {
  IndexBuilder index(builder, loc);
  Value raw =
      arith::IndexCastOp::create(builder, loc, builder.getIndexType(), element);
  Value isNegative =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, raw,
                            index.materialize(index.constant(0)));
  Value wrapped = index.materialize(index.add(raw, extent));
  return {raw, arith::SelectOp::create(builder, loc, isNegative, wrapped, raw)};
}

/// The nearest valid index to `element`.
static Value clampIndex(OpBuilder &builder, Location loc, Value element,
                        OpFoldResult extent) {
  IndexBuilder index(builder, loc);
  Value normalized = normalize(builder, loc, element, extent).normalized;
  OpFoldResult last = index.sub(extent, index.constant(1));
  return index.materialize(
      index.max(index.min(normalized, last), index.constant(0)));
}

/// Reports an index that is out of bounds, in the form that the user gave it.
static void report(OpBuilder &builder, Operation *op, LoadedIndex loaded,
                   OpFoldResult extent) {
  Location loc = op->getLoc();
  IndexBuilder index(builder, loc);
  Value zero = index.materialize(index.constant(0));
  Value isBelow = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                        loaded.normalized, zero);
  Value shown = arith::SelectOp::create(builder, loc, isBelow, loaded.raw,
                                        loaded.normalized);
  CheckIndexOp::create(builder, loc, shown, index.materialize(extent),
                       ("'" + op->getName().getStringRef() +
                        "' op expected indices to be within the axis")
                           .str());
}

/// True if all elements of `indices` are constants within [-extent, extent).
/// With `extents` of several entries, the last dimension goes over them.
static bool areKnownInBounds(Value indices, ArrayRef<OpFoldResult> extents) {
  DenseIntElementsAttr elements;
  if (!matchPattern(indices, m_Constant(&elements)))
    return false;
  SmallVector<int64_t> limits;
  for (OpFoldResult extent : extents) {
    std::optional<int64_t> constant = getConstantIntValue(extent);
    if (!constant)
      return false;
    limits.push_back(*constant);
  }
  if (limits.empty())
    return true;
  size_t i = 0;
  for (const APInt &element : elements.getValues<APInt>()) {
    int64_t limit = limits[i++ % limits.size()];
    if (element.getSExtValue() < -limit || element.getSExtValue() >= limit)
      return false;
  }
  return true;
}

/// Scans `indices` and reports bad ones; `extents` as in areKnownInBounds.
static void emitIndexScan(OpBuilder &builder, Operation *op, Value indices,
                          ArrayRef<OpFoldResult> extents, bool isVector) {
  if (areKnownInBounds(indices, extents))
    return;
  Location loc = op->getLoc();
  SmallVector<OpFoldResult> sizes = getSizes(builder, loc, indices);
  if (isVector)
    sizes.pop_back();
  createLoops(builder, loc, sizes, {},
              [&](OpBuilder &b, Location l, ValueRange ivs,
                  ValueRange) -> SmallVector<Value> {
                for (auto [i, extent] : llvm::enumerate(extents)) {
                  SmallVector<Value> at(ivs);
                  if (isVector)
                    at.push_back(arith::ConstantIndexOp::create(b, l, i));
                  Value element = tensor::ExtractOp::create(b, l, indices, at);
                  report(b, op, normalize(b, l, element, extent), extent);
                }
                return {};
              });
}

//===----------------------------------------------------------------------===//
// Gathers
//===----------------------------------------------------------------------===//

namespace {
struct ConvertGather final : OpRewritePattern<GatherOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(GatherOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    int64_t axis = op.getAxis(), batch = op.getBatchDims();
    SmallVector<OpFoldResult> extents = getSizes(rewriter, loc, op.getX());
    SmallVector<OpFoldResult> counts = getSizes(rewriter, loc, op.getIndices());
    for (int64_t i = 0; i < batch; ++i)
      emitSizesEqual(rewriter, op, extents[i], counts[i],
                     "batch dimension " + Twine(i) + " to be equal");
    SmallVector<OpFoldResult> sizes(ArrayRef(extents).take_front(axis));
    llvm::append_range(sizes, ArrayRef(counts).drop_front(batch));
    llvm::append_range(sizes, ArrayRef(extents).drop_front(axis + 1));
    emitNotEmpty(rewriter, op, extents[axis], sizes,
                 "an axis with at least one element");
    emitIndexScan(rewriter, op, op.getIndices(), extents[axis],
                  /*isVector=*/false);

    // Loops: the dimensions of x before the axis, those of the indices after
    // the batch, those of x after the axis.
    int64_t numIndexDims = counts.size() - batch;
    int64_t rank = sizes.size();
    SmallVector<AffineExpr> exprs;
    for (int64_t i = 0; i < batch; ++i)
      exprs.push_back(rewriter.getAffineDimExpr(i));
    for (int64_t i = 0; i < numIndexDims; ++i)
      exprs.push_back(rewriter.getAffineDimExpr(axis + i));
    AffineMap map = AffineMap::get(rank, 0, exprs, getContext());
    Value result = createGenerator(
        rewriter, loc, sizes, op.getType().getElementType(), op.getIndices(),
        map, [&](OpBuilder &b, Location l, ValueRange args) -> Value {
          SmallVector<Value> at;
          for (int64_t i = 0; i < axis; ++i)
            at.push_back(linalg::IndexOp::create(b, l, i));
          at.push_back(clampIndex(b, l, args[0], extents[axis]));
          for (int64_t i = axis + numIndexDims; i < rank; ++i)
            at.push_back(linalg::IndexOp::create(b, l, i));
          return tensor::ExtractOp::create(b, l, op.getX(), at);
        });
    replaceWithCasts(rewriter, op, result);
    return success();
  }
};

struct ConvertGatherNd final : OpRewritePattern<GatherNdOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(GatherNdOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    int64_t batch = op.getBatchDims();
    SmallVector<OpFoldResult> extents = getSizes(rewriter, loc, op.getX());
    SmallVector<OpFoldResult> counts = getSizes(rewriter, loc, op.getIndices());
    for (int64_t i = 0; i < batch; ++i)
      emitSizesEqual(rewriter, op, extents[i], counts[i],
                     "batch dimension " + Twine(i) + " to be equal");
    int64_t depth = op.getIndices().getType().getShape().back();
    ArrayRef<OpFoldResult> indexed = ArrayRef(extents).slice(batch, depth);
    SmallVector<OpFoldResult> sizes(ArrayRef(counts).drop_back());
    llvm::append_range(sizes, ArrayRef(extents).drop_front(batch + depth));
    for (OpFoldResult extent : indexed)
      emitNotEmpty(rewriter, op, extent, sizes,
                   "indexed dimensions with at least one element");
    emitIndexScan(rewriter, op, op.getIndices(), indexed, /*isVector=*/true);

    int64_t numIndexDims = counts.size() - 1, rank = sizes.size();
    Value result = createGenerator(
        rewriter, loc, sizes, op.getType().getElementType(), {}, {},
        [&](OpBuilder &b, Location l, ValueRange) -> Value {
          SmallVector<Value> ivs = getLoopIndices(b, l, rank);
          SmallVector<Value> at(ArrayRef(ivs).take_front(batch));
          for (int64_t i = 0; i < depth; ++i) {
            SmallVector<Value> position(ArrayRef(ivs).take_front(numIndexDims));
            position.push_back(arith::ConstantIndexOp::create(b, l, i));
            Value element =
                tensor::ExtractOp::create(b, l, op.getIndices(), position);
            at.push_back(clampIndex(b, l, element, indexed[i]));
          }
          llvm::append_range(at, ArrayRef(ivs).drop_front(numIndexDims));
          return tensor::ExtractOp::create(b, l, op.getX(), at);
        });
    replaceWithCasts(rewriter, op, result);
    return success();
  }
};
} // namespace

/// Checks that the sizes of the indices other than along `axis` fit into x.
static void emitElementIndexChecks(OpBuilder &builder, Operation *op,
                                   ArrayRef<OpFoldResult> extents,
                                   ArrayRef<OpFoldResult> counts,
                                   int64_t axis) {
  for (int64_t i = 0, e = extents.size(); i < e; ++i)
    if (i != axis)
      emitInBounds(builder, op, counts[i], extents[i],
                   "dimension " + Twine(i) + " of indices to fit into x");
}

namespace {
struct ConvertGatherElements final : OpRewritePattern<GatherElementsOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(GatherElementsOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    int64_t axis = op.getAxis();
    SmallVector<OpFoldResult> extents = getSizes(rewriter, loc, op.getX());
    SmallVector<OpFoldResult> sizes = getSizes(rewriter, loc, op.getIndices());
    emitElementIndexChecks(rewriter, op, extents, sizes, axis);
    emitNotEmpty(rewriter, op, extents[axis], sizes,
                 "an axis with at least one element");
    emitIndexScan(rewriter, op, op.getIndices(), extents[axis],
                  /*isVector=*/false);
    int64_t rank = sizes.size();
    Value result = createGenerator(
        rewriter, loc, sizes, op.getType().getElementType(), op.getIndices(),
        rewriter.getMultiDimIdentityMap(rank),
        [&](OpBuilder &b, Location l, ValueRange args) -> Value {
          SmallVector<Value> at = getLoopIndices(b, l, rank);
          at[axis] = clampIndex(b, l, args[0], extents[axis]);
          return tensor::ExtractOp::create(b, l, op.getX(), at);
        });
    replaceWithCasts(rewriter, op, result);
    return success();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Scatters
//===----------------------------------------------------------------------===//

/// `current` joined with `update`; narrow floats in f32, rounded.
static Value applyUpdate(OpBuilder &builder, Location loc,
                         ScatterReduction reduction, Value current,
                         Value update, bool isUnsigned) {
  CombineKind kind = CombineKind::Sum;
  switch (reduction) {
  case ScatterReduction::none:
    return update;
  case ScatterReduction::add:
    kind = CombineKind::Sum;
    break;
  case ScatterReduction::mul:
    kind = CombineKind::Prod;
    break;
  case ScatterReduction::min:
    kind = CombineKind::Min;
    break;
  case ScatterReduction::max:
    kind = CombineKind::Max;
    break;
  }
  Type type = current.getType(), computeType = getComputeType(type);
  Value joined = combine(
      builder, loc, kind, convertFloat(builder, loc, current, computeType),
      convertFloat(builder, loc, update, computeType), isUnsigned);
  return convertFloat(builder, loc, joined, type);
}

/// i1: the index is within [0, extent).
static Value isInBounds(OpBuilder &builder, Location loc, Value position,
                        OpFoldResult extent) {
  IndexBuilder index(builder, loc);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                               position, index.materialize(extent));
}

/// `write(tensor)` if `condition`, else `tensor`.
static Value writeIf(OpBuilder &builder, Location loc, Value condition,
                     Value tensor,
                     function_ref<Value(OpBuilder &, Location, Value)> write) {
  auto ifOp = scf::IfOp::create(
      builder, loc, condition,
      [&](OpBuilder &b, Location l) {
        scf::YieldOp::create(b, l, write(b, l, tensor));
      },
      [&](OpBuilder &b, Location l) { scf::YieldOp::create(b, l, tensor); });
  return ifOp.getResult(0);
}

namespace {
struct ConvertScatterElements final : OpRewritePattern<ScatterElementsOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(ScatterElementsOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    int64_t axis = op.getAxis();
    SmallVector<OpFoldResult> extents = getSizes(rewriter, loc, op.getX());
    SmallVector<OpFoldResult> counts = getSizes(rewriter, loc, op.getIndices());
    SmallVector<OpFoldResult> sizes = getSizes(rewriter, loc, op.getUpdates());
    emitElementIndexChecks(rewriter, op, extents, counts, axis);
    for (size_t i = 0; i < sizes.size(); ++i)
      emitSizesEqual(rewriter, op, counts[i], sizes[i],
                     "dimension " + Twine(i) +
                         " of indices and updates to be equal");
    SmallVector<Value> result = createLoops(
        rewriter, loc, sizes, op.getX(),
        [&](OpBuilder &b, Location l, ValueRange ivs,
            ValueRange carried) -> SmallVector<Value> {
          Value element = tensor::ExtractOp::create(b, l, op.getIndices(), ivs);
          LoadedIndex loaded = normalize(b, l, element, extents[axis]);
          report(b, op, loaded, extents[axis]);
          Value valid = isInBounds(b, l, loaded.normalized, extents[axis]);
          return {writeIf(
              b, l, valid, carried[0],
              [&](OpBuilder &body, Location bl, Value tensor) -> Value {
                SmallVector<Value> at(ivs);
                at[axis] = loaded.normalized;
                Value update =
                    tensor::ExtractOp::create(body, bl, op.getUpdates(), ivs);
                Value current = tensor::ExtractOp::create(body, bl, tensor, at);
                Value joined = applyUpdate(body, bl, op.getReduction(), current,
                                           update, op.getIsUnsigned());
                return tensor::InsertOp::create(body, bl, joined, tensor, at);
              })};
        });
    replaceWithCasts(rewriter, op, result);
    return success();
  }
};

struct ConvertScatterNd final : OpRewritePattern<ScatterNdOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(ScatterNdOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    SmallVector<OpFoldResult> extents = getSizes(rewriter, loc, op.getX());
    SmallVector<OpFoldResult> counts = getSizes(rewriter, loc, op.getIndices());
    SmallVector<OpFoldResult> sizes = getSizes(rewriter, loc, op.getUpdates());
    int64_t depth = op.getIndices().getType().getShape().back();
    SmallVector<OpFoldResult> wanted(ArrayRef(counts).drop_back());
    llvm::append_range(wanted, ArrayRef(extents).drop_front(depth));
    for (size_t i = 0; i < sizes.size(); ++i)
      emitSizesEqual(rewriter, op, sizes[i], wanted[i],
                     "dimension " + Twine(i) + " of updates to fit");
    ArrayRef<OpFoldResult> outer =
        ArrayRef(sizes).take_front(counts.size() - 1);
    ArrayRef<OpFoldResult> inner =
        ArrayRef(sizes).drop_front(counts.size() - 1);

    SmallVector<Value> result = createLoops(
        rewriter, loc, outer, op.getX(),
        [&](OpBuilder &b, Location l, ValueRange ivs,
            ValueRange carried) -> SmallVector<Value> {
          Value valid = arith::ConstantIntOp::create(b, l, 1, 1);
          SmallVector<Value> coordinates;
          for (int64_t i = 0; i < depth; ++i) {
            SmallVector<Value> position(ivs);
            position.push_back(arith::ConstantIndexOp::create(b, l, i));
            Value element =
                tensor::ExtractOp::create(b, l, op.getIndices(), position);
            LoadedIndex loaded = normalize(b, l, element, extents[i]);
            report(b, op, loaded, extents[i]);
            valid = arith::AndIOp::create(
                b, l, valid, isInBounds(b, l, loaded.normalized, extents[i]));
            coordinates.push_back(loaded.normalized);
          }
          return {writeIf(b, l, valid, carried[0],
                          [&](OpBuilder &body, Location bl, Value tensor) {
                            return writeSlice(body, bl, op, tensor, coordinates,
                                              ivs, inner);
                          })};
        });
    replaceWithCasts(rewriter, op, result);
    return success();
  }

private:
  /// Writes updates[ivs..., :] to tensor[coordinates..., :].
  static Value writeSlice(OpBuilder &builder, Location loc, ScatterNdOp op,
                          Value tensor, ArrayRef<Value> coordinates,
                          ValueRange ivs, ArrayRef<OpFoldResult> sizes) {
    return createLoops(
        builder, loc, sizes, tensor,
        [&](OpBuilder &b, Location l, ValueRange inner,
            ValueRange carried) -> SmallVector<Value> {
          SmallVector<Value> from(ivs), to(coordinates);
          llvm::append_range(from, inner);
          llvm::append_range(to, inner);
          Value update = tensor::ExtractOp::create(b, l, op.getUpdates(), from);
          Value current = tensor::ExtractOp::create(b, l, carried[0], to);
          Value joined = applyUpdate(b, l, op.getReduction(), current, update,
                                     op.getIsUnsigned());
          return {tensor::InsertOp::create(b, l, joined, carried[0], to)};
        })[0];
  }
};

//===----------------------------------------------------------------------===//
// nonzero
//===----------------------------------------------------------------------===//

/// Two passes over x: one counts, one writes.
struct ConvertNonzero final : OpRewritePattern<NonzeroOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(NonzeroOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    IndexBuilder index(rewriter, loc);
    SmallVector<OpFoldResult> sizes = getSizes(rewriter, loc, op.getX());
    int64_t rank = sizes.size();
    Value zero = index.materialize(index.constant(0));
    Value one = index.materialize(index.constant(1));
    Value count =
        createLoops(rewriter, loc, sizes, zero,
                    [&](OpBuilder &b, Location l, ValueRange ivs,
                        ValueRange carried) -> SmallVector<Value> {
                      Value isSet = isNonzero(b, l, op.getX(), ivs);
                      Value step =
                          arith::SelectOp::create(b, l, isSet, one, zero);
                      return {arith::AddIOp::create(b, l, carried[0], step)};
                    })[0];
    Value empty = tensor::EmptyOp::create(
        rewriter, loc, ArrayRef<OpFoldResult>{index.constant(rank), count},
        rewriter.getI64Type());
    Value result = empty;
    if (rank > 0)
      result = createLoops(
          rewriter, loc, sizes, {empty, zero},
          [&](OpBuilder &b, Location l, ValueRange ivs, ValueRange carried) {
            return writePosition(b, l, op.getX(), ivs, carried, one);
          })[0];
    replaceWithCasts(rewriter, op, result);
    return success();
  }

private:
  static Value isNonzero(OpBuilder &builder, Location loc, Value x,
                         ValueRange ivs) {
    Value element = tensor::ExtractOp::create(builder, loc, x, ivs);
    Type type = element.getType();
    Value zero = arith::ConstantOp::create(
        builder, loc, cast<TypedAttr>(builder.getZeroAttr(type)));
    if (isa<FloatType>(type)) {
      Type computeType = getComputeType(type);
      return arith::CmpFOp::create(
          builder, loc, arith::CmpFPredicate::UNE,
          convertFloat(builder, loc, element, computeType),
          convertFloat(builder, loc, zero, computeType));
    }
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                 element, zero);
  }

  /// Writes `ivs` to column carried[1] of carried[0] if the element is set.
  static SmallVector<Value> writePosition(OpBuilder &builder, Location loc,
                                          Value x, ValueRange ivs,
                                          ValueRange carried, Value one) {
    Value isSet = isNonzero(builder, loc, x, ivs);
    Value tensor = writeIf(
        builder, loc, isSet, carried[0],
        [&](OpBuilder &b, Location l, Value result) {
          for (auto [i, iv] : llvm::enumerate(ivs)) {
            Value row = arith::ConstantIndexOp::create(b, l, i);
            Value value = arith::IndexCastOp::create(b, l, b.getI64Type(), iv);
            result = tensor::InsertOp::create(b, l, value, result,
                                              ValueRange{row, carried[1]});
          }
          return result;
        });
    Value next = arith::AddIOp::create(builder, loc, carried[1], one);
    Value column =
        arith::SelectOp::create(builder, loc, isSet, next, carried[1]);
    return {tensor, column};
  }
};
} // namespace

void mlir::dlc::populateGatherScatterToLinalgPatterns(
    RewritePatternSet &patterns) {
  patterns.add<ConvertGather, ConvertGatherElements, ConvertGatherNd,
               ConvertNonzero, ConvertScatterElements, ConvertScatterNd>(
      patterns.getContext());
}
