// RUN: conv-opt %s --conv-select-schedule --split-input-file --verify-diagnostics

// Windows that move by 2 have no elements in common that lie side by side.
module attributes {conv.target = #conv.target<"sm_90a">} {
func.func @s14_stride(%x: tensor<4x16x16x64xf16>, %w: tensor<64x3x3x64xf16>) -> tensor<4x16x8x64xf16> {
  // expected-error @below {{unsupported (schedule): expects a window that moves by 1 over halo tiles, but got 2}}
  %y = conv.forward %x, %w
      window = <strides = [1, 2], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      schedule = <kernel = #conv.warpgroup_gemm<workgroup = [128, 64], subgroup = [64, 64], gemm_k = 64,
                  stages = 4, atom = <wgmma 64 x 64 x 16>, raster = columns, halo_tile = [8, 8]>>
      : tensor<4x16x16x64xf16>, tensor<64x3x3x64xf16> -> tensor<4x16x8x64xf16>
  return %y : tensor<4x16x8x64xf16>
}
}

// -----

// A tile has whole halo tiles.
module attributes {conv.target = #conv.target<"sm_90a">} {
func.func @s14_rows(%x: tensor<4x16x16x64xf16>, %w: tensor<64x3x3x64xf16>) -> tensor<4x16x16x64xf16> {
  // expected-error @below {{unsupported (schedule): expects halo tiles that divide 192 rows, but got 128}}
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      schedule = <kernel = #conv.warpgroup_gemm<workgroup = [192, 64], subgroup = [64, 64], gemm_k = 64,
                  stages = 4, atom = <wgmma 64 x 64 x 16>, raster = columns, halo_tile = [8, 16]>>
      : tensor<4x16x16x64xf16>, tensor<64x3x3x64xf16> -> tensor<4x16x16x64xf16>
  return %y : tensor<4x16x16x64xf16>
}
}

// -----

// Halo tiles have two dimensions.
module attributes {conv.target = #conv.target<"sm_90a">} {
func.func @s14_dimensions(%x: tensor<4x64x64xf16>, %w: tensor<64x3x64xf16>) -> tensor<4x64x64xf16> {
  // expected-error @below {{unsupported (schedule): expects positions in two or three spatial dimensions for halo tiles, but got others}}
  %y = conv.forward %x, %w
      window = <strides = [1], dilations = [1], low = [1], high = [1]>
      layouts = <"NWC", "KSC", "NQK">
      schedule = <kernel = #conv.warpgroup_gemm<workgroup = [128, 64], subgroup = [64, 64], gemm_k = 64,
                  stages = 4, atom = <wgmma 64 x 64 x 16>, raster = columns, halo_tile = [8, 8]>>
      : tensor<4x64x64xf16>, tensor<64x3x64xf16> -> tensor<4x64x64xf16>
  return %y : tensor<4x64x64xf16>
}
}

// -----

// A step of a reduction is one block.
module attributes {conv.target = #conv.target<"sm_90a">} {
func.func @s14_reduction(%x: tensor<4x16x16x64xf16>, %dy: tensor<4x16x16x64xf16>) -> tensor<64x3x3x64xf16> {
  // expected-error @below {{unsupported (schedule): expects halo tiles of a reduction to have 8 positions a side, but got 16}}
  %dw = conv.backward_weight %x, %dy
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      schedule = <kernel = #conv.warpgroup_gemm<workgroup = [64, 192], subgroup = [64, 192], gemm_k = 64,
                  stages = 4, atom = <wgmma 64 x 192 x 16>, raster = columns, halo_tile = [8, 16]>>
      : tensor<4x16x16x64xf16>, tensor<4x16x16x64xf16> -> tensor<64x3x3x64xf16>
  return %dw : tensor<64x3x3x64xf16>
}
}

// -----

// Two taps of a line see the same elements, and a tile is of those.
module attributes {conv.target = #conv.target<"sm_90a">} {
func.func @s14_columns(%x: tensor<4x16x16x64xf16>, %dy: tensor<4x16x15x64xf16>) -> tensor<64x3x2x64xf16> {
  // expected-error @below {{unsupported (schedule): expects tiles of the 128 columns that share a halo tile, but got 192}}
  %dw = conv.backward_weight %x, %dy
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 0], high = [1, 0]>
      layouts = <"NHWC", "KRSC", "NPQK">
      schedule = <kernel = #conv.warpgroup_gemm<workgroup = [64, 192], subgroup = [64, 192], gemm_k = 64,
                  stages = 4, atom = <wgmma 64 x 192 x 16>, raster = columns, halo_tile = [8, 8]>>
      : tensor<4x16x16x64xf16>, tensor<4x16x15x64xf16> -> tensor<64x3x2x64xf16>
  return %dw : tensor<64x3x2x64xf16>
}
}

