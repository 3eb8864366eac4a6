//===- Passes.h - DLC conversion passes ------------------------*- C++ -*-===//
//
// Declaration and registration of the passes in Passes.td.
//
//===----------------------------------------------------------------------===//

#ifndef DLC_CONVERSION_PASSES_H
#define DLC_CONVERSION_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::dlc {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "DLC/Conversion/Passes.h.inc"

} // namespace mlir::dlc

#endif // DLC_CONVERSION_PASSES_H
