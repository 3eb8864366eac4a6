// A weight is read where its blob is; results that are a weight, an argument
// or another result are buffers of their own.
// RUN: dlc-run %s --arg iota | FileCheck %s

// CHECK:      y: 2x3xfloat32 = {{\[\[}}1, 3, 5], [7, 9, 11]]
// CHECK-NEXT: result1: 2x3xfloat32 = {{\[\[}}1, 2, 3], [4, 5, 6]]
// CHECK-NEXT: result2: 2x3xfloat32 = {{\[\[}}0, 1, 2], [3, 4, 5]]
// CHECK-NEXT: result3: 2x3xfloat32 = {{\[\[}}1, 3, 5], [7, 9, 11]]
// CHECK-NEXT: result4: int32 = 42
ml_program.global private @w(dense_resource<w> : tensor<2x3xf32>) : tensor<2x3xf32>

func.func @f(%x: tensor<2x3xf32> {dlc.name = "x"})
    -> (tensor<2x3xf32> {dlc.name = "y"}, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, i32) {
  %w = ml_program.global_load_const @w : tensor<2x3xf32>
  %empty = tensor.empty() : tensor<2x3xf32>
  %sum = linalg.add ins(%x, %w : tensor<2x3xf32>, tensor<2x3xf32>)
                    outs(%empty : tensor<2x3xf32>) -> tensor<2x3xf32>
  %answer = arith.constant 42 : i32
  return %sum, %w, %x, %sum, %answer
      : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, i32
}

{-#
  dialect_resources: { builtin: { w: "0x400000000000803F0000004000004040000080400000A0400000C040" } }
#-}
