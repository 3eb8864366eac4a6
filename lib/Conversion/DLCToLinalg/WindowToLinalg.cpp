//===- WindowToLinalg.cpp - Window reductions to linalg -------------------===//
//
// Pooling as linalg.generic over the padded input, with an operand that only
// gives the window's shape.
//
//===----------------------------------------------------------------------===//

#include "LoweringUtils.h"
#include "WindowLowering.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::dlc;

namespace {
/// What the two pooling ops have in common.
struct Pool {
  Value x;
  ArrayRef<int64_t> window;
  SmallVector<WindowDim> dims;
  SmallVector<OpFoldResult> resultSizes;

  int64_t getNumSpatial() const { return window.size(); }
  int64_t getRank() const { return window.size() + 2; }
};
} // namespace

/// Adds as much padding as the windows of the result read.
static Value padPool(OpBuilder &builder, Location loc, const Pool &pool,
                     TypedAttr value) {
  IndexMath math(builder, loc);
  SmallVector<OpFoldResult> low, high;
  for (auto [i, dim] : llvm::enumerate(pool.dims)) {
    low.push_back(math.constant(dim.padLow));
    if (dim.padHigh == 0 && !dim.ceilMode) {
      high.push_back(math.constant(0));
      continue;
    }
    OpFoldResult lastStart =
        math.mul(math.sub(pool.resultSizes[i + 2], math.constant(1)),
                 math.constant(dim.stride));
    OpFoldResult end =
        math.add(lastStart, math.constant((pool.window[i] - 1) * dim.dilation +
                                          1 - dim.padLow));
    high.push_back(
        math.max(math.sub(end, math.size(pool.x, i + 2)), math.constant(0)));
  }
  return padSpatialDims(builder, loc, pool.x, 2, low, high, value);
}

/// Loops n, c, p..., k...; maps of the input, the window's shape, `numResults`
/// outputs.
static SmallVector<AffineMap>
getPoolMaps(MLIRContext *context, const Pool &pool, int64_t numResults) {
  int64_t rank = pool.getRank(), numLoops = rank + pool.getNumSpatial();
  SmallVector<AffineExpr> x, window, y;
  for (int64_t i = 0; i < rank; ++i) {
    AffineExpr position = getAffineDimExpr(i, context);
    y.push_back(position);
    if (i < 2) {
      x.push_back(position);
      continue;
    }
    const WindowDim &dim = pool.dims[i - 2];
    AffineExpr cell = getAffineDimExpr(rank + i - 2, context);
    x.push_back(position * dim.stride + cell * dim.dilation);
    window.push_back(cell);
  }
  SmallVector<AffineMap> maps = {AffineMap::get(numLoops, 0, x, context),
                                 AffineMap::get(numLoops, 0, window, context)};
  maps.append(numResults, AffineMap::get(numLoops, 0, y, context));
  return maps;
}

/// The generic over the windows of `padded`, or the outputs as they are where
/// one of them is empty.
static SmallVector<Value> createPool(OpBuilder &builder, Location loc,
                                     const Pool &pool, Value padded,
                                     ValueRange inits, ElementBuilder body) {
  if (llvm::is_contained(cast<RankedTensorType>(inits[0].getType()).getShape(),
                         0))
    return SmallVector<Value>(inits);
  Value shape =
      tensor::EmptyOp::create(builder, loc, pool.window, builder.getI1Type());
  SmallVector<bool> isParallel(pool.getRank(), true);
  isParallel.append(pool.getNumSpatial(), false);
  auto generic = createGeneric(
      builder, loc, {padded, shape}, inits,
      getPoolMaps(builder.getContext(), pool, inits.size()), isParallel, body);
  return SmallVector<Value>(generic.getResults());
}

//===----------------------------------------------------------------------===//
// reduce_window
//===----------------------------------------------------------------------===//

static Value combine(OpBuilder &b, Location loc, WindowKind kind,
                     bool isUnsigned, Value acc, Value x) {
  if (!isa<FloatType>(acc.getType())) {
    isUnsigned |= acc.getType().isInteger(1);
    switch (kind) {
    case WindowKind::max:
      return isUnsigned ? arith::MaxUIOp::create(b, loc, acc, x).getResult()
                        : arith::MaxSIOp::create(b, loc, acc, x).getResult();
    case WindowKind::min:
      return isUnsigned ? arith::MinUIOp::create(b, loc, acc, x).getResult()
                        : arith::MinSIOp::create(b, loc, acc, x).getResult();
    case WindowKind::sum:
    case WindowKind::mean:
      return arith::AddIOp::create(b, loc, acc, x);
    }
  }
  switch (kind) {
  case WindowKind::max:
    return arith::MaximumFOp::create(b, loc, acc, x);
  case WindowKind::min:
    return arith::MinimumFOp::create(b, loc, acc, x);
  case WindowKind::sum:
  case WindowKind::mean:
    return arith::AddFOp::create(
        b, loc, acc, x,
        arith::FastMathFlagsAttr::get(b.getContext(),
                                      arith::FastMathFlags::reassoc));
  }
  llvm_unreachable("unknown window reduction");
}

