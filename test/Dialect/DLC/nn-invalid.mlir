// RUN: dlc-opt %s --split-input-file --verify-diagnostics

func.func @axis(%x: tensor<2x3xf32>) {
  // expected-error @below {{'dlc.softmax' op expected 'axis' to be in range [-2, 2), but got 2}}
  %0 = dlc.softmax %x {axis = 2} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @scale(%x: tensor<2x3xf32>, %s: tensor<2xf32>) {
  // expected-error @below {{'dlc.layer_norm' op expected 'scale' to broadcast to [2, 3], but got 'tensor<2xf32>'}}
  %0 = dlc.layer_norm %x, %s : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @heads(%q: tensor<1x3x4x8xf32>, %k: tensor<1x2x4x8xf32>) {
  // expected-error @below {{'dlc.attention' op expected the number of heads (dim 1) of 'q' to be a multiple of 2 as in 'k', but got 3}}
  // expected-error @below {{failed to infer returned types}}
  %0 = dlc.attention %q, %k, %k : (tensor<1x3x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> tensor<1x3x4x8xf32>
  return
}

// -----

func.func @roi(%x: tensor<2x3xf32>) {
  // expected-error @below {{'dlc.resize' op expected 'roi' to be given if and only if the coordinate mode is tf_crop_and_resize}}
  %0 = dlc.resize nearest %x to [2, 3] coordinates tf_crop_and_resize : tensor<2x3xf32> -> tensor<2x3xf32>
  return
}
