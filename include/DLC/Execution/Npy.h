//===- Npy.h - NumPy's file formats ----------------------------*- C++ -*-===//
//
// Reads and writes .npy files and reads members of uncompressed .npz files.
//
//===----------------------------------------------------------------------===//

#ifndef DLC_EXECUTION_NPY_H
#define DLC_EXECUTION_NPY_H

#include "DLC/Execution/Tensor.h"
#include "llvm/Support/Error.h"

namespace mlir::dlc {

/// Parses the contents of a .npy file (versions 1 to 3). Big-endian and
/// Fortran-order data are converted to row-major order of this machine.
/// `hint` decides what raw two-byte or one-byte records ('<V2', as ml_dtypes
/// writes bfloat16) mean. Errors: bad magic, header or size; object and other
/// dtypes that DLC has not; fewer bytes than the shape needs.
llvm::Expected<Tensor> parseNpy(StringRef contents,
                                std::optional<DType> hint = std::nullopt);

/// Reads `path`, or the member `name` of the .npz file for "file.npz:name";
/// of an .npz with one member the name may be left out.
llvm::Expected<Tensor> readNpy(StringRef path,
                               std::optional<DType> hint = std::nullopt);

/// The contents of a version 1 .npy file with `view` in row-major order.
void writeNpy(raw_ostream &stream, const TensorView &view);

/// Writes `view` to `path` by way of a temporary file beside it, so that the
/// file is there completely or not at all.
llvm::Error writeNpyFile(StringRef path, const TensorView &view);

/// Whether `path` can be created or replaced; to be asked before a long run.
llvm::Error checkWritable(StringRef path);

} // namespace mlir::dlc

#endif // DLC_EXECUTION_NPY_H
