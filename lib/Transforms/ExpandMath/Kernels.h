//===- Kernels.h - Straight-line elementary functions -----------*- C++ -*-===//
//
// Each function emits an elementary function of f32 operands with all the
// special values of C99 Annex F and at most 2 ULP of error.
//
//===----------------------------------------------------------------------===//

#ifndef DLC_LIB_TRANSFORMS_EXPANDMATH_KERNELS_H
#define DLC_LIB_TRANSFORMS_EXPANDMATH_KERNELS_H

#include "Expression.h"

namespace mlir::dlc::kernels {

// Exponential.cpp
Expr exp(Expr x);
Expr exp2(Expr x);
Expr expm1(Expr x);
Expr sinh(Expr x);
Expr cosh(Expr x);
Expr tanh(Expr x);
Expr erf(Expr x);
Expr erfc(Expr x);

// Logarithm.cpp
Expr log(Expr x);
Expr log2(Expr x);
Expr log10(Expr x);
Expr log1p(Expr x);
Expr asinh(Expr x);
Expr acosh(Expr x);
Expr atanh(Expr x);
Expr pow(Expr x, Expr y);
/// x to the power of a signed integer.
Expr powInteger(Expr x, Expr power);
Expr cbrt(Expr x);
Expr rsqrt(Expr x);

// Trigonometric.cpp
Expr sin(Expr x);
Expr cos(Expr x);
std::pair<Expr, Expr> sincos(Expr x);
Expr tan(Expr x);
Expr asin(Expr x);
Expr acos(Expr x);
Expr atan(Expr x);
Expr atan2(Expr y, Expr x);

/// 2^y in f64 with a relative error of 1e-10, for y in [-1000, 1000] or NaN.
Expr exp2Wide(Expr y);

} // namespace mlir::dlc::kernels

#endif // DLC_LIB_TRANSFORMS_EXPANDMATH_KERNELS_H
