//===- DLCToLinalg.cpp - The convert-dlc-to-linalg pass -------------------===//
//
// Sets up the conversion target; the patterns are in one file per op family.
//
//===----------------------------------------------------------------------===//

#include "DLC/Conversion/DLCToLinalg/DLCToLinalg.h"

#include "DLC/Conversion/Passes.h"
#include "DLC/Dialect/IR/DLCStructureOps.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/DialectConversion.h"

namespace mlir::dlc {
#define GEN_PASS_DEF_CONVERTDLCTOLINALG
#include "DLC/Conversion/Passes.h.inc"
} // namespace mlir::dlc

using namespace mlir;
using namespace mlir::dlc;

void mlir::dlc::populateDLCToLinalgConversionPatterns(
    RewritePatternSet &patterns) {
  populateElementwiseToLinalgPatterns(patterns);
  populateMovementToLinalgPatterns(patterns);
  populateReductionToLinalgPatterns(patterns);
  populateContractionToLinalgPatterns(patterns);
  populateNNToLinalgPatterns(patterns);
}

static LogicalResult convert(Operation *root,
                             const FrozenRewritePatternSet &patterns) {
  ConversionTarget target(*root->getContext());
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  target.addIllegalDialect<DLCDialect>();
  target.addLegalOp<FusionOp, YieldOp, CheckEqualOp, CheckIndexOp,
                    CheckInBoundsOp>();
  return applyFullConversion(root, target, patterns);
}

LogicalResult mlir::dlc::convertDLCToLinalg(Operation *root) {
  RewritePatternSet patterns(root->getContext());
  populateDLCToLinalgConversionPatterns(patterns);
  return convert(root, std::move(patterns));
}

namespace {
struct ConvertDLCToLinalgPass final
    : dlc::impl::ConvertDLCToLinalgBase<ConvertDLCToLinalgPass> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    populateDLCToLinalgConversionPatterns(set);
    patterns = FrozenRewritePatternSet(std::move(set));
    return success();
  }

  void runOnOperation() override {
    if (failed(convert(getOperation(), patterns)))
      signalPassFailure();
  }

  FrozenRewritePatternSet patterns;
};
} // namespace
