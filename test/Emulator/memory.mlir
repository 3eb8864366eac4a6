// Accesses outside of buffers, of memory that nobody wrote, and misaligned
// ones, and their correct twins.

// RUN: dlc-run %s --target=gpu-emulator --entry=tail --grid=2 --block=64 --arg iota:100xf32 --arg zeros:100xf32 | FileCheck %s --check-prefix=TAIL
// RUN: not dlc-run %s --target=gpu-emulator --entry=tail_off_by_one --grid=2 --block=64 --arg iota:100xf32 --arg zeros:100xf32 --quiet | FileCheck %s --check-prefix=OFFBYONE
// RUN: not dlc-run %s --target=gpu-emulator --entry=before_start --block=32 --arg iota:32xf32 --arg zeros:32xf32 --quiet | FileCheck %s --check-prefix=BEFORE
// RUN: not dlc-run %s --target=gpu-emulator --entry=shared_too_small --block=64 --arg zeros:64xf32 --quiet | FileCheck %s --check-prefix=SMALL
// RUN: not dlc-run %s --target=gpu-emulator --entry=sum_unwritten --block=32 --arg zeros:32xf32 --quiet | FileCheck %s --check-prefix=UNWRITTEN
// RUN: dlc-run %s --target=gpu-emulator --entry=vector_copy --block=32 --arg iota:128xf32 --arg zeros:128xf32 --quiet | count 0
// RUN: not dlc-run %s --target=gpu-emulator --entry=vector_copy_misaligned --block=16 --arg iota:128xf32 --arg zeros:128xf32 --quiet | FileCheck %s --check-prefix=MISALIGNED
// RUN: dlc-run %s --target=gpu-emulator --entry=halves --block=64 --arg iota:64xf16 --arg zeros:64xf16 | FileCheck %s --check-prefix=HALVES
// RUN: dlc-run %s --target=gpu-emulator --entry=dynamic --block=32 --arg iota:32xf32 --arg zeros:32xf32 --dynamic-shared=128 --quiet | count 0
// RUN: not dlc-run %s --target=gpu-emulator --entry=dynamic --block=32 --arg iota:32xf32 --arg zeros:32xf32 --dynamic-shared=64 --quiet | FileCheck %s --check-prefix=DYNAMIC

gpu.module @kernels {
  // TAIL: arg1: 100xfloat32: in [0, 198], mean 99
  gpu.func @tail(%x: memref<?xf32>, %y: memref<?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %two = arith.constant 2.0 : f32
    %n = memref.dim %x, %c0 : memref<?xf32>
    %i = gpu.global_id x
    %inside = arith.cmpi ult, %i, %n : index
    scf.if %inside {
      %v = memref.load %x[%i] : memref<?xf32>
      %w = arith.mulf %v, %two : f32
      memref.store %w, %y[%i] : memref<?xf32>
    }
    gpu.return
  }

  // OFFBYONE: memory.mlir:[[#@LINE+8]]:{{.*}}: out of bounds, global: 'llvm.load' in block (1, 0, 0), thread 36, address {{.*}}; 1 times
  // OFFBYONE: out of bounds, global: 'llvm.store' in block (1, 0, 0), thread 36,
  gpu.func @tail_off_by_one(%x: memref<?xf32>, %y: memref<?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %n = memref.dim %x, %c0 : memref<?xf32>
    %i = gpu.global_id x
    %inside = arith.cmpi ule, %i, %n : index
    scf.if %inside {
      %v = memref.load %x[%i] : memref<?xf32>
      memref.store %v, %y[%i] : memref<?xf32>
    }
    gpu.return
  }

  // BEFORE: out of bounds, global: 'llvm.load' in block (0, 0, 0), thread 0,
  gpu.func @before_start(%x: memref<32xf32>, %y: memref<32xf32>) kernel {
    %c1 = arith.constant 1 : index
    %i = gpu.thread_id x
    %j = arith.subi %i, %c1 : index
    %v = memref.load %x[%j] : memref<32xf32>
    memref.store %v, %y[%i] : memref<32xf32>
    gpu.return
  }

  // SMALL: out of bounds, shared: 'llvm.store' in block (0, 0, 0), thread 60,
  gpu.func @shared_too_small(%y: memref<64xf32>)
      workgroup(%s: memref<60xf32, #gpu.address_space<workgroup>>) kernel {
    %one = arith.constant 1.0 : f32
    %i = gpu.thread_id x
    memref.store %one, %s[%i] : memref<60xf32, #gpu.address_space<workgroup>>
    gpu.return
  }

  // UNWRITTEN: uninitialized shared read: 'llvm.load' in block (0, 0, 0), thread 0,
  gpu.func @sum_unwritten(%y: memref<32xf32>)
      workgroup(%s: memref<32xf32, #gpu.address_space<workgroup>>) kernel {
    %one = arith.constant 1.0 : f32
    %i = gpu.thread_id x
    %v = memref.load %s[%i] : memref<32xf32, #gpu.address_space<workgroup>>
    %w = arith.addf %v, %one : f32
    memref.store %w, %y[%i] : memref<32xf32>
    gpu.return
  }

  gpu.func @vector_copy(%x: memref<128xf32>, %y: memref<128xf32>) kernel {
    %c4 = arith.constant 4 : index
    %i = gpu.thread_id x
    %j = arith.muli %i, %c4 : index
    %v = vector.load %x[%j] {alignment = 16 : i64} : memref<128xf32>, vector<4xf32>
    vector.store %v, %y[%j] {alignment = 16 : i64} : memref<128xf32>, vector<4xf32>
    gpu.return
  }

  // MISALIGNED: misaligned access: 'llvm.load' in block (0, 0, 0), thread 0,
  gpu.func @vector_copy_misaligned(%x: memref<128xf32>, %y: memref<128xf32>) kernel {
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %i = gpu.thread_id x
    %j4 = arith.muli %i, %c4 : index
    %j = arith.addi %j4, %c1 : index
    %v = vector.load %x[%j] {alignment = 16 : i64} : memref<128xf32>, vector<4xf32>
    vector.store %v, %y[%j4] {alignment = 16 : i64} : memref<128xf32>, vector<4xf32>
    gpu.return
  }

  // Two threads share a 4-byte word: no race.
  // HALVES: arg1: 64xfloat16 = [63, 62,
  gpu.func @halves(%x: memref<64xf16>, %y: memref<64xf16>)
      workgroup(%s: memref<64xf16, #gpu.address_space<workgroup>>) kernel {
    %c63 = arith.constant 63 : index
    %i = gpu.thread_id x
    %v = memref.load %x[%i] : memref<64xf16>
    memref.store %v, %s[%i] : memref<64xf16, #gpu.address_space<workgroup>>
    gpu.barrier
    %j = arith.subi %c63, %i : index
    %w = memref.load %s[%j] : memref<64xf16, #gpu.address_space<workgroup>>
    memref.store %w, %y[%i] : memref<64xf16>
    gpu.return
  }

  // DYNAMIC: out of bounds, shared: 'llvm.store' in block (0, 0, 0), thread 16,
  gpu.func @dynamic(%x: memref<32xf32>, %y: memref<32xf32>) kernel {
    %c0 = arith.constant 0 : index
    %i = gpu.thread_id x
    %bytes = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %s = memref.view %bytes[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<32xf32, #gpu.address_space<workgroup>>
    %v = memref.load %x[%i] : memref<32xf32>
    memref.store %v, %s[%i] : memref<32xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %w = memref.load %s[%i] : memref<32xf32, #gpu.address_space<workgroup>>
    memref.store %w, %y[%i] : memref<32xf32>
    gpu.return
  }
}
