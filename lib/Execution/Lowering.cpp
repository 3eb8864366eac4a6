//===- Lowering.cpp - From any stage to the LLVM dialect ------------------===//
//
// Runs the CPU pipeline and whatever upstream passes the rest needs.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "DLC/Conversion/Passes.h"
#include "DLC/Dialect/IR/DLCStructureOps.h"
#include "DLC/Transforms/Passes.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Affine/Transforms/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::dlc;

/// tensor -> memref, with every allocation freed.
static void addBufferization(OpPassManager &pm) {
  pm.addPass(bufferization::createEmptyTensorEliminationPass());
  pm.addPass(bufferization::createEmptyTensorToAllocTensorPass());
  bufferization::OneShotBufferizePassOptions options;
  options.bufferizeFunctionBoundaries = true;
  options.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  pm.addPass(bufferization::createOneShotBufferizePass(options));
  bufferization::buildBufferDeallocationPipeline(pm);
  pm.addPass(createConvertBufferizationToMemRefPass());
}

/// linalg, affine, vector, scf, openmp and memref -> LLVM dialect.
static void addLoopsToLLVM(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass());
  pm.addPass(createLowerAffinePass());
  pm.addNestedPass<func::FuncOp>(createConvertVectorToSCFPass());
  pm.addPass(createExpandMath());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createConvertSCFToOpenMPPass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(memref::createExpandOpsPass());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
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

/// Reads of constant globals become constants, which bufferize to globals.
static void inlineConstantGlobals(ModuleOp module) {
  SymbolTable symbols(module);
  IRRewriter rewriter(module.getContext());
  module.walk([&](ml_program::GlobalLoadConstOp load) {
    auto global = symbols.lookup<ml_program::GlobalOp>(
        load.getGlobal().getLeafReference());
    auto value = global ? dyn_cast_or_null<ElementsAttr>(global.getValueAttr())
                        : ElementsAttr();
    if (!value)
      return;
    rewriter.setInsertionPoint(load);
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(load,
                                                   cast<TypedAttr>(value));
  });
  for (auto global :
       llvm::make_early_inc_range(module.getOps<ml_program::GlobalOp>()))
    if (symbols.symbolKnownUseEmpty(global, module))
      rewriter.eraseOp(global);
}

/// dlc.check_equal -> scf.if + call of the runtime.
static void lowerChecks(ModuleOp module) {
  OpBuilder builder(module.getContext());
  auto ptr = LLVM::LLVMPointerType::get(module.getContext());
  Type i64 = builder.getI64Type();
  auto voidType = LLVM::LLVMVoidType::get(module.getContext());
  SmallVector<CheckEqualOp> checks;
  module.walk([&](CheckEqualOp op) { checks.push_back(op); });
  LLVM::LLVMFuncOp callee;
  for (auto [i, op] : llvm::enumerate(checks)) {
    Location loc = op.getLoc();
    builder.setInsertionPointToStart(module.getBody());
    if (!callee)
      callee = LLVM::LLVMFuncOp::create(
          builder, loc, "dlc_rt_fail_sizes",
          LLVM::LLVMFunctionType::get(voidType, {ptr, i64, i64}));
    std::string text = op.getMessage().str();
    text.push_back(0);
    auto global = LLVM::GlobalOp::create(
        builder, loc,
        LLVM::LLVMArrayType::get(builder.getI8Type(), text.size()),
        /*isConstant=*/true, LLVM::Linkage::Internal,
        "dlc_message_" + std::to_string(i), builder.getStringAttr(text));
    builder.setInsertionPoint(op);
    Value differ = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                         op.getLhs(), op.getRhs());
    auto ifOp = scf::IfOp::create(builder, loc, differ, /*withElse=*/false);
    builder.setInsertionPointToStart(ifOp.thenBlock());
    Value message = LLVM::AddressOfOp::create(builder, loc, global);
    Value lhs = arith::IndexCastOp::create(builder, loc, i64, op.getLhs());
    Value rhs = arith::IndexCastOp::create(builder, loc, i64, op.getRhs());
    LLVM::CallOp::create(builder, loc, callee, ValueRange{message, lhs, rhs});
    op->erase();
  }
}

LogicalResult mlir::dlc::lowerToLLVM(ModuleOp module, StringRef stage) {
  module->getContext()->loadDialect<LLVM::LLVMDialect, scf::SCFDialect>();
  inlineConstantGlobals(module);
  lowerChecks(module);
  PassManager pm(module->getContext());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createConvertDLCToLinalg());
  if (failed(pm.run(module)))
    return failure();
  lowerChecks(module);
  pm.clear();
  addBufferization(pm);
  addLoopsToLLVM(pm);
  return pm.run(module);
}
