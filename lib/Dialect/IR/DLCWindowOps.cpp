//===- DLCWindowOps.cpp - Convolutions and window reductions --------------===//
//
// Type inference, shape reification and verification of the windowed ops in
// DLCContractionOps.td.
//
//===----------------------------------------------------------------------===//

#include "DLC/Dialect/IR/DLCWindow.h"

#include "DLCContractionTypes.h"

using namespace mlir;
using namespace mlir::dlc;

//===----------------------------------------------------------------------===//
// Geometry
//===----------------------------------------------------------------------===//

SmallVector<WindowDim>
mlir::dlc::getWindowDims(int64_t rank, ArrayRef<int64_t> strides,
                         ArrayRef<int64_t> pads, ArrayRef<int64_t> dilations,
                         ArrayRef<int64_t> inputDilations, bool ceilMode) {
  SmallVector<WindowDim> dims(rank);
  for (auto [i, dim] : llvm::enumerate(dims)) {
    if (!strides.empty())
      dim.stride = strides[i];
    if (!pads.empty()) {
      dim.padLow = pads[i];
      dim.padHigh = pads[rank + i];
    }
    if (!dilations.empty())
      dim.dilation = dilations[i];
    if (!inputDilations.empty())
      dim.inputDilation = inputDilations[i];
    dim.ceilMode = ceilMode;
  }
  return dims;
}

SmallVector<WindowDim> mlir::dlc::getWindowDims(ConvOp op) {
  return getWindowDims(op.getX().getType().getRank() - 2, op.getStrides(),
                       op.getPads(), op.getDilations(), op.getInputDilations(),
                       /*ceilMode=*/false);
}

static SmallVector<WindowDim>
getTransposedWindowDims(ConvTransposeOp::Adaptor op) {
  SmallVector<WindowDim> dims = getWindowDims(
      cast<RankedTensorType>(op.getX().getType()).getRank() - 2,
      op.getStrides(), op.getPads(), op.getDilations(), {}, /*ceilMode=*/false);
  if (!op.getOutputPadding().empty())
    for (auto [dim, padding] : llvm::zip(dims, op.getOutputPadding()))
      dim.outputPadding = padding;
  return dims;
}

SmallVector<WindowDim> mlir::dlc::getWindowDims(ConvTransposeOp op) {
  return getTransposedWindowDims(ConvTransposeOp::Adaptor(op));
}

template <typename OpTy> static SmallVector<WindowDim> getPoolDims(OpTy op) {
  return getWindowDims(op.getWindow().size(), op.getStrides(), op.getPads(),
                       op.getDilations(), {}, op.getCeilMode());
}
SmallVector<WindowDim> mlir::dlc::getWindowDims(ReduceWindowOp op) {
  return getPoolDims(op);
}
SmallVector<WindowDim> mlir::dlc::getWindowDims(WindowArgMaxOp op) {
  return getPoolDims(op);
}

OpFoldResult mlir::dlc::reifyWindowedSize(const IndexMath &math,
                                          OpFoldResult input,
                                          OpFoldResult window,
                                          const WindowDim &dim) {
  OpFoldResult zero = math.constant(0), one = math.constant(1);
  OpFoldResult dilated = input;
  if (dim.inputDilation != 1) {
    dilated = math.add(
        math.mul(math.sub(input, one), math.constant(dim.inputDilation)), one);
    dilated = math.max(dilated, zero);
  }
  // Where the first window is out of reach, the size is negative until clamped.
  OpFoldResult extent = math.add(
      math.mul(math.sub(window, one), math.constant(dim.dilation)), one);
  OpFoldResult room = math.sub(
      math.add(dilated, math.constant(dim.padLow + dim.padHigh)), extent);
  OpFoldResult stride = math.constant(dim.stride);
  OpFoldResult steps =
      dim.ceilMode ? math.ceilDiv(room, stride) : math.floorDiv(room, stride);
  OpFoldResult size = math.add(steps, one);
  if (dim.ceilMode && dim.stride != 1)
    // No window starts in the padding past the end.
    size =
        math.decrementIfAtLeast(size, math.mul(steps, stride),
                                math.add(dilated, math.constant(dim.padLow)));
  return math.max(size, zero);
}

OpFoldResult mlir::dlc::reifyTransposedSize(const IndexMath &math,
                                            OpFoldResult input,
                                            OpFoldResult window,
                                            const WindowDim &dim) {
  OpFoldResult one = math.constant(1);
  OpFoldResult size = math.mul(math.sub(input, one), math.constant(dim.stride));
  size = math.add(size,
                  math.mul(math.sub(window, one), math.constant(dim.dilation)));
  size = math.add(
      size, math.constant(1 + dim.outputPadding - dim.padLow - dim.padHigh));
  return math.max(size, math.constant(0));
}

