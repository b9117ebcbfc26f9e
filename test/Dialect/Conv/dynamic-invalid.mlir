// RUN: conv-opt %s --split-input-file --verify-diagnostics

// Sequences have three dimensions.
func.func @k1_rank(%x: tensor<2x7xf16>, %k: tensor<2x7x8x4xf16>) {
  // expected-error @below {{expects input of rank 3 with static sizes after B and T, but got 'tensor<2x7xf16>'}}
  %y = conv.dynamic_forward %x, %k order = BTGW : tensor<2x7xf16>, tensor<2x7x8x4xf16> -> tensor<2x7x8xf16>
  return
}

// -----

// T is a number in all tensors, or in none.
func.func @k11_kernel(%x: tensor<2x7x8xf16>, %k: tensor<2x?x8x4xf16>) {
  // expected-error @below {{expects kernel with B and T of 2 and 7, or 1 and 1, but got 'tensor<2x?x8x4xf16>'}}
  %y = conv.dynamic_forward %x, %k order = BTGW : tensor<2x7x8xf16>, tensor<2x?x8x4xf16> -> tensor<2x7x8xf16>
  return
}

// -----

// There is a result for each token.
func.func @k1_shapes(%x: tensor<2x7x8xf16>, %k: tensor<2x7x8x4xf16>) {
  // expected-error @below {{expects input and output of one shape, but got 'tensor<2x7x8xf16>' and 'tensor<2x8x8xf16>'}}
  %y = conv.dynamic_forward %x, %k order = BTGW : tensor<2x7x8xf16>, tensor<2x7x8x4xf16> -> tensor<2x8x8xf16>
  return
}

// -----

// A kernel has a tap.
func.func @k2_no_taps(%x: tensor<2x7x8xf16>, %k: tensor<2x7x8x0xf16>) {
  // expected-error @below {{expects positive sizes and less than 2^63 bytes of kernel, but got 'tensor<2x7x8x0xf16>'}}
  %y = conv.dynamic_forward %x, %k order = BTGW : tensor<2x7x8xf16>, tensor<2x7x8x0xf16> -> tensor<2x7x8xf16>
  return
}

// -----

// Each token has a kernel.
func.func @k3_tokens(%x: tensor<2x7x8xf16>, %k: tensor<2x6x8x4xf16>) {
  // expected-error @below {{expects kernel with B and T of 2 and 7, or 1 and 1, but got 'tensor<2x6x8x4xf16>'}}
  %y = conv.dynamic_forward %x, %k order = BTGW : tensor<2x7x8xf16>, tensor<2x6x8x4xf16> -> tensor<2x7x8xf16>
  return
}

// -----

// One kernel is one for all sequences.
func.func @k3_one_of_each_sequence(%x: tensor<2x7x8xf16>, %k: tensor<2x1x8x4xf16>) {
  // expected-error @below {{expects kernel with B and T of 2 and 7, or 1 and 1, but got 'tensor<2x1x8x4xf16>'}}
  %y = conv.dynamic_forward %x, %k order = BTGW : tensor<2x7x8xf16>, tensor<2x1x8x4xf16> -> tensor<2x7x8xf16>
  return
}

// -----

// A gradient of kernels has one for each token.
func.func @k3_result(%x: tensor<2x7x8xf16>, %dy: tensor<2x7x8xf16>) {
  // expected-error @below {{expects grad_kernel with B and T of 2 and 7, but got 'tensor<1x1x8x4xf16>'}}
  %y = conv.dynamic_backward_kernel %x, %dy order = BTGW : tensor<2x7x8xf16>, tensor<2x7x8xf16> -> tensor<1x1x8x4xf16>
  return
}

// -----

// Groups are whole.
func.func @k4_groups(%x: tensor<2x7x8xf16>, %k: tensor<2x7x4x3xf16>) {
  // expected-error @below {{expects G of kernel to divide D, but got 3 and 8}}
  %y = conv.dynamic_forward %x, %k order = BTWG : tensor<2x7x8xf16>, tensor<2x7x4x3xf16> -> tensor<2x7x8xf16>
  return
}

// -----

// Types are not mixed.
func.func @k5_types(%x: tensor<2x7x8xf16>, %k: tensor<2x7x8x4xbf16>) {
  // expected-error @below {{expects operands of one element type, f32, f16, bf16 or i8, but got 'f16' and 'bf16'}}
  %y = conv.dynamic_forward %x, %k order = BTGW : tensor<2x7x8xf16>, tensor<2x7x8x4xbf16> -> tensor<2x7x8xf16>
  return
}

