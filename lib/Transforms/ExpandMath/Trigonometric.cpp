//===- Trigonometric.cpp - sin, atan2 and relatives -----------------------===//
//
// Arguments of any size are reduced by one straight line of f64 operations.
//
//===----------------------------------------------------------------------===//

#include "Coefficients.h"
#include "Kernels.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace mlir::dlc;
using namespace mlir::dlc::coefficients;

static constexpr double kPi = llvm::numbers::pi;

namespace {
/// a = quadrant * pi / 2 + angle with |angle| <= pi / 4 (f64); the quadrant is
/// an i32 modulo 4 in its low bits.
struct Reduced {
  Expr quadrant;
  Expr angle;
};
} // namespace

/// Payne-Hanek reduction by selection instead of integers. An f32 of at least
/// 2^(23 + 25k) is a multiple of 2^25k, so that the bits of 1 / (2 pi) down to
/// 2^-25k contribute whole turns only and are left out. The rest of 106 bits in
/// two parts is enough for the next 25 binades: the first product is below 2^48
/// and its rounding error, exact by fma, below 2^-4. The quadrant is taken out
/// before the smaller terms are added, so that cancellation leaves no error.
static Reduced reduceAngle(Expr a) {
  Expr wide = a.toDouble();
  Expr high = wide.constant(kInverseTwoPi[0][0]);
  Expr low = wide.constant(kInverseTwoPi[0][1]);
  for (int k = 1; k < 5; ++k) {
    Expr far = a > std::ldexp(1.0, 23 + 25 * k);
    high = far.select(kInverseTwoPi[k][0], high);
    low = far.select(kInverseTwoPi[k][1], low);
  }
  Expr product = wide * high;
  Expr error = wide.fma(high, -product);
  Expr tail = wide * low;
  Expr turn = product - product.roundEven();
  constexpr double round = 0x1.8p52;
  Expr rounded = (turn + (error + tail)).fma(4.0, round);
  Expr rest = (rounded - round).fma(-0.25, turn) + error + tail;
  return {rounded.bits().toInt32(), rest * (2 * kPi)};
}

/// The sine and cosine of |angle| <= pi / 4.
static std::pair<Expr, Expr> sincosNearZero(Expr angle) {
  Expr r = angle.toSingle();
  Expr z = r * r;
  Expr sine = (r * z).fma(z.polynomial(kSinF32), r);
  Expr cosine = z.fma(z.fma(z.polynomial(kCosF32), -0.5), 1.0);
  return {sine, cosine};
}

/// Picks the sine of an angle in `quadrant` and flips its sign in the second
/// half of the turn.
static Expr pickQuadrant(Expr quadrant, Expr sine, Expr cosine) {
  Expr value = quadrant.andInt(1).isNonZero().select(cosine, sine);
  Expr sign = quadrant.andInt(2).shiftLeft(30);
  return (value.bits() ^ sign).asFloat();
}

std::pair<Expr, Expr> kernels::sincos(Expr x) {
  // Reduced without the sign, which a difference would take from -0. Up to
  // 2^-12 the sine is x, and nothing needs to be computed with tiny numbers.
  Expr a = x.abs();
  Expr tiny = a < 0x1p-12;
  auto [quadrant, angle] = reduceAngle(tiny.select(0.0, a));
  auto [sine, cosine] = sincosNearZero(angle);
  Expr sign = x.bits().andInt(INT32_MIN);
  Expr magnitude = pickQuadrant(quadrant, sine, cosine);
  Expr signedSine = (magnitude.bits() ^ sign).asFloat();
  return {tiny.select(x, signedSine),
          pickQuadrant(quadrant.addInt(1), sine, cosine)};
}

Expr kernels::sin(Expr x) { return sincos(x).first; }

Expr kernels::cos(Expr x) { return sincos(x).second; }

Expr kernels::tan(Expr x) {
  auto [quadrant, angle] = reduceAngle(x.abs());
  Expr z = angle * angle;
  Expr sine = (angle * z).fma(z.polynomial(kSinF64), angle);
  Expr cosine = z.fma(z.polynomial(kCosF64), 1.0);
  Expr odd = quadrant.andInt(1).isNonZero();
  Expr ratio = odd.select(cosine, sine) / odd.select(-sine, cosine);
  Expr sign = x.bits().andInt(INT32_MIN);
  return (ratio.toSingle().bits() ^ sign).asFloat();
}

namespace {
/// asin(a) = (beyondHalf ? pi / 2 - 2 partial : partial).
struct PartialAsin {
  Expr beyondHalf;
  Expr partial;
};
} // namespace

/// For 0 <= a <= 1; more gives NaN. Beyond 1/2 the half-angle identity applies.
static PartialAsin emitPartialAsin(Expr a) {
  Expr beyondHalf = a > 0.5;
  Expr wide = a.toDouble();
  Expr z = beyondHalf.select(wide.fma(-0.5, 0.5), wide * wide);
  Expr root = beyondHalf.select(z.sqrt(), wide);
  return {beyondHalf, (root * z).fma(z.polynomial(kAsinF64), root)};
}

Expr kernels::asin(Expr x) {
  auto [beyondHalf, partial] = emitPartialAsin(x.abs());
  Expr result = beyondHalf.select(partial.fma(-2.0, kPi / 2), partial);
  return result.toSingle().withSignOf(x);
}

Expr kernels::acos(Expr x) {
  auto [beyondHalf, partial] = emitPartialAsin(x.abs());
  Expr negative = x < 0.0;
  Expr twice = partial + partial;
  Expr outer = negative.select(twice.constant(kPi) - twice, twice);
  Expr inner =
      negative.select(partial + kPi / 2, partial.constant(kPi / 2) - partial);
  return beyondHalf.select(outer, inner).toSingle();
}

/// atan(q) in f64 for 0 <= q <= 1.
static Expr atanWide(Expr q) {
  Expr z = q * q;
  return (q * z).fma(z.polynomial(kAtanF64), q);
}

Expr kernels::atan(Expr x) {
  Expr a = x.abs();
  Expr large = a > 1.0;
  Expr wide = a.toDouble();
  Expr one = wide.constant(1.0);
  Expr angle = atanWide(large.select(one, wide) / large.select(wide, one));
  Expr result = large.select(angle.constant(kPi / 2) - angle, angle);
  return result.toSingle().withSignOf(x);
}

Expr kernels::atan2(Expr y, Expr x) {
  Expr a = y.abs(), b = x.abs();
  Expr steep = a > b;
  Expr numerator = steep.select(b, a), denominator = steep.select(a, b);
  // Equal arguments are at 45 degrees, also Inf and Inf; 0 and 0 at 0.
  Expr ratio = numerator.toDouble() / denominator.toDouble();
  Expr ratioOfEqual = (b == 0.0).select(0.0, ratio.constant(1.0));
  ratio = (a == b).select(ratioOfEqual, ratio);
  Expr angle = atanWide(ratio);
  angle = steep.select(angle.constant(kPi / 2) - angle, angle);
  // Not x < 0: the sign of -0 counts.
  Expr left = x.bits().andInt(INT32_MIN).isNonZero();
  angle = left.select(angle.constant(kPi) - angle, angle);
  return angle.toSingle().withSignOf(y);
}
