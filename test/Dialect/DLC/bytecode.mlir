// A program survives the trip through bytecode, and the same trip through text.
// RUN: dlc-opt %s --emit-bytecode -o %t.mlirbc
// RUN: dlc-opt %t.mlirbc | FileCheck %s
// RUN: dlc-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: func.func @fusion_and_check(
// CHECK:         dlc.check_equal %{{.+}}, %{{.+}}, "expected equal sizes"
// CHECK:         dlc.fusion(
// CHECK:           dlc.add
// CHECK:           dlc.yield
func.func @fusion_and_check(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  dlc.check_equal %d, %n, "expected equal sizes"
  %y = dlc.fusion(%x : tensor<?xf32>) -> (tensor<?xf32>) {
  ^bb0(%a: tensor<?xf32>):
    %0 = dlc.add %a, %a : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    dlc.yield %0 : tensor<?xf32>
  }
  return %y : tensor<?xf32>
}
