// A chain of element-wise ops with a size that is known at run time.
func.func @reference(%x: tensor<?x33xf32>, %y: tensor<33xf32>) -> tensor<?x33xf32> {
  %a = dlc.add %x, %y : (tensor<?x33xf32>, tensor<33xf32>) -> tensor<?x33xf32>
  %b = dlc.mul %a, %x : (tensor<?x33xf32>, tensor<?x33xf32>) -> tensor<?x33xf32>
  %c = dlc.relu %b : tensor<?x33xf32>
  return %c : tensor<?x33xf32>
}
