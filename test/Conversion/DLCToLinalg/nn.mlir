// RUN: dlc-opt %s --split-input-file --convert-dlc-to-linalg | FileCheck %s

// CHECK-LABEL: func.func @softmax_half(
func.func @softmax_half(%x: tensor<?x8xf16>) -> tensor<?x8xf16> {
  // CHECK: %[[MAX:.+]] = linalg.generic {{.*}} outs(%{{.+}} : tensor<?xf32>)
  // CHECK:   arith.maximumf
  // CHECK: %[[EXP:.+]] = linalg.generic {{.*}} ins(%{{.+}}, %[[MAX]] :
  // CHECK:   math.exp
  // CHECK: %[[SUM:.+]] = linalg.generic {{.*}} ins(%[[EXP]] : tensor<?x8xf32>)
  // CHECK:   arith.addf {{.*}} fastmath<reassoc>
  // CHECK: linalg.generic {{.*}} ins(%[[EXP]], %[[SUM]] :
  // CHECK:   arith.divf
  // CHECK:   arith.truncf
  %y = dlc.softmax %x {axis = 1} : (tensor<?x8xf16>) -> tensor<?x8xf16>
  return %y : tensor<?x8xf16>
}

// -----

// The variance is a mean of squared deviations.
// CHECK-LABEL: func.func @layer_norm(
func.func @layer_norm(%x: tensor<?x8xf32>, %s: tensor<8xf32>) -> tensor<?x8xf32> {
  // CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]
  // CHECK: %[[MEAN:.+]] = linalg.generic
  // CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%{{.+}}, %[[MEAN]]
  // CHECK:   %[[D:.+]] = arith.subf
  // CHECK:   arith.mulf %[[D]], %[[D]]
  // CHECK: math.sqrt
  // CHECK: linalg.generic
  %y = dlc.layer_norm %x, %s : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// -----

// CHECK-LABEL: func.func @layer_norm_checks(
func.func @layer_norm_checks(%x: tensor<?x?xf32>, %s: tensor<?xf32>) -> tensor<?x?xf32> {
  // CHECK: dlc.check_equal {{.*}} "'dlc.layer_norm' op expected dimension 0 of 'scale' and its partner to be equal"
  %y = dlc.layer_norm %x, %s : (tensor<?x?xf32>, tensor<?xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

// CHECK-LABEL: func.func @rms_norm(
func.func @rms_norm(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK-NOT: arith.subf
  // CHECK:     math.sqrt
  // CHECK-NOT: arith.subf
  %y = dlc.rms_norm %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: func.func @group_norm(
func.func @group_norm(%x: tensor<2x6x5xf32>, %s: tensor<6xf32>, %b: tensor<6xf32>) -> tensor<2x6x5xf32> {
  // CHECK: tensor.expand_shape {{.*}} into tensor<2x3x2x5xf32>
  // CHECK: linalg.generic {{.*}} ["parallel", "parallel", "reduction", "reduction"]
  // CHECK: tensor.collapse_shape {{.*}} into tensor<2x6x5xf32>
  %y = dlc.group_norm %x, %s, %b {num_groups = 3}
     : (tensor<2x6x5xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<2x6x5xf32>
  return %y : tensor<2x6x5xf32>
}

// -----

// Scale and shift are computed per channel, not per element.
// CHECK-LABEL: func.func @batch_norm(
func.func @batch_norm(%x: tensor<?x3x?xf32>, %c: tensor<3xf32>) -> tensor<?x3x?xf32> {
  // CHECK:     %[[F:.+]] = linalg.generic {{.*}} outs(%{{.+}} : tensor<3xf32>)
  // CHECK:     %[[S:.+]] = linalg.generic {{.*}} outs(%{{.+}} : tensor<3xf32>)
  // CHECK:     linalg.generic {{.*}} ins(%{{.+}}, %[[F]], %[[S]] :
  // CHECK-NOT:   math.sqrt
  // CHECK:       arith.mulf
  // CHECK-NEXT:  arith.addf
  %y = dlc.batch_norm %x, %c, %c, %c, %c
     : (tensor<?x3x?xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<?x3x?xf32>
  return %y : tensor<?x3x?xf32>
}

// -----

// CHECK-DAG: #[[$K:.+]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d4, d5)>
// CHECK-LABEL: func.func @attention_grouped(
func.func @attention_grouped(%q: tensor<2x8x5x4xf32>, %k: tensor<2x2x7x4xf32>) -> tensor<2x8x5x4xf32> {
  // CHECK: tensor.expand_shape {{.*}} into tensor<2x2x4x5x4xf32>
  // CHECK: linalg.generic {indexing_maps = [#{{.+}}, #[[$K]], #{{.+}}]
  // CHECK: linalg.index 3
  // CHECK: linalg.index 4
  // CHECK: arith.maximumf
  // CHECK: math.exp
  // CHECK: arith.divf
  // CHECK: tensor.collapse_shape
  %y = dlc.attention %q, %k, %k {is_causal = true}
     : (tensor<2x8x5x4xf32>, tensor<2x2x7x4xf32>, tensor<2x2x7x4xf32>) -> tensor<2x8x5x4xf32>
  return %y : tensor<2x8x5x4xf32>
}

// -----

// Only the last dimension is interpolated; its table has one row per index.
// CHECK-LABEL: func.func @resize_linear(
func.func @resize_linear(%x: tensor<1x3x4xf32>) -> tensor<1x3x8xf32> {
  // CHECK: %[[T:.+]]:4 = linalg.generic {{.*}} outs({{.*}} : tensor<8xindex>, tensor<8xindex>, tensor<8xf32>, tensor<8xf32>)
  // CHECK: %[[Y:.+]] = linalg.generic {{.*}} ins(%[[T]]#0, %[[T]]#1, %[[T]]#2, %[[T]]#3 :
  // CHECK: return %[[Y]]
  %y = dlc.resize linear %x to [1, 3, 8] : tensor<1x3x4xf32> -> tensor<1x3x8xf32>
  return %y : tensor<1x3x8xf32>
}

// -----

// CHECK-LABEL: func.func @resize_nearest_integers(
func.func @resize_nearest_integers(%x: tensor<1x3x4xi64>, %n: index) -> tensor<1x3x?xi64> {
  // CHECK:     math.ceil
  // CHECK:     tensor.extract %{{.+}}[%{{.+}}, %{{.+}}, %{{.+}}] : tensor<1x3x4xi64>
  // CHECK-NOT: arith.sitofp {{.*}} i64 to f64
  %y = dlc.resize nearest %x to [1, 3, %n] : tensor<1x3x4xi64> -> tensor<1x3x?xi64>
  return %y : tensor<1x3x?xi64>
}
