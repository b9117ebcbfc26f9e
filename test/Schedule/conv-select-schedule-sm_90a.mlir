// RUN: conv-opt %s --conv-select-schedule | FileCheck %s

module attributes {conv.target = #conv.target<"sm_90a">} {

// A large layer keeps the matrix units busy with large tiles.
// CHECK-LABEL: func.func @large_layer_f16
// CHECK: schedule = <kernel = #conv.warpgroup_gemm<workgroup = [128, 256], subgroup = [64, 256], gemm_k = 64,
// CHECK-SAME: stages = 3, atom = <wgmma 64 x 256 x 16>, raster = columns>, chosen_by = heuristic>
func.func @large_layer_f16(%x: tensor<64x28x28x512xf16>, %w: tensor<512x3x3x512xf16>)
    -> tensor<64x28x28x512xf16> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<64x28x28x512xf16>, tensor<512x3x3x512xf16> -> tensor<64x28x28x512xf16>
  return %y : tensor<64x28x28x512xf16>
}

// Images that halo tiles divide: all taps read the elements of one copy.
// CHECK-LABEL: func.func @patches_bf16
// CHECK: schedule = <kernel = #conv.warpgroup_gemm<workgroup = [256, 128], subgroup = [128, 128], gemm_k = 64,
// CHECK-SAME: stages = 7, atom = <wgmma 64 x 128 x 16>, raster = columns, halo_tile = [16, 16]>, chosen_by = heuristic>
func.func @patches_bf16(%x: tensor<1x512x512x128xbf16>, %w: tensor<128x3x3x128xbf16>)
    -> tensor<1x512x512x128xbf16> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<1x512x512x128xbf16>, tensor<128x3x3x128xbf16> -> tensor<1x512x512x128xbf16>
  return %y : tensor<1x512x512x128xbf16>
}

// Layers of volumes have halo tiles, too.
// CHECK-LABEL: func.func @volume_bf16
// CHECK: atom = <wgmma 64 x 96 x 16>, raster = columns, halo_tile = [16, {{8|16}}]>, chosen_by = heuristic>
func.func @volume_bf16(%x: tensor<2x28x28x28x112xbf16>, %w: tensor<96x3x3x3x112xbf16>)
    -> tensor<2x28x28x28x96xbf16> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1, 1], dilations = [1, 1, 1], low = [1, 1, 1], high = [1, 1, 1]>
      layouts = <"NDHWC", "KTRSC", "NZPQK">
      : tensor<2x28x28x28x112xbf16>, tensor<96x3x3x3x112xbf16> -> tensor<2x28x28x28x96xbf16>
  return %y : tensor<2x28x28x28x96xbf16>
}

// Windows over depth only: lines and columns are one dimension, and taps share halo tiles.
// CHECK-LABEL: func.func @volume_of_layers_bf16
// CHECK: halo_tile = [{{[^]]*}}]>, layouts = <"NHWC", "KRSC", "NPQK">, chosen_by = heuristic>
func.func @volume_of_layers_bf16(%x: tensor<2x9x16x16x96xbf16>, %w: tensor<96x3x1x1x96xbf16>)
    -> tensor<2x9x16x16x96xbf16> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1, 1], dilations = [1, 1, 1], low = [1, 0, 0], high = [1, 0, 0]>
      layouts = <"NDHWC", "KTRSC", "NZPQK">
      : tensor<2x9x16x16x96xbf16>, tensor<96x3x1x1x96xbf16> -> tensor<2x9x16x16x96xbf16>
  return %y : tensor<2x9x16x16x96xbf16>
}

// The same for the gradient of a filter. 2 x 18 tiles in eleven parts fill the chip three times.
// CHECK-LABEL: func.func @patches_of_reduction_bf16
// CHECK: schedule = <kernel = #conv.warpgroup_gemm<workgroup = [192, 192], subgroup = [64, 192], gemm_k = 64,
// CHECK-SAME: stages = 6, atom = <wgmma 64 x 192 x 16>, raster = columns, halo_tile = [8, 8]>, splits = 11, chosen_by = heuristic>
func.func @patches_of_reduction_bf16(%x: tensor<128x64x64x384xbf16>, %dy: tensor<128x64x64x384xbf16>)
    -> tensor<384x3x3x384xbf16> {
  %dw = conv.backward_weight %x, %dy
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<128x64x64x384xbf16>, tensor<128x64x64x384xbf16> -> tensor<384x3x3x384xbf16>
  return %dw : tensor<384x3x3x384xbf16>
}

// All tiles run at a time: neighbours are those of the shorter side.
// CHECK-LABEL: func.func @short_side_bf16
// CHECK: raster = rows>, splits = 4, chosen_by = heuristic>
func.func @short_side_bf16(%x: tensor<64x14x14x1024xbf16>, %dy: tensor<64x14x14x256xbf16>)
    -> tensor<256x1x1x1024xbf16> {
  %dw = conv.backward_weight %x, %dy
      window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<64x14x14x1024xbf16>, tensor<64x14x14x256xbf16> -> tensor<256x1x1x1024xbf16>
  return %dw : tensor<256x1x1x1024xbf16>
}

// A window of one tap is not read in lines, although they are short.
// CHECK-LABEL: func.func @one_tap_bf16
// CHECK: schedule = <kernel = #conv.warpgroup_gemm<
func.func @one_tap_bf16(%x: tensor<64x56x56x64xbf16>, %dy: tensor<64x56x56x256xbf16>)
    -> tensor<256x1x1x64xbf16> {
  %dw = conv.backward_weight %x, %dy
      window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<64x56x56x64xbf16>, tensor<64x56x56x256xbf16> -> tensor<256x1x1x64xbf16>
  return %dw : tensor<256x1x1x64xbf16>
}

// Positions of one dimension have no halo tiles.
// CHECK-LABEL: func.func @one_dimension_bf16
// CHECK: raster = columns>, chosen_by = heuristic>
func.func @one_dimension_bf16(%x: tensor<64x4096x256xbf16>, %w: tensor<256x3x256xbf16>)
    -> tensor<64x4096x256xbf16> {
  %y = conv.forward %x, %w
      window = <strides = [1], dilations = [1], low = [1], high = [1]>
      layouts = <"NWC", "KSC", "NQK">
      : tensor<64x4096x256xbf16>, tensor<256x3x256xbf16> -> tensor<64x4096x256xbf16>
  return %y : tensor<64x4096x256xbf16>
}

// The same kind of layer with few outputs: clusters that share the reduction keep
// more units busy.
// CHECK-LABEL: func.func @small_layer_f16
// CHECK: schedule = <kernel = #conv.warpgroup_gemm<workgroup = [64, 64], subgroup = [64, 64], gemm_k = 64,
// CHECK-SAME: stages = 7, atom = <wgmma 64 x 64 x 16>, raster = columns, halo_tile = [8, 8], cluster = 8>, chosen_by = heuristic>
func.func @small_layer_f16(%x: tensor<1x7x7x512xf16>, %w: tensor<512x3x3x512xf16>)
    -> tensor<1x7x7x512xf16> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<1x7x7x512xf16>, tensor<512x3x3x512xf16> -> tensor<1x7x7x512xf16>
  return %y : tensor<1x7x7x512xf16>
}

