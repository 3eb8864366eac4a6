//===- Arithmetic.cpp - Element-wise ops of the emulator ------------------===//
//
// One template per shape of op and one functor per meaning, instantiated for
// the element types. f16 and bf16 compute in f32 and round once. Nothing traps.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::dlc::emulator;

namespace {
/// A 16-bit float that computes as f32.
struct Half {
  _Float16 value;
  Half() = default;
  Half(float f) : value(static_cast<_Float16>(f)) {}
  operator float() const { return static_cast<float>(value); }
};
struct BFloat {
  uint16_t bits;
  BFloat() = default;
  BFloat(float f) {
    uint32_t word = llvm::bit_cast<uint32_t>(f);
    // Round to nearest even; a NaN stays one.
    bits = std::isnan(f) ? (word >> 16) | 0x40
                         : (word + 0x7FFF + ((word >> 16) & 1)) >> 16;
  }
  operator float() const {
    return llvm::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
  }
};

/// The type that arithmetic on T is done in.
template <typename T>
using Compute =
    std::conditional_t<std::is_same_v<T, Half> || std::is_same_v<T, BFloat>,
                       float, T>;
template <typename T> using Signed = std::make_signed_t<T>;
template <typename T> constexpr unsigned kBits = sizeof(T) * 8;
} // namespace

//===----------------------------------------------------------------------===//
// Shapes of ops
//===----------------------------------------------------------------------===//

template <typename T, typename F>
static bool unary(Warp &warp, const Instruction &in) {
  const T *a = warp.lanes<T>(in.a);
  T result[32];
  for (int i = 0; i < 32; ++i)
    result[i] = T(F()(Compute<T>(a[i])));
  put(warp, in.dst, result);
  return false;
}

template <typename T, typename F>
static bool binary(Warp &warp, const Instruction &in) {
  const T *a = warp.lanes<T>(in.a), *b = warp.lanes<T>(in.b);
  if (warp.mask == kFullMask) {
    T *__restrict d = warp.lanes<T>(in.dst);
    for (int i = 0; i < 32; ++i)
      d[i] = T(F()(Compute<T>(a[i]), Compute<T>(b[i])));
    return false;
  }
  T result[32];
  for (int i = 0; i < 32; ++i)
    result[i] = T(F()(Compute<T>(a[i]), Compute<T>(b[i])));
  put(warp, in.dst, result);
  return false;
}

template <typename T, typename F>
static bool ternary(Warp &warp, const Instruction &in) {
  const T *a = warp.lanes<T>(in.a), *b = warp.lanes<T>(in.b),
          *c = warp.lanes<T>(in.c);
  T result[32];
  for (int i = 0; i < 32; ++i)
    result[i] = T(F()(Compute<T>(a[i]), Compute<T>(b[i]), Compute<T>(c[i])));
  put(warp, in.dst, result);
  return false;
}

template <typename T, typename F>
static bool compare(Warp &warp, const Instruction &in) {
  const T *a = warp.lanes<T>(in.a), *b = warp.lanes<T>(in.b);
  uint8_t truth[32];
  for (int i = 0; i < 32; ++i)
    truth[i] = F()(Compute<T>(a[i]), Compute<T>(b[i]));
  uint32_t bits = 0;
  for (int i = 0; i < 32; ++i)
    bits |= uint32_t(truth[i]) << i;
  warp.setBits(in.dst, bits);
  return false;
}

/// Binary op on masks.
template <typename F> static bool logical(Warp &warp, const Instruction &in) {
  warp.setBits(in.dst, F()(warp.bits(in.a), warp.bits(in.b)));
  return false;
}

template <typename From, typename To> static To convertElement(From value) {
  using C = Compute<From>;
  C x = C(value);
  if constexpr (std::is_floating_point_v<C> && std::is_integral_v<To>) {
    // Out of range is poison in LLVM; saturate as PTX does.
    if (std::isnan(x))
      return 0;
    if (x <= static_cast<C>(std::numeric_limits<To>::min()))
      return std::numeric_limits<To>::min();
    if (x >= static_cast<C>(std::numeric_limits<To>::max()))
      return std::numeric_limits<To>::max();
    return static_cast<To>(x);
  } else {
    return To(static_cast<Compute<To>>(x));
  }
}

