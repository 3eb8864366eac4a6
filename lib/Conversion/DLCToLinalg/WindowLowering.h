//===- WindowLowering.h - Padding for windowed ops -------------*- C++ -*-===//
//
// The padding of spatial dimensions that convolutions and window reductions
// share, and the populate functions of their files.
//
//===----------------------------------------------------------------------===//

#ifndef DLC_LIB_CONVERSION_DLCTOLINALG_WINDOWLOWERING_H
#define DLC_LIB_CONVERSION_DLCTOLINALG_WINDOWLOWERING_H

#include "DLC/Dialect/IR/DLCWindow.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::dlc {

/// Convolutions to one linalg.generic each.
void populateConvToLinalgPatterns(RewritePatternSet &patterns);
/// Window reductions to linalg.generic.
void populateWindowToLinalgPatterns(RewritePatternSet &patterns);
/// Softmax and the normalisations.
void populateNormToLinalgPatterns(RewritePatternSet &patterns);
void populateAttentionToLinalgPatterns(RewritePatternSet &patterns);
void populateResizeToLinalgPatterns(RewritePatternSet &patterns);

/// `tensor` with `low[i]`, `high[i]` elements of `value` around dimension
/// `firstDim + i`. All amounts are at least 0. Returns `tensor` if they are
/// known to be 0.
Value padSpatialDims(OpBuilder &builder, Location loc, Value tensor,
                     int64_t firstDim, ArrayRef<OpFoldResult> low,
                     ArrayRef<OpFoldResult> high, TypedAttr value);

} // namespace mlir::dlc

#endif // DLC_LIB_CONVERSION_DLCTOLINALG_WINDOWLOWERING_H
