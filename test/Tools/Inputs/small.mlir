// The smallest convolution that tests of tools need.
func.func @small(%x: tensor<1x4x4x8xf16>, %w: tensor<8x3x3x8xf16>)
    -> tensor<1x4x4x8xf16> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<1x4x4x8xf16>, tensor<8x3x3x8xf16> -> tensor<1x4x4x8xf16>
  return %y : tensor<1x4x4x8xf16>
}
