//===- ConvToLinalg.cpp - Convolutions to linalg --------------------------===//
//
// Every convolution becomes one linalg.generic whose input map is
// `p * stride + k * dilation`, after padding; a transposed one is a convolution
// of the zero-dilated input with reversed weights.
//
//===----------------------------------------------------------------------===//

#include "LoweringUtils.h"
#include "WindowLowering.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::dlc;

namespace {
/// A convolution apart from its op; low and high padding may be negative and
/// known at run time only.
struct Convolution {
  Value x, w;
  SmallVector<OpFoldResult> padLow, padHigh;
  SmallVector<int64_t> strides, dilations, inputDilations;
  int64_t groups;
  bool channelsLast;
  SmallVector<OpFoldResult> resultSizes;
  RankedTensorType resultType;
  ContractionTypes types;

  int64_t getNumSpatial() const { return strides.size(); }
  /// Positions of the channel and of the first spatial dimension.
  int64_t channelDim() const { return channelsLast ? getNumSpatial() + 1 : 1; }
  int64_t spatialDim() const { return channelsLast ? 1 : 2; }
  int64_t weightChannelDim() const {
    return channelsLast ? getNumSpatial() : 1;
  }
  int64_t weightOutputDim() const {
    return channelsLast ? getNumSpatial() + 1 : 0;
  }
  int64_t weightSpatialDim() const { return channelsLast ? 0 : 2; }
};
} // namespace

static bool areAllZero(ArrayRef<OpFoldResult> sizes) {
  return llvm::all_of(
      sizes, [](OpFoldResult size) { return getConstantIntValue(size) == 0; });
}

Value mlir::dlc::padSpatialDims(OpBuilder &builder, Location loc, Value tensor,
                                int64_t firstDim, ArrayRef<OpFoldResult> low,
                                ArrayRef<OpFoldResult> high, TypedAttr value) {
  if (areAllZero(low) && areAllZero(high))
    return tensor;
  int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
  SmallVector<OpFoldResult> allLow(rank, builder.getIndexAttr(0)),
      allHigh = allLow;
  llvm::copy(low, allLow.begin() + firstDim);
  llvm::copy(high, allHigh.begin() + firstDim);
  Value scalar = arith::ConstantOp::create(builder, loc, value);
  return tensor::PadOp::create(builder, loc, /*result=*/Type(), tensor, allLow,
                               allHigh, scalar);
}

/// x with zeros between and around the elements of its spatial dimensions, and
/// cut where the padding is negative.
static Value padInput(OpBuilder &builder, Location loc,
                      const Convolution &conv) {
  IndexMath math(builder, loc);
  OpFoldResult zero = math.constant(0), one = math.constant(1);
  SmallVector<OpFoldResult> low, high, cutLow, cutHigh;
  for (auto [l, h] : llvm::zip(conv.padLow, conv.padHigh)) {
    low.push_back(math.max(l, zero));
    high.push_back(math.max(h, zero));
    cutLow.push_back(math.sub(low.back(), l));
    cutHigh.push_back(math.sub(high.back(), h));
  }
  int64_t first = conv.spatialDim(), spatial = conv.getNumSpatial();
  Type elementType = getElementTypeOrSelf(conv.x);
  Value padded = conv.x;
  if (llvm::all_of(conv.inputDilations, [](int64_t d) { return d == 1; })) {
    padded = padSpatialDims(builder, loc, conv.x, first, low, high,
                            cast<TypedAttr>(builder.getZeroAttr(elementType)));
  } else {
    SmallVector<OpFoldResult> sizes = getSizes(builder, loc, conv.x);
    SmallVector<OpFoldResult> sourceSizes = sizes, offsets(sizes.size(), zero),
                              strides(sizes.size(), one);
    for (int64_t i = 0; i < spatial; ++i) {
      OpFoldResult dilation = math.constant(conv.inputDilations[i]);
      OpFoldResult &size = sizes[first + i];
      size = math.max(math.add(math.mul(math.sub(size, one), dilation), one),
                      zero);
      size = math.add(size, math.add(low[i], high[i]));
      offsets[first + i] = low[i];
      strides[first + i] = dilation;
    }
    Value zeros = createZeros(builder, loc, sizes, elementType);
    padded = tensor::InsertSliceOp::create(builder, loc, conv.x, zeros, offsets,
                                           sourceSizes, strides);
  }
  if (areAllZero(cutLow) && areAllZero(cutHigh))
    return padded;
  SmallVector<OpFoldResult> sizes = getSizes(builder, loc, padded);
  SmallVector<OpFoldResult> offsets(sizes.size(), zero),
      strides(sizes.size(), one);
  for (int64_t i = 0; i < spatial; ++i) {
    OpFoldResult &size = sizes[first + i];
    size = math.max(math.sub(math.sub(size, cutLow[i]), cutHigh[i]), zero);
    offsets[first + i] = cutLow[i];
  }
  return tensor::ExtractSliceOp::create(builder, loc, padded, offsets, sizes,
                                        strides);
}

