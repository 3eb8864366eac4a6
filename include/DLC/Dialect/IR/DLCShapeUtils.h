//===- DLCShapeUtils.h - Shape inference helpers ---------------*- C++ -*-===//
//
// The one place for broadcasting, axis and dimension rules that op families
// share.
//
//===----------------------------------------------------------------------===//

#ifndef DLC_DIALECT_IR_DLCSHAPEUTILS_H
#define DLC_DIALECT_IR_DLCSHAPEUTILS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace mlir::dlc {

/// The shape that NumPy broadcasting gives for `lhs` and `rhs` (sizes,
/// outermost first; dynamic dims are ShapedType::kDynamic). A dynamic dimension
/// against a static size other than 1 takes the static size; against a static
/// 1, or another dynamic one, it stays dynamic. Fails if two static sizes
/// differ and neither is 1.
FailureOr<SmallVector<int64_t>> inferBroadcastShape(ArrayRef<int64_t> lhs,
                                                    ArrayRef<int64_t> rhs);

/// The run-time sizes of the broadcast of `operands`: for each result dimension
/// the size of the first operand whose type says that it is not a broadcast
/// one.
SmallVector<OpFoldResult> reifyBroadcastShape(OpBuilder &builder, Location loc,
                                              ValueRange operands,
                                              ArrayRef<int64_t> resultShape);

/// `axis` counted from the front, or nothing if it is outside [-rank, rank).
std::optional<int64_t> normalizeAxis(int64_t axis, int64_t rank);

/// True if the two lists have the same length and pairwise the same element
/// type and shapes that can describe one run-time shape. Types that are not
/// ranked tensors must be equal.
bool areShapesCompatible(TypeRange inferred, TypeRange actual);

/// The result type of an element-wise op: the broadcast of the shapes of
/// `operands`, with the element type of operand `typeOperand`, or i1 if that is
/// negative. Emits an error at `location`, if there is one, and fails when the
/// shapes do not broadcast.
LogicalResult inferBroadcastType(MLIRContext *context,
                                 std::optional<Location> location,
                                 StringRef opName, ValueRange operands,
                                 int64_t typeOperand,
                                 SmallVectorImpl<Type> &types);

/// Appends the run-time shape of the single result of the element-wise `op`.
LogicalResult
reifyBroadcastResult(Operation *op, OpBuilder &builder,
                     SmallVectorImpl<SmallVector<OpFoldResult>> &shapes);

} // namespace mlir::dlc

namespace mlir::dlc::OpTrait {

/// See DLC_BroadcastsTo in DLCElementwiseOps.td.
template <typename ConcreteOp>
class BroadcastsOperands
    : public mlir::OpTrait::TraitBase<ConcreteOp, BroadcastsOperands> {};

/// See DLC_RefinableResults in DLCBase.td.
template <typename ConcreteOp>
class RefinableResults
    : public mlir::OpTrait::TraitBase<ConcreteOp, RefinableResults> {};

} // namespace mlir::dlc::OpTrait

#endif // DLC_DIALECT_IR_DLCSHAPEUTILS_H
