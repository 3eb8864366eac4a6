//===- DLCElementwiseScalars.cpp - Scalar code of element-wise ops --------===//
//
// One emitScalar per op: what it computes for one element. Floats narrower than
// f32 do not come here: the caller widens them.
//
//===----------------------------------------------------------------------===//

#include "DLC/Dialect/IR/DLCElementwiseOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace mlir::dlc;

static bool isFloat(Value value) { return isa<FloatType>(value.getType()); }

static Value constant(ImplicitLocOpBuilder &b, Type type, double value) {
  if (auto floatType = dyn_cast<FloatType>(type))
    return arith::ConstantOp::create(b, b.getFloatAttr(floatType, value));
  return arith::ConstantOp::create(
      b, b.getIntegerAttr(type, static_cast<int64_t>(value)));
}

//===----------------------------------------------------------------------===//
// Ops that are one upstream op
//===----------------------------------------------------------------------===//

#define DLC_UNARY(OP, UPSTREAM)                                                \
  Value OP::emitScalar(OpBuilder &builder, ValueRange elements) {              \
    return UPSTREAM::create(builder, getLoc(), elements[0], getFastmath());    \
  }
DLC_UNARY(AcosOp, math::AcosOp)
DLC_UNARY(AcoshOp, math::AcoshOp)
DLC_UNARY(AsinOp, math::AsinOp)
DLC_UNARY(AsinhOp, math::AsinhOp)
DLC_UNARY(AtanOp, math::AtanOp)
DLC_UNARY(AtanhOp, math::AtanhOp)
DLC_UNARY(CeilOp, math::CeilOp)
DLC_UNARY(CosOp, math::CosOp)
DLC_UNARY(CoshOp, math::CoshOp)
DLC_UNARY(ErfOp, math::ErfOp)
DLC_UNARY(ExpOp, math::ExpOp)
DLC_UNARY(Expm1Op, math::ExpM1Op)
DLC_UNARY(FloorOp, math::FloorOp)
DLC_UNARY(LogOp, math::LogOp)
DLC_UNARY(Log1pOp, math::Log1pOp)
DLC_UNARY(RoundOp, math::RoundEvenOp)
DLC_UNARY(SinOp, math::SinOp)
DLC_UNARY(SinhOp, math::SinhOp)
DLC_UNARY(SqrtOp, math::SqrtOp)
DLC_UNARY(TanOp, math::TanOp)
DLC_UNARY(TanhOp, math::TanhOp)
DLC_UNARY(TruncOp, math::TruncOp)
#undef DLC_UNARY

#define DLC_BINARY(OP, FLOAT, INT)                                             \
  Value OP::emitScalar(OpBuilder &builder, ValueRange elements) {              \
    if (isFloat(elements[0]))                                                  \
      return FLOAT::create(builder, getLoc(), elements[0], elements[1],        \
                           getFastmath());                                     \
    return INT::create(builder, getLoc(), elements[0], elements[1]);           \
  }
DLC_BINARY(AddOp, arith::AddFOp, arith::AddIOp)
DLC_BINARY(SubOp, arith::SubFOp, arith::SubIOp)
DLC_BINARY(MulOp, arith::MulFOp, arith::MulIOp)
#undef DLC_BINARY

#define DLC_EXTREMUM(OP, FLOAT, SIGNED, UNSIGNED)                              \
  Value OP::emitScalar(OpBuilder &builder, ValueRange elements) {              \
    if (isFloat(elements[0]))                                                  \
      return FLOAT::create(builder, getLoc(), elements[0], elements[1],        \
                           getFastmath());                                     \
    if (getIsUnsigned() || elements[0].getType().isInteger(1))                 \
      return UNSIGNED::create(builder, getLoc(), elements[0], elements[1]);    \
    return SIGNED::create(builder, getLoc(), elements[0], elements[1]);        \
  }
DLC_EXTREMUM(MaximumOp, arith::MaximumFOp, arith::MaxSIOp, arith::MaxUIOp)
DLC_EXTREMUM(MinimumOp, arith::MinimumFOp, arith::MinSIOp, arith::MinUIOp)
#undef DLC_EXTREMUM