// -----

// Nothing multiplies i32.
func.func @k5_i32(%x: tensor<2x7x8xi32>, %k: tensor<2x7x8x4xi32>) {
  // expected-error @below {{expects operands of one element type, f32, f16, bf16 or i8, but got 'i32' and 'i32'}}
  %y = conv.dynamic_forward %x, %k order = BTGW : tensor<2x7x8xi32>, tensor<2x7x8x4xi32> -> tensor<2x7x8xi32>
  return
}

// -----

// A vector has all channels.
func.func @k6_shape(%x: tensor<2x7x8xf16>, %k: tensor<2x7x8x4xf16>, %e: tensor<7xf32>) {
  // expected-error @below {{expects epilogue operand 0 to have the shape of output or to be a vector of 8 channels, but got 'tensor<7xf32>'}}
  %y = conv.dynamic_forward %x, %k order = BTGW epilogue(%e : tensor<7xf32>) {
    ^bb0(%acc: f32, %b: f32):
      conv.yield %acc : f32
  } : tensor<2x7x8xf16>, tensor<2x7x8x4xf16> -> tensor<2x7x8xf32>
  return
}

// -----

// Kernels have no channels.
func.func @k6_vector_of_kernels(%x: tensor<2x7x8xf16>, %k: tensor<2x7x8xf16>, %e: tensor<8xf32>) {
  // expected-error @below {{expects epilogue operand 0 to have the shape of grad_kernel, but got 'tensor<8xf32>'}}
  %y = conv.dynamic_backward_kernel %x, %k order = BTGW epilogue(%e : tensor<8xf32>) {
    ^bb0(%acc: f32, %b: f32):
      conv.yield %acc : f32
  } : tensor<2x7x8xf16>, tensor<2x7x8xf16> -> tensor<2x7x8x4xf32>
  return
}

// -----

// A sum of integers does not fit i8.
func.func @k7_result(%x: tensor<2x7x8xi8>, %k: tensor<2x7x8x4xi8>) {
  // expected-error @below {{expects output of i32 without an epilogue, but got 'i8'}}
  %y = conv.dynamic_forward %x, %k order = BTGW : tensor<2x7x8xi8>, tensor<2x7x8x4xi8> -> tensor<2x7x8xi8>
  return
}

// -----

// An epilogue yields the result's type.
func.func @k7_yield(%x: tensor<2x7x8xf16>, %k: tensor<2x7x8x4xf16>, %e: tensor<8xf32>) {
  // expected-error @below {{expects the epilogue to yield 'f16', but got 'f32'}}
  %y = conv.dynamic_forward %x, %k order = BTGW epilogue(%e : tensor<8xf32>) {
    ^bb0(%acc: f32, %b: f32):
      conv.yield %acc : f32
  } : tensor<2x7x8xf16>, tensor<2x7x8x4xf16> -> tensor<2x7x8xf16>
  return
}


// -----

// Packed sequences have a start and an end.
func.func @k8_one(%x: tensor<1x7x8xf16>, %k: tensor<1x7x8x4xf16>, %s: tensor<1xi32>) {
  // expected-error @below {{expects a cu_seqlens of at least 2 elements of i32 or i64, but got 'tensor<1xi32>'}}
  %y = conv.dynamic_forward %x, %k cu_seqlens(%s : tensor<1xi32>) order = BTGW
      : tensor<1x7x8xf16>, tensor<1x7x8x4xf16> -> tensor<1x7x8xf16>
  return
}

// -----

// Starts are numbers of 32 or 64 bits.
func.func @k8_type(%x: tensor<1x7x8xf16>, %k: tensor<1x7x8x4xf16>, %s: tensor<3xi8>) {
  // expected-error @below {{expects a cu_seqlens of at least 2 elements of i32 or i64, but got 'tensor<3xi8>'}}
  %y = conv.dynamic_forward %x, %k cu_seqlens(%s : tensor<3xi8>) order = BTGW
      : tensor<1x7x8xf16>, tensor<1x7x8x4xf16> -> tensor<1x7x8xf16>
  return
}

// -----

// Starts are one list.
func.func @k8_rank(%x: tensor<1x7x8xf16>, %dy: tensor<1x7x8xf16>, %s: tensor<2x2xi32>) {
  // expected-error @below {{expects a cu_seqlens of at least 2 elements of i32 or i64, but got 'tensor<2x2xi32>'}}
  %dk = conv.dynamic_backward_kernel %x, %dy cu_seqlens(%s : tensor<2x2xi32>) order = BTGW
      : tensor<1x7x8xf16>, tensor<1x7x8xf16> -> tensor<1x7x8x4xf16>
  return
}

