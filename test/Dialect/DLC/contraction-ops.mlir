// RUN: dlc-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: func.func @matmul_transposed(
// CHECK-SAME:    %[[A:.+]]: tensor<?x64xf32>, %[[B:.+]]: tensor<32x64xf32>
func.func @matmul_transposed(%a: tensor<?x64xf32>, %b: tensor<32x64xf32>) -> tensor<?x32xf32> {
  // CHECK: dlc.matmul %[[A]], %[[B]] {transpose_b = true}
  %c = dlc.matmul %a, %b {transpose_b = true}
     : (tensor<?x64xf32>, tensor<32x64xf32>) -> tensor<?x32xf32>
  return %c : tensor<?x32xf32>
}

// CHECK-LABEL: func.func @matmul_vectors(
func.func @matmul_vectors(%a: tensor<?xf16>, %b: tensor<?xf16>) -> tensor<f32> {
  // CHECK: dlc.matmul {{.*}} -> tensor<f32>
  %c = dlc.matmul %a, %b : (tensor<?xf16>, tensor<?xf16>) -> tensor<f32>
  return %c : tensor<f32>
}

// CHECK-LABEL: func.func @matmul_batch_broadcast(
func.func @matmul_batch_broadcast(%a: tensor<4x1x2x3xi8>, %b: tensor<5x3x6xi8>) -> tensor<4x5x2x6xi32> {
  // CHECK: dlc.matmul {{.*}} {unsigned_a}
  %c = dlc.matmul %a, %b {unsigned_a} : (tensor<4x1x2x3xi8>, tensor<5x3x6xi8>) -> tensor<4x5x2x6xi32>
  return %c : tensor<4x5x2x6xi32>
}

// CHECK-LABEL: func.func @dot_general(
func.func @dot_general(%q: tensor<8x?x64xf32>, %k: tensor<8x?x64xf32>) -> tensor<8x?x?xf32> {
  // CHECK: dlc.dot_general {{.*}} batch = [0] x [0] contract = [2] x [2] :
  %c = dlc.dot_general %q, %k batch = [0] x [0] contract = [2] x [2]
     : (tensor<8x?x64xf32>, tensor<8x?x64xf32>) -> tensor<8x?x?xf32>
  return %c : tensor<8x?x?xf32>
}