// -----

// There are 4 x 2 x 2 halo tiles to split.
module attributes {conv.target = #conv.target<"sm_90a">} {
func.func @s12_halo_tiles(%x: tensor<4x16x16x64xf16>, %dy: tensor<4x16x16x64xf16>) -> tensor<64x3x3x64xf16> {
  // expected-error @below {{unsupported (schedule): expects splits to be at most 16, or the number of equal slices of several digits, but got 17}}
  %dw = conv.backward_weight %x, %dy
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      schedule = <kernel = #conv.warpgroup_gemm<workgroup = [64, 192], subgroup = [64, 192], gemm_k = 64,
                  stages = 4, atom = <wgmma 64 x 192 x 16>, raster = columns, halo_tile = [8, 8]>, splits = 17>
      : tensor<4x16x16x64xf16>, tensor<4x16x16x64xf16> -> tensor<64x3x3x64xf16>
  return %dw : tensor<64x3x3x64xf16>
}
}

// -----

// Without the halos of a large window the halo tiles would fit.
module attributes {conv.target = #conv.target<"sm_90a">} {
func.func @s6_halo(%x: tensor<4x64x64x64xf16>, %w: tensor<64x31x31x64xf16>) -> tensor<4x64x64x64xf16> {
  // expected-error @below {{unsupported (schedule): expects 4 stages of 8192 bytes, 2 slots of 741376 bytes, barriers and 8192 bytes for each of 2 warpgroups to fit 232448 bytes of shared memory, but got more}}
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [15, 15], high = [15, 15]>
      layouts = <"NHWC", "KRSC", "NPQK">
      schedule = <kernel = #conv.warpgroup_gemm<workgroup = [256, 64], subgroup = [128, 64], gemm_k = 64,
                  stages = 4, atom = <wgmma 64 x 64 x 16>, raster = columns, halo_tile = [8, 8]>>
      : tensor<4x64x64x64xf16>, tensor<64x31x31x64xf16> -> tensor<4x64x64x64xf16>
  return %y : tensor<4x64x64x64xf16>
}
}

// -----

// A buffer of halo tiles is multiplied with the whole filter.
module attributes {conv.target = #conv.target<"sm_90a">} {
func.func @s17_columns(%x: tensor<4x16x16x64xf16>, %w: tensor<24x3x3x64xf16>) -> tensor<4x16x16x24xf16> {
  // expected-error @below {{unsupported (schedule): expects one tile of all 24 columns, but got 16}}
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      schedule = <kernel = #conv.weight_stationary<workgroup = [64, 16], subgroup = [64, 16], gemm_k = 64,
                  stages = 2, atom = <wgmma 64 x 16 x 16>, raster = columns, halo_tile = [8, 8]>>
      : tensor<4x16x16x64xf16>, tensor<24x3x3x64xf16> -> tensor<4x16x16x24xf16>
  return %y : tensor<4x16x16x24xf16>
}
}

// -----

// Dgrad phases of a dilated dimension are not columns of one product.
module attributes {conv.target = #conv.target<"sm_90a">} {
func.func @s17_dilated(%dy: tensor<4x8x8x64xf16>, %w: tensor<64x3x3x16xf16>) -> tensor<4x17x17x16xf16> {
  // expected-error @below {{unsupported (schedule): expects one subproblem in each kernel, but got 3}}
  %dx = conv.backward_data %dy, %w
      window = <strides = [2, 2], dilations = [2, 2], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      schedule = <kernel = #conv.weight_stationary<workgroup = [64, 64], subgroup = [64, 64], gemm_k = 64,
                  stages = 2, atom = <wgmma 64 x 64 x 16>, raster = columns, halo_tile = [8, 8]>>
      : tensor<4x8x8x64xf16>, tensor<64x3x3x16xf16> -> tensor<4x17x17x16xf16>
  return %dx : tensor<4x17x17x16xf16>
}
}

// -----

// The filter has 9 * 512 rows of 64 elements.
module attributes {conv.target = #conv.target<"sm_90a">} {
func.func @s6_filter(%x: tensor<4x16x16x512xf16>, %w: tensor<32x3x3x512xf16>) -> tensor<4x16x16x32xf16> {
  // expected-error @below {{unsupported (schedule): expects 2 stages of 13312 bytes, 294912 bytes of filter and 4096 bytes for each of 1 warpgroups to fit 232448 bytes of shared memory, but got more}}
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      schedule = <kernel = #conv.weight_stationary<workgroup = [64, 32], subgroup = [64, 32], gemm_k = 64,
                  stages = 2, atom = <wgmma 64 x 32 x 16>, raster = columns, halo_tile = [8, 8]>>
      : tensor<4x16x16x512xf16>, tensor<32x3x3x512xf16> -> tensor<4x16x16x32xf16>
  return %y : tensor<4x16x16x32xf16>
}
}

