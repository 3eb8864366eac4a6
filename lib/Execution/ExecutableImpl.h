//===- ExecutableImpl.h - What an Executable holds -------------*- C++ -*-===//
//
// Private to lib/Execution: shared by compiling and calling.
//
//===----------------------------------------------------------------------===//

#ifndef DLC_LIB_EXECUTION_EXECUTABLEIMPL_H
#define DLC_LIB_EXECUTION_EXECUTABLEIMPL_H

#include "Codegen.h"
#include "DLC/Runtime/Library.h"
#include "Lowering.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Target/TargetMachine.h"
#include <deque>

namespace mlir::dlc {

/// An entry in the form of the C interface. Points into the EntryInfo and into
/// itself, hence stays where it is.
struct FunctionDescription {
  FunctionDescription(const EntryInfo &info, void (*entry)(void **));
  FunctionDescription(const FunctionDescription &) = delete;

  dlc_function function = {};

private:
  void describe(ArrayRef<ArgumentInfo> infos, std::vector<dlc_value> &values);

  /// A deque, because the values point to its elements.
  std::deque<std::vector<const char *>> dims;
  std::vector<dlc_value> inputs, outputs;
  dlc_variant variant;
  mutable int32_t chosen = 0;
};

struct Executable::Impl {
  /// Chooses the machine that `options` names.
  llvm::Error setTarget(const CompileOptions &options);

  /// Translates, optimises and links the lowered `module`.
  llvm::Error build(const CompileOptions &options);

  /// Owns the weights' blobs as long as the code may read them.
  OwningOpRef<ModuleOp> module;
  SmallVector<Weight> weights;
  std::vector<EntryInfo> infos;
  /// Parallel to `infos`.
  std::vector<std::unique_ptr<FunctionDescription>> functions;
  CompileTimes times;
  TargetCPU cpu;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

} // namespace mlir::dlc

#endif // DLC_LIB_EXECUTION_EXECUTABLEIMPL_H
