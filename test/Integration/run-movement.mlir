// Values of gathers, scans, sorts and reductions (cases C03, C13, C29, C33).
// RUN: dlc-run %s --entry=gather --arg iota:3x4xf32 --arg 2xi64=0,-1 | FileCheck %s --check-prefix=GATHER
// GATHER: 0{{.*}}1{{.*}}2{{.*}}3
// GATHER: 8{{.*}}9{{.*}}10{{.*}}11
// RUN: not dlc-run %s --entry=gather --arg iota:3x4xf32 --arg 2xi64=0,3 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// OUTSIDE: 'dlc.gather' op expected indices to be within the axis, but got index 3 for extent 3
func.func @gather(%x: tensor<3x4xf32>, %i: tensor<2xi64>) -> tensor<2x4xf32> {
  %0 = dlc.gather %x, %i axis = 0 : (tensor<3x4xf32>, tensor<2xi64>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
// RUN: dlc-run %s --entry=scan --arg 5xi32=1,2,3,4,5 | FileCheck %s --check-prefix=SCAN
// SCAN: 0{{.*}}1{{.*}}3{{.*}}6{{.*}}10
func.func @scan(%x: tensor<?xi32>) -> tensor<?xi32> {
  %0 = dlc.cumulative sum %x axis = 0 {exclusive = true} : tensor<?xi32> -> tensor<?xi32>
  return %0 : tensor<?xi32>
}
// Several lines: the scratch buffers of a sort must stay apart.
// RUN: dlc-run %s --entry=sort --arg 2x4xi64=3,1,2,1,7,9,8,7 | FileCheck %s --check-prefix=SORT
// SORT: result0: 2x4xint64 = {{\[\[}}1, 1, 2, 3], [7, 7, 8, 9]]
// SORT: result1: 2x4xint64 = {{\[\[}}1, 3, 2, 0], [0, 3, 2, 1]]
func.func @sort(%x: tensor<2x4xi64>) -> (tensor<2x4xi64>, tensor<2x4xi64>) {
  %0:2 = dlc.sort %x axis = 1 : tensor<2x4xi64> -> tensor<2x4xi64>, tensor<2x4xi64>
  return %0#0, %0#1 : tensor<2x4xi64>, tensor<2x4xi64>
}
