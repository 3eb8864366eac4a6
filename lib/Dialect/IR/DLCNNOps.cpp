//===- DLCNNOps.cpp - NN ops of the DLC dialect ---------------------------===//
//
// Type inference, shape reification and verification of the ops in DLCNNOps.td.
//
//===----------------------------------------------------------------------===//

#include "DLC/Dialect/IR/DLCNNOps.h"

#include "DLC/Dialect/IR/DLCIndexMath.h"

using namespace mlir;
using namespace mlir::dlc;

/// The result of an op that keeps the type of `x`.
static LogicalResult inferSameType(Value x, SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(x.getType());
  types.push_back(
      RankedTensorType::get(type.getShape(), type.getElementType()));
  return success();
}

static LogicalResult reifySameShape(OpBuilder &builder, Operation *op, Value x,
                                    ReifiedRankedShapedTypeDims &shapes) {
  IndexMath math(builder, op->getLoc());
  SmallVector<OpFoldResult> sizes;
  for (int64_t i = 0, e = cast<RankedTensorType>(x.getType()).getRank(); i < e;
       ++i)
    sizes.push_back(math.size(x, i));
  shapes.push_back(matchSizesToType(builder, op->getLoc(), sizes,
                                    op->getResult(0).getType()));
  return success();
}

static LogicalResult verifyAxis(Operation *op, int64_t axis, int64_t rank) {
  if (normalizeAxis(axis, rank))
    return success();
  return op->emitOpError("expected 'axis' to be in range [")
         << -rank << ", " << rank << "), but got " << axis;
}

/// `operand`, if given, broadcasts from the right to `shape`.
static LogicalResult verifyBroadcastsTo(Operation *op, StringRef name,
                                        Value operand,
                                        ArrayRef<int64_t> shape) {
  if (!operand)
    return success();
  auto type = cast<RankedTensorType>(operand.getType());
  int64_t offset = static_cast<int64_t>(shape.size()) - type.getRank();
  bool fits = offset >= 0;
  for (int64_t i = 0; fits && i < type.getRank(); ++i) {
    int64_t from = type.getDimSize(i), to = shape[i + offset];
    fits = from == 1 || from == to || ShapedType::isDynamic(from) ||
           ShapedType::isDynamic(to);
  }
  if (fits)
    return success();
  InFlightDiagnostic diag = op->emitOpError("expected '")
                            << name << "' to broadcast to [";
  llvm::interleaveComma(shape, diag, [&](int64_t size) {
    if (ShapedType::isDynamic(size))
      diag << "?";
    else
      diag << size;
  });
  return diag << "], but got " << type;
}

/// `operand`, if given, is [size].
static LogicalResult verifyPerChannel(Operation *op, StringRef name,
                                      Value operand, int64_t size) {
  if (!operand)
    return success();
  auto type = cast<RankedTensorType>(operand.getType());
  if (type.getRank() != 1)
    return op->emitOpError("expected the rank of '")
           << name << "' to be 1, but got " << type.getRank();
  if (failed(verifyCompatibleDims({type.getDimSize(0), size})))
    return op->emitOpError("expected the size of '")
           << name << "' to be " << size << " (channels of 'x'), but got "
           << type.getDimSize(0);
  return success();
}

/// The methods of an op that keeps the type of `x`.
#define DLC_DEFINE_SAME_TYPE_OP(OpTy)                                          \
  LogicalResult OpTy::inferReturnTypes(MLIRContext *, std::optional<Location>, \
                                       Adaptor op,                             \
                                       SmallVectorImpl<Type> &types) {         \
    return inferSameType(op.getX(), types);                                    \
  }                                                                            \
  LogicalResult OpTy::reifyResultShapes(OpBuilder &builder,                    \
                                        ReifiedRankedShapedTypeDims &shapes) { \
    return reifySameShape(builder, *this, getX(), shapes);                     \
  }

DLC_DEFINE_SAME_TYPE_OP(SoftmaxOp)
DLC_DEFINE_SAME_TYPE_OP(LogSoftmaxOp)
DLC_DEFINE_SAME_TYPE_OP(LayerNormOp)
DLC_DEFINE_SAME_TYPE_OP(RMSNormOp)
DLC_DEFINE_SAME_TYPE_OP(GroupNormOp)
DLC_DEFINE_SAME_TYPE_OP(InstanceNormOp)
DLC_DEFINE_SAME_TYPE_OP(BatchNormOp)

#undef DLC_DEFINE_SAME_TYPE_OP

//===----------------------------------------------------------------------===//
// Softmax and norms
//===----------------------------------------------------------------------===//

LogicalResult SoftmaxOp::verify() {
  return verifyAxis(*this, getAxis(), getX().getType().getRank());
}

LogicalResult LogSoftmaxOp::verify() {
  return verifyAxis(*this, getAxis(), getX().getType().getRank());
}

/// The printed form has no place for a bias alone.
template <typename OpTy> static LogicalResult verifyBiasHasScale(OpTy op) {
  if (op.getBias() && !op.getScale())
    return op.emitOpError("expected 'scale' to be given with 'bias'");
  return success();
}

