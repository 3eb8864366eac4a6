//===- NormToLinalg.cpp - Softmax and normalisations to linalg ------------===//
//
// Row statistics are generics with reduction loops in the accumulator type;
// the result is rounded once, in the last, element-wise generic.
//
//===----------------------------------------------------------------------===//

#include "DLC/Dialect/IR/DLCNNOps.h"
#include "LoweringUtils.h"
#include "WindowLowering.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::dlc;

/// One input element to the term that is reduced.
using TermBuilder = function_ref<Value(OpBuilder &, Location, ValueRange)>;

static arith::FastMathFlagsAttr getSumFlags(OpBuilder &builder) {
  return arith::FastMathFlagsAttr::get(builder.getContext(),
                                       arith::FastMathFlags::reassoc);
}

namespace {
/// Reductions of a tensor over some of its dimensions.
struct RowReduction {
  OpBuilder &builder;
  Location loc;
  SmallVector<OpFoldResult> sizes;
  SmallVector<bool> isReduced;

  RowReduction(OpBuilder &builder, Location loc, Value x)
      : builder(builder), loc(loc), sizes(getSizes(builder, loc, x)),
        isReduced(sizes.size(), false) {}

  int64_t getRank() const { return sizes.size(); }

  /// From the loops of x to the dimensions that are kept.
  AffineMap getKeptMap() const {
    SmallVector<int64_t> kept;
    for (int64_t i = 0; i < getRank(); ++i)
      if (!isReduced[i])
        kept.push_back(i);
    return getDimsMap(builder.getContext(), getRank(), kept);
  }

  SmallVector<OpFoldResult> getKeptSizes() const {
    SmallVector<OpFoldResult> kept;
    for (int64_t i = 0; i < getRank(); ++i)
      if (!isReduced[i])
        kept.push_back(sizes[i]);
    return kept;
  }

  AffineMap getIdentityMap() const {
    return builder.getMultiDimIdentityMap(getRank());
  }

  /// The number of elements that are reduced, as a float.
  Value createCount(Type type) const {
    IndexMath math(builder, loc);
    OpFoldResult count = math.constant(1);
    for (int64_t i = 0; i < getRank(); ++i)
      if (isReduced[i])
        count = math.mul(count, sizes[i]);
    if (std::optional<int64_t> constant = getConstantIntValue(count))
      return createFloat(builder, loc, type, *constant);
    Value integer = arith::IndexCastOp::create(
        builder, loc, builder.getI64Type(), math.value(count));
    return arith::SIToFPOp::create(builder, loc, type, integer);
  }

  /// Reduces term(inputs...) by a sum, or a maximum that keeps NaN.
  Value reduce(ValueRange inputs, ArrayRef<AffineMap> inputMaps, Type type,
               bool isMax, TermBuilder term) const {
    TypedAttr identity = isMax ? getExtremeValue(type, /*highest=*/false, false)
                               : cast<TypedAttr>(builder.getZeroAttr(type));
    Value init = createFilled(builder, loc, getKeptSizes(), identity);
    SmallVector<AffineMap> maps(inputMaps);
    maps.push_back(getKeptMap());
    SmallVector<bool> isParallel;
    for (bool reduced : isReduced)
      isParallel.push_back(!reduced);
    return createGeneric(
               builder, loc, inputs, init, maps, isParallel,
               [&](OpBuilder &b, Location l,
                   ValueRange args) -> SmallVector<Value> {
                 Value value = term(b, l, args.drop_back());
                 if (isMax)
                   return {arith::MaximumFOp::create(b, l, args.back(), value)};
                 return {arith::AddFOp::create(b, l, args.back(), value,
                                               getSumFlags(b))};
               })
        .getResult(0);
  }