/// Runs one of the two functions above on constants, which emits nothing.
template <typename Reify>
static int64_t inferSize(MLIRContext *context, int64_t input, int64_t window,
                         const WindowDim &dim, Reify reify) {
  if (ShapedType::isDynamic(input) || ShapedType::isDynamic(window))
    return ShapedType::kDynamic;
  OpBuilder builder(context);
  IndexMath math(builder, builder.getUnknownLoc());
  return *getConstantIntValue(
      reify(math, math.constant(input), math.constant(window), dim));
}

int64_t mlir::dlc::inferWindowedSize(MLIRContext *context, int64_t input,
                                     int64_t window, const WindowDim &dim) {
  return inferSize(context, input, window, dim, reifyWindowedSize);
}

int64_t mlir::dlc::inferTransposedSize(MLIRContext *context, int64_t input,
                                       int64_t window, const WindowDim &dim) {
  return inferSize(context, input, window, dim, reifyTransposedSize);
}

//===----------------------------------------------------------------------===//
// Checks that inference needs
//===----------------------------------------------------------------------===//

namespace {
/// Where and under which name the checks below report.
struct Reporter {
  std::optional<Location> location;
  StringRef opName;

  template <typename... Args> LogicalResult operator()(Args &&...args) const {
    return emitOptionalError(location, "'", opName, "' op expected ",
                             std::forward<Args>(args)...);
  }
};
} // namespace

/// `list` holds `count` numbers that are at least `least`, or is absent.
static LogicalResult checkList(const Reporter &report, StringRef name,
                               ArrayRef<int64_t> list, int64_t count,
                               int64_t least) {
  if (list.empty())
    return success();
  if (static_cast<int64_t>(list.size()) != count)
    return report("'", name, "' to hold ", count, " numbers, but got ",
                  list.size());
  for (int64_t value : list)
    if (value < least)
      return report("'", name, "' to hold numbers of at least ", least,
                    ", but got ", value);
  return success();
}

static LogicalResult checkConvRanks(const Reporter &report, RankedTensorType x,
                                    RankedTensorType w) {
  if (x.getRank() < 3)
    return report("the rank of 'x' to be at least 3, but got ", x.getRank());
  if (w.getRank() != x.getRank())
    return report("the rank of 'w' to be ", x.getRank(),
                  " as that of 'x', but got ", w.getRank());
  return success();
}

static LogicalResult checkGroups(const Reporter &report, int64_t groups) {
  if (groups < 1)
    return report("'groups' to be positive, but got ", groups);
  return success();
}

static LogicalResult checkDivisible(const Reporter &report, StringRef what,
                                    int64_t size, int64_t groups) {
  if (!ShapedType::isDynamic(size) && size % groups != 0)
    return report(what, " to be a multiple of 'groups' = ", groups,
                  ", but got ", size);
  return success();
}

//===----------------------------------------------------------------------===//
// conv
//===----------------------------------------------------------------------===//

static LogicalResult checkConv(const Reporter &report, ConvOp::Adaptor op) {
  auto x = cast<RankedTensorType>(op.getX().getType());
  auto w = cast<RankedTensorType>(op.getW().getType());
  // C2
  if (failed(checkConvRanks(report, x, w)))
    return failure();
  int64_t spatial = x.getRank() - 2;
  // C3, C4
  if (failed(checkList(report, "strides", op.getStrides(), spatial, 1)) ||
      failed(checkList(report, "dilations", op.getDilations(), spatial, 1)) ||
      failed(checkList(report, "input_dilations", op.getInputDilations(),
                       spatial, 1)) ||
      failed(checkList(report, "pads", op.getPads(), 2 * spatial, 0)))
    return failure();
  // C5
  int64_t groups = op.getGroups();
  bool last = op.getChannelsLast();
  int64_t channels = x.getDimSize(last ? spatial + 1 : 1);
  int64_t perGroup = w.getDimSize(last ? spatial : 1);
  int64_t outputs = w.getDimSize(last ? spatial + 1 : 0);
  if (failed(checkGroups(report, groups)) ||
      failed(checkDivisible(report, "the number of channels of 'x'", channels,
                            groups)) ||
      failed(checkDivisible(report, "the number of output channels of 'w'",
                            outputs, groups)))
    return failure();
  if (!ShapedType::isDynamic(channels) && !ShapedType::isDynamic(perGroup) &&
      channels != perGroup * groups)
    return report("the channel size of 'w' to be ", channels / groups,
                  " (channels of 'x' / groups), but got ", perGroup);
  return success();
}

