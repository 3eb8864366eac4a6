//===- DLCShapeUtils.cpp - Shape inference helpers ------------------------===//
//
// The one place for broadcasting, axis and dimension rules that op families
// share.
//
//===----------------------------------------------------------------------===//

#include "DLC/Dialect/IR/DLCShapeUtils.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::dlc;

FailureOr<SmallVector<int64_t>>
mlir::dlc::inferBroadcastShape(ArrayRef<int64_t> lhs, ArrayRef<int64_t> rhs) {
  int64_t rank = std::max(lhs.size(), rhs.size());
  SmallVector<int64_t> result(rank);
  for (int64_t i = 0; i < rank; ++i) {
    int64_t l = i < rank - static_cast<int64_t>(lhs.size())
                    ? 1
                    : lhs[i - (rank - lhs.size())];
    int64_t r = i < rank - static_cast<int64_t>(rhs.size())
                    ? 1
                    : rhs[i - (rank - rhs.size())];
    if (l == 1 || ShapedType::isDynamic(l))
      result[i] = (ShapedType::isDynamic(l) && r == 1) ? l : r;
    else if (r == 1 || ShapedType::isDynamic(r) || l == r)
      result[i] = l;
    else
      return failure();
  }
  return result;
}

SmallVector<OpFoldResult>
mlir::dlc::reifyBroadcastShape(OpBuilder &builder, Location loc,
                               ValueRange operands,
                               ArrayRef<int64_t> resultShape) {
  int64_t rank = resultShape.size();
  SmallVector<OpFoldResult> sizes;
  for (int64_t i = 0; i < rank; ++i) {
    if (!ShapedType::isDynamic(resultShape[i])) {
      sizes.push_back(builder.getIndexAttr(resultShape[i]));
      continue;
    }
    for (Value operand : operands) {
      auto type = cast<RankedTensorType>(operand.getType());
      int64_t dim = i - (rank - type.getRank());
      if (dim < 0 || !type.isDynamicDim(dim))
        continue;
      sizes.push_back(tensor::getMixedSize(builder, loc, operand, dim));
      break;
    }
  }
  return sizes;
}

std::optional<int64_t> mlir::dlc::normalizeAxis(int64_t axis, int64_t rank) {
  if (axis < -rank || axis >= rank)
    return std::nullopt;
  return axis < 0 ? axis + rank : axis;
}

bool mlir::dlc::areShapesCompatible(TypeRange inferred, TypeRange actual) {
  return inferred.size() == actual.size() &&
         llvm::all_of(llvm::zip(inferred, actual), [](auto pair) {
           auto [lhs, rhs] = pair;
           return lhs == rhs ||
                  (isa<RankedTensorType>(lhs) && isa<RankedTensorType>(rhs) &&
                   getElementTypeOrSelf(lhs) == getElementTypeOrSelf(rhs) &&
                   succeeded(verifyCompatibleShape(lhs, rhs)));
         });
}

LogicalResult mlir::dlc::inferBroadcastType(
    MLIRContext *context, std::optional<Location> location, StringRef opName,
    ValueRange operands, int64_t typeOperand, SmallVectorImpl<Type> &types) {
  SmallVector<int64_t> shape;
  for (Value operand : operands) {
    auto type = cast<RankedTensorType>(operand.getType());
    FailureOr<SmallVector<int64_t>> joined =
        inferBroadcastShape(shape, type.getShape());
    if (failed(joined))
      return emitOptionalError(
          location, "'", opName,
          "' op expected operands whose shapes broadcast, but got ",
          operands.getTypes());
    shape = std::move(*joined);
  }
  Type element = typeOperand < 0 ? IntegerType::get(context, 1)
                                 : getElementTypeOrSelf(operands[typeOperand]);
  types.push_back(RankedTensorType::get(shape, element));
  return success();
}

LogicalResult mlir::dlc::reifyBroadcastResult(
    Operation *op, OpBuilder &builder,
    SmallVectorImpl<SmallVector<OpFoldResult>> &shapes) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  shapes.push_back(reifyBroadcastShape(builder, op->getLoc(), op->getOperands(),
                                       type.getShape()));
  return success();
}
