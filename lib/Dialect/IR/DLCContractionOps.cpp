//===- DLCContractionOps.cpp - Contraction ops of the DLC dialect ---------===//
//
// Type inference, shape reification and verification of the products in
// DLCContractionOps.td. The windowed ops are in DLCWindowOps.cpp.
//
//===----------------------------------------------------------------------===//

#include "DLC/Dialect/IR/DLCContractionOps.h"

#include "DLC/Dialect/IR/DLCIndexMath.h"
#include "DLCContractionTypes.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::dlc;

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

Type mlir::dlc::getContractionElementType(Type operandType) {
  auto integer = dyn_cast<IntegerType>(operandType);
  if (!integer || integer.getWidth() >= 32)
    return operandType;
  return IntegerType::get(operandType.getContext(), 32);
}

bool mlir::dlc::areContractionTypesCompatible(TypeRange inferred,
                                              TypeRange actual) {
  if (inferred.size() != 1 || actual.size() != 1 ||
      !isa<RankedTensorType>(actual[0]))
    return false;
  Type from = getElementTypeOrSelf(inferred[0]);
  Type to = getElementTypeOrSelf(actual[0]);
  bool fits = isa<FloatType>(from) ? isa<FloatType>(to) : isa<IntegerType>(to);
  return fits && succeeded(verifyCompatibleShape(inferred[0], actual[0]));
}

//===----------------------------------------------------------------------===//
// matmul
//===----------------------------------------------------------------------===//

namespace {
/// Where the dimensions of matmul's operands are. A missing row or column of a
/// rank-1 operand is -1.
struct MatmulDims {
  int64_t m, aK, bK, n;
  int64_t aBatch, bBatch;
};
} // namespace

static MatmulDims getMatmulDims(int64_t aRank, int64_t bRank, bool transposeA,
                                bool transposeB) {
  MatmulDims dims;
  dims.aBatch = std::max<int64_t>(aRank - 2, 0);
  dims.bBatch = std::max<int64_t>(bRank - 2, 0);
  dims.m = aRank == 1 ? -1 : aRank - (transposeA ? 1 : 2);
  dims.aK = aRank == 1 ? 0 : aRank - (transposeA ? 2 : 1);
  dims.bK = bRank == 1 ? 0 : bRank - (transposeB ? 1 : 2);
  dims.n = bRank == 1 ? -1 : bRank - (transposeB ? 2 : 1);
  return dims;
}

/// C5: an integer result is not narrower than the operands.
static LogicalResult verifyResultWidth(Operation *op) {
  auto from =
      dyn_cast<IntegerType>(getElementTypeOrSelf(op->getOperand(0).getType()));
  auto to =
      dyn_cast<IntegerType>(getElementTypeOrSelf(op->getResult(0).getType()));
  if (from && to && to.getWidth() < from.getWidth())
    return op->emitOpError("expected the result's element type to have at "
                           "least the width of ")
           << from << ", but got " << to;
  return success();
}

LogicalResult MatmulOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> location,
                                         Adaptor op,
                                         SmallVectorImpl<Type> &types) {
  auto a = cast<RankedTensorType>(op.getA().getType());
  auto b = cast<RankedTensorType>(op.getB().getType());
  // C2
  for (auto [name, type, transpose] : {std::tuple("a", a, op.getTransposeA()),
                                       std::tuple("b", b, op.getTransposeB())})
    if (type.getRank() < (transpose ? 2 : 1))
      return emitOptionalError(
          location, "'dlc.matmul' op expected the rank of '", name,
          "' to be at least ", transpose ? 2 : 1, ", but got ", type.getRank());
  MatmulDims dims = getMatmulDims(a.getRank(), b.getRank(), op.getTransposeA(),
                                  op.getTransposeB());
  // C3
  int64_t aK = a.getDimSize(dims.aK), bK = b.getDimSize(dims.bK);
  if (!ShapedType::isDynamic(aK) && !ShapedType::isDynamic(bK) && aK != bK)
    return emitOptionalError(location,
                             "'dlc.matmul' op expected the contracted "
                             "dimension (dim ",
                             dims.bK, ") of 'b' to be ", aK,
                             " as in 'a', but got ", bK);
  // C4
  FailureOr<SmallVector<int64_t>> shape =
      inferBroadcastShape(a.getShape().take_front(dims.aBatch),
                          b.getShape().take_front(dims.bBatch));
  if (failed(shape))
    return emitOptionalError(location,
                             "'dlc.matmul' op expected the batch dimensions of "
                             "'a' and 'b' to broadcast, but got ",
                             a, " and ", b);
  if (dims.m >= 0)
    shape->push_back(a.getDimSize(dims.m));
  if (dims.n >= 0)
    shape->push_back(b.getDimSize(dims.n));
  types.push_back(RankedTensorType::get(
      *shape, getContractionElementType(a.getElementType())));
  return success();
}

