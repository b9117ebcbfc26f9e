// RUN: conv-opt %s --split-input-file --verify-diagnostics

// Tokens of channels are in rows.
func.func @u1_rank(%x: tensor<2x8xf16>, %w: tensor<8x4xf16>, %s: tensor<2x8x3xf16>) {
  // expected-error @below {{expects input of rank 3 with static sizes after the first, but got 'tensor<2x8xf16>'}}
  %y, %n = conv.causal_update %x, %w, %s : tensor<2x8xf16>, tensor<8x4xf16>, tensor<2x8x3xf16> -> tensor<2x8x1xf16>, tensor<2x8x3xf16>
  return
}

// -----

// Without indices, there is a state for each sequence.
func.func @u4_open_states(%x: tensor<2x8x1xf16>, %w: tensor<8x4xf16>, %s: tensor<?x8x3xf16>) {
  // expected-error @below {{expects a state for each of 2 sequences without indices, but got ?}}
  %y, %n = conv.causal_update %x, %w, %s : tensor<2x8x1xf16>, tensor<8x4xf16>, tensor<?x8x3xf16> -> tensor<2x8x1xf16>, tensor<?x8x3xf16>
  return
}

// -----

// There is a token.
func.func @u1_empty(%x: tensor<2x8x0xf16>, %w: tensor<8x4xf16>, %s: tensor<2x8x3xf16>) {
  // expected-error @below {{expects positive sizes and less than 2^63 bytes of input, but got 'tensor<2x8x0xf16>'}}
  %y, %n = conv.causal_update %x, %w, %s : tensor<2x8x0xf16>, tensor<8x4xf16>, tensor<2x8x3xf16> -> tensor<2x8x1xf16>, tensor<2x8x3xf16>
  return
}

// -----

// There is a result for each token.
func.func @u1_output(%x: tensor<2x8x1xf16>, %w: tensor<8x4xf16>, %s: tensor<2x8x3xf16>) {
  // expected-error @below {{expects output of type 'tensor<2x8x1xf16>', but got 'tensor<2x8x2xf16>'}}
  %y, %n = conv.causal_update %x, %w, %s : tensor<2x8x1xf16>, tensor<8x4xf16>, tensor<2x8x3xf16> -> tensor<2x8x2xf16>, tensor<2x8x3xf16>
  return
}

// -----

// Each channel has a filter.
func.func @u1_weight(%x: tensor<2x8x1xf16>, %w: tensor<7x4xf16>, %s: tensor<2x8x3xf16>) {
  // expected-error @below {{expects weight of type 'tensor<8x4xf16>', but got 'tensor<7x4xf16>'}}
  %y, %n = conv.causal_update %x, %w, %s : tensor<2x8x1xf16>, tensor<7x4xf16>, tensor<2x8x3xf16> -> tensor<2x8x1xf16>, tensor<2x8x3xf16>
  return
}

// -----

// States have the channels.
func.func @u1_state(%x: tensor<2x8x1xf16>, %w: tensor<8x4xf16>, %s: tensor<2x7x3xf16>) {
  // expected-error @below {{expects state of type 'tensor<2x8x3xf16>', but got 'tensor<2x7x3xf16>'}}
  %y, %n = conv.causal_update %x, %w, %s : tensor<2x8x1xf16>, tensor<8x4xf16>, tensor<2x7x3xf16> -> tensor<2x8x1xf16>, tensor<2x7x3xf16>
  return
}

// -----

// A state has what a filter sees.
func.func @u2_length(%x: tensor<2x8x1xf16>, %w: tensor<8x4xf16>, %s: tensor<2x8x2xf16>) {
  // expected-error @below {{expects states of at least 3 tokens, but got 2}}
  %y, %n = conv.causal_update %x, %w, %s : tensor<2x8x1xf16>, tensor<8x4xf16>, tensor<2x8x2xf16> -> tensor<2x8x1xf16>, tensor<2x8x2xf16>
  return
}

// -----

// States are of the input's type.
func.func @u3_state(%x: tensor<2x8x1xf16>, %w: tensor<8x4xf16>, %s: tensor<2x8x3xf32>) {
  // expected-error @below {{expects state of type 'tensor<2x8x3xf16>', but got 'tensor<2x8x3xf32>'}}
  %y, %n = conv.causal_update %x, %w, %s : tensor<2x8x1xf16>, tensor<8x4xf16>, tensor<2x8x3xf32> -> tensor<2x8x1xf16>, tensor<2x8x3xf32>
  return
}

// -----

