//===- TensorToC.h - Views in the form of the C interface ------*- C++ -*-===//
//
// Private to lib/Execution.
//
//===----------------------------------------------------------------------===//

#ifndef DLC_LIB_EXECUTION_TENSORTOC_H
#define DLC_LIB_EXECUTION_TENSORTOC_H

#include "DLC/Execution/Tensor.h"
#include "DLC/Runtime/Library.h"

namespace mlir::dlc {

/// `view` as the runtime takes it. It still belongs to its owner.
dlc_tensor toC(const TensorView &view);

} // namespace mlir::dlc

#endif // DLC_LIB_EXECUTION_TENSORTOC_H
