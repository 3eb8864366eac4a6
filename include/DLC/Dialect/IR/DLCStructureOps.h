//===- DLCStructureOps.h - Structure ops of the DLC dialect -*- C++ -*-===//
//
// The op classes generated from DLCStructureOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef DLC_DIALECT_IR_DLCSTRUCTUREOPS_H
#define DLC_DIALECT_IR_DLCSTRUCTUREOPS_H

#include "DLC/Dialect/IR/DLCDialect.h"

#define GET_OP_CLASSES
#include "DLC/Dialect/IR/DLCStructureOps.h.inc"

#endif // DLC_DIALECT_IR_DLCSTRUCTUREOPS_H
