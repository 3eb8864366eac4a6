//===- ProtectArguments.cpp - Arguments of entries are read-only ----------===//
//
// One-shot bufferization writes into function arguments unless told not to. The
// same functions get a C interface, and a record of what they looked like.
//
//===----------------------------------------------------------------------===//

#include "DLC/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace mlir::dlc {
#define GEN_PASS_DEF_PROTECTARGUMENTS
#include "DLC/Transforms/Passes.h.inc"
} // namespace mlir::dlc

using namespace mlir;

/// Lowering forgets tensor types and the names of results; whoever calls the
/// function needs both.
static void recordEntry(func::FuncOp function) {
  if (function->hasAttr("dlc.entry"))
    return;
  Builder builder(function.getContext());
  SmallVector<NamedAttribute> record = {
      builder.getNamedAttr("type", TypeAttr::get(function.getFunctionType()))};
  if (ArrayAttr arguments = function.getArgAttrsAttr())
    record.push_back(builder.getNamedAttr("arguments", arguments));
  if (ArrayAttr results = function.getResAttrsAttr())
    record.push_back(builder.getNamedAttr("results", results));
  function->setAttr("dlc.entry", builder.getDictionaryAttr(record));
  function->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(),
                    builder.getUnitAttr());
}

namespace {
struct ProtectArgumentsPass final
    : dlc::impl::ProtectArgumentsBase<ProtectArgumentsPass> {
  using Base::Base;

  void runOnOperation() override {
    StringRef writable = bufferization::BufferizationDialect::kWritableAttrName;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!function.isPublic() || function.isExternal())
        continue;
      recordEntry(function);
      for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
        if (isa<TensorType>(type) && !function.getArgAttr(i, writable))
          function.setArgAttr(i, writable, BoolAttr::get(&getContext(), false));
    }
  }
};
} // namespace