bool MatmulOp::isCompatibleReturnTypes(TypeRange inferred, TypeRange actual) {
  return areContractionTypesCompatible(inferred, actual);
}

LogicalResult MatmulOp::verify() { return verifyResultWidth(*this); }

LogicalResult MatmulOp::reifyResultShapes(OpBuilder &builder,
                                          ReifiedRankedShapedTypeDims &shapes) {
  IndexMath math(builder, getLoc());
  auto aType = getA().getType(), bType = getB().getType();
  MatmulDims dims = getMatmulDims(aType.getRank(), bType.getRank(),
                                  getTransposeA(), getTransposeB());
  int64_t batch = std::max(dims.aBatch, dims.bBatch);
  SmallVector<OpFoldResult> sizes;
  for (int64_t i = 0; i < batch; ++i) {
    int64_t aDim = i - (batch - dims.aBatch), bDim = i - (batch - dims.bBatch);
    // A static 1 gives way to the partner; other sizes are equal.
    bool useA = bDim < 0 || (aDim >= 0 && aType.getDimSize(aDim) != 1);
    sizes.push_back(useA ? math.size(getA(), aDim) : math.size(getB(), bDim));
  }
  if (dims.m >= 0)
    sizes.push_back(math.size(getA(), dims.m));
  if (dims.n >= 0)
    sizes.push_back(math.size(getB(), dims.n));
  shapes.push_back(matchSizesToType(builder, getLoc(), sizes, getType()));
  return success();
}

//===----------------------------------------------------------------------===//
// dot_general
//===----------------------------------------------------------------------===//

/// C3: the dimensions `batch` and `contract` are in range and all different.
static LogicalResult checkDotDims(std::optional<Location> location,
                                  StringRef name, int64_t rank,
                                  ArrayRef<int64_t> batch,
                                  ArrayRef<int64_t> contract) {
  llvm::SmallDenseSet<int64_t> seen;
  for (int64_t dim : llvm::concat<const int64_t>(batch, contract)) {
    if (dim < 0 || dim >= rank)
      return emitOptionalError(
          location, "'dlc.dot_general' op expected dimensions of '", name,
          "' in range [0, ", rank, "), but got ", dim);
    if (!seen.insert(dim).second)
      return emitOptionalError(
          location, "'dlc.dot_general' op expected dimensions of '", name,
          "' to be different, but got ", dim, " twice");
  }
  return success();
}

/// The dimensions of a rank-`rank` operand that are neither in `batch` nor in
/// `contract`.
static SmallVector<int64_t> getFreeDims(int64_t rank, ArrayRef<int64_t> batch,
                                        ArrayRef<int64_t> contract) {
  SmallVector<int64_t> dims;
  for (int64_t i = 0; i < rank; ++i)
    if (!llvm::is_contained(batch, i) && !llvm::is_contained(contract, i))
      dims.push_back(i);
  return dims;
}

