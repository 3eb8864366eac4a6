// RUN: dlc-opt %s --split-input-file --dlc-separate-strided-operands | FileCheck %s

// The callee writes its argument: the copy goes back.
// CHECK-LABEL: func.func @written(
// CHECK-SAME:    %[[VIEW:.+]]: memref<?x4xf32, strided<[?, 1]>>)
// CHECK:         %[[COPY:.+]] = memref.alloc(%{{.+}}) : memref<?x4xf32>
// CHECK:         memref.copy %[[VIEW]], %[[COPY]]
// CHECK:         call @fill(%[[COPY]])
// CHECK:         memref.copy %[[COPY]], %[[VIEW]]
func.func private @fill(%out: memref<?x4xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%out : memref<?x4xf32>)
  return
}
func.func @written(%view: memref<?x4xf32, strided<[?, 1]>>) {
  %cast = memref.cast %view : memref<?x4xf32, strided<[?, 1]>> to memref<?x4xf32>
  call @fill(%cast) : (memref<?x4xf32>) -> ()
  return
}

// -----

// The callee only reads: the source may be a caller's read-only memory.
// CHECK-LABEL: func.func @read(
// CHECK-SAME:    %[[VIEW:.+]]: memref<?x4xf32, strided<[?, 1]>>,
// CHECK:         memref.copy %[[VIEW]], %[[COPY:.+]] :
// CHECK:         call @negate(%[[COPY]],
// CHECK-NOT:     memref.copy
// CHECK:         return
func.func private @negate(%in: memref<?x4xf32>, %out: memref<?x4xf32>) {
  linalg.map { arith.negf } ins(%in : memref<?x4xf32>) outs(%out : memref<?x4xf32>)
  return
}
func.func @read(%view: memref<?x4xf32, strided<[?, 1]>>, %out: memref<?x4xf32>) {
  %cast = memref.cast %view : memref<?x4xf32, strided<[?, 1]>> to memref<?x4xf32>
  call @negate(%cast, %out) : (memref<?x4xf32>, memref<?x4xf32>) -> ()
  return
}

// -----

// CHECK-LABEL: func.func @returned(
// CHECK:         %[[COPY:.+]] = memref.alloc
// CHECK:         memref.copy
// CHECK:         return %[[COPY]]
func.func @returned(%view: memref<?x4xf32, strided<[?, 1]>>) -> memref<?x4xf32> {
  %cast = memref.cast %view : memref<?x4xf32, strided<[?, 1]>> to memref<?x4xf32>
  return %cast : memref<?x4xf32>
}

// -----

// Static sizes: upstream's own check of the cast holds.
// CHECK-LABEL: func.func @negative_static(
// CHECK:         memref.cast
func.func @negative_static(%view: memref<2x4xf32, strided<[?, 1]>>) -> memref<2x4xf32> {
  %cast = memref.cast %view : memref<2x4xf32, strided<[?, 1]>> to memref<2x4xf32>
  return %cast : memref<2x4xf32>
}