#define DLC_INT_BINARY(OP, UPSTREAM)                                           \
  Value OP::emitScalar(OpBuilder &builder, ValueRange elements) {              \
    return UPSTREAM::create(builder, getLoc(), elements[0], elements[1]);      \
  }
DLC_INT_BINARY(AndOp, arith::AndIOp)
DLC_INT_BINARY(OrOp, arith::OrIOp)
DLC_INT_BINARY(XorOp, arith::XOrIOp)
#undef DLC_INT_BINARY

Value Atan2Op::emitScalar(OpBuilder &builder, ValueRange elements) {
  return math::Atan2Op::create(builder, getLoc(), elements[0], elements[1],
                               getFastmath());
}

Value SelectOp::emitScalar(OpBuilder &builder, ValueRange elements) {
  return arith::SelectOp::create(builder, getLoc(), elements[0], elements[1],
                                 elements[2]);
}

//===----------------------------------------------------------------------===//
// Unary formulas
//===----------------------------------------------------------------------===//

Value AbsOp::emitScalar(OpBuilder &builder, ValueRange elements) {
  if (isFloat(elements[0]))
    return math::AbsFOp::create(builder, getLoc(), elements[0], getFastmath());
  return math::AbsIOp::create(builder, getLoc(), elements[0]);
}

Value NegOp::emitScalar(OpBuilder &builder, ValueRange elements) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  if (isFloat(elements[0]))
    return arith::NegFOp::create(b, elements[0], getFastmath());
  return arith::SubIOp::create(b, constant(b, elements[0].getType(), 0),
                               elements[0]);
}

Value SignOp::emitScalar(OpBuilder &builder, ValueRange elements) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  Value x = elements[0];
  Type type = x.getType();
  Value zero = constant(b, type, 0), one = constant(b, type, 1),
        minusOne = constant(b, type, -1);
  if (isFloat(x)) {
    Value above = arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, x, zero);
    Value below = arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, x, zero);
    Value isNaN = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, x, x);
    Value rest = arith::SelectOp::create(b, isNaN, x, zero);
    Value negative = arith::SelectOp::create(b, below, minusOne, rest);
    return arith::SelectOp::create(b, above, one, negative);
  }
  Value above = arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, x, zero);
  Value below = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, x, zero);
  Value negative = arith::SelectOp::create(b, below, minusOne, zero);
  return arith::SelectOp::create(b, above, one, negative);
}

Value NotOp::emitScalar(OpBuilder &builder, ValueRange elements) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  return arith::XOrIOp::create(b, elements[0],
                               constant(b, elements[0].getType(), -1));
}

Value IsNaNOp::emitScalar(OpBuilder &builder, ValueRange elements) {
  return arith::CmpFOp::create(builder, getLoc(), arith::CmpFPredicate::UNO,
                               elements[0], elements[0]);
}

Value IsInfOp::emitScalar(OpBuilder &builder, ValueRange elements) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  auto type = cast<FloatType>(elements[0].getType());
  auto isEqual = [&](bool negative) -> Value {
    APFloat infinity = APFloat::getInf(type.getFloatSemantics(), negative);
    Value bound = arith::ConstantOp::create(b, FloatAttr::get(type, infinity));
    return arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, elements[0],
                                 bound);
  };
  if (getDetectNegative() && getDetectPositive())
    return arith::OrIOp::create(b, isEqual(true), isEqual(false));
  if (getDetectNegative() || getDetectPositive())
    return isEqual(getDetectNegative());
  return constant(b, b.getI1Type(), 0);
}

Value RsqrtOp::emitScalar(OpBuilder &builder, ValueRange elements) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  Value root = math::SqrtOp::create(b, elements[0], getFastmath());
  return arith::DivFOp::create(b, constant(b, root.getType(), 1), root,
                               getFastmath());
}

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

/// 1 / (1 + e^-x): e^-x overflows to infinity for very negative x, of which the
/// quotient is the right 0.
static Value emitSigmoid(ImplicitLocOpBuilder &b, Value x,
                         arith::FastMathFlags flags) {
  Value one = constant(b, x.getType(), 1);
  Value power = math::ExpOp::create(
      b, arith::NegFOp::create(b, x, flags).getResult(), flags);
  Value sum = arith::AddFOp::create(b, one, power, flags);
  return arith::DivFOp::create(b, one, sum, flags);
}

