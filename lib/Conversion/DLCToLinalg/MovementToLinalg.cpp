//===- MovementToLinalg.cpp - Movement ops to linalg
//------------------------===//
//
// Conversion of the ops in DLCMovementOps.td.
//
//===----------------------------------------------------------------------===//

#include "DLC/Conversion/DLCToLinalg/DLCToLinalg.h"

#include "DLC/Dialect/IR/DLCMovementOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mlir::dlc;

void mlir::dlc::populateMovementToLinalgPatterns(RewritePatternSet &patterns) {}
