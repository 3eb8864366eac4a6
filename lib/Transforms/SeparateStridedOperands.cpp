//===- SeparateStridedOperands.cpp - Row-major promises that hold ---------===//
//
// One-shot bufferization casts a strided buffer with dynamic sizes to the
// row-major type of a function boundary without a check: both types print
// dynamic strides, so upstream takes the cast for a safe one. This pass makes
// the promise true. To be removed when upstream's castOrReallocMemRefValue
// compares layouts.
//
//===----------------------------------------------------------------------===//

#include "DLC/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace mlir::dlc {
#define GEN_PASS_DEF_SEPARATESTRIDEDOPERANDS
#include "DLC/Transforms/Passes.h.inc"
} // namespace mlir::dlc

using namespace mlir;
using namespace mlir::dlc;

/// Whether `cast` claims a row-major layout that its source may not have.
static bool isUnsafe(memref::CastOp cast) {
  auto source = dyn_cast<MemRefType>(cast.getSource().getType());
  auto result = dyn_cast<MemRefType>(cast.getType());
  if (!source || !result || !result.getLayout().isIdentity() ||
      source.getLayout().isIdentity() || source.hasStaticShape())
    return false;
  return source.getRank() > 0;
}

/// Whether the memory of `buffer` may be written by what sees it, views
/// included.
static bool mayBeWritten(Value buffer) {
  SmallVector<Value> worklist{buffer};
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    for (Operation *user : value.getUsers()) {
      if (isa<ViewLikeOpInterface>(user)) {
        llvm::append_range(worklist, user->getResults());
        continue;
      }
      auto effects = dyn_cast<MemoryEffectOpInterface>(user);
      if (!effects ||
          effects.getEffectOnValue<MemoryEffects::Write>(value).has_value())
        return true;
    }
  }
  return false;
}

/// Whether `use`, an operand of a call, may be written by the callee.
static bool mayWrite(OpOperand &use, SymbolTableCollection &symbols) {
  auto call = dyn_cast<func::CallOp>(use.getOwner());
  if (!call)
    return true;
  auto callee =
      symbols.lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
  if (!callee || callee.isExternal())
    return true;
  return mayBeWritten(callee.getArgument(use.getOperandNumber()));
}

/// Gives the user a row-major copy, which is copied back when it may be
/// written.
static void separate(OpOperand &use, Value source, MemRefType type,
                     SymbolTableCollection &symbols) {
  Operation *user = use.getOwner();
  OpBuilder builder(user);
  Location loc = user->getLoc();
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(memref::DimOp::create(builder, loc, source, dim));
  Value copy = memref::AllocOp::create(builder, loc, type, sizes);
  memref::CopyOp::create(builder, loc, source, copy);
  bool copyBack =
      !user->hasTrait<OpTrait::IsTerminator>() && mayWrite(use, symbols);
  use.set(copy);
  if (!copyBack)
    return;
  builder.setInsertionPointAfter(user);
  memref::CopyOp::create(builder, loc, copy, source);
}

namespace {
struct SeparateStridedOperandsPass final
    : dlc::impl::SeparateStridedOperandsBase<SeparateStridedOperandsPass> {
  using Base::Base;

  void runOnOperation() override {
    SymbolTableCollection symbols;
    SmallVector<memref::CastOp> casts;
    getOperation()->walk([&](memref::CastOp cast) {
      if (isUnsafe(cast))
        casts.push_back(cast);
    });
    for (memref::CastOp cast : casts) {
      auto type = llvm::cast<MemRefType>(cast.getType());
      for (OpOperand &use : llvm::make_early_inc_range(cast->getUses())) {
        // These take any layout.
        if (isa<linalg::LinalgOp, memref::CopyOp, memref::DimOp, memref::LoadOp,
                memref::StoreOp>(use.getOwner()))
          use.set(cast.getSource());
        else
          separate(use, cast.getSource(), type, symbols);
      }
      cast.erase();
    }
  }
};
} // namespace
