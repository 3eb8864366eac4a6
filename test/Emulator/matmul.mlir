// A tiled matmul with bias and relu, whose sizes are no multiples of the tile,
// against the CPU. The twin forgets the tail of the reduction.

// RUN: dlc-run %S/Inputs/matmul-reference.mlir --arg random --arg random --arg random --save-result 0:%t.npy --quiet
// RUN: dlc-run %s --target=gpu-emulator --entry=matmul --grid=3,4 --block=16,16 --arg random:50x40xf32 --arg random:40x36xf32 --arg random:36xf32 --arg zeros:50x36xf32 --expect-arg 3:%t.npy --rtol=1e-4 --quiet --emulator-report=%t.json | count 0
// RUN: FileCheck %s < %t.json
// RUN: not dlc-run %s --target=gpu-emulator --entry=matmul_no_tail_check --grid=3,4 --block=16,16 --arg random:50x40xf32 --arg random:40x36xf32 --arg random:36xf32 --arg zeros:50x36xf32 --quiet | FileCheck %s --check-prefix=TAIL

// CHECK: "findings": []
// CHECK: "shared_accesses": [[ACCESSES:[0-9]+]]
// CHECK-NEXT: "shared_wavefronts": [[ACCESSES]]
// CHECK: "barriers": 576

!tile = memref<16x16xf32, #gpu.address_space<workgroup>>

gpu.module @kernels {
  gpu.func @matmul(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %bias: memref<?xf32>, %c: memref<?x?xf32>)
      workgroup(%s: !tile, %t: !tile) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %zero = arith.constant 0.0 : f32
    %m = memref.dim %c, %c0 : memref<?x?xf32>
    %n = memref.dim %c, %c1 : memref<?x?xf32>
    %k = memref.dim %a, %c1 : memref<?x?xf32>
    %tx = gpu.thread_id x
    %ty = gpu.thread_id y
    %row = gpu.global_id y
    %col = gpu.global_id x
    %rowInside = arith.cmpi ult, %row, %m : index
    %colInside = arith.cmpi ult, %col, %n : index
    %sum = scf.for %k0 = %c0 to %k step %c16 iter_args(%acc = %zero) -> (f32) {
      %ka = arith.addi %k0, %tx : index
      %kaInside = arith.cmpi ult, %ka, %k : index
      %loadA = arith.andi %rowInside, %kaInside : i1
      %va = scf.if %loadA -> (f32) {
        %v = memref.load %a[%row, %ka] : memref<?x?xf32>
        scf.yield %v : f32
      } else {
        scf.yield %zero : f32
      }
      memref.store %va, %s[%ty, %tx] : !tile
      %kb = arith.addi %k0, %ty : index
      %kbInside = arith.cmpi ult, %kb, %k : index
      %loadB = arith.andi %colInside, %kbInside : i1
      %vb = scf.if %loadB -> (f32) {
        %v = memref.load %b[%kb, %col] : memref<?x?xf32>
        scf.yield %v : f32
      } else {
        scf.yield %zero : f32
      }
      memref.store %vb, %t[%ty, %tx] : !tile
      gpu.barrier
      %next = scf.for %i = %c0 to %c16 step %c1 iter_args(%x = %acc) -> (f32) {
        %p = memref.load %s[%ty, %i] : !tile
        %q = memref.load %t[%i, %tx] : !tile
        %y = math.fma %p, %q, %x : f32
        scf.yield %y : f32
      }
      gpu.barrier
      scf.yield %next : f32
    }
    %inside = arith.andi %rowInside, %colInside : i1
    scf.if %inside {
      %v = memref.load %bias[%col] : memref<?xf32>
      %w = arith.addf %sum, %v : f32
      %r = arith.maximumf %w, %zero : f32
      memref.store %r, %c[%row, %col] : memref<?x?xf32>
    }
    gpu.return
  }

  // TAIL: out of bounds, global: 'llvm.load'
  gpu.func @matmul_no_tail_check(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %bias: memref<?xf32>, %c: memref<?x?xf32>)
      workgroup(%s: !tile) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %k = memref.dim %a, %c1 : memref<?x?xf32>
    %tx = gpu.thread_id x
    %ty = gpu.thread_id y
    %row = gpu.global_id y
    scf.for %k0 = %c0 to %k step %c16 {
      %ka = arith.addi %k0, %tx : index
      %v = memref.load %a[%row, %ka] : memref<?x?xf32>
      memref.store %v, %s[%ty, %tx] : !tile
    }
    gpu.return
  }
}