template <typename From, typename To>
static bool convert(Warp &warp, const Instruction &in) {
  const From *a = warp.lanes<From>(in.a);
  To result[32];
  for (int i = 0; i < 32; ++i)
    result[i] = convertElement<From, To>(a[i]);
  put(warp, in.dst, result);
  return false;
}

/// From a mask; `set` is the value of true.
template <typename To, int set>
static bool convertMask(Warp &warp, const Instruction &in) {
  uint32_t bits = warp.bits(in.a);
  To result[32];
  for (int i = 0; i < 32; ++i)
    result[i] = (bits >> i) & 1 ? To(set) : To(0);
  put(warp, in.dst, result);
  return false;
}

/// To a mask: the lowest bit.
template <typename From>
static bool truncateToMask(Warp &warp, const Instruction &in) {
  const From *a = warp.lanes<From>(in.a);
  uint32_t bits = 0;
  for (int i = 0; i < 32; ++i)
    bits |= uint32_t(a[i] & 1) << i;
  warp.setBits(in.dst, bits);
  return false;
}

template <typename T> static bool select(Warp &warp, const Instruction &in) {
  uint32_t condition = warp.bits(in.a);
  const T *b = warp.lanes<T>(in.b), *c = warp.lanes<T>(in.c);
  T result[32];
  for (int i = 0; i < 32; ++i)
    result[i] = (condition >> i) & 1 ? b[i] : c[i];
  put(warp, in.dst, result);
  return false;
}

static bool selectMask(Warp &warp, const Instruction &in) {
  uint32_t condition = warp.bits(in.a);
  warp.setBits(in.dst,
               (condition & warp.bits(in.b)) | (~condition & warp.bits(in.c)));
  return false;
}

//===----------------------------------------------------------------------===//
// Meanings
//===----------------------------------------------------------------------===//

#define UNARY(NAME, EXPRESSION)                                                \
  struct NAME {                                                                \
    template <typename T> auto operator()(T a) const { return EXPRESSION; }    \
  }
#define BINARY(NAME, EXPRESSION)                                               \
  struct NAME {                                                                \
    template <typename T> auto operator()(T a, T b) const {                    \
      return EXPRESSION;                                                       \
    }                                                                          \
  }
#define TERNARY(NAME, EXPRESSION)                                              \
  struct NAME {                                                                \
    template <typename T> auto operator()(T a, T b, T c) const {               \
      return EXPRESSION;                                                       \
    }                                                                          \
  }

