//===- ContractionToLinalg.cpp - Contraction ops to linalg
//------------------------===//
//
// Conversion of the ops in DLCContractionOps.td.
//
//===----------------------------------------------------------------------===//

#include "DLC/Conversion/DLCToLinalg/DLCToLinalg.h"

#include "DLC/Dialect/IR/DLCContractionOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mlir::dlc;

void mlir::dlc::populateContractionToLinalgPatterns(
    RewritePatternSet &patterns) {}
