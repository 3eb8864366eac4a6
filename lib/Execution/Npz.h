//===- Npz.h - Members of .npz files ---------------------------*- C++ -*-===//
//
// Private to lib/Execution: a .npz file is a zip archive of .npy files.
//
//===----------------------------------------------------------------------===//

#ifndef DLC_LIB_EXECUTION_NPZ_H
#define DLC_LIB_EXECUTION_NPZ_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace mlir::dlc {

/// Splits "file.npz:member"; other paths have no member.
std::pair<StringRef, StringRef> splitNpzPath(StringRef path);

/// The contents of `member` (with or without ".npy") of a zip archive whose
/// members are stored uncompressed, as np.savez writes them. An empty name
/// stands for the only member.
llvm::Expected<StringRef> findNpzMember(StringRef archive, StringRef member);

} // namespace mlir::dlc

#endif // DLC_LIB_EXECUTION_NPZ_H