// Nothing multiplies i32.
func.func @u3_type(%x: tensor<2x8x1xi32>, %w: tensor<8x4xf16>, %s: tensor<2x8x3xf16>) {
  // expected-error @below {{expects an input of f32, f16, bf16 or i8, but got 'tensor<2x8x1xi32>'}}
  %y, %n = conv.causal_update %x, %w, %s : tensor<2x8x1xi32>, tensor<8x4xf16>, tensor<2x8x3xf16> -> tensor<2x8x1xf16>, tensor<2x8x3xf16>
  return
}

// -----

// Each sequence has a position.
func.func @u4_positions(%x: tensor<2x8x1xf16>, %w: tensor<8x4xf16>, %s: tensor<2x8x3xf16>, %p: tensor<3xi32>) {
  // expected-error @below {{expects positions to be a vector of 2 elements of i32 or i64, but got 'tensor<3xi32>'}}
  %y, %n = conv.causal_update %x, %w, %s positions(%p : tensor<3xi32>) : tensor<2x8x1xf16>, tensor<8x4xf16>, tensor<2x8x3xf16> -> tensor<2x8x1xf16>, tensor<2x8x3xf16>
  return
}

// -----

// An index is a number.
func.func @u4_indices(%x: tensor<2x8x1xf16>, %w: tensor<8x4xf16>, %s: tensor<2x8x3xf16>, %i: tensor<2xi16>) {
  // expected-error @below {{expects indices to be a vector of 2 elements of i32 or i64, but got 'tensor<2xi16>'}}
  %y, %n = conv.causal_update %x, %w, %s indices(%i : tensor<2xi16>) : tensor<2x8x1xf16>, tensor<8x4xf16>, tensor<2x8x3xf16> -> tensor<2x8x1xf16>, tensor<2x8x3xf16>
  return
}

// -----

// Without indices, states are those of the sequences.
func.func @u4_states(%x: tensor<2x8x1xf16>, %w: tensor<8x4xf16>, %s: tensor<5x8x3xf16>) {
  // expected-error @below {{expects a state for each of 2 sequences without indices, but got 5}}
  %y, %n = conv.causal_update %x, %w, %s : tensor<2x8x1xf16>, tensor<8x4xf16>, tensor<5x8x3xf16> -> tensor<2x8x1xf16>, tensor<5x8x3xf16>
  return
}

// -----

// A state stays one.
func.func @u5_new_state(%x: tensor<2x8x1xf16>, %w: tensor<8x4xf16>, %s: tensor<2x8x3xf16>) {
  // expected-error @below {{expects new_state of type 'tensor<2x8x3xf16>', but got 'tensor<2x8x4xf16>'}}
  %y, %n = conv.causal_update %x, %w, %s : tensor<2x8x1xf16>, tensor<8x4xf16>, tensor<2x8x3xf16> -> tensor<2x8x1xf16>, tensor<2x8x4xf16>
  return
}

// -----

// A vector has all channels.
func.func @u6_operand(%x: tensor<2x8x1xf16>, %w: tensor<8x4xf16>, %s: tensor<2x8x3xf16>, %e: tensor<7xf32>) {
  // expected-error @below {{expects epilogue operand 0 to have the shape of output or to be a vector of 8 channels, but got 'tensor<7xf32>'}}
  %y, %n = conv.causal_update %x, %w, %s epilogue(%e : tensor<7xf32>) {
    ^bb0(%acc: f32, %b: f32):
      conv.yield %acc : f32
  } : tensor<2x8x1xf16>, tensor<8x4xf16>, tensor<2x8x3xf16> -> tensor<2x8x1xf32>, tensor<2x8x3xf16>
  return
}

// -----

// A sum of integers does not fit i8.
func.func @u7_result(%x: tensor<2x8x1xi8>, %w: tensor<8x4xi8>, %s: tensor<2x8x3xi8>) {
  // expected-error @below {{expects output of i32 without an epilogue, but got 'i8'}}
  %y, %n = conv.causal_update %x, %w, %s : tensor<2x8x1xi8>, tensor<8x4xi8>, tensor<2x8x3xi8> -> tensor<2x8x1xi8>, tensor<2x8x3xi8>
  return
}

// -----

// An epilogue yields the output's type.
func.func @u7_yield(%x: tensor<2x8x1xf16>, %w: tensor<8x4xf16>, %s: tensor<2x8x3xf16>, %e: tensor<8xf32>) {
  // expected-error @below {{expects the epilogue to yield 'f16', but got 'f32'}}
  %y, %n = conv.causal_update %x, %w, %s epilogue(%e : tensor<8xf32>) {
    ^bb0(%acc: f32, %b: f32):
      conv.yield %acc : f32
  } : tensor<2x8x1xf16>, tensor<8x4xf16>, tensor<2x8x3xf16> -> tensor<2x8x1xf16>, tensor<2x8x3xf16>
  return
}

