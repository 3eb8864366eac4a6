// Keeps dlc.exp, which the check looks for, and drops what it does not need.
// RUN: dlc-reduce %s -reduction-tree="traversal-mode=0 test=%S/Inputs/has_exp.sh" | FileCheck %s
// CHECK: dlc.exp
// CHECK-NOT: @unrelated
func.func @kept(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = dlc.exp %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @unrelated(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = dlc.add %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
