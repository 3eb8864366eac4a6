// RUN: dlc-opt %s --split-input-file --verify-diagnostics

// C2: static dimensions are equal, or one of them is 1.
func.func @shapes_do_not_broadcast(%x: tensor<4xf32>, %y: tensor<3xf32>) -> tensor<4xf32> {
  // expected-error @below {{'dlc.add' op expected operands whose shapes broadcast, but got 'tensor<4xf32>', 'tensor<3xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = dlc.add %x, %y : (tensor<4xf32>, tensor<3xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// C1: one element type.
func.func @element_types_differ(%x: tensor<4xf32>, %y: tensor<4xf16>) -> tensor<4xf32> {
  // expected-error @below {{requires the same element type for all operands}}
  %0 = dlc.add %x, %y : (tensor<4xf32>, tensor<4xf16>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// C1 of cast: the shapes are equal.
func.func @cast_changes_shape(%x: tensor<4xf32>) -> tensor<5xi32> {
  // expected-error @below {{'dlc.cast' op expected the result to have the shape of the operand, but got 'tensor<4xf32>' and 'tensor<5xi32>'}}
  %0 = dlc.cast %x : tensor<4xf32> to tensor<5xi32>
  return %0 : tensor<5xi32>
}

// -----

// C2 of bitcast: the widths are equal.
func.func @bitcast_changes_width(%x: tensor<4xf32>) -> tensor<4xi16> {
  // expected-error @below {{'dlc.bitcast' op expected element types of one width, but got 'f32' and 'i16'}}
  %0 = dlc.bitcast %x : tensor<4xf32> to tensor<4xi16>
  return %0 : tensor<4xi16>
}

// -----

// C2 of quantize: a scale per index needs an axis.
func.func @quantize_without_axis(%x: tensor<4x8xf32>, %s: tensor<8xf32>) -> tensor<4x8xi8> {
  // expected-error @below {{'dlc.quantize' op expected axis to be within [0, 2) for a scale of rank 1}}
  %0 = dlc.quantize %x, %s : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xi8>
  return %0 : tensor<4x8xi8>
}