// -----

// States have three dimensions.
func.func @e1_rank(%x: tensor<2x7x8xf16>) {
  // expected-error @below {{expects result of rank 3 with static sizes after the first, but got 'tensor<2x8xf16>'}}
  %r = conv.final_state %x : tensor<2x7x8xf16> -> tensor<2x8xf16>
  return
}

// -----

// They are copied.
func.func @e1_type(%x: tensor<2x7x8xf16>) {
  // expected-error @below {{expects result of type 'tensor<2x3x8xf16>', but got 'tensor<2x3x8xf32>'}}
  %r = conv.final_state %x : tensor<2x7x8xf16> -> tensor<2x3x8xf32>
  return
}

// -----

// Packed sequences are one batch.
func.func @e2_batch(%x: tensor<2x7x8xf16>, %c: tensor<3xi32>) {
  // expected-error @below {{expects B of 1 with cu_seqlens, but got 2}}
  %r = conv.final_state %x cu_seqlens(%c : tensor<3xi32>) : tensor<2x7x8xf16> -> tensor<2x3x8xf16>
  return
}

// -----

// There is a state of each sequence.
func.func @e2_count(%x: tensor<1x7x8xf16>, %c: tensor<5xi64>) {
  // expected-error @below {{expects result of type 'tensor<4x3x8xf16>', but got 'tensor<2x3x8xf16>'}}
  %r = conv.final_state %x cu_seqlens(%c : tensor<5xi64>) : tensor<1x7x8xf16> -> tensor<2x3x8xf16>
  return
}

// -----

// A sequence has a start and an end.
func.func @e2_one(%x: tensor<1x7x8xf16>, %c: tensor<1xi32>) {
  // expected-error @below {{expects a cu_seqlens of at least 2 elements, but got 'tensor<1xi32>'}}
  %r = conv.final_state %x cu_seqlens(%c : tensor<1xi32>) : tensor<1x7x8xf16> -> tensor<2x3x8xf16>
  return
}

// -----

// Starts are numbers.
func.func @e2_type(%x: tensor<1x7x8xf16>, %c: tensor<3xf32>) {
  // expected-error @below {{expects cu_seqlens to be a vector of 3 elements of i32 or i64, but got 'tensor<3xf32>'}}
  %r = conv.final_state %x cu_seqlens(%c : tensor<3xf32>) : tensor<1x7x8xf16> -> tensor<2x3x8xf16>
  return
}

// -----

// What was before is as long as what is left.
func.func @e3_shape(%x: tensor<2x7x8xf16>, %s: tensor<2x2x8xf16>) {
  // expected-error @below {{expects initial_state of type 'tensor<2x3x8xf16>', but got 'tensor<2x2x8xf16>'}}
  %r = conv.final_state %x initial_state(%s : tensor<2x2x8xf16>) : tensor<2x7x8xf16> -> tensor<2x3x8xf16>
  return
}

// -----

// A cache has places.
func.func @e4_alone(%x: tensor<2x7x8xf16>, %c: tensor<2x3x8xf16>) {
  // expected-error @below {{expects a cache and indices, but got one of both}}
  %r = conv.final_state %x into(%c : tensor<2x3x8xf16>) : tensor<2x7x8xf16> -> tensor<2x3x8xf16>
  return
}

// -----

// The result is the cache.
func.func @e4_type(%x: tensor<2x7x8xf16>, %c: tensor<9x2x8xf16>, %i: tensor<2xi32>) {
  // expected-error @below {{expects a result of the cache's type 'tensor<9x2x8xf16>', but got 'tensor<9x3x8xf16>'}}
  %r = conv.final_state %x into(%c : tensor<9x2x8xf16>) indices(%i : tensor<2xi32>) : tensor<2x7x8xf16> -> tensor<9x3x8xf16>
  return
}

// -----

// Each sequence has a place.
func.func @e4_indices(%x: tensor<2x7x8xf16>, %c: tensor<9x3x8xf16>, %i: tensor<3xi32>) {
  // expected-error @below {{expects indices to be a vector of 2 elements of i32 or i64, but got 'tensor<3xi32>'}}
  %r = conv.final_state %x into(%c : tensor<9x3x8xf16>) indices(%i : tensor<3xi32>) : tensor<2x7x8xf16> -> tensor<9x3x8xf16>
  return
}

// -----

