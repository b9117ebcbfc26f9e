// RUN: conv-opt %s --split-input-file --verify-diagnostics

// Channels are known when a kernel is built.
func.func @k11_channels(%x: tensor<?x?x?xf16>, %k: tensor<?x?x8x4xf16>) {
  // expected-error @below {{expects input of rank 3 with static sizes after B and T, but got 'tensor<?x?x?xf16>'}}
  %y = conv.dynamic_forward %x, %k order = BTGW : tensor<?x?x?xf16>, tensor<?x?x8x4xf16> -> tensor<?x?x?xf16>
  return
}

// -----

// So are taps.
func.func @k11_taps(%x: tensor<?x?x8xf16>, %k: tensor<?x?x8x?xf16>) {
  // expected-error @below {{expects kernel of rank 4 with static sizes after B and T, but got 'tensor<?x?x8x?xf16>'}}
  %y = conv.dynamic_forward %x, %k order = BTGW : tensor<?x?x8xf16>, tensor<?x?x8x?xf16> -> tensor<?x?x8xf16>
  return
}

// -----

// T is a number in all tensors, or in none.
func.func @k11_one_of_two(%x: tensor<2x?x8xf16>, %k: tensor<2x7x8x4xf16>) {
  // expected-error @below {{expects kernel with B and T of 2 and ?, or 1 and 1, but got 'tensor<2x7x8x4xf16>'}}
  %y = conv.dynamic_forward %x, %k order = BTGW : tensor<2x?x8xf16>, tensor<2x7x8x4xf16> -> tensor<2x?x8xf16>
  return
}

// -----

func.func @k11_result(%x: tensor<2x?x8xf16>, %k: tensor<2x?x8x4xf16>) {
  // expected-error @below {{expects input and output of one shape, but got 'tensor<2x?x8xf16>' and 'tensor<2x7x8xf16>'}}
  %y = conv.dynamic_forward %x, %k order = BTGW : tensor<2x?x8xf16>, tensor<2x?x8x4xf16> -> tensor<2x7x8xf16>
  return
}

// -----

// Packed sequences are one batch, whatever its length is.
func.func @k9_batch(%x: tensor<?x?x8xf16>, %k: tensor<?x?x8x4xf16>, %s: tensor<?xi32>) {
  // expected-error @below {{expects B of 1 and T of at most 2^30 with cu_seqlens, but got ? and ?}}
  %y = conv.dynamic_forward %x, %k cu_seqlens(%s : tensor<?xi32>) order = BTGW
      : tensor<?x?x8xf16>, tensor<?x?x8x4xf16> -> tensor<?x?x8xf16>
  return
}

// -----

// The state has a row for each sequence.
func.func @k10_state(%x: tensor<?x?x8xf16>, %k: tensor<?x?x8x4xf16>, %s: tensor<2x3x8xf16>) {
  // expected-error @below {{expects an initial_state of positive sizes and type 'tensor<?x3x8xf16>', but got 'tensor<2x3x8xf16>'}}
  %y = conv.dynamic_forward %x, %k initial_state(%s : tensor<2x3x8xf16>) order = BTGW
      : tensor<?x?x8xf16>, tensor<?x?x8x4xf16> -> tensor<?x?x8xf16>
  return
}

// -----

// A step has a static number of tokens.
func.func @u8_tokens(%x: tensor<?x8x?xf16>, %w: tensor<8x4xf16>, %s: tensor<?x8x3xf16>) {
  // expected-error @below {{expects input of rank 3 with static sizes after the first, but got 'tensor<?x8x?xf16>'}}
  %y, %n = conv.causal_update %x, %w, %s
      : tensor<?x8x?xf16>, tensor<8x4xf16>, tensor<?x8x3xf16> -> tensor<?x8x?xf16>, tensor<?x8x3xf16>
  return
}

// -----

// Without indices, there is a state for each sequence.
func.func @u8_states(%x: tensor<2x8x1xf16>, %w: tensor<8x4xf16>, %s: tensor<?x8x3xf16>) {
  // expected-error @below {{expects a state for each of 2 sequences without indices, but got ?}}
  %y, %n = conv.causal_update %x, %w, %s
      : tensor<2x8x1xf16>, tensor<8x4xf16>, tensor<?x8x3xf16> -> tensor<2x8x1xf16>, tensor<?x8x3xf16>
  return
}

// -----

// Each sequence has an index.
func.func @u8_indices(%x: tensor<?x8x1xf16>, %w: tensor<8x4xf16>, %s: tensor<?x8x3xf16>, %i: tensor<4xi32>) {
  // expected-error @below {{expects indices to be a vector of ? elements of i32 or i64, but got 'tensor<4xi32>'}}
  %y, %n = conv.causal_update %x, %w, %s indices(%i : tensor<4xi32>)
      : tensor<?x8x1xf16>, tensor<8x4xf16>, tensor<?x8x3xf16> -> tensor<?x8x1xf16>, tensor<?x8x3xf16>
  return
}

// -----

// States of packed sequences have no run-time sizes.
func.func @e5_packed(%x: tensor<1x?x8xf16>, %s: tensor<5xi32>) {
  // expected-error @below {{expects a static input of rank 3, but got 'tensor<1x?x8xf16>'}}
  %r = conv.final_state %x cu_seqlens(%s : tensor<5xi32>) : tensor<1x?x8xf16> -> tensor<4x3x8xf16>
  return
}

// -----

func.func @e5_result(%x: tensor<?x?x8xf16>) {
  // expected-error @below {{expects result of type 'tensor<?x3x8xf16>', but got 'tensor<2x3x8xf16>'}}
  %r = conv.final_state %x : tensor<?x?x8xf16> -> tensor<2x3x8xf16>
  return
}

// -----

func.func @l4_state(%dy: tensor<?x?x8xf16>, %k: tensor<?x?x8x4xf16>) {
  // expected-error @below {{expects grad_state of type 'tensor<?x3x8xf16>', but got 'tensor<2x3x8xf16>'}}
  %ds = conv.dynamic_backward_state %dy, %k order = BTGW : tensor<?x?x8xf16>, tensor<?x?x8x4xf16> -> tensor<2x3x8xf16>
  return
}

// -----

// There may be any number of rows, so that nothing is farther out.
// expected-error @below {{expects conv.strides of argument 0 to be strides of elements that do not overlap, but got array<i64: 8, 1, 64> for 'tensor<?x8x4xf16>'}}
func.func @n4_open_inside(%x: tensor<?x8x4xf16> {conv.strides = array<i64: 8, 1, 64>}) {
  return
}