// -----

// Packed sequences are one batch.
func.func @k9_batch(%x: tensor<2x7x8xf16>, %k: tensor<2x7x8x4xf16>, %s: tensor<3xi32>) {
  // expected-error @below {{expects B of 1 and T of at most 2^30 with cu_seqlens, but got 2 and 7}}
  %y = conv.dynamic_forward %x, %k cu_seqlens(%s : tensor<3xi32>) order = BTGW
      : tensor<2x7x8xf16>, tensor<2x7x8x4xf16> -> tensor<2x7x8xf16>
  return
}

// -----

// Tokens are counted in 32 bits.
func.func @k9_tokens(%x: tensor<1x1073741825x1xi8>, %k: tensor<1x1073741825x1x2xi8>, %s: tensor<3xi32>) {
  // expected-error @below {{expects B of 1 and T of at most 2^30 with cu_seqlens, but got 1 and 1073741825}}
  %y = conv.dynamic_forward %x, %k cu_seqlens(%s : tensor<3xi32>) order = BTGW
      : tensor<1x1073741825x1xi8>, tensor<1x1073741825x1x2xi8> -> tensor<1x1073741825x1xi32>
  return
}

// -----

// Starts are numbers.
func.func @q1_starts(%s: tensor<3xi8>) {
  // expected-error @below {{expects a vector of i32 or i64, but got 'tensor<3xi8>'}}
  %n = conv.count_neighbours before %s limit = 3 : tensor<3xi8> -> tensor<8xi32>
  return
}

// -----

// Neighbours are counted in i32.
func.func @q1_type(%s: tensor<3xi32>) {
  // expected-error @below {{expects a result of i8 or i32, but got 'tensor<8xi16>'}}
  %n = conv.count_neighbours before %s limit = 3 : tensor<3xi32> -> tensor<8xi16>
  return
}

// -----

// Nothing is counted down.
func.func @q2_limit(%s: tensor<3xi32>) {
  // expected-error @below {{expects a limit from 0 to 2^30, but got -1}}
  %n = conv.count_neighbours before %s limit = -1 : tensor<3xi32> -> tensor<8xi32>
  return
}

// -----

// A byte has no larger number.
func.func @q2_limit_of_bytes(%s: tensor<3xi32>) {
  // expected-error @below {{expects a limit from 0 to 127, but got 128}}
  %n = conv.count_neighbours before %s limit = 128 : tensor<3xi32> -> tensor<8xi8>
  return
}

// -----

// Tokens are counted in 32 bits.
func.func @q2_tokens(%s: tensor<3xi32>) {
  // expected-error @below {{expects at most 2^30 tokens, but got 'tensor<1073741832xi32>'}}
  %n = conv.count_neighbours after %s limit = 3 : tensor<3xi32> -> tensor<1073741832xi32>
  return
}

// -----

// A state has the tokens that the first one sees.
func.func @k10_tokens(%x: tensor<2x7x8xf16>, %k: tensor<2x7x8x4xf16>, %s: tensor<2x4x8xf16>) {
  // expected-error @below {{expects an initial_state of positive sizes and type 'tensor<2x3x8xf16>', but got 'tensor<2x4x8xf16>'}}
  %y = conv.dynamic_forward %x, %k initial_state(%s : tensor<2x4x8xf16>) order = BTGW
      : tensor<2x7x8xf16>, tensor<2x7x8x4xf16> -> tensor<2x7x8xf16>
  return
}

// -----

// It is one of inputs.
func.func @k10_type(%x: tensor<2x7x8xf16>, %k: tensor<2x7x8x4xf16>, %s: tensor<2x3x8xf32>) {
  // expected-error @below {{expects an initial_state of positive sizes and type 'tensor<2x3x8xf16>', but got 'tensor<2x3x8xf32>'}}
  %y = conv.dynamic_forward %x, %k initial_state(%s : tensor<2x3x8xf32>) order = BTGW
      : tensor<2x7x8xf16>, tensor<2x7x8x4xf16> -> tensor<2x7x8xf16>
  return
}

// -----

