//===- DLCOps.td - All operations of DLC -------------------*- tablegen -*-===//
//
// Every op family in one file, for the documentation generator. C++ includes the families.
//
//===----------------------------------------------------------------------===//

include "DLC/Dialect/IR/DLCStructureOps.td"
include "DLC/Dialect/IR/DLCElementwiseOps.td"
include "DLC/Dialect/IR/DLCCastOps.td"
include "DLC/Dialect/IR/DLCMovementOps.td"
include "DLC/Dialect/IR/DLCReductionOps.td"
include "DLC/Dialect/IR/DLCContractionOps.td"
include "DLC/Dialect/IR/DLCNNOps.td"