namespace {
BINARY(Add, T(a + b));
BINARY(Sub, T(a - b));
BINARY(Mul, T(a *b));
BINARY(Div, T(a / b));
BINARY(FRem, T(std::fmod(a, b)));
BINARY(And, T(a &b));
BINARY(Or, T(a | b));
BINARY(Xor, T(a ^ b));
BINARY(Shl, T(b < kBits<T> ? a << b : 0));
BINARY(LShr, T(b < kBits<T> ? a >> b : 0));
BINARY(AShr, T(Signed<T>(a) >> (b < kBits<T> ? b : kBits<T> - 1)));
BINARY(UDiv, T(b ? a / b : 0));
BINARY(URem, T(b ? a % b : 0));
// Dividing by -1 is a negation, without the trap of INT_MIN / -1.
BINARY(SDiv, T(b == T(-1) ? T(0) - a : b ? Signed<T>(a) / Signed<T>(b) : 0));
BINARY(SRem, T(b == T(-1) || !b ? 0 : Signed<T>(a) % Signed<T>(b)));
BINARY(SMax, T(Signed<T>(a) > Signed<T>(b) ? a : b));
BINARY(SMin, T(Signed<T>(a) < Signed<T>(b) ? a : b));
BINARY(UMax, T(a > b ? a : b));
BINARY(UMin, T(a < b ? a : b));
BINARY(MaxNum, T(std::fmax(a, b)));
BINARY(MinNum, T(std::fmin(a, b)));
BINARY(Maximum, T(std::isnan(a) || std::isnan(b) ? a + b
                  : a == b                       ? (std::signbit(a) ? b : a)
                                                 : std::fmax(a, b)));
BINARY(Minimum, T(std::isnan(a) || std::isnan(b) ? a + b
                  : a == b                       ? (std::signbit(a) ? a : b)
                                                 : std::fmin(a, b)));
BINARY(CopySign, T(std::copysign(a, b)));
BINARY(Pow, T(std::pow(a, b)));
BINARY(Atan2, T(std::atan2(a, b)));
BINARY(Eq, a == b);
BINARY(Ne, a != b);
BINARY(Lt, a < b);
BINARY(Le, a <= b);
BINARY(Gt, a > b);
BINARY(Ge, a >= b);
BINARY(SLt, Signed<T>(a) < Signed<T>(b));
BINARY(SLe, Signed<T>(a) <= Signed<T>(b));
BINARY(SGt, Signed<T>(a) > Signed<T>(b));
BINARY(SGe, Signed<T>(a) >= Signed<T>(b));
BINARY(Ordered, !std::isnan(a) && !std::isnan(b));
BINARY(Unordered, std::isnan(a) || std::isnan(b));
BINARY(OneOrdered, a<b || a> b);
BINARY(UEq, !(a < b || a > b));
BINARY(ULt, !(a >= b));
BINARY(ULe, !(a > b));
BINARY(UGt, !(a <= b));
BINARY(UGe, !(a < b));
BINARY(Always, (void(a), void(b), true));
BINARY(Never, (void(a), void(b), false));
UNARY(Neg, T(-a));
UNARY(FAbs, T(std::fabs(a)));
UNARY(Sqrt, T(std::sqrt(a)));
UNARY(Rsqrt, T(1 / std::sqrt(a)));
UNARY(Exp, T(std::exp(a)));
UNARY(Exp2, T(std::exp2(a)));
UNARY(Expm1, T(std::expm1(a)));
UNARY(Log, T(std::log(a)));
UNARY(Log2, T(std::log2(a)));
UNARY(Log10, T(std::log10(a)));
UNARY(Log1p, T(std::log1p(a)));
UNARY(Sin, T(std::sin(a)));
UNARY(Cos, T(std::cos(a)));
UNARY(Tan, T(std::tan(a)));
UNARY(Tanh, T(std::tanh(a)));
UNARY(Sinh, T(std::sinh(a)));
UNARY(Cosh, T(std::cosh(a)));
UNARY(Atan, T(std::atan(a)));
UNARY(Asin, T(std::asin(a)));
UNARY(Acos, T(std::acos(a)));
UNARY(Erf, T(std::erf(a)));
UNARY(Floor, T(std::floor(a)));
UNARY(Ceil, T(std::ceil(a)));
UNARY(Trunc, T(std::trunc(a)));
UNARY(RoundEven, T(std::rint(a)));
UNARY(Round, T(std::round(a)));
UNARY(IntAbs, T(Signed<T>(a) < 0 ? T(0) - a : a));
UNARY(CountOnes, T(llvm::popcount(a)));
UNARY(CountLeadingZeros, T(llvm::countl_zero(a)));
UNARY(CountTrailingZeros, T(llvm::countr_zero(a)));
TERNARY(Fma, T(std::fma(a, b, c)));
TERNARY(MulAdd, T(T(a *b) + c));
} // namespace

//===----------------------------------------------------------------------===//
// Choice by type
//===----------------------------------------------------------------------===//

#define BY_INTEGER(SHAPE, F, TYPE)                                             \
  (getElementBits(TYPE) == 8    ? Handler(SHAPE<uint8_t, F>)                   \
   : getElementBits(TYPE) == 16 ? Handler(SHAPE<uint16_t, F>)                  \
   : getElementBits(TYPE) == 32 ? Handler(SHAPE<uint32_t, F>)                  \
   : getElementBits(TYPE) == 64 ? Handler(SHAPE<uint64_t, F>)                  \
                                : Handler())
