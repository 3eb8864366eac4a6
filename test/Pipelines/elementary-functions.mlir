// RUN: dlc-opt --pass-pipeline="builtin.module(dlc-cpu-pipeline)" %s \
// RUN:   | FileCheck %s --implicit-check-not="{{(call @|intr\.)(exp|tanh|erf|log|sin|pow|rsqrt|tan)}}"

// Calls and the intrinsics that become calls would keep LLVM from vectorising
// the loop.
// CHECK: llvm.intr.fma
func.func @main(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %empty = tensor.empty() : tensor<1000xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}
      ins(%x : tensor<1000xf32>) outs(%empty : tensor<1000xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = math.exp %a : f32
    %1 = math.tanh %0 : f32
    %2 = math.erf %1 : f32
    %3 = math.log %2 : f32
    %4 = math.sin %3 : f32
    %5 = math.powf %4, %a : f32
    %6 = math.rsqrt %5 : f32
    %7 = math.log1p %6 : f32
    %8 = math.expm1 %7 : f32
    %9 = math.tan %8 : f32
    linalg.yield %9 : f32
  } -> tensor<1000xf32>
  return %y : tensor<1000xf32>
}
