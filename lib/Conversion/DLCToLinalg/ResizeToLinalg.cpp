//===- ResizeToLinalg.cpp - Resize to linalg ------------------------------===//
//
// One dimension after the other: a one-dimensional table of source indices and
// weights per result index, then a generic that reads the neighbours.
//
//===----------------------------------------------------------------------===//

#include "DLC/Dialect/IR/DLCNNOps.h"
#include "LoweringUtils.h"
#include "WindowLowering.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::dlc;

namespace {
/// Short names for float arithmetic at one insertion point.
struct FloatMath {
  OpBuilder &b;
  Location loc;
  Type type;

  Value constant(double value) const {
    return createFloat(b, loc, type, value);
  }
  Value add(Value l, Value r) const {
    return arith::AddFOp::create(b, loc, l, r);
  }
  Value sub(Value l, Value r) const {
    return arith::SubFOp::create(b, loc, l, r);
  }
  Value mul(Value l, Value r) const {
    return arith::MulFOp::create(b, loc, l, r);
  }
  Value div(Value l, Value r) const {
    return arith::DivFOp::create(b, loc, l, r);
  }
  Value compare(arith::CmpFPredicate predicate, Value l, Value r) const {
    return arith::CmpFOp::create(b, loc, predicate, l, r);
  }
  Value select(Value condition, Value l, Value r) const {
    return arith::SelectOp::create(b, loc, condition, l, r);
  }
  /// An index as a float.
  Value fromIndex(OpFoldResult index) const {
    if (std::optional<int64_t> constantIndex = getConstantIntValue(index))
      return constant(*constantIndex);
    Value integer =
        arith::IndexCastOp::create(b, loc, b.getI64Type(), cast<Value>(index));
    return arith::SIToFPOp::create(b, loc, type, integer);
  }
  /// A whole float as an index.
  Value toIndex(Value value) const {
    Value integer = arith::FPToSIOp::create(b, loc, b.getI64Type(), value);
    return arith::IndexCastOp::create(b, loc, b.getIndexType(), integer);
  }
};

/// One dimension that is resized.
struct ResizedDim {
  int64_t dim;
  /// Source and result size.
  OpFoldResult source, result;
  /// f32: the scale, and the fractional result size `scale * source`.
  Value scale, length;
  std::optional<double> constantScale;
};
} // namespace

/// The dimensions whose values change, with their scales.
static SmallVector<ResizedDim> getResizedDims(OpBuilder &builder, ResizeOp op,
                                              ArrayRef<OpFoldResult> sizes) {
  Location loc = op.getLoc();
  IndexMath math(builder, loc);
  FloatMath f{builder, loc, builder.getF32Type()};
  SmallVector<ResizedDim> dims;
  for (auto [i, size] : llvm::enumerate(sizes)) {
    ResizedDim dim{static_cast<int64_t>(i),
                   math.size(op.getX(), i),
                   size,
                   Value(),
                   Value(),
                   std::nullopt};
    std::optional<int64_t> from = getConstantIntValue(dim.source),
                           to = getConstantIntValue(dim.result);
    if (op.getScales().empty()) {
      if (from && to && *from != 0)
        dim.constantScale = static_cast<float>(*to) / static_cast<float>(*from);
    } else {
      APFloat value(0.0f);
      if (matchPattern(op.getScales()[i], m_ConstantFloat(&value)))
        dim.constantScale = value.convertToFloat();
    }
    bool isWhole = !op.getRoi() || ((*op.getRoi())[i] == 0.0 &&
                                    (*op.getRoi())[i + sizes.size()] == 1.0);
    if (from && to && from == to && dim.constantScale == 1.0 && isWhole)
      continue;
    if (dim.constantScale)
      dim.scale = f.constant(*dim.constantScale);
    else if (op.getScales().empty())
      dim.scale = f.div(f.fromIndex(dim.result), f.fromIndex(dim.source));
    else
      dim.scale = op.getScales()[i];
    dim.length = op.getScales().empty()
                     ? f.fromIndex(dim.result)
                     : f.mul(dim.scale, f.fromIndex(dim.source));
    dims.push_back(dim);
  }
  return dims;
}

