//===- Executable.h - Compile a module and run it --------------*- C++ -*-===//
//
// The contract between a compiled program and whoever calls it.
//
//===----------------------------------------------------------------------===//

#ifndef DLC_EXECUTION_EXECUTABLE_H
#define DLC_EXECUTION_EXECUTABLE_H

#include "DLC/Execution/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"
#include <vector>

namespace mlir::dlc {

/// One argument or result of an entry function.
struct ArgumentInfo {
  enum class Kind { Tensor, MemRef, Scalar };

  /// From `dlc.name`, else "arg0", "result0", ...
  std::string name;
  Kind kind = Kind::Tensor;
  DType dtype = DType::F32;
  /// ShapedType::kDynamic where the size is known at run time only; empty for
  /// scalars.
  SmallVector<int64_t> shape;
  /// From `dlc.dims`: one name per dimension, "" for none. Dynamic dimensions
  /// of one name have one size in a call.
  std::vector<std::string> dims;
  /// The memref's type says that strides are free; others are row-major.
  bool stridesAreFree = false;
};

/// A public function of the module.
struct EntryInfo {
  std::string name;
  std::vector<ArgumentInfo> inputs;
  std::vector<ArgumentInfo> outputs;
};

struct CompileOptions {
  /// "native", "generic", "x86-64-v2", "x86-64-v3" (AVX2), "x86-64-v4"
  /// (AVX-512) or any LLVM processor name.
  std::string cpu = "native";
  /// LLVM's optimisation level, 0 to 3.
  unsigned optLevel = 3;
  /// Stage up to which DLC's own passes run; what is then left is lowered by
  /// upstream passes without optimisation. One of graph, linalg, fused,
  /// kernels, buffers, loops, llvm.
  std::string stage = "llvm";
};

/// Where the time of a compilation went, in milliseconds.
struct CompileTimes {
  double lower = 0, translate = 0, optimize = 0, emit = 0, link = 0;
};

/// A module compiled to machine code of this process.
///
/// **Shapes.** A call checks the number of inputs, and of each its dtype, rank,
/// static sizes, and that dynamic dimensions of one name have one size. The
/// error names the input and both numbers.
/// **Dtypes.** As in ArgumentInfo; nothing is converted.
/// **Memory.** Inputs are only read. A strided input is copied to row-major
/// order first when the function needs that. MemRef inputs are in-out: they are
/// written, also when strided. Outputs are new buffers that the caller owns;
/// an output that is an input or a weight is copied. Weights stay where the
/// module's `dense_resource` blobs are: the Executable keeps the module, and
/// the MLIRContext must outlive the Executable. Outputs outlive both.
/// **Threads.** Any number of threads may call `run` at once. `numThreads` is
/// the number of OpenMP threads of one call, 0 for OpenMP's default. Threads
/// sleep from a millisecond after a call on.
/// **Errors.** Returned as llvm::Error, never printed; after one no output
/// exists and all memory of the call is free. Compiling reports errors as
/// diagnostics of the context.
class Executable {
public:
  /// Takes `module`, lowers it and compiles it. Emits diagnostics on failure.
  static FailureOr<std::unique_ptr<Executable>>
  compile(OwningOpRef<ModuleOp> module, const CompileOptions &options = {});
  ~Executable();

  ArrayRef<EntryInfo> getEntries() const;
  /// Null when there is no such entry. With an empty name the only one.
  const EntryInfo *lookupEntry(StringRef name) const;
  const CompileTimes &getCompileTimes() const;

  /// Calls `entry`. `outputs` receives one buffer per result; scalars are
  /// buffers of rank 0.
  llvm::Error run(const EntryInfo &entry, ArrayRef<TensorView> inputs,
                  std::vector<Tensor> &outputs, unsigned numThreads = 0) const;

private:
  struct Impl;
  explicit Executable(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace mlir::dlc

#endif // DLC_EXECUTION_EXECUTABLE_H
