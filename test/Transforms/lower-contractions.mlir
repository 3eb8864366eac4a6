// RUN: dlc-opt %s --dlc-lower-contractions --split-input-file --remarks-filter="dlc-.*" --verify-diagnostics | FileCheck %s
// RUN: dlc-opt %s --dlc-lower-contractions="vector-bits=512 registers=32" --split-input-file | FileCheck %s --check-prefix=AVX512

// 6 x 16 is the register tile of 16 registers of 8 elements; the zero fill is
// the start value.
// CHECK-LABEL: func.func @matmul(
// CHECK-NOT:     linalg.fill
// CHECK:         scf.parallel
// CHECK:             %[[PANEL:.+]] = memref.alloc() {alignment = 64 : i64} : memref<4096xf32>
// CHECK:             scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
// CHECK-COUNT-2:       vector.load %[[PANEL]]
// CHECK-COUNT-12:      vector.fma
// CHECK:             memref.dealloc %[[PANEL]]
// CHECK-NOT:     linalg.matmul
// AVX512-LABEL: func.func @matmul(
// AVX512:         vector.fma {{.*}} : vector<16xf32>
func.func @matmul(%a: memref<96x300xf32>, %b: memref<300x160xf32>, %c: memref<96x160xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<96x160xf32>)
  // expected-remark @below {{register tile 6 x 16, panels of B packed}}
  linalg.matmul ins(%a, %b : memref<96x300xf32>, memref<300x160xf32>) outs(%c : memref<96x160xf32>)
  return
}

// -----

// Only the last dimension of C is known to be contiguous; sizes are not known.
// CHECK-LABEL: func.func @dynamic(
// CHECK:         scf.parallel
// CHECK:           vector.fma
// CHECK:           vector.maskedstore
func.func @dynamic(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32, strided<[?, 1], offset: ?>>) {
  // expected-remark @below {{register tile 6 x 16, panels of B packed}}
  linalg.matmul ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>) outs(%c : memref<?x?xf32, strided<[?, 1], offset: ?>>)
  return
}

// -----

// The weights are the broadcast operand, the image is packed by offset tables.
// CHECK-LABEL: func.func @conv_nchw(
// CHECK:         memref.alloc({{.*}}) : memref<?xindex>
// CHECK:         scf.parallel
// CHECK:           vector.fma
// CHECK:         memref.dealloc
func.func @conv_nchw(%x: memref<1x16x30x30xf32>, %w: memref<64x16x3x3xf32>, %y: memref<1x64x28x28xf32>) {
  // expected-remark @below {{panels of B packed}}
  linalg.conv_2d_nchw_fchw ins(%x, %w : memref<1x16x30x30xf32>, memref<64x16x3x3xf32>) outs(%y : memref<1x64x28x28xf32>)
  return
}

// -----

#x = affine_map<(n, c, h, w, kh, kw) -> (n, c, h + kh, w + kw)>
#w = affine_map<(n, c, h, w, kh, kw) -> (c, kh, kw)>
#y = affine_map<(n, c, h, w, kh, kw) -> (n, c, h, w)>

// One row per channel: the image is read in place along its rows.
// CHECK-LABEL: func.func @depthwise(
// CHECK-NOT:     alignment = 64
// CHECK:         vector.fma
func.func @depthwise(%x: memref<1x8x10x34xf32>, %w: memref<8x3x3xf32>, %y: memref<1x8x8x32xf32>) {
  // expected-remark @below {{B read in place}}
  linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : memref<1x8x10x34xf32>, memref<8x3x3xf32>) outs(%y : memref<1x8x8x32xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// -----

#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (k, j)>
#c = affine_map<(i, j, k) -> (i, j)>

// The body's casts are applied while packing and broadcasting.
// CHECK-LABEL: func.func @widening_integers(
// CHECK:         arith.extui %{{.+}} : vector<8xi8> to vector<8xi32>
// CHECK:         arith.extsi %{{.+}} : i8 to i32
// CHECK:         arith.muli %{{.+}}, %{{.+}} : vector<8xi32>
func.func @widening_integers(%a: memref<32x64xi8>, %b: memref<64x32xi8>, %c: memref<32x32xi32>) {
  // expected-remark @below {{register tile}}
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<32x64xi8>, memref<64x32xi8>) outs(%c : memref<32x32xi32>) {
  ^bb0(%x: i8, %y: i8, %z: i32):
    %0 = arith.extsi %x : i8 to i32
    %1 = arith.extui %y : i8 to i32
    %2 = arith.muli %0, %1 : i32
    %3 = arith.addi %z, %2 : i32
    linalg.yield %3 : i32
  }
  return
}

