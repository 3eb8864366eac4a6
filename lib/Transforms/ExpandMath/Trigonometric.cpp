//===- Trigonometric.cpp - sin, atan2 and relatives -----------------------===//
//
// Arguments of any size are reduced by one straight line of f64 operations.
//
//===----------------------------------------------------------------------===//

#include "Coefficients.h"
#include "Kernels.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::dlc;
using namespace mlir::dlc::coefficients;

static constexpr double kPi = llvm::numbers::pi;

namespace {
/// x = quadrant * pi / 2 + angle with |angle| <= pi / 4 (f64); the quadrant is
/// an i32 modulo 4 in its low bits.
struct Reduced {
  Expr quadrant;
  Expr angle;
};
} // namespace

/// Payne-Hanek reduction without integers: the product of an f32 and each part
/// of 1 / (2 pi) is exact in f64, so that its whole turns can be dropped part
/// by part. What is left of the parts is added from the largest to the smallest
/// after the quadrant is taken out, so that cancellation leaves no error.
static Reduced reduceAngle(Expr x) {
  Expr wide = x.toDouble();
  SmallVector<Expr> turns;
  // Parts 5 and 6 are below a turn for every f32.
  for (int part = 0; part < 5; ++part) {
    Expr product = wide * kInverseTwoPi[part];
    turns.push_back(product - product.roundEven());
  }
  turns.push_back(wide.fma(kInverseTwoPi[6], wide * kInverseTwoPi[5]));

  Expr sum = turns[0];
  for (int part = 1; part < 5; ++part)
    sum = sum + turns[part];
  constexpr double round = 0x1.8p52;
  Expr rounded = sum.fma(4.0, round);
  Expr rest = (rounded - round).fma(-0.25, turns[0]);
  for (int part = 1; part < 6; ++part)
    rest = rest + turns[part];
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
  // Reduced without the sign, which a difference would take from -0.
  auto [quadrant, angle] = reduceAngle(x.abs());
  auto [sine, cosine] = sincosNearZero(angle);
  Expr sign = x.bits().andInt(INT32_MIN);
  Expr unsignedSine = pickQuadrant(quadrant, sine, cosine);
  return {(unsignedSine.bits() ^ sign).asFloat(),
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
  Expr ratio =
      odd.select(cosine, sine) / odd.select(sine.constant(0.0) - sine, cosine);
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