/// ln(1 + e^x) as max(x, 0) + ln(1 + e^-|x|), which does not overflow.
static Value emitSoftplus(ImplicitLocOpBuilder &b, Value x,
                          arith::FastMathFlags flags) {
  Value zero = constant(b, x.getType(), 0);
  Value magnitude = math::AbsFOp::create(b, x, flags);
  Value power = math::ExpOp::create(
      b, arith::NegFOp::create(b, magnitude, flags).getResult(), flags);
  Value log = math::Log1pOp::create(b, power, flags);
  return arith::AddFOp::create(b, arith::MaximumFOp::create(b, x, zero, flags),
                               log, flags);
}

/// min(max(x, 0), 1); NaN stays NaN.
static Value clampToUnit(ImplicitLocOpBuilder &b, Value x,
                         arith::FastMathFlags flags) {
  Value low =
      arith::MaximumFOp::create(b, x, constant(b, x.getType(), 0), flags);
  return arith::MinimumFOp::create(b, low, constant(b, x.getType(), 1), flags);
}

/// x if it is not below 0, else `negative`.
static Value selectNegative(ImplicitLocOpBuilder &b, Value x, Value negative) {
  Value isBelow = arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, x,
                                        constant(b, x.getType(), 0));
  return arith::SelectOp::create(b, isBelow, negative, x);
}

Value SigmoidOp::emitScalar(OpBuilder &builder, ValueRange elements) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  return emitSigmoid(b, elements[0], getFastmath());
}

Value SoftplusOp::emitScalar(OpBuilder &builder, ValueRange elements) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  return emitSoftplus(b, elements[0], getFastmath());
}

Value ReluOp::emitScalar(OpBuilder &builder, ValueRange elements) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  Value zero = constant(b, elements[0].getType(), 0);
  if (isFloat(elements[0]))
    return arith::MaximumFOp::create(b, elements[0], zero, getFastmath());
  return arith::MaxSIOp::create(b, elements[0], zero);
}

Value SiluOp::emitScalar(OpBuilder &builder, ValueRange elements) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  Value sigmoid = emitSigmoid(b, elements[0], getFastmath());
  return arith::MulFOp::create(b, elements[0], sigmoid, getFastmath());
}

Value HardSwishOp::emitScalar(OpBuilder &builder, ValueRange elements) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  Value x = elements[0];
  Value scaled = arith::MulFOp::create(
      b, x, constant(b, x.getType(), 1.0 / 6.0), getFastmath());
  Value shifted = arith::AddFOp::create(
      b, scaled, constant(b, x.getType(), 0.5), getFastmath());
  return arith::MulFOp::create(b, x, clampToUnit(b, shifted, getFastmath()),
                               getFastmath());
}

Value MishOp::emitScalar(OpBuilder &builder, ValueRange elements) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  Value softplus = emitSoftplus(b, elements[0], getFastmath());
  Value tanh = math::TanhOp::create(b, softplus, getFastmath());
  return arith::MulFOp::create(b, elements[0], tanh, getFastmath());
}

Value GeluOp::emitScalar(OpBuilder &builder, ValueRange elements) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  arith::FastMathFlags flags = getFastmath();
  Value x = elements[0];
  auto c = [&](double value) { return constant(b, x.getType(), value); };
  auto mul = [&](Value lhs, Value rhs) -> Value {
    return arith::MulFOp::create(b, lhs, rhs, flags);
  };
  Value inner;
  if (getApproximate() == GeluApproximation::tanh) {
    Value cube = mul(mul(mul(x, x), x), c(0.044715));
    Value sum = arith::AddFOp::create(b, x, cube, flags);
    inner = math::TanhOp::create(b, mul(sum, c(0.79788456080286535588)), flags);
  } else {
    inner = math::ErfOp::create(b, mul(x, c(0.70710678118654752440)), flags);
  }
  Value sum = arith::AddFOp::create(b, inner, c(1.0), flags);
  return mul(mul(x, c(0.5)), sum);
}

