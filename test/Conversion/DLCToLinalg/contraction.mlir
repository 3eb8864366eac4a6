// RUN: dlc-opt %s --split-input-file --convert-dlc-to-linalg | FileCheck %s

// CHECK-DAG: #[[$A:.+]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[$B:.+]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-DAG: #[[$C:.+]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func @matmul_transposed_half(
// CHECK-SAME:    %[[LHS:.+]]: tensor<?x64xf16>, %[[RHS:.+]]: tensor<32x64xf16>
func.func @matmul_transposed_half(%a: tensor<?x64xf16>, %b: tensor<32x64xf16>) -> tensor<?x32xf16> {
  // CHECK:      %[[ZEROS:.+]] = linalg.fill {{.*}} -> tensor<?x32xf32>
  // CHECK:      %[[SUM:.+]] = linalg.generic {indexing_maps = [#[[$A]], #[[$B]], #[[$C]]]
  // CHECK-SAME:   ["parallel", "parallel", "reduction"]} ins(%[[LHS]], %[[RHS]] : {{.*}}) outs(%[[ZEROS]]
  // CHECK-DAG:    %[[X:.+]] = arith.extf %{{.+}} : f16 to f32
  // CHECK-DAG:    %[[Y:.+]] = arith.extf %{{.+}} : f16 to f32
  // CHECK:        %[[PRODUCT:.+]] = arith.mulf %[[X]], %[[Y]] fastmath<reassoc,contract>
  // CHECK:        arith.addf %{{.+}}, %[[PRODUCT]] fastmath<reassoc,contract>
  // CHECK:      linalg.generic {{.*}} ins(%[[SUM]] : tensor<?x32xf32>)
  // CHECK:        arith.truncf
  %c = dlc.matmul %a, %b {transpose_b = true} : (tensor<?x64xf16>, tensor<32x64xf16>) -> tensor<?x32xf16>
  return %c : tensor<?x32xf16>
}

// -----

