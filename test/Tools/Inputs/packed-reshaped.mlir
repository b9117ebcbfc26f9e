// Starts that come as a matrix.
func.func @reshaped(%x: tensor<1x70x8xf32>, %k: tensor<1x70x3x8xf32>, %s: tensor<1x5xi32>) -> tensor<1x70x8xf32> {
  %starts = tensor.collapse_shape %s [[0, 1]] : tensor<1x5xi32> into tensor<5xi32>
  %y = conv.dynamic_forward %x, %k cu_seqlens(%starts : tensor<5xi32>) order = BTWG
      : tensor<1x70x8xf32>, tensor<1x70x3x8xf32> -> tensor<1x70x8xf32>
  return %y : tensor<1x70x8xf32>
}

// And with gaps between them.
func.func @strided(%x: tensor<1x70x8xf32>, %k: tensor<1x70x3x8xf32>, %s: tensor<5xi32> {conv.strides = array<i64: 3>}) -> tensor<1x70x8xf32> {
  %y = conv.dynamic_forward %x, %k cu_seqlens(%s : tensor<5xi32>) order = BTWG
      : tensor<1x70x8xf32>, tensor<1x70x3x8xf32> -> tensor<1x70x8xf32>
  return %y : tensor<1x70x8xf32>
}
