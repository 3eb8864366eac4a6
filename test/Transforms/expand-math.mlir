// RUN: dlc-opt --dlc-expand-math %s | FileCheck %s

// The bits of a denormal result come from an integer subtraction, not from
// arithmetic on denormal numbers.
// CHECK-LABEL: func.func @exp(
// CHECK-SAME: %[[X:.*]]: f32
// CHECK-NOT: math.exp
// CHECK: %[[POWER:.*]] = arith.shli
// CHECK: %[[SCALE:.*]] = arith.bitcast %{{.*}} : i32 to f32
// CHECK: %[[UNITS:.*]] = math.fma %{{.*}}, %[[SCALE]], %{{.*}} : f32
// CHECK: %[[BITS:.*]] = arith.bitcast %[[UNITS]] : f32 to i32
// CHECK: %[[DENORMAL:.*]] = arith.addi %[[BITS]], %{{.*}} : i32
// CHECK: arith.select %{{.*}}, %[[DENORMAL]], %{{.*}} : i32
// CHECK: return
func.func @exp(%x: f32) -> f32 {
  %0 = math.exp %x : f32
  return %0 : f32
}

// CHECK-LABEL: func.func @vector(
// CHECK-NOT: math.tanh
// CHECK: arith.divf {{.*}} : vector<4x8xf32>
// CHECK: math.copysign {{.*}} : vector<4x8xf32>
func.func @vector(%x: vector<4x8xf32>) -> vector<4x8xf32> {
  %0 = math.tanh %x : vector<4x8xf32>
  return %0 : vector<4x8xf32>
}

// CHECK-LABEL: func.func @scalable(
// CHECK-NOT: math.log
// CHECK: math.fma {{.*}} : vector<[4]xf32>
func.func @scalable(%x: vector<[4]xf32>) -> vector<[4]xf32> {
  %0 = math.log %x : vector<[4]xf32>
  return %0 : vector<[4]xf32>
}

// CHECK-LABEL: func.func @rank_0(
// CHECK-NOT: math.sin
// CHECK: return %{{.*}} : vector<f32>
func.func @rank_0(%x: vector<f32>) -> vector<f32> {
  %0 = math.sin %x : vector<f32>
  return %0 : vector<f32>
}

// Narrower floats compute in f32 and round once.
// CHECK-LABEL: func.func @bf16(
// CHECK-SAME: %[[X:.*]]: bf16
// CHECK: arith.extf %[[X]] : bf16 to f32
// CHECK-NOT: math.erf
// CHECK-NOT: truncf {{.*}} f32 to bf16
// CHECK: %[[Y:.*]] = arith.truncf %{{.*}} : f32 to bf16
// CHECK-NEXT: return %[[Y]]
func.func @bf16(%x: bf16) -> bf16 {
  %0 = math.erf %x : bf16
  return %0 : bf16
}

// CHECK-LABEL: func.func @inside_linalg(
// CHECK: linalg.generic
// CHECK-NOT: math.rsqrt
// CHECK: math.sqrt
// CHECK: linalg.yield
func.func @inside_linalg(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%x : tensor<?xf32>) {
  ^bb0(%a: f32):
    %1 = math.rsqrt %a : f32
    linalg.yield %1 : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// One reduction of the argument serves both results.
// CHECK-LABEL: func.func @sincos(
// CHECK: math.roundeven
// CHECK-NOT: math.roundeven
// CHECK: return
func.func @sincos(%x: f32) -> (f32, f32) {
  %0, %1 = math.sincos %x : f32
  return %0, %1 : f32, f32
}

// No op of the list remains, and no branch or call appears.
// CHECK-LABEL: func.func @all(
// CHECK-NOT: {{math\.(a?sin|a?cos|a?tan|exp|log|pow|erf|cbrt|rsqrt)}}
// CHECK-NOT: {{cf\.|scf\.|call}}
// CHECK: return
func.func @all(%x: f32, %y: f32) -> f32 {
  %0 = math.acos %x : f32
  %1 = math.acosh %0 : f32
  %2 = math.asin %1 : f32
  %3 = math.asinh %2 : f32
  %4 = math.atan %3 : f32
  %5 = math.atan2 %4, %y : f32
  %6 = math.atanh %5 : f32
  %7 = math.cbrt %6 : f32
  %8 = math.cos %7 : f32
  %9 = math.cosh %8 : f32
  %10 = math.erf %9 : f32
  %11 = math.erfc %10 : f32
  %12 = math.exp %11 : f32
  %13 = math.exp2 %12 : f32
  %14 = math.expm1 %13 : f32
  %15 = math.log %14 : f32
  %16 = math.log10 %15 : f32
  %17 = math.log1p %16 : f32
  %18 = math.log2 %17 : f32
  %19 = math.powf %18, %y : f32
  %20 = math.rsqrt %19 : f32
  %21 = math.sin %20 : f32
  %22 = math.sinh %21 : f32
  %23 = math.tan %22 : f32
  %24 = math.tanh %23 : f32
  return %24 : f32
}

// f64, tensors and the ops that have an instruction stay.
// CHECK-LABEL: func.func @left_alone(
// CHECK: math.exp %{{.*}} : f64
// CHECK: math.powf %{{.*}} : f64
// CHECK: math.exp %{{.*}} : tensor<4xf32>
// CHECK: math.floor %{{.*}} : f32
// CHECK: math.sqrt %{{.*}} : f32
// CHECK: math.ctpop %{{.*}} : i32
func.func @left_alone(%x: f64, %t: tensor<4xf32>, %f: f32, %i: i32)
    -> (f64, tensor<4xf32>, f32, i32) {
  %0 = math.exp %x : f64
  %1 = math.powf %0, %x : f64
  %2 = math.exp %t : tensor<4xf32>
  %3 = math.floor %f : f32
  %4 = math.sqrt %3 : f32
  %5 = math.ctpop %i : i32
  return %1, %2, %4, %5 : f64, tensor<4xf32>, f32, i32
}

// exp(x) - 1 would lose every digit near 0, so that these two are calls.
// CHECK-LABEL: func.func @calls(
// CHECK: call @expm1(%{{.*}}) : (f64) -> f64
// CHECK-COUNT-2: call @log1p(%{{.*}}) : (f64) -> f64
// CHECK: return
func.func @calls(%x: f64, %v: vector<2xf64>) -> (f64, vector<2xf64>) {
  %0 = math.expm1 %x : f64
  %1 = math.log1p %v : vector<2xf64>
  return %0, %1 : f64, vector<2xf64>
}

// The lowest bit of the power decides the sign.
// CHECK-LABEL: func.func @integer_power(
// CHECK-SAME: %[[X:.*]]: f32, %[[N:.*]]: i64
// CHECK: arith.sitofp %[[N]] : i64 to f64
// CHECK-NOT: math.fpowi
// CHECK: arith.andi %[[N]]
// CHECK: return
func.func @integer_power(%x: f32, %n: i64) -> f32 {
  %0 = math.fpowi %x, %n : f32, i64
  return %0 : f32
}

// CHECK-LABEL: func.func @integer_power_f64(
// CHECK: math.powf %{{.*}} : f64
func.func @integer_power_f64(%x: f64, %n: i32) -> f64 {
  %0 = math.fpowi %x, %n : f64, i32
  return %0 : f64
}
