// RUN: conv-opt %s --conv-select-schedule --split-input-file --verify-diagnostics | FileCheck %s
// RUN: conv-opt %s --conv-select-schedule=algorithm=implicit_gemm --split-input-file | FileCheck %s --check-prefix=GEMM
// RUN: not conv-opt %s --conv-select-schedule=algorithm=direct --split-input-file 2>&1 | FileCheck %s --check-prefix=ONLY

#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>

// A depthwise convolution has a direct schedule, in every direction.
// GEMM-NOT: #conv.direct<
module attributes {conv.target = #conv.target<"gfx942">} {
// CHECK-LABEL: func @forward
// CHECK: #conv.direct<{{.*}} gemm_k = 9, stages = 1, {{.*}} main_loop = direct, {{.*}} chosen_by = heuristic
func.func @forward(%x: tensor<32x56x56x384xf16>, %w: tensor<384x3x3x1xf16>) -> tensor<32x56x56x384xf16> {
  %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> groups = 384
      : tensor<32x56x56x384xf16>, tensor<384x3x3x1xf16> -> tensor<32x56x56x384xf16>
  return %y : tensor<32x56x56x384xf16>
}
// A small one, too: 2.4 us by the clock; groups side by side take 2.7.
// CHECK-LABEL: func @small
// CHECK: #conv.direct<{{.*}} gemm_k = 9, stages = 1, {{.*}} main_loop = direct, {{.*}} chosen_by = heuristic
func.func @small(%x: tensor<1x56x56x384xf16>, %w: tensor<384x3x3x1xf16>) -> tensor<1x56x56x384xf16> {
  %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> groups = 384
      : tensor<1x56x56x384xf16>, tensor<384x3x3x1xf16> -> tensor<1x56x56x384xf16>
  return %y : tensor<1x56x56x384xf16>
}
// CHECK-LABEL: func @weight
// CHECK: #conv.direct<{{.*}} main_loop = direct_reduction
func.func @weight(%x: tensor<1x56x56x384xf16>, %dy: tensor<1x56x56x384xf16>) -> tensor<384x3x3x1xf32> {
  %dw = conv.backward_weight %x, %dy window = #window layouts = <"NHWC", "KRSC", "NPQK"> groups = 384
      : tensor<1x56x56x384xf16>, tensor<1x56x56x384xf16> -> tensor<384x3x3x1xf32>
  return %dw : tensor<384x3x3x1xf32>
}
// Groups of several channels have matrices worth multiplying.
// CHECK-LABEL: func @grouped
// CHECK: #conv.staged_gemm<
// ONLY: error: unsupported (schedule): expects a convolution for the algorithm direct, but groups have more than one input channel
func.func @grouped(%x: tensor<1x8x8x64xf16>, %w: tensor<64x3x3x16xf16>) -> tensor<1x8x8x64xf16> {
  %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> groups = 4
      : tensor<1x8x8x64xf16>, tensor<64x3x3x16xf16> -> tensor<1x8x8x64xf16>
  return %y : tensor<1x8x8x64xf16>
}
}

// -----

// Threads sum up gradients of filters of groups with few channels, if positions are innermost in memory.
#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
module attributes {conv.target = #conv.target<"host">} {
// CHECK-LABEL: func @many_channels
// ONLY: error: unsupported (schedule): expects a convolution for the algorithm direct, but groups have more than 8 input or output channels
func.func @many_channels(%x: tensor<1x18x8x8xf32>, %dy: tensor<1x18x8x8xf32>) -> tensor<18x9x3x3xf32> {
  %dw = conv.backward_weight %x, %dy window = #window layouts = <"NCHW", "KCRS", "NKPQ"> groups = 2
      : tensor<1x18x8x8xf32>, tensor<1x18x8x8xf32> -> tensor<18x9x3x3xf32>
  return %dw : tensor<18x9x3x3xf32>
}
}

// -----

#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
module attributes {conv.target = #conv.target<"host">} {
// CHECK-LABEL: func @adjacent_groups
// ONLY: error: unsupported (schedule): expects a convolution for the algorithm direct, but groups are adjacent in memory
func.func @adjacent_groups(%x: tensor<2x6x12x6xf32>, %dy: tensor<2x6x12x6xf32>) -> tensor<6x3x3x3xf32> {
  %dw = conv.backward_weight %x, %dy window = #window layouts = <"NHWC", "KRSC", "NPQK"> groups = 2
      : tensor<2x6x12x6xf32>, tensor<2x6x12x6xf32> -> tensor<6x3x3x3xf32>
  return %dw : tensor<6x3x3x3xf32>
}
}

// -----

// The sums of i8 are i32. Tiles have whole slices of 48 channels, although
// these are not a power of two of vectors.
#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
module attributes {conv.target = #conv.target<"sm_90a">} {
// CHECK-LABEL: func @integers
// CHECK: #conv.direct<{{.*}} main_loop = direct, {{.*}} chosen_by = heuristic
func.func @integers(%x: tensor<8x80x80x48xi8>, %w: tensor<48x3x3x1xi8>) -> tensor<8x80x80x48xi32> {
  %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> groups = 48
      : tensor<8x80x80x48xi8>, tensor<48x3x3x1xi8> -> tensor<8x80x80x48xi32>
  return %y : tensor<8x80x80x48xi32>
}
// CHECK-LABEL: func @weight_of_integers
// CHECK: #conv.direct<workgroup = [1, 48], {{.*}} main_loop = direct_reduction, {{.*}} splits =
func.func @weight_of_integers(%x: tensor<8x80x80x48xi8>, %dy: tensor<8x80x80x48xi8>) -> tensor<48x3x3x1xi32> {
  %dw = conv.backward_weight %x, %dy window = #window layouts = <"NHWC", "KRSC", "NPQK"> groups = 48
      : tensor<8x80x80x48xi8>, tensor<8x80x80x48xi8> -> tensor<48x3x3x1xi32>
  return %dw : tensor<48x3x3x1xi32>
}
}
