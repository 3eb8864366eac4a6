// RUN: dlc-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: func.func @broadcast(
// CHECK:         dlc.broadcast %{{.+}} [2, %{{.+}}, 64] : tensor<?x64xf32> -> tensor<2x?x64xf32>
// CHECK:         dlc.broadcast %{{.+}} [] : tensor<f32> -> tensor<f32>
func.func @broadcast(%x: tensor<?x64xf32>, %s: tensor<f32>, %n: index) -> (tensor<2x?x64xf32>, tensor<f32>) {
  %0 = dlc.broadcast %x [2, %n, 64] : tensor<?x64xf32> -> tensor<2x?x64xf32>
  %1 = dlc.broadcast %s [] : tensor<f32> -> tensor<f32>
  return %0, %1 : tensor<2x?x64xf32>, tensor<f32>
}

// CHECK-LABEL: func.func @reshape(
// CHECK:         dlc.reshape %{{.+}} [%{{.+}}, 12, 64] : tensor<?x768xf32> -> tensor<?x12x64xf32>
func.func @reshape(%x: tensor<?x768xf32>, %n: index) -> tensor<?x12x64xf32> {
  %0 = dlc.reshape %x [%n, 12, 64] : tensor<?x768xf32> -> tensor<?x12x64xf32>
  return %0 : tensor<?x12x64xf32>
}

// CHECK-LABEL: func.func @transpose_reverse(
// CHECK:         dlc.transpose %{{.+}} permutation = [0, 2, 1] : tensor<2x?x4xf32> -> tensor<2x4x?xf32>
// CHECK:         dlc.reverse %{{.+}} axes = [0, 2] : tensor<2x4x?xf32> -> tensor<2x4x?xf32>
func.func @transpose_reverse(%x: tensor<2x?x4xf32>) -> tensor<2x4x?xf32> {
  %0 = dlc.transpose %x permutation = [0, 2, 1] : tensor<2x?x4xf32> -> tensor<2x4x?xf32>
  %1 = dlc.reverse %0 axes = [0, 2] : tensor<2x4x?xf32> -> tensor<2x4x?xf32>
  return %1 : tensor<2x4x?xf32>
}

// A result type may be more or less precise than the inferred one.
// CHECK-LABEL: func.func @slices(
// CHECK:         dlc.slice %{{.+}} [1, 7] [%{{.+}}, 4] [1, -2] : tensor<?x8xf32> -> tensor<?x4xf32>
// CHECK:         dlc.slice {{.+}} -> tensor<3x?xf32>
// CHECK:         dlc.update_slice %{{.+}}, %{{.+}} [%{{.+}}, 0] strides = [1, 2] : (tensor<?x8xf32>, tensor<?x4xf32>) -> tensor<?x8xf32>
func.func @slices(%x: tensor<?x8xf32>, %n: index) -> (tensor<?x8xf32>, tensor<3x?xf32>) {
  %0 = dlc.slice %x [1, 7] [%n, 4] [1, -2] : tensor<?x8xf32> -> tensor<?x4xf32>
  %1 = dlc.slice %x [1, 0] [%n, 4] [1, 2] : tensor<?x8xf32> -> tensor<3x?xf32>
  %2 = dlc.update_slice %x, %0 [%n, 0] strides = [1, 2] : (tensor<?x8xf32>, tensor<?x4xf32>) -> tensor<?x8xf32>
  return %2, %1 : tensor<?x8xf32>, tensor<3x?xf32>
}

// CHECK-LABEL: func.func @concat_pad(
// CHECK:         dlc.concat %{{.+}}, %{{.+}} axis = 1 : (tensor<?x4xf32>, tensor<2x3xf32>) -> tensor<2x7xf32>
// CHECK:         dlc.pad %{{.+}}, %{{.+}} low = [0, 1] high = [%{{.+}}, -1] : (tensor<2x7xf32>, tensor<f32>) -> tensor<?x7xf32>
// CHECK:         dlc.pad %{{.+}} low = [0, 1] high = [0, 1] mode = reflect : (tensor<?x7xf32>) -> tensor<?x9xf32>
func.func @concat_pad(%a: tensor<?x4xf32>, %b: tensor<2x3xf32>, %v: tensor<f32>, %n: index) -> tensor<?x9xf32> {
  %0 = dlc.concat %a, %b axis = 1 : (tensor<?x4xf32>, tensor<2x3xf32>) -> tensor<2x7xf32>
  %1 = dlc.pad %0, %v low = [0, 1] high = [%n, -1] : (tensor<2x7xf32>, tensor<f32>) -> tensor<?x7xf32>
  %2 = dlc.pad %1 low = [0, 1] high = [0, 1] mode = reflect : (tensor<?x7xf32>) -> tensor<?x9xf32>
  return %2 : tensor<?x9xf32>
}

