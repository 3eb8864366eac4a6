//===- DLCContractionOps.cpp - Contraction ops of the DLC dialect
//-----------------===//
//
// Type inference, shape reification and verification of the ops in
// DLCContractionOps.td.
//
//===----------------------------------------------------------------------===//

#include "DLC/Dialect/IR/DLCContractionOps.h"

using namespace mlir;
using namespace mlir::dlc;

#define GET_OP_CLASSES
#include "DLC/Dialect/IR/DLCContractionOps.cpp.inc"

void DLCDialect::registerContractionOps() {
  addOperations<
#define GET_OP_LIST
#include "DLC/Dialect/IR/DLCContractionOps.cpp.inc"
      >();
}