/// The source coordinate of result index `i` (a float).
static Value createCoordinate(const FloatMath &f, ResizeOp op,
                              const ResizedDim &dim, Value i) {
  Value one = f.constant(1.0), half = f.constant(0.5);
  auto halfPixel = [&] {
    return f.sub(f.div(f.add(i, half), dim.scale), half);
  };
  Value isOne = f.compare(arith::CmpFPredicate::OEQ, dim.length, one);
  Value last = f.sub(f.fromIndex(dim.source), one);
  switch (op.getCoordinateMode()) {
  case CoordinateMode::half_pixel:
    return halfPixel();
  case CoordinateMode::asymmetric:
    return f.div(i, dim.scale);
  case CoordinateMode::align_corners:
    return f.select(isOne, f.constant(0.0),
                    f.div(f.mul(i, last), f.sub(dim.length, one)));
  case CoordinateMode::pytorch_half_pixel:
    return f.select(isOne, f.constant(-0.5), halfPixel());
  case CoordinateMode::half_pixel_symmetric: {
    Value adjustment = f.div(f.fromIndex(dim.result), dim.length);
    Value center = f.mul(f.fromIndex(dim.source), half);
    return f.add(f.mul(center, f.sub(one, adjustment)), halfPixel());
  }
  case CoordinateMode::tf_crop_and_resize: {
    ArrayRef<double> roi = *op.getRoi();
    double start = roi[dim.dim], end = roi[dim.dim + roi.size() / 2];
    Value extent = f.mul(f.constant(end - start), last);
    Value moved = f.select(isOne, f.mul(extent, half),
                           f.div(f.mul(i, extent), f.sub(dim.length, one)));
    return f.add(f.mul(f.constant(start), last), moved);
  }
  }
  llvm_unreachable("unknown coordinate mode");
}

/// `index` moved into [0, size).
static Value clampIndex(OpBuilder &b, Location loc, Value index,
                        OpFoldResult size) {
  IndexMath math(b, loc);
  Value last = math.value(math.sub(size, math.constant(1)));
  Value zero = math.value(math.constant(0));
  return arith::MaxSIOp::create(
      b, loc, arith::MinSIOp::create(b, loc, index, last), zero);
}

/// Rounds a coordinate as `mode` says.
static Value roundCoordinate(const FloatMath &f, NearestMode mode, Value x) {
  auto floorOf = [&](Value value) -> Value {
    return math::FloorOp::create(f.b, f.loc, value);
  };
  auto ceilOf = [&](Value value) -> Value {
    return math::CeilOp::create(f.b, f.loc, value);
  };
  switch (mode) {
  case NearestMode::floor:
    return floorOf(x);
  case NearestMode::ceil:
    return ceilOf(x);
  case NearestMode::round_prefer_floor:
    return ceilOf(f.sub(x, f.constant(0.5)));
  case NearestMode::round_prefer_ceil:
    return floorOf(f.add(x, f.constant(0.5)));
  }
  llvm_unreachable("unknown nearest mode");
}

/// True where coordinate `x` is outside the source.
static Value createIsOutside(const FloatMath &f, const ResizedDim &dim,
                             Value x) {
  Value last = f.sub(f.fromIndex(dim.source), f.constant(1.0));
  return arith::OrIOp::create(
      f.b, f.loc, f.compare(arith::CmpFPredicate::OLT, x, f.constant(0.0)),
      f.compare(arith::CmpFPredicate::OGT, x, last));
}

static bool hasOutside(ResizeOp op) {
  return op.getCoordinateMode() == CoordinateMode::tf_crop_and_resize;
}

/// A one-dimensional table over the result indices of `dim`; the body gets the
/// source coordinate.
static SmallVector<Value>
createTable(OpBuilder &builder, ResizeOp op, const ResizedDim &dim,
            ArrayRef<Type> types,
            function_ref<SmallVector<Value>(const FloatMath &, Value)> body) {
  Location loc = op.getLoc();
  SmallVector<Value> inits;
  for (Type type : types)
    inits.push_back(tensor::EmptyOp::create(builder, loc, dim.result, type));
  SmallVector<AffineMap> maps(types.size(), builder.getMultiDimIdentityMap(1));
  auto generic = createGeneric(
      builder, loc, {}, inits, maps, {true},
      [&](OpBuilder &b, Location l, ValueRange) -> SmallVector<Value> {
        FloatMath f{b, l, b.getF32Type()};
        Value index = linalg::IndexOp::create(b, l, 0);
        return body(f, createCoordinate(f, op, dim, f.fromIndex(index)));
      });
  return SmallVector<Value>(generic.getResults());
}

