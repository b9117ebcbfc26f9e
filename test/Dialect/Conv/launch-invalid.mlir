// RUN: conv-opt %s --split-input-file --verify-diagnostics

#view = #conv.view<batch = [1], rows = [8], columns = [8], map = affine_map<(g, m, n) -> (m, n)>>
func.func @p1_another_attribute(%t: tensor<1x8x8xf32>, %y: tensor<8x8xf32>) {
  // expected-error @below {{expects conv.launch to be a #conv.launch, but got "early"}}
  %r = conv.scatter %t into %y view = #view {conv.launch = "early"} : tensor<1x8x8xf32> into tensor<8x8xf32>
  return
}

// -----

// A gather is no kernel.
#view = #conv.view<batch = [1], rows = [8], columns = [8], map = affine_map<(g, m, n) -> (m, n)>>
func.func @p1_no_kernel(%x: tensor<8x8xf32>) {
  %c0 = arith.constant 0 : index
  // expected-error @below {{expects conv.launch only on ops that become kernels, but got conv.gather}}
  %t = conv.gather %x[%c0, %c0, %c0] view = #view {conv.launch = #conv.launch<next = at_once>} : tensor<8x8xf32> -> tensor<1x8x8xf32>
  return
}

// -----

#view = #conv.view<batch = [1], rows = [8], columns = [8], map = affine_map<(g, m, n) -> (m, n)>>
module attributes {conv.target = #conv.target<"gfx942">} {
  func.func @p2_chip(%t: tensor<1x8x8xf32>, %y: tensor<8x8xf32>) {
    // expected-error @below {{expects a chip that starts kernels before the previous one has ended for conv.launch, but got gfx942}}
    %r = conv.scatter %t into %y view = #view {conv.launch = #conv.launch<next = at_once>} : tensor<1x8x8xf32> into tensor<8x8xf32>
    return
  }
}

// -----

// NVIDIA's chips before sm_90 do not.
#view = #conv.view<batch = [1], rows = [8], columns = [8], map = affine_map<(g, m, n) -> (m, n)>>
module attributes {conv.target = #conv.target<"sm_80">} {
  func.func @p2_older_chip(%t: tensor<1x8x8xf32>, %y: tensor<8x8xf32>) {
    // expected-error @below {{expects a chip that starts kernels before the previous one has ended for conv.launch, but got sm_80}}
    %r = conv.scatter %t into %y view = #view {conv.launch = #conv.launch<next = at_end>} : tensor<1x8x8xf32> into tensor<8x8xf32>
    return
  }
}

// -----

#view = #conv.view<batch = [1], rows = [8], columns = [8], map = affine_map<(g, m, n) -> (m, n)>>
func.func @p3_loads_of_a_product(%t: tensor<1x8x8xf32>, %y: tensor<8x8xf32>) {
  // expected-error @below {{expects #conv.launch<next = after_loads> only on conv.causal_update, but got conv.scatter}}
  %r = conv.scatter %t into %y view = #view {conv.launch = #conv.launch<next = after_loads>} : tensor<1x8x8xf32> into tensor<8x8xf32>
  return
}

// -----

// The addresses of states depend on numbers that the previous kernel may write.
func.func @p4_prefetched_states(%x: tensor<2x8x1xf16>, %w: tensor<8x2xf16>, %s: tensor<4x8x2xf16>, %i: tensor<2xi32>) {
  // expected-error @below {{expects #conv.launch<next = at_once, prefetches = true> only on conv.scatter, and on conv.causal_update without indices and positions, but got conv.causal_update with indices or positions}}
  %y, %n = conv.causal_update %x, %w, %s indices(%i : tensor<2xi32>) {conv.launch = #conv.launch<next = at_once, prefetches = true>}
      : tensor<2x8x1xf16>, tensor<8x2xf16>, tensor<4x8x2xf16> -> tensor<2x8x1xf16>, tensor<4x8x2xf16>
  return
}

// -----

// Other ops on states read what they need in several steps.
func.func @p4_prefetched_tokens(%x: tensor<1x9x8xf16>, %c: tensor<3xi64>) {
  // expected-error @below {{expects #conv.launch<next = at_once, prefetches = true> only on conv.scatter, and on conv.causal_update without indices and positions, but got conv.final_state}}
  %r = conv.final_state %x cu_seqlens(%c : tensor<3xi64>) {conv.launch = #conv.launch<next = at_once, prefetches = true>}
      : tensor<1x9x8xf16> -> tensor<2x3x8xf16>
  return
}
