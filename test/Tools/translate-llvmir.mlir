// RUN: dlc-translate --dlc-to-llvmir --cpu=x86-64-v3 %s | FileCheck %s
// RUN: dlc-translate --dlc-to-llvmir --cpu=generic --opt-level=0 %s | FileCheck %s --check-prefix=GENERIC
// RUN: not dlc-translate --dlc-to-llvmir --cpu=z80 %s 2>&1 | FileCheck %s --check-prefix=CPU
// RUN: not dlc-translate --dlc-to-llvmir --stage=half %s 2>&1 | FileCheck %s --check-prefix=STAGE

// Bytecode is read as text is.
// RUN: dlc-opt %s --emit-bytecode -o %t.mlirbc
// RUN: dlc-translate --dlc-to-llvmir --cpu=x86-64-v3 %t.mlirbc | FileCheck %s

// CHECK: define void @dlc_entry_f(ptr
// CHECK: <8 x float>
// CHECK: "target-cpu"="x86-64-v3"
// GENERIC: "target-cpu"="x86-64"
// CPU: expected the cpu to be native, generic, x86-64-v2, x86-64-v3, x86-64-v4 or a processor name of LLVM, but got 'z80'
// STAGE: expected the stage to be graph, linalg, fused, kernels, buffers, loops or llvm, but got 'half'
func.func @f(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = dlc.add %x, %x : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}