/// The number of cells that a mean along one dimension divides by, for the
/// window at index `position`; an index.
static Value createCellCount(OpBuilder &b, Location loc, Value position,
                             OpFoldResult size, int64_t window,
                             const WindowDim &dim, bool countPadding) {
  IndexMath math(b, loc);
  OpFoldResult zero = math.constant(0), step = math.constant(dim.dilation);
  OpFoldResult start = math.sub(math.mul(position, math.constant(dim.stride)),
                                math.constant(dim.padLow));
  OpFoldResult end =
      countPadding ? math.add(size, math.constant(dim.padHigh)) : size;
  // Cells [first, last) of the window are inside.
  OpFoldResult last = math.ceilDiv(math.sub(end, start), step);
  last = arith::MinSIOp::create(b, loc, math.value(last),
                                math.value(math.constant(window)))
             .getResult();
  OpFoldResult first =
      countPadding ? zero
                   : math.ceilDiv(math.max(math.sub(zero, start), zero), step);
  return math.value(math.max(math.sub(last, first), zero));
}

/// sum / count as an element-wise op with element type `resultType`.
static Value createMean(OpBuilder &builder, Location loc, const Pool &pool,
                        Value sum, Type resultType, bool countPadding) {
  Type type = getElementTypeOrSelf(sum);
  int64_t cells = 1;
  bool isConstant = true;
  for (auto [dim, window] : llvm::zip(pool.dims, pool.window)) {
    cells *= window;
    bool padded = !countPadding && (dim.padLow != 0 || dim.padHigh != 0);
    isConstant &= !padded && !dim.ceilMode;
  }
  SmallVector<OpFoldResult> inputSizes = getSizes(builder, loc, pool.x);
  return createElementwise(
      builder, loc, pool.resultSizes, resultType, sum,
      builder.getMultiDimIdentityMap(pool.getRank()),
      [&](OpBuilder &b, Location l, ValueRange args) -> SmallVector<Value> {
        Value divisor = createFloat(b, l, type, cells);
        if (!isConstant) {
          IndexMath math(b, l);
          OpFoldResult count = math.constant(1);
          for (auto [i, dim] : llvm::enumerate(pool.dims))
            count = math.mul(
                count,
                createCellCount(b, l, linalg::IndexOp::create(b, l, i + 2),
                                inputSizes[i + 2], pool.window[i], dim,
                                countPadding));
          Value integer = arith::IndexCastOp::create(b, l, b.getI64Type(),
                                                     math.value(count));
          divisor = arith::SIToFPOp::create(b, l, type, integer);
        }
        Value mean = arith::DivFOp::create(b, l, args[0], divisor);
        return {castFloat(b, l, mean, resultType)};
      });
}

