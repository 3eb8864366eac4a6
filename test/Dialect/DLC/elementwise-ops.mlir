// RUN: dlc-opt %s --verify-roundtrip | FileCheck %s
// RUN: dlc-opt %s --dlc-fuse | FileCheck %s --check-prefix=LINALG
// RUN: dlc-opt %s --emit-bytecode | dlc-opt | FileCheck %s

// Every op in its custom form; all of them lower.
// LINALG-NOT: {{ dlc\.(add|exp|not|cast)}}

// CHECK-LABEL: func.func @unary(
func.func @unary(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  // CHECK: dlc.acos %{{.+}} : tensor<?x64xf32>
  %u0 = dlc.acos %x : tensor<?x64xf32>
  // CHECK: dlc.acosh %{{.+}} : tensor<?x64xf32>
  %u1 = dlc.acosh %u0 : tensor<?x64xf32>
  // CHECK: dlc.asin %{{.+}} : tensor<?x64xf32>
  %u2 = dlc.asin %u1 : tensor<?x64xf32>
  // CHECK: dlc.asinh %{{.+}} : tensor<?x64xf32>
  %u3 = dlc.asinh %u2 : tensor<?x64xf32>
  // CHECK: dlc.atan %{{.+}} : tensor<?x64xf32>
  %u4 = dlc.atan %u3 : tensor<?x64xf32>
  // CHECK: dlc.atanh %{{.+}} : tensor<?x64xf32>
  %u5 = dlc.atanh %u4 : tensor<?x64xf32>
  // CHECK: dlc.ceil %{{.+}} : tensor<?x64xf32>
  %u6 = dlc.ceil %u5 : tensor<?x64xf32>
  // CHECK: dlc.cos %{{.+}} : tensor<?x64xf32>
  %u7 = dlc.cos %u6 : tensor<?x64xf32>
  // CHECK: dlc.cosh %{{.+}} : tensor<?x64xf32>
  %u8 = dlc.cosh %u7 : tensor<?x64xf32>
  // CHECK: dlc.erf %{{.+}} : tensor<?x64xf32>
  %u9 = dlc.erf %u8 : tensor<?x64xf32>
  // CHECK: dlc.exp %{{.+}} : tensor<?x64xf32>
  %u10 = dlc.exp %u9 : tensor<?x64xf32>
  // CHECK: dlc.expm1 %{{.+}} : tensor<?x64xf32>
  %u11 = dlc.expm1 %u10 : tensor<?x64xf32>
  // CHECK: dlc.floor %{{.+}} : tensor<?x64xf32>
  %u12 = dlc.floor %u11 : tensor<?x64xf32>
  // CHECK: dlc.log %{{.+}} : tensor<?x64xf32>
  %u13 = dlc.log %u12 : tensor<?x64xf32>
  // CHECK: dlc.log1p %{{.+}} : tensor<?x64xf32>
  %u14 = dlc.log1p %u13 : tensor<?x64xf32>
  // CHECK: dlc.round %{{.+}} : tensor<?x64xf32>
  %u15 = dlc.round %u14 : tensor<?x64xf32>
  // CHECK: dlc.rsqrt %{{.+}} : tensor<?x64xf32>
  %u16 = dlc.rsqrt %u15 : tensor<?x64xf32>
  // CHECK: dlc.sigmoid %{{.+}} : tensor<?x64xf32>
  %u17 = dlc.sigmoid %u16 : tensor<?x64xf32>
  // CHECK: dlc.sin %{{.+}} : tensor<?x64xf32>
  %u18 = dlc.sin %u17 : tensor<?x64xf32>
  // CHECK: dlc.sinh %{{.+}} : tensor<?x64xf32>
  %u19 = dlc.sinh %u18 : tensor<?x64xf32>
  // CHECK: dlc.sqrt %{{.+}} : tensor<?x64xf32>
  %u20 = dlc.sqrt %u19 : tensor<?x64xf32>
  // CHECK: dlc.tan %{{.+}} : tensor<?x64xf32>
  %u21 = dlc.tan %u20 : tensor<?x64xf32>
  // CHECK: dlc.tanh %{{.+}} : tensor<?x64xf32>
  %u22 = dlc.tanh %u21 : tensor<?x64xf32>
  // CHECK: dlc.trunc %{{.+}} : tensor<?x64xf32>
  %u23 = dlc.trunc %u22 : tensor<?x64xf32>
  // CHECK: dlc.abs %{{.+}} : tensor<?x64xf32>
  %u24 = dlc.abs %u23 : tensor<?x64xf32>
  // CHECK: dlc.neg %{{.+}} : tensor<?x64xf32>
  %u25 = dlc.neg %u24 : tensor<?x64xf32>
  // CHECK: dlc.sign %{{.+}} : tensor<?x64xf32>
  %u26 = dlc.sign %u25 : tensor<?x64xf32>
  // CHECK: dlc.relu %{{.+}} : tensor<?x64xf32>
  %u27 = dlc.relu %u26 : tensor<?x64xf32>
  // CHECK: dlc.silu %{{.+}} : tensor<?x64xf32>
  %u28 = dlc.silu %u27 : tensor<?x64xf32>
  // CHECK: dlc.hard_swish %{{.+}} : tensor<?x64xf32>
  %u29 = dlc.hard_swish %u28 : tensor<?x64xf32>
  // CHECK: dlc.softplus %{{.+}} : tensor<?x64xf32>
  %u30 = dlc.softplus %u29 : tensor<?x64xf32>
  // CHECK: dlc.mish %{{.+}} : tensor<?x64xf32>
  %u31 = dlc.mish %u30 : tensor<?x64xf32>
  %r = dlc.relu %u31 {fastmath = #arith.fastmath<nnan>} : tensor<?x64xf32>
  return %r : tensor<?x64xf32>
}

// CHECK-LABEL: func.func @binary(
func.func @binary(%x: tensor<?x64xf16>, %y: tensor<64xf16>) -> tensor<?x64xf16> {
  // CHECK: dlc.add %{{.+}}, %{{.+}} : (tensor<?x64xf16>, tensor<64xf16>) -> tensor<?x64xf16>
  %u0 = dlc.add %x, %y : (tensor<?x64xf16>, tensor<64xf16>) -> tensor<?x64xf16>
  // CHECK: dlc.sub %{{.+}}, %{{.+}} : (tensor<?x64xf16>, tensor<64xf16>) -> tensor<?x64xf16>
  %u1 = dlc.sub %u0, %y : (tensor<?x64xf16>, tensor<64xf16>) -> tensor<?x64xf16>
  // CHECK: dlc.mul %{{.+}}, %{{.+}} : (tensor<?x64xf16>, tensor<64xf16>) -> tensor<?x64xf16>
  %u2 = dlc.mul %u1, %y : (tensor<?x64xf16>, tensor<64xf16>) -> tensor<?x64xf16>
  // CHECK: dlc.div %{{.+}}, %{{.+}} : (tensor<?x64xf16>, tensor<64xf16>) -> tensor<?x64xf16>
  %u3 = dlc.div %u2, %y : (tensor<?x64xf16>, tensor<64xf16>) -> tensor<?x64xf16>
  // CHECK: dlc.floor_div %{{.+}}, %{{.+}} : (tensor<?x64xf16>, tensor<64xf16>) -> tensor<?x64xf16>
  %u4 = dlc.floor_div %u3, %y : (tensor<?x64xf16>, tensor<64xf16>) -> tensor<?x64xf16>
  // CHECK: dlc.rem %{{.+}}, %{{.+}} : (tensor<?x64xf16>, tensor<64xf16>) -> tensor<?x64xf16>
  %u5 = dlc.rem %u4, %y : (tensor<?x64xf16>, tensor<64xf16>) -> tensor<?x64xf16>
  // CHECK: dlc.mod %{{.+}}, %{{.+}} : (tensor<?x64xf16>, tensor<64xf16>) -> tensor<?x64xf16>
  %u6 = dlc.mod %u5, %y : (tensor<?x64xf16>, tensor<64xf16>) -> tensor<?x64xf16>
  // CHECK: dlc.maximum %{{.+}}, %{{.+}} : (tensor<?x64xf16>, tensor<64xf16>) -> tensor<?x64xf16>
  %u7 = dlc.maximum %u6, %y : (tensor<?x64xf16>, tensor<64xf16>) -> tensor<?x64xf16>
  // CHECK: dlc.minimum %{{.+}}, %{{.+}} : (tensor<?x64xf16>, tensor<64xf16>) -> tensor<?x64xf16>
  %u8 = dlc.minimum %u7, %y : (tensor<?x64xf16>, tensor<64xf16>) -> tensor<?x64xf16>
  // CHECK: dlc.atan2 %{{.+}}, %{{.+}} : (tensor<?x64xf16>, tensor<64xf16>) -> tensor<?x64xf16>
  %u9 = dlc.atan2 %u8, %y : (tensor<?x64xf16>, tensor<64xf16>) -> tensor<?x64xf16>
  // CHECK: dlc.pow %{{.+}}, %{{.+}} : (tensor<?x64xf16>, tensor<64xf16>) -> tensor<?x64xf16>
  %u10 = dlc.pow %u9, %y : (tensor<?x64xf16>, tensor<64xf16>) -> tensor<?x64xf16>
  %r = dlc.add %u10, %y : (tensor<?x64xf16>, tensor<64xf16>) -> tensor<?x64xf16>
  return %r : tensor<?x64xf16>
}

// CHECK-LABEL: func.func @integers_of_zero_size(
func.func @integers_of_zero_size(%x: tensor<0x3xi8>, %y: tensor<3xi8>) -> tensor<0x3xi8> {
  // CHECK: dlc.add
  %u0 = dlc.add %x, %y : (tensor<0x3xi8>, tensor<3xi8>) -> tensor<0x3xi8>
  // CHECK: dlc.sub
  %u1 = dlc.sub %u0, %y : (tensor<0x3xi8>, tensor<3xi8>) -> tensor<0x3xi8>
  // CHECK: dlc.mul
  %u2 = dlc.mul %u1, %y : (tensor<0x3xi8>, tensor<3xi8>) -> tensor<0x3xi8>
  // CHECK: dlc.div
  %u3 = dlc.div %u2, %y : (tensor<0x3xi8>, tensor<3xi8>) -> tensor<0x3xi8>
  // CHECK: dlc.floor_div
  %u4 = dlc.floor_div %u3, %y : (tensor<0x3xi8>, tensor<3xi8>) -> tensor<0x3xi8>
  // CHECK: dlc.rem
  %u5 = dlc.rem %u4, %y : (tensor<0x3xi8>, tensor<3xi8>) -> tensor<0x3xi8>
  // CHECK: dlc.mod
  %u6 = dlc.mod %u5, %y : (tensor<0x3xi8>, tensor<3xi8>) -> tensor<0x3xi8>
  // CHECK: dlc.maximum
  %u7 = dlc.maximum %u6, %y : (tensor<0x3xi8>, tensor<3xi8>) -> tensor<0x3xi8>
  // CHECK: dlc.minimum
  %u8 = dlc.minimum %u7, %y : (tensor<0x3xi8>, tensor<3xi8>) -> tensor<0x3xi8>
  // CHECK: dlc.and
  %u9 = dlc.and %u8, %y : (tensor<0x3xi8>, tensor<3xi8>) -> tensor<0x3xi8>
  // CHECK: dlc.or
  %u10 = dlc.or %u9, %y : (tensor<0x3xi8>, tensor<3xi8>) -> tensor<0x3xi8>
  // CHECK: dlc.xor
  %u11 = dlc.xor %u10, %y : (tensor<0x3xi8>, tensor<3xi8>) -> tensor<0x3xi8>
  // CHECK: dlc.shift_left
  %u12 = dlc.shift_left %u11, %y : (tensor<0x3xi8>, tensor<3xi8>) -> tensor<0x3xi8>
  // CHECK: dlc.shift_right
  %u13 = dlc.shift_right %u12, %y : (tensor<0x3xi8>, tensor<3xi8>) -> tensor<0x3xi8>
  // CHECK: dlc.pow
  %u14 = dlc.pow %u13, %y : (tensor<0x3xi8>, tensor<3xi8>) -> tensor<0x3xi8>
  // CHECK: dlc.div %{{.+}}, %{{.+}} {is_unsigned}
  %d = dlc.div %u14, %y {is_unsigned} : (tensor<0x3xi8>, tensor<3xi8>) -> tensor<0x3xi8>
  // CHECK: dlc.not
  %r = dlc.not %d : tensor<0x3xi8>
  return %r : tensor<0x3xi8>
}

// CHECK-LABEL: func.func @rank_zero(
func.func @rank_zero(%x: tensor<f32>) -> tensor<f32> {
  // CHECK: dlc.is_nan
  %n = dlc.is_nan %x : tensor<f32>
  // CHECK: dlc.is_inf %{{.+}} {detect_negative = false}
  %i = dlc.is_inf %x {detect_negative = false} : tensor<f32>
  // CHECK: dlc.compare ge
  %c = dlc.compare ge %x, %x : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %o = dlc.or %n, %i : (tensor<i1>, tensor<i1>) -> tensor<i1>
  %a = dlc.and %o, %c : (tensor<i1>, tensor<i1>) -> tensor<i1>
  // CHECK: dlc.gelu %{{.+}} {approximate = #dlc<gelu_approximation tanh>}
  %g = dlc.gelu %x {approximate = #dlc<gelu_approximation tanh>} : tensor<f32>
  %l = dlc.leaky_relu %g {alpha = 0.3 : f64} : tensor<f32>
  %e = dlc.elu %l : tensor<f32>
  %h = dlc.hard_sigmoid %e : tensor<f32>
  // CHECK: dlc.clamp
  %k = dlc.clamp %h, %x, %e : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  // CHECK: dlc.select
  %s = dlc.select %a, %k, %x : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
  // CHECK: dlc.bitcast %{{.+}} : tensor<f32> to tensor<i32>
  %b = dlc.bitcast %s : tensor<f32> to tensor<i32>
  // CHECK: dlc.cast %{{.+}} {saturate = false} : tensor<i32> to tensor<f8E4M3FN>
  %f8 = dlc.cast %b {saturate = false} : tensor<i32> to tensor<f8E4M3FN>
  %r = dlc.cast %f8 : tensor<f8E4M3FN> to tensor<f32>
  return %r : tensor<f32>
}

// CHECK-LABEL: func.func @quantization(
func.func @quantization(%x: tensor<?x64xf32>, %s: tensor<64xf32>, %z: tensor<64xi8>) -> tensor<?x64xf32> {
  // CHECK: dlc.quantize
  %0 = dlc.quantize %x, %s, %z {axis = 1 : i64, is_unsigned} : (tensor<?x64xf32>, tensor<64xf32>, tensor<64xi8>) -> tensor<?x64xi8>
  // CHECK: dlc.dequantize
  %r = dlc.dequantize %0, %s, %z {axis = 1 : i64, is_unsigned} : (tensor<?x64xi8>, tensor<64xf32>, tensor<64xi8>) -> tensor<?x64xf32>
  return %r : tensor<?x64xf32>
}
