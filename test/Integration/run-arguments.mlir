// Memrefs are in-out, also strided ones; scalars go in and out.
// RUN: dlc-run %s --entry=store --arg iota --arg 3.5 --arg zeros:2x2xf32 --save-arg 2:%t.npy | FileCheck %s
// CHECK:      result0: 2x3xfloat32 = {{\[\[}}3.5, 1, 2], [3, 4, 5]]
// CHECK-NEXT: result1: float32 = 7
// CHECK-NEXT: arg0: 2x3xfloat32 = {{\[\[}}3.5, 1, 2], [3, 4, 5]]
// CHECK-NEXT: arg2: 2x2xfloat32 = {{\[\[}}3.5, 0], [0, 0]]
// RUN: dlc-run %s --entry=read --arg %t.npy | FileCheck %s --check-prefix=READ
// READ: result0: float32 = 3.5

// RUN: dlc-run %s --list | FileCheck %s --check-prefix=LIST
// LIST:      store
// LIST-NEXT:   input arg0: memref 2x3xfloat32
// LIST-NEXT:   input arg1: float32
// LIST-NEXT:   input arg2: memref ?x?xfloat32
// LIST-NEXT:   output result0: memref 2x3xfloat32
// LIST-NEXT:   output result1: float32
// LIST:      dims
// LIST-NEXT:   input x: Nx3xuint8
// LIST-NEXT:   input y: Nxint8

func.func @store(%a: memref<2x3xf32>, %s: f32, %t: memref<?x?xf32, strided<[?, ?], offset: ?>>)
    -> (memref<2x3xf32>, f32) {
  %c0 = arith.constant 0 : index
  memref.store %s, %a[%c0, %c0] : memref<2x3xf32>
  memref.store %s, %t[%c0, %c0] : memref<?x?xf32, strided<[?, ?], offset: ?>>
  %twice = arith.addf %s, %s : f32
  return %a, %twice : memref<2x3xf32>, f32
}

func.func @read(%t: tensor<?x2xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %s = tensor.extract %t[%c0, %c0] : tensor<?x2xf32>
  return %s : f32
}

func.func @dims(%x: tensor<?x3xi8> {dlc.name = "x", dlc.unsigned, dlc.dims = ["N", ""]},
                %y: tensor<?xi8> {dlc.name = "y", dlc.dims = ["N"]}) -> tensor<?x3xi8> {
  return %x : tensor<?x3xi8>
}

// Each wrong input is one error that names it and both numbers; status 1 or 3.
// RUN: not dlc-run %s --entry=dims --arg zeros:2x3xui8 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: 'dims' expected 2 --arg, but got 1; --list shows them
// RUN: not dlc-run %s --entry=dims --arg zeros:2x3xf32 --arg zeros:2xi8 2>&1 | FileCheck %s --check-prefix=DTYPE
// DTYPE: input 'x' expected dtype uint8, but got float32
// RUN: not dlc-run %s --entry=dims --arg zeros:2xui8 --arg zeros:2xi8 2>&1 | FileCheck %s --check-prefix=RANK
// RANK: input 'x' expected rank 2 (shape ?x3), but got rank 1 (shape 2)
// RUN: not dlc-run %s --entry=dims --arg zeros:2x4xui8 --arg zeros:2xi8 2>&1 | FileCheck %s --check-prefix=SIZE
// SIZE: input 'x' expected size 3 in dimension 1 (shape ?x3), but got 4 (shape 2x4)
// RUN: not dlc-run %s --entry=dims --arg zeros:2x3xui8 --arg zeros:5xi8 2>&1 | FileCheck %s --check-prefix=NAMED
// NAMED: input 'y' expected dimension 0 ('N') to be 2 as in dimension 0 of input 'x', but got 5
// RUN: not dlc-run %s --arg 1 2>&1 | FileCheck %s --check-prefix=ENTRY
// ENTRY: expected --entry=NAME, because the module has these public functions: store, read, dims
// RUN: not dlc-run %s --entry=nope 2>&1 | FileCheck %s --check-prefix=NOENTRY
// NOENTRY: expected --entry to name a public function (store, read, dims), but got 'nope'
// RUN: not dlc-run %s --entry=read --arg %t.missing.npy 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: --arg #0: cannot read '{{.*}}.missing.npy': No such file or directory
// RUN: not dlc-run %s --entry=read --arg zeros:2x2xf32 --save-result 0:%t.nodir/y.npy 2>&1 | FileCheck %s --check-prefix=NODIR
// NODIR: cannot write '{{.*}}.nodir/y.npy': there is no directory '{{.*}}.nodir'
// RUN: not dlc-run %s --entry=read --arg zeros:2x2xf32 --save-result 3:%t.npy 2>&1 | FileCheck %s --check-prefix=NUMBER
// NUMBER: 'read' expected a result number in range [0, 1), but got 3
// RUN: not dlc-run %s --bogus=1 2>&1 | FileCheck %s --check-prefix=BOGUS
// BOGUS: unknown option --bogus; see dlc-run --help
// RUN: not dlc-run %s --cpu=pentium9 --entry=read --arg zeros:2x2xf32 2>&1 | FileCheck %s --check-prefix=CPU
// CPU: expected the cpu to be native, generic, x86-64-v2, x86-64-v3, x86-64-v4 or a processor name of LLVM, but got 'pentium9'
