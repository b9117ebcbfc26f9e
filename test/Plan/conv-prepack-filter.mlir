// RUN: conv-opt %s --conv-prepack-filter --split-input-file | FileCheck %s
// RUN: conv-opt %s --conv-prepack-filter --conv-convert-to-products --conv-verify-stage=stage=linalg --split-input-file | FileCheck %s --check-prefix=PLAN

#same = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
#point = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#tiles = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [32, 32], subgroup = [16, 16], gemm_k = 32, stages = 2,
                        atom = <mfma 16 x 16 x 4>, main_loop = register_staged, raster = columns>, output_tile = [2, 2]>
#turned = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 64, stages = 2,
                         atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = columns>, layouts = <"NHWC", "KRSC", "NPQK">>
module attributes {conv.target = #conv.target<"gfx942">} {
// The filter's transform moves to a function of its own; strides go with the filter, and the name says what is packed.
// CHECK-LABEL: func.func @winograd(
// CHECK-SAME:    %{{.+}}: tensor<1x8x8x4xf32>, %[[P:.+]]: tensor<16x8x1x4xf32> {conv.name = "packed_filter", conv.packed_by = @winograd.prepack}) -> tensor<1x8x8x8xf32>
// CHECK:         %[[W:.+]] = conv.unpack %[[P]] : tensor<16x8x1x4xf32> -> tensor<8x3x3x4xf32>
// CHECK:         conv.forward %{{.+}}, %[[W]]
// CHECK-LABEL: func.func @winograd.prepack(
// CHECK-SAME:    %[[F:.+]]: tensor<8x3x3x4xf32> {conv.name = "filter", conv.strides = array<i64: 40, 12, 4, 1>})
// CHECK-SAME:    -> (tensor<16x8x1x4xf32> {conv.name = "packed_filter"})
// CHECK-NEXT:    %[[T:.+]] = conv.block_transform %[[F]]
// CHECK-NEXT:    return %[[T]]
//
// The plan has one transform less, and its product reads the packed filter.
// PLAN-LABEL: func.func @winograd(
// PLAN-SAME:    %{{.+}}: tensor<1x8x8x4xf32>, %[[P:.+]]: tensor<16x8x1x4xf32>
// PLAN-NOT:     conv.unpack
// PLAN:         conv.gather %[[P]]
// PLAN:         linalg.batch_matmul
// PLAN-NOT:     conv.gather %[[P]]
// PLAN-LABEL: func.func @winograd.prepack(
func.func @winograd(%x: tensor<1x8x8x4xf32>,
                    %w: tensor<8x3x3x4xf32> {conv.name = "filter", conv.prepack, conv.strides = array<i64: 40, 12, 4, 1>})
    -> tensor<1x8x8x8xf32> {
  %y = conv.forward %x, %w window = #same layouts = <"NHWC", "KRSC", "NPQK"> schedule = #tiles
      : tensor<1x8x8x4xf32>, tensor<8x3x3x4xf32> -> tensor<1x8x8x8xf32>
  return %y : tensor<1x8x8x8xf32>
}

// One function packs all filters that are asked for: any transform of a filter is a step, and others stay.
// CHECK-LABEL: func.func @layouts(
// CHECK-SAME:    %{{.+}}: tensor<2x6x5x7xf16>, %{{.+}}: tensor<8x3x3x6xf16> {conv.packed_by = @layouts.prepack}, %{{.+}}: tensor<8x6x3x3xf16>,
// CHECK-SAME:    %{{.+}}: tensor<8x3x3x8xf16> {conv.packed_by = @layouts.prepack})
// CHECK-LABEL: func.func @layouts.prepack(
// CHECK-SAME:    %[[F:.+]]: tensor<8x6x3x3xf16>, %[[G:.+]]: tensor<8x8x3x3xf16>) -> (tensor<8x3x3x6xf16>, tensor<8x3x3x8xf16>)
// CHECK-NEXT:    %[[A:.+]] = conv.transform %[[F]] permutation = [0, 2, 3, 1]
// CHECK-NEXT:    %[[B:.+]] = conv.transform %[[G]] permutation = [0, 2, 3, 1]
// CHECK-NEXT:    return %[[A]], %[[B]]
//
// PLAN-LABEL: func.func @layouts(
// PLAN-SAME:    %{{.+}}: tensor<2x6x5x7xf16>, %[[P:.+]]: tensor<8x3x3x6xf16> {{.*}}, %[[W:.+]]: tensor<8x6x3x3xf16>,
// PLAN:         conv.gather %[[P]][{{.*}} -> tensor<1x8x54xf16>
// PLAN-LABEL: func.func @layouts.prepack(
func.func @layouts(%x: tensor<2x6x5x7xf16>, %v: tensor<8x6x3x3xf16> {conv.prepack}, %w: tensor<8x6x3x3xf16>,
                   %u: tensor<8x8x3x3xf16> {conv.prepack}) -> (tensor<2x8x5x7xf16>, tensor<2x8x5x7xf16>) {
  %a = conv.forward %x, %v window = #same layouts = <"NCHW", "KCRS", "NKPQ"> schedule = #turned
      : tensor<2x6x5x7xf16>, tensor<8x6x3x3xf16> -> tensor<2x8x5x7xf16>
  %b = conv.forward %a, %u window = #same layouts = <"NCHW", "KCRS", "NKPQ"> schedule = #turned
      : tensor<2x8x5x7xf16>, tensor<8x8x3x3xf16> -> tensor<2x8x5x7xf16>
  %c = conv.forward %x, %w window = #same layouts = <"NCHW", "KCRS", "NKPQ"> schedule = #turned
      : tensor<2x6x5x7xf16>, tensor<8x6x3x3xf16> -> tensor<2x8x5x7xf16>
  return %b, %c : tensor<2x8x5x7xf16>, tensor<2x8x5x7xf16>
}

// Nobody asks for anything.
// CHECK-LABEL: func.func @unasked(
// CHECK-NOT:     conv.unpack
// CHECK-NOT:   func.func @unasked.prepack
func.func @unasked(%x: tensor<1x8x8x4xf32>, %w: tensor<8x3x3x4xf32>) -> tensor<1x8x8x8xf32> {
  %y = conv.forward %x, %w window = #same layouts = <"NHWC", "KRSC", "NPQK"> schedule = #tiles
      : tensor<1x8x8x4xf32>, tensor<8x3x3x4xf32> -> tensor<1x8x8x8xf32>
  return %y : tensor<1x8x8x8xf32>
}
}
