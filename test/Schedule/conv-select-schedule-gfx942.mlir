// RUN: conv-opt %s --conv-select-schedule | FileCheck %s

module attributes {conv.target = #conv.target<"gfx942">} {

// A large layer keeps the matrix units busy with large tiles. Two stages in one
// workgroup of a unit: 212.7 us in conv-clock, 213.0 with one stage in two.
// CHECK-LABEL: func.func @large_layer_f16
// CHECK: schedule = <kernel = #conv.staged_gemm<workgroup = [96, 128], subgroup = [48, 64], gemm_k = 64,
// CHECK-SAME: stages = 2, atom = <mfma 16 x 16 x 16>, main_loop = register_staged, raster = columns>, chosen_by = heuristic>
func.func @large_layer_f16(%x: tensor<64x28x28x512xf16>, %w: tensor<512x3x3x512xf16>)
    -> tensor<64x28x28x512xf16> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<64x28x28x512xf16>, tensor<512x3x3x512xf16> -> tensor<64x28x28x512xf16>
  return %y : tensor<64x28x28x512xf16>
}

// The same kind of layer with few outputs: parts of the reduction keep more units
// busy.
// CHECK-LABEL: func.func @small_layer_f16
// CHECK: schedule = <kernel = #conv.staged_gemm<workgroup = [32, 32], subgroup = [16, 16], gemm_k = 64,
// CHECK-SAME: stages = 2, atom = <mfma 16 x 16 x 16>, main_loop = register_staged, raster = columns>, splits = 24, chosen_by = heuristic>
func.func @small_layer_f16(%x: tensor<1x7x7x512xf16>, %w: tensor<512x3x3x512xf16>)
    -> tensor<1x7x7x512xf16> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<1x7x7x512xf16>, tensor<512x3x3x512xf16> -> tensor<1x7x7x512xf16>
  return %y : tensor<1x7x7x512xf16>
}

// Three input channels: a short reduction, loaded element by element. Four waves
// share what finds the elements: 18.9 us in conv-clock, 28.0 with tiles of 192 x 64
// in two waves.
// CHECK-LABEL: func.func @three_channels_bf16
// CHECK: schedule = <kernel = #conv.staged_gemm<workgroup = [256, 64], subgroup = [64, 64], gemm_k = 32,
// CHECK-SAME: stages = 1, atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = columns, last_round = 784>, chosen_by = heuristic>
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
// CHECK: schedule = <kernel = #conv.staged_gemm<workgroup = [48, 64], subgroup = [48, 32], gemm_k = 32,
// CHECK-SAME: stages = 1, atom = <mfma 16 x 16 x 4>, main_loop = register_staged, raster = columns, last_round = 1216>, chosen_by = heuristic>
func.func @large_layer_f32(%x: tensor<64x28x28x128xf32>, %w: tensor<128x3x3x128xf32>)
    -> tensor<64x28x28x128xf32> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<64x28x28x128xf32>, tensor<128x3x3x128xf32> -> tensor<64x28x28x128xf32>
  return %y : tensor<64x28x28x128xf32>
}

// With one workgroup on a unit, a round of 32 x 32 x 8 would have fewer products than its reads have latency.
// CHECK-LABEL: func.func @short_rounds
// CHECK: schedule = <kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 128,
// CHECK-SAME: stages = 2, atom = <mfma 16 x 16 x 16>, main_loop = register_staged, raster = columns>, chosen_by = heuristic>
func.func @short_rounds(%x: tensor<4x64x64x960xf16>, %dy: tensor<4x32x32x80xf16>)
    -> tensor<80x7x1x960xf16> {
  %dw = conv.backward_weight %x, %dy
      window = <strides = [2, 2], dilations = [1, 1], low = [3, 0], high = [3, 0]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<4x64x64x960xf16>, tensor<4x32x32x80xf16> -> tensor<80x7x1x960xf16>
  return %dw : tensor<80x7x1x960xf16>
}

// One output element takes one subgroup of one atom.
// CHECK-LABEL: func.func @one_output_f32
// CHECK: schedule = <kernel = #conv.staged_gemm<workgroup = [16, 16], subgroup = [16, 16], gemm_k = 16,
// CHECK-SAME: stages = 1, atom = <mfma 16 x 16 x 4>, main_loop = register_staged, raster = columns>, chosen_by = heuristic>
func.func @one_output_f32(%x: tensor<1x1x1x1xf32>, %w: tensor<1x1x1x1xf32>)
    -> tensor<1x1x1x1xf32> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<1x1x1x1xf32>, tensor<1x1x1x1xf32> -> tensor<1x1x1x1xf32>
  return %y : tensor<1x1x1x1xf32>
}

// Two workgroups of two waves would fill a unit's SIMD units, but some units have
// three of them, and nothing comes after: workgroups of four waves are chosen.
// CHECK-LABEL: func.func @only_round
// CHECK: schedule = <kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 64,
// CHECK-SAME: stages = 2, atom = <mfma 16 x 16 x 16>, main_loop = register_staged, raster = columns>, chosen_by = heuristic>
func.func @only_round(%dy: tensor<2x14x14x14x384xf16>, %w: tensor<384x1x1x1x160xf16>)
    -> tensor<2x14x14x14x160xf16> {
  %dx = conv.backward_data %dy, %w
      window = <strides = [1, 1, 1], dilations = [1, 1, 1], low = [0, 0, 0], high = [0, 0, 0]>
      layouts = <"NDHWC", "KTRSC", "NZPQK">
      : tensor<2x14x14x14x384xf16>, tensor<384x1x1x1x160xf16> -> tensor<2x14x14x14x160xf16>
  return %dx : tensor<2x14x14x14x160xf16>
}

}