LogicalResult LayerNormOp::verify() {
  ArrayRef<int64_t> shape = getX().getType().getShape();
  if (failed(verifyAxis(*this, getAxis(), shape.size())) ||
      failed(verifyBroadcastsTo(*this, "scale", getScale(), shape)))
    return failure();
  if (failed(verifyBroadcastsTo(*this, "bias", getBias(), shape)))
    return failure();
  // C3
  return verifyBiasHasScale(*this);
}

LogicalResult RMSNormOp::verify() {
  ArrayRef<int64_t> shape = getX().getType().getShape();
  if (failed(verifyAxis(*this, getAxis(), shape.size())))
    return failure();
  return verifyBroadcastsTo(*this, "scale", getScale(), shape);
}

static LogicalResult verifyMinRank(Operation *op, int64_t rank) {
  if (rank < 2)
    return op->emitOpError("expected the rank of 'x' to be at least 2, but "
                           "got ")
           << rank;
  return success();
}

LogicalResult GroupNormOp::verify() {
  auto type = getX().getType();
  // C1
  if (failed(verifyMinRank(*this, type.getRank())))
    return failure();
  // C2
  int64_t groups = getNumGroups(), channels = type.getDimSize(1);
  if (groups < 1)
    return emitOpError("expected 'num_groups' to be positive, but got ")
           << groups;
  if (!ShapedType::isDynamic(channels) && channels % groups != 0)
    return emitOpError("expected the number of channels of 'x' to be a "
                       "multiple of 'num_groups' = ")
           << groups << ", but got " << channels;
  // C3
  if (failed(verifyPerChannel(*this, "scale", getScale(), channels)))
    return failure();
  if (failed(verifyPerChannel(*this, "bias", getBias(), channels)))
    return failure();
  // C4
  return verifyBiasHasScale(*this);
}

LogicalResult InstanceNormOp::verify() {
  auto type = getX().getType();
  // C1, C2
  if (failed(verifyMinRank(*this, type.getRank())) ||
      failed(verifyPerChannel(*this, "scale", getScale(), type.getDimSize(1))))
    return failure();
  if (failed(verifyPerChannel(*this, "bias", getBias(), type.getDimSize(1))))
    return failure();
  // C3
  return verifyBiasHasScale(*this);
}

