//===- DLCNNOps.h - NN ops of the DLC dialect -*- C++ -*-===//
//
// The op classes generated from DLCNNOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef DLC_DIALECT_IR_DLCNNOPS_H
#define DLC_DIALECT_IR_DLCNNOPS_H

#include "DLC/Dialect/IR/DLCDialect.h"

#define GET_OP_CLASSES
#include "DLC/Dialect/IR/DLCNNOps.h.inc"

#endif // DLC_DIALECT_IR_DLCNNOPS_H
