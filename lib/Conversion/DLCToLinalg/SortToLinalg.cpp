//===- SortToLinalg.cpp - Sorts and top-k to loops ------------------------===//
//
// A sort is a bottom-up merge sort of positions, line by line. Top-k keeps the
// best k entries while k is small, and sorts otherwise.
//
//===----------------------------------------------------------------------===//

#include "IndexUtils.h"

#include "DLC/Conversion/DLCToLinalg/DLCToLinalg.h"
#include "DLC/Dialect/IR/DLCReductionOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::dlc;

/// Up to this k an insertion per element is cheaper than a sort.
static constexpr int64_t kMaxInsertionK = 64;

/// The elements of a tensor along an axis at fixed other positions.
namespace {
struct Line {
  Value tensor;
  int64_t axis;
  SmallVector<Value> others;

  SmallVector<Value> getPosition(Value at) const {
    SmallVector<Value> position(others);
    position.insert(position.begin() + axis, at);
    return position;
  }
  /// The element, in the type that it is compared in.
  Value load(OpBuilder &builder, Location loc, Value at) const {
    Value element =
        tensor::ExtractOp::create(builder, loc, tensor, getPosition(at));
    return convertFloat(builder, loc, element,
                        getComputeType(element.getType()));
  }
};

/// The order of a sort.
struct Order {
  bool isDescending;
  bool isUnsigned;

