// RUN: dlc-opt %s --dlc-tile="tile-sizes=2,4,8" --verify-diagnostics

#id = affine_map<(i, j) -> (i, j)>

func.func @too_many_sizes(%a: tensor<8x8xf32>, %out: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @below {{'linalg.generic' op expected at most 2 tile sizes, one per loop, but got 3}}
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<8x8xf32>) outs(%out : tensor<8x8xf32>) {
  ^bb0(%x: f32, %y: f32):
    %1 = arith.addf %x, %x : f32
    linalg.yield %1 : f32
  } -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
