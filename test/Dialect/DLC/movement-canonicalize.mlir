// RUN: dlc-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @transpose_twice(
// CHECK-SAME:    %[[X:.+]]: tensor<2x?x4xf32>
// CHECK-NEXT:    return %[[X]]
func.func @transpose_twice(%x: tensor<2x?x4xf32>) -> tensor<2x?x4xf32> {
  %0 = dlc.transpose %x permutation = [2, 0, 1] : tensor<2x?x4xf32> -> tensor<4x2x?xf32>
  %1 = dlc.transpose %0 permutation = [1, 2, 0] : tensor<4x2x?xf32> -> tensor<2x?x4xf32>
  return %1 : tensor<2x?x4xf32>
}

// CHECK-LABEL: func.func @reshape_twice(
// CHECK:         dlc.reshape %{{.+}} [4, 6] : tensor<2x12xf32> -> tensor<4x6xf32>
// CHECK-NEXT:    return
func.func @reshape_twice(%x: tensor<2x12xf32>) -> tensor<4x6xf32> {
  %0 = dlc.reshape %x [24] : tensor<2x12xf32> -> tensor<24xf32>
  %1 = dlc.reshape %0 [4, 6] : tensor<24xf32> -> tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}

// A size that is constant becomes part of the type.
// CHECK-LABEL: func.func @constant_size(
// CHECK:         dlc.broadcast %{{.+}} [5] : tensor<1xf32> -> tensor<5xf32>
// CHECK:         tensor.cast
func.func @constant_size(%x: tensor<1xf32>) -> tensor<?xf32> {
  %c5 = arith.constant 5 : index
  %0 = dlc.broadcast %x [%c5] : tensor<1xf32> -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// Nothing is left of the identities.
// CHECK-LABEL: func.func @identities(
// CHECK-SAME:    %[[X:.+]]: tensor<3x4xf32>
// CHECK-NEXT:    return %[[X]]
func.func @identities(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %0 = dlc.slice %x [0, 0] [3, 4] [1, 1] : tensor<3x4xf32> -> tensor<3x4xf32>
  %1 = dlc.pad %0 low = [0, 0] high = [0, 0] : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %2 = dlc.concat %1 axis = 0 : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %3 = dlc.broadcast %2 [3, 4] : tensor<3x4xf32> -> tensor<3x4xf32>
  return %3 : tensor<3x4xf32>
}
