// RUN: dlc-opt %s --split-input-file --verify-diagnostics

func.func @broadcast_size(%x: tensor<3xf32>) {
  // expected-error @below {{'dlc.broadcast' op expected dimension 0 of x to be 1 or 4, but got 3}}
  // expected-error @below {{'dlc.broadcast' op failed to infer returned types}}
  %0 = dlc.broadcast %x [4] : tensor<3xf32> -> tensor<4xf32>
  return
}

// -----

func.func @reshape_count(%x: tensor<3xf32>) {
  // expected-error @below {{'dlc.reshape' op expected the product of sizes to be 3, but got 4}}
  // expected-error @below {{'dlc.reshape' op failed to infer returned types}}
  %0 = dlc.reshape %x [2, 2] : tensor<3xf32> -> tensor<2x2xf32>
  return
}

// -----

func.func @transpose_twice(%x: tensor<3x4xf32>) {
  // expected-error @below {{'dlc.transpose' op expected permutation to hold each of 0 to 2 - 1 once}}
  // expected-error @below {{'dlc.transpose' op failed to infer returned types}}
  %0 = dlc.transpose %x permutation = [0, 0] : tensor<3x4xf32> -> tensor<3x3xf32>
  return
}

// -----

func.func @slice_outside(%x: tensor<5xf32>) {
  // expected-error @below {{'dlc.slice' op expected dimension 0 to stay within [0, 5), but got indices from 3 to 5}}
  // expected-error @below {{'dlc.slice' op failed to infer returned types}}
  %0 = dlc.slice %x [3] [3] [1] : tensor<5xf32> -> tensor<3xf32>
  return
}

// -----

func.func @concat_size(%x: tensor<5x2xf32>, %y: tensor<5x3xf32>) {
  // expected-error @below {{'dlc.concat' op expected dimension 1 of the operands to be 2, but got 3}}
  // expected-error @below {{'dlc.concat' op failed to infer returned types}}
  %0 = dlc.concat %x, %y axis = 0 : (tensor<5x2xf32>, tensor<5x3xf32>) -> tensor<10x2xf32>
  return
}

// -----

func.func @gather_axis(%x: tensor<5xf32>, %i: tensor<2xi64>) {
  // expected-error @below {{'dlc.gather' op expected axis to be within [0, 1), but got 1}}
  // expected-error @below {{'dlc.gather' op failed to infer returned types}}
  %0 = dlc.gather %x, %i axis = 1 : (tensor<5xf32>, tensor<2xi64>) -> tensor<2xf32>
  return
}
