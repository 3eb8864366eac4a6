//===- DLCDialect.cpp - The DLC dialect -----------------------------------===//
//
// Registration of ops and attributes, and constant materialization.
//
//===----------------------------------------------------------------------===//

#include "DLC/Dialect/IR/DLCDialect.h"

#include "DLCBytecode.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::dlc;

#include "DLC/Dialect/IR/DLCDialect.cpp.inc"
#include "DLC/Dialect/IR/DLCEnums.cpp.inc"
#include "DLC/Dialect/IR/DLCInterfaces.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "DLC/Dialect/IR/DLCAttrs.cpp.inc"

void DLCDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "DLC/Dialect/IR/DLCAttrs.cpp.inc"
      >();
}

void DLCDialect::initialize() {
  addBytecodeInterface(this);
  registerAttributes();
  registerStructureOps();
  registerElementwiseOps();
  registerCastOps();
  registerMovementOps();
  registerReductionOps();
  registerContractionOps();
  registerNNOps();
}

Operation *DLCDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                           Type type, Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}
