// RUN: dlc-opt %s --dlc-tile="tile-sizes=2,4" --split-input-file --remarks-filter="dlc-.*" --verify-diagnostics | FileCheck %s
// RUN: dlc-opt %s --dlc-tile="tile-sizes=2,4 interchange=1,0" --split-input-file | FileCheck %s --check-prefix=ORDER
// RUN: dlc-opt %s --dlc-tile --split-input-file | FileCheck %s --check-prefix=DEFAULT
// A second run is a no-op.
// RUN: dlc-opt %s --dlc-tile="tile-sizes=2,4" --split-input-file > %t.once
// RUN: dlc-opt %s --dlc-tile="tile-sizes=2,4" --dlc-tile="tile-sizes=2,4" --split-input-file | diff - %t.once

#id = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: func.func @matmul_and_producer(
// CHECK-NOT:     linalg.fill
// CHECK:         scf.for %{{.+}} = %c0{{.*}} to %c8{{.*}} step %c2
// CHECK:           scf.for %{{.+}} = %c0{{.*}} to %c16{{.*}} step %c4
// CHECK:             linalg.fill {{.*}} outs(%{{.+}} : tensor<2x4xf32>)
// CHECK:             linalg.matmul {{.*}} -> tensor<2x4xf32>
// ORDER-LABEL: func.func @matmul_and_producer(
// ORDER:         scf.for {{.*}} step %c4
// ORDER:           scf.for {{.*}} step %c2
func.func @matmul_and_producer(%a: tensor<8x6xf32>, %b: tensor<6x16xf32>) -> tensor<8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x16xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x16xf32>) -> tensor<8x16xf32>
  // expected-remark @below {{linalg.matmul: tiled with 2 loops}}
  %0 = linalg.matmul ins(%a, %b : tensor<8x6xf32>, tensor<6x16xf32>) outs(%init : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>

// Sizes that do not divide leave a smaller last tile.
// CHECK-LABEL: func.func @dynamic_and_odd(
// CHECK:         scf.for
// CHECK:           affine.min
// DEFAULT-LABEL: func.func @dynamic_and_odd(
// DEFAULT:         scf.for {{.*}} step %c32
// DEFAULT:           scf.for {{.*}} step %c64
func.func @dynamic_and_odd(%a: tensor<?x97xf32>, %out: tensor<?x97xf32>) -> tensor<?x97xf32> {
  // expected-remark @below {{linalg.generic: tiled with 2 loops}}
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<?x97xf32>) outs(%out : tensor<?x97xf32>) {
  ^bb0(%x: f32, %y: f32):
    %1 = arith.addf %x, %x : f32
    linalg.yield %1 : f32
  } -> tensor<?x97xf32>
  return %0 : tensor<?x97xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>

// A producer with another user has loops of its own: fusing it would compute it
// twice.
// CHECK-LABEL: func.func @negative_shared_producer(
// CHECK:         scf.for
// CHECK:           arith.mulf
// CHECK-NOT:       arith.addf
// CHECK:         scf.for
// CHECK:           arith.addf
// CHECK:         return
func.func @negative_shared_producer(%a: tensor<8x8xf32>, %out: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  // expected-remark @below {{linalg.generic: tiled with 2 loops}}
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<8x8xf32>) outs(%out : tensor<8x8xf32>) {
  ^bb0(%x: f32, %y: f32):
    %2 = arith.mulf %x, %x : f32
    linalg.yield %2 : f32
  } -> tensor<8x8xf32>
  // expected-remark @below {{linalg.generic: tiled with 2 loops}}
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<8x8xf32>) outs(%out : tensor<8x8xf32>) {
  ^bb0(%x: f32, %y: f32):
    %2 = arith.addf %x, %x : f32
    linalg.yield %2 : f32
  } -> tensor<8x8xf32>
  return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: func.func @negative_fits_one_tile(
// CHECK-NOT:     scf.for
func.func @negative_fits_one_tile(%a: tensor<2x3xf32>, %out: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // expected-remark @below {{linalg.generic: every dimension fits into one tile}}
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<2x3xf32>) outs(%out : tensor<2x3xf32>) {
  ^bb0(%x: f32, %y: f32):
    %1 = arith.addf %x, %x : f32
    linalg.yield %1 : f32
  } -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