// Three input channels: windows are read in lines.
// CHECK-LABEL: func.func @three_channels_bf16
// CHECK: schedule = <kernel = #conv.line_buffer<workgroup = [192, 64], subgroup = [64, 64], gemm_k = 64,
// CHECK-SAME: stages = 4, atom = <wgmma 64 x 64 x 16>, raster = columns>, chosen_by = heuristic>
func.func @three_channels_bf16(%x: tensor<64x112x112x3xbf16>, %w: tensor<64x7x7x3xbf16>)
    -> tensor<64x56x56x64xbf16> {
  %y = conv.forward %x, %w
      window = <strides = [2, 2], dilations = [1, 1], low = [3, 3], high = [3, 3]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<64x112x112x3xbf16>, tensor<64x7x7x3xbf16> -> tensor<64x56x56x64xbf16>
  return %y : tensor<64x56x56x64xbf16>
}

// The gradient of such a filter: as many parts as lines of the output, which are a few less than compute units.
// CHECK-LABEL: func.func @three_channels_gradient_bf16
// CHECK: schedule = <kernel = #conv.line_buffer<workgroup = [64, 192], subgroup = [64, 192], gemm_k = 64,
// CHECK-SAME: stages = 4, atom = <wgmma 64 x 192 x 16>, raster = columns>, splits = 128, chosen_by = heuristic>
func.func @three_channels_gradient_bf16(%x: tensor<64x224x224x3xbf16>, %dy: tensor<64x112x112x64xbf16>)
    -> tensor<64x7x7x3xbf16> {
  %dw = conv.backward_weight %x, %dy
      window = <strides = [2, 2], dilations = [1, 1], low = [3, 3], high = [3, 3]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<64x224x224x3xbf16>, tensor<64x112x112x64xbf16> -> tensor<64x7x7x3xbf16>
  return %dw : tensor<64x7x7x3xbf16>
}

// Three output channels: their windows are read in lines, 64 input channels at a time as boxes.
// CHECK-LABEL: func.func @three_output_channels_gradient_bf16
// CHECK: schedule = <kernel = #conv.line_buffer<workgroup = [64, 64], subgroup = [64, 64], gemm_k = 64,
// CHECK-SAME: stages = 8, atom = <wgmma 64 x 64 x 16>, raster = columns>, splits = 64, chosen_by = heuristic>
func.func @three_output_channels_gradient_bf16(%x: tensor<1x512x512x128xbf16>, %dy: tensor<1x512x512x3xbf16>)
    -> tensor<3x3x3x128xbf16> {
  %dw = conv.backward_weight %x, %dy
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<1x512x512x128xbf16>, tensor<1x512x512x3xbf16> -> tensor<3x3x3x128xbf16>
  return %dw : tensor<3x3x3x128xbf16>
}

// f32 is multiplied as parts in tf32.
// CHECK-LABEL: func.func @large_layer_f32
// CHECK: schedule = <kernel = #conv.warpgroup_gemm<{{.*}}, gemm_k = 32,
// CHECK-SAME: atom = <wgmma_3xtf32 64 x {{[0-9]+}} x 8>,
func.func @large_layer_f32(%x: tensor<64x28x28x128xf32>, %w: tensor<128x3x3x128xf32>)
    -> tensor<64x28x28x128xf32> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<64x28x28x128xf32>, tensor<128x3x3x128xf32> -> tensor<64x28x28x128xf32>
  return %y : tensor<64x28x28x128xf32>
}

// Unless products are to be exact.
// CHECK-LABEL: func.func @large_layer_exact
// CHECK: schedule = <kernel = #conv.staged_gemm<workgroup = [128, 128], subgroup = [128, 16], gemm_k = 8,
// CHECK-SAME: stages = 3, atom = <fma 16 x 32 x 4>, main_loop = async_staged, raster = columns>, chosen_by = heuristic>
func.func @large_layer_exact(%x: tensor<64x28x28x128xf32>, %w: tensor<128x3x3x128xf32>)
    -> tensor<64x28x28x128xf32> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK"> arithmetic = exact
      : tensor<64x28x28x128xf32>, tensor<128x3x3x128xf32> -> tensor<64x28x28x128xf32>
  return %y : tensor<64x28x28x128xf32>
}

// 8-bit floats are multiplied as f16, so that products are summed up in f32,
// CHECK-LABEL: func.func @large_layer_f8
// CHECK: atom = <wgmma 64 x {{[0-9]+}} x 16>, {{.*}}, operand_type = f16
func.func @large_layer_f8(%x: tensor<64x28x28x128xf8E4M3FN>, %w: tensor<128x3x3x128xf8E4M3FN>)
    -> tensor<64x28x28x128xf32> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<64x28x28x128xf8E4M3FN>, tensor<128x3x3x128xf8E4M3FN> -> tensor<64x28x28x128xf32>
  return %y : tensor<64x28x28x128xf32>
}

// or with 14 bits and then in f32, if that is asked for.
// CHECK-LABEL: func.func @large_layer_promoted
// CHECK: schedule = <kernel = #conv.warpgroup_gemm<{{.*}}, gemm_k = 128,
// CHECK-SAME: atom = <wgmma 64 x {{[0-9]+}} x 32>, {{.*}}, promotion = 128>
func.func @large_layer_promoted(%x: tensor<64x28x28x128xf8E4M3FN>, %w: tensor<128x3x3x128xf8E5M2>)
    -> tensor<64x28x28x128xf32> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK"> arithmetic = promoted
      : tensor<64x28x28x128xf8E4M3FN>, tensor<128x3x3x128xf8E5M2> -> tensor<64x28x28x128xf32>
  return %y : tensor<64x28x28x128xf32>
}

// If there are few products, converting the operands would take longer than it saves.
// CHECK-LABEL: func.func @small_layer_f8
// CHECK: atom = <mma_sync 16 x 8 x 32>
func.func @small_layer_f8(%x: tensor<1x14x14x128xf8E4M3FN>, %w: tensor<128x3x3x128xf8E4M3FN>)
    -> tensor<1x14x14x128xf32> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<1x14x14x128xf8E4M3FN>, tensor<128x3x3x128xf8E4M3FN> -> tensor<1x14x14x128xf32>
  return %y : tensor<1x14x14x128xf32>
}

// The gradient of the input has a filter whose output channels are innermost: 8-bit operands are not transposed.
// CHECK-LABEL: func.func @large_gradient_promoted
// CHECK: schedule = <kernel = #conv.warpgroup_gemm<{{.*}}, promotion = 128>, layouts = <"NHWC", "CRSK", "NPQK">
func.func @large_gradient_promoted(%dy: tensor<64x28x28x128xf8E5M2>, %w: tensor<128x3x3x128xf8E4M3FN>)
    -> tensor<64x28x28x128xf32> {
  %dx = conv.backward_data %dy, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK"> arithmetic = promoted
      : tensor<64x28x28x128xf8E5M2>, tensor<128x3x3x128xf8E4M3FN> -> tensor<64x28x28x128xf32>
  return %dx : tensor<64x28x28x128xf32>
}

// So few products are summed up that their parts would cost more than f32's bound allows.
// CHECK-LABEL: func.func @short_sum_f32
// CHECK: atom = <fma
func.func @short_sum_f32(%x: tensor<64x28x28x32xf32>, %w: tensor<128x1x1x32xf32>)
    -> tensor<64x28x28x128xf32> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<64x28x28x32xf32>, tensor<128x1x1x32xf32> -> tensor<64x28x28x128xf32>
  return %y : tensor<64x28x28x128xf32>
}