#define BY_FLOAT(SHAPE, F, TYPE)                                               \
  ((TYPE).isF32()    ? Handler(SHAPE<float, F>)                                \
   : (TYPE).isF64()  ? Handler(SHAPE<double, F>)                               \
   : (TYPE).isF16()  ? Handler(SHAPE<Half, F>)                                 \
   : (TYPE).isBF16() ? Handler(SHAPE<BFloat, F>)                               \
                     : Handler())

static Handler getIntegerCompare(LLVM::ICmpPredicate predicate, Type type) {
  using P = LLVM::ICmpPredicate;
  switch (predicate) {
  case P::eq:
    return BY_INTEGER(compare, Eq, type);
  case P::ne:
    return BY_INTEGER(compare, Ne, type);
  case P::slt:
    return BY_INTEGER(compare, SLt, type);
  case P::sle:
    return BY_INTEGER(compare, SLe, type);
  case P::sgt:
    return BY_INTEGER(compare, SGt, type);
  case P::sge:
    return BY_INTEGER(compare, SGe, type);
  case P::ult:
    return BY_INTEGER(compare, Lt, type);
  case P::ule:
    return BY_INTEGER(compare, Le, type);
  case P::ugt:
    return BY_INTEGER(compare, Gt, type);
  case P::uge:
    return BY_INTEGER(compare, Ge, type);
  }
  return nullptr;
}

static Handler getFloatCompare(LLVM::FCmpPredicate predicate, Type type) {
  using P = LLVM::FCmpPredicate;
  switch (predicate) {
  case P::_false:
    return BY_FLOAT(compare, Never, type);
  case P::oeq:
    return BY_FLOAT(compare, Eq, type);
  case P::ogt:
    return BY_FLOAT(compare, Gt, type);
  case P::oge:
    return BY_FLOAT(compare, Ge, type);
  case P::olt:
    return BY_FLOAT(compare, Lt, type);
  case P::ole:
    return BY_FLOAT(compare, Le, type);
  case P::one:
    return BY_FLOAT(compare, OneOrdered, type);
  case P::ord:
    return BY_FLOAT(compare, Ordered, type);
  case P::ueq:
    return BY_FLOAT(compare, UEq, type);
  case P::ugt:
    return BY_FLOAT(compare, UGt, type);
  case P::uge:
    return BY_FLOAT(compare, UGe, type);
  case P::ult:
    return BY_FLOAT(compare, ULt, type);
  case P::ule:
    return BY_FLOAT(compare, ULe, type);
  case P::une:
    return BY_FLOAT(compare, Ne, type);
  case P::uno:
    return BY_FLOAT(compare, Unordered, type);
  case P::_true:
    return BY_FLOAT(compare, Always, type);
  }
  return nullptr;
}

template <typename From> static Handler convertFrom(Type to, bool isSigned) {
  if (to.isF32())
    return convert<From, float>;
  if (to.isF64())
    return convert<From, double>;
  if (to.isF16())
    return convert<From, Half>;
  if (to.isBF16())
    return convert<From, BFloat>;
  switch (getElementBits(to)) {
  case 8:
    return isSigned ? Handler(convert<From, int8_t>) : convert<From, uint8_t>;
  case 16:
    return isSigned ? Handler(convert<From, int16_t>) : convert<From, uint16_t>;
  case 32:
    return isSigned ? Handler(convert<From, int32_t>) : convert<From, uint32_t>;
  case 64:
    return isSigned ? Handler(convert<From, int64_t>) : convert<From, uint64_t>;
  default:
    return nullptr;
  }
}

template <int set> static Handler byMask(Type to) {
  switch (getElementBits(to)) {
  case 8:
    return convertMask<uint8_t, set>;
  case 16:
    return convertMask<uint16_t, set>;
  case 32:
    return convertMask<uint32_t, set>;
  case 64:
    return convertMask<uint64_t, set>;
  default:
    return nullptr;
  }
}

