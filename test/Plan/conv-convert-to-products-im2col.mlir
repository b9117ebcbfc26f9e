// RUN: conv-opt %s --split-input-file --conv-convert-to-products | FileCheck %s
// No operation that was deleted is read: memory that was freed has other contents here.
// RUN: env MALLOC_PERTURB_=165 GLIBC_TUNABLES=glibc.malloc.tcache_count=0 conv-opt %s --split-input-file --conv-convert-to-products -o /dev/null

// Nine elements of a window of 3 channels are 27 channels, which zeros of a fourth row of taps pad to 28, and the window that is left
// has one element. The filter gets the same zeros.
#schedule = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 64, stages = 2,
                           atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = columns>, channel_multiple = 4, im2col = 2>
module attributes {conv.target = #conv.target<"gfx942">} {
// CHECK-LABEL: func.func @forward(
// CHECK-SAME:    %[[X:.+]]: tensor<2x9x9x3xf16>, %[[W:.+]]: tensor<8x3x3x3xf16>
// CHECK:         conv.gather %[[X]]{{.*}} rows = [2, 4, 4], columns = [4, 3, 3], map = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d2 * 2 + d4, d3 * 2 + d5, d6, d4)>, limits = [3]>
// CHECK:         %[[UNFOLDED:.+]] = conv.scatter {{.*}} limits = [28]> : {{.*}} into tensor<2x4x4x28xf16>
// CHECK:         conv.gather %[[W]]{{.*}} limits = [3]>
// CHECK:         %[[FILTER:.+]] = conv.scatter {{.*}} limits = [28]> : {{.*}} into tensor<8x1x1x28xf16>
// CHECK:         conv.gather %[[UNFOLDED]]{{.*}} -> tensor<1x32x28xf16>
// CHECK:         conv.gather %[[FILTER]]{{.*}} -> tensor<1x8x28xf16>
func.func @forward(%x: tensor<2x9x9x3xf16>, %w: tensor<8x3x3x3xf16>) -> tensor<2x4x4x8xf16> {
  %y = conv.forward %x, %w window = <strides = [2, 2], dilations = [1, 1], low = [0, 0], high = [0, 0]>
      layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
      : tensor<2x9x9x3xf16>, tensor<8x3x3x3xf16> -> tensor<2x4x4x8xf16>
  return %y : tensor<2x4x4x8xf16>
}
}

// -----

// A gradient of the input sees the gradient of the output from behind. Along lines only, the window keeps its height.
#schedule = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 64, stages = 2,
                           atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = columns>, im2col = 1>
module attributes {conv.target = #conv.target<"gfx942">} {
// CHECK-LABEL: func.func @gradient(
// CHECK-SAME:    %[[DY:.+]]: tensor<2x9x9x3xf16>
// CHECK:         conv.gather %[[DY]]{{.*}} rows = [2, 9, 9], columns = [3, 3], map = affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d2, d3 - d4 + 1, d5)>>
// CHECK:         %[[UNFOLDED:.+]] = conv.scatter {{.*}} into tensor<2x9x9x9xf16>
// CHECK:         tensor.expand_shape {{.*}} into tensor<9x3x1x8xf16>
// CHECK:         conv.gather %[[UNFOLDED]]{{.*}} columns = [r = 3, s = 1, k = 9]
func.func @gradient(%dy: tensor<2x9x9x3xf16>, %w: tensor<3x3x3x8xf16>) -> tensor<2x9x9x8xf16> {
  %dx = conv.backward_data %dy, %w window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
      : tensor<2x9x9x3xf16>, tensor<3x3x3x8xf16> -> tensor<2x9x9x8xf16>
  return %dx : tensor<2x9x9x8xf16>
}
}

// -----

// If the result has few channels, the product writes the terms of each window: of 3 x 3 taps, an element of the input meets at most 2 x
// 2. Four phases of positions are the places of a block. The last one of 9 lines has no second phase.
#schedule = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 16, stages = 2,
                           atom = <mfma 32 x 32 x 2>, main_loop = register_staged, raster = columns>,
                           layouts = <"NCHW", "CRSK", "NPQK">, channel_multiple = 4, im2col = 2>
