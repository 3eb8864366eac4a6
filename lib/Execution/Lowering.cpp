//===- Lowering.cpp - From any stage to the LLVM dialect ------------------===//
//
// Runs the CPU pipeline and whatever upstream passes the rest needs.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "DLC/Conversion/Passes.h"
#include "DLC/Transforms/Passes.h"
#include "DLC/Transforms/Pipelines.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Affine/Transforms/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::dlc;

/// linalg, affine, vector, scf, openmp and memref -> LLVM dialect.
static void addLoopsToLLVM(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass());
  pm.addPass(createLowerAffinePass());
  pm.addNestedPass<func::FuncOp>(createConvertVectorToSCFPass());
  pm.addPass(createExpandMath());
  // Ops that ExpandMath leaves (sqrt, floor, ...) on f16 and bf16.
  pm.addPass(math::createMathExtendToSupportedTypes());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createConvertSCFToOpenMPPass());
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
  pm.addPass(createConvertMathToLibmPass());
  pm.addPass(createConvertVectorToLLVMPass());
  FinalizeMemRefToLLVMConversionPassOptions memref;
  memref.useGenericFunctions = true;
  pm.addPass(createFinalizeMemRefToLLVMConversionPass(memref));
  pm.addPass(createConvertIndexToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createUBToLLVMConversionPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createConvertOpenMPToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

/// The passes for what DLC's own have left when they stopped early.
static void addRest(OpPassManager &pm) {
  pm.addPass(createInlineConstantGlobals());
  pm.addPass(createConvertDLCToLinalg());
  pm.addPass(createOutlineFusions());
  pm.addPass(createProtectArguments());
  pm.addPass(createBufferize());
  pm.addPass(createLowerChecks());
  addLoopsToLLVM(pm);
}

LogicalResult mlir::dlc::lowerToLLVM(ModuleOp module, StringRef stage,
                                     const TargetVectors &vectors) {
  std::optional<Stage> last = parseStage(stage);
  if (!last)
    return mlir::emitError(module.getLoc())
           << "expected the stage to be graph, linalg, fused, kernels, "
              "buffers, loops or llvm, but got '"
           << stage << "'";
  CPUPipelineOptions options;
  options.lastStage = *last;
  options.vectorBits = vectors.bits;
  options.registers = vectors.registers;
  PassManager pm(module->getContext());
  buildCPUPipeline(pm, options);
  if (*last != Stage::LLVM)
    addRest(pm);
  return pm.run(module);
}
