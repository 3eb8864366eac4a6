//===- DLCContractionTypes.h - Element types of contractions ---*- C++ -*-===//
//
// The rules for the element type of a sum of products.
//
//===----------------------------------------------------------------------===//

#ifndef DLC_LIB_DIALECT_IR_DLCCONTRACTIONTYPES_H
#define DLC_LIB_DIALECT_IR_DLCCONTRACTIONTYPES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeRange.h"

namespace mlir::dlc {

/// The element type of a contraction's result where none is written: that of
/// the operands, but i32 for i8 and i16.
Type getContractionElementType(Type operandType);

/// True if the one type of `actual` has a shape that can be that of `inferred`
/// and an element type that the contraction may give: a float for a float, and
/// an integer that is at least as wide for an integer.
bool areContractionTypesCompatible(TypeRange inferred, TypeRange actual);

} // namespace mlir::dlc

#endif // DLC_LIB_DIALECT_IR_DLCCONTRACTIONTYPES_H
