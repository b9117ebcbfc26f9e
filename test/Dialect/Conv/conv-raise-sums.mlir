// RUN: conv-opt %s --conv-raise-sums --split-input-file | FileCheck %s

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#layouts = #conv.layouts<"NHWC", "KRSC", "NPQK">

// Windows over channels that stay are a depthwise convolution with ones, in either order of the dimensions.
// CHECK-LABEL: func @pooling
// CHECK:         %[[Y:.+]] = conv.forward
// CHECK:         %[[ONES:.+]] = arith.constant dense<1.000000e+00> : tensor<6x1x2x3xf32>
// CHECK:         conv.forward %[[Y]], %[[ONES]] window = <strides = [2, 1], dilations = [1, 2], low = [0, 0], high = [0, 0]>
// CHECK-SAME:      layouts = <"NHWC", "KCRS", "NPQK"> groups = 6
// CHECK-NOT:     linalg.pooling
func.func @pooling(%x: tensor<2x8x9x3xf32>, %w: tensor<6x1x1x3xf32>) -> tensor<2x4x5x6xf32> {
  %y = conv.forward %x, %w window = #unit layouts = #layouts : tensor<2x8x9x3xf32>, tensor<6x1x1x3xf32> -> tensor<2x8x9x6xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x4x5x6xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x4x5x6xf32>) -> tensor<2x4x5x6xf32>
  %window = tensor.empty() : tensor<2x3xf32>
  %s = linalg.pooling_nhwc_sum {strides = dense<[2, 1]> : vector<2xi64>, dilations = dense<[1, 2]> : vector<2xi64>}
      ins(%y, %window : tensor<2x8x9x6xf32>, tensor<2x3xf32>) outs(%f : tensor<2x4x5x6xf32>) -> tensor<2x4x5x6xf32>
  return %s : tensor<2x4x5x6xf32>
}

// -----

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#layouts = #conv.layouts<"NHWC", "KRSC", "NPQK">

// Whole dimensions: the first is one of input channels, the next has a window over all of it. What the sum starts from is added.
// CHECK-LABEL: func @image
// CHECK-SAME:    %{{[^:]+}}: tensor<2x8x9x3xf32>, %{{[^:]+}}: tensor<6x1x1x3xf32>, %[[INIT:[^:]+]]: tensor<2x6xf32>
// CHECK:         %[[Y:.+]] = conv.forward
// CHECK-DAG:     %[[ONES:.+]] = arith.constant dense<1.000000e+00> : tensor<1x8x9x1xf32>
// CHECK:         %[[S:.+]] = conv.forward %[[Y]], %[[ONES]] {{.*}} layouts = <"NCHW", "KCRS", "NQPK"> {{.*}} -> tensor<2x6x1x1xf32>
// CHECK:         linalg.generic {{.*}} ins(%[[S]],
// CHECK:           arith.addf
// CHECK:         tensor.collapse_shape {{.*}} into tensor<2x6xf32>
func.func @image(%x: tensor<2x8x9x3xf32>, %w: tensor<6x1x1x3xf32>, %init: tensor<2x6xf32>) -> tensor<2x6xf32> {
  %y = conv.forward %x, %w window = #unit layouts = #layouts : tensor<2x8x9x3xf32>, tensor<6x1x1x3xf32> -> tensor<2x8x9x6xf32>
  %s = linalg.reduce ins(%y : tensor<2x8x9x6xf32>) outs(%init : tensor<2x6xf32>) dimensions = [1, 2]
      (%v: f32, %o: f32) {
        %a = arith.addf %v, %o : f32
        linalg.yield %a : f32
      }
  return %s : tensor<2x6xf32>
}

// -----

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#layouts = #conv.layouts<"NHWC", "KRSC", "NPQK">
#all = affine_map<(n, p, q, k) -> (n, p, q, k)>
#pixel = affine_map<(n, p, q, k) -> (n, p, q, 0)>

// A maximum is no sum, and neither is one of f64.
// CHECK-LABEL: func @others
// CHECK-COUNT-1: conv.forward
// CHECK-NOT:     conv.forward
// CHECK:         arith.maximumf
// CHECK:         arith.addf
func.func @others(%x: tensor<2x8x9x3xf32>, %w: tensor<6x1x1x3xf32>, %i: tensor<2x8x9x1xf32>, %d: tensor<2x8x9x6xf64>, %j: tensor<2x8x9x1xf64>)
    -> (tensor<2x8x9x1xf32>, tensor<2x8x9x1xf64>) {
  %y = conv.forward %x, %w window = #unit layouts = #layouts : tensor<2x8x9x3xf32>, tensor<6x1x1x3xf32> -> tensor<2x8x9x6xf32>
  %m = linalg.generic {indexing_maps = [#all, #pixel], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%y : tensor<2x8x9x6xf32>) outs(%i : tensor<2x8x9x1xf32>) {
  ^bb0(%v: f32, %o: f32):
    %a = arith.maximumf %v, %o : f32
    linalg.yield %a : f32
  } -> tensor<2x8x9x1xf32>
  %s = linalg.generic {indexing_maps = [#all, #pixel], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%d : tensor<2x8x9x6xf64>) outs(%j : tensor<2x8x9x1xf64>) {
  ^bb0(%v: f64, %o: f64):
    %a = arith.addf %v, %o : f64
    linalg.yield %a : f64
  } -> tensor<2x8x9x1xf64>
  return %m, %s : tensor<2x8x9x1xf32>, tensor<2x8x9x1xf64>
}

// -----

// Sums alone are for another compiler.
// CHECK-LABEL: func @alone
// CHECK:         linalg.reduce
func.func @alone(%x: tensor<2x8xf32>, %init: tensor<2xf32>) -> tensor<2xf32> {
  %s = linalg.reduce ins(%x : tensor<2x8xf32>) outs(%init : tensor<2xf32>) dimensions = [1]
      (%v: f32, %o: f32) {
        %a = arith.addf %v, %o : f32
        linalg.yield %a : f32
      }
  return %s : tensor<2xf32>
}
