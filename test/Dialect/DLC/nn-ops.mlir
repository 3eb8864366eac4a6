// RUN: dlc-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: func.func @softmax(
func.func @softmax(%x: tensor<?x128xf32>) -> tensor<?x128xf32> {
  // CHECK: dlc.softmax %{{.+}} {axis = -1 : i64}
  %y = dlc.softmax %x {axis = -1} : (tensor<?x128xf32>) -> tensor<?x128xf32>
  // CHECK: dlc.log_softmax %{{.+}} {axis = 1 : i64}
  %z = dlc.log_softmax %y {axis = 1} : (tensor<?x128xf32>) -> tensor<?x128xf32>
  return %z : tensor<?x128xf32>
}

// CHECK-LABEL: func.func @layer_norm(
func.func @layer_norm(%x: tensor<?x768xf32>, %s: tensor<768xf32>) -> tensor<?x768xf32> {
  // CHECK: dlc.layer_norm %{{.+}} : (tensor<?x768xf32>)
  %a = dlc.layer_norm %x : (tensor<?x768xf32>) -> tensor<?x768xf32>
  // CHECK: dlc.layer_norm %{{.+}}, %{{.+}} {axis = -2 : i64} :
  %b = dlc.layer_norm %a, %s {axis = -2} : (tensor<?x768xf32>, tensor<768xf32>) -> tensor<?x768xf32>
  // CHECK: dlc.layer_norm %{{.+}}, %{{.+}}, %{{.+}} {epsilon = {{.+}}} :
  %c = dlc.layer_norm %b, %s, %s {epsilon = 1.0e-6}
     : (tensor<?x768xf32>, tensor<768xf32>, tensor<768xf32>) -> tensor<?x768xf32>
  return %c : tensor<?x768xf32>
}

// CHECK-LABEL: func.func @norms(
func.func @norms(%x: tensor<1x32x?xbf16>, %s: tensor<32xbf16>, %r: tensor<?xbf16>) -> tensor<1x32x?xbf16> {
  // CHECK: dlc.rms_norm
  %a = dlc.rms_norm %x, %r : (tensor<1x32x?xbf16>, tensor<?xbf16>) -> tensor<1x32x?xbf16>
  // CHECK: dlc.group_norm {{.*}} {num_groups = 8 : i64}
  %b = dlc.group_norm %a, %s, %s {num_groups = 8}
     : (tensor<1x32x?xbf16>, tensor<32xbf16>, tensor<32xbf16>) -> tensor<1x32x?xbf16>
  // CHECK: dlc.instance_norm
  %c = dlc.instance_norm %b, %s, %s
     : (tensor<1x32x?xbf16>, tensor<32xbf16>, tensor<32xbf16>) -> tensor<1x32x?xbf16>
  // CHECK: dlc.batch_norm
  %d = dlc.batch_norm %c, %s, %s, %s, %s
     : (tensor<1x32x?xbf16>, tensor<32xbf16>, tensor<32xbf16>, tensor<32xbf16>, tensor<32xbf16>)
     -> tensor<1x32x?xbf16>
  return %d : tensor<1x32x?xbf16>
}

// CHECK-LABEL: func.func @attention_grouped_heads(
func.func @attention_grouped_heads(%q: tensor<2x8x?x64xf32>, %k: tensor<2x2x?x64xf32>,
    %v: tensor<2x2x?x32xf32>, %mask: tensor<?x?xi1>) -> tensor<2x8x?x32xf32> {
  // CHECK: dlc.attention %{{.+}}, %{{.+}}, %{{.+}} {is_causal = true} :
  %a = dlc.attention %q, %k, %v {is_causal = true}
     : (tensor<2x8x?x64xf32>, tensor<2x2x?x64xf32>, tensor<2x2x?x32xf32>) -> tensor<2x8x?x32xf32>
  // CHECK: dlc.attention %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} {scale = {{.+}}, softcap = {{.+}}} :
  %b = dlc.attention %q, %k, %v, %mask {scale = 0.5, softcap = 2.0}
     : (tensor<2x8x?x64xf32>, tensor<2x2x?x64xf32>, tensor<2x2x?x32xf32>, tensor<?x?xi1>)
     -> tensor<2x8x?x32xf32>
  return %b : tensor<2x8x?x32xf32>
}

// CHECK-LABEL: func.func @resize(
func.func @resize(%x: tensor<1x3x?x8xf32>, %s: f32, %n: index) -> tensor<1x3x?x16xf32> {
  // CHECK: dlc.resize nearest %{{.+}} to [1, 3, %{{.+}}, 16] :
  %a = dlc.resize nearest %x to [1, 3, %n, 16] : tensor<1x3x?x8xf32> -> tensor<1x3x?x16xf32>
  // CHECK: dlc.resize linear {{.+}} scales(%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}) to
  // CHECK-SAME: coordinates align_corners rounding ceil {antialias = true}
  %b = dlc.resize linear %a scales(%s, %s, %s, %s) to [1, 3, %n, 16] coordinates align_corners
       rounding ceil {antialias = true} : tensor<1x3x?x16xf32> -> tensor<1x3x?x16xf32>
  // CHECK: dlc.resize cubic {{.*}} coordinates tf_crop_and_resize roi [
  %c = dlc.resize cubic %b to [1, 3, %n, 16] coordinates tf_crop_and_resize roi [0.0, 0.0, 0.25, 0.0, 1.0, 1.0, 0.75, 1.0]
     : tensor<1x3x?x16xf32> -> tensor<1x3x?x16xf32>
  return %c : tensor<1x3x?x16xf32>
}