Value LeakyReluOp::emitScalar(OpBuilder &builder, ValueRange elements) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  Value x = elements[0];
  Value alpha = constant(b, x.getType(), getAlpha().convertToDouble());
  return selectNegative(b, x,
                        arith::MulFOp::create(b, x, alpha, getFastmath()));
}

Value EluOp::emitScalar(OpBuilder &builder, ValueRange elements) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  Value x = elements[0];
  Value alpha = constant(b, x.getType(), getAlpha().convertToDouble());
  Value power = math::ExpM1Op::create(b, x, getFastmath());
  return selectNegative(b, x,
                        arith::MulFOp::create(b, power, alpha, getFastmath()));
}

Value HardSigmoidOp::emitScalar(OpBuilder &builder, ValueRange elements) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  Value x = elements[0];
  Value alpha = constant(b, x.getType(), getAlpha().convertToDouble());
  Value beta = constant(b, x.getType(), getBeta().convertToDouble());
  Value scaled = arith::MulFOp::create(b, x, alpha, getFastmath());
  Value shifted = arith::AddFOp::create(b, scaled, beta, getFastmath());
  return clampToUnit(b, shifted, getFastmath());
}

//===----------------------------------------------------------------------===//
// Division
//===----------------------------------------------------------------------===//

namespace {
/// An integer division that cannot trap: the divisor where it is safe, else 1,
/// and which of the two bad cases there is.
struct SafeDivision {
  Value divisor;
  Value isZero;
  Value overflows; ///< null for unsigned division
};
} // namespace

static SafeDivision makeSafe(ImplicitLocOpBuilder &b, Value lhs, Value rhs,
                             bool isUnsigned) {
  SafeDivision safe;
  Type type = lhs.getType();
  Value zero = constant(b, type, 0), one = constant(b, type, 1);
  safe.isZero = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, rhs, zero);
  Value isBad = safe.isZero;
  if (!isUnsigned) {
    unsigned width = type.getIntOrFloatBitWidth();
    Value lowest = arith::ConstantOp::create(
        b, b.getIntegerAttr(type, APInt::getSignedMinValue(width)));
    Value isLowest =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, lhs, lowest);
    Value isMinusOne = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, rhs,
                                             constant(b, type, -1));
    safe.overflows = arith::AndIOp::create(b, isLowest, isMinusOne);
    isBad = arith::OrIOp::create(b, isBad, safe.overflows);
  }
  safe.divisor = arith::SelectOp::create(b, isBad, one, rhs);
  return safe;
}

/// Truncating division: x / 0 is -1 and lowest / -1 is itself (the quotient by
/// the safe divisor 1).
static Value emitIntDivision(ImplicitLocOpBuilder &b, Value lhs, Value rhs,
                             bool isUnsigned) {
  SafeDivision safe = makeSafe(b, lhs, rhs, isUnsigned);
  Value quotient =
      isUnsigned ? arith::DivUIOp::create(b, lhs, safe.divisor).getResult()
                 : arith::DivSIOp::create(b, lhs, safe.divisor).getResult();
  return arith::SelectOp::create(b, safe.isZero, constant(b, lhs.getType(), -1),
                                 quotient);
}

/// The remainder of truncating division: x by 0 is x, lowest by -1 is 0 (the
/// remainder by the safe divisor 1).
static Value emitIntRemainder(ImplicitLocOpBuilder &b, Value lhs, Value rhs,
                              bool isUnsigned) {
  SafeDivision safe = makeSafe(b, lhs, rhs, isUnsigned);
  Value remainder =
      isUnsigned ? arith::RemUIOp::create(b, lhs, safe.divisor).getResult()
                 : arith::RemSIOp::create(b, lhs, safe.divisor).getResult();
  return arith::SelectOp::create(b, safe.isZero, lhs, remainder);
}

/// i1: `remainder` is not 0 and has another sign than `divisor`.
static Value needsFloor(ImplicitLocOpBuilder &b, Value remainder,
                        Value divisor) {
  Value zero = constant(b, remainder.getType(), 0);
  if (isFloat(remainder)) {
    auto isBelow = [&](Value value) -> Value {
      return arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, value, zero);
    };
    Value isRest =
        arith::CmpFOp::create(b, arith::CmpFPredicate::ONE, remainder, zero);
    Value differ =
        arith::XOrIOp::create(b, isBelow(remainder), isBelow(divisor));
    return arith::AndIOp::create(b, isRest, differ);
  }
  auto isBelow = [&](Value value) -> Value {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::slt, value, zero);
  };
  Value isRest =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ne, remainder, zero);
  Value differ = arith::XOrIOp::create(b, isBelow(remainder), isBelow(divisor));
  return arith::AndIOp::create(b, isRest, differ);
}