namespace {
/// The loops of a convolution: batch, group (if any), output channel, output
/// position, then the sums over channel and kernel. Absent loops are -1.
struct ConvLoops {
  int64_t batch, group, output, channel;
  SmallVector<int64_t> position, kernel;
  int64_t count = 0;
  SmallVector<bool> isParallel;

  int64_t add(bool parallel) {
    isParallel.push_back(parallel);
    return count++;
  }
};
} // namespace

/// Appends the group and channel expressions of one operand.
static void appendChannels(SmallVectorImpl<AffineExpr> &exprs,
                           MLIRContext *context, int64_t group,
                           int64_t channel) {
  if (group >= 0)
    exprs.push_back(getAffineDimExpr(group, context));
  if (channel >= 0)
    exprs.push_back(getAffineDimExpr(channel, context));
}

static SmallVector<AffineMap> getConvMaps(MLIRContext *context,
                                          const Convolution &conv,
                                          const ConvLoops &loops) {
  auto dim = [&](int64_t loop) { return getAffineDimExpr(loop, context); };
  SmallVector<AffineExpr> input, kernel, output;
  for (auto [i, stride] : llvm::enumerate(conv.strides)) {
    input.push_back(dim(loops.position[i]) * stride +
                    dim(loops.kernel[i]) * conv.dilations[i]);
    kernel.push_back(dim(loops.kernel[i]));
    output.push_back(dim(loops.position[i]));
  }
  SmallVector<AffineExpr> x = {dim(loops.batch)}, w, y = {dim(loops.batch)};
  // The channel of w within a group is never split, so it has its own loop or
  // is the constant 0.
  AffineExpr channel = loops.channel >= 0 ? dim(loops.channel)
                                          : getAffineConstantExpr(0, context);
  if (conv.channelsLast) {
    x.append(input);
    y.append(output);
    w.append(kernel);
    w.push_back(channel);
    appendChannels(w, context, loops.group, loops.output);
  }
  appendChannels(x, context, loops.group, loops.channel);
  appendChannels(y, context, loops.group, loops.output);
  if (!conv.channelsLast) {
    appendChannels(w, context, loops.group, loops.output);
    w.push_back(channel);
    x.append(input);
    y.append(output);
    w.append(kernel);
  }
  return {AffineMap::get(loops.count, 0, x, context),
          AffineMap::get(loops.count, 0, w, context),
          AffineMap::get(loops.count, 0, y, context)};
}

/// Emits `conv`. With groups the channel dimensions are split into (group,
/// channel), except where a group has one channel.
static Value lowerConvolution(OpBuilder &builder, Location loc,
                              Convolution conv) {
  IndexMath math(builder, loc);
  Value x = padInput(builder, loc, conv), w = conv.w;
  auto wType = cast<RankedTensorType>(w.getType());
  SmallVector<OpFoldResult> sizes = conv.resultSizes;
  OpFoldResult groups = math.constant(conv.groups);
  ConvLoops loops;
  bool grouped = conv.groups > 1;
  int64_t outputs = wType.getDimSize(conv.weightOutputDim());
  bool oneOutput = grouped && outputs == conv.groups;
  bool oneChannel = grouped && wType.getDimSize(conv.weightChannelDim()) == 1;

  loops.batch = loops.add(/*parallel=*/true);
  auto addChannelLoops = [&] {
    loops.group = grouped ? loops.add(true) : -1;
    loops.output = oneOutput ? -1 : loops.add(true);
  };
  auto addPositionLoops = [&] {
    for (int64_t i = 0; i < conv.getNumSpatial(); ++i)
      loops.position.push_back(loops.add(true));
  };
  if (conv.channelsLast) {
    addPositionLoops();
    addChannelLoops();
  } else {
    addChannelLoops();
    addPositionLoops();
  }
  loops.channel = oneChannel ? -1 : loops.add(false);
  for (int64_t i = 0; i < conv.getNumSpatial(); ++i)
    loops.kernel.push_back(loops.add(false));

  if (grouped && !oneChannel)
    x = expandDim(builder, loc, x, conv.channelDim(), groups,
                  math.size(w, conv.weightChannelDim()));
  bool splitOutput = grouped && !oneOutput;
  if (splitOutput) {
    OpFoldResult perGroup =
        math.floorDiv(math.size(w, conv.weightOutputDim()), groups);
    w = expandDim(builder, loc, w, conv.weightOutputDim(), groups, perGroup);
    sizes[conv.channelDim()] = groups;
    sizes.insert(sizes.begin() + conv.channelDim() + 1, perGroup);
  }
  Value result = createContraction(
      builder, loc, x, w, sizes, getConvMaps(builder.getContext(), conv, loops),
      loops.isParallel, conv.types);
  if (splitOutput)
    result =
        collapseDims(builder, loc, result, conv.channelDim(), conv.resultType);
  return result;
}

