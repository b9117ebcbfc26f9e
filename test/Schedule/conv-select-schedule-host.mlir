// RUN: conv-opt %s --conv-select-schedule | FileCheck %s

module attributes {conv.target = #conv.target<"host">} {

// A large layer keeps the matrix units busy with large tiles.
// CHECK-LABEL: func.func @large_layer_f16
// CHECK: schedule = <kernel = #conv.host_gemm<workgroup = [128, 176], subgroup = [128, 176], gemm_k = 136,
// CHECK-SAME: stages = 1, atom = <fma 16 x 4 x 1>, raster = columns>, chosen_by = heuristic>
func.func @large_layer_f16(%x: tensor<64x28x28x512xf16>, %w: tensor<512x3x3x512xf16>)
    -> tensor<64x28x28x512xf16> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<64x28x28x512xf16>, tensor<512x3x3x512xf16> -> tensor<64x28x28x512xf16>
  return %y : tensor<64x28x28x512xf16>
}

// With few outputs too: more tiles would widen the filter more often.
// CHECK-LABEL: func.func @small_layer_f16
// CHECK: schedule = <kernel = #conv.host_gemm<workgroup = [32, 128], subgroup = [32, 128], gemm_k = 384,
// CHECK-SAME: stages = 1, atom = <fma 16 x 4 x 1>, raster = columns>, chosen_by = heuristic>
func.func @small_layer_f16(%x: tensor<1x7x7x512xf16>, %w: tensor<512x3x3x512xf16>)
    -> tensor<1x7x7x512xf16> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<1x7x7x512xf16>, tensor<512x3x3x512xf16> -> tensor<1x7x7x512xf16>
  return %y : tensor<1x7x7x512xf16>
}

// Three input channels: a short reduction, loaded element by element.
// CHECK-LABEL: func.func @three_channels_bf16
// CHECK: schedule = <kernel = #conv.host_gemm<workgroup = [256, 64], subgroup = [256, 64], gemm_k = 152,
// CHECK-SAME: stages = 1, atom = <fma 16 x 4 x 1>, raster = columns>, chosen_by = heuristic>
func.func @three_channels_bf16(%x: tensor<64x112x112x3xbf16>, %w: tensor<64x7x7x3xbf16>)
    -> tensor<64x56x56x64xbf16> {
  %y = conv.forward %x, %w
      window = <strides = [2, 2], dilations = [1, 1], low = [3, 3], high = [3, 3]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<64x112x112x3xbf16>, tensor<64x7x7x3xbf16> -> tensor<64x56x56x64xbf16>
  return %y : tensor<64x56x56x64xbf16>
}

// The f32 layer takes the f32 atom, and blocks have whole runs of channels, which are read in place.
// CHECK-LABEL: func.func @large_layer_f32
// CHECK: schedule = <kernel = #conv.host_gemm<workgroup = [192, 32], subgroup = [192, 32], gemm_k = 256,
// CHECK-SAME: stages = 1, atom = <fma 16 x 4 x 1>, raster = columns>, chosen_by = heuristic>
func.func @large_layer_f32(%x: tensor<64x28x28x128xf32>, %w: tensor<128x3x3x128xf32>)
    -> tensor<64x28x28x128xf32> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<64x28x28x128xf32>, tensor<128x3x3x128xf32> -> tensor<64x28x28x128xf32>
  return %y : tensor<64x28x28x128xf32>
}

// One output element takes one subgroup of one atom.
// CHECK-LABEL: func.func @one_output_f32
// CHECK: schedule = <kernel = #conv.host_gemm<workgroup = [8, 16], subgroup = [8, 16], gemm_k = 8,
// CHECK-SAME: stages = 1, atom = <fma 16 x 4 x 1>, raster = columns>, chosen_by = heuristic>
func.func @one_output_f32(%x: tensor<1x1x1x1xf32>, %w: tensor<1x1x1x1xf32>)
    -> tensor<1x1x1x1xf32> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<1x1x1x1xf32>, tensor<1x1x1x1xf32> -> tensor<1x1x1x1xf32>
  return %y : tensor<1x1x1x1xf32>
}


// A depthwise layer is computed directly: vectors of channels at several positions, or of positions.
// CHECK-LABEL: func.func @depthwise_f32
// CHECK: schedule = <kernel = #conv.direct<{{.*}}atom = <fma {{8|16}} x {{[4-8]}} x 1>, main_loop = direct, raster = columns>
func.func @depthwise_f32(%x: tensor<1x56x56x72xf32>, %w: tensor<72x3x3x1xf32>) -> tensor<1x56x56x72xf32> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK"> groups = 72
      : tensor<1x56x56x72xf32>, tensor<72x3x3x1xf32> -> tensor<1x56x56x72xf32>
  return %y : tensor<1x56x56x72xf32>
}

