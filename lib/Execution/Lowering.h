//===- Lowering.h - From any stage to the LLVM dialect ---------*- C++ -*-===//
//
// Private to lib/Execution: what happens to a module before it leaves MLIR.
//
//===----------------------------------------------------------------------===//

#ifndef DLC_LIB_EXECUTION_LOWERING_H
#define DLC_LIB_EXECUTION_LOWERING_H

#include "DLC/Execution/Executable.h"

namespace llvm {
class LLVMContext;
class Module;
class TargetMachine;
} // namespace llvm

namespace mlir::dlc {

/// A symbol of the LLVM module whose memory is elsewhere.
struct Weight {
  std::string symbol;
  ArrayRef<char> data;
  /// Keeps `data` alive where no attribute does.
  std::shared_ptr<char> owner;
};

/// Describes the public functions of `module` with bodies and marks them so
/// that they get a C interface. `error` diagnostics name the function and the
/// argument whose type cannot cross the interface.
FailureOr<std::vector<EntryInfo>> describeEntries(ModuleOp module);

/// The vector registers of a target.
struct TargetVectors {
  unsigned bits;
  unsigned registers;
};

/// Lowers `module` from whatever stage it is at to the LLVM dialect: with DLC's
/// own passes up to `stage`, with upstream's from there on.
LogicalResult lowerToLLVM(ModuleOp module, StringRef stage,
                          const TargetVectors &vectors);

/// Adds `void dlc_entry_<name>(ptr args)` for each entry that lacks it.
LogicalResult addEntryFunctions(ModuleOp module, ArrayRef<EntryInfo> entries);

/// Makes globals that hold a `dense_resource` external and returns the blobs'
/// memory, which belongs to the context.
SmallVector<Weight> externalizeWeights(ModuleOp module);

/// LLVM IR of the lowered `module` for `machine`, or null after a diagnostic.
std::unique_ptr<llvm::Module> translateToLLVM(ModuleOp module,
                                              llvm::LLVMContext &context,
                                              llvm::TargetMachine &machine);

} // namespace mlir::dlc

#endif // DLC_LIB_EXECUTION_LOWERING_H
