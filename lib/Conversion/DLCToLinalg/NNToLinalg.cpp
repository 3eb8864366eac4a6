//===- NNToLinalg.cpp - NN ops to linalg ------------------------===//
//
// Conversion of the ops in DLCNNOps.td.
//
//===----------------------------------------------------------------------===//

#include "DLC/Conversion/DLCToLinalg/DLCToLinalg.h"

#include "DLC/Dialect/IR/DLCNNOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mlir::dlc;

void mlir::dlc::populateNNToLinalgPatterns(RewritePatternSet &patterns) {}