/// The value for outside coordinates as a scalar of `type`.
static Value createExtrapolation(OpBuilder &b, Location loc, ResizeOp op,
                                 Type type) {
  double value = op.getExtrapolationValue().convertToDouble();
  if (isa<FloatType>(type))
    return createFloat(b, loc, type, value);
  return arith::ConstantOp::create(
      b, loc, b.getIntegerAttr(type, static_cast<int64_t>(value)));
}

//===----------------------------------------------------------------------===//
// nearest
//===----------------------------------------------------------------------===//

static Value resizeNearest(OpBuilder &builder, ResizeOp op,
                           ArrayRef<ResizedDim> dims,
                           ArrayRef<OpFoldResult> sizes) {
  Location loc = op.getLoc();
  int64_t rank = sizes.size();
  SmallVector<Value> tables;
  SmallVector<AffineMap> maps;
  SmallVector<Type> types = {builder.getIndexType()};
  if (hasOutside(op))
    types.push_back(builder.getI1Type());
  for (const ResizedDim &dim : dims) {
    llvm::append_range(
        tables,
        createTable(builder, op, dim, types,
                    [&](const FloatMath &f, Value x) -> SmallVector<Value> {
                      Value rounded =
                          roundCoordinate(f, op.getNearestMode(), x);
                      SmallVector<Value> row = {clampIndex(
                          f.b, f.loc, f.toIndex(rounded), dim.source)};
                      if (hasOutside(op))
                        row.push_back(createIsOutside(f, dim, x));
                      return row;
                    }));
    maps.append(types.size(), getDimsMap(op.getContext(), rank, dim.dim));
  }
  return createElementwise(
      builder, loc, sizes, op.getType().getElementType(), tables, maps,
      [&](OpBuilder &b, Location l, ValueRange args) -> SmallVector<Value> {
        SmallVector<Value> indices;
        for (int64_t i = 0; i < rank; ++i)
          indices.push_back(linalg::IndexOp::create(b, l, i));
        Value outside;
        for (auto [i, dim] : llvm::enumerate(dims)) {
          indices[dim.dim] = args[i * types.size()];
          if (!hasOutside(op))
            continue;
          Value here = args[i * types.size() + 1];
          outside = outside
                        ? arith::OrIOp::create(b, l, outside, here).getResult()
                        : here;
        }
        Value y = tensor::ExtractOp::create(b, l, op.getX(), indices);
        if (outside)
          y = arith::SelectOp::create(
              b, l, outside, createExtrapolation(b, l, op, y.getType()), y);
        return {y};
      });
}

//===----------------------------------------------------------------------===//
// linear, cubic
//===----------------------------------------------------------------------===//

/// The filter's value at distance `u`.
static Value createFilter(const FloatMath &f, ResizeOp op, Value u) {
  Value distance = math::AbsFOp::create(f.b, f.loc, u);
  Value zero = f.constant(0.0), one = f.constant(1.0);
  if (op.getMode() == ResizeMode::linear)
    return arith::MaximumFOp::create(f.b, f.loc, f.sub(one, distance), zero);
  double a = op.getCubicCoeffA().convertToDouble();
  auto fma = [&](Value l, Value r, double c) {
    return f.add(f.mul(l, r), f.constant(c));
  };
  // (a+2)u^3 - (a+3)u^2 + 1, then a u^3 - 5a u^2 + 8a u - 4a.
  Value inner = fma(f.constant(a + 2), distance, -(a + 3));
  inner = fma(f.mul(inner, distance), distance, 1.0);
  Value outer = fma(f.constant(a), distance, -5 * a);
  outer = fma(outer, distance, 8 * a);
  outer = fma(outer, distance, -4 * a);
  Value isInner = f.compare(arith::CmpFPredicate::OLE, distance, one);
  Value isOuter =
      f.compare(arith::CmpFPredicate::OLT, distance, f.constant(2.0));
  return f.select(isInner, inner, f.select(isOuter, outer, zero));
}

