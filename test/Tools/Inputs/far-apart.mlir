// Few elements, the images or channels of which are more than 2^31 elements apart, in one tensor of each function.

#window = #conv.window<strides = [2, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
#layouts = #conv.layouts<"NHWC", "KRSC", "NPQK">

func.func @forward_input(%x: tensor<2x7x5x8xf16> {conv.name = "input", conv.strides = array<i64: 2147483656, 40, 8, 1>},
                         %w: tensor<12x3x3x8xf16> {conv.name = "filter"})
    -> (tensor<2x4x5x12xf16> {conv.name = "output"}) {
  %y = conv.forward %x, %w window = #window layouts = #layouts
      : tensor<2x7x5x8xf16>, tensor<12x3x3x8xf16> -> tensor<2x4x5x12xf16>
  return %y : tensor<2x4x5x12xf16>
}

func.func @forward_output(%x: tensor<2x7x5x8xf16> {conv.name = "input"}, %w: tensor<12x3x3x8xf16> {conv.name = "filter"})
    -> (tensor<2x4x5x12xf16> {conv.name = "output", conv.strides = array<i64: 2147483668, 60, 12, 1>}) {
  %y = conv.forward %x, %w window = #window layouts = #layouts
      : tensor<2x7x5x8xf16>, tensor<12x3x3x8xf16> -> tensor<2x4x5x12xf16>
  return %y : tensor<2x4x5x12xf16>
}

func.func @backward_data_filter(%dy: tensor<2x4x5x12xf16> {conv.name = "grad_output"},
                                %w: tensor<12x3x3x8xf16> {conv.name = "filter", conv.strides = array<i64: 214748368, 24, 8, 1>})
    -> (tensor<2x7x5x8xf16> {conv.name = "grad_input"}) {
  %dx = conv.backward_data %dy, %w window = #window layouts = #layouts
      : tensor<2x4x5x12xf16>, tensor<12x3x3x8xf16> -> tensor<2x7x5x8xf16>
  return %dx : tensor<2x7x5x8xf16>
}

func.func @backward_data_grad_input(%dy: tensor<2x4x5x12xf16> {conv.name = "grad_output"}, %w: tensor<12x3x3x8xf16> {conv.name = "filter"})
    -> (tensor<2x7x5x8xf16> {conv.name = "grad_input", conv.strides = array<i64: 2147483656, 40, 8, 1>}) {
  %dx = conv.backward_data %dy, %w window = #window layouts = #layouts
      : tensor<2x4x5x12xf16>, tensor<12x3x3x8xf16> -> tensor<2x7x5x8xf16>
  return %dx : tensor<2x7x5x8xf16>
}

func.func @backward_weight_grad_output(%x: tensor<2x7x5x8xf16> {conv.name = "input"},
                                       %dy: tensor<2x4x5x12xf16> {conv.name = "grad_output", conv.strides = array<i64: 2147483668, 60, 12, 1>})
    -> (tensor<12x3x3x8xf32> {conv.name = "grad_filter"}) {
  %dw = conv.backward_weight %x, %dy window = #window layouts = #layouts
      : tensor<2x7x5x8xf16>, tensor<2x4x5x12xf16> -> tensor<12x3x3x8xf32>
  return %dw : tensor<12x3x3x8xf32>
}

func.func @backward_weight_grad_filter(%x: tensor<2x7x5x8xf16> {conv.name = "input"}, %dy: tensor<2x4x5x12xf16> {conv.name = "grad_output"})
    -> (tensor<12x3x3x8xf16> {conv.name = "grad_filter", conv.strides = array<i64: 214748368, 24, 8, 1>}) {
  %dw = conv.backward_weight %x, %dy window = #window layouts = #layouts
      : tensor<2x7x5x8xf16>, tensor<2x4x5x12xf16> -> tensor<12x3x3x8xf16>
  return %dw : tensor<12x3x3x8xf16>
}