LogicalResult BatchNormOp::verify() {
  auto type = getX().getType();
  // C1
  if (failed(verifyAxis(*this, getAxis(), type.getRank())))
    return failure();
  // C2
  int64_t channels = type.getDimSize(*normalizeAxis(getAxis(), type.getRank()));
  for (auto [name, operand] :
       {std::pair<StringRef, Value>("scale", getScale()),
        std::pair<StringRef, Value>("bias", getBias()),
        std::pair<StringRef, Value>("mean", getMean()),
        std::pair<StringRef, Value>("variance", getVariance())})
    if (failed(verifyPerChannel(*this, name, operand, channels)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// attention
//===----------------------------------------------------------------------===//

/// Dimension `dim` is the same in both operands, if known.
static LogicalResult checkSameDim(std::optional<Location> location,
                                  StringRef what, int64_t dim, StringRef name,
                                  RankedTensorType type, StringRef otherName,
                                  RankedTensorType other) {
  if (succeeded(
          verifyCompatibleDims({type.getDimSize(dim), other.getDimSize(dim)})))
    return success();
  return emitOptionalError(location, "'dlc.attention' op expected ", what,
                           " (dim ", dim, ") of '", name, "' to be ",
                           other.getDimSize(dim), " as in '", otherName,
                           "', but got ", type.getDimSize(dim));
}

LogicalResult AttentionOp::inferReturnTypes(MLIRContext *context,
                                            std::optional<Location> location,
                                            Adaptor op,
                                            SmallVectorImpl<Type> &types) {
  auto q = cast<RankedTensorType>(op.getQ().getType());
  auto k = cast<RankedTensorType>(op.getK().getType());
  auto v = cast<RankedTensorType>(op.getV().getType());
  // C1
  for (auto [name, type] :
       {std::pair("q", q), std::pair("k", k), std::pair("v", v)}) {
    if (type.getRank() != 4)
      return emitOptionalError(location,
                               "'dlc.attention' op expected the rank of '",
                               name, "' to be 4, but got ", type.getRank());
    if (type.getElementType() != q.getElementType())
      return emitOptionalError(
          location, "'dlc.attention' op expected the element type of '", name,
          "' to be ", q.getElementType(), " as in 'q', but got ",
          type.getElementType());
  }
  // C2
  if (failed(checkSameDim(location, "batch size", 0, "k", k, "q", q)) ||
      failed(checkSameDim(location, "batch size", 0, "v", v, "q", q)) ||
      failed(checkSameDim(location, "head size", 3, "k", k, "q", q)) ||
      failed(checkSameDim(location, "number of heads", 1, "v", v, "k", k)) ||
      failed(checkSameDim(location, "key length", 2, "v", v, "k", k)))
    return failure();
  // C3
  int64_t heads = q.getDimSize(1), groups = k.getDimSize(1);
  if (!ShapedType::isDynamic(heads) && !ShapedType::isDynamic(groups) &&
      (groups == 0 ? heads != 0 : heads % groups != 0))
    return emitOptionalError(location,
                             "'dlc.attention' op expected the number of heads "
                             "(dim 1) of 'q' to be a multiple of ",
                             groups, " as in 'k', but got ", heads);
  types.push_back(RankedTensorType::get(
      {q.getDimSize(0), heads, q.getDimSize(2), v.getDimSize(3)},
      q.getElementType()));
  return success();
}

LogicalResult
AttentionOp::reifyResultShapes(OpBuilder &builder,
                               ReifiedRankedShapedTypeDims &shapes) {
  IndexMath math(builder, getLoc());
  SmallVector<OpFoldResult> sizes = {math.size(getQ(), 0), math.size(getQ(), 1),
                                     math.size(getQ(), 2),
                                     math.size(getV(), 3)};
  shapes.push_back(matchSizesToType(builder, getLoc(), sizes, getType()));
  return success();
}

LogicalResult AttentionOp::verify() {
  // C4
  auto q = getQ().getType(), k = getK().getType();
  if (failed(verifyBroadcastsTo(*this, "mask", getMask(),
                                {q.getDimSize(0), q.getDimSize(1),
                                 q.getDimSize(2), k.getDimSize(2)})))
    return failure();
  // C5
  if (!(getSoftcap().convertToDouble() >= 0))
    return emitOpError("expected 'softcap' to be at least 0, but got ")
           << getSoftcap().convertToDouble();
  return success();
}

//===----------------------------------------------------------------------===//
// resize
//===----------------------------------------------------------------------===//

LogicalResult ResizeOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> location,
                                         Adaptor op,
                                         SmallVectorImpl<Type> &types) {
  auto x = cast<RankedTensorType>(op.getX().getType());
  ArrayRef<int64_t> sizes = op.getStaticSizes();
  // C1
  if (static_cast<int64_t>(sizes.size()) != x.getRank())
    return emitOptionalError(location, "'dlc.resize' op expected ", x.getRank(),
                             " sizes (the rank of 'x'), but got ",
                             sizes.size());
  if (llvm::count(sizes, ShapedType::kDynamic) !=
      static_cast<int64_t>(op.getSizes().size()))
    return emitOptionalError(
        location,
        "'dlc.resize' op expected one size operand per dynamic size "
        "in 'static_sizes', but got ",
        op.getSizes().size());
  types.push_back(RankedTensorType::get(sizes, x.getElementType()));
  return success();
}

LogicalResult ResizeOp::reifyResultShapes(OpBuilder &builder,
                                          ReifiedRankedShapedTypeDims &shapes) {
  SmallVector<OpFoldResult> sizes =
      getMixedValues(getStaticSizes(), getSizes(), builder);
  shapes.push_back(matchSizesToType(builder, getLoc(), sizes, getType()));
  return success();
}

/// C3: the region of tf_crop_and_resize.
static LogicalResult verifyRoi(ResizeOp op) {
  bool needsRoi = op.getCoordinateMode() == CoordinateMode::tf_crop_and_resize;
  if (needsRoi != op.getRoi().has_value())
    return op.emitOpError("expected 'roi' to be given if and only if the "
                          "coordinate mode is tf_crop_and_resize");
  int64_t rank = op.getX().getType().getRank();
  if (op.getRoi() && static_cast<int64_t>(op.getRoi()->size()) != 2 * rank)
    return op.emitOpError("expected 'roi' to hold ")
           << 2 * rank << " numbers (twice the rank of 'x'), but got "
           << op.getRoi()->size();
  return success();
}

LogicalResult ResizeOp::verify() {
  auto x = getX().getType();
  // C2
  if (!getScales().empty() &&
      static_cast<int64_t>(getScales().size()) != x.getRank())
    return emitOpError("expected no scales or ")
           << x.getRank() << " (the rank of 'x'), but got "
           << getScales().size();
  if (failed(verifyRoi(*this)))
    return failure();
  // C4
  auto integer = dyn_cast<IntegerType>(x.getElementType());
  if (getMode() != ResizeMode::nearest && integer &&
      (integer.getWidth() > 32 || integer.getWidth() == 1))
    return emitOpError("expected the element type of an interpolation to be a "
                       "float or an integer of 2 to 32 bits, but got ")
           << integer;
  if (getAntialias() && getMode() == ResizeMode::nearest)
    return emitOpError("expected 'antialias' to come with the mode linear or "
                       "cubic, but got nearest");
  // C5
  for (auto [dim, size] : llvm::enumerate(getStaticSizes()))
    if (x.getDimSize(dim) == 0 && !ShapedType::isDynamic(size) && size != 0)
      return emitOpError("expected the size of dimension ")
             << dim << " to be 0 as in 'x', but got " << size;
  return success();
}

#define GET_OP_CLASSES
#include "DLC/Dialect/IR/DLCNNOps.cpp.inc"

void DLCDialect::registerNNOps() {
  addOperations<
#define GET_OP_LIST
#include "DLC/Dialect/IR/DLCNNOps.cpp.inc"
      >();
}
