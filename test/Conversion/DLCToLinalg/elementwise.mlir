// RUN: dlc-opt %s --convert-dlc-to-linalg --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @broadcast_row(
// CHECK-SAME:    %[[LHS:.+]]: tensor<?x64xf32>, %[[RHS:.+]]: tensor<64xf32>
func.func @broadcast_row(%lhs: tensor<?x64xf32>, %rhs: tensor<64xf32>) -> tensor<?x64xf32> {
  // CHECK-NOT: dlc.check_equal
  // CHECK:     %[[SUM:.+]] = linalg.generic
  // CHECK-SAME:  ins(%[[LHS]], %[[RHS]] :
  // CHECK:       arith.addf
  // CHECK:     return %[[SUM]]
  %0 = dlc.add %lhs, %rhs : (tensor<?x64xf32>, tensor<64xf32>) -> tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}

// -----

// Two dynamic dimensions are promised to be equal, so the program checks it.
// CHECK-LABEL: func.func @dynamic_dims_are_checked(
// CHECK:         dlc.check_equal %{{.+}}, %{{.+}}, "'dlc.add' op expected dimension 0
func.func @dynamic_dims_are_checked(%lhs: tensor<?xf32>, %rhs: tensor<?xf32>) -> tensor<?xf32> {
  %0 = dlc.add %lhs, %rhs : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
