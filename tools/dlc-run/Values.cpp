//===- Values.cpp - Elements as numbers -----------------------------------===//
//
// Makes, prints and compares tensors of any dtype.
//
//===----------------------------------------------------------------------===//

#include "Values.h"

#include "DLC/Execution/Npy.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include <cmath>
#include <cstring>
#include <random>

using namespace mlir;
using namespace mlir::dlc;

template <typename... Parts> static llvm::Error makeError(Parts &&...parts) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  (stream << ... << parts);
  return llvm::createStringError(text);
}

/// The format of a floating-point dtype, or null.
static const llvm::fltSemantics *getSemantics(DType dtype) {
  switch (dtype) {
  case DType::F16:
    return &llvm::APFloat::IEEEhalf();
  case DType::BF16:
    return &llvm::APFloat::BFloat();
  case DType::F32:
  case DType::C64:
    return &llvm::APFloat::IEEEsingle();
  case DType::F64:
  case DType::C128:
    return &llvm::APFloat::IEEEdouble();
  case DType::F8E4M3FN:
    return &llvm::APFloat::Float8E4M3FN();
  case DType::F8E5M2:
    return &llvm::APFloat::Float8E5M2();
  case DType::F8E4M3FNUZ:
    return &llvm::APFloat::Float8E4M3FNUZ();
  case DType::F8E5M2FNUZ:
    return &llvm::APFloat::Float8E5M2FNUZ();
  default:
    return nullptr;
  }
}

static bool isComplex(DType dtype) {
  return dtype == DType::C64 || dtype == DType::C128;
}

static bool isUnsigned(DType dtype) {
  return dtype == DType::Bool || (dtype >= DType::U8 && dtype <= DType::U64);
}

/// Bits of the `i`-th number; a complex element is two numbers.
static uint64_t loadBits(const TensorView &tensor, int64_t i) {
  int64_t bytes = getByteSize(tensor.dtype) >> isComplex(tensor.dtype);
  uint64_t bits = 0;
  std::memcpy(&bits, static_cast<const char *>(tensor.data) + i * bytes, bytes);
  return bits;
}