Value DivOp::emitScalar(OpBuilder &builder, ValueRange elements) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  if (isFloat(elements[0]))
    return arith::DivFOp::create(b, elements[0], elements[1], getFastmath());
  return emitIntDivision(b, elements[0], elements[1], getIsUnsigned());
}

Value FloorDivOp::emitScalar(OpBuilder &builder, ValueRange elements) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  Value lhs = elements[0], rhs = elements[1];
  if (isFloat(lhs)) {
    Value quotient = arith::DivFOp::create(b, lhs, rhs, getFastmath());
    return math::FloorOp::create(b, quotient, getFastmath());
  }
  Value quotient = emitIntDivision(b, lhs, rhs, getIsUnsigned());
  if (getIsUnsigned())
    return quotient;
  Value remainder = emitIntRemainder(b, lhs, rhs, /*isUnsigned=*/false);
  Value less =
      arith::SubIOp::create(b, quotient, constant(b, lhs.getType(), 1));
  Value isZero = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, rhs,
                                       constant(b, lhs.getType(), 0));
  Value floored =
      arith::SelectOp::create(b, needsFloor(b, remainder, rhs), less, quotient);
  return arith::SelectOp::create(b, isZero, quotient, floored);
}

Value RemOp::emitScalar(OpBuilder &builder, ValueRange elements) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  if (isFloat(elements[0]))
    return arith::RemFOp::create(b, elements[0], elements[1], getFastmath());
  return emitIntRemainder(b, elements[0], elements[1], getIsUnsigned());
}

Value ModOp::emitScalar(OpBuilder &builder, ValueRange elements) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  Value lhs = elements[0], rhs = elements[1];
  if (isFloat(lhs)) {
    Value remainder = arith::RemFOp::create(b, lhs, rhs, getFastmath());
    Value moved = arith::AddFOp::create(b, remainder, rhs, getFastmath());
    return arith::SelectOp::create(b, needsFloor(b, remainder, rhs), moved,
                                   remainder);
  }
  Value remainder = emitIntRemainder(b, lhs, rhs, getIsUnsigned());
  if (getIsUnsigned())
    return remainder;
  // By 0 the remainder is lhs and nothing is added.
  Value moved = arith::AddIOp::create(b, remainder, rhs);
  return arith::SelectOp::create(b, needsFloor(b, remainder, rhs), moved,
                                 remainder);
}

//===----------------------------------------------------------------------===//
// Powers, shifts, comparison
//===----------------------------------------------------------------------===//

/// Square and multiply over the bits of the exponent: the same for all
/// elements, so that it vectorizes.
static Value emitIntPower(ImplicitLocOpBuilder &b, Value base, Value exponent,
                          bool isUnsigned) {
  Type type = base.getType();
  Value zero = constant(b, type, 0), one = constant(b, type, 1);
  Value result = one, square = base;
  // Powers beyond 2^63 are covered by 64 steps of any width.
  for (unsigned bit = 0; bit < type.getIntOrFloatBitWidth(); ++bit) {
    Value shifted = arith::ShRUIOp::create(b, exponent, constant(b, type, bit));
    Value isSet = arith::CmpIOp::create(
        b, arith::CmpIPredicate::ne,
        arith::AndIOp::create(b, shifted, one).getResult(), zero);
    Value product = arith::MulIOp::create(b, result, square);
    result = arith::SelectOp::create(b, isSet, product, result);
    square = arith::MulIOp::create(b, square, square);
  }
  if (isUnsigned)
    return result;
  // 1 / base^-exponent, truncated; base^|e| itself for bases of magnitude 1.
  Value isNegative =
      arith::CmpIOp::create(b, arith::CmpIPredicate::slt, exponent, zero);
  Value isOdd = arith::CmpIOp::create(
      b, arith::CmpIPredicate::ne,
      arith::AndIOp::create(b, exponent, one).getResult(), zero);
  Value minusOne = constant(b, type, -1);
  auto isBase = [&](Value value) -> Value {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, base, value);
  };
  Value alternating = arith::SelectOp::create(b, isOdd, minusOne, one);
  Value inverse =
      arith::SelectOp::create(b, isBase(minusOne), alternating, zero);
  inverse = arith::SelectOp::create(b, isBase(one), one, inverse);
  inverse = arith::SelectOp::create(b, isBase(zero), minusOne, inverse);
  return arith::SelectOp::create(b, isNegative, inverse, result);
}

