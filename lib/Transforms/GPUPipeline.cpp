//===- GPUPipeline.cpp - The flow for NVIDIA GPUs -------------------------===//
//
// Upstream's default mapping: a thread per element of a parallel loop, tiled
// by the block. No shared memory, no matrix instructions.
//
//===----------------------------------------------------------------------===//

#include "DLC/Transforms/Pipelines.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/Pipelines/Passes.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::dlc;

void mlir::dlc::buildGPUPipeline(OpPassManager &pm,
                                 const GPUPipelineOptions &options) {
  CPUPipelineOptions toBuffers;
  toBuffers.lastStage = Stage::Buffers;
  buildCPUPipeline(pm, toBuffers);
  OpPassManager &functions = pm.nest<func::FuncOp>();
  functions.addPass(createConvertLinalgToParallelLoopsPass());
  // 256 threads, 16 consecutive elements of the innermost dimension.
  int64_t tile[] = {16, 16};
  functions.addPass(createParallelLoopTilingPass(tile));
  functions.addPass(createCanonicalizerPass());
  functions.addPass(createGpuMapParallelLoopsPass());
  functions.addPass(createConvertParallelLoopToGpuPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createGpuKernelOutliningPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createCSEPass());
  if (options.format == "kernels")
    return;
  gpu::GPUToNVVMPipelineOptions nvvm;
  nvvm.cubinChip = options.chip;
  nvvm.cubinFeatures = options.features;
  nvvm.cubinFormat = options.format;
  gpu::buildLowerToNVVMPassPipeline(pm, nvvm);
}
