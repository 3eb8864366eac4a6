//===- AheadOfTime.h - Objects, libraries and headers ----------*- C++ -*-===//
//
// Compiles a module to files that run without MLIR and LLVM.
//
//===----------------------------------------------------------------------===//

#ifndef DLC_EXECUTION_AHEADOFTIME_H
#define DLC_EXECUTION_AHEADOFTIME_H

#include "DLC/Execution/Executable.h"

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace mlir::dlc {

struct LibraryOptions {
  /// First part of all C names; a C identifier.
  std::string name = "dlc";
  /// Processors to compile for, as in CompileOptions::cpu, the best first. The
  /// first that the machine can run is chosen there, at the first call.
  std::vector<std::string> cpus = {"native"};
  unsigned optLevel = 3;
  std::string stage = "llvm";
  /// Path of libdlc_runtime.a; empty: ../lib beside the running program.
  std::string runtimeArchive;
};

/// All of these leave `module` as it is and report errors as diagnostics.

/// The optimised LLVM IR for the first processor. Weights are external symbols.
LogicalResult writeLLVMIR(ModuleOp module, const LibraryOptions &options,
                          raw_ostream &stream);

/// A header in C99: one function per entry of the module, the function that
/// frees outputs, and the one that describes all entries.
LogicalResult writeCHeader(ModuleOp module, const LibraryOptions &options,
                           raw_ostream &stream);

/// A relocatable object file with code and weights. A program links it with
/// libdlc_runtime.a, libm and, when there are parallel loops, libomp. Needs a C
/// compiler driver (cc or clang) to join its parts.
LogicalResult writeObject(ModuleOp module, const LibraryOptions &options,
                          StringRef path);

/// A shared library that holds the runtime and depends on libm and, when there
/// are parallel loops, libomp. Needs a C compiler driver.
LogicalResult writeSharedLibrary(ModuleOp module, const LibraryOptions &options,
                                 StringRef path);

/// Registers --dlc-to-llvmir, --dlc-to-object, --dlc-to-c-header and
/// --dlc-to-shared-library, and their options, for mlirTranslateMain.
void registerDLCTranslations();

} // namespace mlir::dlc

#endif // DLC_EXECUTION_AHEADOFTIME_H
