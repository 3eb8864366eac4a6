// RUN: dlc-opt %s --pass-pipeline="builtin.module(dlc-cpu-pipeline{last-stage=kernels})" | FileCheck %s --check-prefix=KERNELS
// RUN: dlc-opt %s --pass-pipeline="builtin.module(dlc-cpu-pipeline{last-stage=buffers})" | FileCheck %s --check-prefix=BUFFERS
// RUN: dlc-opt %s --pass-pipeline="builtin.module(dlc-cpu-pipeline{last-stage=loops})" | FileCheck %s --check-prefix=LOOPS
// RUN: dlc-opt %s --pass-pipeline="builtin.module(dlc-cpu-pipeline)" | FileCheck %s --check-prefix=LLVM
// RUN: mlir-opt %s --load-dialect-plugin=%dlc_plugin --pass-pipeline="builtin.module(dlc-cpu-pipeline)" | FileCheck %s --check-prefix=LLVM
// RUN: dlc-run %s --arg=2x3xf32=1,2,3,4,5,6 --arg=3x2xf32=1 --arg=2xf32=10,20 | FileCheck %s --check-prefix=VALUES
// RUN: dlc-run %s --stage=linalg --arg=2x3xf32=1,2,3,4,5,6 --arg=3x2xf32=1 --arg=2xf32=10,20 | FileCheck %s --check-prefix=VALUES

// Two equal layers are one kernel, in destination style.
// KERNELS:       func.func private @kernel(
// KERNELS-NOT:   func.func private
// KERNELS-LABEL: func.func @main(
// KERNELS:         call @kernel(
// BUFFERS:       func.func private @kernel({{.*}}) attributes
// BUFFERS-LABEL: func.func @main(
// BUFFERS:         %[[OUT:.+]] = memref.alloc
// BUFFERS:         call @kernel(%[[OUT]],
// BUFFERS:         return %[[OUT]]
// LOOPS:         vector.fma
// LOOPS-NOT:     linalg
// LLVM-NOT:      {{func\.func|scf\.|memref\.}}
// LLVM:          llvm.func @_mlir_ciface_main(
// VALUES: result0: 2x2xfloat32 = {{\[\[}}16, 26], [25, 35]]
func.func @main(%x: tensor<?x3xf32>, %w: tensor<3x2xf32>, %b: tensor<2xf32>) -> tensor<?x2xf32> attributes {llvm.emit_c_interface} {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %x, %c0 : tensor<?x3xf32>
  %empty = tensor.empty(%rows) : tensor<?x2xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x2xf32>) -> tensor<?x2xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<?x3xf32>, tensor<3x2xf32>) outs(%init : tensor<?x2xf32>) -> tensor<?x2xf32>
  %1 = dlc.add %0, %b : (tensor<?x2xf32>, tensor<2xf32>) -> tensor<?x2xf32>
  return %1 : tensor<?x2xf32>
}
