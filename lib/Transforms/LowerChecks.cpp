//===- LowerChecks.cpp - Run-time checks to runtime calls -----------------===//
//
// Turns the checks of the dlc dialect into branches around calls of the
// runtime.
//
//===----------------------------------------------------------------------===//

#include "DLC/Dialect/IR/DLCStructureOps.h"
#include "DLC/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::dlc {
#define GEN_PASS_DEF_LOWERCHECKS
#include "DLC/Transforms/Passes.h.inc"
} // namespace mlir::dlc

using namespace mlir;
using namespace mlir::dlc;

namespace {

/// Emits calls of `void name(ptr message, i64, i64)`.
class CheckLowering {
public:
  CheckLowering(ModuleOp module)
      : module(module), builder(module.getContext()) {}

  /// Replaces `op`, which complains about `lhs` and `rhs` when `isBad` holds.
  void lower(Operation *op, StringRef function, StringRef message, Value isBad,
             Value lhs, Value rhs) {
    Location loc = op->getLoc();
    OpBuilder::InsertionGuard guard(builder);
    auto branch = scf::IfOp::create(builder, loc, isBad, /*withElse=*/false);
    builder.setInsertionPointToStart(branch.thenBlock());
    auto toI64 = [&](Value value) -> Value {
      return arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                        value);
    };
    Value text = LLVM::AddressOfOp::create(
        builder, loc, LLVM::LLVMPointerType::get(builder.getContext()),
        getMessage(message));
    LLVM::CallOp::create(builder, loc, getFunction(function),
                         ValueRange{text, toI64(lhs), toI64(rhs)});
    op->erase();
  }

  OpBuilder &getBuilder() { return builder; }

private:
  LLVM::LLVMFuncOp getFunction(StringRef name) {
    if (auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
      return function;
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    Type i64 = builder.getI64Type();
    auto ptr = LLVM::LLVMPointerType::get(builder.getContext());
    return LLVM::LLVMFuncOp::create(
        builder, module.getLoc(), name,
        LLVM::LLVMFunctionType::get(
            LLVM::LLVMVoidType::get(builder.getContext()), {ptr, i64, i64}));
  }

  /// The name of a zero-terminated constant string; equal texts share one.
  StringRef getMessage(StringRef message) {
    auto [entry, isNew] = messages.try_emplace(message);
    if (!isNew)
      return entry->second;
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    std::string text = message.str();
    text.push_back('\0');
    std::string name;
    do
      name = "dlc_message_" + std::to_string(counter++);
    while (module.lookupSymbol(name));
    auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), text.size());
    LLVM::GlobalOp::create(builder, module.getLoc(), type, /*isConstant=*/true,
                           LLVM::Linkage::Internal, name,
                           builder.getStringAttr(text));
    return entry->second = name;
  }

  ModuleOp module;
  OpBuilder builder;
  llvm::StringMap<std::string> messages;
  unsigned counter = 0;
};

struct LowerChecksPass final : dlc::impl::LowerChecksBase<LowerChecksPass> {
  using Base::Base;

  void runOnOperation() override {
    CheckLowering lowering(getOperation());
    OpBuilder &builder = lowering.getBuilder();
    SmallVector<Operation *> checks;
    getOperation().walk([&](Operation *op) {
      if (isa<CheckEqualOp, CheckIndexOp, CheckInBoundsOp>(op))
        checks.push_back(op);
    });
    for (Operation *op : checks) {
      builder.setInsertionPoint(op);
      llvm::TypeSwitch<Operation *>(op)
          .Case([&](CheckEqualOp check) {
            Value isBad = arith::CmpIOp::create(builder, op->getLoc(),
                                                arith::CmpIPredicate::ne,
                                                check.getLhs(), check.getRhs());
            lowering.lower(op, "dlc_rt_fail_sizes", check.getMessage(), isBad,
                           check.getLhs(), check.getRhs());
          })
          .Case([&](CheckIndexOp check) {
            // One unsigned comparison finds negative indices too.
            Value isBad = arith::CmpIOp::create(
                builder, op->getLoc(), arith::CmpIPredicate::uge,
                check.getIndex(), check.getExtent());
            lowering.lower(op, "dlc_rt_report_index", check.getMessage(), isBad,
                           check.getIndex(), check.getExtent());
          })
          .Case([&](CheckInBoundsOp check) {
            Value isBad = arith::CmpIOp::create(
                builder, op->getLoc(), arith::CmpIPredicate::ugt,
                check.getValue(), check.getLimit());
            lowering.lower(op, "dlc_rt_fail_sizes", check.getMessage(), isBad,
                           check.getValue(), check.getLimit());
          });
    }
  }
};
} // namespace
