// RUN: conv-opt %s --conv-hoist-constants | FileCheck %s

// A filter, and a bias that is reshaped, become arguments after the others; a
// constant that is no operand of a convolution stays.
// CHECK-LABEL: func.func @stored(
// CHECK-SAME: %[[X:[^:]+]]: tensor<1x2x2x1xf32>,
// CHECK-SAME: %[[W:[^:]+]]: tensor<2x1x1x1xf32> {conv.constant = dense<{{.*}}> : tensor<2x1x1x1xf32>},
// CHECK-SAME: %[[B:[^:]+]]: tensor<2x1xf32> {conv.constant = dense<{{.*}}> : tensor<2x1xf32>})
// CHECK: %[[V:.+]] = tensor.collapse_shape %[[B]]
// CHECK: conv.forward %[[X]], %[[W]] {{.*}} epilogue(%[[V]] : tensor<2xf32>)
// CHECK: arith.constant 2.0
func.func @stored(%x: tensor<1x2x2x1xf32>) -> tensor<1x2x2x2xf32> {
  %w = arith.constant dense<[[[[1.0]]], [[[2.0]]]]> : tensor<2x1x1x1xf32>
  %b = arith.constant dense<[[3.0], [4.0]]> : tensor<2x1xf32>
  %v = tensor.collapse_shape %b [[0, 1]] : tensor<2x1xf32> into tensor<2xf32>
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
      layouts = <"NHWC", "KRSC", "NPQK">
      epilogue(%v : tensor<2xf32>) {
      ^bb0(%acc: f32, %e: f32):
        %two = arith.constant 2.0 : f32
        %0 = arith.mulf %acc, %two : f32
        %1 = arith.addf %0, %e : f32
        conv.yield %1 : f32
      } : tensor<1x2x2x1xf32>, tensor<2x1x1x1xf32> -> tensor<1x2x2x2xf32>
  return %y : tensor<1x2x2x2xf32>
}

// Nothing is constant.
// CHECK-LABEL: func.func @passed(
// CHECK-NOT: conv.constant
func.func @passed(%x: tensor<1x2x2x1xf32>, %w: tensor<2x1x1x1xf32>) -> tensor<1x2x2x2xf32> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<1x2x2x1xf32>, tensor<2x1x1x1xf32> -> tensor<1x2x2x2xf32>
  return %y : tensor<1x2x2x2xf32>
}

// Positions are no tensor of a kernel: what reads them is refused later.
// CHECK-LABEL: func.func @positions(
// CHECK-SAME: %{{[^:]+}}: tensor<4xf32>) -> tensor<2xf32>
// CHECK: arith.constant dense<[3, 0]> : tensor<2xindex>
func.func @positions(%x: tensor<4xf32>) -> tensor<2xf32> {
  %at = arith.constant dense<[3, 0]> : tensor<2xindex>
  %e = tensor.empty() : tensor<2xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> (d)>], iterator_types = ["parallel"]}
      ins(%at : tensor<2xindex>) outs(%e : tensor<2xf32>) {
  ^bb0(%i: index, %o: f32):
    %v = tensor.extract %x[%i] : tensor<4xf32>
    linalg.yield %v : f32
  } -> tensor<2xf32>
  return %y : tensor<2xf32>
}