Value PowOp::emitScalar(OpBuilder &builder, ValueRange elements) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  if (isFloat(elements[0]))
    return math::PowFOp::create(b, elements[0], elements[1], getFastmath());
  return emitIntPower(b, elements[0], elements[1], getIsUnsigned());
}

/// i1: the shift amount is below the width.
static Value isShiftInRange(ImplicitLocOpBuilder &b, Value amount) {
  Type type = amount.getType();
  // Widths of 64 and less fit into every type of 8 bits and more; the others
  // have no larger amounts than 15.
  unsigned width = type.getIntOrFloatBitWidth();
  if (width < 4)
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ule, amount,
                                 constant(b, type, width - 1));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, amount,
                               constant(b, type, width));
}

Value ShiftLeftOp::emitScalar(OpBuilder &builder, ValueRange elements) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  Type type = elements[0].getType();
  Value isInRange = isShiftInRange(b, elements[1]);
  Value amount =
      arith::SelectOp::create(b, isInRange, elements[1], constant(b, type, 0));
  Value shifted = arith::ShLIOp::create(b, elements[0], amount);
  return arith::SelectOp::create(b, isInRange, shifted, constant(b, type, 0));
}

Value ShiftRightOp::emitScalar(OpBuilder &builder, ValueRange elements) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  Type type = elements[0].getType();
  Value isInRange = isShiftInRange(b, elements[1]);
  if (getIsUnsigned()) {
    Value amount = arith::SelectOp::create(b, isInRange, elements[1],
                                           constant(b, type, 0));
    Value shifted = arith::ShRUIOp::create(b, elements[0], amount);
    return arith::SelectOp::create(b, isInRange, shifted, constant(b, type, 0));
  }
  // After the width all bits are the sign.
  Value most = constant(b, type, type.getIntOrFloatBitWidth() - 1);
  Value amount = arith::SelectOp::create(b, isInRange, elements[1], most);
  return arith::ShRSIOp::create(b, elements[0], amount);
}

Value CompareOp::emitScalar(OpBuilder &builder, ValueRange elements) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  auto index = static_cast<unsigned>(getPredicate());
  if (isFloat(elements[0])) {
    using P = arith::CmpFPredicate;
    static constexpr P kPredicates[] = {P::OEQ, P::UNE, P::OLT,
                                        P::OLE, P::OGT, P::OGE};
    return arith::CmpFOp::create(b, kPredicates[index], elements[0],
                                 elements[1]);
  }
  using P = arith::CmpIPredicate;
  static constexpr P kSigned[] = {P::eq, P::ne, P::slt, P::sle, P::sgt, P::sge};
  static constexpr P kUnsigned[] = {P::eq,  P::ne,  P::ult,
                                    P::ule, P::ugt, P::uge};
  bool isUnsigned = getIsUnsigned() || elements[0].getType().isInteger(1);
  return arith::CmpIOp::create(b, (isUnsigned ? kUnsigned : kSigned)[index],
                               elements[0], elements[1]);
}

Value ClampOp::emitScalar(OpBuilder &builder, ValueRange elements) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  Value lo = elements[0], x = elements[1], hi = elements[2];
  if (isFloat(x))
    return arith::MinimumFOp::create(
        b, arith::MaximumFOp::create(b, x, lo).getResult(), hi);
  if (getIsUnsigned())
    return arith::MinUIOp::create(
        b, arith::MaxUIOp::create(b, x, lo).getResult(), hi);
  return arith::MinSIOp::create(b, arith::MaxSIOp::create(b, x, lo).getResult(),
                                hi);
}
