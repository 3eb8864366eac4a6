// Async copies, named barriers, mbarriers, shuffles and atomics: broken
// kernels and their correct twins.

// RUN: dlc-run %s --target=gpu-emulator --entry=copy --block=32 --arg iota:128xf32 --arg zeros:128xf32 | FileCheck %s --check-prefix=COPY
// RUN: not dlc-run %s --target=gpu-emulator --entry=copy_no_wait --block=32 --arg iota:128xf32 --arg zeros:128xf32 --quiet | FileCheck %s --check-prefix=NOWAIT
// RUN: not dlc-run %s --target=gpu-emulator --entry=copy_waits_too_early --block=32 --arg iota:256xf32 --arg zeros:128xf32 --quiet | FileCheck %s --check-prefix=EARLY
// RUN: not dlc-run %s --target=gpu-emulator --entry=copy_no_barrier --block=32 --arg iota:128xf32 --arg zeros:128xf32 --quiet | FileCheck %s --check-prefix=COPYRACE
// RUN: dlc-run %s --target=gpu-emulator --entry=warp_sum --block=32 --arg iota:32xf32 --arg zeros:32xf32 | FileCheck %s --check-prefix=SUM
// RUN: not dlc-run %s --target=gpu-emulator --entry=divergent_sum --block=32 --arg iota:32xf32 --arg zeros:32xf32 --quiet | FileCheck %s --check-prefix=DIVERGENT
// RUN: dlc-run %s --target=gpu-emulator --entry=histogram --block=64 --arg zeros:4xi32 | FileCheck %s --check-prefix=HISTOGRAM
// RUN: not dlc-run %s --target=gpu-emulator --entry=histogram_no_barrier --block=64 --arg zeros:4xi32 --quiet | FileCheck %s --check-prefix=NOINIT
// RUN: not dlc-run %s --target=gpu-emulator --entry=waits_for_nobody --block=64 --arg zeros:64xf32 --quiet | FileCheck %s --check-prefix=DEADLOCK
// RUN: dlc-run %s --target=gpu-emulator --entry=named_handover --block=64 --arg zeros:32xf32 | FileCheck %s --check-prefix=NAMED
// RUN: not dlc-run %s --target=gpu-emulator --entry=named_wrong_barrier --block=96 --arg zeros:32xf32 --quiet | FileCheck %s --check-prefix=NAMEDRACE

