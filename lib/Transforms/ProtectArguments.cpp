//===- ProtectArguments.cpp - Arguments of entries are read-only ----------===//
//
// One-shot bufferization writes into function arguments unless told not to.
//
//===----------------------------------------------------------------------===//

#include "DLC/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"

namespace mlir::dlc {
#define GEN_PASS_DEF_PROTECTARGUMENTS
#include "DLC/Transforms/Passes.h.inc"
} // namespace mlir::dlc

using namespace mlir;

namespace {
struct ProtectArgumentsPass final
    : dlc::impl::ProtectArgumentsBase<ProtectArgumentsPass> {
  using Base::Base;

  void runOnOperation() override {
    StringRef writable = bufferization::BufferizationDialect::kWritableAttrName;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!function.isPublic() || function.isExternal())
        continue;
      for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
        if (isa<TensorType>(type) && !function.getArgAttr(i, writable))
          function.setArgAttr(i, writable, BoolAttr::get(&getContext(), false));
    }
  }
};
} // namespace
