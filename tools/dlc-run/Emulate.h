//===- Emulate.h - dlc-run --target=gpu-emulator ---------------*- C++ -*-===//
//
// Runs a GPU kernel in the emulator.
//
//===----------------------------------------------------------------------===//

#ifndef DLC_TOOLS_DLCRUN_EMULATE_H
#define DLC_TOOLS_DLCRUN_EMULATE_H

#include "Options.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::dlc {

/// Lowers `module`, runs its kernel `options.entry` and prints what the checks
/// found. Returns the exit code.
int emulateKernel(const RunOptions &options, ModuleOp module);

} // namespace mlir::dlc

#endif // DLC_TOOLS_DLCRUN_EMULATE_H
