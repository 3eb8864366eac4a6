//===- DLCFloatConversion.cpp - Scalar float conversions ------------------===//
//
// LLVM converts f64, f32, f16 and bf16; the f8 types are done here with integer
// arithmetic on f32, branch-free so that loops over them vectorize.
//
//===----------------------------------------------------------------------===//

#include "DLC/Dialect/IR/DLCFloatConversion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace mlir::dlc;

namespace {
/// An 8-bit float format.
struct SmallFloat {
  int mantissaBits;
  int bias;
  /// The code of NaN; with `isSignedNaN` the sign bit is added to it.
  unsigned nan;
  bool isSignedNaN;
  /// The code of infinity, or 0 if there is none.
  unsigned infinity;
  unsigned largest; ///< code of the largest finite value
  float largestValue;
  bool hasNegativeZero;
};
} // namespace

static std::optional<SmallFloat> getSmallFloat(Type type) {
  if (isa<Float8E4M3FNType>(type))
    return SmallFloat{3, 7, 0x7F, true, 0, 0x7E, 448.0f, true};
  if (isa<Float8E5M2Type>(type))
    return SmallFloat{2, 15, 0x7F, true, 0x7C, 0x7B, 57344.0f, true};
  if (isa<Float8E4M3FNUZType>(type))
    return SmallFloat{3, 8, 0x80, false, 0, 0x7F, 240.0f, false};
  if (isa<Float8E5M2FNUZType>(type))
    return SmallFloat{2, 16, 0x80, false, 0, 0x7F, 57344.0f, false};
  return std::nullopt;
}

bool mlir::dlc::isConvertibleFloat(Type type) {
  return isa<Float64Type, Float32Type, Float16Type, BFloat16Type>(type) ||
         getSmallFloat(type);
}

static Value constI32(ImplicitLocOpBuilder &b, int64_t value) {
  return arith::ConstantOp::create(b, b.getI32IntegerAttr(value));
}
static Value constF32(ImplicitLocOpBuilder &b, float value) {
  return arith::ConstantOp::create(b, b.getF32FloatAttr(value));
}

/// f8 -> f32, exact.
static Value widen(ImplicitLocOpBuilder &b, Value value,
                   const SmallFloat &format) {
  Type i32 = b.getI32Type(), f32 = b.getF32Type();
  Value code = arith::ExtUIOp::create(
      b, i32, arith::BitcastOp::create(b, b.getI8Type(), value).getResult());
  Value magnitude = arith::AndIOp::create(b, code, constI32(b, 0x7F));
  Value sign = arith::ShLIOp::create(
      b, arith::AndIOp::create(b, code, constI32(b, 0x80)).getResult(),
      constI32(b, 24));
  // Normal: shift the mantissa and the exponent into place, move the bias.
  Value shifted = arith::ShLIOp::create(b, magnitude,
                                        constI32(b, 23 - format.mantissaBits));
  Value normal = arith::AddIOp::create(
      b, shifted, constI32(b, int64_t(127 - format.bias) << 23));
  Value normalFloat = arith::BitcastOp::create(b, f32, normal);
  // Denormal: the mantissa times the smallest step.
  Value step =
      constF32(b, std::ldexp(1.0f, 1 - format.bias - format.mantissaBits));
  Value denormal = arith::MulFOp::create(
      b, arith::UIToFPOp::create(b, f32, magnitude).getResult(), step);
  Value isDenormal =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ult, magnitude,
                            constI32(b, int64_t(1) << format.mantissaBits));
  Value result = arith::SelectOp::create(b, isDenormal, denormal, normalFloat);
  Value bits = arith::OrIOp::create(
      b, arith::BitcastOp::create(b, i32, result).getResult(), sign);
  result = arith::BitcastOp::create(b, f32, bits);
  if (format.infinity) {
    Value isInfinity = arith::CmpIOp::create(
        b, arith::CmpIPredicate::eq, magnitude, constI32(b, format.infinity));
    Value infinity = arith::BitcastOp::create(
        b, f32,
        arith::OrIOp::create(b, sign, constI32(b, 0x7F800000)).getResult());
    result = arith::SelectOp::create(b, isInfinity, infinity, result);
  }
  // NaN has every magnitude above infinity, or one code of its own.
  Value isNaN;
  if (!format.isSignedNaN)
    isNaN = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, code,
                                  constI32(b, format.nan));
  else
    isNaN = arith::CmpIOp::create(
        b, arith::CmpIPredicate::ugt, magnitude,
        constI32(b, format.infinity ? format.infinity : format.largest));
  return arith::SelectOp::create(
      b, isNaN, constF32(b, std::numeric_limits<float>::quiet_NaN()), result);
}

