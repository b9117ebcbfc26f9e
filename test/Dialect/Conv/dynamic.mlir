// RUN: conv-opt %s --verify-roundtrip | FileCheck %s

// Kernels of each channel, with their taps next to each other.
// CHECK-LABEL: func @forward
func.func @forward(%x: tensor<2x7x16xbf16>, %k: tensor<2x7x16x4xbf16>) -> tensor<2x7x16xbf16> {
  // CHECK: conv.dynamic_forward %{{.*}}, %{{.*}} order = BTGW
  %y = conv.dynamic_forward %x, %k order = BTGW
      : tensor<2x7x16xbf16>, tensor<2x7x16x4xbf16> -> tensor<2x7x16xbf16>
  return %y : tensor<2x7x16xbf16>
}

// An epilogue with a vector of channels and a tensor.
// CHECK-LABEL: func @forward_epilogue
func.func @forward_epilogue(%x: tensor<2x7x16xf16>, %k: tensor<2x7x4x2xf16>,
                        %bias: tensor<16xf32>, %r: tensor<2x7x16xf16>) -> tensor<2x7x16xf32> {
  // CHECK: epilogue(%{{.*}} : tensor<16xf32>, %{{.*}} : tensor<2x7x16xf16>)
  %y = conv.dynamic_forward %x, %k order = BTWG
      epilogue(%bias : tensor<16xf32>, %r : tensor<2x7x16xf16>) {
      ^bb0(%acc: f32, %b: f32, %e: f16):
        %wide = arith.extf %e : f16 to f32
        %s = arith.addf %acc, %b : f32
        %o = arith.mulf %s, %wide : f32
        conv.yield %o : f32
      } : tensor<2x7x16xf16>, tensor<2x7x4x2xf16> -> tensor<2x7x16xf32>
  return %y : tensor<2x7x16xf32>
}

// CHECK-LABEL: func @backward
func.func @backward(%x: tensor<1x3x6xi8>, %k: tensor<1x3x3x2xi8>, %dy: tensor<1x3x6xi8>)
    -> (tensor<1x3x6xi32>, tensor<1x3x3x2xi32>) {
  // CHECK: conv.dynamic_backward_input
  %dx = conv.dynamic_backward_input %dy, %k order = BTGW
      : tensor<1x3x6xi8>, tensor<1x3x3x2xi8> -> tensor<1x3x6xi32>
  // CHECK: conv.dynamic_backward_kernel
  %dk = conv.dynamic_backward_kernel %x, %dy order = BTGW
      : tensor<1x3x6xi8>, tensor<1x3x6xi8> -> tensor<1x3x3x2xi32>
  return %dx, %dk : tensor<1x3x6xi32>, tensor<1x3x3x2xi32>
}

// Packed sequences, with an epilogue operand after them; and what they are lowered with.
// CHECK-LABEL: func @packed
func.func @packed(%x: tensor<1x7x16xf16>, %k: tensor<1x7x16x2xf16>, %s: tensor<4xi32>,
                  %r: tensor<1x7x16xf32>) -> (tensor<1x7x16xf32>, tensor<1x7x16x2xf16>, tensor<8xi32>) {
  // CHECK: conv.dynamic_forward %{{.*}}, %{{.*}} cu_seqlens(%{{.*}} : tensor<4xi32>) order = BTGW epilogue(%{{.*}} : tensor<1x7x16xf32>)
  %y = conv.dynamic_forward %x, %k cu_seqlens(%s : tensor<4xi32>) order = BTGW
      epilogue(%r : tensor<1x7x16xf32>) {
      ^bb0(%acc: f32, %e: f32):
        %o = arith.addf %acc, %e : f32
        conv.yield %o : f32
      } : tensor<1x7x16xf16>, tensor<1x7x16x2xf16> -> tensor<1x7x16xf32>
  // CHECK: conv.dynamic_backward_kernel %{{.*}}, %{{.*}} cu_seqlens(%{{.*}} : tensor<4xi32>) order = BTGW :
  %dk = conv.dynamic_backward_kernel %x, %x cu_seqlens(%s : tensor<4xi32>) order = BTGW
      : tensor<1x7x16xf16>, tensor<1x7x16xf16> -> tensor<1x7x16x2xf16>
  // CHECK: conv.count_neighbours after %{{.*}} limit = 1 : tensor<4xi32> -> tensor<8xi32>
  %n = conv.count_neighbours after %s limit = 1 : tensor<4xi32> -> tensor<8xi32>
  return %y, %dk, %n : tensor<1x7x16xf32>, tensor<1x7x16x2xf16>, tensor<8xi32>
}

