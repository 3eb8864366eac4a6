//===- DLCMovementOps.cpp - Movement ops of the DLC dialect
//-----------------===//
//
// Type inference, shape reification and verification of the ops in
// DLCMovementOps.td.
//
//===----------------------------------------------------------------------===//

#include "DLC/Dialect/IR/DLCMovementOps.h"

using namespace mlir;
using namespace mlir::dlc;

#define GET_OP_CLASSES
#include "DLC/Dialect/IR/DLCMovementOps.cpp.inc"

void DLCDialect::registerMovementOps() {
  addOperations<
#define GET_OP_LIST
#include "DLC/Dialect/IR/DLCMovementOps.cpp.inc"
      >();
}
