//===- DLCContractionOps.h - Contraction ops of the DLC dialect -*- C++ -*-===//
//
// The op classes generated from DLCContractionOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef DLC_DIALECT_IR_DLCCONTRACTIONOPS_H
#define DLC_DIALECT_IR_DLCCONTRACTIONOPS_H

#include "DLC/Dialect/IR/DLCDialect.h"

#define GET_OP_CLASSES
#include "DLC/Dialect/IR/DLCContractionOps.h.inc"

#endif // DLC_DIALECT_IR_DLCCONTRACTIONOPS_H
