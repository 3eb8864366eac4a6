// What cannot run is refused with the reason.

// RUN: not dlc-run %s --target=gpu-emulator --entry=nothing --block=1 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: expected --entry to name a kernel (redux, empty), but got 'nothing'
// RUN: not dlc-run %s --target=gpu-emulator --entry=redux --block=32 --arg zeros:32xi32 2>&1 | FileCheck %s --check-prefix=OP
// OP: errors.mlir:[[#@LINE+15]]:{{.*}}: error: 'nvvm.redux.sync' expected to be an op that the emulator knows, but got one that it does not
// RUN: not dlc-run %s --target=gpu-emulator --entry=empty --block=1025 --arg zeros:1xf32 2>&1 | FileCheck %s --check-prefix=BLOCK
// BLOCK: expected the block's size in x to be in range [1, 1024], but got 1025
// RUN: not dlc-run %s --target=gpu-emulator --entry=empty --grid=1,0 --arg zeros:1xf32 2>&1 | FileCheck %s --check-prefix=GRID
// GRID: expected the grid's size in y to be in range [1, 65535], but got 0
// RUN: not dlc-run %s --target=gpu-emulator --entry=empty --arg zeros:1xf32 --dynamic-shared=300000 2>&1 | FileCheck %s --check-prefix=SHARED
// SHARED: expected the shared memory of a block in bytes to be in range [0, 232448], but got 300000
// RUN: not dlc-run %s --target=gpu-emulator --entry=empty --arg zeros:2xf32 2>&1 | FileCheck %s --check-prefix=SHAPE
// SHAPE: --arg #0: expected 1xfloat32, but got 2xfloat32

gpu.module @kernels {
  gpu.func @redux(%y: memref<32xi32>) kernel {
    %i = gpu.thread_id x
    %mask = arith.constant -1 : i32
    %v = memref.load %y[%i] : memref<32xi32>
    %s = nvvm.redux.sync add %v, %mask : i32 -> i32
    memref.store %s, %y[%i] : memref<32xi32>
    gpu.return
  }

  gpu.func @empty(%y: memref<1xf32>) kernel {
    gpu.return
  }
}
