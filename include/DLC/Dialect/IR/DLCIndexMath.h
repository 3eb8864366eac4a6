//===- DLCIndexMath.h - Arithmetic on sizes --------------------*- C++ -*-===//
//
// Arithmetic on sizes that are constants or index values, folded where
// possible.
//
//===----------------------------------------------------------------------===//

#ifndef DLC_DIALECT_IR_DLCINDEXMATH_H
#define DLC_DIALECT_IR_DLCINDEXMATH_H

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

namespace mlir::dlc {

/// Emits index arithmetic at the builder's insertion point; an operation on
/// constants gives a constant and emits nothing. Divisors must be positive.
class IndexMath {
public:
  IndexMath(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  OpFoldResult constant(int64_t value) const;
  /// The size of dimension `dim` of the ranked tensor `tensor`.
  OpFoldResult size(Value tensor, int64_t dim) const;
  OpFoldResult add(OpFoldResult lhs, OpFoldResult rhs) const;
  OpFoldResult sub(OpFoldResult lhs, OpFoldResult rhs) const;
  OpFoldResult mul(OpFoldResult lhs, OpFoldResult rhs) const;
  OpFoldResult floorDiv(OpFoldResult lhs, OpFoldResult rhs) const;
  OpFoldResult ceilDiv(OpFoldResult lhs, OpFoldResult rhs) const;
  OpFoldResult max(OpFoldResult lhs, OpFoldResult rhs) const;
  /// `value`, less one if `lhs >= rhs`.
  OpFoldResult decrementIfAtLeast(OpFoldResult value, OpFoldResult lhs,
                                  OpFoldResult rhs) const;
  /// The size as an index value.
  Value value(OpFoldResult size) const;

private:
  OpBuilder &builder;
  Location loc;
};

/// The sizes in the form that ReifyRankedShapedTypeOpInterface asks for:
/// attributes where `type` is static and values where it is dynamic.
SmallVector<OpFoldResult> matchSizesToType(OpBuilder &builder, Location loc,
                                           ArrayRef<OpFoldResult> sizes,
                                           Type type);

} // namespace mlir::dlc

#endif // DLC_DIALECT_IR_DLCINDEXMATH_H
