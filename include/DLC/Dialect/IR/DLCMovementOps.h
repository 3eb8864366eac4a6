//===- DLCMovementOps.h - Movement ops of the DLC dialect -*- C++ -*-===//
//
// The op classes generated from DLCMovementOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef DLC_DIALECT_IR_DLCMOVEMENTOPS_H
#define DLC_DIALECT_IR_DLCMOVEMENTOPS_H

#include "DLC/Dialect/IR/DLCDialect.h"

#define GET_OP_CLASSES
#include "DLC/Dialect/IR/DLCMovementOps.h.inc"

#endif // DLC_DIALECT_IR_DLCMOVEMENTOPS_H
