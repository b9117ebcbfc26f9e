// Causal convolutions of four taps in inference with continuous batching: the active sequences share a cache of eight states.
// `prefill` takes packed prompts of any lengths, and stores the last three tokens of each prompt in the state that `indices`
// names. `decode` convolves the next token of each of four sequences and updates their states in the cache in place, all in one
// kernel. A sequence whose index is outside of the cache is padding.
func.func @prefill(
    %input: tensor<1x50x256xbf16> {conv.name = "input"},
    %kernel: tensor<1x1x4x256xbf16> {conv.name = "kernel"},
    %starts: tensor<4xi64> {conv.name = "cu_seqlens"},
    %cache: tensor<8x3x256xbf16> {conv.name = "cache", conv.in_place = 1},
    %indices: tensor<3xi32> {conv.name = "indices"})
    -> (tensor<1x50x256xbf16> {conv.name = "output"}, tensor<8x3x256xbf16>) {
  %output = conv.dynamic_forward %input, %kernel cu_seqlens(%starts : tensor<4xi64>) order = BTWG
      : tensor<1x50x256xbf16>, tensor<1x1x4x256xbf16> -> tensor<1x50x256xbf16>
  %new = conv.final_state %input cu_seqlens(%starts : tensor<4xi64>) into(%cache : tensor<8x3x256xbf16>)
      indices(%indices : tensor<3xi32>) : tensor<1x50x256xbf16> -> tensor<8x3x256xbf16>
  return %output, %new : tensor<1x50x256xbf16>, tensor<8x3x256xbf16>
}

// The cache of `prefill` as states, channels and tokens; the strides describe its layout in memory.
func.func @decode(
    %input: tensor<4x256x1xbf16> {conv.name = "input"},
    %weight: tensor<256x4xbf16> {conv.name = "weight", conv.strides = array<i64: 1, 256>},
    %cache: tensor<8x256x3xbf16> {conv.name = "cache", conv.in_place = 1, conv.strides = array<i64: 768, 1, 256>},
    %indices: tensor<4xi32> {conv.name = "indices"})
    -> (tensor<4x256x1xbf16> {conv.name = "output"}, tensor<8x256x3xbf16>) {
  %output, %new = conv.causal_update %input, %weight, %cache indices(%indices : tensor<4xi32>)
      : tensor<4x256x1xbf16>, tensor<256x4xbf16>, tensor<8x256x3xbf16> -> tensor<4x256x1xbf16>, tensor<8x256x3xbf16>
  return %output, %new : tensor<4x256x1xbf16>, tensor<8x256x3xbf16>
}