static LogicalResult checkDotGeneral(std::optional<Location> location,
                                     DotGeneralOp::Adaptor op) {
  auto lhs = cast<RankedTensorType>(op.getLhs().getType());
  auto rhs = cast<RankedTensorType>(op.getRhs().getType());
  // C2
  for (auto [what, l, r] :
       {std::tuple("batch", op.getLhsBatch(), op.getRhsBatch()),
        std::tuple("contracted", op.getLhsContract(), op.getRhsContract())})
    if (l.size() != r.size())
      return emitOptionalError(
          location, "'dlc.dot_general' op expected ", l.size(), " ", what,
          " dimensions of 'rhs' as of 'lhs', but got ", r.size());
  if (failed(checkDotDims(location, "lhs", lhs.getRank(), op.getLhsBatch(),
                          op.getLhsContract())) ||
      failed(checkDotDims(location, "rhs", rhs.getRank(), op.getRhsBatch(),
                          op.getRhsContract())))
    return failure();
  // C4
  for (auto [l, r] : llvm::zip(
           llvm::concat<const int64_t>(op.getLhsBatch(), op.getLhsContract()),
           llvm::concat<const int64_t>(op.getRhsBatch(),
                                       op.getRhsContract()))) {
    int64_t lhsSize = lhs.getDimSize(l), rhsSize = rhs.getDimSize(r);
    if (!ShapedType::isDynamic(lhsSize) && !ShapedType::isDynamic(rhsSize) &&
        lhsSize != rhsSize)
      return emitOptionalError(location,
                               "'dlc.dot_general' op expected dimension ", r,
                               " of 'rhs' to be ", lhsSize, " as dimension ", l,
                               " of 'lhs', but got ", rhsSize);
  }
  return success();
}

LogicalResult DotGeneralOp::inferReturnTypes(MLIRContext *context,
                                             std::optional<Location> location,
                                             Adaptor op,
                                             SmallVectorImpl<Type> &types) {
  if (failed(checkDotGeneral(location, op)))
    return failure();
  auto lhs = cast<RankedTensorType>(op.getLhs().getType());
  auto rhs = cast<RankedTensorType>(op.getRhs().getType());
  SmallVector<int64_t> shape;
  for (auto [l, r] : llvm::zip(op.getLhsBatch(), op.getRhsBatch()))
    shape.push_back(ShapedType::isDynamic(lhs.getDimSize(l))
                        ? rhs.getDimSize(r)
                        : lhs.getDimSize(l));
  for (int64_t dim :
       getFreeDims(lhs.getRank(), op.getLhsBatch(), op.getLhsContract()))
    shape.push_back(lhs.getDimSize(dim));
  for (int64_t dim :
       getFreeDims(rhs.getRank(), op.getRhsBatch(), op.getRhsContract()))
    shape.push_back(rhs.getDimSize(dim));
  types.push_back(RankedTensorType::get(
      shape, getContractionElementType(lhs.getElementType())));
  return success();
}

bool DotGeneralOp::isCompatibleReturnTypes(TypeRange inferred,
                                           TypeRange actual) {
  return areContractionTypesCompatible(inferred, actual);
}

LogicalResult DotGeneralOp::verify() { return verifyResultWidth(*this); }

LogicalResult
DotGeneralOp::reifyResultShapes(OpBuilder &builder,
                                ReifiedRankedShapedTypeDims &shapes) {
  IndexMath math(builder, getLoc());
  SmallVector<OpFoldResult> sizes;
  for (int64_t dim : getLhsBatch())
    sizes.push_back(math.size(getLhs(), dim));
  for (int64_t dim : getFreeDims(getLhs().getType().getRank(), getLhsBatch(),
                                 getLhsContract()))
    sizes.push_back(math.size(getLhs(), dim));
  for (int64_t dim : getFreeDims(getRhs().getType().getRank(), getRhsBatch(),
                                 getRhsContract()))
    sizes.push_back(math.size(getRhs(), dim));
  shapes.push_back(matchSizesToType(builder, getLoc(), sizes, getType()));
  return success();
}

LogicalResult ConvOp::verify() { return verifyResultWidth(*this); }

LogicalResult ConvTransposeOp::verify() { return verifyResultWidth(*this); }

#define GET_OP_CLASSES
#include "DLC/Dialect/IR/DLCContractionOps.cpp.inc"

void DLCDialect::registerContractionOps() {
  addOperations<
#define GET_OP_LIST
#include "DLC/Dialect/IR/DLCContractionOps.cpp.inc"
      >();
}