namespace {
/// How the neighbours of a coordinate are numbered: tap t of coordinate x is
/// the source index floor(x) + start + t.
struct Taps {
  /// Number of taps and the offset of the first, both index.
  OpFoldResult count, start;
  /// min(scale, 1) where the filter is stretched.
  Value stretch;
  bool isNormalized;
};
} // namespace

/// The taps of `dim`: 2 or 4, or as many as the stretched filter covers.
static Taps createTaps(OpBuilder &builder, ResizeOp op, const ResizedDim &dim) {
  Location loc = op.getLoc();
  IndexMath math(builder, loc);
  int64_t support = op.getMode() == ResizeMode::linear ? 1 : 2;
  Taps taps{math.constant(2 * support), math.constant(1 - support), Value(),
            op.getAntialias() || op.getExcludeOutside()};
  if (!op.getAntialias() || (dim.constantScale && *dim.constantScale >= 1.0))
    return taps;
  FloatMath f{builder, loc, builder.getF32Type()};
  taps.stretch =
      arith::MinimumFOp::create(builder, loc, dim.scale, f.constant(1.0));
  Value reach = math::FloorOp::create(
      builder, loc,
      f.div(f.constant(-static_cast<double>(support)), taps.stretch));
  taps.start = math.add(f.toIndex(reach), math.constant(1));
  taps.count =
      math.sub(math.constant(2), math.mul(taps.start, math.constant(2)));
  return taps;
}

/// Weight (not normalised) and source index, not clamped, of the tap at
/// `offset` from `base`.
static std::pair<Value, Value> createTap(const FloatMath &f, ResizeOp op,
                                         const ResizedDim &dim,
                                         const Taps &taps, Value base,
                                         Value ratio, OpFoldResult offset) {
  IndexMath math(f.b, f.loc);
  Value u = f.sub(f.fromIndex(offset), ratio);
  if (taps.stretch)
    u = f.mul(u, taps.stretch);
  Value weight = createFilter(f, op, u);
  Value index = math.value(math.add(base, offset));
  if (op.getExcludeOutside()) {
    Value inside = arith::CmpIOp::create(f.b, f.loc, arith::CmpIPredicate::ult,
                                         index, math.value(dim.source));
    weight = f.select(inside, weight, f.constant(0.0));
  }
  return {weight, index};
}

/// The integer and the fractional part of a coordinate.
static std::pair<Value, Value> splitCoordinate(const FloatMath &f, Value x) {
  Value whole = math::FloorOp::create(f.b, f.loc, x);
  return {f.toIndex(whole), f.sub(x, whole)};
}

/// The elements of `source` read at `index` in dimension `dim` by the generic
/// around, as a scalar of `type`.
static Value readSource(OpBuilder &b, Location loc, Value source, int64_t dim,
                        Value index, Type type, bool isUnsigned) {
  SmallVector<Value> indices;
  int64_t rank = cast<RankedTensorType>(source.getType()).getRank();
  for (int64_t i = 0; i < rank; ++i)
    indices.push_back(i == dim ? index : linalg::IndexOp::create(b, loc, i));
  Value value = tensor::ExtractOp::create(b, loc, source, indices);
  if (isa<FloatType>(value.getType()))
    return castFloat(b, loc, value, type);
  if (isUnsigned)
    return arith::UIToFPOp::create(b, loc, type, value);
  return arith::SIToFPOp::create(b, loc, type, value);
}

