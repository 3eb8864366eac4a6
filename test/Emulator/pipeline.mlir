// Kernels that dlc-gpu-pipeline makes of matmul, bias and relu, against the
// CPU, and as PTX.

// RUN: dlc-opt %S/Inputs/matmul-reference.mlir --pass-pipeline="builtin.module(dlc-gpu-pipeline{format=kernels})" -o %t.mlir
// RUN: FileCheck %s --check-prefix=KERNELS < %t.mlir
// KERNELS: gpu.launch_func @kernel_kernel::@kernel_kernel blocks in (%c4, %c3, %c1) threads in (%c16, %c16, %c1)
// RUN: dlc-run %S/Inputs/matmul-reference.mlir --arg random --arg random --arg random --save-result 0:%t.want.npy --quiet
// RUN: dlc-run %t.mlir --target=gpu-emulator --entry=kernel_kernel::kernel_kernel --grid=4,3 --block=16,16 --arg 0.0 --arg ones --save-arg 1:%t.0.npy --quiet | count 0
// RUN: dlc-run %t.mlir --target=gpu-emulator --entry=kernel_kernel_0::kernel_kernel --grid=4,3 --block=16,16 --arg random --arg random:40x36xf32 --arg %t.0.npy --arg 0 --arg 40 --arg 1 --save-arg 2:%t.1.npy --quiet | count 0
// The bias has seed 1 + 1: the number of the argument counts.
// RUN: dlc-run %t.mlir --target=gpu-emulator --entry=kernel_kernel_1::kernel_kernel --grid=4,3 --block=16,16 --arg %t.1.npy --arg random --seed=1 --arg 0.0 --expect-arg 0:%t.want.npy --rtol=1e-4 --atol=1e-5 --quiet | count 0

// RUN: dlc-opt %S/Inputs/matmul-reference.mlir --pass-pipeline="builtin.module(dlc-gpu-pipeline{chip=sm_90a})" | FileCheck %s --check-prefix=PTX
// PTX: gpu.binary @kernel_kernel
// PTX-SAME: .target sm_90a
