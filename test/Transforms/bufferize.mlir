// RUN: dlc-opt %s --split-input-file --dlc-bufferize | FileCheck %s

// The intermediate buffer is freed after its last use, the result is not.
// CHECK-LABEL: func.func @frees_intermediate(
// CHECK-SAME:    %[[X:.+]]: memref<4x5xf32>) -> memref<5x4xf32>
// CHECK:         %[[INTERMEDIATE:.+]] = memref.alloc()
// CHECK:         linalg.exp ins(%[[X]] : memref<4x5xf32>) outs(%[[INTERMEDIATE]]
// CHECK:         %[[RESULT:.+]] = memref.alloc()
// CHECK:         linalg.transpose ins(%[[INTERMEDIATE]] : memref<4x5xf32>) outs(%[[RESULT]]
// CHECK:         memref.dealloc %[[INTERMEDIATE]]
// CHECK-NOT:     memref.dealloc
// CHECK:         return %[[RESULT]]
func.func @frees_intermediate(%x: tensor<4x5xf32> {bufferization.writable = false}) -> tensor<5x4xf32> {
  %e0 = tensor.empty() : tensor<4x5xf32>
  %0 = linalg.exp ins(%x : tensor<4x5xf32>) outs(%e0 : tensor<4x5xf32>) -> tensor<4x5xf32>
  %e1 = tensor.empty() : tensor<5x4xf32>
  %1 = linalg.transpose ins(%0 : tensor<4x5xf32>) outs(%e1 : tensor<5x4xf32>) permutation = [1, 0]
  return %1 : tensor<5x4xf32>
}

// -----

// A program on memrefs frees its own memory.
// CHECK-LABEL: func.func @negative_memrefs(
// CHECK-NEXT:    %[[BUFFER:.+]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT:    memref.copy
// CHECK-NEXT:    memref.dealloc %[[BUFFER]]
// CHECK-NEXT:    return
func.func @negative_memrefs(%x: memref<4xf32>) {
  %buffer = memref.alloc() : memref<4xf32>
  memref.copy %x, %buffer : memref<4xf32> to memref<4xf32>
  memref.dealloc %buffer : memref<4xf32>
  return
}