/// Integers of either signedness, floats, i1 on either side.
static Handler getConversion(Type from, Type to, bool isSigned) {
  unsigned bits = getElementBits(from);
  if (from.isF32())
    return convertFrom<float>(to, isSigned);
  if (from.isF64())
    return convertFrom<double>(to, isSigned);
  if (from.isF16())
    return convertFrom<Half>(to, isSigned);
  if (from.isBF16())
    return convertFrom<BFloat>(to, isSigned);
  if (bits == 1)
    return isSigned
               ? Handler(to.isF32() ? Handler(convertMask<float, -1>)
                                    : byMask<-1>(to))
               : (to.isF32() ? Handler(convertMask<float, 1>) : byMask<1>(to));
  if (getElementBits(to) == 1)
    return bits == 8    ? Handler(truncateToMask<uint8_t>)
           : bits == 16 ? Handler(truncateToMask<uint16_t>)
           : bits == 32 ? Handler(truncateToMask<uint32_t>)
           : bits == 64 ? Handler(truncateToMask<uint64_t>)
                        : Handler();
  switch (bits) {
  case 8:
    return isSigned ? convertFrom<int8_t>(to, true)
                    : convertFrom<uint8_t>(to, false);
  case 16:
    return isSigned ? convertFrom<int16_t>(to, true)
                    : convertFrom<uint16_t>(to, false);
  case 32:
    return isSigned ? convertFrom<int32_t>(to, true)
                    : convertFrom<uint32_t>(to, false);
  case 64:
    return isSigned ? convertFrom<int64_t>(to, true)
                    : convertFrom<uint64_t>(to, false);
  default:
    return nullptr;
  }
}

static Handler getSelect(Type type) {
  switch (getElementBits(type)) {
  case 1:
    return selectMask;
  case 8:
    return select<uint8_t>;
  case 16:
    return select<uint16_t>;
  case 32:
    return select<uint32_t>;
  case 64:
    return select<uint64_t>;
  default:
    return nullptr;
  }
}

/// libdevice functions, of both precisions.
static Handler getLibraryFunction(StringRef name, Type type) {
  if (!name.consume_front("__nv_"))
    return nullptr;
  if (type.isF32() && !name.consume_back("f"))
    return nullptr;
  name.consume_front("fast_");
  return llvm::StringSwitch<Handler>(name)
      .Case("exp", BY_FLOAT(unary, Exp, type))
      .Case("exp2", BY_FLOAT(unary, Exp2, type))
      .Case("expm1", BY_FLOAT(unary, Expm1, type))
      .Case("log", BY_FLOAT(unary, Log, type))
      .Case("log2", BY_FLOAT(unary, Log2, type))
      .Case("log10", BY_FLOAT(unary, Log10, type))
      .Case("log1p", BY_FLOAT(unary, Log1p, type))
      .Case("sin", BY_FLOAT(unary, Sin, type))
      .Case("cos", BY_FLOAT(unary, Cos, type))
      .Case("tan", BY_FLOAT(unary, Tan, type))
      .Case("tanh", BY_FLOAT(unary, Tanh, type))
      .Case("sinh", BY_FLOAT(unary, Sinh, type))
      .Case("cosh", BY_FLOAT(unary, Cosh, type))
      .Case("atan", BY_FLOAT(unary, Atan, type))
      .Case("asin", BY_FLOAT(unary, Asin, type))
      .Case("acos", BY_FLOAT(unary, Acos, type))
      .Case("erf", BY_FLOAT(unary, Erf, type))
      .Case("sqrt", BY_FLOAT(unary, Sqrt, type))
      .Case("rsqrt", BY_FLOAT(unary, Rsqrt, type))
      .Case("floor", BY_FLOAT(unary, Floor, type))
      .Case("ceil", BY_FLOAT(unary, Ceil, type))
      .Case("fabs", BY_FLOAT(unary, FAbs, type))
      .Case("rint", BY_FLOAT(unary, RoundEven, type))
      .Case("round", BY_FLOAT(unary, Round, type))
      .Case("trunc", BY_FLOAT(unary, Trunc, type))
      .Case("pow", BY_FLOAT(binary, Pow, type))
      .Case("atan2", BY_FLOAT(binary, Atan2, type))
      .Case("fmax", BY_FLOAT(binary, MaxNum, type))
      .Case("fmin", BY_FLOAT(binary, MinNum, type))
      .Case("copysign", BY_FLOAT(binary, CopySign, type))
      .Case("fma", BY_FLOAT(ternary, Fma, type))
      .Case("fmod", BY_FLOAT(binary, FRem, type))
      .Default(nullptr);
}