/// The weights [IC, OC/g, K...] of a transposed convolution as those of a
/// convolution: [OC, IC/g, K...] with the kernel reversed.
static Value reverseWeights(OpBuilder &builder, Location loc, Value w,
                            int64_t groups) {
  IndexMath math(builder, loc);
  SmallVector<OpFoldResult> source = getSizes(builder, loc, w);
  SmallVector<OpFoldResult> sizes = source;
  OpFoldResult count = math.constant(groups);
  OpFoldResult outputs = source[1], channels = math.floorDiv(source[0], count);
  sizes[0] = math.mul(outputs, count);
  sizes[1] = channels;
  return createElementwise(
      builder, loc, sizes, getElementTypeOrSelf(w), {}, {},
      [&](OpBuilder &b, Location l, ValueRange) -> SmallVector<Value> {
        IndexMath inner(b, l);
        SmallVector<OpFoldResult> at;
        for (size_t i = 0; i < sizes.size(); ++i)
          at.push_back(linalg::IndexOp::create(b, l, i).getResult());
        OpFoldResult group = inner.floorDiv(at[0], outputs);
        if (groups == 1)
          group = inner.constant(0);
        SmallVector<Value> indices = {
            inner.value(inner.add(inner.mul(group, channels), at[1])),
            inner.value(inner.sub(at[0], inner.mul(group, outputs)))};
        for (size_t i = 2; i < sizes.size(); ++i)
          indices.push_back(inner.value(
              inner.sub(inner.sub(source[i], inner.constant(1)), at[i])));
        return {tensor::ExtractOp::create(b, l, w, indices)};
      });
}

namespace {
struct ConvToGeneric final : OpRewritePattern<ConvOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(ConvOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    IndexMath math(rewriter, loc);
    Convolution conv;
    conv.x = op.getX();
    conv.w = op.getW();
    for (const WindowDim &dim : getWindowDims(op)) {
      conv.padLow.push_back(math.constant(dim.padLow));
      conv.padHigh.push_back(math.constant(dim.padHigh));
      conv.strides.push_back(dim.stride);
      conv.dilations.push_back(dim.dilation);
      conv.inputDilations.push_back(dim.inputDilation);
    }
    conv.groups = op.getGroups();
    conv.channelsLast = op.getChannelsLast();
    conv.resultType = op.getType();
    conv.types = {op.getType().getElementType(), op.getUnsignedA(),
                  op.getUnsignedB()};
    emitCheckEqual(
        rewriter, op, math.size(conv.x, conv.channelDim()),
        math.mul(math.size(conv.w, conv.weightChannelDim()),
                 math.constant(conv.groups)),
        "the channels of 'x' and groups times the channel size of 'w'");
    ReifiedRankedShapedTypeDims shapes;
    if (failed(reifyResultShapes(rewriter, op, shapes)))
      return rewriter.notifyMatchFailure(op, "result shape cannot be reified");
    conv.resultSizes = shapes[0];
    rewriter.replaceOp(op, lowerConvolution(rewriter, loc, conv));
    return success();
  }
};

struct ConvTransposeToGeneric final : OpRewritePattern<ConvTransposeOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(ConvTransposeOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    IndexMath math(rewriter, loc);
    emitCheckEqual(rewriter, op, math.size(op.getX(), 1),
                   math.size(op.getW(), 0),
                   "the channels of 'x' and dimension 0 of 'w'");
    Convolution conv;
    conv.x = op.getX();
    conv.w = reverseWeights(rewriter, loc, op.getW(), op.getGroups());
    for (auto [i, dim] : llvm::enumerate(getWindowDims(op))) {
      OpFoldResult reach =
          math.mul(math.sub(math.size(op.getW(), i + 2), math.constant(1)),
                   math.constant(dim.dilation));
      conv.padLow.push_back(math.sub(reach, math.constant(dim.padLow)));
      conv.padHigh.push_back(
          math.add(reach, math.constant(dim.outputPadding - dim.padHigh)));
      conv.strides.push_back(1);
      conv.dilations.push_back(dim.dilation);
      conv.inputDilations.push_back(dim.stride);
    }
    conv.groups = op.getGroups();
    conv.channelsLast = false;
    conv.resultType = op.getType();
    conv.types = {op.getType().getElementType(), op.getUnsignedA(),
                  op.getUnsignedB()};
    ReifiedRankedShapedTypeDims shapes;
    if (failed(reifyResultShapes(rewriter, op, shapes)))
      return rewriter.notifyMatchFailure(op, "result shape cannot be reified");
    conv.resultSizes = shapes[0];
    rewriter.replaceOp(op, lowerConvolution(rewriter, loc, conv));
    return success();
  }
};
} // namespace

void mlir::dlc::populateConvToLinalgPatterns(RewritePatternSet &patterns) {
  patterns.add<ConvToGeneric, ConvTransposeToGeneric>(patterns.getContext());
}
