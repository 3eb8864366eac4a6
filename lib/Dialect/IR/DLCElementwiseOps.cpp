//===- DLCElementwiseOps.cpp - Element-wise ops of the DLC dialect --------===//
//
// Registration. The scalar computations are in DLCElementwiseScalars.cpp, the
// folds in DLCElementwiseFolds.cpp; types and shapes come from the shared
// broadcasting rules.
//
//===----------------------------------------------------------------------===//

#include "DLC/Dialect/IR/DLCElementwiseOps.h"

using namespace mlir;
using namespace mlir::dlc;

#define GET_OP_CLASSES
#include "DLC/Dialect/IR/DLCElementwiseOps.cpp.inc"

void DLCDialect::registerElementwiseOps() {
  addOperations<
#define GET_OP_LIST
#include "DLC/Dialect/IR/DLCElementwiseOps.cpp.inc"
      >();
}
