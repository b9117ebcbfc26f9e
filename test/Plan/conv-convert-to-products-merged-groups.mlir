// RUN: conv-opt %s --split-input-file --conv-convert-to-products | FileCheck %s

// Four groups of 2 channels as two of 4: the filter becomes block diagonal. A block off the diagonal, where the digits of filters
// (d2) and of channels (d5) differ, is outside of the source.
#schedule = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 64, stages = 2,
                           atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = columns>, channel_multiple = 4>
module attributes {conv.target = #conv.target<"gfx942">} {
// CHECK-LABEL: func.func @merged(
// CHECK-SAME:    %[[X:.+]]: tensor<1x8x8xf16>, %[[W:.+]]: tensor<12x3x2xf16>
// CHECK:         %[[BLOCKS:.+]] = conv.gather %[[W]]{{.*}} view = <batch = [1], rows = [2, 2, 3, 3], columns = [2, 2], map = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> ((d1 * 2 + d2) * 3 + d3, d4, d6 + (d5 - d2) * 2)>{{.*}} : tensor<12x3x2xf16> -> tensor<1x36x4xf16>
// CHECK:         %[[FILTER:.+]] = conv.scatter {{.*}} into tensor<12x3x4xf16>
// CHECK:         conv.gather %[[X]]{{.*}} -> tensor<2x6x12xf16>
// CHECK:         conv.gather %[[FILTER]]{{.*}} -> tensor<2x6x12xf16>
func.func @merged(%x: tensor<1x8x8xf16>, %w: tensor<12x3x2xf16>) -> tensor<1x6x12xf16> {
  %y = conv.forward %x, %w window = <strides = [1], dilations = [1], low = [0], high = [0]>
      layouts = <"NWC", "KSC", "NQK"> groups = 4 schedule = #schedule
      : tensor<1x8x8xf16>, tensor<12x3x2xf16> -> tensor<1x6x12xf16>
  return %y : tensor<1x6x12xf16>
}
}

// -----

// Of the gradient of such a filter, the result is what is on the diagonal.
#schedule = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 64, stages = 2,
                           atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = columns>, channel_multiple = 4>
module attributes {conv.target = #conv.target<"gfx942">} {
// CHECK-LABEL: func.func @merged_gradient(
// CHECK:         %[[WIDE:.+]] = conv.scatter {{.*}} into tensor<12x3x4xf32>
// CHECK:         conv.gather %[[WIDE]]{{.*}} map = affine_map<(d0, d1, d2, d3, d4, d5) -> ((d1 * 2 + d2) * 3 + d3, d4, d5 + d2 * 2)>{{.*}} : tensor<12x3x4xf32> -> tensor<1x36x2xf32>
// CHECK:         conv.scatter {{.*}} into tensor<12x3x2xf32>
func.func @merged_gradient(%x: tensor<1x8x8xf16>, %dy: tensor<1x6x12xf16>) -> tensor<12x3x2xf32> {
  %dw = conv.backward_weight %x, %dy window = <strides = [1], dilations = [1], low = [0], high = [0]>
      layouts = <"NWC", "KSC", "NQK"> groups = 4 schedule = #schedule
      : tensor<1x8x8xf16>, tensor<1x6x12xf16> -> tensor<12x3x2xf32>
  return %dw : tensor<12x3x2xf32>
}
}

// -----

// All four groups as one of 8 channels. The 12 channels of the reduction are not padded to a multiple of 8.
#schedule = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 64, stages = 2,
                           atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = columns>, channel_multiple = 8>
module attributes {conv.target = #conv.target<"gfx942">} {
// CHECK-LABEL: func.func @merged_to_one(
// CHECK-SAME:    %[[DY:.+]]: tensor<1x6x12xf16>, %[[W:.+]]: tensor<12x3x2xf16>
// CHECK:         %[[FILTER:.+]] = conv.scatter {{.*}} into tensor<12x3x8xf16>
// CHECK-NOT:     conv.scatter
// CHECK:         conv.gather %[[DY]]{{.*}} -> tensor<1x8x36xf16>
// CHECK:         conv.gather %[[FILTER]]{{.*}} -> tensor<1x8x36xf16>
func.func @merged_to_one(%dy: tensor<1x6x12xf16>, %w: tensor<12x3x2xf16>) -> tensor<1x8x8xf32> {
  %dx = conv.backward_data %dy, %w window = <strides = [1], dilations = [1], low = [0], high = [0]>
      layouts = <"NWC", "KSC", "NQK"> groups = 4 schedule = #schedule
      : tensor<1x6x12xf16>, tensor<12x3x2xf16> -> tensor<1x8x8xf32>
  return %dx : tensor<1x8x8xf32>
}
}
