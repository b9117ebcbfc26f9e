func.func @plain(%x: tensor<1x8x8x64xf16>, %w: tensor<64x1x1x64xf16>) -> tensor<1x8x8x64xf16> {
  %y = conv.forward %x, %w window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]> layouts = <"NHWC", "KRSC", "NPQK"> : tensor<1x8x8x64xf16>, tensor<64x1x1x64xf16> -> tensor<1x8x8x64xf16>
  return %y : tensor<1x8x8x64xf16>
}
func.func @eight_bits(%x: tensor<1x8x8x64xf8E4M3FN>, %w: tensor<64x1x1x64xf8E4M3FN>) -> tensor<1x8x8x64xf16> {
  %y = conv.forward %x, %w window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]> layouts = <"NHWC", "KRSC", "NPQK"> : tensor<1x8x8x64xf8E4M3FN>, tensor<64x1x1x64xf8E4M3FN> -> tensor<1x8x8x64xf16>
  return %y : tensor<1x8x8x64xf16>
}
