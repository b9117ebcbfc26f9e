// Convolutions with equal parts: each has a result of its own.

#window = #conv.window<strides = [2, 2], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#layouts = #conv.layouts<"NHWC", "KRSC", "NPQK">

// Both gradients start with zeros for what their windows leave out.
func.func @zeros(%a: tensor<1x3x3x8xf16>, %b: tensor<1x3x3x8xf16>, %w: tensor<8x1x1x16xf16>)
    -> (tensor<1x5x5x16xf16>, tensor<1x5x5x16xf16>) {
  %da = conv.backward_data %a, %w window = #window layouts = #layouts
      : tensor<1x3x3x8xf16>, tensor<8x1x1x16xf16> -> tensor<1x5x5x16xf16>
  %db = conv.backward_data %b, %w window = #window layouts = #layouts
      : tensor<1x3x3x8xf16>, tensor<8x1x1x16xf16> -> tensor<1x5x5x16xf16>
  return %da, %db : tensor<1x5x5x16xf16>, tensor<1x5x5x16xf16>
}

// The same convolution twice.
func.func @twice(%x: tensor<1x5x5x16xf16>, %w: tensor<8x1x1x16xf16>)
    -> (tensor<1x3x3x8xf16>, tensor<1x3x3x8xf16>) {
  %y = conv.forward %x, %w window = #window layouts = #layouts
      : tensor<1x5x5x16xf16>, tensor<8x1x1x16xf16> -> tensor<1x3x3x8xf16>
  %z = conv.forward %x, %w window = #window layouts = #layouts
      : tensor<1x5x5x16xf16>, tensor<8x1x1x16xf16> -> tensor<1x3x3x8xf16>
  return %y, %z : tensor<1x3x3x8xf16>, tensor<1x3x3x8xf16>
}
