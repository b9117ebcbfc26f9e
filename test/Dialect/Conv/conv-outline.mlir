// RUN: conv-opt %s --conv-outline --split-input-file | FileCheck %s
// RUN: conv-opt %s --conv-outline=pass-constants --split-input-file | FileCheck %s --check-prefix=PASS

#id = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#channel = affine_map<(d0, d1, d2, d3) -> (d3)>

// A convolution takes its bias along; the maximum and the softmax stay. The
// filter goes with the convolution, or is passed.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:[^:]+]]: tensor<1x4x4x1xf32>, %[[B:[^:]+]]: tensor<2xf32>)
// CHECK-NOT: arith.constant dense<{{\[}}
// CHECK: %[[C:.+]] = call @main_conv_0(%[[X]], %[[B]]) : (tensor<1x4x4x1xf32>, tensor<2xf32>) -> tensor<1x4x4x2xf32>
// CHECK: linalg.pooling_nhwc_max {{.*}} ins(%[[C]],
// CHECK: func.func private @main_conv_0(%[[X:.+]]: tensor<1x4x4x1xf32>, %[[B:.+]]: tensor<2xf32>) -> tensor<1x4x4x2xf32> {
// CHECK-NEXT: %[[W:.+]] = arith.constant dense<{{\[\[}}
// CHECK-NEXT: %[[C:.+]] = conv.forward %[[X]], %[[W]] {{.*}} epilogue(%[[B]] : tensor<2xf32>)
// CHECK: return %[[C]]
// PASS-LABEL: func.func @main(
// PASS: %[[W:.+]] = arith.constant dense<{{\[\[}}
// PASS: call @main_conv_0(%{{.+}}, %[[W]], %{{.+}})
func.func @main(%x: tensor<1x4x4x1xf32>, %b: tensor<2xf32>) -> tensor<1x2x2x2xf32> {
  %zero = arith.constant 0.0 : f32
  %w = arith.constant dense<[[[[1.0]]], [[[2.0]]]]> : tensor<2x1x1x1xf32>
  %e = tensor.empty() : tensor<1x4x4x2xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32>
  %c = linalg.conv_2d_nhwc_fhwc ins(%x, %w : tensor<1x4x4x1xf32>, tensor<2x1x1x1xf32>)
      outs(%init : tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32>
  %s = linalg.generic {indexing_maps = [#id, #channel, #id],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%c, %b : tensor<1x4x4x2xf32>, tensor<2xf32>) outs(%e : tensor<1x4x4x2xf32>) {
    ^bb0(%l: f32, %r: f32, %o: f32):
      %0 = arith.addf %l, %r : f32
      linalg.yield %0 : f32
  } -> tensor<1x4x4x2xf32>
  %window = tensor.empty() : tensor<2x2xf32>
  %p = tensor.empty() : tensor<1x2x2x2xf32>
  %low = linalg.fill ins(%zero : f32) outs(%p : tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
  %y = linalg.pooling_nhwc_max {strides = dense<2> : vector<2xi64>}
      ins(%s, %window : tensor<1x4x4x2xf32>, tensor<2x2xf32>)
      outs(%low : tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
  return %y : tensor<1x2x2x2xf32>
}

// -----

// Two convolutions around an op that is not fused, and a name that is taken.
// CHECK-LABEL: func.func @chain(
// CHECK: call @chain_conv_1(
// CHECK: linalg.softmax
// CHECK: call @chain_conv_2(
// CHECK: func.func private @chain_conv_1(
// CHECK: func.func private @chain_conv_2(
func.func private @chain_conv_0()
func.func @chain(%x: tensor<1x4x4x2xf32>, %w: tensor<2x1x1x2xf32>) -> tensor<1x4x4x2xf32> {
  %c = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<1x4x4x2xf32>, tensor<2x1x1x2xf32> -> tensor<1x4x4x2xf32>
  %e = tensor.empty() : tensor<1x4x4x2xf32>
  %s = linalg.softmax dimension(3) ins(%c : tensor<1x4x4x2xf32>) outs(%e : tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32>
  %y = conv.forward %s, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<1x4x4x2xf32>, tensor<2x1x1x2xf32> -> tensor<1x4x4x2xf32>
  return %y : tensor<1x4x4x2xf32>
}

// -----

// A function of convolutions is left as it is.
// CHECK-LABEL: func.func @whole(
// CHECK: conv.forward
// CHECK-NOT: call
func.func @whole(%x: tensor<1x4x4x2xf32>, %w: tensor<2x1x1x2xf32>) -> tensor<1x4x4x2xf32> {
  %c = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<1x4x4x2xf32>, tensor<2x1x1x2xf32> -> tensor<1x4x4x2xf32>
  return %c : tensor<1x4x4x2xf32>
}
