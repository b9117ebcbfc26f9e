// RUN: conv-opt %s --conv-lower-to-linalg --conv-lower-to-tiled --conv-convert-tiles-to-kernels | FileCheck %s

// 132 tiles of 16 steps: the next kernel starts when all of them have ended.
#schedule = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [192, 128], subgroup = [64, 128], gemm_k = 64, stages = 4, atom = <wgmma 64 x 128 x 16>, raster = columns>>
#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>

// CHECK-LABEL: gpu.func @long_0(
// CHECK-NOT:     nvvm.griddepcontrol launch_dependents
// CHECK:         nvvm.griddepcontrol wait
// With 15 steps, when all of them run.
// CHECK-LABEL: gpu.func @short_0(
// CHECK:         nvvm.griddepcontrol launch_dependents
// CHECK-NEXT:    nvvm.griddepcontrol wait
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @long(%x: tensor<64x14x14x1024xf16>, %w: tensor<256x1x1x1024xf16>) -> tensor<64x14x14x256xf16> {
    %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
        : tensor<64x14x14x1024xf16>, tensor<256x1x1x1024xf16> -> tensor<64x14x14x256xf16>
    return %y : tensor<64x14x14x256xf16>
  }
  func.func @short(%x: tensor<64x14x14x960xf16>, %w: tensor<256x1x1x960xf16>) -> tensor<64x14x14x256xf16> {
    %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
        : tensor<64x14x14x960xf16>, tensor<256x1x1x960xf16> -> tensor<64x14x14x256xf16>
    return %y : tensor<64x14x14x256xf16>
  }
}
