// relu(a * b + bias) for the CPU.
func.func @reference(%a: tensor<50x40xf32>, %b: tensor<40x36xf32>, %bias: tensor<36xf32>) -> tensor<50x36xf32> {
  %p = dlc.matmul %a, %b : (tensor<50x40xf32>, tensor<40x36xf32>) -> tensor<50x36xf32>
  %s = dlc.add %p, %bias : (tensor<50x36xf32>, tensor<36xf32>) -> tensor<50x36xf32>
  %r = dlc.relu %s : tensor<50x36xf32>
  return %r : tensor<50x36xf32>
}
