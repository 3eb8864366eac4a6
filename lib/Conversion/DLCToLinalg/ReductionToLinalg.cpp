//===- ReductionToLinalg.cpp - Reductions and scans to linalg -------------===//
//
// Conversion of reduce, arg_reduce and cumulative. Sorts have a file of their
// own.
//
//===----------------------------------------------------------------------===//

#include "IndexUtils.h"

#include "DLC/Conversion/DLCToLinalg/DLCToLinalg.h"
#include "DLC/Dialect/IR/DLCReductionOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::dlc;

/// Adds dimensions of size 1 at `axes` of the result.
static Value expandAtAxes(OpBuilder &builder, Location loc, Value value,
                          ArrayRef<int64_t> axes, int64_t rank) {
  if (axes.empty())
    return value;
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<OpFoldResult> kept = getSizes(builder, loc, value);
  SmallVector<OpFoldResult> sizes;
  SmallVector<int64_t> shape;
  SmallVector<ReassociationIndices> groups(kept.size());
  int64_t next = 0;
  for (int64_t i = 0; i < rank; ++i) {
    bool isNew = llvm::is_contained(axes, i);
    // Leading new dimensions belong to the first group, others to the one
    // before them.
    if (!groups.empty())
      groups[isNew ? std::max<int64_t>(next - 1, 0) : next].push_back(i);
    sizes.push_back(isNew ? builder.getIndexAttr(1) : kept[next]);
    shape.push_back(isNew ? 1 : type.getDimSize(next));
    next += !isNew;
  }
  return tensor::ExpandShapeOp::create(
      builder, loc, RankedTensorType::get(shape, type.getElementType()), value,
      groups, sizes);
}

static CombineKind getCombineKind(ReduceKind kind) {
  switch (kind) {
  case ReduceKind::sum:
  case ReduceKind::mean:
    return CombineKind::Sum;
  case ReduceKind::prod:
    return CombineKind::Prod;
  case ReduceKind::max:
    return CombineKind::Max;
  case ReduceKind::min:
    return CombineKind::Min;
  case ReduceKind::logical_and:
    return CombineKind::And;
  case ReduceKind::logical_or:
    return CombineKind::Or;
  }
  llvm_unreachable("all kinds are handled");
}

static CombineKind getCombineKind(CumulativeKind kind) {
  switch (kind) {
  case CumulativeKind::sum:
    return CombineKind::Sum;
  case CumulativeKind::prod:
    return CombineKind::Prod;
  case CumulativeKind::max:
    return CombineKind::Max;
  case CumulativeKind::min:
    return CombineKind::Min;
  }
  llvm_unreachable("all kinds are handled");
}

/// The loops of a reduction of x: its sizes without `axes`, the map from all
/// loops to them, the iterator types.
namespace {
struct ReductionLoops {
  SmallVector<OpFoldResult> sizes;
  AffineMap map;
  SmallVector<utils::IteratorType> iterators;
};
} // namespace

static ReductionLoops getReductionLoops(OpBuilder &builder, Location loc,
                                        Value x, ArrayRef<int64_t> axes) {
  ReductionLoops loops;
  SmallVector<AffineExpr> exprs;
  SmallVector<OpFoldResult> xSizes = getSizes(builder, loc, x);
  for (auto [i, size] : llvm::enumerate(xSizes)) {
    bool isReduced = llvm::is_contained(axes, static_cast<int64_t>(i));
    loops.iterators.push_back(isReduced ? utils::IteratorType::reduction
                                        : utils::IteratorType::parallel);
    if (isReduced)
      continue;
    loops.sizes.push_back(size);
    exprs.push_back(builder.getAffineDimExpr(i));
  }
  loops.map = AffineMap::get(xSizes.size(), 0, exprs, builder.getContext());
  return loops;
}

//===----------------------------------------------------------------------===//
// reduce
//===----------------------------------------------------------------------===//

namespace {
struct ConvertReduce final : OpRewritePattern<ReduceOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(ReduceOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getAxes().empty()) {
      replaceWithCasts(rewriter, op, op.getX());
      return success();
    }
    Location loc = op.getLoc();
    Type type = op.getType().getElementType();
    ReductionLoops loops =
        getReductionLoops(rewriter, loc, op.getX(), op.getAxes());
    Value result = accumulate(rewriter, op, loops);
    if (op.getKind() == ReduceKind::mean || getComputeType(type) != type)
      result = finish(rewriter, op, result, loops.sizes);
    if (op.getKeepdims())
      result = expandAtAxes(rewriter, loc, result, op.getAxes(),
                            op.getX().getType().getRank());
    replaceWithCasts(rewriter, op, result);
    return success();
  }