// Each token has a kernel.
func.func @l1_tokens(%dy: tensor<2x7x8xf16>, %k: tensor<2x6x8x4xf16>) {
  // expected-error @below {{expects kernel with B and T of 2 and 7, or 1 and 1, and G that divides 8, but got 'tensor<2x6x8x4xf16>'}}
  %ds = conv.dynamic_backward_state %dy, %k order = BTGW : tensor<2x7x8xf16>, tensor<2x6x8x4xf16> -> tensor<2x3x8xf16>
  return
}

// -----

// Groups are whole.
func.func @l1_groups(%dy: tensor<2x7x8xf16>, %k: tensor<2x7x3x4xf16>) {
  // expected-error @below {{expects kernel with B and T of 2 and 7, or 1 and 1, and G that divides 8, but got 'tensor<2x7x3x4xf16>'}}
  %ds = conv.dynamic_backward_state %dy, %k order = BTGW : tensor<2x7x8xf16>, tensor<2x7x3x4xf16> -> tensor<2x3x8xf16>
  return
}

// -----

// Types are not mixed.
func.func @l1_types(%dy: tensor<2x7x8xf16>, %k: tensor<2x7x8x4xbf16>) {
  // expected-error @below {{expects operands of one element type, f32, f16 or bf16, but got 'f16' and 'bf16'}}
  %ds = conv.dynamic_backward_state %dy, %k order = BTGW : tensor<2x7x8xf16>, tensor<2x7x8x4xbf16> -> tensor<2x3x8xf16>
  return
}

// -----

// A state has what the first token sees.
func.func @l2_shape(%dy: tensor<2x7x8xf16>, %k: tensor<2x7x8x4xf16>) {
  // expected-error @below {{expects grad_state of type 'tensor<2x3x8xf16>', but got 'tensor<2x4x8xf16>'}}
  %ds = conv.dynamic_backward_state %dy, %k order = BTGW : tensor<2x7x8xf16>, tensor<2x7x8x4xf16> -> tensor<2x4x8xf16>
  return
}

// -----

// Gradients are no integers.
func.func @l2_type(%dy: tensor<2x7x8xf16>, %k: tensor<2x7x8x4xf16>) {
  // expected-error @below {{expects grad_state of a floating type, but got 'i32'}}
  %ds = conv.dynamic_backward_state %dy, %k order = BTGW : tensor<2x7x8xf16>, tensor<2x7x8x4xf16> -> tensor<2x3x8xi32>
  return
}

// -----

// A kernel of one tap sees no state.
func.func @l3_empty(%dy: tensor<2x7x8xf16>, %k: tensor<2x7x8x1xf16>) {
  // expected-error @below {{expects positive sizes and less than 2^63 bytes of grad_state, but got 'tensor<2x0x8xf16>'}}
  %ds = conv.dynamic_backward_state %dy, %k order = BTGW : tensor<2x7x8xf16>, tensor<2x7x8x1xf16> -> tensor<2x0x8xf16>
  return
}

// -----

// Packed sequences are one row.
func.func @l5_batch(%dy: tensor<2x7x8xf16>, %k: tensor<2x7x8x4xf16>, %p: tensor<3xi32>) {
  // expected-error @below {{expects B of 1 with cu_seqlens, but got 2}}
  %ds = conv.dynamic_backward_state %dy, %k cu_seqlens(%p : tensor<3xi32>) order = BTGW
      : tensor<2x7x8xf16>, tensor<2x7x8x4xf16> -> tensor<2x3x8xf16>
  return
}

// -----

// How many states there are is known.
func.func @l5_starts(%dy: tensor<1x7x8xf16>, %k: tensor<1x7x8x4xf16>, %p: tensor<?xi32>) {
  // expected-error @below {{expects a cu_seqlens of at least 2 elements, but got 'tensor<?xi32>'}}
  %ds = conv.dynamic_backward_state %dy, %k cu_seqlens(%p : tensor<?xi32>) order = BTGW
      : tensor<1x7x8xf16>, tensor<1x7x8x4xf16> -> tensor<2x3x8xf16>
  return
}

// -----

// Each packed sequence has one.
func.func @l5_states(%dy: tensor<1x7x8xf16>, %k: tensor<1x7x8x4xf16>, %p: tensor<4xi32>) {
  // expected-error @below {{expects grad_state of type 'tensor<3x3x8xf16>', but got 'tensor<1x3x8xf16>'}}
  %ds = conv.dynamic_backward_state %dy, %k cu_seqlens(%p : tensor<4xi32>) order = BTGW
      : tensor<1x7x8xf16>, tensor<1x7x8x4xf16> -> tensor<1x3x8xf16>
  return
}
