//===- Tensor.cpp - Element types and buffers at run time -----------------===//
//
// Names, sizes and copies of run-time buffers.
//
//===----------------------------------------------------------------------===//

#include "DLC/Execution/Tensor.h"

#include "DLC/Runtime/Runtime.h"
#include "mlir/IR/BuiltinTypes.h"
#include <cstring>

using namespace mlir;
using namespace mlir::dlc;

namespace {
struct DTypeRow {
  DType dtype;
  int64_t bytes;
  StringLiteral numpyName;
  StringLiteral mlirName;
};
} // namespace

static constexpr DTypeRow kDTypes[] = {
    {DType::Bool, 1, "bool", "i1"},
    {DType::I8, 1, "int8", "i8"},
    {DType::I16, 2, "int16", "i16"},
    {DType::I32, 4, "int32", "i32"},
    {DType::I64, 8, "int64", "i64"},
    {DType::U8, 1, "uint8", "ui8"},
    {DType::U16, 2, "uint16", "ui16"},
    {DType::U32, 4, "uint32", "ui32"},
    {DType::U64, 8, "uint64", "ui64"},
    {DType::F16, 2, "float16", "f16"},
    {DType::BF16, 2, "bfloat16", "bf16"},
    {DType::F32, 4, "float32", "f32"},
    {DType::F64, 8, "float64", "f64"},
    {DType::F8E4M3FN, 1, "float8_e4m3fn", "f8E4M3FN"},
    {DType::F8E5M2, 1, "float8_e5m2", "f8E5M2"},
    {DType::F8E4M3FNUZ, 1, "float8_e4m3fnuz", "f8E4M3FNUZ"},
    {DType::F8E5M2FNUZ, 1, "float8_e5m2fnuz", "f8E5M2FNUZ"},
    {DType::C64, 8, "complex64", "complex<f32>"},
    {DType::C128, 16, "complex128", "complex<f64>"},
};

static const DTypeRow &getRow(DType dtype) {
  // The rows are in the order of the enumeration, which starts at 1.
  return kDTypes[static_cast<int32_t>(dtype) - 1];
}

int64_t mlir::dlc::getByteSize(DType dtype) { return getRow(dtype).bytes; }

StringRef mlir::dlc::getName(DType dtype) { return getRow(dtype).numpyName; }

std::optional<DType> mlir::dlc::parseDType(StringRef name) {
  for (const DTypeRow &row : kDTypes)
    if (name == row.numpyName || name == row.mlirName)
      return row.dtype;
  return std::nullopt;
}

static std::optional<DType> getIntegerDType(unsigned width, bool isUnsigned) {
  switch (width) {
  case 1:
    return DType::Bool;
  case 8:
    return isUnsigned ? DType::U8 : DType::I8;
  case 16:
    return isUnsigned ? DType::U16 : DType::I16;
  case 32:
    return isUnsigned ? DType::U32 : DType::I32;
  case 64:
    return isUnsigned ? DType::U64 : DType::I64;
  default:
    return std::nullopt;
  }
}

std::optional<DType> mlir::dlc::getDType(Type type, bool isUnsigned) {
  if (type.isIndex())
    return DType::I64;
  if (auto integer = dyn_cast<IntegerType>(type))
    return getIntegerDType(integer.getWidth(),
                           isUnsigned || integer.isUnsigned());
  if (auto complex = dyn_cast<ComplexType>(type)) {
    if (complex.getElementType().isF32())
      return DType::C64;
    if (complex.getElementType().isF64())
      return DType::C128;
    return std::nullopt;
  }
  if (type.isF16())
    return DType::F16;
  if (type.isBF16())
    return DType::BF16;
  if (type.isF32())
    return DType::F32;
  if (type.isF64())
    return DType::F64;
  if (isa<Float8E4M3FNType>(type))
    return DType::F8E4M3FN;
  if (isa<Float8E5M2Type>(type))
    return DType::F8E5M2;
  if (isa<Float8E4M3FNUZType>(type))
    return DType::F8E4M3FNUZ;
  if (isa<Float8E5M2FNUZType>(type))
    return DType::F8E5M2FNUZ;
  return std::nullopt;
}

int64_t TensorView::getNumElements() const {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

bool TensorView::isContiguous() const {
  if (strides.empty() || getNumElements() == 0)
    return true;
  int64_t expected = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    if (shape[i] != 1 && strides[i] != expected)
      return false;
    expected *= shape[i];
  }
  return true;
}

Tensor Tensor::allocate(DType dtype, ArrayRef<int64_t> shape) {
  Tensor tensor;
  tensor.dtype = dtype;
  tensor.shape.assign(shape.begin(), shape.end());
  tensor.data = _mlir_memref_to_llvm_alloc(tensor.getNumBytes());
  tensor.owner = std::shared_ptr<void>(tensor.data, _mlir_memref_to_llvm_free);
  return tensor;
}

/// Row-major strides of `view` where it gives none.
static SmallVector<int64_t, 6> getStrides(const TensorView &view) {
  if (!view.strides.empty())
    return view.strides;
  SmallVector<int64_t, 6> strides(view.shape.size());
  int64_t stride = 1;
  for (size_t i = strides.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= view.shape[i];
  }
  return strides;
}

void mlir::dlc::copyElements(const TensorView &source,
                             const TensorView &target) {
  int64_t bytes = getByteSize(source.dtype);
  int64_t count = source.getNumElements();
  if (count == 0)
    return;
  if (source.isContiguous() && target.isContiguous()) {
    std::memcpy(target.data, source.data, count * bytes);
    return;
  }
  // The innermost dimension is a loop of its own; the outer ones count like an
  // odometer.
  SmallVector<int64_t, 6> from = getStrides(source), to = getStrides(target);
  size_t rank = source.shape.size();
  int64_t inner = source.shape[rank - 1];
  SmallVector<int64_t, 6> index(rank, 0);
  for (int64_t done = 0; done < count; done += inner) {
    int64_t fromOffset = 0, toOffset = 0;
    for (size_t i = 0; i + 1 < rank; ++i) {
      fromOffset += index[i] * from[i];
      toOffset += index[i] * to[i];
    }
    const char *in = static_cast<const char *>(source.data);
    char *out = static_cast<char *>(target.data);
    for (int64_t i = 0; i < inner; ++i)
      std::memcpy(out + (toOffset + i * to[rank - 1]) * bytes,
                  in + (fromOffset + i * from[rank - 1]) * bytes, bytes);
    for (size_t i = rank - 1; i-- > 0;) {
      if (++index[i] < source.shape[i])
        break;
      index[i] = 0;
    }
  }
}
