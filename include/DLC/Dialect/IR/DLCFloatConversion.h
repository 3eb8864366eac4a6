//===- DLCFloatConversion.h - Scalar float conversions ---------*- C++ -*-===//
//
// Conversions between float types of any width, one scalar at a time.
//
//===----------------------------------------------------------------------===//

#ifndef DLC_DIALECT_IR_DLCFLOATCONVERSION_H
#define DLC_DIALECT_IR_DLCFLOATCONVERSION_H

#include "mlir/IR/Builders.h"

namespace mlir::dlc {

/// True for the float types that `convertFloat` knows: f64, f32, f16, bf16 and
/// the f8 types with an exponent of 4 or 5 bits.
bool isConvertibleFloat(Type type);

/// Converts the scalar `value` to the float type `to`, rounding to nearest with
/// ties to even. Beyond the range of an f8 type the result is its largest
/// finite value if `saturate`, else infinity, or NaN where there is none. Both
/// types must be convertible.
Value convertFloat(OpBuilder &builder, Location loc, Value value, Type to,
                   bool saturate = true);

} // namespace mlir::dlc

#endif // DLC_DIALECT_IR_DLCFLOATCONVERSION_H
