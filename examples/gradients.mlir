// Both gradients of a 3x3 convolution with stride 2, 16 to 32 channels. The filter gradient is accumulated over steps in f32.
#window = #conv.window<strides = [2, 2], dilations = [1, 1], low = [1, 1], high = [1, 1]>
#layouts = #conv.layouts<"NHWC", "KRSC", "NPQK">

func.func @gradients(
    %input: tensor<2x14x14x16xf16> {conv.name = "input"},
    %filter: tensor<32x3x3x16xf16> {conv.name = "filter"},
    %grad_output: tensor<2x7x7x32xf16> {conv.name = "grad_output"},
    %sum: tensor<32x3x3x16xf32> {conv.name = "sum"})
    -> (tensor<2x14x14x16xf16> {conv.name = "grad_input"}, tensor<32x3x3x16xf32> {conv.name = "grad_filter"}) {
  %grad_input = conv.backward_data %grad_output, %filter window = #window layouts = #layouts
      : tensor<2x7x7x32xf16>, tensor<32x3x3x16xf16> -> tensor<2x14x14x16xf16>
  %step = conv.backward_weight %input, %grad_output window = #window layouts = #layouts
      : tensor<2x14x14x16xf16>, tensor<2x7x7x32xf16> -> tensor<32x3x3x16xf32>
  %grad_filter = arith.addf %step, %sum : tensor<32x3x3x16xf32>
  return %grad_input, %grad_filter : tensor<2x14x14x16xf16>, tensor<32x3x3x16xf32>
}