  /// An element-wise op on the kept dimensions.
  Value mapKept(ValueRange inputs, Type type, TermBuilder term) const {
    SmallVector<OpFoldResult> kept = getKeptSizes();
    SmallVector<AffineMap> maps(inputs.size(),
                                builder.getMultiDimIdentityMap(kept.size()));
    return createElementwise(
        builder, loc, kept, type, inputs, maps,
        [&](OpBuilder &b, Location l, ValueRange args) -> SmallVector<Value> {
          return {term(b, l, args)};
        });
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

/// The maxima of x along the reduced dimensions.
static Value createRowMax(const RowReduction &rows, Value x, Type type) {
  return rows.reduce(x, rows.getIdentityMap(), type, /*isMax=*/true,
                     [&](OpBuilder &b, Location l, ValueRange args) {
                       return castFloat(b, l, args[0], type);
                     });
}

namespace {
struct SoftmaxToGeneric final : OpRewritePattern<SoftmaxOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(SoftmaxOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType resultType = op.getType();
    Type type = getAccumulatorType(resultType.getElementType());
    RowReduction rows(rewriter, loc, op.getX());
    rows.isReduced[*normalizeAxis(op.getAxis(), rows.getRank())] = true;
    AffineMap identity = rows.getIdentityMap(), kept = rows.getKeptMap();
    Value max = createRowMax(rows, op.getX(), type);
    Value exps = createElementwise(
        rewriter, loc, rows.sizes, type, {op.getX(), max}, {identity, kept},
        [&](OpBuilder &b, Location l, ValueRange args) -> SmallVector<Value> {
          Value x = castFloat(b, l, args[0], type);
          return {math::ExpOp::create(b, l,
                                      arith::SubFOp::create(b, l, x, args[1]))};
        });
    Value sum = rows.reduce(
        exps, identity, type, /*isMax=*/false,
        [](OpBuilder &, Location, ValueRange args) { return args[0]; });
    SmallVector<OpFoldResult> sizes =
        matchSizesToType(rewriter, loc, rows.sizes, resultType);
    rewriter.replaceOp(
        op, createElementwise(
                rewriter, loc, sizes, resultType.getElementType(), {exps, sum},
                {identity, kept},
                [&](OpBuilder &b, Location l,
                    ValueRange args) -> SmallVector<Value> {
                  Value y = arith::DivFOp::create(b, l, args[0], args[1]);
                  return {castFloat(b, l, y, resultType.getElementType())};
                }));
    return success();
  }
};

struct LogSoftmaxToGeneric final : OpRewritePattern<LogSoftmaxOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(LogSoftmaxOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType resultType = op.getType();
    Type type = getAccumulatorType(resultType.getElementType());
    RowReduction rows(rewriter, loc, op.getX());
    rows.isReduced[*normalizeAxis(op.getAxis(), rows.getRank())] = true;
    AffineMap identity = rows.getIdentityMap(), kept = rows.getKeptMap();
    Value max = createRowMax(rows, op.getX(), type);
    auto shift = [&](OpBuilder &b, Location l, ValueRange args) -> Value {
      return arith::SubFOp::create(b, l, castFloat(b, l, args[0], type),
                                   args[1]);
    };
    Value sum =
        rows.reduce({op.getX(), max}, {identity, kept}, type, /*isMax=*/false,
                    [&](OpBuilder &b, Location l, ValueRange args) -> Value {
                      return math::ExpOp::create(b, l, shift(b, l, args));
                    });
    Value log = rows.mapKept(
        sum, type, [](OpBuilder &b, Location l, ValueRange args) -> Value {
          return math::LogOp::create(b, l, args[0]);
        });
    SmallVector<OpFoldResult> sizes =
        matchSizesToType(rewriter, loc, rows.sizes, resultType);
    rewriter.replaceOp(
        op, createElementwise(
                rewriter, loc, sizes, resultType.getElementType(),
                {op.getX(), max, log}, {identity, kept, kept},
                [&](OpBuilder &b, Location l,
                    ValueRange args) -> SmallVector<Value> {
                  Value y =
                      arith::SubFOp::create(b, l, shift(b, l, args), args[2]);
                  return {castFloat(b, l, y, resultType.getElementType())};
                }));
    return success();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Normalisations
//===----------------------------------------------------------------------===//

namespace {
/// A normalisation of x over the reduced dimensions of `rows`.
struct Normalization {
  Value x;
  /// Optional factors and summands, with their maps from the loops of x.
  Value scale, bias;
  AffineMap scaleMap, biasMap;
  double epsilon;
  /// Whether the mean is subtracted.
  bool isCentered = true;
};
} // namespace

/// 1 / sqrt(sum / count + epsilon) for each row.
static Value createInverseDeviation(const RowReduction &rows, Value sum,
                                    Type type, double epsilon) {
  Value count = rows.createCount(type);
  return rows.mapKept(
      sum, type, [&](OpBuilder &b, Location l, ValueRange args) -> Value {
        Value variance = arith::DivFOp::create(b, l, args[0], count);
        Value shifted = arith::AddFOp::create(b, l, variance,
                                              createFloat(b, l, type, epsilon));
        return arith::DivFOp::create(b, l, createFloat(b, l, type, 1.0),
                                     math::SqrtOp::create(b, l, shifted));
      });
}

/// Emits `norm` with the sizes and element type of `resultType`.
static Value normalize(const RowReduction &rows, const Normalization &norm,
                       RankedTensorType resultType) {
  OpBuilder &builder = rows.builder;
  Location loc = rows.loc;
  Type type = getAccumulatorType(resultType.getElementType());
  AffineMap identity = rows.getIdentityMap(), kept = rows.getKeptMap();
  SmallVector<Value> rowInputs = {norm.x};
  SmallVector<AffineMap> rowMaps = {identity};
  if (norm.isCentered) {
    Value sum = rows.reduce(norm.x, identity, type, /*isMax=*/false,
                            [&](OpBuilder &b, Location l, ValueRange args) {
                              return castFloat(b, l, args[0], type);
                            });
    Value count = rows.createCount(type);
    rowInputs.push_back(rows.mapKept(
        sum, type, [&](OpBuilder &b, Location l, ValueRange args) -> Value {
          return arith::DivFOp::create(b, l, args[0], count);
        }));
    rowMaps.push_back(kept);
  }
  auto center = [&](OpBuilder &b, Location l, ValueRange args) -> Value {
    Value x = castFloat(b, l, args[0], type);
    return norm.isCentered ? arith::SubFOp::create(b, l, x, args[1]).getResult()
                           : x;
  };
  Value squares =
      rows.reduce(rowInputs, rowMaps, type, /*isMax=*/false,
                  [&](OpBuilder &b, Location l, ValueRange args) -> Value {
                    Value x = center(b, l, args);
                    return arith::MulFOp::create(b, l, x, x);
                  });
  rowInputs.push_back(
      createInverseDeviation(rows, squares, type, norm.epsilon));
  rowMaps.push_back(kept);
  int64_t inverseArg = rowInputs.size() - 1;
  if (norm.scale) {
    rowInputs.push_back(norm.scale);
    rowMaps.push_back(norm.scaleMap);
  }
  if (norm.bias) {
    rowInputs.push_back(norm.bias);
    rowMaps.push_back(norm.biasMap);
  }
  SmallVector<OpFoldResult> sizes =
      matchSizesToType(builder, loc, rows.sizes, resultType);
  return createElementwise(
      builder, loc, sizes, resultType.getElementType(), rowInputs, rowMaps,
      [&](OpBuilder &b, Location l, ValueRange args) -> SmallVector<Value> {
        Value y =
            arith::MulFOp::create(b, l, center(b, l, args), args[inverseArg]);
        int64_t next = inverseArg + 1;
        if (norm.scale)
          y = arith::MulFOp::create(b, l, y,
                                    castFloat(b, l, args[next++], type));
        if (norm.bias)
          y = arith::AddFOp::create(b, l, y, castFloat(b, l, args[next], type));
        return {castFloat(b, l, y, resultType.getElementType())};
      });
}

/// layer_norm and rms_norm: the reduced dimensions are `axis` and those after
/// it; scale and bias broadcast from the right.
static Value normalizeTrailing(PatternRewriter &rewriter, Operation *op,
                               Normalization norm, int64_t axis) {
  RowReduction rows(rewriter, op->getLoc(), norm.x);
  for (int64_t i = *normalizeAxis(axis, rows.getRank()); i < rows.getRank();
       ++i)
    rows.isReduced[i] = true;
  auto xType = cast<RankedTensorType>(norm.x.getType());
  for (auto [name, operand, map] :
       {std::tuple("scale", &norm.scale, &norm.scaleMap),
        std::tuple("bias", &norm.bias, &norm.biasMap)}) {
    if (!*operand)
      continue;
    *map = getBroadcastMap(cast<RankedTensorType>(operand->getType()),
                           xType.getShape());
    emitBroadcastChecks(rewriter, op, name, *operand, rows.sizes);
  }
  return normalize(rows, norm,
                   cast<RankedTensorType>(op->getResult(0).getType()));
}

/// Checks that each operand, if given, has as many elements as `channels`.
static void emitChannelChecks(OpBuilder &builder, Operation *op,
                              OpFoldResult channels, ValueRange operands) {
  IndexMath math(builder, op->getLoc());
  for (Value operand : operands)
    if (operand)
      emitCheckEqual(builder, op, math.size(operand, 0), channels,
                     "the number of channels of the operands");
}

/// group_norm on x [N, C, D...] with `groups` groups; 0 stands for one per
/// channel.
static Value normalizeGroups(PatternRewriter &rewriter, Operation *op,
                             Normalization norm, int64_t groups) {
  Location loc = op->getLoc();
  IndexMath math(rewriter, loc);
  auto resultType = cast<RankedTensorType>(op->getResult(0).getType());
  OpFoldResult channels = math.size(norm.x, 1);
  emitChannelChecks(rewriter, op, channels, {norm.scale, norm.bias});
  RankedTensorType normType = resultType;
  if (groups != 0) {
    OpFoldResult count = math.constant(groups);
    OpFoldResult perGroup = math.floorDiv(channels, count);
    emitCheckEqual(rewriter, op, math.mul(perGroup, count), channels,
                   "the number of channels and a multiple of 'num_groups'");
    norm.x = expandDim(rewriter, loc, norm.x, 1, count, perGroup);
    if (norm.scale)
      norm.scale = expandDim(rewriter, loc, norm.scale, 0, count, perGroup);
    if (norm.bias)
      norm.bias = expandDim(rewriter, loc, norm.bias, 0, count, perGroup);
    normType = RankedTensorType::get(
        cast<RankedTensorType>(norm.x.getType()).getShape(),
        resultType.getElementType());
  }
  RowReduction rows(rewriter, loc, norm.x);
  for (int64_t i = 2; i < rows.getRank(); ++i)
    rows.isReduced[i] = true;
  SmallVector<int64_t> channelDims = {1};
  if (groups != 0)
    channelDims.push_back(2);
  norm.scaleMap = norm.biasMap =
      getDimsMap(rewriter.getContext(), rows.getRank(), channelDims);
  Value result = normalize(rows, norm, normType);
  if (groups != 0)
    result = collapseDims(rewriter, loc, result, 1, resultType);
  return result;
}

namespace {
struct LayerNormToGeneric final : OpRewritePattern<LayerNormOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(LayerNormOp op,
                                PatternRewriter &rewriter) const override {
    Normalization norm;
    norm.x = op.getX();
    norm.scale = op.getScale();
    norm.bias = op.getBias();
    norm.epsilon = op.getEpsilon().convertToDouble();
    rewriter.replaceOp(op, normalizeTrailing(rewriter, op, norm, op.getAxis()));
    return success();
  }
};

struct RMSNormToGeneric final : OpRewritePattern<RMSNormOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(RMSNormOp op,
                                PatternRewriter &rewriter) const override {
    Normalization norm;
    norm.x = op.getX();
    norm.scale = op.getScale();
    norm.epsilon = op.getEpsilon().convertToDouble();
    norm.isCentered = false;
    rewriter.replaceOp(op, normalizeTrailing(rewriter, op, norm, op.getAxis()));
    return success();
  }
};

struct GroupNormToGeneric final : OpRewritePattern<GroupNormOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(GroupNormOp op,
                                PatternRewriter &rewriter) const override {
    Normalization norm;
    norm.x = op.getX();
    norm.scale = op.getScale();
    norm.bias = op.getBias();
    norm.epsilon = op.getEpsilon().convertToDouble();
    rewriter.replaceOp(op,
                       normalizeGroups(rewriter, op, norm, op.getNumGroups()));
    return success();
  }
};

struct InstanceNormToGeneric final : OpRewritePattern<InstanceNormOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(InstanceNormOp op,
                                PatternRewriter &rewriter) const override {
    Normalization norm;
    norm.x = op.getX();
    norm.scale = op.getScale();
    norm.bias = op.getBias();
    norm.epsilon = op.getEpsilon().convertToDouble();
    rewriter.replaceOp(op, normalizeGroups(rewriter, op, norm, /*groups=*/0));
    return success();
  }
};

struct BatchNormToGeneric final : OpRewritePattern<BatchNormOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(BatchNormOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType resultType = op.getType();
    Type type = getAccumulatorType(resultType.getElementType());
    IndexMath math(rewriter, loc);
    int64_t rank = resultType.getRank();
    int64_t axis = *normalizeAxis(op.getAxis(), rank);
    OpFoldResult channels = math.size(op.getX(), axis);
    emitChannelChecks(rewriter, op, channels, op->getOperands().drop_front());
    double epsilon = op.getEpsilon().convertToDouble();
    AffineMap vector = rewriter.getMultiDimIdentityMap(1);
    Value factor = createElementwise(
        rewriter, loc, channels, type, {op.getScale(), op.getVariance()},
        {vector, vector},
        [&](OpBuilder &b, Location l, ValueRange args) -> SmallVector<Value> {
          Value variance =
              arith::AddFOp::create(b, l, castFloat(b, l, args[1], type),
                                    createFloat(b, l, type, epsilon));
          return {arith::DivFOp::create(b, l, castFloat(b, l, args[0], type),
                                        math::SqrtOp::create(b, l, variance))};
        });
    Value shift = createElementwise(
        rewriter, loc, channels, type, {op.getBias(), op.getMean(), factor},
        {vector, vector, vector},
        [&](OpBuilder &b, Location l, ValueRange args) -> SmallVector<Value> {
          Value product = arith::MulFOp::create(
              b, l, castFloat(b, l, args[1], type), args[2]);
          return {arith::SubFOp::create(b, l, castFloat(b, l, args[0], type),
                                        product)};
        });
    AffineMap channelMap = getDimsMap(op.getContext(), rank, axis);
    SmallVector<OpFoldResult> sizes = matchSizesToType(
        rewriter, loc, getSizes(rewriter, loc, op.getX()), resultType);
    rewriter.replaceOp(
        op, createElementwise(
                rewriter, loc, sizes, resultType.getElementType(),
                {op.getX(), factor, shift},
                {rewriter.getMultiDimIdentityMap(rank), channelMap, channelMap},
                [&](OpBuilder &b, Location l,
                    ValueRange args) -> SmallVector<Value> {
                  Value y = arith::MulFOp::create(
                      b, l, castFloat(b, l, args[0], type), args[1]);
                  y = arith::AddFOp::create(b, l, y, args[2]);
                  return {castFloat(b, l, y, resultType.getElementType())};
                }));
    return success();
  }
};
} // namespace

void mlir::dlc::populateNormToLinalgPatterns(RewritePatternSet &patterns) {
  patterns.add<SoftmaxToGeneric, LogSoftmaxToGeneric, LayerNormToGeneric,
               RMSNormToGeneric, GroupNormToGeneric, InstanceNormToGeneric,
               BatchNormToGeneric>(patterns.getContext());
}