private:
  /// The reduction, in the compute type.
  static Value accumulate(PatternRewriter &rewriter, ReduceOp op,
                          const ReductionLoops &loops) {
    Location loc = op.getLoc();
    CombineKind kind = getCombineKind(op.getKind());
    bool isUnsigned = op.getIsUnsigned();
    Type computeType = getComputeType(op.getType().getElementType());
    Value init = createFilled(rewriter, loc, loops.sizes,
                              getIdentity(kind, computeType, isUnsigned));
    // The order of sums and products is unspecified, so that the loop may be
    // split into vector lanes.
    arith::FastMathFlags fastmath =
        kind == CombineKind::Sum || kind == CombineKind::Prod
            ? arith::FastMathFlags::reassoc
            : arith::FastMathFlags::none;
    AffineMap identity =
        rewriter.getMultiDimIdentityMap(op.getX().getType().getRank());
    return linalg::GenericOp::create(
               rewriter, loc, init.getType(), op.getX(), init,
               ArrayRef<AffineMap>{identity, loops.map}, loops.iterators,
               [&](OpBuilder &b, Location l, ValueRange args) {
                 Value element = convertFloat(b, l, args[0], computeType);
                 linalg::YieldOp::create(b, l,
                                         combine(b, l, kind, args[1], element,
                                                 isUnsigned, fastmath));
               })
        .getResult(0);
  }

  /// Divides by the number of elements for a mean, and rounds.
  static Value finish(PatternRewriter &rewriter, ReduceOp op, Value sums,
                      ArrayRef<OpFoldResult> sizes) {
    Location loc = op.getLoc();
    Type type = op.getType().getElementType();
    Type computeType = getComputeType(type);
    Value count;
    if (op.getKind() == ReduceKind::mean) {
      IndexBuilder index(rewriter, loc);
      SmallVector<OpFoldResult> xSizes = getSizes(rewriter, loc, op.getX());
      OpFoldResult product = index.constant(1);
      for (int64_t axis : op.getAxes())
        product = index.mul(product, xSizes[axis]);
      Value number = arith::IndexCastOp::create(
          rewriter, loc, rewriter.getI64Type(), index.materialize(product));
      count = arith::SIToFPOp::create(rewriter, loc, computeType, number);
    }
    return createGenerator(
        rewriter, loc, sizes, type, sums,
        rewriter.getMultiDimIdentityMap(sizes.size()),
        [&](OpBuilder &b, Location l, ValueRange args) -> Value {
          Value value = args[0];
          if (count)
            value = arith::DivFOp::create(b, l, value, count);
          return convertFloat(b, l, value, type);
        });
  }
};

//===----------------------------------------------------------------------===//
// arg_reduce
//===----------------------------------------------------------------------===//

/// A reduction of (value, index) pairs. It begins with the identity and index
/// 0 (the last index if that is asked for is then reached by equality), so that
/// an axis full of identities gives a valid index too.
struct ConvertArgReduce final : OpRewritePattern<ArgReduceOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(ArgReduceOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    int64_t axis = op.getAxis();
    int64_t rank = op.getX().getType().getRank();
    Type computeType = getComputeType(op.getX().getType().getElementType());
    ReductionLoops loops = getReductionLoops(rewriter, loc, op.getX(), axis);
    emitNotEmpty(rewriter, op,
                 tensor::getMixedSize(rewriter, loc, op.getX(), axis),
                 loops.sizes, "an axis with at least one element");
    CombineKind kind = op.getKind() == ArgReduceKind::max ? CombineKind::Max
                                                          : CombineKind::Min;
    Value values =
        createFilled(rewriter, loc, loops.sizes,
                     getIdentity(kind, computeType, op.getIsUnsigned()));
    Value positions =
        createFilled(rewriter, loc, loops.sizes, rewriter.getI64IntegerAttr(0));
    AffineMap identity = rewriter.getMultiDimIdentityMap(rank);
    auto generic = linalg::GenericOp::create(
        rewriter, loc, TypeRange{values.getType(), positions.getType()},
        op.getX(), ValueRange{values, positions},
        ArrayRef<AffineMap>{identity, loops.map, loops.map}, loops.iterators,
        [&](OpBuilder &b, Location l, ValueRange args) {
          Value element = convertFloat(b, l, args[0], computeType);
          Value wins = isBetter(b, l, op, element, args[1]);
          Value iv = linalg::IndexOp::create(b, l, axis);
          Value position = arith::IndexCastOp::create(b, l, b.getI64Type(), iv);
          Value value = arith::SelectOp::create(b, l, wins, element, args[1]);
          Value best = arith::SelectOp::create(b, l, wins, position, args[2]);
          linalg::YieldOp::create(b, l, ValueRange{value, best});
        });
    Value result = generic.getResult(1);
    if (op.getKeepdims())
      result = expandAtAxes(rewriter, loc, result, axis, rank);
    replaceWithCasts(rewriter, op, result);
    return success();
  }

