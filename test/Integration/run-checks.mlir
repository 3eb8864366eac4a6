// A failed size check ends the call with status 3 and its text.
// RUN: dlc-run %s --arg zeros:2x2xf32 | FileCheck %s --check-prefix=OK
// OK: result0: int64 = 2
// RUN: sh -c 'dlc-run %s --arg zeros:2x3xf32 2>%t.err; test $? = 3'
// RUN: FileCheck %s < %t.err
// CHECK: dlc-run: error: 'dlc.add' op expected a square, but got 2 and 3
func.func @square(%x: tensor<?x?xf32>) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d0 = tensor.dim %x, %c0 : tensor<?x?xf32>
  %d1 = tensor.dim %x, %c1 : tensor<?x?xf32>
  dlc.check_equal %d0, %d1, "'dlc.add' op expected a square"
  return %d0 : index
}
