//===- NNToLinalg.cpp - NN ops to linalg ----------------------------------===//
//
// Gathers the conversions of the ops in DLCNNOps.td, one file per group.
//
//===----------------------------------------------------------------------===//

#include "DLC/Conversion/DLCToLinalg/DLCToLinalg.h"

#include "WindowLowering.h"

using namespace mlir;
using namespace mlir::dlc;

void mlir::dlc::populateNNToLinalgPatterns(RewritePatternSet &patterns) {
  populateNormToLinalgPatterns(patterns);
  populateAttentionToLinalgPatterns(patterns);
  populateResizeToLinalgPatterns(patterns);
}