namespace {
struct ReduceWindowToGeneric final : OpRewritePattern<ReduceWindowOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(ReduceWindowOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    ReifiedRankedShapedTypeDims shapes;
    if (failed(reifyResultShapes(rewriter, op, shapes)))
      return rewriter.notifyMatchFailure(op, "result shape cannot be reified");
    Pool pool{op.getX(), op.getWindow(), getWindowDims(op), shapes[0]};
    Type elementType = op.getType().getElementType();
    WindowKind kind = op.getKind();
    bool isSum = kind == WindowKind::sum || kind == WindowKind::mean;
    // Maxima need no wider type.
    Type accumulator = isSum ? getAccumulatorType(elementType) : elementType;
    auto getIdentity = [&](Type type) {
      return isSum ? cast<TypedAttr>(rewriter.getZeroAttr(type))
                   : getExtremeValue(type, kind == WindowKind::min,
                                     op.getIsUnsigned());
    };
    Value padded = padPool(rewriter, loc, pool, getIdentity(elementType));
    Value init =
        createFilled(rewriter, loc, pool.resultSizes, getIdentity(accumulator));
    Value result =
        createPool(
            rewriter, loc, pool, padded, init,
            [&](OpBuilder &b, Location l,
                ValueRange args) -> SmallVector<Value> {
              Value x =
                  extendScalar(b, l, args[0], accumulator, op.getIsUnsigned());
              return {combine(b, l, kind, op.getIsUnsigned(), args[2], x)};
            })
            .front();
    if (kind == WindowKind::mean)
      result = createMean(rewriter, loc, pool, result, elementType,
                          op.getCountIncludePad());
    else if (accumulator != elementType)
      result = createElementwise(
          rewriter, loc, pool.resultSizes, elementType, result,
          rewriter.getMultiDimIdentityMap(pool.getRank()),
          [&](OpBuilder &b, Location l, ValueRange args) -> SmallVector<Value> {
            return {castFloat(b, l, args[0], elementType)};
          });
    rewriter.replaceOp(op, result);
    return success();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// window_arg_max
//===----------------------------------------------------------------------===//

/// The position of the current element in the unpadded input: the coordinates,
/// and whether all are inside (null if there is no padding).
static SmallVector<OpFoldResult>
createSourceCoordinates(OpBuilder &b, Location loc, const Pool &pool,
                        ArrayRef<OpFoldResult> sizes, Value &isInside) {
  IndexMath math(b, loc);
  SmallVector<OpFoldResult> coordinates;
  for (int64_t i = 0; i < pool.getRank(); ++i) {
    OpFoldResult position = linalg::IndexOp::create(b, loc, i).getResult();
    if (i < 2) {
      coordinates.push_back(position);
      continue;
    }
    const WindowDim &dim = pool.dims[i - 2];
    OpFoldResult cell =
        linalg::IndexOp::create(b, loc, pool.getRank() + i - 2).getResult();
    OpFoldResult at =
        math.sub(math.add(math.mul(position, math.constant(dim.stride)),
                          math.mul(cell, math.constant(dim.dilation))),
                 math.constant(dim.padLow));
    coordinates.push_back(at);
    if (dim.padLow == 0 && dim.padHigh == 0 && !dim.ceilMode)
      continue;
    // Unsigned: a negative coordinate is large.
    Value inside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                         math.value(at), math.value(sizes[i]));
    isInside = isInside
                   ? arith::AndIOp::create(b, loc, isInside, inside).getResult()
                   : inside;
  }
  return coordinates;
}

/// The offset of `coordinates` in a tensor of `sizes`.
static Value createFlatIndex(OpBuilder &b, Location loc,
                             ArrayRef<OpFoldResult> coordinates,
                             ArrayRef<OpFoldResult> sizes, bool columnMajor) {
  IndexMath math(b, loc);
  int64_t rank = sizes.size();
  SmallVector<int64_t> order = {0, 1};
  for (int64_t i = 2; i < rank; ++i)
    order.push_back(columnMajor ? rank + 1 - i : i);
  OpFoldResult flat = math.constant(0);
  for (int64_t dim : order)
    flat = math.add(math.mul(flat, sizes[dim]), coordinates[dim]);
  return arith::IndexCastOp::create(b, loc, b.getI64Type(), math.value(flat));
}

/// Whether `x` displaces `best`; the first NaN displaces every number.
static Value createIsBetter(OpBuilder &b, Location loc, Value x, Value best,
                            bool isUnsigned) {
  if (!isa<FloatType>(x.getType()))
    return arith::CmpIOp::create(b, loc,
                                 isUnsigned || x.getType().isInteger(1)
                                     ? arith::CmpIPredicate::ugt
                                     : arith::CmpIPredicate::sgt,
                                 x, best);
  // Unordered or greater, unless `best` is the NaN.
  Value greater =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UGT, x, best);
  Value ordered =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ORD, best, best);
  return arith::AndIOp::create(b, loc, greater, ordered);
}

namespace {
struct WindowArgMaxToGeneric final : OpRewritePattern<WindowArgMaxOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(WindowArgMaxOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    ReifiedRankedShapedTypeDims shapes;
    if (failed(reifyResultShapes(rewriter, op, shapes)))
      return rewriter.notifyMatchFailure(op, "result shape cannot be reified");
    Pool pool{op.getX(), op.getWindow(), getWindowDims(op), shapes[0]};
    TypedAttr lowest = getExtremeValue(op.getX().getType().getElementType(),
                                       /*highest=*/false, op.getIsUnsigned());
    SmallVector<OpFoldResult> sizes = getSizes(rewriter, loc, op.getX());
    Value padded = padPool(rewriter, loc, pool, lowest);
    Value values = createFilled(rewriter, loc, shapes[0], lowest);
    Value indices =
        createFilled(rewriter, loc, shapes[1], rewriter.getI64IntegerAttr(-1));
    rewriter.replaceOp(
        op,
        createPool(
            rewriter, loc, pool, padded, {values, indices},
            [&](OpBuilder &b, Location l,
                ValueRange args) -> SmallVector<Value> {
              Value isInside;
              SmallVector<OpFoldResult> at =
                  createSourceCoordinates(b, l, pool, sizes, isInside);
              Value flat =
                  createFlatIndex(b, l, at, sizes, op.getColumnMajor());
              Value zero =
                  arith::ConstantOp::create(b, l, b.getI64IntegerAttr(0));
              Value isFirst = arith::CmpIOp::create(
                  b, l, arith::CmpIPredicate::slt, args[3], zero);
              Value take = arith::OrIOp::create(
                  b, l, isFirst,
                  createIsBetter(b, l, args[0], args[2], op.getIsUnsigned()));
              if (isInside)
                take = arith::AndIOp::create(b, l, take, isInside);
              return {arith::SelectOp::create(b, l, take, args[0], args[2]),
                      arith::SelectOp::create(b, l, take, flat, args[3])};
            }));
    return success();
  }
};
} // namespace

void mlir::dlc::populateWindowToLinalgPatterns(RewritePatternSet &patterns) {
  patterns.add<ReduceWindowToGeneric, WindowArgMaxToGeneric>(
      patterns.getContext());
}
