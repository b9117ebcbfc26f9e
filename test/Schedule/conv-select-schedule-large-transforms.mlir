// RUN: conv-opt %s --conv-select-schedule --split-input-file --verify-diagnostics | FileCheck %s

// Transforms to channels last would be ahead of all other plans, but one launch cannot have as many work-items as the
// transform of 2^37 elements: a plan without it is taken.
// CHECK-LABEL: func.func @own_layout
// CHECK:         conv.forward
// CHECK-NOT:     schedule = <{{.*}}, layouts =
// CHECK-SAME:    chosen_by = heuristic
module attributes {conv.target = #conv.target<"gfx942">} {
func.func @own_layout(%x: tensor<512x64x2048x2048xf16>, %w: tensor<64x64x7x7xf16>) -> tensor<512x64x2048x2048xf16> {
  %y = conv.forward %x, %w window = <strides = [1, 1], dilations = [1, 1], low = [3, 3], high = [3, 3]>
      layouts = <"NCHW", "KCRS", "NKPQ">
      : tensor<512x64x2048x2048xf16>, tensor<64x64x7x7xf16> -> tensor<512x64x2048x2048xf16>
  return %y : tensor<512x64x2048x2048xf16>
}
}

// -----

// A quarter of that has a launch for its transforms.
// CHECK-LABEL: func.func @channels_last
// CHECK:         conv.forward
// CHECK-SAME:    layouts = <"NHWC", "KRSC",
module attributes {conv.target = #conv.target<"gfx942">} {
func.func @channels_last(%x: tensor<128x64x2048x2048xf16>, %w: tensor<64x64x7x7xf16>) -> tensor<128x64x2048x2048xf16> {
  %y = conv.forward %x, %w window = <strides = [1, 1], dilations = [1, 1], low = [3, 3], high = [3, 3]>
      layouts = <"NCHW", "KCRS", "NKPQ">
      : tensor<128x64x2048x2048xf16>, tensor<64x64x7x7xf16> -> tensor<128x64x2048x2048xf16>
  return %y : tensor<128x64x2048x2048xf16>
}
}

// -----

// A schedule that asks for such a transform is refused.
#turned = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [256, 64], subgroup = [64, 64], gemm_k = 32, stages = 2,
                         atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = columns>, layouts = <"NHWC", "KRSC", "NPQK">>
module attributes {conv.target = #conv.target<"gfx942">} {
func.func @requested(%x: tensor<512x64x2048x2048xf16>, %w: tensor<64x64x3x3xf16>) -> tensor<512x64x2048x2048xf16> {
  // expected-error @below {{unsupported (problem-size): expects at most 16777215 workgroups of 256 work-items for the transform to tensor<512x2048x2048x64xf16>, but got 33554432}}
  %y = conv.forward %x, %w window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NCHW", "KCRS", "NKPQ"> schedule = #turned
      : tensor<512x64x2048x2048xf16>, tensor<64x64x3x3xf16> -> tensor<512x64x2048x2048xf16>
  return %y : tensor<512x64x2048x2048xf16>
}
}
