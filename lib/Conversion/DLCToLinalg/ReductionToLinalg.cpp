//===- ReductionToLinalg.cpp - Reduction ops to linalg
//------------------------===//
//
// Conversion of the ops in DLCReductionOps.td.
//
//===----------------------------------------------------------------------===//

#include "DLC/Conversion/DLCToLinalg/DLCToLinalg.h"

#include "DLC/Dialect/IR/DLCReductionOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mlir::dlc;

void mlir::dlc::populateReductionToLinalgPatterns(RewritePatternSet &patterns) {
}