Handler mlir::dlc::emulator::getArithmeticHandler(Operation *op) {
  if (op->getNumResults() != 1 || op->getNumOperands() == 0)
    return nullptr;
  auto element = [](Type type) {
    auto vector = dyn_cast<VectorType>(type);
    return vector ? vector.getElementType() : type;
  };
  Type type = element(op->getResult(0).getType());
  Type from = element(op->getOperand(0).getType());
  bool isMask = getElementBits(type) == 1;
#define INTEGER(OP, F)                                                         \
  .Case<LLVM::OP>([&](auto) { return BY_INTEGER(binary, F, type); })
#define LOGICAL(OP, F)                                                         \
  .Case<LLVM::OP>([&](auto) {                                                  \
    return isMask ? Handler(logical<F>) : BY_INTEGER(binary, F, type);         \
  })
#define FLOAT(SHAPE, OP, F)                                                    \
  .Case<LLVM::OP>([&](auto) { return BY_FLOAT(SHAPE, F, type); })
#define INTEGER1(OP, F)                                                        \
  .Case<LLVM::OP>([&](auto) { return BY_INTEGER(unary, F, type); })
#define CONVERSION(OP, SIGNED)                                                 \
  .Case<LLVM::OP>([&](auto) { return getConversion(from, type, SIGNED); })
  return llvm::TypeSwitch<Operation *, Handler>(op)
      // clang-format off
      INTEGER(AddOp, Add) INTEGER(SubOp, Sub) INTEGER(MulOp, Mul)
      INTEGER(SDivOp, SDiv) INTEGER(UDivOp, UDiv) INTEGER(SRemOp, SRem)
      INTEGER(URemOp, URem) INTEGER(ShlOp, Shl) INTEGER(LShrOp, LShr)
      INTEGER(AShrOp, AShr) INTEGER(SMaxOp, SMax) INTEGER(SMinOp, SMin)
      INTEGER(UMaxOp, UMax) INTEGER(UMinOp, UMin)
      INTEGER1(AbsOp, IntAbs) INTEGER1(CtPopOp, CountOnes)
      INTEGER1(CountLeadingZerosOp, CountLeadingZeros)
      INTEGER1(CountTrailingZerosOp, CountTrailingZeros)
      LOGICAL(AndOp, And) LOGICAL(OrOp, Or) LOGICAL(XOrOp, Xor)
      FLOAT(binary, FAddOp, Add) FLOAT(binary, FSubOp, Sub)
      FLOAT(binary, FMulOp, Mul) FLOAT(binary, FDivOp, Div)
      FLOAT(binary, FRemOp, FRem) FLOAT(binary, MaxNumOp, MaxNum)
      FLOAT(binary, MinNumOp, MinNum) FLOAT(binary, MaximumOp, Maximum)
      FLOAT(binary, MinimumOp, Minimum) FLOAT(binary, CopySignOp, CopySign)
      FLOAT(binary, PowOp, Pow) FLOAT(unary, FNegOp, Neg)
      FLOAT(unary, FAbsOp, FAbs) FLOAT(unary, SqrtOp, Sqrt)
      FLOAT(unary, ExpOp, Exp) FLOAT(unary, Exp2Op, Exp2)
      FLOAT(unary, LogOp, Log) FLOAT(unary, Log2Op, Log2)
      FLOAT(unary, Log10Op, Log10) FLOAT(unary, SinOp, Sin)
      FLOAT(unary, CosOp, Cos) FLOAT(unary, TanhOp, Tanh)
      FLOAT(unary, FFloorOp, Floor) FLOAT(unary, FCeilOp, Ceil)
      FLOAT(unary, FTruncOp, Trunc) FLOAT(unary, RoundEvenOp, RoundEven)
      FLOAT(unary, RintOp, RoundEven) FLOAT(unary, RoundOp, Round)
      FLOAT(ternary, FMAOp, Fma) FLOAT(ternary, FMulAddOp, MulAdd)
      CONVERSION(SExtOp, true) CONVERSION(ZExtOp, false)
      CONVERSION(TruncOp, false) CONVERSION(SIToFPOp, true)
      CONVERSION(UIToFPOp, false) CONVERSION(FPToSIOp, true)
      CONVERSION(FPToUIOp, false) CONVERSION(FPExtOp, false)
      CONVERSION(FPTruncOp, false) CONVERSION(PtrToIntOp, false)
      CONVERSION(IntToPtrOp, false)
                                                          // clang-format on
                                                          .Case<LLVM::ICmpOp>(
                                                              [&](LLVM::ICmpOp
                                                                      compareOp) {
                                                                return getIntegerCompare(
                                                                    compareOp
                                                                        .getPredicate(),
                                                                    from);
                                                              })
                                                          .Case<LLVM::FCmpOp>(
                                                              [&](LLVM::FCmpOp
                                                                      compareOp) {
                                                                return getFloatCompare(
                                                                    compareOp
                                                                        .getPredicate(),
                                                                    from);
                                                              })
                                                          .Case<LLVM::SelectOp>(
                                                              [&](auto)
                                                                  -> Handler {
                                                                // A vector
                                                                // condition is
                                                                // one mask per
                                                                // element.
                                                                return getSelect(
                                                                    type);
                                                              })
                                                          .Case<
                                                              LLVM::
                                                                  CallOp>([&](LLVM::CallOp
                                                                                  call)
                                                                              -> Handler {
                                                            return call.getCallee()
                                                                       ? getLibraryFunction(
                                                                             *call.getCallee(),
                                                                             type)
                                                                       : nullptr;
                                                          })
                                                          .Default([](Operation
                                                                          *) {
                                                            return Handler();
                                                          });
}

