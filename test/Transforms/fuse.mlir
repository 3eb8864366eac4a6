// RUN: dlc-opt %s --dlc-fuse --split-input-file --remarks-filter="dlc-.*" --verify-diagnostics | FileCheck %s
// A second run is a no-op.
// RUN: dlc-opt %s --dlc-fuse --split-input-file > %t.once
// RUN: dlc-opt %s --dlc-fuse --dlc-fuse --split-input-file | diff - %t.once

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>

// No dlc op: bias and relu join the product; the zero fill moves inside, the
// destination stays outside.
// CHECK-LABEL: func.func @matmul_bias_relu(
// CHECK:         %[[OUT:.+]] = tensor.empty() : tensor<4x16xf32>
// CHECK:         dlc.fusion(%[[OUT]], {{.*}}) -> (tensor<4x16xf32>) {
// CHECK:           linalg.fill
// CHECK:           linalg.matmul
// CHECK:           linalg.generic
// CHECK:             arith.addf
// CHECK:             arith.maximumf
// CHECK:           dlc.yield
// CHECK-NOT:     linalg
func.func @matmul_bias_relu(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %bias: tensor<16xf32>) -> tensor<4x16xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x16xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x16xf32>) -> tensor<4x16xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x16xf32>) outs(%init : tensor<4x16xf32>) -> tensor<4x16xf32>
  %1 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0, %bias : tensor<4x16xf32>, tensor<16xf32>) outs(%empty : tensor<4x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %3 = arith.addf %a, %b : f32
    linalg.yield %3 : f32
  } -> tensor<4x16xf32>
  // expected-remark @below {{fused with the contraction that it consumes}}
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%1 : tensor<4x16xf32>) outs(%empty : tensor<4x16xf32>) {
  ^bb0(%a: f32, %c: f32):
    %3 = arith.maximumf %a, %zero : f32
    linalg.yield %3 : f32
  } -> tensor<4x16xf32>
  return %2 : tensor<4x16xf32>
}

// -----

// dlc ops are converted first.
// CHECK-LABEL: func.func @dlc_chain(
// CHECK:         dlc.fusion
// CHECK-COUNT-2:   arith.addf
// CHECK-NOT:     dlc.fusion
func.func @dlc_chain(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = dlc.add %x, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %1 = dlc.add %0, %0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>

// The product is also returned, so that it has to be stored.
// CHECK-LABEL: func.func @negative_result_escapes(
// CHECK-COUNT-2: dlc.fusion
func.func @negative_result_escapes(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %init: tensor<4x16xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>) {
  %0 = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x16xf32>) outs(%init : tensor<4x16xf32>) -> tensor<4x16xf32>
  %empty = tensor.empty() : tensor<4x16xf32>
  // expected-remark @below {{not fused with its contraction: the result has other uses}}
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<4x16xf32>) outs(%empty : tensor<4x16xf32>) {
  ^bb0(%a: f32, %c: f32):
    %3 = arith.negf %a : f32
    linalg.yield %3 : f32
  } -> tensor<4x16xf32>
  return %0, %1 : tensor<4x16xf32>, tensor<4x16xf32>
}
