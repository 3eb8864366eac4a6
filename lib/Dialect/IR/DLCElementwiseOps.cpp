//===- DLCElementwiseOps.cpp - Elementwise ops of the DLC dialect
//-----------------===//
//
// Type inference, shape reification and verification of the ops in
// DLCElementwiseOps.td.
//
//===----------------------------------------------------------------------===//

#include "DLC/Dialect/IR/DLCElementwiseOps.h"

#include "DLC/Dialect/IR/DLCShapeUtils.h"

using namespace mlir;
using namespace mlir::dlc;

#define GET_OP_CLASSES
#include "DLC/Dialect/IR/DLCElementwiseOps.cpp.inc"

void DLCDialect::registerElementwiseOps() {
  addOperations<
#define GET_OP_LIST
#include "DLC/Dialect/IR/DLCElementwiseOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Binary ops
//===----------------------------------------------------------------------===//

LogicalResult AddOp::inferReturnTypes(MLIRContext *,
                                      std::optional<Location> location,
                                      ValueRange operands, DictionaryAttr,
                                      OpaqueProperties, RegionRange,
                                      SmallVectorImpl<Type> &result) {
  auto lhs = cast<RankedTensorType>(operands[0].getType());
  auto rhs = cast<RankedTensorType>(operands[1].getType());
  FailureOr<SmallVector<int64_t>> shape =
      inferBroadcastShape(lhs.getShape(), rhs.getShape());
  if (failed(shape))
    return emitOptionalError(
        location, "'dlc.add' op expected shapes that broadcast, but got ", lhs,
        " and ", rhs);
  result.push_back(RankedTensorType::get(*shape, lhs.getElementType()));
  return success();
}

LogicalResult AddOp::reifyResultShapes(OpBuilder &builder,
                                       ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(reifyBroadcastShape(builder, getLoc(), getOperands(),
                                       getType().getShape()));
  return success();
}

Value AddOp::emitScalar(OpBuilder &builder, ValueRange elements) {
  if (isa<FloatType>(elements[0].getType()))
    return arith::AddFOp::create(builder, getLoc(), elements[0], elements[1]);
  return arith::AddIOp::create(builder, getLoc(), elements[0], elements[1]);
}