// In tf32 it is copied in boxes, and halo tiles are shared by its taps.
// CHECK-LABEL: func.func @large_layer_tf32
// CHECK: schedule = <kernel = #conv.warpgroup_gemm<{{.*}}, gemm_k = 32,
// CHECK-SAME: atom = <wgmma 64 x {{[0-9]+}} x 8>,
func.func @large_layer_tf32(%x: tensor<64x28x28x128xf32>, %w: tensor<128x3x3x128xf32>)
    -> tensor<64x28x28x128xf32> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK"> arithmetic = tf32
      : tensor<64x28x28x128xf32>, tensor<128x3x3x128xf32> -> tensor<64x28x28x128xf32>
  return %y : tensor<64x28x28x128xf32>
}

// wgmma does not transpose the filter of its gradient, but warps do.
// CHECK-LABEL: func.func @gradient_tf32
// CHECK: schedule = <kernel = #conv.warpgroup_gemm<{{.*}}atom = <wgmma 64 x {{[0-9]+}} x 8>,
func.func @gradient_tf32(%dy: tensor<64x28x28x128xf32>, %w: tensor<128x3x3x128xf32>)
    -> tensor<64x28x28x128xf32> {
  %dx = conv.backward_data %dy, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK"> arithmetic = tf32
      : tensor<64x28x28x128xf32>, tensor<128x3x3x128xf32> -> tensor<64x28x28x128xf32>
  return %dx : tensor<64x28x28x128xf32>
}

// Strided groups of 16 channels are groups of 64, which fill rows of copies.
// CHECK-LABEL: func.func @merged_groups_bf16
// CHECK: schedule = <kernel = #conv.warpgroup_gemm<{{.*}}>, layouts = <"NHWC", "KRSC", "NPQK">, channel_multiple = 64, chosen_by = heuristic>
func.func @merged_groups_bf16(%dy: tensor<16x28x28x256xbf16>, %w: tensor<256x3x3x16xbf16>)
    -> tensor<16x56x56x256xbf16> {
  %dx = conv.backward_data %dy, %w
      window = <strides = [2, 2], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK"> groups = 16
      : tensor<16x28x28x256xbf16>, tensor<256x3x3x16xbf16> -> tensor<16x56x56x256xbf16>
  return %dx : tensor<16x56x56x256xbf16>
}

// Rows of 24 channels start within sectors of memory, which lanes share in the first-level cache.
// CHECK-LABEL: func.func @whole_sectors_bf16
// CHECK: schedule = <kernel = #conv.warpgroup_gemm<{{.*}}, producer = cp_async>, chosen_by = heuristic>
func.func @whole_sectors_bf16(%x: tensor<16x56x56x24xbf16>, %w: tensor<128x5x5x24xbf16>)
    -> tensor<16x56x56x128xbf16> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [2, 2], high = [2, 2]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<16x56x56x24xbf16>, tensor<128x5x5x24xbf16> -> tensor<16x56x56x128xbf16>
  return %y : tensor<16x56x56x128xbf16>
}

// One output element takes one subgroup of one atom.
// CHECK-LABEL: func.func @one_output_f32
// CHECK: schedule = <kernel = #conv.staged_gemm<workgroup = [32, 16], subgroup = [32, 16], gemm_k = 8,
// CHECK-SAME: stages = 2, atom = <fma 16 x 32 x 4>, main_loop = register_staged, raster = columns>, chosen_by = heuristic>
func.func @one_output_f32(%x: tensor<1x1x1x1xf32>, %w: tensor<1x1x1x1xf32>)
    -> tensor<1x1x1x1xf32> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<1x1x1x1xf32>, tensor<1x1x1x1xf32> -> tensor<1x1x1x1xf32>
  return %y : tensor<1x1x1x1xf32>
}

// The last layer of a decoder: tiles of eight columns of halo tiles, and a filter that stays.
// CHECK-LABEL: func.func @last_layer_bf16
// CHECK: atom = <wgmma 64 x 8 x 16>, raster = columns, halo_tile = [16, 16]>, chosen_by = heuristic>
func.func @last_layer_bf16(%x: tensor<1x512x512x128xbf16>, %w: tensor<3x3x3x128xbf16>)
    -> tensor<1x512x512x3xbf16> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<1x512x512x128xbf16>, tensor<3x3x3x128xbf16> -> tensor<1x512x512x3xbf16>
  return %y : tensor<1x512x512x3xbf16>
}

// No tensor copy reads filter rows of 921 channels. With output channels innermost, its rows are whole vectors.
// CHECK-LABEL: func.func @odd_channels_gradient_f16
// CHECK: schedule = <kernel = #conv.warpgroup_gemm<{{.*}}>, layouts = <"NCHW", "CRSK", "NPQK">, chosen_by = heuristic>
func.func @odd_channels_gradient_f16(%dy: tensor<8x256x28x28xf16>, %w: tensor<256x921x3x1xf16>) -> tensor<8x921x28x28xf16> {
  %dx = conv.backward_data %dy, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 0], high = [1, 0]>
      layouts = <"NCHW", "KCRS", "NKPQ">
      : tensor<8x256x28x28xf16>, tensor<256x921x3x1xf16> -> tensor<8x921x28x28xf16>
  return %dx : tensor<8x921x28x28xf16>
}

// The gradient of a stem's input: dgrad phases are columns.
// CHECK-LABEL: func.func @stem_gradient_bf16
// CHECK: atom = <wgmma 64 x 16 x 16>, raster = columns, halo_tile = [8, 8]>, layouts = <"NHWC", "CRSK", "NPQK">, chosen_by = heuristic>
func.func @stem_gradient_bf16(%dy: tensor<64x112x112x64xbf16>, %w: tensor<64x7x7x3xbf16>)
    -> tensor<64x224x224x3xbf16> {
  %dx = conv.backward_data %dy, %w
      window = <strides = [2, 2], dilations = [1, 1], low = [3, 3], high = [2, 2]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<64x112x112x64xbf16>, tensor<64x7x7x3xbf16> -> tensor<64x224x224x3xbf16>
  return %dx : tensor<64x224x224x3xbf16>
}

// Groups of few channels are multiplied by blocks of the filter, depthwise ones
// where a window has many elements.
// CHECK-LABEL: func.func @groups_of_8_bf16
// CHECK: schedule = <kernel = #conv.direct<{{.*}} atom = <mma_sync 16 x 8 x 16>, main_loop = direct_matrix, raster = columns>,
func.func @groups_of_8_bf16(%x: tensor<64x56x56x256xbf16>, %w: tensor<256x3x3x8xbf16>) -> tensor<64x56x56x256xbf16> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK"> groups = 32
      : tensor<64x56x56x256xbf16>, tensor<256x3x3x8xbf16> -> tensor<64x56x56x256xbf16>
  return %y : tensor<64x56x56x256xbf16>
}

// Tiles of 16 channels leave room for more workgroups, which wait for each other
// less: 27 instead of 30 us with 32 channels.
// CHECK-LABEL: func.func @depthwise_5x5_bf16
// CHECK: schedule = <kernel = #conv.direct<workgroup = [392, 16], {{.*}} main_loop = direct_matrix,
func.func @depthwise_5x5_bf16(%x: tensor<64x28x28x240xbf16>, %w: tensor<240x5x5x1xbf16>) -> tensor<64x28x28x240xbf16> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [2, 2], high = [2, 2]>
      layouts = <"NHWC", "KRSC", "NPQK"> groups = 240
      : tensor<64x28x28x240xbf16>, tensor<240x5x5x1xbf16> -> tensor<64x28x28x240xbf16>
  return %y : tensor<64x28x28x240xbf16>
}

