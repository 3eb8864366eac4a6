// RUN: dlc-opt %s --dlc-lower-to-loops --canonicalize --split-input-file | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// The sum is carried in a register, its row is one iteration of the parallel
// loop.
// CHECK-LABEL: func.func @sum_of_rows(
// CHECK:         scf.parallel (%[[I:.+]]) =
// CHECK:           %[[INIT:.+]] = memref.load %{{.+}}[%[[I]]]
// CHECK:           %[[SUM:.+]] = scf.for {{.*}} iter_args(%[[ACC:.+]] = %[[INIT]])
// CHECK:             arith.addf %{{.+}}, %[[ACC]]
// CHECK:           memref.store %[[SUM]], %{{.+}}[%[[I]]]
func.func @sum_of_rows(%x: memref<?x1000xf32>, %y: memref<?xf32>) {
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x1000xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b fastmath<reassoc> : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

#x = affine_map<(j, i) -> (i, j)>
#y = affine_map<(j, i) -> (j)>

// Columns are contiguous, so rows are added up at once.
// CHECK-LABEL: func.func @sum_of_columns(
// CHECK:         scf.for %[[I:.+]] = %c0{{.*}} to %c600
// CHECK:           scf.for %[[J:.+]] = %c0{{.*}} to %c1000
// CHECK:             memref.load %{{.+}}[%[[I]], %[[J]]]
// CHECK:             memref.store %{{.+}}, %{{.+}}[%[[J]]]
func.func @sum_of_columns(%x: memref<600x1000xf32>, %y: memref<1000xf32>) {
  linalg.generic {indexing_maps = [#x, #y], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<600x1000xf32>) outs(%y : memref<1000xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// A copy of row-major data is one loop in blocks.
// CHECK-LABEL: func.func @copy(
// CHECK-COUNT-2: memref.collapse_shape
// CHECK:         scf.parallel
// CHECK:           scf.for
// CHECK-NOT:     memref.copy
func.func @copy(%x: memref<600x1000xf32>, %y: memref<600x1000xf32>) {
  memref.copy %x, %y : memref<600x1000xf32> to memref<600x1000xf32>
  return
}

// -----

#id = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: func.func @uses_index(
// CHECK:         scf.parallel (%[[I:.+]]) =
// CHECK:           scf.for %[[J:.+]] =
// CHECK:             %[[SUM:.+]] = arith.addi %[[I]], %[[J]]
// CHECK:             memref.store %[[SUM]], %{{.+}}[%[[I]], %[[J]]]
func.func @uses_index(%y: memref<?x?xindex>) {
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]}
      outs(%y : memref<?x?xindex>) {
  ^bb0(%b: index):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %0 = arith.addi %i, %j : index
    linalg.yield %0 : index
  }
  return
}

// -----

// Windows and constants in the maps are no lists of loops: nothing is collapsed.
// CHECK-LABEL: func.func @negative_window_maps(
func.func @negative_window_maps(%x: memref<1x2x6xf32>, %w: memref<2x1x3xf32>, %y: memref<1x2x4xf32>) {
  // CHECK-NOT: memref.collapse_shape
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2 + d3)>,
                                   affine_map<(d0, d1, d2, d3) -> (d1, 0, d3)>,
                                   affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>],
                  iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : memref<1x2x6xf32>, memref<2x1x3xf32>) outs(%y : memref<1x2x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  }
  return
}
