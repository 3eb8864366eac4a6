//===- DLCNNOps.cpp - NN ops of the DLC dialect -----------------===//
//
// Type inference, shape reification and verification of the ops in DLCNNOps.td.
//
//===----------------------------------------------------------------------===//

#include "DLC/Dialect/IR/DLCNNOps.h"

using namespace mlir;
using namespace mlir::dlc;

#define GET_OP_CLASSES
#include "DLC/Dialect/IR/DLCNNOps.cpp.inc"

void DLCDialect::registerNNOps() {
  addOperations<
#define GET_OP_LIST
#include "DLC/Dialect/IR/DLCNNOps.cpp.inc"
      >();
}