// Runs of 64 channels are whole lines of memory: 53 instead of 71 us with 32.
// CHECK-LABEL: func.func @gradient_of_strided_depthwise_bf16
// CHECK: schedule = <kernel = #conv.direct<workgroup = [1, 64], {{.*}} main_loop = direct_reduction,
func.func @gradient_of_strided_depthwise_bf16(%x: tensor<64x56x56x384xbf16>, %dy: tensor<64x28x28x384xbf16>) -> tensor<384x3x3x1xbf16> {
  %dw = conv.backward_weight %x, %dy
      window = <strides = [2, 2], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK"> groups = 384
      : tensor<64x56x56x384xbf16>, tensor<64x28x28x384xbf16> -> tensor<384x3x3x1xbf16>
  return %dw : tensor<384x3x3x1xbf16>
}

// Their gradients are sums of blocks, of 128 bytes of channels at a time; 4 lines
// arrive while 4 others are multiplied.
// CHECK-LABEL: func.func @gradient_of_groups_of_8_bf16
// CHECK: schedule = <kernel = #conv.direct<workgroup = [8, 8], subgroup = [28, 8], gemm_k = 224, stages = 2,
// CHECK-SAME: atom = <mma_sync 16 x 8 x 16>, main_loop = direct_reduction, raster = columns>, splits = 32, chosen_by = heuristic>
func.func @gradient_of_groups_of_8_bf16(%x: tensor<64x56x56x256xbf16>, %dy: tensor<64x56x56x256xbf16>) -> tensor<256x3x3x8xbf16> {
  %dw = conv.backward_weight %x, %dy
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK"> groups = 32
      : tensor<64x56x56x256xbf16>, tensor<64x56x56x256xbf16> -> tensor<256x3x3x8xbf16>
  return %dw : tensor<256x3x3x8xbf16>
}

// Of groups of several vectors, workgroups of a unit would take turns to load: 114 us. Groups with zeros between them take 86.
// CHECK-LABEL: func.func @gradient_of_groups_of_16_bf16
// CHECK: #conv.warpgroup_gemm<{{.*}} halo_tile = [8, 8]>, splits = {{.*}}, channel_multiple = 64, chosen_by = heuristic>
func.func @gradient_of_groups_of_16_bf16(%x: tensor<64x56x56x256xbf16>, %dy: tensor<64x56x56x256xbf16>) -> tensor<256x3x3x16xbf16> {
  %dw = conv.backward_weight %x, %dy
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK"> groups = 16
      : tensor<64x56x56x256xbf16>, tensor<64x56x56x256xbf16> -> tensor<256x3x3x16xbf16>
  return %dw : tensor<256x3x3x16xbf16>
}

// Groups of more channels are for warpgroups, whose tiles have as many rows as halo tiles of two slots can have: the fewer
// columns a group has, the more the filter is of what copies bring.
// CHECK-LABEL: func.func @groups_of_56_bf16
// CHECK: schedule = <kernel = #conv.warpgroup_gemm<workgroup = [512, 64], subgroup = [256, 64], gemm_k = 64, stages = 5,
// CHECK-SAME: atom = <wgmma 64 x 64 x 16>, raster = columns, halo_tile = [16, 16]>, chosen_by = heuristic>
func.func @groups_of_56_bf16(%x: tensor<64x28x28x448xbf16>, %w: tensor<448x3x3x56xbf16>) -> tensor<64x28x28x448xbf16> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK"> groups = 8 epilogue() {
  ^bb0(%acc: f32):
    %0 = arith.truncf %acc : f32 to bf16
    conv.yield %0 : bf16
  } : tensor<64x28x28x448xbf16>, tensor<448x3x3x56xbf16> -> tensor<64x28x28x448xbf16>
  return %y : tensor<64x28x28x448xbf16>
}

// Groups of 128 channels start where lines of memory do, so that boxes of positions in order cost no more than halo tiles,
// which would have a third more positions than 14 x 14.
// CHECK-LABEL: func.func @groups_of_128_bf16
// CHECK: schedule = <kernel = #conv.warpgroup_gemm<workgroup = [192, 128], {{.*}} raster = columns>, chosen_by = heuristic>
func.func @groups_of_128_bf16(%x: tensor<64x14x14x512xbf16>, %w: tensor<512x3x3x128xbf16>) -> tensor<64x14x14x512xbf16> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK"> groups = 4 epilogue() {
  ^bb0(%acc: f32):
    %0 = arith.truncf %acc : f32 to bf16
    conv.yield %0 : bf16
  } : tensor<64x14x14x512xbf16>, tensor<512x3x3x128xbf16> -> tensor<64x14x14x512xbf16>
  return %y : tensor<64x14x14x512xbf16>
}

// CHECK-LABEL: func.func @gradient_of_groups_of_56_bf16
// CHECK: schedule = <kernel = #conv.warpgroup_gemm<workgroup = [64, 192], subgroup = [64, 192], gemm_k = 64, stages = 8,
// CHECK-SAME: raster = columns, halo_tile = [8, 8]>, splits = 5, chosen_by = heuristic>
func.func @gradient_of_groups_of_56_bf16(%x: tensor<64x28x28x448xbf16>, %dy: tensor<64x28x28x448xbf16>) -> tensor<448x3x3x56xbf16> {
  %dw = conv.backward_weight %x, %dy
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK"> groups = 8
      : tensor<64x28x28x448xbf16>, tensor<64x28x28x448xbf16> -> tensor<448x3x3x56xbf16>
  return %dw : tensor<448x3x3x56xbf16>
}
// CHECK-LABEL: func.func @depthwise_7x7_bf16
// CHECK: schedule = <kernel = #conv.direct<{{.*}} main_loop = direct_matrix,
func.func @depthwise_7x7_bf16(%x: tensor<64x56x56x192xbf16>, %w: tensor<192x7x7x1xbf16>) -> tensor<64x56x56x192xbf16> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [3, 3], high = [3, 3]>
      layouts = <"NHWC", "KRSC", "NPQK"> groups = 192
      : tensor<64x56x56x192xbf16>, tensor<192x7x7x1xbf16> -> tensor<64x56x56x192xbf16>
  return %y : tensor<64x56x56x192xbf16>
}

// What an epilogue reads is the same for all tiles of a direct kernel, which stays the same.
// CHECK-LABEL: func.func @depthwise_bf16
// CHECK: schedule = <kernel = #conv.direct<[[DIRECT:.*]]chosen_by = heuristic>
func.func @depthwise_bf16(%x: tensor<64x56x56x384xbf16>, %w: tensor<384x3x3x1xbf16>) -> tensor<64x56x56x384xbf16> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK"> groups = 384
      : tensor<64x56x56x384xbf16>, tensor<384x3x3x1xbf16> -> tensor<64x56x56x384xbf16>
  return %y : tensor<64x56x56x384xbf16>
}

// CHECK-LABEL: func.func @depthwise_residual_bf16
// CHECK: schedule = <kernel = #conv.direct<[[DIRECT]]chosen_by = heuristic>
func.func @depthwise_residual_bf16(%x: tensor<64x56x56x384xbf16>, %w: tensor<384x3x3x1xbf16>,
    %residual: tensor<64x56x56x384xbf16>) -> tensor<64x56x56x384xbf16> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK"> groups = 384
      epilogue(%residual : tensor<64x56x56x384xbf16>) {
  ^bb0(%sum: f32, %r: bf16):
    %0 = arith.extf %r : bf16 to f32
    %1 = arith.addf %sum, %0 : f32
    %2 = arith.truncf %1 : f32 to bf16
    conv.yield %2 : bf16
  } : tensor<64x56x56x384xbf16>, tensor<384x3x3x1xbf16> -> tensor<64x56x56x384xbf16>
  return %y : tensor<64x56x56x384xbf16>
}