//===----------------------------------------------------------------------===//
// Addresses and special registers
//===----------------------------------------------------------------------===//

template <typename P, typename I>
static bool addIndex(Warp &warp, const Instruction &in) {
  const P *a = warp.lanes<P>(in.a);
  const I *b = warp.lanes<I>(in.b);
  P scale = static_cast<P>(in.imm), result[32];
  for (int i = 0; i < 32; ++i)
    result[i] = a[i] + static_cast<P>(b[i]) * scale;
  put(warp, in.dst, result);
  return false;
}

template <typename P> static bool addOffset(Warp &warp, const Instruction &in) {
  const P *a = warp.lanes<P>(in.a);
  P offset = static_cast<P>(in.imm), result[32];
  for (int i = 0; i < 32; ++i)
    result[i] = a[i] + offset;
  put(warp, in.dst, result);
  return false;
}

Handler mlir::dlc::emulator::getIndexHandler(bool shared, unsigned bytes) {
  if (bytes != 4 && bytes != 8)
    return nullptr;
  if (shared)
    return bytes == 8 ? addIndex<uint32_t, int64_t>
                      : addIndex<uint32_t, int32_t>;
  return bytes == 8 ? addIndex<uint64_t, int64_t> : addIndex<uint64_t, int32_t>;
}

Handler mlir::dlc::emulator::getOffsetHandler(bool shared) {
  return shared ? addOffset<uint32_t> : addOffset<uint64_t>;
}

bool mlir::dlc::emulator::readSpecialRegister(Warp &warp,
                                              const Instruction &in) {
  const LaunchShape &shape = warp.cta->machine->shape;
  uint32_t result[32], kind = in.imm;
  for (uint32_t lane = 0; lane < 32; ++lane) {
    uint32_t thread = warp.thread(lane);
    uint32_t ids[3] = {thread % shape.block[0],
                       thread / shape.block[0] % shape.block[1],
                       thread / (shape.block[0] * shape.block[1])};
    result[lane] = kind < 3     ? ids[kind]
                   : kind < 6   ? warp.cta->id[kind - 3]
                   : kind < 9   ? shape.block[kind - 6]
                   : kind < 12  ? shape.grid[kind - 9]
                   : kind == 12 ? lane
                                : 32;
  }
  put(warp, in.dst, result);
  return false;
}