// CHECK-LABEL: func.func @matmul_checks_dynamic_sizes(
func.func @matmul_checks_dynamic_sizes(%a: tensor<?x?x?xf32>, %b: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  // CHECK: dlc.check_equal {{.*}} "'dlc.matmul' op expected batch dimension 0 of 'a' and 'b' to be equal"
  // CHECK: dlc.check_equal {{.*}} "'dlc.matmul' op expected the contracted dimensions of 'a' and 'b' to be equal"
  %c = dlc.matmul %a, %b : (tensor<?x?x?xf32>, tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %c : tensor<?x?x?xf32>
}

// -----

// The broadcast batch is the constant 0 in the map.
// CHECK-DAG: #[[$A:.+]] = affine_map<(d0, d1, d2, d3) -> (0, d1, d3)>
// CHECK-LABEL: func.func @matmul_broadcast_integers(
func.func @matmul_broadcast_integers(%a: tensor<1x2x3xi8>, %b: tensor<?x3x4xi8>) -> tensor<?x2x4xi32> {
  // CHECK-NOT: dlc.check_equal
  // CHECK:     linalg.generic {indexing_maps = [#[[$A]],
  // CHECK-DAG:   arith.extui %{{.+}} : i8 to i32
  // CHECK-DAG:   arith.extsi %{{.+}} : i8 to i32
  // CHECK:       arith.muli
  // CHECK:       arith.addi
  %c = dlc.matmul %a, %b {unsigned_a} : (tensor<1x2x3xi8>, tensor<?x3x4xi8>) -> tensor<?x2x4xi32>
  return %c : tensor<?x2x4xi32>
}

// -----

// A sum over nothing is zero.
// CHECK-LABEL: func.func @matmul_empty_sum(
func.func @matmul_empty_sum(%a: tensor<2x0xf32>, %b: tensor<0x3xf32>) -> tensor<2x3xf32> {
  // CHECK:     %[[ZEROS:.+]] = linalg.fill
  // CHECK-NOT: linalg.generic
  // CHECK:     return %[[ZEROS]]
  %c = dlc.matmul %a, %b : (tensor<2x0xf32>, tensor<0x3xf32>) -> tensor<2x3xf32>
  return %c : tensor<2x3xf32>
}

// -----

// CHECK-DAG: #[[$X:.+]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d4, d2 * 2 + d5, d3 + d6 * 3)>
// CHECK-DAG: #[[$W:.+]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d5, d6)>
// CHECK-LABEL: func.func @conv(
func.func @conv(%x: tensor<?x3x8x9xf32>, %w: tensor<4x3x3x2xf32>) -> tensor<?x4x4x6xf32> {
  // CHECK-NOT: dlc.check_equal
  // CHECK:     %[[PADDED:.+]] = tensor.pad %{{.+}} low[0, 0, 1, 0] high[0, 0, 0, 0]
  // CHECK:     linalg.generic {indexing_maps = [#[[$X]], #[[$W]], #{{.+}}], iterator_types =
  // CHECK-SAME:  ins(%[[PADDED]],
  %y = dlc.conv %x, %w strides = [2, 1] pads = [1, 0, 0, 0] dilations = [1, 3]
     : (tensor<?x3x8x9xf32>, tensor<4x3x3x2xf32>) -> tensor<?x4x4x6xf32>
  return %y : tensor<?x4x4x6xf32>
}

// -----

// One channel and one output per group: no reshape.
// CHECK-DAG: #[[$X:.+]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2 + d3)>
// CHECK-DAG: #[[$W:.+]] = affine_map<(d0, d1, d2, d3) -> (d1, 0, d3)>
// CHECK-LABEL: func.func @conv_depthwise(
func.func @conv_depthwise(%x: tensor<2x8x9xf32>, %w: tensor<8x1x3xf32>) -> tensor<2x8x7xf32> {
  // CHECK-NOT: tensor.expand_shape
  // CHECK-NOT: tensor.pad
  // CHECK:     linalg.generic {indexing_maps = [#[[$X]], #[[$W]],
  %y = dlc.conv %x, %w {groups = 8} : (tensor<2x8x9xf32>, tensor<8x1x3xf32>) -> tensor<2x8x7xf32>
  return %y : tensor<2x8x7xf32>
}

// -----

// CHECK-LABEL: func.func @conv_grouped(
func.func @conv_grouped(%x: tensor<2x?x9xf32>, %w: tensor<8x3x3xf32>) -> tensor<2x8x7xf32> {
  // CHECK: dlc.check_equal {{.*}} "'dlc.conv' op expected the channels of 'x' and groups times
  // CHECK: tensor.cast {{.*}} tensor<2x?x9xf32> to tensor<2x6x9xf32>
  // CHECK: tensor.expand_shape {{.*}} into tensor<2x2x3x9xf32>
  // CHECK: tensor.expand_shape {{.*}} tensor<8x3x3xf32> into tensor<2x4x3x3xf32>
  // CHECK: linalg.generic
  // CHECK: tensor.collapse_shape {{.*}} into tensor<2x8x7xf32>
  %y = dlc.conv %x, %w {groups = 2} : (tensor<2x?x9xf32>, tensor<8x3x3xf32>) -> tensor<2x8x7xf32>
  return %y : tensor<2x8x7xf32>
}

// -----

// CHECK-LABEL: func.func @conv_transpose(
func.func @conv_transpose(%x: tensor<1x2x3xf32>, %w: tensor<2x4x3xf32>) -> tensor<1x4x7xf32> {
  // The weights are reversed, the input is spread with zeros.
  // CHECK: linalg.generic
  // CHECK:   tensor.extract
  // CHECK: tensor.insert_slice %{{.+}} into %{{.+}}[0, 0, 2] [1, 2, 3] [1, 1, 2]
  // CHECK: linalg.generic
  // CHECK:   arith.addf
  %y = dlc.conv_transpose %x, %w strides = [2] : (tensor<1x2x3xf32>, tensor<2x4x3xf32>) -> tensor<1x4x7xf32>
  return %y : tensor<1x4x7xf32>
}

// -----

// CHECK-DAG: #[[$X:.+]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2 * 2 + d3)>
// CHECK-DAG: #[[$K:.+]] = affine_map<(d0, d1, d2, d3) -> (d3)>
// CHECK-LABEL: func.func @max_pool(
func.func @max_pool(%x: tensor<1x2x9xf32>) -> tensor<1x2x5xf32> {
  // Padding does not take part.
  // CHECK: arith.constant 0xFF800000 : f32
  // CHECK: tensor.pad %{{.+}} low[0, 0, 1] high[0, 0, 1]
  // CHECK: linalg.generic {indexing_maps = [#[[$X]], #[[$K]],
  // CHECK:   arith.maximumf
  %y = dlc.reduce_window max %x window = [3] strides = [2] pads = [1, 1] : (tensor<1x2x9xf32>) -> tensor<1x2x5xf32>
  return %y : tensor<1x2x5xf32>
}

// -----

// CHECK-LABEL: func.func @mean_pool_half(
func.func @mean_pool_half(%x: tensor<1x2x9xf16>) -> tensor<1x2x3xf16> {
  // CHECK: %[[CELLS:.+]] = arith.constant 3.000000e+00 : f32
  // CHECK: arith.divf %{{.+}}, %[[CELLS]] : f32
  // CHECK: arith.truncf
  %y = dlc.reduce_window mean %x window = [3] strides = [3] : (tensor<1x2x9xf16>) -> tensor<1x2x3xf16>
  return %y : tensor<1x2x3xf16>
}

// -----

// CHECK-LABEL: func.func @arg_max(
func.func @arg_max(%x: tensor<1x2x?xf32>) -> (tensor<1x2x?xf32>, tensor<1x2x?xi64>) {
  // CHECK: %[[R:.+]]:2 = linalg.generic
  // CHECK: return %[[R]]#0, %[[R]]#1
  %v, %i = dlc.window_arg_max %x window = [2] : (tensor<1x2x?xf32>) -> (tensor<1x2x?xf32>, tensor<1x2x?xi64>)
  return %v, %i : tensor<1x2x?xf32>, tensor<1x2x?xi64>
}
