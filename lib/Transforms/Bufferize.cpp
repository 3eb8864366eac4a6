//===- Bufferize.cpp - From tensors to buffers ----------------------------===//
//
// Upstream's one-shot bufferization and deallocation in the order that DLC
// needs.
//
//===----------------------------------------------------------------------===//

#include "DLC/Transforms/Passes.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

namespace mlir::dlc {
#define GEN_PASS_DEF_BUFFERIZE
#include "DLC/Transforms/Passes.h.inc"
} // namespace mlir::dlc

using namespace mlir;
using namespace mlir::dlc;

static void addCleanUp(OpPassManager &pm) {
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

static void addBufferization(OpPassManager &pm) {
  // No empty-tensor elimination: a kernel would get a slice of a larger buffer
  // as its destination, through a cast that claims that it is contiguous.
  pm.addPass(bufferization::createEmptyTensorToAllocTensorPass());
  bufferization::OneShotBufferizePassOptions options;
  options.bufferizeFunctionBoundaries = true;
  // A loop may give back another buffer than it got: control flow carries any
  // tensor.
  options.allowReturnAllocsFromLoops = true;
  options.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  pm.addPass(bufferization::createOneShotBufferizePass(options));
  // A kernel that returns its destination argument need not return it.
  pm.addPass(bufferization::createDropEquivalentBufferResultsPass());
  pm.addPass(createSeparateStridedOperands());
  addCleanUp(pm);
  bufferization::buildBufferDeallocationPipeline(pm);
  pm.addPass(createConvertBufferizationToMemRefPass());
  // Right after the last use instead of at the end of the block.
  pm.addNestedPass<func::FuncOp>(
      bufferization::createOptimizeAllocationLivenessPass());
  addCleanUp(pm);
}

static bool usesTensors(ModuleOp module) {
  auto isTensor = [](Type type) { return isa<TensorType>(type); };
  return module
      .walk([&](Operation *op) {
        bool found = llvm::any_of(op->getResultTypes(), isTensor);
        for (Region &region : op->getRegions())
          for (Block &block : region)
            found |= llvm::any_of(block.getArgumentTypes(), isTensor);
        return found ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {
struct BufferizePass final : dlc::impl::BufferizeBase<BufferizePass> {
  using Base::Base;

  void getDependentDialects(DialectRegistry &registry) const override {
    OpPassManager pm(ModuleOp::getOperationName());
    addBufferization(pm);
    pm.getDependentDialects(registry);
  }

  void runOnOperation() override {
    // Programs on memrefs keep the allocations and frees that they have.
    if (!usesTensors(getOperation()))
      return;
    OpPassManager pm(ModuleOp::getOperationName());
    addBufferization(pm);
    if (failed(runPipeline(pm, getOperation())))
      signalPassFailure();
  }
};
} // namespace