/// Resizes `source` along `dim` with a known number of taps: tables of indices
/// and normalised weights, then one element-wise generic.
static Value interpolateUnrolled(OpBuilder &builder, ResizeOp op,
                                 const ResizedDim &dim, const Taps &taps,
                                 Value source, Type type,
                                 ArrayRef<OpFoldResult> sizes) {
  Location loc = op.getLoc();
  int64_t count = *getConstantIntValue(taps.count);
  int64_t start = *getConstantIntValue(taps.start);
  SmallVector<Type> types(count, builder.getIndexType());
  types.append(count, builder.getF32Type());
  if (hasOutside(op))
    types.push_back(builder.getI1Type());
  SmallVector<Value> tables = createTable(
      builder, op, dim, types,
      [&](const FloatMath &f, Value x) -> SmallVector<Value> {
        IndexMath math(f.b, f.loc);
        auto [base, ratio] = splitCoordinate(f, x);
        SmallVector<Value> row, weights;
        Value sum;
        for (int64_t t = 0; t < count; ++t) {
          auto [weight, index] = createTap(f, op, dim, taps, base, ratio,
                                           math.constant(start + t));
          row.push_back(clampIndex(f.b, f.loc, index, dim.source));
          weights.push_back(weight);
          sum = sum ? f.add(sum, weight) : weight;
        }
        for (Value weight : weights)
          row.push_back(taps.isNormalized ? f.div(weight, sum) : weight);
        if (hasOutside(op))
          row.push_back(createIsOutside(f, dim, x));
        return row;
      });
  SmallVector<AffineMap> maps(
      tables.size(), getDimsMap(op.getContext(), sizes.size(), dim.dim));
  return createElementwise(
      builder, loc, sizes, type, tables, maps,
      [&](OpBuilder &b, Location l, ValueRange args) -> SmallVector<Value> {
        FloatMath f{b, l, type};
        Value y;
        for (int64_t t = 0; t < count; ++t) {
          Value element = readSource(b, l, source, dim.dim, args[t], type,
                                     op.getIsUnsigned());
          Value term = f.mul(castFloat(b, l, args[count + t], type), element);
          y = y ? f.add(y, term) : term;
        }
        if (hasOutside(op))
          y = f.select(args[2 * count], createExtrapolation(b, l, op, type), y);
        return {y};
      });
}

/// The same with a number of taps that is known at run time only: the sum over
/// taps is a reduction loop.
static Value interpolateLooped(OpBuilder &builder, ResizeOp op,
                               const ResizedDim &dim, const Taps &taps,
                               Value source, Type type,
                               ArrayRef<OpFoldResult> sizes) {
  Location loc = op.getLoc();
  MLIRContext *context = op.getContext();
  SmallVector<Type> types = {builder.getIndexType(), builder.getF32Type()};
  if (hasOutside(op))
    types.push_back(builder.getI1Type());
  SmallVector<Value> tables =
      createTable(builder, op, dim, types,
                  [&](const FloatMath &f, Value x) -> SmallVector<Value> {
                    auto [base, ratio] = splitCoordinate(f, x);
                    SmallVector<Value> row = {base, ratio};
                    if (hasOutside(op))
                      row.push_back(createIsOutside(f, dim, x));
                    return row;
                  });
  Value shape =
      tensor::EmptyOp::create(builder, loc, taps.count, builder.getI1Type());
  auto getOffset = [&](OpBuilder &b, Location l, int64_t loop) {
    Value tap = linalg::IndexOp::create(b, l, loop);
    return IndexMath(b, l).add(tap, taps.start);
  };

  // The sum of the weights of each result index.
  AffineMap outer = getDimsMap(context, 2, 0),
            inner = getDimsMap(context, 2, 1);
  Value zeros = createZeros(builder, loc, dim.result, builder.getF32Type());
  Value total =
      createGeneric(
          builder, loc, {tables[0], tables[1], shape}, zeros,
          {outer, outer, inner, outer}, {true, false},
          [&](OpBuilder &b, Location l, ValueRange args) -> SmallVector<Value> {
            FloatMath f{b, l, b.getF32Type()};
            auto [weight, index] = createTap(f, op, dim, taps, args[0], args[1],
                                             getOffset(b, l, 1));
            return {f.add(args.back(), weight)};
          })
          .getResult(0);

  int64_t rank = sizes.size();
  AffineMap along = getDimsMap(context, rank + 1, dim.dim);
  SmallVector<int64_t> resultDims =
      llvm::to_vector(llvm::seq<int64_t>(0, rank));
  SmallVector<bool> isParallel(rank + 1, true);
  isParallel.back() = false;
  Value sum =
      createGeneric(
          builder, loc, {tables[0], tables[1], total, shape},
          createZeros(builder, loc, sizes, type),
          {along, along, along, getDimsMap(context, rank + 1, rank),
           getDimsMap(context, rank + 1, resultDims)},
          isParallel,
          [&](OpBuilder &b, Location l, ValueRange args) -> SmallVector<Value> {
            FloatMath f{b, l, b.getF32Type()};
            auto [weight, index] = createTap(f, op, dim, taps, args[0], args[1],
                                             getOffset(b, l, rank));
            Value element = readSource(b, l, source, dim.dim,
                                       clampIndex(b, l, index, dim.source),
                                       type, op.getIsUnsigned());
            FloatMath wide{b, l, type};
            Value share = castFloat(b, l, f.div(weight, args[2]), type);
            return {wide.add(args.back(), wide.mul(share, element))};
          })
          .getResult(0);
  if (!hasOutside(op))
    return sum;
  return createElementwise(
      builder, loc, sizes, type, {sum, tables[2]},
      {builder.getMultiDimIdentityMap(rank),
       getDimsMap(context, rank, dim.dim)},
      [&](OpBuilder &b, Location l, ValueRange args) -> SmallVector<Value> {
        return {arith::SelectOp::create(
            b, l, args[1], createExtrapolation(b, l, op, type), args[0])};
      });
}

