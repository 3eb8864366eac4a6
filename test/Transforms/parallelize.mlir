// RUN: dlc-opt %s --dlc-parallelize="min-work=100" --split-input-file --remarks-filter="dlc-.*" --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @enough_work(
// CHECK:         omp.parallel {
// CHECK:           omp.wsloop {
// CHECK:             omp.loop_nest (%{{.+}}) : index =
// CHECK:               memref.store
func.func @enough_work(%y: memref<1000xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1000 = arith.constant 1000 : index
  // expected-remark @below {{shared among the threads}}
  scf.parallel (%i) = (%c0) to (%c1000) step (%c1) {
    memref.store %v, %y[%i] : memref<1000xf32>
    scf.reduce
  }
  return
}

// -----

// CHECK-LABEL: func.func @negative_too_little_work(
// CHECK-NOT:     omp
// CHECK:         scf.for
func.func @negative_too_little_work(%y: memref<4xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // expected-remark @below {{operations are too few}}
  scf.parallel (%i) = (%c0) to (%c4) step (%c1) {
    memref.store %v, %y[%i] : memref<4xf32>
    scf.reduce
  }
  return
}

// -----

// CHECK-LABEL: func.func @decided_at_run_time(
// CHECK-SAME:    %[[N:[a-z0-9]+]]: index
// CHECK:         %[[ENOUGH:.+]] = arith.cmpi sge, %{{.+}}, %c50{{.*}} : index
// CHECK:         omp.parallel if(%[[ENOUGH]])
func.func @decided_at_run_time(%y: memref<?xf32>, %n: index, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-remark @below {{shared from 50 iterations on}}
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    memref.store %v, %y[%i] : memref<?xf32>
    scf.reduce
  }
  return
}

// -----

// CHECK-LABEL: func.func @negative_nested(
// CHECK:         omp.loop_nest
// CHECK:           scf.for
// CHECK-NOT:       omp.parallel
func.func @negative_nested(%y: memref<100x100xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  // expected-remark @below {{shared among the threads}}
  scf.parallel (%i) = (%c0) to (%c100) step (%c1) {
    // expected-remark @below {{inside of another parallel loop}}
    scf.parallel (%j) = (%c0) to (%c100) step (%c1) {
      memref.store %v, %y[%i, %j] : memref<100x100xf32>
      scf.reduce
    }
    scf.reduce
  }
  return
}