// CHECK-LABEL: func.func @dot_general_outer_product(
func.func @dot_general_outer_product(%a: tensor<2xf32>, %b: tensor<3xf32>) -> tensor<2x3xf32> {
  // CHECK: dlc.dot_general %{{.+}}, %{{.+}} :
  %c = dlc.dot_general %a, %b : (tensor<2xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %c : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @conv_strided(
func.func @conv_strided(%x: tensor<?x3x224x224xf32>, %w: tensor<64x3x3x3xf32>) -> tensor<?x64x112x112xf32> {
  // CHECK: dlc.conv {{.*}} strides = [2, 2] pads = [1, 1, 1, 1] :
  %y = dlc.conv %x, %w strides = [2, 2] pads = [1, 1, 1, 1]
     : (tensor<?x3x224x224xf32>, tensor<64x3x3x3xf32>) -> tensor<?x64x112x112xf32>
  return %y : tensor<?x64x112x112xf32>
}

// CHECK-LABEL: func.func @conv_depthwise_1d(
func.func @conv_depthwise_1d(%x: tensor<2x8x?xf32>, %w: tensor<8x1x3xf32>) -> tensor<2x8x?xf32> {
  // CHECK: dlc.conv {{.*}} dilations = [2] {groups = 8 : i64}
  %y = dlc.conv %x, %w dilations = [2] {groups = 8}
     : (tensor<2x8x?xf32>, tensor<8x1x3xf32>) -> tensor<2x8x?xf32>
  return %y : tensor<2x8x?xf32>
}

// CHECK-LABEL: func.func @conv_channels_last(
func.func @conv_channels_last(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x16xf32>) -> tensor<1x13x13x16xf32> {
  // CHECK: dlc.conv {{.*}} input_dilations = [2, 2] {channels_last = true}
  %y = dlc.conv %x, %w input_dilations = [2, 2] {channels_last = true}
     : (tensor<1x8x8x4xf32>, tensor<3x3x4x16xf32>) -> tensor<1x13x13x16xf32>
  return %y : tensor<1x13x13x16xf32>
}

// The kernel does not fit: the result is empty.
// CHECK-LABEL: func.func @conv_kernel_too_large(
func.func @conv_kernel_too_large(%x: tensor<1x4x2xf32>, %w: tensor<4x4x5xf32>) -> tensor<1x4x0xf32> {
  // CHECK: dlc.conv {{.*}} -> tensor<1x4x0xf32>
  %y = dlc.conv %x, %w : (tensor<1x4x2xf32>, tensor<4x4x5xf32>) -> tensor<1x4x0xf32>
  return %y : tensor<1x4x0xf32>
}

// CHECK-LABEL: func.func @conv_transpose(
func.func @conv_transpose(%x: tensor<1x8x2x2xf32>, %w: tensor<8x4x3x3xf32>) -> tensor<1x4x4x4xf32> {
  // CHECK: dlc.conv_transpose {{.*}} strides = [2, 2] pads = [1, 1, 1, 1] output_padding = [1, 1] :
  %y = dlc.conv_transpose %x, %w strides = [2, 2] pads = [1, 1, 1, 1] output_padding = [1, 1]
     : (tensor<1x8x2x2xf32>, tensor<8x4x3x3xf32>) -> tensor<1x4x4x4xf32>
  return %y : tensor<1x4x4x4xf32>
}

// CHECK-LABEL: func.func @reduce_window(
func.func @reduce_window(%x: tensor<?x64x112x112xf32>) -> tensor<?x64x56x56xf32> {
  // CHECK: dlc.reduce_window max %{{.+}} window = [3, 3] strides = [2, 2] pads = [1, 1, 1, 1] :
  %y = dlc.reduce_window max %x window = [3, 3] strides = [2, 2] pads = [1, 1, 1, 1]
     : (tensor<?x64x112x112xf32>) -> tensor<?x64x56x56xf32>
  return %y : tensor<?x64x56x56xf32>
}

// A window that would start in the high padding is left out.
// CHECK-LABEL: func.func @reduce_window_ceil(
func.func @reduce_window_ceil(%x: tensor<1x1x4xf32>, %z: tensor<1x1x6xf32>) -> (tensor<1x1x2xf32>, tensor<1x1x4xf32>) {
  // CHECK: dlc.reduce_window mean {{.*}} {ceil_mode = true, count_include_pad = true}
  %y = dlc.reduce_window mean %x window = [1] strides = [3] pads = [0, 1] {ceil_mode = true, count_include_pad = true}
     : (tensor<1x1x4xf32>) -> tensor<1x1x2xf32>
  %u = dlc.reduce_window sum %z window = [3] strides = [2] pads = [1, 1] {ceil_mode = true}
     : (tensor<1x1x6xf32>) -> tensor<1x1x4xf32>
  return %y, %u : tensor<1x1x2xf32>, tensor<1x1x4xf32>
}

// CHECK-LABEL: func.func @window_arg_max(
func.func @window_arg_max(%x: tensor<1x3x8x8xf32>) -> (tensor<1x3x4x4xf32>, tensor<1x3x4x4xi64>) {
  // CHECK: dlc.window_arg_max %{{.+}} window = [2, 2] strides = [2, 2] :
  %v, %i = dlc.window_arg_max %x window = [2, 2] strides = [2, 2]
     : (tensor<1x3x8x8xf32>) -> (tensor<1x3x4x4xf32>, tensor<1x3x4x4xi64>)
  return %v, %i : tensor<1x3x4x4xf32>, tensor<1x3x4x4xi64>
}