// CHECK-LABEL: func.func @gathers(
// CHECK:         dlc.gather %{{.+}}, %{{.+}} axis = 0 : (tensor<3x4xf32>, tensor<2x?xi64>) -> tensor<2x?x4xf32>
// CHECK:         dlc.gather %{{.+}}, %{{.+}} axis = 1 batch_dims = 1 : (tensor<3x4xf32>, tensor<3x5xi32>) -> tensor<3x5xf32>
// CHECK:         dlc.gather_nd %{{.+}}, %{{.+}} : (tensor<3x4xf32>, tensor<5x2xi64>) -> tensor<5xf32>
// CHECK:         dlc.gather_elements %{{.+}}, %{{.+}} axis = 1 : (tensor<3x4xf32>, tensor<3x5xi32>) -> tensor<3x5xf32>
func.func @gathers(%x: tensor<3x4xf32>, %i: tensor<2x?xi64>, %j: tensor<3x5xi32>, %k: tensor<5x2xi64>) {
  %0 = dlc.gather %x, %i axis = 0 : (tensor<3x4xf32>, tensor<2x?xi64>) -> tensor<2x?x4xf32>
  %1 = dlc.gather %x, %j axis = 1 batch_dims = 1 : (tensor<3x4xf32>, tensor<3x5xi32>) -> tensor<3x5xf32>
  %2 = dlc.gather_nd %x, %k : (tensor<3x4xf32>, tensor<5x2xi64>) -> tensor<5xf32>
  %3 = dlc.gather_elements %x, %j axis = 1 : (tensor<3x4xf32>, tensor<3x5xi32>) -> tensor<3x5xf32>
  return
}

// CHECK-LABEL: func.func @scatters(
// CHECK:         dlc.scatter_nd %{{.+}}, %{{.+}}, %{{.+}} : (tensor<3x4xf32>, tensor<2x1xi64>, tensor<2x4xf32>) -> tensor<3x4xf32>
// CHECK:         dlc.scatter_elements %{{.+}}, %{{.+}}, %{{.+}} axis = 1 reduction = add : (tensor<3x4xf32>, tensor<3x2xi64>, tensor<3x2xf32>) -> tensor<3x4xf32>
func.func @scatters(%x: tensor<3x4xf32>, %i: tensor<2x1xi64>, %u: tensor<2x4xf32>, %j: tensor<3x2xi64>, %v: tensor<3x2xf32>) -> tensor<3x4xf32> {
  %0 = dlc.scatter_nd %x, %i, %u : (tensor<3x4xf32>, tensor<2x1xi64>, tensor<2x4xf32>) -> tensor<3x4xf32>
  %1 = dlc.scatter_elements %0, %j, %v axis = 1 reduction = add : (tensor<3x4xf32>, tensor<3x2xi64>, tensor<3x2xf32>) -> tensor<3x4xf32>
  return %1 : tensor<3x4xf32>
}

// CHECK-LABEL: func.func @generators(
// CHECK:         dlc.nonzero %{{.+}} : tensor<?x4xf32> -> tensor<2x?xi64>
// CHECK:         dlc.iota [%{{.+}}, 8] axis = 1 : tensor<?x8xi64>
func.func @generators(%x: tensor<?x4xf32>, %n: index) -> (tensor<2x?xi64>, tensor<?x8xi64>) {
  %0 = dlc.nonzero %x : tensor<?x4xf32> -> tensor<2x?xi64>
  %1 = dlc.iota [%n, 8] axis = 1 : tensor<?x8xi64>
  return %0, %1 : tensor<2x?xi64>, tensor<?x8xi64>
}
