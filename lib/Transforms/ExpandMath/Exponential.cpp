//===- Exponential.cpp - exp, tanh, erf and relatives ---------------------===//
//
// e^x = 2^n e^r with n = round(x log2(e)) and |r| <= log(2) / 2. Adding
// 1.5 * 2^23 (2^52 in f64) rounds to an integer and leaves it in the low bits,
// so that neither a rounding nor a conversion instruction is needed.
//
//===----------------------------------------------------------------------===//

#include "Coefficients.h"
#include "Kernels.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace mlir::dlc;
using namespace mlir::dlc::coefficients;

static constexpr double kLog2E = llvm::numbers::log2e;
/// log(2) as an f32 of 15 bits and the f32 nearest to the rest.
static constexpr double kLn2High = 0x1.62e4p-1;
static constexpr double kLn2Low = 0x1.7f7d1cp-20;
static constexpr double kRound32 = 0x1.8p23;
static constexpr double kRound64 = 0x1.8p52;

/// `p * 2^n` where the low bits of `biased` are n + 127, n in [-151, 128], for
/// a p in [0.7, 1.5] that makes no overflow. Where the result is `tiny` (below
/// 2^-126), its bits come from an addition to 2^23, whose ulp is that of the
/// denormal numbers after scaling: arithmetic that gives denormal numbers, or
/// that rounds them to 0, is several times slower on many processors, and
/// masked probabilities are such numbers.
static Expr scale(Expr p, Expr rounded, Expr tiny) {
  constexpr int64_t twoTo23 = 0x4b000000;
  Expr power = rounded.bits().shiftLeft(23);
  Expr normal = p.bits().addInt(power);
  Expr units = power.addInt(int32_t((149u + 127u) << 23)).asFloat();
  Expr denormal = p.fma(units, 0x1p23).bits().addInt(-twoTo23);
  return tiny.select(denormal, normal).asFloat();
}

/// Inf for x > limit, NaN for NaN, else `result`.
static Expr withOverflow(Expr result, Expr x, double limit) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return x.isAtMost(limit).select(result, x + infinity);
}

/// The remainder x - n log(2).
static Expr subtractLn2(Expr x, Expr n) {
  return n.fma(-kLn2Low, n.fma(-kLn2High, x));
}

Expr kernels::exp(Expr x) {
  Expr bounded = x.atLeast(-104.5);
  Expr rounded = bounded.fma(kLog2E, kRound32);
  Expr r = subtractLn2(bounded, rounded - kRound32);
  Expr p = r.fma(r.polynomial(kExpF32), 1.0);
  // The last number with a normal result, and the last number before the
  // overflow.
  Expr result = scale(p, rounded, x < -0x1.5d589ep+6);
  return withOverflow(result, x, 0x1.62e42ep+6);
}

Expr kernels::exp2(Expr x) {
  Expr bounded = x.atLeast(-151.0);
  Expr rounded = bounded + kRound32;
  Expr r = bounded - (rounded - kRound32);
  Expr p = r.fma(r.polynomial(kExp2F32), 1.0);
  Expr result = scale(p, rounded, x < -126.0);
  return withOverflow(result, x, 0x1.fffffep+6);
}

/// e^x for x in [-80, 80]: the factor 2^n is a normal number.
static Expr expInRange(Expr x) {
  Expr rounded = x.fma(kLog2E, kRound32 + 127);
  Expr r = subtractLn2(x, rounded - (kRound32 + 127));
  Expr p = r.fma(r.polynomial(kExpF32), 1.0);
  return p * rounded.bits().shiftLeft(23).asFloat();
}

/// e^y - 1 in f64 for |y| <= 700 or NaN, with a small relative error near 0.
static Expr expm1Wide(Expr y) {
  Expr rounded = y.fma(kLog2E, kRound64 + 1023);
  Expr r = (rounded - (kRound64 + 1023)).fma(-llvm::numbers::ln2, y);
  Expr p = r * r.polynomial(kExpm1F64);
  Expr scale = rounded.bits().shiftLeft(52).asFloat();
  return scale.fma(p, scale - 1.0);
}

Expr kernels::exp2Wide(Expr y) {
  Expr rounded = y + (kRound64 + 1023);
  Expr r = y - (rounded - (kRound64 + 1023));
  Expr p = r.fma(r.polynomial(kExp2F64), 1.0);
  return p * rounded.bits().shiftLeft(52).asFloat();
}

Expr kernels::expm1(Expr x) {
  Expr y = x.atLeast(-104.0).atMost(89.0).toDouble();
  // The sum inside loses the sign of -0.
  return expm1Wide(y).toSingle().withSignOf(x);
}

Expr kernels::sinh(Expr x) {
  Expr e = expm1Wide(x.abs().atMost(95.0).toDouble());
  return ((e + e / (e + 1.0)) * 0.5).toSingle().withSignOf(x);
}

Expr kernels::cosh(Expr x) {
  Expr e = expm1Wide(x.abs().atMost(95.0).toDouble()) + 1.0;
  return ((e + e.constant(1.0) / e) * 0.5).toSingle();
}

Expr kernels::tanh(Expr x) {
  Expr a = x.abs().atMost(10.0);
  Expr z = a * a;
  Expr small = (a * z).fma(z.polynomial(kTanhF32), a);
  Expr e = expInRange(a + a);
  Expr large = e.constant(1.0) - e.constant(2.0) / (e + 1.0);
  return (a > 0.6).select(large, small).withSignOf(x);
}

Expr kernels::erf(Expr x) {
  Expr a = x.abs().atMost(3.95);
  Expr small = a.fma((a * a).polynomial(kErfSmallF32), a);
  // Beyond 0.925 the relative error of erfc hardly counts, so that it may be
  // an exponential of a polynomial.
  Expr large = a.constant(1.0) - expInRange(a.polynomial(kErfLargeF32));
  return (a > 0.925).select(large, small).withSignOf(x);
}

Expr kernels::erfc(Expr x) {
  Expr a = x.abs().atMost(10.2).toDouble();
  // a has 24 bits, so that a * a is exact.
  Expr e = exp2Wide(a * a * -kLog2E);
  Expr t = (a - 2.0) / (a + 2.0);
  Expr tail = e * t.polynomial(kErfcxF64) / a.fma(2.0, 1.0);
  Expr result =
      (x < 0.0).select((tail.constant(2.0) - tail).toSingle(), tail.toSingle());
  return result;
}
