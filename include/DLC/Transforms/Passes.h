//===- Passes.h - DLC transformation passes --------------------*- C++ -*-===//
//
// Declaration and registration of the passes in Passes.td.
//
//===----------------------------------------------------------------------===//

#ifndef DLC_TRANSFORMS_PASSES_H
#define DLC_TRANSFORMS_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::dlc {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "DLC/Transforms/Passes.h.inc"

} // namespace mlir::dlc

#endif // DLC_TRANSFORMS_PASSES_H