// CHECK-LABEL: func.func @depthwise_channels_first_bf16
// CHECK: schedule = <kernel = #conv.direct<{{.*}}atom = <fma 1 x {{8|16|32}} x 1>, main_loop = direct, raster = rows>
func.func @depthwise_channels_first_bf16(%x: tensor<1x72x56x56xbf16>, %w: tensor<72x1x3x3xbf16>)
    -> tensor<1x72x56x56xbf16> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NCHW", "KCRS", "NKPQ"> groups = 72
      : tensor<1x72x56x56xbf16>, tensor<72x1x3x3xbf16> -> tensor<1x72x56x56xbf16>
  return %y : tensor<1x72x56x56xbf16>
}

// So is its weight gradient: parts of the reduction are whole lines, and vectors are channels.
// CHECK-LABEL: func.func @depthwise_gradient_f32
// CHECK: schedule = <kernel = #conv.direct<{{.*}}gemm_k = {{14|28|98|196}}, {{.*}}atom = <fma {{8|16}} x 1 x 1>, main_loop = direct_reduction, raster = columns>
func.func @depthwise_gradient_f32(%x: tensor<1x14x14x72xf32>, %dy: tensor<1x14x14x72xf32>) -> tensor<72x3x3x1xf32> {
  %dw = conv.backward_weight %x, %dy
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK"> groups = 72
      : tensor<1x14x14x72xf32>, tensor<1x14x14x72xf32> -> tensor<72x3x3x1xf32>
  return %dw : tensor<72x3x3x1xf32>
}

// And where the filter has more taps than there is code for: register tiles of them are a loop.
// CHECK-LABEL: func.func @long_filter_gradient_f32
// CHECK: schedule = <kernel = #conv.direct<{{.*}}main_loop = direct_reduction
func.func @long_filter_gradient_f32(%x: tensor<1x600x16xf32>, %dy: tensor<1x88x16xf32>) -> tensor<16x513x1xf32> {
  %dw = conv.backward_weight %x, %dy
      window = <strides = [1], dilations = [1], low = [0], high = [0]> layouts = <"NWC", "KSC", "NQK"> groups = 16
      : tensor<1x600x16xf32>, tensor<1x88x16xf32> -> tensor<16x513x1xf32>
  return %dw : tensor<16x513x1xf32>
}

// Gradients of the filters of small groups are sums along lines, which transforms bring innermost.
// CHECK-LABEL: func.func @small_groups_gradient
// CHECK: schedule = <kernel = #conv.direct<{{.*}}main_loop = direct_reduction, raster = rows>, layouts = <"NCHW", "KRSC", "NKPQ">, chosen_by = heuristic>
func.func @small_groups_gradient(%x: tensor<1x28x28x64xf32>, %dy: tensor<1x28x28x64xf32>) -> tensor<64x3x3x4xf32> {
  %dw = conv.backward_weight %x, %dy
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK"> groups = 16
      : tensor<1x28x28x64xf32>, tensor<1x28x28x64xf32> -> tensor<64x3x3x4xf32>
  return %dw : tensor<64x3x3x4xf32>
}

// Groups of four channels are multiplied along positions, which transforms bring innermost.
// CHECK-LABEL: func.func @small_groups
// CHECK: schedule = <kernel = #conv.host_gemm<{{.*}}>, layouts = <"NCHW", "KRSC", "NKPQ">, chosen_by = heuristic>
func.func @small_groups(%x: tensor<1x28x28x64xf32>, %w: tensor<64x3x3x4xf32>) -> tensor<1x28x28x64xf32> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK"> groups = 16
      : tensor<1x28x28x64xf32>, tensor<64x3x3x4xf32> -> tensor<1x28x28x64xf32>
  return %y : tensor<1x28x28x64xf32>
}

// Those of 16 channels fill vectors.
// CHECK-LABEL: func.func @wide_groups
// CHECK: schedule = <kernel = #conv.host_gemm<
// CHECK-NOT: layouts = <"NCHW"
// CHECK: return
func.func @wide_groups(%x: tensor<1x28x28x64xf32>, %w: tensor<64x3x3x16xf32>) -> tensor<1x28x28x64xf32> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK"> groups = 4
      : tensor<1x28x28x64xf32>, tensor<64x3x3x16xf32> -> tensor<1x28x28x64xf32>
  return %y : tensor<1x28x28x64xf32>
}
}