gpu.module @kernels {
  // COPY: arg1: 128xfloat32: in [0, 127], mean 63.5
  gpu.func @copy(%x: memref<128xf32>, %y: memref<128xf32>)
      workgroup(%s: memref<128xf32, #gpu.address_space<workgroup>>) kernel {
    %c4 = arith.constant 4 : index
    %c127 = arith.constant 127 : index
    %i = gpu.thread_id x
    %j = arith.muli %i, %c4 : index
    %t = nvgpu.device_async_copy %x[%j], %s[%j], 4 : memref<128xf32> to memref<128xf32, #gpu.address_space<workgroup>>
    %g = nvgpu.device_async_create_group %t
    nvgpu.device_async_wait %g {numGroups = 0 : i32}
    gpu.barrier
    %v = memref.load %s[%i] : memref<128xf32, #gpu.address_space<workgroup>>
    memref.store %v, %y[%i] : memref<128xf32>
    %r = arith.subi %c127, %i : index
    %w = memref.load %s[%r] : memref<128xf32, #gpu.address_space<workgroup>>
    memref.store %w, %y[%r] : memref<128xf32>
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %a = arith.addi %i, %c32 : index
    %va = memref.load %s[%a] : memref<128xf32, #gpu.address_space<workgroup>>
    memref.store %va, %y[%a] : memref<128xf32>
    %b = arith.addi %i, %c64 : index
    %vb = memref.load %s[%b] : memref<128xf32, #gpu.address_space<workgroup>>
    memref.store %vb, %y[%b] : memref<128xf32>
    gpu.return
  }

  // NOWAIT: missing wait for an async copy: 'llvm.load'
  gpu.func @copy_no_wait(%x: memref<128xf32>, %y: memref<128xf32>)
      workgroup(%s: memref<128xf32, #gpu.address_space<workgroup>>) kernel {
    %c4 = arith.constant 4 : index
    %i = gpu.thread_id x
    %j = arith.muli %i, %c4 : index
    %t = nvgpu.device_async_copy %x[%j], %s[%j], 4 : memref<128xf32> to memref<128xf32, #gpu.address_space<workgroup>>
    %g = nvgpu.device_async_create_group %t
    gpu.barrier
    %v = memref.load %s[%i] : memref<128xf32, #gpu.address_space<workgroup>>
    memref.store %v, %y[%i] : memref<128xf32>
    gpu.return
  }

  // Leaves one group under way, but reads what that group brings.
  // EARLY: missing wait for an async copy: 'llvm.load'
  gpu.func @copy_waits_too_early(%x: memref<256xf32>, %y: memref<128xf32>)
      workgroup(%s: memref<256xf32, #gpu.address_space<workgroup>>) kernel {
    %c4 = arith.constant 4 : index
    %c128 = arith.constant 128 : index
    %i = gpu.thread_id x
    %j = arith.muli %i, %c4 : index
    %k = arith.addi %j, %c128 : index
    %t = nvgpu.device_async_copy %x[%j], %s[%j], 4 : memref<256xf32> to memref<256xf32, #gpu.address_space<workgroup>>
    %g = nvgpu.device_async_create_group %t
    %t1 = nvgpu.device_async_copy %x[%k], %s[%k], 4 : memref<256xf32> to memref<256xf32, #gpu.address_space<workgroup>>
    %g1 = nvgpu.device_async_create_group %t1
    nvgpu.device_async_wait %g1 {numGroups = 1 : i32}
    gpu.barrier
    %v = memref.load %s[%k] : memref<256xf32, #gpu.address_space<workgroup>>
    memref.store %v, %y[%i] : memref<128xf32>
    gpu.return
  }

  // The wait is for the own copies only.
  // COPYRACE: race write/read: 'llvm.load'
  gpu.func @copy_no_barrier(%x: memref<128xf32>, %y: memref<128xf32>)
      workgroup(%s: memref<128xf32, #gpu.address_space<workgroup>>) kernel {
    %c4 = arith.constant 4 : index
    %i = gpu.thread_id x
    %j = arith.muli %i, %c4 : index
    %t = nvgpu.device_async_copy %x[%j], %s[%j], 4 : memref<128xf32> to memref<128xf32, #gpu.address_space<workgroup>>
    %g = nvgpu.device_async_create_group %t
    nvgpu.device_async_wait %g {numGroups = 0 : i32}
    %v = memref.load %s[%i] : memref<128xf32, #gpu.address_space<workgroup>>
    memref.store %v, %y[%i] : memref<128xf32>
    gpu.return
  }

  // SUM: arg1: 32xfloat32 = [496, 496,
  gpu.func @warp_sum(%x: memref<32xf32>, %y: memref<32xf32>) kernel {
    %c16 = arith.constant 16 : i32
    %c8 = arith.constant 8 : i32
    %c4 = arith.constant 4 : i32
    %c2 = arith.constant 2 : i32
    %c1 = arith.constant 1 : i32
    %width = arith.constant 32 : i32
    %i = gpu.thread_id x
    %v = memref.load %x[%i] : memref<32xf32>
    %a, %pa = gpu.shuffle xor %v, %c16, %width : f32
    %s0 = arith.addf %v, %a : f32
    %b, %pb = gpu.shuffle xor %s0, %c8, %width : f32
    %s1 = arith.addf %s0, %b : f32
    %c, %pc = gpu.shuffle xor %s1, %c4, %width : f32
    %s2 = arith.addf %s1, %c : f32
    %d, %pd = gpu.shuffle xor %s2, %c2, %width : f32
    %s3 = arith.addf %s2, %d : f32
    %e, %pe = gpu.shuffle xor %s3, %c1, %width : f32
    %s4 = arith.addf %s3, %e : f32
    memref.store %s4, %y[%i] : memref<32xf32>
    gpu.return
  }

  // DIVERGENT: warp op without lanes that its mask names: 'nvvm.shfl.sync'
  gpu.func @divergent_sum(%x: memref<32xf32>, %y: memref<32xf32>) kernel {
    %c20 = arith.constant 20 : index
    %c1 = arith.constant 1 : i32
    %width = arith.constant 32 : i32
    %i = gpu.thread_id x
    %low = arith.cmpi ult, %i, %c20 : index
    scf.if %low {
      %v = memref.load %x[%i] : memref<32xf32>
      %a, %p = gpu.shuffle xor %v, %c1, %width : f32
      memref.store %a, %y[%i] : memref<32xf32>
    }
    gpu.return
  }

  // HISTOGRAM: arg0: 4xint32 = [16, 16, 16, 16]
  gpu.func @histogram(%y: memref<4xi32>)
      workgroup(%s: memref<4xi32, #gpu.address_space<workgroup>>) kernel {
    %c4 = arith.constant 4 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %i = gpu.thread_id x
    %first = arith.cmpi ult, %i, %c4 : index
    scf.if %first {
      memref.store %zero, %s[%i] : memref<4xi32, #gpu.address_space<workgroup>>
    }
    gpu.barrier
    %b = arith.remui %i, %c4 : index
    %o = memref.atomic_rmw addi %one, %s[%b] : (i32, memref<4xi32, #gpu.address_space<workgroup>>) -> i32
    gpu.barrier
    scf.if %first {
      %v = memref.load %s[%i] : memref<4xi32, #gpu.address_space<workgroup>>
      memref.store %v, %y[%i] : memref<4xi32>
    }
    gpu.return
  }

  // NOINIT: race write/write: 'llvm.atomicrmw'
  gpu.func @histogram_no_barrier(%y: memref<4xi32>)
      workgroup(%s: memref<4xi32, #gpu.address_space<workgroup>>) kernel {
    %c4 = arith.constant 4 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %i = gpu.thread_id x
    %first = arith.cmpi ult, %i, %c4 : index
    scf.if %first {
      memref.store %zero, %s[%i] : memref<4xi32, #gpu.address_space<workgroup>>
    }
    %b = arith.remui %i, %c4 : index
    %o = memref.atomic_rmw addi %one, %s[%b] : (i32, memref<4xi32, #gpu.address_space<workgroup>>) -> i32
    gpu.return
  }

  // DEADLOCK: deadlock: 'nvvm.barrier' in block (0, 0, 0), thread 0
  gpu.func @waits_for_nobody(%y: memref<64xf32>) kernel {
    %c32 = arith.constant 32 : index
    %id = arith.constant 1 : i32
    %n = arith.constant 64 : i32
    %i = gpu.thread_id x
    %low = arith.cmpi ult, %i, %c32 : index
    scf.if %low {
      nvvm.barrier id = %id number_of_threads = %n
    }
    gpu.return
  }

  // NAMED: arg0: 32xfloat32 = [31, 30,
  gpu.func @named_handover(%y: memref<32xf32>)
      workgroup(%s: memref<32xf32, #gpu.address_space<workgroup>>) kernel {
    %c31 = arith.constant 31 : index
    %c32 = arith.constant 32 : index
    %id = arith.constant 1 : i32
    %n = arith.constant 64 : i32
    %i = gpu.thread_id x
    %low = arith.cmpi ult, %i, %c32 : index
    scf.if %low {
      %w = arith.index_cast %i : index to i32
      %v = arith.sitofp %w : i32 to f32
      memref.store %v, %s[%i] : memref<32xf32, #gpu.address_space<workgroup>>
      nvvm.barrier.arrive id = %id number_of_threads = %n
    } else {
      nvvm.barrier id = %id number_of_threads = %n
      %j = arith.subi %i, %c32 : index
      %r = arith.subi %c31, %j : index
      %v = memref.load %s[%r] : memref<32xf32, #gpu.address_space<workgroup>>
      memref.store %v, %y[%j] : memref<32xf32>
    }
    gpu.return
  }

  // The third warp reads after a barrier that the first did not arrive at.
  // NAMEDRACE: race write/read: 'llvm.load' in block (0, 0, 0), thread 64, with thread 0
  gpu.func @named_wrong_barrier(%y: memref<32xf32>)
      workgroup(%s: memref<32xf32, #gpu.address_space<workgroup>>) kernel {
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %one = arith.constant 1.0 : f32
    %id = arith.constant 1 : i32
    %n = arith.constant 64 : i32
    %i = gpu.thread_id x
    %low = arith.cmpi ult, %i, %c32 : index
    scf.if %low {
      memref.store %one, %s[%i] : memref<32xf32, #gpu.address_space<workgroup>>
    } else {
      nvvm.barrier id = %id number_of_threads = %n
      %high = arith.cmpi uge, %i, %c64 : index
      scf.if %high {
        %j = arith.subi %i, %c64 : index
        %v = memref.load %s[%j] : memref<32xf32, #gpu.address_space<workgroup>>
        memref.store %v, %y[%j] : memref<32xf32>
      }
    }
    gpu.return
  }
}