// The next two tokens of three sequences.
// CHECK-LABEL: func @state
func.func @state(%x: tensor<3x2x8xf16>, %k: tensor<3x2x4x8xf16>, %s: tensor<3x3x8xf16>) -> tensor<3x2x8xf16> {
  // CHECK: conv.dynamic_forward %{{.*}}, %{{.*}} initial_state(%{{.*}} : tensor<3x3x8xf16>) order = BTWG :
  %y = conv.dynamic_forward %x, %k initial_state(%s : tensor<3x3x8xf16>) order = BTWG
      : tensor<3x2x8xf16>, tensor<3x2x4x8xf16> -> tensor<3x2x8xf16>
  return %y : tensor<3x2x8xf16>
}

// One kernel for all tokens, starts of 64 bits, and a state of the gradient of kernels.
// CHECK-LABEL: func @one_kernel
func.func @one_kernel(%x: tensor<1x7x8xf16>, %k: tensor<1x1x4x8xf16>, %p: tensor<3xi64>, %dy: tensor<1x7x8xf16>, %s: tensor<1x3x8xf16>)
    -> (tensor<1x7x8xf16>, tensor<1x7x4x8xf16>) {
  // CHECK: conv.dynamic_forward %{{.*}}, %{{.*}} cu_seqlens(%{{.*}} : tensor<3xi64>) order = BTWG : tensor<1x7x8xf16>, tensor<1x1x4x8xf16>
  %y = conv.dynamic_forward %x, %k cu_seqlens(%p : tensor<3xi64>) order = BTWG
      : tensor<1x7x8xf16>, tensor<1x1x4x8xf16> -> tensor<1x7x8xf16>
  // CHECK: conv.dynamic_backward_kernel %{{.*}}, %{{.*}} initial_state(%{{.*}} : tensor<1x3x8xf16>) order = BTWG :
  %dk = conv.dynamic_backward_kernel %x, %dy initial_state(%s : tensor<1x3x8xf16>) order = BTWG
      : tensor<1x7x8xf16>, tensor<1x7x8xf16> -> tensor<1x7x4x8xf16>
  return %y, %dk : tensor<1x7x8xf16>, tensor<1x7x4x8xf16>
}

// Normalised kernels, and what their gradient takes; states of packed sequences.
// CHECK-LABEL: func @normalized
func.func @normalized(%x: tensor<1x7x8xf16>, %k: tensor<1x7x4x8xf16>, %p: tensor<3xi64>, %s: tensor<2x3x8xf16>)
    -> (tensor<1x7x8xf16>, tensor<1x7x8xf16>, tensor<1x7x4x8xf32>) {
  // CHECK: conv.dynamic_forward %{{.*}} cu_seqlens(%{{.*}} : tensor<3xi64>) initial_state(%{{.*}} : tensor<2x3x8xf16>) order = BTWG normalize = softmax :
  %y = conv.dynamic_forward %x, %k cu_seqlens(%p : tensor<3xi64>) initial_state(%s : tensor<2x3x8xf16>)
      order = BTWG normalize = softmax : tensor<1x7x8xf16>, tensor<1x7x4x8xf16> -> tensor<1x7x8xf16>
  // CHECK: conv.dynamic_backward_input %{{.*}}, %{{.*}} order = BTWG :
  %dx = conv.dynamic_backward_input %y, %k order = BTWG normalize = none
      : tensor<1x7x8xf16>, tensor<1x7x4x8xf16> -> tensor<1x7x8xf16>
  // CHECK: conv.dynamic_backward_kernel %{{.*}}, %{{.*}} kernel(%{{.*}} : tensor<1x7x4x8xf16>) order = BTWG normalize = l2 :
  %dk = conv.dynamic_backward_kernel %x, %dx kernel(%k : tensor<1x7x4x8xf16>) order = BTWG normalize = l2
      : tensor<1x7x8xf16>, tensor<1x7x8xf16> -> tensor<1x7x4x8xf32>
  return %y, %dx, %dk : tensor<1x7x8xf16>, tensor<1x7x8xf16>, tensor<1x7x4x8xf32>
}
