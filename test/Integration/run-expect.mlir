// Comparison with a file: equal, near and different, NaN equal to NaN.
// RUN: dlc-run %s --arg=2x3xf32=1,2,nan,inf,5,6 --save-result 0:%t.want.npy --quiet
// RUN: dlc-run %s --arg=2x3xf32=1,2,nan,inf,5,6 --expect 0:%t.want.npy --quiet | count 0
// RUN: dlc-run %s --arg=2x3xf32=1,2,nan,inf,5,6.01 --expect 0:%t.want.npy --rtol=1e-2 --quiet
// RUN: not dlc-run %s --arg=2x3xf32=1,2.5,nan,inf,5,6.25 --expect 0:%t.want.npy --quiet 2>&1 | FileCheck %s
// CHECK: result 0: 2 of 6 elements differ; the worst is [0, 1]: expected 4 (rtol 1e-05, atol 1e-06), but got 5
// RUN: not dlc-run %s --arg=2x3xf32=1,2,3,inf,5,6 --expect 0:%t.want.npy --quiet 2>&1 | FileCheck %s --check-prefix=NAN
// NAN: 1 of 6 elements differ; the worst is [0, 2]: expected NaN (rtol 1e-05, atol 1e-06), but got 6
// RUN: not dlc-run %s --arg=3x2xf32=1 --expect 0:%t.want.npy --quiet 2>&1 | FileCheck %s --check-prefix=SHAPE
// SHAPE: result 0: expected 2x3xfloat32, but got 3x2xfloat32

// The exit status tells a difference (2) from an error of the run (3).
// RUN: sh -c 'dlc-run %s --arg=3x2xf32=1 --expect 0:%t.want.npy --quiet 2>/dev/null; test $? = 2'

// RUN: dlc-run %s --arg random:2x3xf32 --benchmark=5 --threads=1 | FileCheck %s --check-prefix=BENCH
// BENCH: benchmark: 5 runs, min {{.*}} ms, median {{.*}} ms, p90 {{.*}} ms, p99 {{.*}} ms

func.func @twice(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d0 = tensor.dim %x, %c0 : tensor<?x?xf32>
  %d1 = tensor.dim %x, %c1 : tensor<?x?xf32>
  %empty = tensor.empty(%d0, %d1) : tensor<?x?xf32>
  %sum = linalg.add ins(%x, %x : tensor<?x?xf32>, tensor<?x?xf32>)
                    outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %sum : tensor<?x?xf32>
}

// RUN: dlc-run --help | FileCheck %s --check-prefix=HELP
// HELP: Exit status: 0 done, 1 wrong usage, input or program, 2 a result differs
