// An element-wise chain with a dynamic size through dlc-gpu-pipeline, against
// the CPU. 20 and 33 are no multiples of the block.

// RUN: dlc-opt %S/Inputs/elementwise-reference.mlir --pass-pipeline="builtin.module(dlc-gpu-pipeline{format=kernels})" -o %t.mlir
// RUN: dlc-run %S/Inputs/elementwise-reference.mlir --seed=1 --arg random:20x33xf32 --arg random --save-result 0:%t.want.npy --quiet
// RUN: dlc-run %t.mlir --target=gpu-emulator --entry=kernel_kernel::kernel_kernel --grid=2,3 --block=16,16 --arg 20 --arg random:20x33xf32 --arg random --arg zeros:20x33xf32 --save-arg 1:%t.x.npy --save-arg 3:%t.sum.npy --quiet | count 0
// RUN: dlc-run %t.mlir --target=gpu-emulator --entry=kernel_0_kernel::kernel_0_kernel --grid=2,3 --block=16,16 --arg 20 --arg %t.sum.npy --arg %t.x.npy --arg 0.0 --arg zeros:20x33xf32 --expect-arg 4:%t.want.npy --quiet | count 0