module attributes {conv.target = #conv.target<"gfx942">} {
// CHECK-LABEL: func.func @folded(
// CHECK:         %[[TERMS:.+]] = conv.scatter {{.*}} into tensor<2x20x5x5xf32>
// CHECK-COUNT-16: conv.gather %[[TERMS]]
// CHECK-NOT:     conv.gather
// CHECK:         linalg.generic
// CHECK-COUNT-12: arith.addf
// CHECK-NOT:     arith.addf
// CHECK:         conv.scatter {{.*}} limits = [9, 9]>{{.*}} into tensor<2x9x9x2xf32>
func.func @folded(%dy: tensor<2x5x5x8xf32>, %w: tensor<8x3x3x2xf32>) -> tensor<2x9x9x2xf32> {
  %dx = conv.backward_data %dy, %w window = <strides = [2, 2], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
      : tensor<2x5x5x8xf32>, tensor<8x3x3x2xf32> -> tensor<2x9x9x2xf32>
  return %dx : tensor<2x9x9x2xf32>
}
// What adds the terms does the work of the epilogue.
// CHECK-LABEL: func.func @folded_epilogue(
// CHECK:         linalg.generic
// CHECK-NOT:     arith.maximumf
// CHECK:         conv.scatter {{.*}} into tensor<2x20x5x5xf32>
// CHECK-COUNT-4: arith.maximumf
// CHECK:         conv.scatter {{.*}} limits = [9, 9]>{{.*}} into tensor<2x9x9x2xf32>
func.func @folded_epilogue(%dy: tensor<2x5x5x8xf32>, %w: tensor<8x3x3x2xf32>) -> tensor<2x9x9x2xf32> {
  %dx = conv.backward_data %dy, %w window = <strides = [2, 2], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
      epilogue() {
      ^bb0(%sum: f32):
        %zero = arith.constant 0.0 : f32
        %relu = arith.maximumf %sum, %zero : f32
        conv.yield %relu : f32
      } : tensor<2x5x5x8xf32>, tensor<8x3x3x2xf32> -> tensor<2x9x9x2xf32>
  return %dx : tensor<2x9x9x2xf32>
}
}

// -----

// Of gradients of filters, the operand of fewer channels is unfolded: here that of the output. All positions are one dimension then. A
// window of one element stays.
#schedule = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 64, stages = 2,
                           atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = columns>, im2col = 2>
module attributes {conv.target = #conv.target<"gfx942">} {
// CHECK-LABEL: func.func @filter(
// CHECK-SAME:    %[[X:.+]]: tensor<2x9x9x8xf16>, %[[DY:.+]]: tensor<2x7x7x4xf16>
// CHECK:         conv.gather %[[DY]]{{.*}} rows = [2, 9, 9], columns = [3, 3, 4], map = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d2 - d4, d3 - d5, d6)>>
// CHECK:         tensor.expand_shape {{.*}} into tensor<1x1x162x
// CHECK:         into tensor<36x1x1x8xf32>
// CHECK:         conv.scatter {{.*}} into tensor<4x3x3x8xf32>
func.func @filter(%x: tensor<2x9x9x8xf16>, %dy: tensor<2x7x7x4xf16>) -> tensor<4x3x3x8xf32> {
  %dw = conv.backward_weight %x, %dy window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
      layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
      : tensor<2x9x9x8xf16>, tensor<2x7x7x4xf16> -> tensor<4x3x3x8xf32>
  return %dw : tensor<4x3x3x8xf32>
}

// CHECK-LABEL: func.func @pointwise(
// CHECK-COUNT-2: conv.gather
// CHECK-NOT:   conv.gather
func.func @pointwise(%x: tensor<2x9x9x8xf16>, %w: tensor<8x1x1x8xf16>) -> tensor<2x9x9x8xf16> {
  %y = conv.forward %x, %w window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
      layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
      : tensor<2x9x9x8xf16>, tensor<8x1x1x8xf16> -> tensor<2x9x9x8xf16>
  return %y : tensor<2x9x9x8xf16>
}
}
