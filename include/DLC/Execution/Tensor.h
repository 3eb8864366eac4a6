//===- Tensor.h - Element types and buffers at run time --------*- C++ -*-===//
//
// What goes into a compiled program and comes out of it: views of the caller's
// memory and buffers of the runtime.
//
//===----------------------------------------------------------------------===//

#ifndef DLC_EXECUTION_TENSOR_H
#define DLC_EXECUTION_TENSOR_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace mlir {
class Type;
} // namespace mlir

namespace mlir::dlc {

/// Element type of a buffer. The numbers are part of the C interface of shared
/// libraries (`dlc_tensor.dtype`) and do not change.
enum class DType : int32_t {
  Bool = 1,
  I8 = 2,
  I16 = 3,
  I32 = 4,
  I64 = 5,
  U8 = 6,
  U16 = 7,
  U32 = 8,
  U64 = 9,
  F16 = 10,
  BF16 = 11,
  F32 = 12,
  F64 = 13,
  F8E4M3FN = 14,
  F8E5M2 = 15,
  F8E4M3FNUZ = 16,
  F8E5M2FNUZ = 17,
  C64 = 18,
  C128 = 19,
};

/// Size of one element in bytes.
int64_t getByteSize(DType dtype);

/// NumPy's name: "float32", "uint8", "bool", "bfloat16", ...
StringRef getName(DType dtype);

/// The dtype with NumPy's name or MLIR's spelling ("float32" or "f32").
std::optional<DType> parseDType(StringRef name);

/// The dtype of an MLIR element type; `isUnsigned` chooses among the integers,
/// which are signless in MLIR. `index` is I64. Nothing for other types.
std::optional<DType> getDType(Type type, bool isUnsigned);

/// A view of memory that somebody else owns.
struct TensorView {
  void *data = nullptr;
  DType dtype = DType::F32;
  SmallVector<int64_t, 6> shape;
  /// In elements, one per dimension, or empty for row-major order.
  SmallVector<int64_t, 6> strides;

  int64_t getNumElements() const;
  int64_t getNumBytes() const { return getNumElements() * getByteSize(dtype); }
  /// Whether the elements lie in row-major order without gaps.
  bool isContiguous() const;
};

/// A buffer that is owned: row-major and at least 64-byte aligned.
/// The owner may be shared and may outlive the Executable that made it.
struct Tensor : TensorView {
  std::shared_ptr<void> owner;

  /// Allocates from the runtime; the contents are undefined. Null data when
  /// the system refuses.
  static Tensor allocate(DType dtype, ArrayRef<int64_t> shape);
};

/// Copies the elements of `source` to `target`, which has the same dtype and
/// shape; both may be strided.
void copyElements(const TensorView &source, const TensorView &target);

} // namespace mlir::dlc

#endif // DLC_EXECUTION_TENSOR_H
