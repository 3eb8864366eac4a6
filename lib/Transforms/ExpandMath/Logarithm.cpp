//===- Logarithm.cpp - log, pow and relatives -----------------------------===//
//
// log(x) = n log(2) + log(1 + f) with sqrt(1/2) <= 1 + f < sqrt(2). All but log
// compute in f64, where every f32 is a normal number and one polynomial without
// compensation is precise enough.
//
//===----------------------------------------------------------------------===//

#include "Coefficients.h"
#include "Kernels.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace mlir::dlc;
using namespace mlir::dlc::coefficients;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();
static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
static constexpr double kLn2 = llvm::numbers::ln2;

namespace {
/// A positive number as 2^exponent * (1 + fraction).
struct Decomposed {
  Expr exponent;
  Expr fraction;
};
} // namespace

/// Decomposes a normal positive f64. Other values give a finite result without
/// a meaning.
static Decomposed decomposeWide(Expr v) {
  constexpr int64_t one = 0x3ff0000000000000, sqrtHalf = 0x3fe6a09e667f3bcd;
  Expr bits = v.bits();
  Expr exponent = bits.addInt(one - sqrtHalf).shiftRight(52);
  Expr fraction =
      bits.subInt(exponent.shiftLeft(52)).addInt(one).asFloat() - 1.0;
  // 2^52 + k has the integer k in its low bits; AVX2 has no i64 conversion.
  constexpr int64_t twoTo52 = 0x4330000000000000;
  Expr number = (exponent | exponent.constant(twoTo52)).asFloat();
  return {number - (0x1p52 + 1023), fraction};
}

/// log(v) in f64 with a relative error of 2e-9, for normal positive v.
static Expr logWide(Expr v) {
  auto [n, f] = decomposeWide(v);
  return n.fma(kLn2, (f * f).fma(f.polynomial(kLogF64), f));
}

/// log2(v) in f64 with an error of 1e-12 relative and of n.
static Expr log2Wide(Expr v) {
  auto [n, f] = decomposeWide(v);
  return (f * f).fma(f.polynomial(kLogPowF64), f).fma(llvm::numbers::log2e, n);
}

/// Puts the values at NaN, Inf, the `pole` and below it into a logarithm.
static Expr withSpecialValues(Expr result, Expr x, double pole) {
  result = (x < kInfinity).select(result, x);
  result = (x == pole).select(-kInfinity, result);
  return (x < pole).select(kNaN, result);
}

Expr kernels::log(Expr x) {
  constexpr int64_t one = 0x3f800000, sqrtHalf = 0x3f3504f3;
  constexpr int64_t twoTo23 = 0x4b000000;
  // log(2) in parts: n * kLn2High is exact.
  constexpr double kLn2High = 0x1.62e4p-1, kLn2Low = 0x1.7f7d1cp-20;
  // A denormal number is its bits as an integer times 2^-149; the integer, as a
  // float, is what is added to 2^23. Integer operations only, because denormal
  // operands are slow on many processors. Negative numbers come here, too.
  Expr tiny = x.bits().isLessInt(0x00800000);
  Expr integer = (x.bits() | x.bits().constant(twoTo23)).asFloat() - 0x1p23;
  Expr bits = tiny.select(integer.bits(), x.bits());
  Expr exponent = bits.addInt(one - sqrtHalf).shiftRight(23);
  Expr f = bits.subInt(exponent.shiftLeft(23)).addInt(one).asFloat() - 1.0;
  Expr number = (exponent | exponent.constant(twoTo23)).asFloat();
  Expr n = number - tiny.select(0x1p23 + 127 + 149, x.constant(0x1p23 + 127));
  Expr tail = (f * f).fma(f.polynomial(kLogF32), n * kLn2Low);
  return withSpecialValues(n.fma(kLn2High, f + tail), x, 0.0);
}

