// RUN: conv-opt %s --conv-lower-to-conv=target=sm_80 --conv-lower-to-linalg | FileCheck %s

// Fast-math flags of a program would let back ends leave the error bound.
// CHECK-LABEL: func.func @flags
// CHECK-NOT:     fastmath
// CHECK:         arith.divf
// CHECK-NOT:     fastmath
// CHECK:         return
func.func @flags(%x: tensor<1x4x4x8xf32>, %w: tensor<8x1x1x8xf32>, %b: tensor<8xf32>) -> tensor<1x4x4x8xf32> {
  %sum = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]> layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<1x4x4x8xf32>, tensor<8x1x1x8xf32> -> tensor<1x4x4x8xf32>
  %empty = tensor.empty() : tensor<1x4x4x8xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(n, p, q, k) -> (n, p, q, k)>, affine_map<(n, p, q, k) -> (k)>,
                       affine_map<(n, p, q, k) -> (n, p, q, k)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%sum, %b : tensor<1x4x4x8xf32>, tensor<8xf32>) outs(%empty : tensor<1x4x4x8xf32>) {
  ^bb0(%acc: f32, %divisor: f32, %unused: f32):
    %quotient = arith.divf %acc, %divisor fastmath<arcp> : f32
    linalg.yield %quotient : f32
  } -> tensor<1x4x4x8xf32>
  return %y : tensor<1x4x4x8xf32>
}
