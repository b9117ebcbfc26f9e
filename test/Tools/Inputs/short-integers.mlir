func.func @short(%x: tensor<1x4x4x8xi16>, %w: tensor<3x3x8x8xi16>) -> tensor<1x2x2x8xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<1x2x2x8xi32>
  %i = linalg.fill ins(%zero : i32) outs(%e : tensor<1x2x2x8xi32>) -> tensor<1x2x2x8xi32>
  %y = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<1x4x4x8xi16>, tensor<3x3x8x8xi16>)
      outs(%i : tensor<1x2x2x8xi32>) -> tensor<1x2x2x8xi32>
  return %y : tensor<1x2x2x8xi32>
}
