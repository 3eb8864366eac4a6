//===- Passes.td - DLC conversion passes -------------------*- tablegen -*-===//
//
// All passes that change the dialect of a program.
//
//===----------------------------------------------------------------------===//

#ifndef DLC_CONVERSION_PASSES_TD
#define DLC_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertDLCToLinalg : Pass<"convert-dlc-to-linalg"> {
  let summary = "Convert dlc ops to linalg on tensors";
  let description = [{
    Pre-condition: any module. Post-condition: no `dlc` op remains except `dlc.fusion`, `dlc.yield`
    and the run-time checks, whose bodies are converted, or the pass fails and names the op.

    **Example**
    ```mlir
    %0 = dlc.add %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
    becomes a `linalg.generic` over `tensor.empty` whose body is `arith.addf`.

    It does not fuse, tile or change the order of computations.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

#endif // DLC_CONVERSION_PASSES_TD
