// RUN: dlc-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: func.func @reduce(
// CHECK:         dlc.reduce sum %{{.+}} axes = [1] : tensor<?x64xf32> -> tensor<?xf32>
// CHECK:         dlc.reduce max %{{.+}} axes = [0, 1] {is_unsigned, keepdims = true} : tensor<?x64xi8> -> tensor<1x1xi8>
// CHECK:         dlc.reduce and %{{.+}} axes = [] : tensor<?x64xi8> -> tensor<?x64xi8>
func.func @reduce(%x: tensor<?x64xf32>, %y: tensor<?x64xi8>) {
  %0 = dlc.reduce sum %x axes = [1] : tensor<?x64xf32> -> tensor<?xf32>
  %1 = dlc.reduce max %y axes = [0, 1] {is_unsigned, keepdims = true} : tensor<?x64xi8> -> tensor<1x1xi8>
  %2 = dlc.reduce and %y axes = [] : tensor<?x64xi8> -> tensor<?x64xi8>
  return
}

// CHECK-LABEL: func.func @arg_reduce(
// CHECK:         dlc.arg_reduce max %{{.+}} axis = 1 {select_last_index = true} : tensor<?x64xf32> -> tensor<?xi64>
func.func @arg_reduce(%x: tensor<?x64xf32>) -> tensor<?xi64> {
  %0 = dlc.arg_reduce max %x axis = 1 {select_last_index = true} : tensor<?x64xf32> -> tensor<?xi64>
  return %0 : tensor<?xi64>
}

// CHECK-LABEL: func.func @cumulative(
// CHECK:         dlc.cumulative prod %{{.+}} axis = 0 {exclusive = true, reverse = true} : tensor<?x64xf32> -> tensor<?x64xf32>
func.func @cumulative(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %0 = dlc.cumulative prod %x axis = 0 {exclusive = true, reverse = true} : tensor<?x64xf32> -> tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}

// CHECK-LABEL: func.func @sort_topk(
// CHECK:         dlc.sort %{{.+}} axis = 1 {descending = true} : tensor<?x64xf32> -> tensor<?x64xf32>, tensor<?x64xi64>
// CHECK:         dlc.topk %{{.+}} [5] axis = 1 : tensor<?x64xf32> -> tensor<?x5xf32>, tensor<?x5xi64>
// CHECK:         dlc.topk %{{.+}} [%{{.+}}] axis = 1 {largest = false} : tensor<?x64xf32> -> tensor<?x?xf32>, tensor<?x?xi64>
func.func @sort_topk(%x: tensor<?x64xf32>, %k: index) {
  %0:2 = dlc.sort %x axis = 1 {descending = true} : tensor<?x64xf32> -> tensor<?x64xf32>, tensor<?x64xi64>
  %1:2 = dlc.topk %x [5] axis = 1 : tensor<?x64xf32> -> tensor<?x5xf32>, tensor<?x5xi64>
  %2:2 = dlc.topk %x [%k] axis = 1 {largest = false} : tensor<?x64xf32> -> tensor<?x?xf32>, tensor<?x?xi64>
  return
}