// Gradients of filters for other channels than multiples of 64, with strides and in three dimensions: a tap has whole rows
// of columns.
// CHECK-LABEL: func.func @strided_gradient_of_48_channels_bf16
// CHECK: atom = <wgmma {{.*}}>, raster = {{rows|columns}}>, splits = {{[0-9]+}}, chosen_by = heuristic>
func.func @strided_gradient_of_48_channels_bf16(%x: tensor<32x56x56x48xbf16>, %dy: tensor<32x28x28x96xbf16>)
    -> tensor<96x3x3x48xbf16> {
  %dw = conv.backward_weight %x, %dy
      window = <strides = [2, 2], dilations = [1, 1], low = [1, 1], high = [0, 0]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<32x56x56x48xbf16>, tensor<32x28x28x96xbf16> -> tensor<96x3x3x48xbf16>
  return %dw : tensor<96x3x3x48xbf16>
}

// Taps are rows where the other operand has few channels.
// CHECK-LABEL: func.func @gradient_of_volumes_bf16
// CHECK: atom = <wgmma {{.*}}>, raster = {{rows|columns}}, halo_tile = [8, 8]>, splits = {{[0-9]+}}, transposed = true, chosen_by = heuristic>
func.func @gradient_of_volumes_bf16(%x: tensor<4x32x32x32x32xbf16>, %dy: tensor<4x32x32x32x32xbf16>)
    -> tensor<32x3x3x3x32xbf16> {
  %dw = conv.backward_weight %x, %dy
      window = <strides = [1, 1, 1], dilations = [1, 1, 1], low = [1, 1, 1], high = [1, 1, 1]>
      layouts = <"NDHWC", "KTRSC", "NZPQK">
      : tensor<4x32x32x32x32xbf16>, tensor<4x32x32x32x32xbf16> -> tensor<32x3x3x3x32xbf16>
  return %dw : tensor<32x3x3x3x32xbf16>
}

// The gradient of the input of a patch embedding is one product, and so is that of windows which overlap.
// CHECK-LABEL: func.func @patch_embedding_gradient_bf16
// CHECK: atom = <wgmma {{.*}}>, raster = {{rows|columns}}>, chosen_by = heuristic>
func.func @patch_embedding_gradient_bf16(%dy: tensor<32x14x14x768xbf16>, %w: tensor<768x16x16x3xbf16>)
    -> tensor<32x224x224x3xbf16> {
  %dx = conv.backward_data %dy, %w
      window = <strides = [16, 16], dilations = [1, 1], low = [0, 0], high = [0, 0]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<32x14x14x768xbf16>, tensor<768x16x16x3xbf16> -> tensor<32x224x224x3xbf16>
  return %dx : tensor<32x224x224x3xbf16>
}

// The copy engine fills 24 of 64 channels with zeros, which takes longer than lanes that do not load them: 4.2 us instead of 6.5 on
// an H100.
// CHECK-LABEL: func.func @forty_channels_nchw_bf16
// CHECK: producer = cp_async
func.func @forty_channels_nchw_bf16(%x: tensor<32x40x28x28xbf16>, %w: tensor<120x40x1x1xbf16>)
    -> tensor<32x120x28x28xbf16> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
      layouts = <"NCHW", "KCRS", "NKPQ">
      : tensor<32x40x28x28xbf16>, tensor<120x40x1x1xbf16> -> tensor<32x120x28x28xbf16>
  return %y : tensor<32x120x28x28xbf16>
}

// Tiles of 80 columns have no columns outside of the filter, those of 128 have 64 in the last tile: 6.1 us instead of 6.8.
// CHECK-LABEL: func.func @columns_outside_bf16
// CHECK: workgroup = [64, 80]
func.func @columns_outside_bf16(%x: tensor<32x8x8x1280xbf16>, %w: tensor<320x1x1x1280xbf16>)
    -> tensor<32x8x8x320xbf16> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<32x8x8x1280xbf16>, tensor<320x1x1x1280xbf16> -> tensor<32x8x8x320xbf16>
  return %y : tensor<32x8x8x320xbf16>
}

// CHECK-LABEL: func.func @overlapping_patches_gradient_bf16
// CHECK: atom = <wgmma {{.*}}>, raster = {{rows|columns}}{{.*}}, chosen_by = heuristic>
func.func @overlapping_patches_gradient_bf16(%dy: tensor<32x14x14x128xbf16>, %w: tensor<128x7x7x48xbf16>)
    -> tensor<32x56x56x48xbf16> {
  %dx = conv.backward_data %dy, %w
      window = <strides = [4, 4], dilations = [1, 1], low = [3, 3], high = [0, 0]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<32x14x14x128xbf16>, tensor<128x7x7x48xbf16> -> tensor<32x56x56x48xbf16>
  return %dx : tensor<32x56x56x48xbf16>
}

// Slices need not divide lines of which there is a prime number.
// CHECK-LABEL: func.func @prime_lines_depthwise_weight
// CHECK: #conv.direct<{{.*}} main_loop = direct_reduction, raster = columns>, splits = 30, chosen_by = heuristic>
func.func @prime_lines_depthwise_weight(%x: tensor<8x149x149x64xbf16>, %dy: tensor<8x149x149x64xbf16>)
    -> tensor<64x3x3x1xbf16> {
  %dw = conv.backward_weight %x, %dy
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK"> groups = 64
      : tensor<8x149x149x64xbf16>, tensor<8x149x149x64xbf16> -> tensor<64x3x3x1xbf16>
  return %dw : tensor<64x3x3x1xbf16>
}

// A transform of the filter costs less than lanes that transpose tf32 in each tile, and allows halo tiles.
// CHECK-LABEL: func.func @data_tf32
// CHECK: halo_tile = {{.*}}, layouts = <"NHWC", "CRSK", "NPQK">, chosen_by = heuristic>
func.func @data_tf32(%dy: tensor<2x48x48x320xf32>, %w: tensor<320x3x3x192xf32>) -> tensor<2x48x48x192xf32> {
  %dx = conv.backward_data %dy, %w
      window = <strides = [1, 1], dilations = [2, 2], low = [2, 2], high = [2, 2]>
      layouts = <"NHWC", "KRSC", "NPQK"> arithmetic = tf32
      : tensor<2x48x48x320xf32>, tensor<320x3x3x192xf32> -> tensor<2x48x48x192xf32>
  return %dx : tensor<2x48x48x192xf32>
}

// Neither 4 images nor 3136 positions in rows of 64 divide into 14 slices, but 2 of images times 7 of positions do; 2 slices or 98
// were all before.
// CHECK-LABEL: func.func @few_images_weight_tf32
// CHECK: schedule = <kernel = #conv.warpgroup_gemm<
// CHECK-SAME: splits = 14, chosen_by = heuristic>
func.func @few_images_weight_tf32(%x: tensor<4x384x56x56xf32>, %dy: tensor<4x192x56x56xf32>) -> tensor<192x384x1x1xf32> {
  %dw = conv.backward_weight %x, %dy
      window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
      layouts = <"NCHW", "KCRS", "NKPQ"> arithmetic = tf32
      : tensor<4x384x56x56xf32>, tensor<4x192x56x56xf32> -> tensor<192x384x1x1xf32>
  return %dw : tensor<192x384x1x1xf32>
}

