//===- DLCCastOps.h - Cast ops of the DLC dialect -*- C++ -*-===//
//
// The op classes generated from DLCCastOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef DLC_DIALECT_IR_DLCCASTOPS_H
#define DLC_DIALECT_IR_DLCCASTOPS_H

#include "DLC/Dialect/IR/DLCDialect.h"

#define GET_OP_CLASSES
#include "DLC/Dialect/IR/DLCCastOps.h.inc"

#endif // DLC_DIALECT_IR_DLCCASTOPS_H
