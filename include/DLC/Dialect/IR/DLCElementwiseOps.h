//===- DLCElementwiseOps.h - Elementwise ops of the DLC dialect -*- C++ -*-===//
//
// The op classes generated from DLCElementwiseOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef DLC_DIALECT_IR_DLCELEMENTWISEOPS_H
#define DLC_DIALECT_IR_DLCELEMENTWISEOPS_H

#include "DLC/Dialect/IR/DLCDialect.h"

#define GET_OP_CLASSES
#include "DLC/Dialect/IR/DLCElementwiseOps.h.inc"

#endif // DLC_DIALECT_IR_DLCELEMENTWISEOPS_H
