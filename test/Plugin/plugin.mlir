// The packaged mlir-opt only warns when a plugin fails to load, so the check is an effect that only
// the plugin can have.
// RUN: mlir-opt %s --load-dialect-plugin=%dlc_plugin --pass-pipeline="builtin.module(convert-dlc-to-linalg)" | FileCheck %s

// CHECK-LABEL: func.func @loaded(
// CHECK:         linalg.generic
func.func @loaded(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = dlc.add %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
