// RUN: conv-opt %s --split-input-file --conv-convert-to-products --conv-tile-to-workgroups --conv-select-launches | FileCheck %s
// RUN: conv-opt %s --split-input-file --conv-convert-to-products --conv-tile-to-workgroups --conv-select-launches | conv-opt --split-input-file --verify-roundtrip | FileCheck %s

// A product of warpgroups lets the next kernel start at once, and prefetches. With 132 tiles of 16 steps, the next one starts as it ends.
#short = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [192, 128], subgroup = [64, 128], gemm_k = 64, stages = 4, atom = <wgmma 64 x 128 x 16>, raster = columns>>
// CHECK-LABEL: func.func @short(
// CHECK:         conv.scatter {{.*}} {conv.launch = #conv.launch<next = at_once, prefetches = true>}
// CHECK-LABEL: func.func @long(
// CHECK:         conv.scatter {{.*}} {conv.launch = #conv.launch<next = at_end, prefetches = true>}
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @short(%x: tensor<64x14x14x960xf16>, %w: tensor<256x1x1x960xf16>) -> tensor<64x14x14x256xf16> {
    %y = conv.forward %x, %w window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
        layouts = <"NHWC", "KRSC", "NPQK"> schedule = #short
        : tensor<64x14x14x960xf16>, tensor<256x1x1x960xf16> -> tensor<64x14x14x256xf16>
    return %y : tensor<64x14x14x256xf16>
  }
  func.func @long(%x: tensor<64x14x14x1024xf16>, %w: tensor<256x1x1x1024xf16>) -> tensor<64x14x14x256xf16> {
    %y = conv.forward %x, %w window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
        layouts = <"NHWC", "KRSC", "NPQK"> schedule = #short
        : tensor<64x14x14x1024xf16>, tensor<256x1x1x1024xf16> -> tensor<64x14x14x256xf16>
    return %y : tensor<64x14x14x256xf16>
  }
}

// -----

// Split-K slices are not prefetched. They and their sum let the next kernel start at once if each has a quarter of the 132 units at most.
#few = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [64, 64], subgroup = [64, 64], gemm_k = 64, stages = 4, atom = <wgmma 64 x 64 x 16>, raster = columns>, splits = 33>
#more = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [64, 64], subgroup = [64, 64], gemm_k = 64, stages = 4, atom = <wgmma 64 x 64 x 16>, raster = columns>, splits = 34>
// CHECK-LABEL: func.func @few(
// CHECK:         conv.scatter {{.*}} {conv.launch = #conv.launch<next = at_once>}
// CHECK:         conv.scatter {{.*}} {conv.launch = #conv.launch<next = at_once>}
// CHECK-LABEL: func.func @more(
// CHECK:         conv.scatter {{.*}} {conv.launch = #conv.launch<next = at_end>}
// CHECK:         conv.scatter {{.*}} {conv.launch = #conv.launch<next = at_end>}
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @few(%x: tensor<33x32x32x64xbf16>, %dy: tensor<33x32x32x64xbf16>) -> tensor<64x1x1x64xbf16> {
    %dw = conv.backward_weight %x, %dy window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
        layouts = <"NHWC", "KRSC", "NPQK"> schedule = #few
        : tensor<33x32x32x64xbf16>, tensor<33x32x32x64xbf16> -> tensor<64x1x1x64xbf16>
    return %dw : tensor<64x1x1x64xbf16>
  }
  func.func @more(%x: tensor<34x32x32x64xbf16>, %dy: tensor<34x32x32x64xbf16>) -> tensor<64x1x1x64xbf16> {
    %dw = conv.backward_weight %x, %dy window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
        layouts = <"NHWC", "KRSC", "NPQK"> schedule = #more
        : tensor<34x32x32x64xbf16>, tensor<34x32x32x64xbf16> -> tensor<64x1x1x64xbf16>
    return %dw : tensor<64x1x1x64xbf16>
  }
}

// -----

// Products without warpgroups start when the previous kernel has ended, and so does the sum of their slices. Transforms start early.
#staged = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [32, 32], subgroup = [16, 32], gemm_k = 32, stages = 2, atom = <mma_sync 16 x 8 x 16>, main_loop = register_staged, raster = columns>, splits = 16>
#turned = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [32, 32], subgroup = [16, 32], gemm_k = 32, stages = 2, atom = <mma_sync 16 x 8 x 16>, main_loop = register_staged, raster = columns>, layouts = <"NHWC", "KRSC", "NPQK">>
// CHECK-LABEL: func.func @staged(
// CHECK-NOT:     conv.launch
// CHECK-LABEL: func.func @turned(
// CHECK:         conv.scatter {{.*}} {conv.launch = #conv.launch<next = at_once, prefetches = true>}
// CHECK-NOT:     conv.launch
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @staged(%x: tensor<16x32x32x64xbf16>, %dy: tensor<16x32x32x64xbf16>) -> tensor<64x1x1x64xbf16> {
    %dw = conv.backward_weight %x, %dy window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
        layouts = <"NHWC", "KRSC", "NPQK"> schedule = #staged
        : tensor<16x32x32x64xbf16>, tensor<16x32x32x64xbf16> -> tensor<64x1x1x64xbf16>
    return %dw : tensor<64x1x1x64xbf16>
  }
  func.func @turned(%x: tensor<4x64x16x16xbf16>, %w: tensor<64x1x1x64xbf16>) -> tensor<4x16x16x64xbf16> {
    %y = conv.forward %x, %w window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
        layouts = <"NCHW", "KRSC", "NPQK"> schedule = #turned
        : tensor<4x64x16x16xbf16>, tensor<64x1x1x64xbf16> -> tensor<4x16x16x64xbf16>
    return %y : tensor<4x16x16x64xbf16>
  }
}

