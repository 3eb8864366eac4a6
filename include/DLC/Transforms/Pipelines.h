//===- Pipelines.h - Whole flows as pass pipelines -------------*- C++ -*-===//
//
// The only place that orders passes. A pipeline can start and stop at any
// stage, so that each stage's IR can be looked at and run.
//
//===----------------------------------------------------------------------===//

#ifndef DLC_TRANSFORMS_PIPELINES_H
#define DLC_TRANSFORMS_PIPELINES_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "llvm/Support/CommandLine.h"

namespace mlir::dlc {

/// The states of a program between two groups of passes, in order. The name of
/// a stage is the state after it.
enum class Stage { Graph, Linalg, Fused, Kernels, Buffers, Loops, LLVM };

/// Parses "graph", "linalg", ... "llvm".
std::optional<Stage> parseStage(StringRef name);

struct CPUPipelineOptions : public PassPipelineOptions<CPUPipelineOptions> {
  PassOptions::Option<Stage> lastStage{
      *this, "last-stage", llvm::cl::desc("stop after this stage"),
      llvm::cl::values(
          clEnumValN(Stage::Graph, "graph", "simplified dlc ops"),
          clEnumValN(Stage::Linalg, "linalg", "linalg on tensors"),
          clEnumValN(Stage::Fused, "fused", "one dlc.fusion per kernel"),
          clEnumValN(Stage::Kernels, "kernels", "one function per kernel"),
          clEnumValN(Stage::Buffers, "buffers", "linalg on memrefs"),
          clEnumValN(Stage::Loops, "loops", "loops, vectors and OpenMP"),
          clEnumValN(Stage::LLVM, "llvm", "the LLVM dialect")),
      llvm::cl::init(Stage::LLVM)};
  PassOptions::Option<unsigned> vectorBits{
      *this, "vector-bits",
      llvm::cl::desc("width of the target's vector registers in bits"),
      llvm::cl::init(256)};
  PassOptions::Option<unsigned> registers{
      *this, "registers",
      llvm::cl::desc("number of the target's vector registers"),
      llvm::cl::init(16)};
  PassOptions::Option<bool> threads{*this, "threads",
                                    llvm::cl::desc("use OpenMP threads"),
                                    llvm::cl::init(true)};
};

/// dlc, linalg or anything below on the CPU, down to the LLVM dialect. Public
/// functions become entries with a C interface; their tensor arguments are
/// only read, their results are new buffers of the caller or alias arguments
/// and constants.
void buildCPUPipeline(OpPassManager &pm, const CPUPipelineOptions &options);

struct GPUPipelineOptions : public PassPipelineOptions<GPUPipelineOptions> {
  PassOptions::Option<std::string> chip{
      *this, "chip", llvm::cl::desc("the GPU, as in sm_80 or sm_90a"),
      llvm::cl::init("sm_80")};
  PassOptions::Option<std::string> features{
      *this, "features", llvm::cl::desc("the PTX version, as in +ptx80"),
      llvm::cl::init("+ptx80")};
  PassOptions::Option<std::string> format{
      *this, "format",
      llvm::cl::desc("kernels (gpu.module IR that the emulator runs), isa "
                     "(PTX), bin or fatbin (these need ptxas)"),
      llvm::cl::init("isa")};
};

/// dlc, linalg or anything below to kernels for NVIDIA GPUs with host code that
/// launches them. Every parallel loop nest is one kernel with a thread per
/// element; reductions are loops in a thread.
void buildGPUPipeline(OpPassManager &pm, const GPUPipelineOptions &options);

/// Registers `dlc-cpu-pipeline` and `dlc-gpu-pipeline`.
void registerDLCPipelines();

} // namespace mlir::dlc

#endif // DLC_TRANSFORMS_PIPELINES_H
