//===- DLCReductionOps.cpp - Reduction ops of the DLC dialect
//-----------------===//
//
// Type inference, shape reification and verification of the ops in
// DLCReductionOps.td.
//
//===----------------------------------------------------------------------===//

#include "DLC/Dialect/IR/DLCReductionOps.h"

using namespace mlir;
using namespace mlir::dlc;

#define GET_OP_CLASSES
#include "DLC/Dialect/IR/DLCReductionOps.cpp.inc"

void DLCDialect::registerReductionOps() {
  addOperations<
#define GET_OP_LIST
#include "DLC/Dialect/IR/DLCReductionOps.cpp.inc"
      >();
}