// -----

#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (k, j)>
#c = affine_map<(i, j, k) -> (i, j)>

// CHECK-LABEL: func.func @negative_not_a_sum_of_products(
// CHECK:         linalg.generic
func.func @negative_not_a_sum_of_products(%a: memref<32x64xf32>, %b: memref<64x32xf32>, %c: memref<32x32xf32>) {
  // expected-remark @below {{left to plain loops: the body is not a sum of products}}
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<32x64xf32>, memref<64x32xf32>) outs(%c : memref<32x32xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.maximumf %z, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// -----

// A fill that is not zero stays.
// CHECK-LABEL: func.func @negative_fill_with_one(
// CHECK:         linalg.fill
// CHECK:         vector.fma
func.func @negative_fill_with_one(%a: memref<32x64xf32>, %b: memref<64x32xf32>, %c: memref<32x32xf32>) {
  %one = arith.constant 1.0 : f32
  linalg.fill ins(%one : f32) outs(%c : memref<32x32xf32>)
  // expected-remark @below {{register tile}}
  linalg.matmul ins(%a, %b : memref<32x64xf32>, memref<64x32xf32>) outs(%c : memref<32x32xf32>)
  return
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>

// Bias and relu are computed on the accumulators; the sums of the private
// buffer live in the output.
// CHECK-LABEL: func.func @bias_relu(
// CHECK-NOT:     memref.alloc() : memref<96x160xf32>
// CHECK:         vector.fma
// CHECK:         %[[SUM:.+]] = arith.addf {{.*}} : vector<8xf32>
// CHECK:         arith.maximumf %[[SUM]], {{.*}} : vector<8xf32>
// CHECK-NOT:     linalg.generic
func.func @bias_relu(%a: memref<96x30xf32>, %b: memref<30x160xf32>, %bias: memref<160xf32>, %out: memref<96x160xf32>) {
  %zero = arith.constant 0.0 : f32
  %c = memref.alloc() : memref<96x160xf32>
  linalg.fill ins(%zero : f32) outs(%c : memref<96x160xf32>)
  // expected-remark @below {{register tile 6 x 16, panels of B packed, consumer fused}}
  linalg.matmul ins(%a, %b : memref<96x30xf32>, memref<30x160xf32>) outs(%c : memref<96x160xf32>)
  linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c, %bias : memref<96x160xf32>, memref<160xf32>) outs(%out : memref<96x160xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %0 = arith.addf %x, %y : f32
    %1 = arith.maximumf %0, %zero : f32
    linalg.yield %1 : f32
  }
  memref.dealloc %c : memref<96x160xf32>
  return
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#transposed = affine_map<(i, j) -> (j, i)>

// CHECK-LABEL: func.func @negative_transposing_consumer(
// CHECK:         linalg.generic
func.func @negative_transposing_consumer(%a: memref<96x30xf32>, %b: memref<30x96xf32>, %c: memref<96x96xf32>, %out: memref<96x96xf32>) {
  // expected-remark @below {{no consumer fused: the consumer permutes or broadcasts the result}}
  linalg.matmul ins(%a, %b : memref<96x30xf32>, memref<30x96xf32>) outs(%c : memref<96x96xf32>)
  linalg.generic {indexing_maps = [#id, #transposed], iterator_types = ["parallel", "parallel"]}
      ins(%c : memref<96x96xf32>) outs(%out : memref<96x96xf32>) {
  ^bb0(%x: f32, %z: f32):
    linalg.yield %x : f32
  }
  return
}