/// f32 -> f8.
static Value narrow(ImplicitLocOpBuilder &b, Value value, Type to,
                    const SmallFloat &format, bool saturate) {
  Type i32 = b.getI32Type(), f32 = b.getF32Type();
  Value bits = arith::BitcastOp::create(b, i32, value);
  Value magnitudeBits = arith::AndIOp::create(b, bits, constI32(b, 0x7FFFFFFF));
  Value magnitude = arith::BitcastOp::create(b, f32, magnitudeBits);
  Value sign = arith::AndIOp::create(
      b, arith::ShRUIOp::create(b, bits, constI32(b, 24)).getResult(),
      constI32(b, 0x80));
  int shift = 23 - format.mantissaBits;
  // Normal: round the bits to nearest, ties to even, then move the bias.
  Value odd = arith::AndIOp::create(
      b,
      arith::ShRUIOp::create(b, magnitudeBits, constI32(b, shift)).getResult(),
      constI32(b, 1));
  Value rounded = arith::AddIOp::create(
      b, magnitudeBits,
      arith::AddIOp::create(b, odd,
                            constI32(b, (int64_t(1) << (shift - 1)) - 1))
          .getResult());
  Value normal = arith::SubIOp::create(
      b, arith::ShRUIOp::create(b, rounded, constI32(b, shift)).getResult(),
      constI32(b, int64_t(127 - format.bias) << format.mantissaBits));
  // Denormal: an addition whose last digit is the smallest step rounds.
  float magic = std::ldexp(1.0f, 23 + 1 - format.bias - format.mantissaBits);
  Value magicValue = constF32(b, magic);
  Value sum = arith::AddFOp::create(b, magnitude, magicValue);
  Value denormal = arith::SubIOp::create(
      b, arith::BitcastOp::create(b, i32, sum).getResult(),
      arith::BitcastOp::create(b, i32, magicValue).getResult());
  Value isDenormal =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, magnitude,
                            constF32(b, std::ldexp(1.0f, 1 - format.bias)));
  Value code = arith::SelectOp::create(b, isDenormal, denormal, normal);

  // Beyond the range, infinities included.
  unsigned beyond = saturate          ? format.largest
                    : format.infinity ? format.infinity
                                      : format.nan;
  Value isBeyond = arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, code,
                                         constI32(b, format.largest));
  Value isHuge = arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, magnitude,
                                       constF32(b, format.largestValue * 2));
  isBeyond = arith::OrIOp::create(b, isBeyond, isHuge);
  code = arith::SelectOp::create(b, isBeyond, constI32(b, beyond), code);
  Value isNaN =
      arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, value, value);
  code = arith::SelectOp::create(b, isNaN, constI32(b, format.nan), code);
  if (!format.hasNegativeZero) {
    Value isZero = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, code,
                                         constI32(b, 0));
    sign = arith::SelectOp::create(b, isZero, constI32(b, 0), sign);
  }
  Value result = arith::OrIOp::create(b, code, sign);
  return arith::BitcastOp::create(
      b, to, arith::TruncIOp::create(b, b.getI8Type(), result).getResult());
}

Value mlir::dlc::convertFloat(OpBuilder &builder, Location loc, Value value,
                              Type to, bool saturate) {
  ImplicitLocOpBuilder b(loc, builder);
  Type from = value.getType();
  if (from == to)
    return value;
  if (std::optional<SmallFloat> format = getSmallFloat(from))
    return convertFloat(builder, loc, widen(b, value, *format), to, saturate);
  if (std::optional<SmallFloat> format = getSmallFloat(to)) {
    // From f64 by way of f32, which rounds twice.
    Value wide = value;
    if (from.isF64())
      wide = arith::TruncFOp::create(b, b.getF32Type(), value);
    else if (!from.isF32())
      wide = arith::ExtFOp::create(b, b.getF32Type(), value);
    return narrow(b, wide, to, *format, saturate);
  }
  unsigned fromWidth = from.getIntOrFloatBitWidth();
  unsigned toWidth = to.getIntOrFloatBitWidth();
  if (toWidth > fromWidth)
    return arith::ExtFOp::create(b, to, value);
  if (toWidth < fromWidth)
    return arith::TruncFOp::create(b, to, value);
  // f16 <-> bf16.
  Value wide = arith::ExtFOp::create(b, b.getF32Type(), value);
  return arith::TruncFOp::create(b, to, wide);
}
