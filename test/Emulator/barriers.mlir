// Kernels without the barrier that they need, or with one that not all threads
// reach, and their correct twins.

// RUN: dlc-run %s --target=gpu-emulator --entry=reverse --block=64 --arg iota:64xf32 --arg zeros:64xf32 | FileCheck %s --check-prefix=REVERSE
// RUN: not dlc-run %s --target=gpu-emulator --entry=reverse_no_barrier --block=64 --arg iota:64xf32 --arg zeros:64xf32 --emulator-report=%t.json | FileCheck %s --check-prefix=NOBARRIER
// RUN: FileCheck %s --check-prefix=JSON < %t.json
// RUN: dlc-run %s --target=gpu-emulator --entry=rotate --block=64 --arg iota:4x64xf32 --arg zeros:4x64xf32 --quiet | count 0
// RUN: not dlc-run %s --target=gpu-emulator --entry=rotate_no_second_barrier --block=64 --arg iota:4x64xf32 --arg zeros:4x64xf32 --quiet | FileCheck %s --check-prefix=REUSE
// RUN: not dlc-run %s --target=gpu-emulator --entry=all_write --block=64 --arg zeros:1xf32 --quiet | FileCheck %s --check-prefix=ALLWRITE
// RUN: dlc-run %s --target=gpu-emulator --entry=one_writes --block=64 --arg zeros:1xf32 --quiet | count 0
// RUN: not dlc-run %s --target=gpu-emulator --entry=half_warp_barrier --block=32 --arg zeros:32xf32 --quiet | FileCheck %s --check-prefix=HALFWARP
// RUN: not dlc-run %s --target=gpu-emulator --entry=crossed_barriers --block=64 --arg zeros:64xf32 --quiet | FileCheck %s --check-prefix=CROSSED

gpu.module @kernels {
  // REVERSE: arg1: 64xfloat32 = [63, 62, 61,
  gpu.func @reverse(%x: memref<64xf32>, %y: memref<64xf32>)
      workgroup(%s: memref<64xf32, #gpu.address_space<workgroup>>) kernel {
    %c63 = arith.constant 63 : index
    %i = gpu.thread_id x
    %v = memref.load %x[%i] : memref<64xf32>
    memref.store %v, %s[%i] : memref<64xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %j = arith.subi %c63, %i : index
    %w = memref.load %s[%j] : memref<64xf32, #gpu.address_space<workgroup>>
    memref.store %w, %y[%i] : memref<64xf32>
    gpu.return
  }

  // NOBARRIER: barriers.mlir:[[#@LINE+12]]:{{[0-9]+}}: race write/read: 'llvm.load' in block (0, 0, 0), thread {{[0-9]+}}, with thread {{[0-9]+}} at {{.*}}barriers.mlir:[[#@LINE+11]]:
  // JSON: "kind": "race write/read"
  // JSON: "op": "llvm.load"
  // JSON: "other_location": "{{.*}}barriers.mlir:[[#@LINE+8]]:
  // JSON: "thread_instructions":
  gpu.func @reverse_no_barrier(%x: memref<64xf32>, %y: memref<64xf32>)
      workgroup(%s: memref<64xf32, #gpu.address_space<workgroup>>) kernel {
    %c63 = arith.constant 63 : index
    %i = gpu.thread_id x
    %v = memref.load %x[%i] : memref<64xf32>
    %j = arith.subi %c63, %i : index
    memref.store %v, %s[%i] : memref<64xf32, #gpu.address_space<workgroup>>
    %w = memref.load %s[%j] : memref<64xf32, #gpu.address_space<workgroup>>
    memref.store %w, %y[%i] : memref<64xf32>
    gpu.return
  }

  gpu.func @rotate(%x: memref<4x64xf32>, %y: memref<4x64xf32>)
      workgroup(%s: memref<64xf32, #gpu.address_space<workgroup>>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    %i = gpu.thread_id x
    %i1 = arith.addi %i, %c1 : index
    %j = arith.remui %i1, %c64 : index
    scf.for %k = %c0 to %c4 step %c1 {
      %v = memref.load %x[%k, %i] : memref<4x64xf32>
      memref.store %v, %s[%i] : memref<64xf32, #gpu.address_space<workgroup>>
      gpu.barrier
      %w = memref.load %s[%j] : memref<64xf32, #gpu.address_space<workgroup>>
      memref.store %w, %y[%k, %i] : memref<4x64xf32>
      gpu.barrier
    }
    gpu.return
  }

  // REUSE: race read/write: 'llvm.store'
  gpu.func @rotate_no_second_barrier(%x: memref<4x64xf32>, %y: memref<4x64xf32>)
      workgroup(%s: memref<64xf32, #gpu.address_space<workgroup>>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    %i = gpu.thread_id x
    %i1 = arith.addi %i, %c1 : index
    %j = arith.remui %i1, %c64 : index
    scf.for %k = %c0 to %c4 step %c1 {
      %v = memref.load %x[%k, %i] : memref<4x64xf32>
      memref.store %v, %s[%i] : memref<64xf32, #gpu.address_space<workgroup>>
      gpu.barrier
      %w = memref.load %s[%j] : memref<64xf32, #gpu.address_space<workgroup>>
      memref.store %w, %y[%k, %i] : memref<4x64xf32>
    }
    gpu.return
  }

  // ALLWRITE: race write/write: 'llvm.store'
  gpu.func @all_write(%y: memref<1xf32>)
      workgroup(%s: memref<1xf32, #gpu.address_space<workgroup>>) kernel {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1.0 : f32
    memref.store %one, %s[%c0] : memref<1xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    gpu.return
  }

  gpu.func @one_writes(%y: memref<1xf32>)
      workgroup(%s: memref<1xf32, #gpu.address_space<workgroup>>) kernel {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1.0 : f32
    %i = gpu.thread_id x
    %first = arith.cmpi eq, %i, %c0 : index
    scf.if %first {
      memref.store %one, %s[%c0] : memref<1xf32, #gpu.address_space<workgroup>>
    }
    gpu.barrier
    %v = memref.load %s[%c0] : memref<1xf32, #gpu.address_space<workgroup>>
    scf.if %first {
      memref.store %v, %y[%c0] : memref<1xf32>
    }
    gpu.return
  }

  // HALFWARP: barrier divergence: 'nvvm.barrier
  gpu.func @half_warp_barrier(%y: memref<32xf32>) kernel {
    %c16 = arith.constant 16 : index
    %one = arith.constant 1.0 : f32
    %i = gpu.thread_id x
    %low = arith.cmpi ult, %i, %c16 : index
    scf.if %low {
      gpu.barrier
    }
    memref.store %one, %y[%i] : memref<32xf32>
    gpu.return
  }

  // CROSSED: barrier divergence: 'nvvm.barrier
  gpu.func @crossed_barriers(%y: memref<64xf32>) kernel {
    %c32 = arith.constant 32 : index
    %one = arith.constant 1.0 : f32
    %two = arith.constant 2.0 : f32
    %i = gpu.thread_id x
    %low = arith.cmpi ult, %i, %c32 : index
    scf.if %low {
      memref.store %one, %y[%i] : memref<64xf32>
      gpu.barrier
    } else {
      gpu.barrier
      memref.store %two, %y[%i] : memref<64xf32>
    }
    gpu.return
  }
}
