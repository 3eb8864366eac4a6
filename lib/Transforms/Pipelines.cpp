//===- Pipelines.cpp - Whole flows as pass pipelines ----------------------===//
//
// The only place that orders passes.
//
//===----------------------------------------------------------------------===//

#include "DLC/Transforms/Pipelines.h"

#include "DLC/Conversion/Passes.h"
#include "DLC/Transforms/Passes.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Affine/Transforms/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::dlc;

std::optional<Stage> mlir::dlc::parseStage(StringRef name) {
  return llvm::StringSwitch<std::optional<Stage>>(name)
      .Case("graph", Stage::Graph)
      .Case("linalg", Stage::Linalg)
      .Case("fused", Stage::Fused)
      .Case("kernels", Stage::Kernels)
      .Case("buffers", Stage::Buffers)
      .Case("loops", Stage::Loops)
      .Case("llvm", Stage::LLVM)
      .Default(std::nullopt);
}

static void addCleanUp(OpPassManager &pm) {
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

static void addLoops(OpPassManager &pm, const CPUPipelineOptions &options) {
  LowerContractionsOptions contractions;
  contractions.vectorBits = options.vectorBits;
  contractions.registers = options.registers;
  pm.addPass(createLowerContractions(contractions));
  pm.addPass(createLowerToLoops());
  pm.addPass(createLowerChecks());
  pm.addPass(createExpandMath());
  // Ops that ExpandMath leaves (sqrt, floor, ...) on f16 and bf16.
  pm.addPass(math::createMathExtendToSupportedTypes());
  addCleanUp(pm);
  if (options.threads)
    pm.addPass(createParallelize());
}

static void addLLVM(OpPassManager &pm) {
  pm.addPass(createConvertVectorToSCFPass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(memref::createExpandOpsPass());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  // LLVM rounds to bf16 by an instruction that flushes denormal numbers where
  // the processor has one; as an op of its own it is expanded below.
  arith::ArithEmulateUnsupportedFloatsOptions bf16;
  bf16.sourceTypeStrs = {"bf16"};
  bf16.targetTypeStr = "f32";
  pm.addPass(arith::createArithEmulateUnsupportedFloats(bf16));
  pm.addPass(arith::createArithExpandOpsPass(
      {/*includeBf16=*/true, /*includeF8E8M0=*/false}));
  pm.addPass(createConvertMathToLLVMPass());
  // What LLVM has no intrinsic for.
  pm.addPass(createConvertMathToLibmPass());
  pm.addPass(createConvertVectorToLLVMPass());
  FinalizeMemRefToLLVMConversionPassOptions memref;
  // Memory comes from DLC's runtime, which pools it.
  memref.useGenericFunctions = true;
  pm.addPass(createFinalizeMemRefToLLVMConversionPass(memref));
  pm.addPass(createConvertIndexToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createUBToLLVMConversionPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createConvertOpenMPToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  addCleanUp(pm);
}

void mlir::dlc::buildCPUPipeline(OpPassManager &pm,
                                 const CPUPipelineOptions &options) {
  auto isLast = [&](Stage stage) { return options.lastStage == stage; };
  pm.addPass(createInlineConstantGlobals());
  addCleanUp(pm);
  if (isLast(Stage::Graph))
    return;
  pm.addPass(createConvertDLCToLinalg());
  addCleanUp(pm);
  if (isLast(Stage::Linalg))
    return;
  pm.addPass(createFuse());
  if (isLast(Stage::Fused))
    return;
  pm.addPass(createOutlineFusions());
  addCleanUp(pm);
  if (isLast(Stage::Kernels))
    return;
  // Callers own the arguments of public functions.
  pm.addPass(createProtectArguments());
  pm.addPass(createBufferize());
  if (isLast(Stage::Buffers))
    return;
  addLoops(pm, options);
  if (isLast(Stage::Loops))
    return;
  addLLVM(pm);
}

void mlir::dlc::registerDLCPipelines() {
  PassPipelineRegistration<CPUPipelineOptions>(
      "dlc-cpu-pipeline",
      "Compile dlc, linalg or lower-level IR for the CPU, to the LLVM dialect",
      buildCPUPipeline);
  PassPipelineRegistration<GPUPipelineOptions>(
      "dlc-gpu-pipeline",
      "Compile dlc, linalg or lower-level IR to kernels for NVIDIA GPUs",
      buildGPUPipeline);
}
