// RUN: dlc-opt %s --canonicalize="test-convergence" --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @identities(
// CHECK-SAME:    %[[X:.+]]: tensor<4xf32>, %[[I:.+]]: tensor<4xi32>
// CHECK-NEXT:    return %[[X]], %[[X]], %[[X]], %[[I]], %[[I]]
func.func @identities(%x: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>, tensor<4xi32>) {
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %minus_zero = arith.constant dense<-0.0> : tensor<4xf32>
  %one = arith.constant dense<1.0> : tensor<4xf32>
  %int_zero = arith.constant dense<0> : tensor<4xi32>
  %0 = dlc.sub %x, %zero : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = dlc.add %x, %minus_zero : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = dlc.mul %one, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = dlc.add %i, %int_zero : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %4 = dlc.or %i, %i : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %0, %1, %2, %3, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>, tensor<4xi32>
}

// -----

// -0.0 + 0.0 is 0.0, and NaN * 0.0 is NaN (case C11).
// CHECK-LABEL: func.func @negative_not_identities(
// CHECK:         dlc.add
// CHECK:         dlc.mul
func.func @negative_not_identities(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %0 = dlc.add %x, %zero : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = dlc.mul %x, %zero : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// The neutral operand broadcasts, so that the result is larger than x.
// CHECK-LABEL: func.func @negative_broadcasting_zero(
// CHECK:         dlc.sub
func.func @negative_broadcasting_zero(%x: tensor<1xf32>) -> tensor<4xf32> {
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %0 = dlc.sub %x, %zero : (tensor<1xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @constants(
// CHECK-DAG:     dense<-0.000000e+00> : tensor<4xf32>
// CHECK-DAG:     dense<[4, 6]> : tensor<2xi32>
// CHECK-DAG:     dense<-1> : tensor<2xi32>
func.func @constants() -> (tensor<4xf32>, tensor<2xi32>, tensor<2xi32>) {
  %a = arith.constant dense<123.45> : tensor<4xf32>
  %minus_zero = arith.constant dense<-0.0> : tensor<4xf32>
  %0 = dlc.mul %a, %minus_zero : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %i = arith.constant dense<[1, 2]> : tensor<2xi32>
  %j = arith.constant dense<[3, 4]> : tensor<2xi32>
  %1 = dlc.add %i, %j : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  %five = arith.constant dense<5> : tensor<2xi32>
  %zero = arith.constant dense<0> : tensor<2xi32>
  %2 = dlc.div %five, %zero : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  return %0, %1, %2 : tensor<4xf32>, tensor<2xi32>, tensor<2xi32>
}

// -----

// A splat of 400 MB stays a splat.
// CHECK-LABEL: func.func @large_splats(
// CHECK:         dense<3.000000e+00> : tensor<10000x10000xf32>
func.func @large_splats() -> tensor<10000x10000xf32> {
  %a = arith.constant dense<1.0> : tensor<10000x10000xf32>
  %b = arith.constant dense<2.0> : tensor<10000x10000xf32>
  %0 = dlc.add %a, %b : (tensor<10000x10000xf32>, tensor<10000x10000xf32>) -> tensor<10000x10000xf32>
  return %0 : tensor<10000x10000xf32>
}
