// RUN: conv-opt %s --verify-roundtrip | FileCheck %s

// One token of two sequences, and their states after it.
// CHECK-LABEL: func @update
// CHECK-SAME:    tensor<2x8x3xf16> {conv.in_place = 1 : i64}
func.func @update(%x: tensor<2x8x1xf16>, %w: tensor<8x4xf16>, %s: tensor<2x8x3xf16> {conv.in_place = 1})
    -> (tensor<2x8x1xf16>, tensor<2x8x3xf16>) {
  // CHECK: conv.causal_update %{{.*}}, %{{.*}}, %{{.*}} : tensor<2x8x1xf16>, tensor<8x4xf16>, tensor<2x8x3xf16> -> tensor<2x8x1xf16>, tensor<2x8x3xf16>
  %y, %n = conv.causal_update %x, %w, %s
      : tensor<2x8x1xf16>, tensor<8x4xf16>, tensor<2x8x3xf16> -> tensor<2x8x1xf16>, tensor<2x8x3xf16>
  return %y, %n : tensor<2x8x1xf16>, tensor<2x8x3xf16>
}

// Rings among five, with a bias.
// CHECK-LABEL: func @ring
func.func @ring(%x: tensor<2x8x2xf32>, %w: tensor<8x4xf32>, %s: tensor<5x8x7xf32> {conv.in_place = 1},
                %p: tensor<2xi64>, %i: tensor<2xi32>, %bias: tensor<8xf32>) -> (tensor<2x8x2xf32>, tensor<5x8x7xf32>) {
  // CHECK: conv.causal_update {{.*}} positions(%{{.*}} : tensor<2xi64>) indices(%{{.*}} : tensor<2xi32>) epilogue(%{{.*}} : tensor<8xf32>)
  %y, %n = conv.causal_update %x, %w, %s positions(%p : tensor<2xi64>) indices(%i : tensor<2xi32>)
      epilogue(%bias : tensor<8xf32>) {
      ^bb0(%acc: f32, %b: f32):
        %o = arith.addf %acc, %b : f32
        conv.yield %o : f32
      } : tensor<2x8x2xf32>, tensor<8x4xf32>, tensor<5x8x7xf32> -> tensor<2x8x2xf32>, tensor<5x8x7xf32>
  return %y, %n : tensor<2x8x2xf32>, tensor<5x8x7xf32>
}

// The last tokens: of a batch, of packed sequences after states, and into a cache.
// CHECK-LABEL: func @final
func.func @final(%x: tensor<2x7x8xf16>, %q: tensor<1x7x8xf16>, %c: tensor<4xi32>, %s: tensor<3x2x8xf16>,
                 %cache: tensor<9x2x8xf16> {conv.in_place = 2}, %i: tensor<2xi64>)
    -> (tensor<2x2x8xf16>, tensor<3x2x8xf16>, tensor<9x2x8xf16>) {
  // CHECK: conv.final_state %{{.*}} : tensor<2x7x8xf16> -> tensor<2x2x8xf16>
  %a = conv.final_state %x : tensor<2x7x8xf16> -> tensor<2x2x8xf16>
  // CHECK: conv.final_state %{{.*}} cu_seqlens(%{{.*}} : tensor<4xi32>) initial_state(%{{.*}} : tensor<3x2x8xf16>) :
  %b = conv.final_state %q cu_seqlens(%c : tensor<4xi32>) initial_state(%s : tensor<3x2x8xf16>)
      : tensor<1x7x8xf16> -> tensor<3x2x8xf16>
  // CHECK: conv.final_state %{{.*}} into(%{{.*}} : tensor<9x2x8xf16>) indices(%{{.*}} : tensor<2xi64>) :
  %n = conv.final_state %x into(%cache : tensor<9x2x8xf16>) indices(%i : tensor<2xi64>)
      : tensor<2x7x8xf16> -> tensor<9x2x8xf16>
  return %a, %b, %n : tensor<2x2x8xf16>, tensor<3x2x8xf16>, tensor<9x2x8xf16>
}

// CHECK-LABEL: func @gradient
func.func @gradient(%dy: tensor<2x7x8xbf16>, %k: tensor<2x7x4x3xbf16>) -> tensor<2x2x8xf32> {
  // CHECK: conv.dynamic_backward_state %{{.*}}, %{{.*}} order = BTGW :
  %ds = conv.dynamic_backward_state %dy, %k order = BTGW : tensor<2x7x8xbf16>, tensor<2x7x4x3xbf16> -> tensor<2x2x8xf32>
  return %ds : tensor<2x2x8xf32>
}

// Of packed sequences, with normalised kernels.
// CHECK-LABEL: func @packed_gradient
func.func @packed_gradient(%dy: tensor<1x?x8xbf16>, %k: tensor<1x?x4x3xbf16>, %p: tensor<4xi64>) -> tensor<3x2x8xf32> {
  // CHECK: conv.dynamic_backward_state %{{.*}}, %{{.*}} cu_seqlens(%{{.*}} : tensor<4xi64>) order = BTGW normalize = l2 :
  %ds = conv.dynamic_backward_state %dy, %k cu_seqlens(%p : tensor<4xi64>) order = BTGW normalize = l2
      : tensor<1x?x8xbf16>, tensor<1x?x4x3xbf16> -> tensor<3x2x8xf32>
  return %ds : tensor<3x2x8xf32>
}