// Vectors of 8 bytes take a quarter of each sector that their tiles copy, so that one tile has all channels here, too.
// CHECK-LABEL: func.func @half_vectors_depthwise_weight
// CHECK: schedule = <kernel = #conv.direct<workgroup = [1, 116],
func.func @half_vectors_depthwise_weight(%x: tensor<32x28x28x116xbf16>, %dy: tensor<32x14x14x116xbf16>)
    -> tensor<116x3x3x1xbf16> {
  %dw = conv.backward_weight %x, %dy
      window = <strides = [2, 2], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK"> groups = 116
      : tensor<32x28x28x116xbf16>, tensor<32x14x14x116xbf16> -> tensor<116x3x3x1xbf16>
  return %dw : tensor<116x3x3x1xbf16>
}

// Lines of 19 positions are four runs of five, the last of which has one position beyond the line.
// CHECK-LABEL: func.func @prime_line_depthwise_weight
// CHECK: atom = <fma 8 x 1 x 5>, main_loop = direct_reduction
func.func @prime_line_depthwise_weight(%x: tensor<16x19x19x576xbf16>, %dy: tensor<16x19x19x576xbf16>)
    -> tensor<576x5x5x1xbf16> {
  %dw = conv.backward_weight %x, %dy
      window = <strides = [1, 1], dilations = [1, 1], low = [2, 2], high = [2, 2]>
      layouts = <"NHWC", "KRSC", "NPQK"> groups = 576
      : tensor<16x19x19x576xbf16>, tensor<16x19x19x576xbf16> -> tensor<576x5x5x1xbf16>
  return %dw : tensor<576x5x5x1xbf16>
}

// One tile has all taps of one product, so that only slices fill the chip: about as many as there are compute units.
// CHECK-LABEL: func.func @one_tile_weight
// CHECK: schedule = <kernel = #conv.warpgroup_gemm<workgroup = [576, 32],
// CHECK-SAME: halo_tile = [8, 8]>, splits = 128, transposed = true, chosen_by = heuristic>
func.func @one_tile_weight(%x: tensor<32x149x149x32xbf16>, %dy: tensor<32x147x147x32xbf16>)
    -> tensor<32x3x3x32xbf16> {
  %dw = conv.backward_weight %x, %dy
      window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<32x149x149x32xbf16>, tensor<32x147x147x32xbf16> -> tensor<32x3x3x32xbf16>
  return %dw : tensor<32x3x3x32xbf16>
}

// Four groups of 58 channels together are whole vectors, which the copy engine requires: three quarters of the products are with
// zeros.
// CHECK-LABEL: func.func @unaligned_groups_weight
// CHECK: schedule = <kernel = #conv.warpgroup_gemm<
// CHECK-SAME: channel_multiple = 232, chosen_by = heuristic>
func.func @unaligned_groups_weight(%x: tensor<32x14x14x928xbf16>, %dy: tensor<32x14x14x928xbf16>)
    -> tensor<928x3x3x58xbf16> {
  %dw = conv.backward_weight %x, %dy
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK"> groups = 16
      : tensor<32x14x14x928xbf16>, tensor<32x14x14x928xbf16> -> tensor<928x3x3x58xbf16>
  return %dw : tensor<928x3x3x58xbf16>
}

// No tile of 58 channels has whole sectors, except one of all channels, whose rows have no gaps: slices along images and lines
// fill the chip.
// CHECK-LABEL: func.func @odd_channels_depthwise_weight
// CHECK: schedule = <kernel = #conv.direct<workgroup = [1, 58],
// CHECK-SAME: main_loop = direct_reduction, raster = columns>, splits = 128, chosen_by = heuristic>
func.func @odd_channels_depthwise_weight(%x: tensor<32x56x56x58xbf16>, %dy: tensor<32x28x28x58xbf16>)
    -> tensor<58x3x3x1xbf16> {
  %dw = conv.backward_weight %x, %dy
      window = <strides = [2, 2], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK"> groups = 58
      : tensor<32x56x56x58xbf16>, tensor<32x28x28x58xbf16> -> tensor<58x3x3x1xbf16>
  return %dw : tensor<58x3x3x1xbf16>
}

// A tile of 16 of the 40 channels would leave lanes idle and cross sectors.
// CHECK-LABEL: func.func @all_channels_depthwise
// CHECK: #conv.direct<workgroup = [{{[0-9]+}}, 40],
func.func @all_channels_depthwise(%x: tensor<8x256x256x40xbf16>, %w: tensor<40x3x3x1xbf16>)
    -> tensor<8x256x256x40xbf16> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK"> groups = 40
      : tensor<8x256x256x40xbf16>, tensor<40x3x3x1xbf16> -> tensor<8x256x256x40xbf16>
  return %y : tensor<8x256x256x40xbf16>
}

// Rows of 360 channels start inside sectors, but the steps of a halo tile read them in turn. 12.4 us; lanes that copy the windows
// took 21.5.
// CHECK-LABEL: func.func @unaligned_halo_tile_data
// CHECK: #conv.warpgroup_gemm<{{.*}} halo_tile = [8, 8], cluster = 2>, chosen_by = heuristic>
func.func @unaligned_halo_tile_data(%dy: tensor<8x14x14x360xbf16>, %w: tensor<360x3x3x360xbf16>)
    -> tensor<8x14x14x360xbf16> {
  %dx = conv.backward_data %dy, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<8x14x14x360xbf16>, tensor<360x3x3x360xbf16> -> tensor<8x14x14x360xbf16>
  return %dx : tensor<8x14x14x360xbf16>
}

// The filter of a weight-stationary kernel would be loaded element by element, since its columns are its channels: 15.8 us, and
// 5.6 with copies of boxes.
// CHECK-LABEL: func.func @filter_of_columns_data
// CHECK: #conv.warpgroup_gemm<
func.func @filter_of_columns_data(%dy: tensor<64x7x7x144xbf16>, %w: tensor<144x3x3x16xbf16>) -> tensor<64x7x7x16xbf16> {
  %dx = conv.backward_data %dy, %w
      window = <strides = [1, 1], dilations = [4, 4], low = [4, 4], high = [4, 4]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<64x7x7x144xbf16>, tensor<144x3x3x16xbf16> -> tensor<64x7x7x16xbf16>
  return %dx : tensor<64x7x7x16xbf16>
}

// 72 units have more of the caches each than all would have: 8.9 us, and 12.4 with more columns, halo tiles and two slices.
// CHECK-LABEL: func.func @gradient_of_groups_on_some_units
// CHECK: #conv.warpgroup_gemm<workgroup = [64, 64], {{.*}} raster = columns>, layouts = {{.*}}, channel_multiple = 64,
func.func @gradient_of_groups_on_some_units(%x: tensor<4x28x28x512xbf16>, %dy: tensor<4x28x28x512xbf16>)
    -> tensor<512x3x3x32xbf16> {
  %dw = conv.backward_weight %x, %dy
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK"> groups = 16
      : tensor<4x28x28x512xbf16>, tensor<4x28x28x512xbf16> -> tensor<512x3x3x32xbf16>
  return %dw : tensor<512x3x3x32xbf16>
}

// Few workgroups wait for their lanes: 6.1 us, and 2.2 with matrix instructions.
// CHECK-LABEL: func.func @small_depthwise
// CHECK: main_loop = direct_matrix,
func.func @small_depthwise(%x: tensor<1x12x12x112xbf16>, %w: tensor<112x7x7x1xbf16>) -> tensor<1x12x12x112xbf16> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [3, 3], high = [3, 3]>
      layouts = <"NHWC", "KRSC", "NPQK"> groups = 112
      : tensor<1x12x12x112xbf16>, tensor<112x7x7x1xbf16> -> tensor<1x12x12x112xbf16>
  return %y : tensor<1x12x12x112xbf16>
}

