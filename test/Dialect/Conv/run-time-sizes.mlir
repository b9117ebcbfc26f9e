// RUN: conv-opt %s --verify-roundtrip | FileCheck %s

// Callers choose B and T of all tensors that have them.
// CHECK-LABEL: func.func @forward
func.func @forward(%x: tensor<?x?x64xbf16>, %k: tensor<?x?x64x4xbf16>, %s: tensor<?x3x64xbf16>) -> tensor<?x?x64xbf16> {
  // CHECK: conv.dynamic_forward {{.*}} : tensor<?x?x64xbf16>, tensor<?x?x64x4xbf16> -> tensor<?x?x64xbf16>
  %y = conv.dynamic_forward %x, %k initial_state(%s : tensor<?x3x64xbf16>) order = BTGW
      : tensor<?x?x64xbf16>, tensor<?x?x64x4xbf16> -> tensor<?x?x64xbf16>
  return %y : tensor<?x?x64xbf16>
}

// The number of packed sequences is one of them.
// CHECK-LABEL: func.func @packed
func.func @packed(%dy: tensor<1x?x64xf32>, %k: tensor<1x?x4x64xf32>, %starts: tensor<?xi64>) -> tensor<1x?x64xf32> {
  // CHECK: cu_seqlens(%{{.*}} : tensor<?xi64>)
  %dx = conv.dynamic_backward_input %dy, %k cu_seqlens(%starts : tensor<?xi64>) order = BTWG
      : tensor<1x?x64xf32>, tensor<1x?x4x64xf32> -> tensor<1x?x64xf32>
  return %dx : tensor<1x?x64xf32>
}

// One of both may be static, and all tokens may have one kernel.
// CHECK-LABEL: func.func @half
func.func @half(%x: tensor<2x?x64xf32>, %k: tensor<1x1x64x4xf32>) -> tensor<2x?x64xf32> {
  // CHECK: conv.dynamic_forward {{.*}} : tensor<2x?x64xf32>
  %y = conv.dynamic_forward %x, %k order = BTGW : tensor<2x?x64xf32>, tensor<1x1x64x4xf32> -> tensor<2x?x64xf32>
  return %y : tensor<2x?x64xf32>
}

// Any batch has a step, and the cache any number of states with gaps between them.
// CHECK-LABEL: func.func @update
func.func @update(%x: tensor<?x64x1xf16>, %w: tensor<64x4xf16>,
    %s: tensor<?x64x3xf16> {conv.in_place = 1, conv.strides = array<i64: 256, 4, 1>}, %i: tensor<?xi32>)
    -> (tensor<?x64x1xf16>, tensor<?x64x3xf16>) {
  // CHECK: conv.causal_update {{.*}} indices(%{{.*}} : tensor<?xi32>)
  %y, %n = conv.causal_update %x, %w, %s indices(%i : tensor<?xi32>)
      : tensor<?x64x1xf16>, tensor<64x4xf16>, tensor<?x64x3xf16> -> tensor<?x64x1xf16>, tensor<?x64x3xf16>
  return %y, %n : tensor<?x64x1xf16>, tensor<?x64x3xf16>
}

// CHECK-LABEL: func.func @states
func.func @states(%x: tensor<?x?x64xf16>, %c: tensor<?x3x64xf16> {conv.in_place = 0}, %i: tensor<?xi32>) -> tensor<?x3x64xf16> {
  // CHECK: conv.final_state {{.*}} : tensor<?x?x64xf16> -> tensor<?x3x64xf16>
  %r = conv.final_state %x into(%c : tensor<?x3x64xf16>) indices(%i : tensor<?xi32>)
      : tensor<?x?x64xf16> -> tensor<?x3x64xf16>
  return %r : tensor<?x3x64xf16>
}

// CHECK-LABEL: func.func @gradient
func.func @gradient(%dy: tensor<?x?x64xf16>, %k: tensor<?x?x64x4xf16>) -> tensor<?x3x64xf16> {
  // CHECK: conv.dynamic_backward_state {{.*}} -> tensor<?x3x64xf16>
  %ds = conv.dynamic_backward_state %dy, %k order = BTGW : tensor<?x?x64xf16>, tensor<?x?x64x4xf16> -> tensor<?x3x64xf16>
  return %ds : tensor<?x3x64xf16>
}