  /// i1: `lhs` must come before `rhs`; false if they are equal.
  Value isBefore(OpBuilder &builder, Location loc, Value lhs, Value rhs) const {
    return isDescending ? isLess(builder, loc, rhs, lhs, isUnsigned)
                        : isLess(builder, loc, lhs, rhs, isUnsigned);
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// sort
//===----------------------------------------------------------------------===//

/// Merges the sorted runs [lo, mid) and [mid, hi) of `from` into `into`.
static Value mergeRuns(OpBuilder &builder, Location loc, const Line &line,
                       const Order &order, Value from, Value into,
                       OpFoldResult lo, OpFoldResult mid, OpFoldResult hi,
                       OpFoldResult size) {
  IndexBuilder outside(builder, loc);
  Value first = outside.materialize(lo), middle = outside.materialize(mid);
  Value end = outside.materialize(hi);
  Value last = outside.materialize(outside.sub(size, outside.constant(1)));
  Value one = outside.materialize(outside.constant(1));
  return createLoops(
      builder, loc, outside.sub(hi, lo), {into, first, middle},
      [&](OpBuilder &b, Location l, ValueRange ivs,
          ValueRange carried) -> SmallVector<Value> {
        Value left = carried[1], right = carried[2];
        // Past its end a run is read at a valid position, and not used.
        Value leftAt = tensor::ExtractOp::create(
            b, l, from,
            ValueRange{arith::MinSIOp::create(b, l, left, last).getResult()});
        Value rightAt = tensor::ExtractOp::create(
            b, l, from,
            ValueRange{arith::MinSIOp::create(b, l, right, last).getResult()});
        Value isBefore = order.isBefore(b, l, line.load(b, l, rightAt),
                                        line.load(b, l, leftAt));
        Value isLeftDone = arith::CmpIOp::create(
            b, l, arith::CmpIPredicate::sge, left, middle);
        Value isRightLeft =
            arith::CmpIOp::create(b, l, arith::CmpIPredicate::slt, right, end);
        Value takeRight = arith::AndIOp::create(
            b, l, isRightLeft,
            arith::OrIOp::create(b, l, isLeftDone, isBefore));
        Value taken = arith::SelectOp::create(b, l, takeRight, rightAt, leftAt);
        Value at = arith::AddIOp::create(b, l, first, ivs[0]);
        Value next =
            tensor::InsertOp::create(b, l, taken, carried[0], ValueRange{at});
        Value nextLeft = arith::AddIOp::create(b, l, left, one);
        Value nextRight = arith::AddIOp::create(b, l, right, one);
        return {next, arith::SelectOp::create(b, l, takeRight, left, nextLeft),
                arith::SelectOp::create(b, l, takeRight, nextRight, right)};
      })[0];
}

/// Merges neighbouring runs of `width` positions of `from` into `into`.
static Value mergePass(OpBuilder &builder, Location loc, const Line &line,
                       const Order &order, Value from, Value into, Value width,
                       OpFoldResult size) {
  IndexBuilder index(builder, loc);
  Value pair = index.materialize(index.add(width, width));
  Value blocks =
      arith::CeilDivSIOp::create(builder, loc, index.materialize(size), pair);
  return createLoops(builder, loc, OpFoldResult(blocks), into,
                     [&](OpBuilder &b, Location l, ValueRange ivs,
                         ValueRange carried) -> SmallVector<Value> {
                       IndexBuilder inside(b, l);
                       OpFoldResult lo = inside.mul(ivs[0], pair);
                       OpFoldResult mid =
                           inside.min(inside.add(lo, width), size);
                       OpFoldResult hi = inside.min(inside.add(lo, pair), size);
                       return {mergeRuns(b, l, line, order, from, carried[0],
                                         lo, mid, hi, size)};
                     })[0];
}

/// Sorts the positions of a line. `buffers` are two tensors of `size` indices;
/// returns them, the first one sorted.
static SmallVector<Value> sortPositions(OpBuilder &builder, Location loc,
                                        const Line &line, const Order &order,
                                        ValueRange buffers, OpFoldResult size) {
  Value positions = createLoops(
      builder, loc, size, buffers[0],
      [&](OpBuilder &b, Location l, ValueRange ivs,
          ValueRange carried) -> SmallVector<Value> {
        return {tensor::InsertOp::create(b, l, ivs[0], carried[0], ivs)};
      })[0];
  // ceil(log2(size)) passes.
  IndexBuilder index(builder, loc);
  Value rest = index.materialize(
      index.sub(index.max(size, index.constant(1)), index.constant(1)));
  Value zeros = math::CountLeadingZerosOp::create(
      builder, loc,
      arith::IndexCastOp::create(builder, loc, builder.getI64Type(), rest));
  Value passes = index.materialize(index.sub(
      index.constant(64),
      arith::IndexCastOp::create(builder, loc, builder.getIndexType(), zeros)
          .getResult()));
  Value one = index.materialize(index.constant(1));
  return createLoops(
      builder, loc, OpFoldResult(passes), {positions, buffers[1]},
      [&](OpBuilder &b, Location l, ValueRange ivs,
          ValueRange carried) -> SmallVector<Value> {
        Value width = arith::ShLIOp::create(b, l, one, ivs[0]);
        Value merged =
            mergePass(b, l, line, order, carried[0], carried[1], width, size);
        Value copied = createLoops(
            b, l, size, carried[0],
            [&](OpBuilder &body, Location bl, ValueRange at,
                ValueRange target) -> SmallVector<Value> {
              Value position = tensor::ExtractOp::create(body, bl, merged, at);
              return {
                  tensor::InsertOp::create(body, bl, position, target[0], at)};
            })[0];
        return {copied, merged};
      });
}

namespace {
struct ConvertSort final : OpRewritePattern<SortOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(SortOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    int64_t axis = op.getAxis();
    SmallVector<OpFoldResult> sizes = getSizes(rewriter, loc, op.getX());
    OpFoldResult size = sizes[axis];
    SmallVector<OpFoldResult> others(sizes);
    others.erase(others.begin() + axis);
    // Two tensor.empty of one type would become one by CSE, and then one
    // buffer: nothing is defined in them that bufferization must keep apart.
    Type type = op.getX().getType().getElementType();
    SmallVector<Value> inits = {
        createFilled(rewriter, loc, sizes,
                     cast<TypedAttr>(rewriter.getZeroAttr(type))),
        createFilled(rewriter, loc, sizes, rewriter.getI64IntegerAttr(1)),
        createFilled(rewriter, loc, size, rewriter.getIndexAttr(0)),
        createFilled(rewriter, loc, size, rewriter.getIndexAttr(1))};
    Order order{op.getDescending(), op.getIsUnsigned()};
    SmallVector<Value> results = createLoops(
        rewriter, loc, others, inits,
        [&](OpBuilder &b, Location l, ValueRange ivs, ValueRange carried) {
          Line line{op.getX(), axis, SmallVector<Value>(ivs)};
          SmallVector<Value> buffers =
              sortPositions(b, l, line, order, carried.drop_front(2), size);
          SmallVector<Value> next =
              writeLine(b, l, line, buffers[0], carried.take_front(2), size);
          llvm::append_range(next, buffers);
          return next;
        });
    replaceWithCasts(rewriter, op, ArrayRef(results).take_front(2));
    return success();
  }

private:
  /// Writes the elements at `positions`, and these, to the results.
  static SmallVector<Value> writeLine(OpBuilder &builder, Location loc,
                                      const Line &line, Value positions,
                                      ValueRange results, OpFoldResult size) {
    return createLoops(
        builder, loc, size, results,
        [&](OpBuilder &b, Location l, ValueRange ivs,
            ValueRange carried) -> SmallVector<Value> {
          Value from = tensor::ExtractOp::create(b, l, positions, ivs);
          Value element = tensor::ExtractOp::create(b, l, line.tensor,
                                                    line.getPosition(from));
          Value position =
              arith::IndexCastOp::create(b, l, b.getI64Type(), from);
          SmallVector<Value> to = line.getPosition(ivs[0]);
          return {tensor::InsertOp::create(b, l, element, carried[0], to),
                  tensor::InsertOp::create(b, l, position, carried[1], to)};
        });
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// topk
//===----------------------------------------------------------------------===//

/// Puts element `at` of a line at its place among the best `k` so far, which
/// `results` hold in order; the worst one drops out.
static SmallVector<Value> insertElement(OpBuilder &builder, Location loc,
                                        const Line &line, const Order &order,
                                        ValueRange results, Value at,
                                        Value element, Value filled,
                                        int64_t k) {
  IndexBuilder index(builder, loc);
  Value one = index.materialize(index.constant(1));
  Line best{results[0], line.axis, line.others};
  // The entries that stay before the element; equal ones have a lower index.
  Value place = createLoops(
      builder, loc, OpFoldResult(filled), index.materialize(index.constant(0)),
      [&](OpBuilder &b, Location l, ValueRange ivs,
          ValueRange carried) -> SmallVector<Value> {
        Value isBefore = order.isBefore(b, l, element, best.load(b, l, ivs[0]));
        Value next = arith::AddIOp::create(b, l, carried[0], one);
        return {arith::SelectOp::create(b, l, isBefore, carried[0], next)};
      })[0];
  OpFoldResult top = index.min(filled, index.constant(k - 1));
  SmallVector<Value> shifted = createLoops(
      builder, loc, index.sub(top, place), results,
      [&](OpBuilder &b, Location l, ValueRange ivs,
          ValueRange carried) -> SmallVector<Value> {
        IndexBuilder inside(b, l);
        Value to = inside.materialize(inside.sub(top, ivs[0]));
        Value from = arith::SubIOp::create(b, l, to, one);
        SmallVector<Value> next;
        for (Value tensor : carried) {
          Value moved =
              tensor::ExtractOp::create(b, l, tensor, line.getPosition(from));
          next.push_back(tensor::InsertOp::create(b, l, moved, tensor,
                                                  line.getPosition(to)));
        }
        return next;
      });
  Value value = tensor::ExtractOp::create(builder, loc, line.tensor,
                                          line.getPosition(at));
  Value position =
      arith::IndexCastOp::create(builder, loc, builder.getI64Type(), at);
  SmallVector<Value> to = line.getPosition(place);
  return {tensor::InsertOp::create(builder, loc, value, shifted[0], to),
          tensor::InsertOp::create(builder, loc, position, shifted[1], to)};
}

/// The best `k` > 0 of a line, by insertion.
static SmallVector<Value> selectBest(OpBuilder &builder, Location loc,
                                     const Line &line, const Order &order,
                                     ValueRange results, OpFoldResult size,
                                     int64_t k) {
  return createLoops(
      builder, loc, size, results,
      [&](OpBuilder &b, Location l, ValueRange ivs, ValueRange carried) {
        IndexBuilder index(b, l);
        Value limit = index.materialize(index.constant(k));
        Value element = line.load(b, l, ivs[0]);
        Line best{carried[0], line.axis, line.others};
        // The last entry, which is not set before k elements have been seen.
        Value isFilling = arith::CmpIOp::create(b, l, arith::CmpIPredicate::slt,
                                                ivs[0], limit);
        Value worst = best.load(b, l, index.materialize(index.constant(k - 1)));
        Value isBetter = order.isBefore(b, l, element, worst);
        Value enters = arith::OrIOp::create(b, l, isFilling, isBetter);
        auto ifOp = scf::IfOp::create(
            b, l, enters,
            [&](OpBuilder &body, Location bl) {
              Value filled = arith::MinSIOp::create(body, bl, ivs[0], limit);
              scf::YieldOp::create(body, bl,
                                   insertElement(body, bl, line, order, carried,
                                                 ivs[0], element, filled, k));
            },
            [&](OpBuilder &body, Location bl) {
              scf::YieldOp::create(body, bl, carried);
            });
        return SmallVector<Value>(ifOp.getResults());
      });
}

namespace {
struct ConvertTopk final : OpRewritePattern<TopkOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(TopkOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    int64_t axis = op.getAxis();
    SmallVector<OpFoldResult> sizes = getSizes(rewriter, loc, op.getX());
    OpFoldResult size = sizes[axis];
    OpFoldResult k = op.getMixedK();
    emitInBounds(rewriter, op, k, size, "k to be within the size of the axis");
    sizes[axis] = k;
    std::optional<int64_t> constant = getConstantIntValue(k);
    if (!constant || *constant > kMaxInsertionK) {
      auto sort = SortOp::create(rewriter, loc, op.getX(), axis,
                                 op.getLargest(), op.getIsUnsigned());
      SmallVector<OpFoldResult> offsets(sizes.size(), rewriter.getIndexAttr(0));
      SmallVector<OpFoldResult> strides(sizes.size(), rewriter.getIndexAttr(1));
      SmallVector<Value> results;
      for (Value sorted : sort.getResults())
        results.push_back(tensor::ExtractSliceOp::create(
            rewriter, loc, sorted, offsets, sizes, strides));
      replaceWithCasts(rewriter, op, results);
      return success();
    }

    // Filled, and not empty, for the reason given in ConvertSort.
    Type type = op.getX().getType().getElementType();
    SmallVector<Value> results = {
        createFilled(rewriter, loc, sizes,
                     cast<TypedAttr>(rewriter.getZeroAttr(type))),
        createFilled(rewriter, loc, sizes, rewriter.getI64IntegerAttr(1))};
    SmallVector<OpFoldResult> others(sizes);
    others.erase(others.begin() + axis);
    Order order{op.getLargest(), op.getIsUnsigned()};
    if (*constant > 0)
      results = createLoops(
          rewriter, loc, others, results,
          [&](OpBuilder &b, Location l, ValueRange ivs, ValueRange carried) {
            Line line{op.getX(), axis, SmallVector<Value>(ivs)};
            return selectBest(b, l, line, order, carried, size, *constant);
          });
    replaceWithCasts(rewriter, op, results);
    return success();
  }
};
} // namespace

void mlir::dlc::populateSortToLinalgPatterns(RewritePatternSet &patterns) {
  patterns.add<ConvertSort, ConvertTopk>(patterns.getContext());
}
