// RUN: dlc-opt %s --split-input-file --verify-diagnostics

// C1: one block argument per operand, of the same type.
func.func @argument_type(%x: tensor<4xf32>) {
  // expected-error @below {{'dlc.fusion' op expected the block arguments to have the types of the 1 operands}}
  dlc.fusion(%x : tensor<4xf32>) {
  ^bb0(%a: tensor<5xf32>):
    dlc.yield
  }
  return
}

// -----

// C2: the yield gives the results.
func.func @yield_type(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = dlc.fusion(%x : tensor<4xf32>) -> (tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    // expected-error @below {{'dlc.yield' op expected to yield the types of the 1 results of 'dlc.fusion'}}
    dlc.yield
  }
  return %0 : tensor<4xf32>
}