// -----

// The copy engine moves multiples of 16 bytes.
module attributes {conv.target = #conv.target<"sm_90a">} {
func.func @halo_tile_channels(%x: tensor<4x16x16x12xf16>, %w: tensor<8x3x3x12xf16>) -> tensor<4x16x16x8xf16> {
  // expected-error @below {{unsupported (schedule): expects a left operand with a multiple of 8 channels, but got 12}}
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      schedule = <kernel = #conv.weight_stationary<workgroup = [64, 8], subgroup = [64, 8], gemm_k = 64,
                  stages = 2, atom = <wgmma 64 x 8 x 16>, raster = columns, halo_tile = [8, 8]>>
      : tensor<4x16x16x12xf16>, tensor<8x3x3x12xf16> -> tensor<4x16x16x8xf16>
  return %y : tensor<4x16x16x8xf16>
}
}

// -----

module attributes {conv.target = #conv.target<"sm_90a">} {
func.func @halo_tile_rows(%x: tensor<4x16x16x64xf16>, %dy: tensor<4x16x16x8xf16>) -> tensor<8x3x3x64xf16> {
  // expected-error @below {{unsupported (schedule): expects rows that are positions in halo tiles, but got others}}
  %dw = conv.backward_weight %x, %dy
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      schedule = <kernel = #conv.weight_stationary<workgroup = [64, 8], subgroup = [64, 8], gemm_k = 64,
                  stages = 2, atom = <wgmma 64 x 8 x 16>, raster = columns, halo_tile = [8, 8]>>
      : tensor<4x16x16x64xf16>, tensor<4x16x16x8xf16> -> tensor<8x3x3x64xf16>
  return %dw : tensor<8x3x3x64xf16>
}
}

// -----

module attributes {conv.target = #conv.target<"sm_90a">} {
func.func @s18_chip(%x: tensor<4x16x16x64xf16>, %w: tensor<128x3x3x64xf16>) -> tensor<4x16x16x128xf16> {
  // expected-error @below {{unsupported (schedule): expects a cluster of at most 8 workgroups, but got 16}}
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      schedule = <kernel = #conv.warpgroup_gemm<workgroup = [64, 128], subgroup = [64, 128], gemm_k = 64,
                  stages = 2, atom = <wgmma 64 x 128 x 16>, raster = columns, cluster = 16>>
      : tensor<4x16x16x64xf16>, tensor<128x3x3x64xf16> -> tensor<4x16x16x128xf16>
  return %y : tensor<4x16x16x128xf16>
}
}

// -----

// Three rows of 64 channels.
module attributes {conv.target = #conv.target<"sm_90a">} {
func.func @s18_steps(%x: tensor<4x16x16x160xf16>, %w: tensor<64x1x1x160xf16>) -> tensor<4x16x16x64xf16> {
  // expected-error @below {{unsupported (schedule): expects a cluster of at most 3, each with a step of the reduction, but got 4}}
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
      layouts = <"NHWC", "KRSC", "NPQK">
      schedule = <kernel = #conv.warpgroup_gemm<workgroup = [64, 64], subgroup = [64, 64], gemm_k = 64,
                  stages = 2, atom = <wgmma 64 x 64 x 16>, raster = columns, cluster = 4>>
      : tensor<4x16x16x160xf16>, tensor<64x1x1x160xf16> -> tensor<4x16x16x64xf16>
  return %y : tensor<4x16x16x64xf16>
}
}

// -----

module attributes {conv.target = #conv.target<"sm_90a">} {
func.func @s6_sums(%x: tensor<4x16x16x640xf16>, %w: tensor<192x1x1x640xf16>) -> tensor<4x16x16x192xf16> {
  // expected-error @below {{unsupported (schedule): expects 6 stages of 49152 bytes (or 147456 bytes of sums), barriers and 12288 bytes for each of 3 warpgroups to fit 232448 bytes of shared memory, but got more}}
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
      layouts = <"NHWC", "KRSC", "NPQK">
      schedule = <kernel = #conv.warpgroup_gemm<workgroup = [192, 192], subgroup = [64, 192], gemm_k = 64,
                  stages = 6, atom = <wgmma 64 x 192 x 16>, raster = columns, cluster = 2>>
      : tensor<4x16x16x640xf16>, tensor<192x1x1x640xf16> -> tensor<4x16x16x192xf16>
  return %y : tensor<4x16x16x192xf16>
}
}
