// A causal dynamic convolution (four taps for each token and channel) and its two gradients, for two sequences of 37 tokens.
func.func @token_mixing(
    %input: tensor<2x37x64xbf16> {conv.name = "input"},
    %kernel: tensor<2x37x64x4xbf16> {conv.name = "kernel"},
    %grad_output: tensor<2x37x64xbf16> {conv.name = "grad_output"})
    -> (tensor<2x37x64xbf16> {conv.name = "output"}, tensor<2x37x64xbf16> {conv.name = "grad_input"},
        tensor<2x37x64x4xbf16> {conv.name = "grad_kernel"}) {
  %output = conv.dynamic_forward %input, %kernel order = BTGW
      : tensor<2x37x64xbf16>, tensor<2x37x64x4xbf16> -> tensor<2x37x64xbf16>
  %grad_input = conv.dynamic_backward_input %grad_output, %kernel order = BTGW
      : tensor<2x37x64xbf16>, tensor<2x37x64x4xbf16> -> tensor<2x37x64xbf16>
  %grad_kernel = conv.dynamic_backward_kernel %input, %grad_output order = BTGW
      : tensor<2x37x64xbf16>, tensor<2x37x64xbf16> -> tensor<2x37x64x4xbf16>
  return %output, %grad_input, %grad_kernel
      : tensor<2x37x64xbf16>, tensor<2x37x64xbf16>, tensor<2x37x64x4xbf16>
}
