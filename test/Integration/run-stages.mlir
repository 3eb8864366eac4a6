// The same function runs from whatever stage it is at.
// RUN: split-file %s %t
// RUN: dlc-run %t/linalg.mlir --arg=2x3xf32=1,2,3,4,5,6 --arg=2x3xf32=0.5 | FileCheck %s
// RUN: mlir-opt %t/linalg.mlir --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" -o %t/memref.mlir
// RUN: dlc-run %t/memref.mlir --arg=2x3xf32=1,2,3,4,5,6 --arg=2x3xf32=0.5 | FileCheck %s
// RUN: mlir-opt %t/memref.mlir --convert-linalg-to-loops -o %t/scf.mlir
// RUN: dlc-run %t/scf.mlir --arg=2x3xf32=1,2,3,4,5,6 --arg=2x3xf32=0.5 | FileCheck %s
// CHECK: result0: 2x3xfloat32 = {{\[\[}}1.5, 2.5, 3.5], [4.5, 5.5, 6.5]]

//--- linalg.mlir
func.func @add(%lhs: tensor<?x3xf32>, %rhs: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %lhs, %c0 : tensor<?x3xf32>
  %empty = tensor.empty(%rows) : tensor<?x3xf32>
  %sum = linalg.add ins(%lhs, %rhs : tensor<?x3xf32>, tensor<?x3xf32>)
                    outs(%empty : tensor<?x3xf32>) -> tensor<?x3xf32>
  return %sum : tensor<?x3xf32>
}
