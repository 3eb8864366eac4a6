//===- InlineConstantGlobals.cpp - ml_program globals to constants --------===//
//
// Upstream bufferizes constants to memref.global, but not constant globals.
//
//===----------------------------------------------------------------------===//

#include "DLC/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir::dlc {
#define GEN_PASS_DEF_INLINECONSTANTGLOBALS
#include "DLC/Transforms/Passes.h.inc"
} // namespace mlir::dlc

using namespace mlir;

namespace {
struct InlineConstantGlobalsPass final
    : dlc::impl::InlineConstantGlobalsBase<InlineConstantGlobalsPass> {
  using Base::Base;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    IRRewriter rewriter(&getContext());
    getOperation().walk([&](ml_program::GlobalLoadConstOp load) {
      auto global = symbols.lookup<ml_program::GlobalOp>(
          load.getGlobal().getLeafReference());
      auto value = global
                       ? dyn_cast_or_null<ElementsAttr>(global.getValueAttr())
                       : ElementsAttr();
      if (!value)
        return;
      rewriter.setInsertionPoint(load);
      rewriter.replaceOpWithNewOp<arith::ConstantOp>(load,
                                                     cast<TypedAttr>(value));
    });
    for (auto global : llvm::make_early_inc_range(
             getOperation().getOps<ml_program::GlobalOp>()))
      if (global.isPrivate() &&
          SymbolTable::symbolKnownUseEmpty(global, getOperation()))
        rewriter.eraseOp(global);
  }
};
} // namespace
