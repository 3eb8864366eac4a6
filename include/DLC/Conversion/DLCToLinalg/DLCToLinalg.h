//===- DLCToLinalg.h - Conversion of dlc ops to linalg ---------*- C++ -*-===//
//
// The patterns of `convert-dlc-to-linalg`, one populate function per op family.
//
//===----------------------------------------------------------------------===//

#ifndef DLC_CONVERSION_DLCTOLINALG_DLCTOLINALG_H
#define DLC_CONVERSION_DLCTOLINALG_DLCTOLINALG_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::dlc {

/// Converts every dlc op under `root` except fusions, yields and checks. Emits
/// an error and fails if one cannot be converted.
LogicalResult convertDLCToLinalg(Operation *root);

/// Every pattern below.
void populateDLCToLinalgConversionPatterns(RewritePatternSet &patterns);

/// Ops with ElementwiseOpInterface -> one linalg.generic each.
void populateElementwiseToLinalgPatterns(RewritePatternSet &patterns);
/// Quantization and back; part of the element-wise patterns.
void populateQuantizationToLinalgPatterns(RewritePatternSet &patterns);
/// Shape changes, slices, pads, gathers, scatters, generators.
void populateMovementToLinalgPatterns(RewritePatternSet &patterns);
/// Reductions, arg-reductions, scans, sorts.
void populateReductionToLinalgPatterns(RewritePatternSet &patterns);
/// Dot products, convolutions, window reductions.
void populateContractionToLinalgPatterns(RewritePatternSet &patterns);
/// Softmax, norms, attention, resize, quantization.
void populateNNToLinalgPatterns(RewritePatternSet &patterns);

} // namespace mlir::dlc

#endif // DLC_CONVERSION_DLCTOLINALG_DLCTOLINALG_H
