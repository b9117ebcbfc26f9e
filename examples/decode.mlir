// One more token of each of eight sequences. What a causal convolution of four taps sees before it, the last three tokens, is the
// initial state; the state of the next step is this one without its first token, and with the input behind it.
func.func @decode_step(
    %input: tensor<8x1x256xbf16> {conv.name = "input"},
    %kernel: tensor<8x1x4x256xbf16> {conv.name = "kernel"},
    %state: tensor<8x3x256xbf16> {conv.name = "initial_state"})
    -> (tensor<8x1x256xbf16> {conv.name = "output"}) {
  %output = conv.dynamic_forward %input, %kernel initial_state(%state : tensor<8x3x256xbf16>) order = BTWG
      : tensor<8x1x256xbf16>, tensor<8x1x4x256xbf16> -> tensor<8x1x256xbf16>
  return %output : tensor<8x1x256xbf16>
}
