//===- Float16.c - Conversions of f16 for processors without them ---------===//
//
// LLVM calls these by the names of compiler-rt's builtins where the target has
// no F16C. All round to nearest, ties to even; NaN stays NaN.
//
//===----------------------------------------------------------------------===//

#include <stdint.h>
#include <string.h>

/// The f16 nearest to `value`, as bits.
static uint16_t roundToHalf(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  uint16_t sign = (uint16_t)(bits >> 63 << 15);
  uint64_t magnitude = bits & 0x7fffffffffffffff;
  if (magnitude > 0x7ff0000000000000)
    return sign | 0x7e00 | (uint16_t)(magnitude >> 42 & 0x3ff);
  if (magnitude >= 0x40effe0000000000) // 65520, halfway to 2^16
    return sign | 0x7c00;
  if (magnitude <= 0x3e60000000000000) // 2^-25, halfway to the least
    return sign;
  uint64_t digits;
  unsigned dropped;
  if (magnitude >= 0x3f10000000000000) { // 2^-14, the least normal number
    digits = magnitude - ((uint64_t)(1023 - 15) << 52);
    dropped = 42;
  } else {
    digits = (magnitude & 0xfffffffffffff) | 0x10000000000000;
    dropped = 1051 - (unsigned)(magnitude >> 52);
  }
  uint64_t result = digits >> dropped;
  uint64_t rest = digits & (((uint64_t)1 << dropped) - 1);
  uint64_t half = (uint64_t)1 << (dropped - 1);
  // A carry out of the mantissa increments the exponent, as it should.
  result += rest > half || (rest == half && (result & 1));
  return sign | (uint16_t)result;
}

static _Float16 halfFromBits(uint16_t bits) {
  _Float16 result;
  memcpy(&result, &bits, sizeof result);
  return result;
}

_Float16 __truncsfhf2(float value) { return halfFromBits(roundToHalf(value)); }

_Float16 __truncdfhf2(double value) { return halfFromBits(roundToHalf(value)); }

float __extendhfsf2(_Float16 value) {
  uint16_t half;
  memcpy(&half, &value, sizeof half);
  uint32_t exponent = half >> 10 & 31, mantissa = half & 0x3ff;
  uint32_t bits = exponent == 31 ? 0x7f800000 | mantissa << 13
                                 : (exponent + 112) << 23 | mantissa << 13;
  if (exponent == 0) {
    float magnitude = (float)mantissa * 0x1p-24f;
    memcpy(&bits, &magnitude, sizeof bits);
  }
  bits |= (uint32_t)(half >> 15) << 31;
  float result;
  memcpy(&result, &bits, sizeof result);
  return result;
}