private:
  /// i1: `element` takes the place of `best`. A NaN beats every number; it is
  /// beaten by a later NaN only if the last index is wanted.
  static Value isBetter(OpBuilder &builder, Location loc, ArgReduceOp op,
                        Value element, Value best) {
    bool isMax = op.getKind() == ArgReduceKind::max;
    bool isLast = op.getSelectLastIndex();
    if (!isa<FloatType>(element.getType())) {
      bool isUnsigned = op.getIsUnsigned() || element.getType().isInteger(1);
      using Predicate = arith::CmpIPredicate;
      Predicate greater = isUnsigned
                              ? (isLast ? Predicate::uge : Predicate::ugt)
                              : (isLast ? Predicate::sge : Predicate::sgt);
      Predicate less = isUnsigned ? (isLast ? Predicate::ule : Predicate::ult)
                                  : (isLast ? Predicate::sle : Predicate::slt);
      return arith::CmpIOp::create(builder, loc, isMax ? greater : less,
                                   element, best);
    }
    using Predicate = arith::CmpFPredicate;
    Predicate predicate = isMax ? (isLast ? Predicate::OGE : Predicate::OGT)
                                : (isLast ? Predicate::OLE : Predicate::OLT);
    Value wins = arith::CmpFOp::create(builder, loc, predicate, element, best);
    Value isNaN =
        arith::CmpFOp::create(builder, loc, Predicate::UNO, element, element);
    if (!isLast) {
      Value isNumber =
          arith::CmpFOp::create(builder, loc, Predicate::ORD, best, best);
      isNaN = arith::AndIOp::create(builder, loc, isNaN, isNumber);
    }
    return arith::OrIOp::create(builder, loc, wins, isNaN);
  }
};

//===----------------------------------------------------------------------===//
// cumulative
//===----------------------------------------------------------------------===//

/// A loop along the axis that carries the running value, inside of loops over
/// the other dimensions.
struct ConvertCumulative final : OpRewritePattern<CumulativeOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(CumulativeOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    SmallVector<OpFoldResult> sizes = getSizes(rewriter, loc, op.getX());
    Value empty = tensor::EmptyOp::create(rewriter, loc, sizes,
                                          op.getType().getElementType());
    SmallVector<OpFoldResult> others(sizes);
    others.erase(others.begin() + op.getAxis());
    SmallVector<Value> result = createLoops(
        rewriter, loc, others, empty,
        [&](OpBuilder &b, Location l, ValueRange ivs,
            ValueRange carried) -> SmallVector<Value> {
          return {scanLine(b, l, op, ivs, carried[0], sizes[op.getAxis()])};
        });
    replaceWithCasts(rewriter, op, result);
    return success();
  }

private:
  static Value scanLine(OpBuilder &builder, Location loc, CumulativeOp op,
                        ValueRange others, Value result, OpFoldResult size) {
    Type type = op.getType().getElementType();
    Type computeType = getComputeType(type);
    CombineKind kind = getCombineKind(op.getKind());
    Value start = arith::ConstantOp::create(
        builder, loc, getIdentity(kind, computeType, op.getIsUnsigned()));
    IndexBuilder outside(builder, loc);
    Value last =
        op.getReverse()
            ? outside.materialize(outside.sub(size, outside.constant(1)))
            : Value();
    return createLoops(
        builder, loc, size, {result, start},
        [&](OpBuilder &b, Location l, ValueRange ivs,
            ValueRange carried) -> SmallVector<Value> {
          Value at = ivs[0];
          if (last)
            at = arith::SubIOp::create(b, l, last, at);
          SmallVector<Value> position(others);
          position.insert(position.begin() + op.getAxis(), at);
          Value element = tensor::ExtractOp::create(b, l, op.getX(), position);
          Value next = combine(b, l, kind, carried[1],
                               convertFloat(b, l, element, computeType),
                               op.getIsUnsigned());
          Value stored =
              convertFloat(b, l, op.getExclusive() ? carried[1] : next, type);
          Value tensor =
              tensor::InsertOp::create(b, l, stored, carried[0], position);
          return {tensor, next};
        })[0];
  }
};
} // namespace

void mlir::dlc::populateReductionToLinalgPatterns(RewritePatternSet &patterns) {
  populateSortToLinalgPatterns(patterns);
  patterns.add<ConvertArgReduce, ConvertCumulative, ConvertReduce>(
      patterns.getContext());
}
