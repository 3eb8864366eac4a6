// RUN: dlc-opt %s --split-input-file --verify-diagnostics

func.func @matmul_k(%a: tensor<2x3xf32>, %b: tensor<4x5xf32>) {
  // expected-error @below {{'dlc.matmul' op expected the contracted dimension (dim 0) of 'b' to be 3 as in 'a', but got 4}}
  // expected-error @below {{failed to infer returned types}}
  %0 = dlc.matmul %a, %b : (tensor<2x3xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @matmul_rank(%a: tensor<3xf32>, %b: tensor<3x5xf32>) {
  // expected-error @below {{'dlc.matmul' op expected the rank of 'a' to be at least 2, but got 1}}
  // expected-error @below {{failed to infer returned types}}
  %0 = dlc.matmul %a, %b {transpose_a = true} : (tensor<3xf32>, tensor<3x5xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @matmul_narrow(%a: tensor<2x3xi32>, %b: tensor<3x5xi32>) {
  // expected-error @below {{'dlc.matmul' op expected the result's element type to have at least the width of 'i32', but got 'i8'}}
  %0 = dlc.matmul %a, %b : (tensor<2x3xi32>, tensor<3x5xi32>) -> tensor<2x5xi8>
  return
}

// -----

func.func @dot_twice(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  // expected-error @below {{'dlc.dot_general' op expected dimensions of 'lhs' to be different, but got 0 twice}}
  // expected-error @below {{failed to infer returned types}}
  %0 = dlc.dot_general %a, %b batch = [0] x [0] contract = [0] x [1] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @conv_strides(%x: tensor<1x2x4x4xf32>, %w: tensor<2x2x3x3xf32>) {
  // expected-error @below {{'dlc.conv' op expected 'strides' to hold 2 numbers, but got 1}}
  // expected-error @below {{failed to infer returned types}}
  %0 = dlc.conv %x, %w strides = [1] : (tensor<1x2x4x4xf32>, tensor<2x2x3x3xf32>) -> tensor<1x2x2x2xf32>
  return
}

// -----

func.func @conv_groups(%x: tensor<1x3x4xf32>, %w: tensor<2x1x3xf32>) {
  // expected-error @below {{'dlc.conv' op expected the number of channels of 'x' to be a multiple of 'groups' = 2, but got 3}}
  // expected-error @below {{failed to infer returned types}}
  %0 = dlc.conv %x, %w {groups = 2} : (tensor<1x3x4xf32>, tensor<2x1x3xf32>) -> tensor<1x2x2xf32>
  return
}

// -----

func.func @pool_integer_mean(%x: tensor<1x3x4xi32>) {
  // expected-error @below {{'dlc.reduce_window' op expected the element type to be a float for 'mean', but got 'i32'}}
  %0 = dlc.reduce_window mean %x window = [2] : (tensor<1x3x4xi32>) -> tensor<1x3x3xi32>
  return
}
