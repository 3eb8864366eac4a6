//===- Values.h - Elements as numbers --------------------------*- C++ -*-===//
//
// Makes, prints and compares tensors of any dtype.
//
//===----------------------------------------------------------------------===//

#ifndef DLC_TOOLS_DLCRUN_VALUES_H
#define DLC_TOOLS_DLCRUN_VALUES_H

#include "DLC/Execution/Executable.h"

namespace mlir::dlc {

/// Makes the value of one --arg for `info`. Errors say what was expected.
llvm::Expected<Tensor> makeArgument(StringRef text, const ArgumentInfo &info,
                                    unsigned seed);

/// "2x3xf32" of `tensor`.
std::string printType(const TensorView &tensor);

/// Prints the type and the values, or their range when there are many.
void printTensor(raw_ostream &stream, const TensorView &tensor);

/// Compares row-major tensors element by element. Returns "" when all of `got`
/// are near enough to `want`, else a text with the worst element.
std::string compareTensors(const TensorView &got, const TensorView &want,
                           std::optional<double> rtol,
                           std::optional<double> atol);

} // namespace mlir::dlc

#endif // DLC_TOOLS_DLCRUN_VALUES_H