// A kernel of one tap sees no other token.
func.func @k10_empty(%x: tensor<2x7x8xf16>, %k: tensor<2x7x8x1xf16>, %s: tensor<2x0x8xf16>) {
  // expected-error @below {{expects an initial_state of positive sizes and type 'tensor<2x0x8xf16>', but got 'tensor<2x0x8xf16>'}}
  %y = conv.dynamic_forward %x, %k initial_state(%s : tensor<2x0x8xf16>) order = BTGW
      : tensor<2x7x8xf16>, tensor<2x7x8x1xf16> -> tensor<2x7x8xf16>
  return
}

// -----

// Each packed sequence has a state of its own.
func.func @k10_packed(%x: tensor<1x7x8xf16>, %k: tensor<1x7x8x2xf16>, %s: tensor<1x1x8xf16>, %p: tensor<3xi32>) {
  // expected-error @below {{expects an initial_state of positive sizes and type 'tensor<2x1x8xf16>', but got 'tensor<1x1x8xf16>'}}
  %y = conv.dynamic_forward %x, %k cu_seqlens(%p : tensor<3xi32>) initial_state(%s : tensor<1x1x8xf16>) order = BTGW
      : tensor<1x7x8xf16>, tensor<1x7x8x2xf16> -> tensor<1x7x8xf16>
  return
}

// -----

// How many states there are is known.
func.func @k10_starts(%x: tensor<1x7x8xf16>, %k: tensor<1x7x8x2xf16>, %s: tensor<2x1x8xf16>, %p: tensor<?xi32>) {
  // expected-error @below {{expects a cu_seqlens of static length with initial_state, but got 'tensor<?xi32>'}}
  %y = conv.dynamic_forward %x, %k cu_seqlens(%p : tensor<?xi32>) initial_state(%s : tensor<2x1x8xf16>) order = BTGW
      : tensor<1x7x8xf16>, tensor<1x7x8x2xf16> -> tensor<1x7x8xf16>
  return
}

// -----

// The gradient of kernels sees the same state.
func.func @k10_gradient(%x: tensor<2x7x8xf16>, %dy: tensor<2x7x8xf16>, %s: tensor<2x2x8xf16>) {
  // expected-error @below {{expects an initial_state of positive sizes and type 'tensor<2x3x8xf16>', but got 'tensor<2x2x8xf16>'}}
  %dk = conv.dynamic_backward_kernel %x, %dy initial_state(%s : tensor<2x2x8xf16>) order = BTGW
      : tensor<2x7x8xf16>, tensor<2x7x8xf16> -> tensor<2x7x8x4xf16>
  return
}

// -----

// Integers have no quotients.
func.func @k12_integers(%x: tensor<2x7x8xi8>, %k: tensor<2x7x8x4xi8>) {
  // expected-error @below {{expects operands of a floating type with normalize, but got 'i8'}}
  %y = conv.dynamic_forward %x, %k order = BTGW normalize = softmax
      : tensor<2x7x8xi8>, tensor<2x7x8x4xi8> -> tensor<2x7x8xi32>
  return
}

// -----

// What is normalised is computed again.
func.func @k13_no_kernel(%x: tensor<2x7x8xf16>, %dy: tensor<2x7x8xf16>) {
  // expected-error @below {{expects a kernel with normalize and none without it, but got none and softmax}}
  %dk = conv.dynamic_backward_kernel %x, %dy order = BTGW normalize = softmax
      : tensor<2x7x8xf16>, tensor<2x7x8xf16> -> tensor<2x7x8x4xf16>
  return
}

// -----

// The gradient of others does not depend on them.
func.func @k13_needless_kernel(%x: tensor<2x7x8xf16>, %dy: tensor<2x7x8xf16>, %k: tensor<2x7x8x4xf16>) {
  // expected-error @below {{expects a kernel with normalize and none without it, but got one and none}}
  %dk = conv.dynamic_backward_kernel %x, %dy kernel(%k : tensor<2x7x8x4xf16>) order = BTGW
      : tensor<2x7x8xf16>, tensor<2x7x8xf16> -> tensor<2x7x8x4xf16>
  return
}

// -----

// It is what the gradient is for.
func.func @k13_type(%x: tensor<2x7x8xf16>, %dy: tensor<2x7x8xf16>, %k: tensor<2x7x8x3xf16>) {
  // expected-error @below {{expects a kernel of type 'tensor<2x7x8x4xf16>', but got 'tensor<2x7x8x3xf16>'}}
  %dk = conv.dynamic_backward_kernel %x, %dy kernel(%k : tensor<2x7x8x3xf16>) order = BTGW normalize = l2
      : tensor<2x7x8xf16>, tensor<2x7x8xf16> -> tensor<2x7x8x4xf32>
  return
}