LogicalResult ConvOp::inferReturnTypes(MLIRContext *context,
                                       std::optional<Location> location,
                                       Adaptor op,
                                       SmallVectorImpl<Type> &types) {
  if (failed(checkConv({location, getOperationName()}, op)))
    return failure();
  auto x = cast<RankedTensorType>(op.getX().getType());
  auto w = cast<RankedTensorType>(op.getW().getType());
  int64_t spatial = x.getRank() - 2;
  bool last = op.getChannelsLast();
  SmallVector<WindowDim> dims =
      getWindowDims(spatial, op.getStrides(), op.getPads(), op.getDilations(),
                    op.getInputDilations(), /*ceilMode=*/false);
  SmallVector<int64_t> shape(x.getRank());
  shape[0] = x.getDimSize(0);
  shape[last ? spatial + 1 : 1] = w.getDimSize(last ? spatial + 1 : 0);
  for (int64_t i = 0; i < spatial; ++i)
    shape[i + (last ? 1 : 2)] =
        inferWindowedSize(context, x.getDimSize(i + (last ? 1 : 2)),
                          w.getDimSize(i + (last ? 0 : 2)), dims[i]);
  types.push_back(RankedTensorType::get(
      shape, getContractionElementType(x.getElementType())));
  return success();
}

bool ConvOp::isCompatibleReturnTypes(TypeRange inferred, TypeRange actual) {
  return areContractionTypesCompatible(inferred, actual);
}

LogicalResult ConvOp::reifyResultShapes(OpBuilder &builder,
                                        ReifiedRankedShapedTypeDims &shapes) {
  IndexMath math(builder, getLoc());
  int64_t rank = getX().getType().getRank(), spatial = rank - 2;
  bool last = getChannelsLast();
  SmallVector<WindowDim> dims = getWindowDims(*this);
  SmallVector<OpFoldResult> sizes(rank);
  sizes[0] = math.size(getX(), 0);
  sizes[last ? spatial + 1 : 1] = math.size(getW(), last ? spatial + 1 : 0);
  for (int64_t i = 0; i < spatial; ++i)
    sizes[i + (last ? 1 : 2)] =
        reifyWindowedSize(math, math.size(getX(), i + (last ? 1 : 2)),
                          math.size(getW(), i + (last ? 0 : 2)), dims[i]);
  shapes.push_back(matchSizesToType(builder, getLoc(), sizes, getType()));
  return success();
}

//===----------------------------------------------------------------------===//
// conv_transpose
//===----------------------------------------------------------------------===//

static LogicalResult checkConvTranspose(const Reporter &report,
                                        ConvTransposeOp::Adaptor op) {
  auto x = cast<RankedTensorType>(op.getX().getType());
  auto w = cast<RankedTensorType>(op.getW().getType());
  // C2
  if (failed(checkConvRanks(report, x, w)))
    return failure();
  int64_t spatial = x.getRank() - 2;
  // C3, C4
  if (failed(checkList(report, "strides", op.getStrides(), spatial, 1)) ||
      failed(checkList(report, "dilations", op.getDilations(), spatial, 1)) ||
      failed(checkList(report, "pads", op.getPads(), 2 * spatial,
                       std::numeric_limits<int64_t>::min())) ||
      failed(checkList(report, "output_padding", op.getOutputPadding(), spatial,
                       0)))
    return failure();
  // C5
  if (failed(checkGroups(report, op.getGroups())) ||
      failed(checkDivisible(report, "the number of channels of 'x'",
                            x.getDimSize(1), op.getGroups())))
    return failure();
  if (!ShapedType::isDynamic(x.getDimSize(1)) &&
      !ShapedType::isDynamic(w.getDimSize(0)) &&
      x.getDimSize(1) != w.getDimSize(0))
    return report("dimension 0 of 'w' to be ", x.getDimSize(1),
                  " as the channels of 'x', but got ", w.getDimSize(0));
  return success();
}

LogicalResult
ConvTransposeOp::inferReturnTypes(MLIRContext *context,
                                  std::optional<Location> location, Adaptor op,
                                  SmallVectorImpl<Type> &types) {
  if (failed(checkConvTranspose({location, getOperationName()}, op)))
    return failure();
  auto x = cast<RankedTensorType>(op.getX().getType());
  auto w = cast<RankedTensorType>(op.getW().getType());
  SmallVector<WindowDim> dims = getTransposedWindowDims(op);
  SmallVector<int64_t> shape(x.getRank());
  shape[0] = x.getDimSize(0);
  shape[1] = ShapedType::isDynamic(w.getDimSize(1))
                 ? ShapedType::kDynamic
                 : w.getDimSize(1) * static_cast<int64_t>(op.getGroups());
  for (auto [i, dim] : llvm::enumerate(dims))
    shape[i + 2] = inferTransposedSize(context, x.getDimSize(i + 2),
                                       w.getDimSize(i + 2), dim);
  types.push_back(RankedTensorType::get(
      shape, getContractionElementType(x.getElementType())));
  return success();
}

bool ConvTransposeOp::isCompatibleReturnTypes(TypeRange inferred,
                                              TypeRange actual) {
  return areContractionTypesCompatible(inferred, actual);
}