// A lane of 1 x 64 tiles would wait nine times for its share of the filter: 8.3 us, and 2.8 with more rows.
// CHECK-LABEL: func.func @waits_for_depthwise_filter
// CHECK: #conv.direct<workgroup = [{{[0-9]+}}, 16],
func.func @waits_for_depthwise_filter(%dy: tensor<1x7x7x336xbf16>, %w: tensor<336x5x5x1xbf16>) -> tensor<1x14x14x336xbf16> {
  %dx = conv.backward_data %dy, %w
      window = <strides = [2, 2], dilations = [1, 1], low = [2, 2], high = [2, 2]>
      layouts = <"NHWC", "KRSC", "NPQK"> groups = 336
      : tensor<1x7x7x336xbf16>, tensor<336x5x5x1xbf16> -> tensor<1x14x14x336xbf16>
  return %dx : tensor<1x14x14x336xbf16>
}

// A cluster shares the 25 steps of a small filter gradient: 3.6 us, and 5.0 with slices that a second kernel combines.
// CHECK-LABEL: func.func @small_filter_gradient
// CHECK: #conv.warpgroup_gemm<{{.*}} cluster = {{[0-9]+}}>, chosen_by = heuristic>
func.func @small_filter_gradient(%x: tensor<32x7x7x768xbf16>, %dy: tensor<32x7x7x128xbf16>) -> tensor<128x1x1x768xbf16> {
  %dw = conv.backward_weight %x, %dy
      window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<32x7x7x768xbf16>, tensor<32x7x7x128xbf16> -> tensor<128x1x1x768xbf16>
  return %dw : tensor<128x1x1x768xbf16>
}

// One with more bytes takes slices.
// CHECK-LABEL: func.func @large_filter_gradient
// CHECK: #conv.warpgroup_gemm<
// CHECK-NOT: cluster
// CHECK-SAME: splits =
func.func @large_filter_gradient(%x: tensor<32x28x28x512xbf16>, %dy: tensor<32x28x28x256xbf16>) -> tensor<256x1x1x512xbf16> {
  %dw = conv.backward_weight %x, %dy
      window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<32x28x28x512xbf16>, tensor<32x28x28x256xbf16> -> tensor<256x1x1x512xbf16>
  return %dw : tensor<256x1x1x512xbf16>
}

// All rows of a transposed product read the images in turn, while caches have them: 14.0 us instead of 19.1.
// CHECK-LABEL: func.func @images_read_once
// CHECK: raster = rows>, transposed = true,
func.func @images_read_once(%x: tensor<1x960x96x96xbf16>, %w: tensor<320x960x1x1xbf16>) -> tensor<1x320x96x96xbf16> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
      layouts = <"NCHW", "KCRS", "NKPQ">
      : tensor<1x960x96x96xbf16>, tensor<320x960x1x1xbf16> -> tensor<1x320x96x96xbf16>
  return %y : tensor<1x320x96x96xbf16>
}

// Dgrad phases are every other element of a line, so a work-item has 4 rows: 20 us, and 39 with 8, whose two vectors it would store one
// after the other. With stride 3, lines have whole vectors only in a whole run.
// CHECK-LABEL: func.func @depthwise_phases
// CHECK: #conv.direct<{{.*}} atom = <fma 1 x 4 x 1>
func.func @depthwise_phases(%dy: tensor<32x64x56x56xbf16>, %w: tensor<64x1x3x3xbf16>) -> tensor<32x64x112x112xbf16> {
  %dx = conv.backward_data %dy, %w
      window = <strides = [2, 2], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NCHW", "KCRS", "NKPQ"> groups = 64
      : tensor<32x64x56x56xbf16>, tensor<64x1x3x3xbf16> -> tensor<32x64x112x112xbf16>
  return %dx : tensor<32x64x112x112xbf16>
}

// CHECK-LABEL: func.func @depthwise_phases_of_three
// CHECK: #conv.direct<{{.*}} atom = <fma 1 x 4 x 1>
func.func @depthwise_phases_of_three(%dy: tensor<32x64x32x32xf32>, %w: tensor<64x1x3x3xf32>) -> tensor<32x64x96x96xf32> {
  %dx = conv.backward_data %dy, %w
      window = <strides = [3, 3], dilations = [1, 1], low = [0, 0], high = [0, 0]>
      layouts = <"NCHW", "KCRS", "NKPQ"> groups = 64
      : tensor<32x64x32x32xf32>, tensor<64x1x3x3xf32> -> tensor<32x64x96x96xf32>
  return %dx : tensor<32x64x96x96xf32>
}

// Lines of 35 elements start anywhere, so that elements are stored one by one: of a run of 4 in 13 us, of 8 in 16, of 1 in 15.
// CHECK-LABEL: func.func @depthwise_odd_lines
// CHECK: #conv.direct<{{.*}} atom = <fma 1 x {{[24]}} x 1>
func.func @depthwise_odd_lines(%x: tensor<64x48x35x35xbf16>, %w: tensor<48x1x3x3xbf16>) -> tensor<64x48x35x35xbf16> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NCHW", "KCRS", "NKPQ"> groups = 48
      : tensor<64x48x35x35xbf16>, tensor<48x1x3x3xbf16> -> tensor<64x48x35x35xbf16>
  return %y : tensor<64x48x35x35xbf16>
}

// Depth is merged with images, so that lines are buffered: of 8 frames, an explicit im2col took 50 us, and this takes 27.
// CHECK-LABEL: func.func @stem_of_videos
// CHECK: #conv.line_buffer<{{.*}} layouts = <"NHWC", "KRSC", "NPQK">
func.func @stem_of_videos(%x: tensor<4x3x16x112x112xbf16>, %dy: tensor<4x64x16x56x56xbf16>) -> tensor<64x3x1x7x7xbf16> {
  %dw = conv.backward_weight %x, %dy
      window = <strides = [1, 2, 2], dilations = [1, 1, 1], low = [0, 3, 3], high = [0, 3, 3]>
      layouts = <"NCDHW", "KCTRS", "NKZPQ">
      : tensor<4x3x16x112x112xbf16>, tensor<4x64x16x56x56xbf16> -> tensor<64x3x1x7x7xbf16>
  return %dw : tensor<64x3x1x7x7xbf16>
}

// 14 slices of two lines each start inside sectors, and lanes that copy them take longer: 18.8 us, and 11.9 with 16 slices of images.
// CHECK-LABEL: func.func @slices_of_lines
// CHECK: #conv.warpgroup_gemm<{{.*}} splits = 16,
func.func @slices_of_lines(%x: tensor<32x352x28x28xbf16>, %dy: tensor<32x128x28x28xbf16>) -> tensor<128x352x1x1xbf16> {
  %dw = conv.backward_weight %x, %dy
      window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
      layouts = <"NCHW", "KCRS", "NKPQ">
      : tensor<32x352x28x28xbf16>, tensor<32x128x28x28xbf16> -> tensor<128x352x1x1xbf16>
  return %dw : tensor<128x352x1x1xbf16>
}

// A resident filter whose kernel stores odd columns takes 288 us, with a transform of the result 146.
// CHECK-LABEL: func.func @odd_columns
// CHECK: schedule = <{{.*}} layouts = <"NHWC", "KRSC", "NPQK">, chosen_by = heuristic>
func.func @odd_columns(%x: tensor<32x32x147x147xbf16>, %w: tensor<64x32x3x3xbf16>) -> tensor<32x64x147x147xbf16> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NCHW", "KCRS", "NKPQ">
      : tensor<32x32x147x147xbf16>, tensor<64x32x3x3xbf16> -> tensor<32x64x147x147xbf16>
  return %y : tensor<32x64x147x147xbf16>
}