// -----

// A decoding step prefetches what it reads, unless places depend on other loads. If two of them have no place on the chip together, the
// next kernel starts after its loads. Other ops on states let it start at once, and so do counts of neighbours. What is there is kept.
// CHECK-LABEL: func.func @states(
// CHECK:         conv.causal_update {{.*}} {conv.launch = #conv.launch<next = at_once, prefetches = true>} : tensor<2x16x1xf16>
// CHECK:         conv.causal_update {{.*}} {conv.launch = #conv.launch<next = at_once>} : tensor<2x16x1xf16>
// CHECK:         conv.causal_update {{.*}} {conv.launch = #conv.launch<next = after_loads>} : tensor<256x4096x1xf16>
// CHECK:         conv.final_state {{.*}} {conv.launch = #conv.launch<next = at_once>}
// CHECK:         conv.count_neighbours {{.*}}conv.launch = #conv.launch<next = at_once>
// CHECK:         conv.final_state {{.*}} {conv.launch = #conv.launch<next = at_end>}
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @states(%x: tensor<2x16x1xf16>, %w: tensor<16x4xf16>, %s: tensor<2x16x3xf16>, %p: tensor<2xi32>,
                    %xl: tensor<256x4096x1xf16>, %wl: tensor<4096x4xf16>, %sl: tensor<256x4096x3xf16>,
                    %t: tensor<1x9x8xf16>, %c: tensor<3xi64>)
      -> (tensor<2x16x1xf16>, tensor<2x16x3xf16>, tensor<2x16x1xf16>, tensor<2x16x3xf16>, tensor<256x4096x1xf16>,
          tensor<256x4096x3xf16>, tensor<2x3x8xf16>, tensor<256xi8>, tensor<2x3x8xf16>) {
    %y0, %n0 = conv.causal_update %x, %w, %s
        : tensor<2x16x1xf16>, tensor<16x4xf16>, tensor<2x16x3xf16> -> tensor<2x16x1xf16>, tensor<2x16x3xf16>
    %y1, %n1 = conv.causal_update %x, %w, %s positions(%p : tensor<2xi32>)
        : tensor<2x16x1xf16>, tensor<16x4xf16>, tensor<2x16x3xf16> -> tensor<2x16x1xf16>, tensor<2x16x3xf16>
    %y2, %n2 = conv.causal_update %xl, %wl, %sl
        : tensor<256x4096x1xf16>, tensor<4096x4xf16>, tensor<256x4096x3xf16> -> tensor<256x4096x1xf16>, tensor<256x4096x3xf16>
    %r = conv.final_state %t cu_seqlens(%c : tensor<3xi64>) : tensor<1x9x8xf16> -> tensor<2x3x8xf16>
    %k = conv.count_neighbours before %c limit = 3 : tensor<3xi64> -> tensor<256xi8>
    %l = conv.final_state %t cu_seqlens(%c : tensor<3xi64>) {conv.launch = #conv.launch<next = at_end>} : tensor<1x9x8xf16> -> tensor<2x3x8xf16>
    return %y0, %n0, %y1, %n1, %y2, %n2, %r, %k, %l
        : tensor<2x16x1xf16>, tensor<2x16x3xf16>, tensor<2x16x1xf16>, tensor<2x16x3xf16>, tensor<256x4096x1xf16>,
          tensor<256x4096x3xf16>, tensor<2x3x8xf16>, tensor<256xi8>, tensor<2x3x8xf16>
  }
}

// -----

// Other chips start no kernel early.
// CHECK-LABEL: func.func @older(
// CHECK-NOT:     conv.launch
module attributes {conv.target = #conv.target<"sm_80">} {
  func.func @older(%t: tensor<1x9x8xf16>, %c: tensor<3xi64>) -> tensor<2x3x8xf16> {
    %r = conv.final_state %t cu_seqlens(%c : tensor<3xi64>) : tensor<1x9x8xf16> -> tensor<2x3x8xf16>
    return %r : tensor<2x3x8xf16>
  }
}