LogicalResult
ConvTransposeOp::reifyResultShapes(OpBuilder &builder,
                                   ReifiedRankedShapedTypeDims &shapes) {
  IndexMath math(builder, getLoc());
  SmallVector<OpFoldResult> sizes = {
      math.size(getX(), 0),
      math.mul(math.size(getW(), 1), math.constant(getGroups()))};
  for (auto [i, dim] : llvm::enumerate(getWindowDims(*this)))
    sizes.push_back(reifyTransposedSize(math, math.size(getX(), i + 2),
                                        math.size(getW(), i + 2), dim));
  shapes.push_back(matchSizesToType(builder, getLoc(), sizes, getType()));
  return success();
}

//===----------------------------------------------------------------------===//
// reduce_window, window_arg_max
//===----------------------------------------------------------------------===//

template <typename Adaptor>
static LogicalResult checkPool(const Reporter &report, Adaptor op) {
  auto x = cast<RankedTensorType>(op.getX().getType());
  int64_t spatial = op.getWindow().size();
  // C1
  if (spatial == 0)
    return report("'window' to hold at least one number, but got none");
  if (x.getRank() != spatial + 2)
    return report("the rank of 'x' to be ", spatial + 2,
                  " (that of 'window' plus 2), but got ", x.getRank());
  // C2, C3
  if (failed(checkList(report, "window", op.getWindow(), spatial, 1)) ||
      failed(checkList(report, "strides", op.getStrides(), spatial, 1)) ||
      failed(checkList(report, "dilations", op.getDilations(), spatial, 1)) ||
      failed(checkList(report, "pads", op.getPads(), 2 * spatial, 0)))
    return failure();
  return success();
}

template <typename Adaptor>
static SmallVector<int64_t> inferPoolShape(MLIRContext *context, Adaptor op) {
  auto x = cast<RankedTensorType>(op.getX().getType());
  SmallVector<int64_t> shape(x.getShape().take_front(2));
  for (auto [i, dim] : llvm::enumerate(getPoolDims(op)))
    shape.push_back(inferWindowedSize(context, x.getDimSize(i + 2),
                                      op.getWindow()[i], dim));
  return shape;
}

template <typename OpTy>
static SmallVector<OpFoldResult> reifyPoolShape(OpBuilder &builder, OpTy op) {
  IndexMath math(builder, op.getLoc());
  SmallVector<OpFoldResult> sizes = {math.size(op.getX(), 0),
                                     math.size(op.getX(), 1)};
  for (auto [i, dim] : llvm::enumerate(getPoolDims(op)))
    sizes.push_back(reifyWindowedSize(math, math.size(op.getX(), i + 2),
                                      math.constant(op.getWindow()[i]), dim));
  return sizes;
}

LogicalResult ReduceWindowOp::inferReturnTypes(MLIRContext *context,
                                               std::optional<Location> location,
                                               Adaptor op,
                                               SmallVectorImpl<Type> &types) {
  if (failed(checkPool(Reporter{location, getOperationName()}, op)))
    return failure();
  types.push_back(RankedTensorType::get(
      inferPoolShape(context, op), getElementTypeOrSelf(op.getX().getType())));
  return success();
}

LogicalResult
ReduceWindowOp::reifyResultShapes(OpBuilder &builder,
                                  ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(matchSizesToType(builder, getLoc(),
                                    reifyPoolShape(builder, *this), getType()));
  return success();
}

LogicalResult ReduceWindowOp::verify() {
  // C4: a mean of integers has no obvious rounding.
  Type elementType = getX().getType().getElementType();
  if (getKind() == WindowKind::mean && !isa<FloatType>(elementType))
    return emitOpError("expected the element type to be a float for 'mean', "
                       "but got ")
           << elementType;
  return success();
}

LogicalResult WindowArgMaxOp::inferReturnTypes(MLIRContext *context,
                                               std::optional<Location> location,
                                               Adaptor op,
                                               SmallVectorImpl<Type> &types) {
  if (failed(checkPool(Reporter{location, getOperationName()}, op)))
    return failure();
  SmallVector<int64_t> shape = inferPoolShape(context, op);
  types.push_back(
      RankedTensorType::get(shape, getElementTypeOrSelf(op.getX().getType())));
  types.push_back(RankedTensorType::get(shape, IntegerType::get(context, 64)));
  return success();
}

LogicalResult
WindowArgMaxOp::reifyResultShapes(OpBuilder &builder,
                                  ReifiedRankedShapedTypeDims &shapes) {
  SmallVector<OpFoldResult> sizes = reifyPoolShape(builder, *this);
  for (Value result : getResults())
    shapes.push_back(
        matchSizesToType(builder, getLoc(), sizes, result.getType()));
  return success();
}
