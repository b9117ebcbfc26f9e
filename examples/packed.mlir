// Packed sequences of any lengths: a causal dynamic convolution, with a kernel of four taps for each token and channel, and its two
// gradients. `cu_seqlens` has the first token of each of six sequences and the end of the last; windows do not cross sequences.
func.func @packed_token_mixing(
    %input: tensor<1x101x64xbf16> {conv.name = "input"},
    %kernel: tensor<1x101x4x64xbf16> {conv.name = "kernel"},
    %grad_output: tensor<1x101x64xbf16> {conv.name = "grad_output"},
    %starts: tensor<7xi32> {conv.name = "cu_seqlens"})
    -> (tensor<1x101x64xbf16> {conv.name = "output"}, tensor<1x101x64xbf16> {conv.name = "grad_input"},
        tensor<1x101x4x64xbf16> {conv.name = "grad_kernel"}) {
  %output = conv.dynamic_forward %input, %kernel cu_seqlens(%starts : tensor<7xi32>) order = BTWG
      : tensor<1x101x64xbf16>, tensor<1x101x4x64xbf16> -> tensor<1x101x64xbf16>
  %grad_input = conv.dynamic_backward_input %grad_output, %kernel cu_seqlens(%starts : tensor<7xi32>) order = BTWG
      : tensor<1x101x64xbf16>, tensor<1x101x4x64xbf16> -> tensor<1x101x64xbf16>
  %grad_kernel = conv.dynamic_backward_kernel %input, %grad_output cu_seqlens(%starts : tensor<7xi32>) order = BTWG
      : tensor<1x101x64xbf16>, tensor<1x101x64xbf16> -> tensor<1x101x4x64xbf16>
  return %output, %grad_input, %grad_kernel
      : tensor<1x101x64xbf16>, tensor<1x101x64xbf16>, tensor<1x101x4x64xbf16>
}
