// RUN: conv-opt %s --conv-select-schedule | FileCheck %s

module attributes {conv.target = #conv.target<"gfx1100">} {

// A large layer keeps the matrix units busy with large tiles.
// CHECK-LABEL: func.func @large_layer_f16
// CHECK: schedule = <kernel = #conv.staged_gemm<workgroup = [96, 64], subgroup = [48, 64], gemm_k = 32,
// CHECK-SAME: stages = 1, atom = <wmma 16 x 16 x 16>, main_loop = register_staged, raster = columns, last_round = 480>, chosen_by = heuristic>
func.func @large_layer_f16(%x: tensor<64x28x28x512xf16>, %w: tensor<512x3x3x512xf16>)
    -> tensor<64x28x28x512xf16> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<64x28x28x512xf16>, tensor<512x3x3x512xf16> -> tensor<64x28x28x512xf16>
  return %y : tensor<64x28x28x512xf16>
}

// The same kind of layer with few outputs: small tiles keep more units busy.
// CHECK-LABEL: func.func @small_layer_f16
// CHECK: schedule = <kernel = #conv.staged_gemm<workgroup = [16, 32], subgroup = [16, 16], gemm_k = 128,
// CHECK-SAME: stages = 1, atom = <wmma 16 x 16 x 16>, main_loop = register_staged, raster = columns, last_round = 64>, chosen_by = heuristic>
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
// CHECK: schedule = <kernel = #conv.staged_gemm<workgroup = [128, 64], subgroup = [32, 64], gemm_k = 16,
// CHECK-SAME: stages = 1, atom = <wmma 16 x 16 x 16>, main_loop = register_staged, raster = columns, last_round = 432>, chosen_by = heuristic>
func.func @three_channels_bf16(%x: tensor<64x112x112x3xbf16>, %w: tensor<64x7x7x3xbf16>)
    -> tensor<64x56x56x64xbf16> {
  %y = conv.forward %x, %w
      window = <strides = [2, 2], dilations = [1, 1], low = [3, 3], high = [3, 3]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<64x112x112x3xbf16>, tensor<64x7x7x3xbf16> -> tensor<64x56x56x64xbf16>
  return %y : tensor<64x56x56x64xbf16>
}

// The f32 layer takes the f32 atom.
// CHECK-LABEL: func.func @large_layer_f32
// CHECK: schedule = <kernel = #conv.staged_gemm<workgroup = [128, 64], subgroup = [128, 16], gemm_k = 8,
// CHECK-SAME: stages = 1, atom = <fma 16 x 32 x 4>, main_loop = register_staged, raster = columns, last_round = 384>, chosen_by = heuristic>
func.func @large_layer_f32(%x: tensor<64x28x28x128xf32>, %w: tensor<128x3x3x128xf32>)
    -> tensor<64x28x28x128xf32> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<64x28x28x128xf32>, tensor<128x3x3x128xf32> -> tensor<64x28x28x128xf32>
  return %y : tensor<64x28x28x128xf32>
}

// One output element takes one subgroup.
// CHECK-LABEL: func.func @one_output_f32
// CHECK: schedule = <kernel = #conv.staged_gemm<workgroup = [32, 32], subgroup = [32, 32], gemm_k = 4,
// CHECK-SAME: stages = 1, atom = <fma 16 x 32 x 4>, main_loop = register_staged, raster = columns>, chosen_by = heuristic>
func.func @one_output_f32(%x: tensor<1x1x1x1xf32>, %w: tensor<1x1x1x1xf32>)
    -> tensor<1x1x1x1xf32> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<1x1x1x1xf32>, tensor<1x1x1x1xf32> -> tensor<1x1x1x1xf32>
  return %y : tensor<1x1x1x1xf32>
}

}
