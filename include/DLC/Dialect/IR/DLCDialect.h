//===- DLCDialect.h - The DLC dialect, its enums and attributes -*- C++ -*-===//
//
// Declares the dialect class and everything that the op families share.
//
//===----------------------------------------------------------------------===//

#ifndef DLC_DIALECT_IR_DLCDIALECT_H
#define DLC_DIALECT_IR_DLCDIALECT_H

#include "DLC/Dialect/IR/DLCShapeUtils.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "DLC/Dialect/IR/DLCDialect.h.inc"
#include "DLC/Dialect/IR/DLCEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "DLC/Dialect/IR/DLCAttrs.h.inc"
#include "DLC/Dialect/IR/DLCInterfaces.h.inc"

#endif // DLC_DIALECT_IR_DLCDIALECT_H