// The gradient of a filter of tf32 has images innermost, which lanes need not transpose.
// CHECK-LABEL: func.func @images_innermost
// CHECK: schedule = <kernel = #conv.warpgroup_gemm<{{.*}} atom = <wgmma 64 x {{[0-9]+}} x 8>{{.*}} layouts = <"HCWN", "KRSC", "PKQN">
func.func @images_innermost(%x: tensor<16x40x40x96xf32>, %dy: tensor<16x40x40x192xf32>) -> tensor<192x5x5x96xf32> {
  %dw = conv.backward_weight %x, %dy
      window = <strides = [1, 1], dilations = [1, 1], low = [2, 2], high = [2, 2]>
      layouts = <"NHWC", "KRSC", "NPQK"> arithmetic = tf32
      : tensor<16x40x40x96xf32>, tensor<16x40x40x192xf32> -> tensor<192x5x5x96xf32>
  return %dw : tensor<192x5x5x96xf32>
}

// Of one image, strips are images.
// CHECK-LABEL: func.func @strips_innermost
// CHECK: schedule = <kernel = #conv.warpgroup_gemm<{{.*}} layouts = <"HCWN", "KRSC", "PKQN">, space_to_batch = {{4|32}}, chosen_by = heuristic>
func.func @strips_innermost(%x: tensor<1x64x64x512xf32>, %dy: tensor<1x64x64x512xf32>) -> tensor<512x3x3x512xf32> {
  %dw = conv.backward_weight %x, %dy
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK"> arithmetic = tf32
      : tensor<1x64x64x512xf32>, tensor<1x64x64x512xf32> -> tensor<512x3x3x512xf32>
  return %dw : tensor<512x3x3x512xf32>
}

// Without strips, bytes are multiplied as they lie, of one image, too.
// CHECK-LABEL: func.func @bytes_of_one_image
// CHECK-NOT: space_to_batch
// CHECK: chosen_by = heuristic>
func.func @bytes_of_one_image(%x: tensor<1x64x64x64xi8>, %dy: tensor<1x64x64x64xi8>) -> tensor<64x3x3x64xi32> {
  %dw = conv.backward_weight %x, %dy
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<1x64x64x64xi8>, tensor<1x64x64x64xi8> -> tensor<64x3x3x64xi32>
  return %dw : tensor<64x3x3x64xi32>
}

// Images of one position are rows of channels, too. Whatever is ranked for another numbering of columns has to be accepted for that
// of the schedule.
// CHECK-LABEL: func.func @one_position
// CHECK: schedule = <kernel = #conv.warpgroup_gemm<
func.func @one_position(%x: tensor<32x56x1x1xf32>, %dy: tensor<32x1344x1x1xf32>) -> tensor<1344x56x1x1xf32> {
  %dw = conv.backward_weight %x, %dy
      window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
      layouts = <"NCHW", "KCRS", "NKPQ"> arithmetic = tf32
      : tensor<32x56x1x1xf32>, tensor<32x1344x1x1xf32> -> tensor<1344x56x1x1xf32>
  return %dw : tensor<1344x56x1x1xf32>
}


// Windows of one tap leave out three quarters of the positions, and only the others are transposed.
// CHECK-LABEL: func.func @left_out_bf16
// CHECK: layouts = <"NHWC", "KRSC", "NKPQ">, channel_multiple = 8, im2col = 2, chosen_by = heuristic>
func.func @left_out_bf16(%x: tensor<16x256x56x56xbf16>, %w: tensor<512x256x1x1xbf16>)
    -> tensor<16x512x28x28xbf16> {
  %y = conv.forward %x, %w
      window = <strides = [2, 2], dilations = [1, 1], low = [0, 0], high = [0, 0]>
      layouts = <"NCHW", "KCRS", "NKPQ">
      : tensor<16x256x56x56xbf16>, tensor<512x256x1x1xbf16> -> tensor<16x512x28x28xbf16>
  return %y : tensor<16x512x28x28xbf16>
}

// Of short lines, every second element takes as long as all.
// CHECK-LABEL: func.func @left_out_short_f32
// CHECK-NOT: im2col
// CHECK: chosen_by = heuristic>
func.func @left_out_short_f32(%x: tensor<2x1024x14x14xf32>, %w: tensor<2048x1024x1x1xf32>)
    -> tensor<2x2048x7x7xf32> {
  %y = conv.forward %x, %w
      window = <strides = [2, 2], dilations = [1, 1], low = [0, 0], high = [0, 0]>
      layouts = <"NCHW", "KCRS", "NKPQ">
      : tensor<2x1024x14x14xf32>, tensor<2048x1024x1x1xf32> -> tensor<2x2048x7x7xf32>
  return %y : tensor<2x2048x7x7xf32>
}

// Nothing copies rows of 45 channels, and a transform would take longer than the kernel that loads them element by
// element. If there are many steps, the transform takes less.
// CHECK-LABEL: func.func @odd_channels_bf16
// CHECK: producer = registers>, chosen_by = heuristic>
func.func @odd_channels_bf16(%x: tensor<1x17x17x45xbf16>, %w: tensor<64x1x1x45xbf16>)
    -> tensor<1x17x17x64xbf16> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<1x17x17x45xbf16>, tensor<64x1x1x45xbf16> -> tensor<1x17x17x64xbf16>
  return %y : tensor<1x17x17x64xbf16>
}

// CHECK-LABEL: func.func @many_odd_channels_bf16
// CHECK-NOT: producer
// CHECK: channel_multiple = 8, chosen_by = heuristic>
func.func @many_odd_channels_bf16(%x: tensor<8x64x64x451xbf16>, %w: tensor<256x3x3x451xbf16>)
    -> tensor<8x64x64x256xbf16> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<8x64x64x451xbf16>, tensor<256x3x3x451xbf16> -> tensor<8x64x64x256xbf16>
  return %y : tensor<8x64x64x256xbf16>
}

// Direct kernels start when the transforms before them have ended.
// CHECK-LABEL: func.func @grouped_weights_nchw_bf16
// CHECK: producer = registers>, chosen_by = heuristic>
func.func @grouped_weights_nchw_bf16(%x: tensor<4x64x14x14xbf16>, %dy: tensor<4x64x7x7xbf16>)
    -> tensor<64x8x3x3xbf16> {
  %dw = conv.backward_weight %x, %dy
      window = <strides = [2, 2], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NCHW", "KCRS", "NKPQ"> groups = 8
      : tensor<4x64x14x14xbf16>, tensor<4x64x7x7xbf16> -> tensor<64x8x3x3xbf16>
  return %dw : tensor<64x8x3x3xbf16>
}

// A staged kernel would take less time than this one, but for what it waits for
// the transform of the filter.
// CHECK-LABEL: func.func @small_windows_bf16
// CHECK: kernel = #conv.warpgroup_gemm<workgroup = [64, 8],{{.*}}, layouts = <"NHWC", "CRSK", "NPQK">
func.func @small_windows_bf16(%dy: tensor<2x12x4x8xbf16>, %w: tensor<8x7x5x1xbf16>) -> tensor<2x28x14x1xbf16> {
  %dx = conv.backward_data %dy, %w
      window = <strides = [2, 3], dilations = [1, 1], low = [0, 0], high = [2, 0]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<2x12x4x8xbf16>, tensor<8x7x5x1xbf16> -> tensor<2x28x14x1xbf16>
  return %dx : tensor<2x28x14x1xbf16>
}
}
