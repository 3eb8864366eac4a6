//===- OutlineFusions.cpp - dlc.fusion regions to functions ---------------===//
//
// Outlines each fusion region; LLVM's cost is superlinear in function size, and
// equal kernels are compiled once.
//
//===----------------------------------------------------------------------===//

#include "DLC/Dialect/IR/DLCStructureOps.h"
#include "DLC/Transforms/Passes.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir::dlc {
#define GEN_PASS_DEF_OUTLINEFUSIONS
#include "DLC/Transforms/Passes.h.inc"
} // namespace mlir::dlc

using namespace mlir;
using namespace mlir::dlc;

/// True if the bodies of `lhs` and `rhs` are equal up to locations.
static bool haveEqualBodies(FusionOp lhs, func::FuncOp rhs) {
  if (lhs.getInputs().getTypes() != rhs.getFunctionType().getInputs() ||
      lhs.getOutputs().getTypes() != rhs.getFunctionType().getResults())
    return false;
  Block &a = lhs.getBody().front(), &b = rhs.getBody().front();
  if (std::distance(a.begin(), a.end()) != std::distance(b.begin(), b.end()))
    return false;
  DenseMap<Value, Value> equivalent;
  for (auto [x, y] : llvm::zip(a.getArguments(), b.getArguments()))
    equivalent[x] = y;
  auto checkEquivalent = [&](Value x, Value y) {
    return success(equivalent.lookup_or(x, x) == y);
  };
  auto markEquivalent = [&](Value x, Value y) { equivalent[x] = y; };
  for (auto [x, y] :
       llvm::zip(a.without_terminator(), b.without_terminator())) {
    if (!OperationEquivalence::isEquivalentTo(
            &x, &y, checkEquivalent, markEquivalent,
            OperationEquivalence::IgnoreLocations))
      return false;
  }
  return llvm::all_of(llvm::zip(a.getTerminator()->getOperands(),
                                b.getTerminator()->getOperands()),
                      [&](auto pair) {
                        auto [x, y] = pair;
                        return equivalent.lookup_or(x, x) == y;
                      });
}

/// Moves the body of `fusion` into a new private function named `name`.
static func::FuncOp createKernel(RewriterBase &rewriter, FusionOp fusion,
                                 StringRef name) {
  auto type = rewriter.getFunctionType(fusion.getInputs().getTypes(),
                                       fusion.getOutputs().getTypes());
  auto kernel = func::FuncOp::create(rewriter, fusion.getLoc(), name, type);
  kernel.setPrivate();
  // LLVM's cost is superlinear in function size.
  kernel.setNoInline(true);
  rewriter.inlineRegionBefore(fusion.getBody(), kernel.getBody(), kernel.end());
  Operation *yield = kernel.getBody().front().getTerminator();
  rewriter.setInsertionPoint(yield);
  rewriter.replaceOpWithNewOp<func::ReturnOp>(yield, yield->getOperands());
  return kernel;
}

namespace {
struct OutlineFusionsPass final
    : dlc::impl::OutlineFusionsBase<OutlineFusionsPass> {
  using Base::Base;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    IRRewriter rewriter(&getContext());
    DenseMap<llvm::hash_code, SmallVector<func::FuncOp>> kernelsByHash;
    SmallVector<FusionOp> fusions;
    getOperation().walk([&](FusionOp op) { fusions.push_back(op); });
    for (FusionOp fusion : fusions) {
      func::FuncOp kernel;
      auto &candidates = kernelsByHash[hashBody(fusion)];
      for (func::FuncOp candidate : candidates)
        if (haveEqualBodies(fusion, candidate))
          kernel = candidate;
      if (!kernel) {
        rewriter.setInsertionPointToStart(getOperation().getBody());
        kernel = createKernel(rewriter, fusion, "kernel");
        symbols.insert(kernel);
        candidates.push_back(kernel);
      }
      rewriter.setInsertionPoint(fusion);
      rewriter.replaceOpWithNewOp<func::CallOp>(fusion, kernel,
                                                fusion.getInputs());
    }
  }

  /// A cheap hash of what two equal bodies have in common: their op names and
  /// operand types.
  static llvm::hash_code hashBody(FusionOp fusion) {
    llvm::hash_code hash = llvm::hash_value(fusion.getNumOperands());
    fusion.getBody().walk([&](Operation *op) {
      hash = llvm::hash_combine(hash, op->getName(), op->getAttrDictionary());
      for (Type type : op->getResultTypes())
        hash = llvm::hash_combine(hash, type);
    });
    return hash;
  }
};
} // namespace
