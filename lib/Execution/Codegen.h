//===- Codegen.h - From LLVM IR to machine code ----------------*- C++ -*-===//
//
// Private to lib/Execution: target, optimisation and object files.
//
//===----------------------------------------------------------------------===//

#ifndef DLC_LIB_EXECUTION_CODEGEN_H
#define DLC_LIB_EXECUTION_CODEGEN_H

#include "Lowering.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Target/TargetMachine.h"
#include <memory>
#include <vector>

namespace llvm {
class Module;
} // namespace llvm

namespace mlir::dlc {

/// The processor that CompileOptions::cpu names, with all its features.
struct TargetCPU {
  std::string name;
  /// "+avx2,-avx512f,..."; empty when the name says everything.
  std::string features;
};

/// Resolves "native" and checks other names. The error lists what is allowed.
llvm::Expected<TargetCPU> resolveCPU(llvm::StringRef cpu);

/// The vector registers that DLC's kernels are written for on `machine`.
TargetVectors getTargetVectors(const llvm::TargetMachine &machine);

/// A PIC target machine of this process's architecture.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(const TargetCPU &cpu, unsigned optLevel);

/// The features of `machine` that a processor may lack, as the runtime checks
/// them: "+avx2,+fma". Empty for the architecture's baseline.
std::string getRequiredFeatures(const llvm::TargetMachine &machine);

/// Runs LLVM's pipeline of `optLevel` over `module` for `machine`.
void optimizeModule(llvm::Module &module, llvm::TargetMachine &machine,
                    unsigned optLevel);

/// The object file of `module`, which code generation changes.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
emitObject(llvm::Module &module, llvm::TargetMachine &machine);

/// Object files that belong together, and the time of the slowest thread in
/// milliseconds.
struct MachineCode {
  std::vector<std::unique_ptr<llvm::MemoryBuffer>> objects;
  double optimizeTime = 0, emitTime = 0;
};

/// Optimises `module`, which is used up, and emits it by several threads (0:
/// one per processor; fewer when there is little to do). Local symbols that
/// the objects share get names that begin with `prefix`.
llvm::Expected<MachineCode>
compileModule(llvm::Module &module, const TargetCPU &cpu, unsigned optLevel,
              llvm::StringRef prefix, unsigned numThreads = 0);

} // namespace mlir::dlc

#endif // DLC_LIB_EXECUTION_CODEGEN_H