static double toDouble(const TensorView &tensor, int64_t i) {
  uint64_t bits = loadBits(tensor, i);
  unsigned width = 8 * getByteSize(tensor.dtype) >> isComplex(tensor.dtype);
  if (const llvm::fltSemantics *semantics = getSemantics(tensor.dtype)) {
    if (width == 32) {
      float value;
      std::memcpy(&value, &bits, sizeof(value));
      return value;
    }
    if (width == 64) {
      double value;
      std::memcpy(&value, &bits, sizeof(value));
      return value;
    }
    llvm::APFloat value(*semantics, llvm::APInt(width, bits));
    bool losesInfo;
    value.convert(llvm::APFloat::IEEEdouble(),
                  llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    return value.convertToDouble();
  }
  llvm::APInt value(width, bits);
  return isUnsigned(tensor.dtype) ? value.roundToDouble(false)
                                  : value.roundToDouble(true);
}

/// Stores `text` as the `i`-th number. Returns true when it is none.
static bool storeText(const TensorView &tensor, int64_t i, StringRef text) {
  int64_t bytes = getByteSize(tensor.dtype) >> isComplex(tensor.dtype);
  uint64_t bits = 0;
  if (const llvm::fltSemantics *semantics = getSemantics(tensor.dtype)) {
    llvm::APFloat value(*semantics);
    // Only "nan" and "inf" of either sign besides decimal and 0x numbers.
    auto status =
        value.convertFromString(text, llvm::APFloat::rmNearestTiesToEven);
    if (!status) {
      llvm::consumeError(status.takeError());
      return true;
    }
    bits = value.bitcastToAPInt().getZExtValue();
  } else if (text == "true" || text == "false") {
    bits = text == "true";
  } else {
    int64_t value;
    uint64_t unsignedValue;
    if (!text.getAsInteger(0, value))
      bits = static_cast<uint64_t>(value);
    else if (!text.getAsInteger(0, unsignedValue))
      bits = unsignedValue;
    else
      return true;
    if (tensor.dtype == DType::Bool)
      bits = bits != 0;
  }
  std::memcpy(static_cast<char *>(tensor.data) + i * bytes, &bits, bytes);
  return false;
}

static int64_t countNumbers(const TensorView &tensor) {
  return tensor.getNumElements() << isComplex(tensor.dtype);
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

/// Parses "2x3xf32" or "f32".
static std::optional<Tensor> parseTensorType(StringRef text) {
  SmallVector<int64_t> shape;
  SmallVector<StringRef> parts;
  text.split(parts, 'x');
  // complex types hold an x as well; they have no short form here.
  for (StringRef part : ArrayRef(parts).drop_back()) {
    int64_t size;
    if (part.getAsInteger(10, size) || size < 0)
      return std::nullopt;
    shape.push_back(size);
  }
  std::optional<DType> dtype = parseDType(parts.back());
  if (!dtype)
    return std::nullopt;
  return Tensor::allocate(*dtype, shape);
}

/// A tensor of the type that the function states, when it is static.
static std::optional<Tensor> makeFromInfo(const ArgumentInfo &info) {
  if (ShapedType::isDynamicShape(info.shape))
    return std::nullopt;
  return Tensor::allocate(info.dtype, info.shape);
}

static void fill(const Tensor &tensor, StringRef kind, unsigned seed) {
  std::mt19937_64 random(seed);
  bool isFloat = getSemantics(tensor.dtype);
  for (int64_t i = 0, e = countNumbers(tensor); i < e; ++i) {
    std::string text = "0";
    if (kind == "ones")
      text = "1";
    else if (kind == "iota")
      text = std::to_string(i);
    else if (kind == "random" && isFloat)
      text = std::to_string(static_cast<double>(random() >> 11) * 0x1p-52 - 1);
    else if (kind == "random")
      text = std::to_string(random() % 10);
    storeText(tensor, i, text);
  }
}

/// Fast path of fill for float data: benchmarks use large random tensors.
static void fillF32(const Tensor &tensor, StringRef kind, unsigned seed) {
  std::mt19937_64 random(seed);
  auto *data = static_cast<float *>(tensor.data);
  for (int64_t i = 0, e = tensor.getNumElements(); i < e; ++i)
    data[i] = kind == "random"
                  ? static_cast<float>(random() >> 40) * 0x1p-23f - 1.0f
              : kind == "iota" ? static_cast<float>(i)
              : kind == "ones" ? 1.0f
                               : 0.0f;
}

static llvm::Error fillFromList(const Tensor &tensor, StringRef list) {
  SmallVector<StringRef> values;
  if (!list.empty())
    list.split(values, ',');
  int64_t count = countNumbers(tensor);
  if (values.size() != 1 && static_cast<int64_t>(values.size()) != count)
    return makeError("expected 1 or ", count, " values, but got ",
                     values.size());
  for (int64_t i = 0; i < count; ++i) {
    StringRef text = values[values.size() == 1 ? 0 : i].trim();
    if (storeText(tensor, i, text))
      return makeError("expected a value of type ", getName(tensor.dtype),
                       ", but got '", text, "'");
  }
  return llvm::Error::success();
}

llvm::Expected<Tensor> mlir::dlc::makeArgument(StringRef text,
                                               const ArgumentInfo &info,
                                               unsigned seed) {
  auto [kind, typeText] = text.split(':');
  if (kind == "zeros" || kind == "ones" || kind == "iota" || kind == "random") {
    auto tensor =
        typeText.empty() ? makeFromInfo(info) : parseTensorType(typeText);
    if (!tensor)
      return makeError("expected a type with all sizes, as in ", kind,
                       ":2x3xf32, but got '", text, "'");
    if (!tensor->data)
      return makeError("no memory for '", text, "'");
    if (tensor->dtype == DType::F32)
      fillF32(*tensor, kind, seed);
    else
      fill(*tensor, kind, seed);
    return *tensor;
  }
  if (text.contains('=')) {
    auto [type, list] = text.split('=');
    auto tensor = parseTensorType(type);
    if (!tensor)
      return makeError("expected a type, as in 2x3xf32=1,2,3,4,5,6, but got '",
                       text, "'");
    if (llvm::Error error = fillFromList(*tensor, list))
      return error;
    return *tensor;
  }
  if (info.kind == ArgumentInfo::Kind::Scalar) {
    Tensor scalar = Tensor::allocate(info.dtype, {});
    std::memset(scalar.data, 0, getByteSize(info.dtype));
    if (!storeText(scalar, 0, text))
      return scalar;
  }
  return readNpy(text, info.dtype);
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

std::string mlir::dlc::printType(const TensorView &tensor) {
  std::string text;
  for (int64_t size : tensor.shape)
    text += std::to_string(size) + "x";
  return text + getName(tensor.dtype).str();
}

static void printNumber(raw_ostream &stream, const TensorView &tensor,
                        int64_t i) {
  uint64_t bits = loadBits(tensor, i);
  unsigned width = 8 * getByteSize(tensor.dtype) >> isComplex(tensor.dtype);
  if (const llvm::fltSemantics *semantics = getSemantics(tensor.dtype)) {
    SmallString<32> text;
    llvm::APFloat(*semantics, llvm::APInt(width, bits)).toString(text);
    stream << text;
  } else if (tensor.dtype == DType::Bool) {
    stream << (bits ? "true" : "false");
  } else {
    llvm::APInt(width, bits).print(stream, !isUnsigned(tensor.dtype));
  }
}

static void printElement(raw_ostream &stream, const TensorView &tensor,
                         int64_t i) {
  if (!isComplex(tensor.dtype))
    return printNumber(stream, tensor, i);
  stream << '(';
  printNumber(stream, tensor, 2 * i);
  stream << ',';
  printNumber(stream, tensor, 2 * i + 1);
  stream << ')';
}

static int64_t printNested(raw_ostream &stream, const TensorView &tensor,
                           size_t dim, int64_t next) {
  if (dim == tensor.shape.size()) {
    printElement(stream, tensor, next);
    return next + 1;
  }
  stream << '[';
  for (int64_t i = 0; i < tensor.shape[dim]; ++i) {
    if (i != 0)
      stream << ", ";
    next = printNested(stream, tensor, dim + 1, next);
  }
  stream << ']';
  return next;
}

void mlir::dlc::printTensor(raw_ostream &stream, const TensorView &tensor) {
  stream << printType(tensor);
  if (tensor.getNumElements() <= 64) {
    stream << " = ";
    printNested(stream, tensor, 0, 0);
    stream << '\n';
    return;
  }
  double low = INFINITY, high = -INFINITY, sum = 0;
  int64_t numNaN = 0, count = countNumbers(tensor);
  for (int64_t i = 0; i < count; ++i) {
    double value = toDouble(tensor, i);
    numNaN += std::isnan(value);
    low = std::fmin(low, value);
    high = std::fmax(high, value);
    sum += value;
  }
  stream << ": in [" << llvm::format("%g", low) << ", "
         << llvm::format("%g", high) << "], mean "
         << llvm::format("%g", sum / count);
  if (numNaN)
    stream << ", " << numNaN << " NaN";
  stream << '\n';
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

/// How far the numbers exceed what is allowed; 0 when they do not.
static double getExcess(double got, double want, double rtol, double atol) {
  if (std::isnan(got) && std::isnan(want))
    return 0;
  if (got == want)
    return 0;
  double difference = std::fabs(got - want);
  double allowed = atol + (std::isinf(want) ? 0 : rtol * std::fabs(want));
  if (difference <= allowed)
    return 0;
  // NaN or infinity on one side is worse than any number.
  return std::isfinite(difference) ? difference - allowed : INFINITY;
}

std::string mlir::dlc::compareTensors(const TensorView &got,
                                      const TensorView &want,
                                      std::optional<double> rtol,
                                      std::optional<double> atol) {
  if (got.dtype != want.dtype || got.shape != want.shape)
    return "expected " + printType(want) + ", but got " + printType(got);
  bool isFloat = getSemantics(want.dtype);
  double relative = rtol.value_or(isFloat ? 1e-5 : 0);
  double absolute = atol.value_or(isFloat ? 1e-6 : 0);
  int64_t count = countNumbers(want), numBad = 0, worst = -1;
  double worstExcess = 0;
  for (int64_t i = 0; i < count; ++i) {
    if (loadBits(got, i) == loadBits(want, i))
      continue;
    double excess =
        getExcess(toDouble(got, i), toDouble(want, i), relative, absolute);
    // Large 64-bit integers that differ may be equal as doubles.
    if (excess == 0 && !isFloat && relative == 0 && absolute == 0)
      excess = 1;
    if (excess == 0)
      continue;
    ++numBad;
    if (excess > worstExcess) {
      worstExcess = excess;
      worst = i;
    }
  }
  if (numBad == 0)
    return "";
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << numBad << " of " << count << " elements differ; the worst is [";
  int64_t element = worst >> isComplex(want.dtype);
  SmallVector<int64_t> index(want.shape.size());
  for (size_t dim = want.shape.size(); dim-- > 0;) {
    index[dim] = element % want.shape[dim];
    element /= want.shape[dim];
  }
  llvm::interleaveComma(index, stream);
  stream << "]: expected ";
  printNumber(stream, want, worst);
  stream << " (rtol " << llvm::format("%g", relative) << ", atol "
         << llvm::format("%g", absolute) << "), but got ";
  printNumber(stream, got, worst);
  return text;
}