/// The interpolated values in the result's element type: rounded, integers half
/// to even and saturated.
static Value castResult(OpBuilder &builder, ResizeOp op, Value value,
                        ArrayRef<OpFoldResult> sizes) {
  Type type = op.getType().getElementType();
  if (getElementTypeOrSelf(value) == type)
    return value;
  return createElementwise(
      builder, op.getLoc(), sizes, type, value,
      builder.getMultiDimIdentityMap(sizes.size()),
      [&](OpBuilder &b, Location l, ValueRange args) -> SmallVector<Value> {
        if (isa<FloatType>(type))
          return {castFloat(b, l, args[0], type)};
        // f64 holds the limits of all integers up to 32 bits.
        FloatMath f{b, l, b.getF64Type()};
        unsigned width = type.getIntOrFloatBitWidth();
        bool isUnsigned = op.getIsUnsigned();
        double low = isUnsigned ? 0.0 : -std::ldexp(1.0, width - 1);
        double high = std::ldexp(1.0, width - (isUnsigned ? 0 : 1)) - 1;
        Value x = castFloat(b, l, args[0], f.type);
        x = math::RoundEvenOp::create(b, l, x);
        x = arith::MaxNumFOp::create(b, l, x, f.constant(low));
        x = arith::MinNumFOp::create(b, l, x, f.constant(high));
        if (isUnsigned)
          return {arith::FPToUIOp::create(b, l, type, x)};
        return {arith::FPToSIOp::create(b, l, type, x)};
      });
}

namespace {
struct ResizeToGeneric final : OpRewritePattern<ResizeOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(ResizeOp op,
                                PatternRewriter &rewriter) const override {
    ReifiedRankedShapedTypeDims shapes;
    if (failed(reifyResultShapes(rewriter, op, shapes)))
      return rewriter.notifyMatchFailure(op, "result shape cannot be reified");
    ArrayRef<OpFoldResult> sizes = shapes[0];
    SmallVector<ResizedDim> dims = getResizedDims(rewriter, op, sizes);
    if (op.getMode() == ResizeMode::nearest) {
      rewriter.replaceOp(op, resizeNearest(rewriter, op, dims, sizes));
      return success();
    }
    Type elementType = op.getType().getElementType();
    Type type = isa<FloatType>(elementType) ? getAccumulatorType(elementType)
                                            : rewriter.getF32Type();
    Value value = op.getX();
    SmallVector<OpFoldResult> current =
        getSizes(rewriter, op.getLoc(), op.getX());
    for (const ResizedDim &dim : dims) {
      current[dim.dim] = dim.result;
      Taps taps = createTaps(rewriter, op, dim);
      auto interpolate = taps.stretch ? interpolateLooped : interpolateUnrolled;
      value = interpolate(rewriter, op, dim, taps, value, type, current);
    }
    value = castResult(rewriter, op, value, sizes);
    if (value.getType() != op.getType())
      value =
          tensor::CastOp::create(rewriter, op.getLoc(), op.getType(), value);
    rewriter.replaceOp(op, value);
    return success();
  }
};
} // namespace

void mlir::dlc::populateResizeToLinalgPatterns(RewritePatternSet &patterns) {
  patterns.add<ResizeToGeneric>(patterns.getContext());
}
