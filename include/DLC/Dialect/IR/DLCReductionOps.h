//===- DLCReductionOps.h - Reduction ops of the DLC dialect -*- C++ -*-===//
//
// The op classes generated from DLCReductionOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef DLC_DIALECT_IR_DLCREDUCTIONOPS_H
#define DLC_DIALECT_IR_DLCREDUCTIONOPS_H

#include "DLC/Dialect/IR/DLCDialect.h"

#define GET_OP_CLASSES
#include "DLC/Dialect/IR/DLCReductionOps.h.inc"

#endif // DLC_DIALECT_IR_DLCREDUCTIONOPS_H
