//===- ExecutableImpl.h - What an Executable holds -------------*- C++ -*-===//
//
// Private to lib/Execution: shared by compiling and calling.
//
//===----------------------------------------------------------------------===//

#ifndef DLC_LIB_EXECUTION_EXECUTABLEIMPL_H
#define DLC_LIB_EXECUTION_EXECUTABLEIMPL_H

#include "Lowering.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Target/TargetMachine.h"

namespace mlir::dlc {

struct Executable::Impl {
  /// Chooses the machine that `options` names.
  llvm::Error setTarget(const CompileOptions &options);

  /// Translates, optimises and links the lowered `module`.
  llvm::Error build(const CompileOptions &options);

  /// Owns the weights' blobs as long as the code may read them.
  OwningOpRef<ModuleOp> module;
  SmallVector<Weight> weights;
  std::vector<EntryInfo> infos;
  /// Parallel to `infos`: `void dlc_entry_<name>(void **args)`.
  SmallVector<void (*)(void **)> functions;
  CompileTimes times;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

} // namespace mlir::dlc

#endif // DLC_LIB_EXECUTION_EXECUTABLEIMPL_H
