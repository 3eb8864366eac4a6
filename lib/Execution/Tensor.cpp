//===- Tensor.cpp - Element types and buffers at run time -----------------===//
//
// Names, sizes and copies of run-time buffers.
//
//===----------------------------------------------------------------------===//

#include "DLC/Execution/Tensor.h"

#include "DLC/Runtime/Runtime.h"
#include "TensorToC.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace mlir::dlc;

int64_t mlir::dlc::getByteSize(DType dtype) {
  return dlc_rt_dtype_size(static_cast<int32_t>(dtype));
}

StringRef mlir::dlc::getName(DType dtype) {
  return dlc_rt_dtype_name(static_cast<int32_t>(dtype));
}

/// MLIR's spelling, in the order of the enumeration, which starts at 1.
static constexpr StringLiteral kMLIRNames[] = {
    "i1",         "i8",         "i16",          "i32",         "i64",
    "ui8",        "ui16",       "ui32",         "ui64",        "f16",
    "bf16",       "f32",        "f64",          "f8E4M3FN",    "f8E5M2",
    "f8E4M3FNUZ", "f8E5M2FNUZ", "complex<f32>", "complex<f64>"};

std::optional<DType> mlir::dlc::parseDType(StringRef name) {
  for (auto [i, mlirName] : llvm::enumerate(kMLIRNames)) {
    auto dtype = static_cast<DType>(i + 1);
    if (name == mlirName || name == getName(dtype))
      return dtype;
  }
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

dlc_tensor mlir::dlc::toC(const TensorView &view) {
  dlc_tensor tensor = {};
  tensor.data = view.data;
  tensor.dtype = static_cast<int32_t>(view.dtype);
  tensor.rank = static_cast<int32_t>(view.shape.size());
  tensor.is_strided = !view.strides.empty();
  // A rank beyond the limit fits no function; the call refuses it by its rank.
  size_t rank = std::min<size_t>(view.shape.size(), DLC_MAX_RANK);
  llvm::copy(ArrayRef(view.shape).take_front(rank), tensor.shape);
  llvm::copy(ArrayRef(view.strides).take_front(rank), tensor.strides);
  return tensor;
}

void mlir::dlc::copyElements(const TensorView &source,
                             const TensorView &target) {
  dlc_tensor from = toC(source), to = toC(target);
  dlc_rt_copy(&from, &to);
}