Expr kernels::log2(Expr x) {
  auto [n, f] = decomposeWide(x.toDouble());
  Expr tail = (f * f).fma(f.polynomial(kLogF64), f);
  return withSpecialValues(tail.fma(llvm::numbers::log2e, n).toSingle(), x,
                           0.0);
}

Expr kernels::log10(Expr x) {
  Expr result = logWide(x.toDouble()) * llvm::numbers::log10e;
  return withSpecialValues(result.toSingle(), x, 0.0);
}

/// log(1 + y) in f64 for y > -1. What the sum 1 + y loses counts where y is
/// small, and then as it is, because log has slope 1.
static Expr log1pWide(Expr y) {
  Expr u = y + 1.0;
  Expr lost = (y > 1.0).select(0.0, y - (u - 1.0));
  return logWide(u) + lost;
}

Expr kernels::log1p(Expr x) {
  Expr result = log1pWide(x.toDouble()).toSingle().withSignOf(x);
  return withSpecialValues(result, x, -1.0);
}

Expr kernels::asinh(Expr x) {
  Expr a = x.abs().toDouble();
  Expr square = a * a;
  Expr root = (square + 1.0).sqrt() + 1.0;
  Expr result = log1pWide(a + square / root).toSingle();
  return (x.abs() < kInfinity).select(result.withSignOf(x), x);
}

Expr kernels::acosh(Expr x) {
  Expr t = x.toDouble() - 1.0;
  Expr result = log1pWide(t + (t * (t + 2.0)).sqrt()).toSingle();
  result = (x < kInfinity).select(result, x);
  return (x < 1.0).select(kNaN, result);
}

Expr kernels::atanh(Expr x) {
  Expr a = x.abs();
  Expr wide = a.toDouble();
  Expr ratio = (wide + wide) / (wide.constant(1.0) - wide);
  Expr result = (log1pWide(ratio) * 0.5).toSingle();
  result = (a < 1.0).select(result, a.constant(kInfinity));
  result = (a > 1.0).select(kNaN, result).withSignOf(x);
  return (x == x).select(result, x);
}

/// a^y for a >= 0 or NaN; NaN^0 is 1, and so is 1^y for any y but NaN.
static Expr powOfMagnitude(Expr a, Expr y) {
  Expr wide = log2Wide(a.toDouble());
  wide = (a == kInfinity).select(kInfinity, wide);
  wide = (a == 0.0).select(-kInfinity, wide);
  Expr product = y * wide;
  // 1 to +-Inf.
  product = (a == 1.0).select(0.0, product);
  Expr bounded = product.atLeast(-200.0).atMost(200.0);
  Expr result = kernels::exp2Wide(bounded).toSingle();
  result = (a == a).select(result, a);
  return (y == 0.0).select(1.0, result);
}

Expr kernels::pow(Expr x, Expr y) {
  Expr result = powOfMagnitude(x.abs(), y.toDouble());
  Expr isInteger = y.floor() == y;
  Expr half = y * 0.5;
  Expr isOdd = isInteger & (half.floor() != half);
  // -Inf < x < 0 to a power that is no integer.
  Expr invalid = (x < 0.0) & (x > -kInfinity) & (y.floor() != y);
  result = isOdd.select(result.withSignOf(x), result);
  result = invalid.select(kNaN, result);
  result = (y == y).select(result, y);
  return ((x == 1.0) | (y == 0.0)).select(1.0, result);
}

Expr kernels::powInteger(Expr x, Expr power) {
  Expr result = powOfMagnitude(x.abs(), power.signedToDouble());
  Expr isOdd = power.andInt(1).isNonZero();
  return isOdd.select(result.withSignOf(x), result);
}

Expr kernels::cbrt(Expr x) {
  Expr a = x.abs();
  Expr third = log2Wide(a.toDouble()) * (1.0 / 3.0);
  Expr result = exp2Wide(third).toSingle().withSignOf(x);
  result = (a < kInfinity).select(result, x);
  return (x == 0.0).select(x, result);
}

Expr kernels::rsqrt(Expr x) { return x.constant(1.0) / x.sqrt(); }
