// RUN: conv-opt %s --conv-select-schedule --split-input-file --verify-diagnostics

// A filter that stays in shared memory has the columns of one tile.
module attributes {conv.target = #conv.target<"sm_90a">} {
func.func @line_s13_columns(%x: tensor<4x8x8x4xf16>, %w: tensor<96x3x3x4xf16>) -> tensor<4x8x8x96xf16> {
  // expected-error @below {{unsupported (schedule): expects one tile of all 96 columns, but got 64}}
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      schedule = <kernel = #conv.line_buffer<workgroup = [128, 64], subgroup = [64, 64], gemm_k = 64,
                  stages = 4, atom = <wgmma 64 x 64 x 16>, raster = columns>>
      : tensor<4x8x8x4xf16>, tensor<96x3x3x4xf16> -> tensor<4x8x8x96xf16>
  return %y : tensor<4x8x8x96xf16>
}
}

// -----

// Five lines of 32 KB, twice.
module attributes {conv.target = #conv.target<"sm_90a">} {
func.func @line_s6(%x: tensor<1x8x4096x4xf16>, %w: tensor<64x5x1x4xf16>) -> tensor<1x8x4096x64xf16> {
  // expected-error @below {{unsupported (schedule): expects 2 stages of 163840 bytes, 8192 bytes of filter and 8192 bytes for each of 2 warpgroups to fit 232448 bytes of shared memory, but got more}}
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [2, 0], high = [2, 0]>
      layouts = <"NHWC", "KRSC", "NPQK">
      schedule = <kernel = #conv.line_buffer<workgroup = [128, 64], subgroup = [64, 64], gemm_k = 64,
                  stages = 2, atom = <wgmma 64 x 64 x 16>, raster = columns>>
      : tensor<1x8x4096x4xf16>, tensor<64x5x1x4xf16> -> tensor<1x8x4096x64xf16>
  return %y : tensor<1x8x4096x64xf16>
}
}

// -----

// The gradient of a filter is multiplied by one warpgroup; two others gather its windows.
module attributes {conv.target = #conv.target<"sm_90a">} {
func.func @line_gradient_warpgroups(%x: tensor<4x8x8x4xf16>, %dy: tensor<4x8x8x64xf16>) -> tensor<64x3x3x4xf16> {
  // expected-error @below {{unsupported (schedule): expects 1 warpgroup, and at most 192 columns and 128 accumulators of a lane, for positions that are reduced, but got 2, 64 and 32}}
  %y = conv.backward_weight %x, %dy
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      schedule = <kernel = #conv.line_buffer<workgroup = [128, 64], subgroup = [64, 64], gemm_k = 64,
                  stages = 4, atom = <wgmma 64 x 64 x 16>, raster = columns>>
      : tensor<4x8x8x4xf16>, tensor<4x8x8x64xf16> -> tensor<64x3x3x4xf16>
  return %y : tensor<64x3x3x4xf16>
}
}

// -----

// Seven lines of 112 elements are 14 groups each.
module attributes {conv.target = #conv.target<"sm_90a">} {
func.func @line_groups(%x: tensor<4x8x8x16xf16>, %w: tensor<64x7x7x16xf16>) -> tensor<4x8x8x64xf16> {
  // expected-error @below {{unsupported (schedule): expects windows of at most 64 groups of elements next to each other, but got 98}}
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [3, 3], high = [3, 3]>
      layouts = <"NHWC", "KRSC", "NPQK">
      schedule = <kernel = #conv.line_buffer<workgroup = [128, 64], subgroup = [64, 64], gemm_k = 64,
                  stages = 4, atom = <wgmma 64 x 64 x 16>, raster = columns>>
      : tensor<4x8x8x16xf16>, tensor<64x7x7x16xf16> -> tensor<4x8x8x64xf16>
  return %y : tensor<4x8x8x64xf16>
}
}

// -----

// So many stages are not added up.
module attributes {conv.target = #conv.target<"sm_90a">} {
func.func @line_stages(%x: tensor<4x8x8x4xf16>, %w: tensor<64x3x3x4xf16>) -> tensor<4x8x8x64xf16> {
  // expected-error @below {{unsupported (schedule): expects 9223372036854775807 stages of 1152 bytes, 8192 bytes of filter and 8192 bytes for each of 2 warpgroups to fit 232448 bytes of shared memory, but got more}}
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      schedule = <kernel = #conv.line_buffer<workgroup = [128, 64], subgroup = [64, 64], gemm_k = 64,
                  stages = 9223372036854775807, atom = <wgmma 64 x 64 x 16>, raster = columns>>
      : tensor<4x8x8x4xf16>, tensor<64x3x3x4xf16> -> tensor<4x8x8x64xf16>
  return %y : tensor<4x8x8x64xf16>
}
}

// -----

// Five lines of 10 elements are two groups of eight each: 80 columns, which two tiles have, and 50 of them are in one.
module attributes {conv.target = #conv.target<"sm_90a">} {
func.func @line_gradient_columns(%x: tensor<4x8x8x2xf16>, %dy: tensor<4x8x8x64xf16>) -> tensor<64x5x5x2xf16> {
  // expected-error @below {{unsupported (schedule): expects tiles of a multiple of 64 columns, of which as many have 50 as have 80 in groups, but got 64}}
  %y = conv.backward_weight %x, %dy
      window = <strides = [1, 1], dilations = [1, 1], low = [2, 2], high = [2, 2]>
      layouts = <"NHWC", "KRSC", "NPQK">
      schedule = <kernel = #conv.line_buffer<workgroup = [64, 64], subgroup = [64, 64], gemm_k = 64,
                  stages = 4, atom = <wgmma 64 x 64 x 16>, raster = columns>>
      : tensor<4x8x8x2xf16>, tensor<4x8x8x64xf16> -> tensor<64x5x5x2xf16>
  return %y : tensor<64x5x5x2xf16>
}
}

// -----

// Im2col warps take turns, so that each stage is always written by the same one.
module attributes {conv.target = #conv.target<"sm_90a">} {
func.func @line_gradient_stages(%x: tensor<4x8x8x4xf16>, %dy: tensor<4x8x8x64xf16>) -> tensor<64x3x3x4xf16> {
  // expected-error @below {{unsupported (schedule): expects a multiple of 2 stages for positions that are reduced, but got 3}}
  %y = conv.backward_weight %x, %dy
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      schedule = <kernel = #conv.line_buffer<workgroup = [64, 64], subgroup = [64, 64], gemm_k = 64,
                  stages = 3, atom = <wgmma 64 x 64 x 16>, raster = columns>>
      : tensor<4x8x8x4xf16>, tensor<4x8x8x64xf16> -> tensor<64x3x3x4xf16>
  return %y : tensor<64x3x3x4xf16>
}
}

// -----

// The left operand is copied as boxes.
module attributes {conv.target = #conv.target<"sm_90a">} {
func.func @line_gradient_channels(%x: tensor<4x8x8x4xf16>, %dy: tensor<4x8x8x60xf16>) -> tensor<60x3x3x4xf16> {
  // expected-error @below {{unsupported (schedule): expects a left operand with a multiple of 8 channels, but got 60}}
  %y = conv.backward_weight %x, %dy
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      schedule = <kernel = #conv.line_buffer<workgroup = [64, 64], subgroup = [64, 64], gemm_k = 64,
                  stages = 4, atom = <wgmma 64 x 64 x 16>, raster = columns>>
      : tensor<4x8x8x4xf16>, tensor<4x8x8x60xf16> -> tensor<60x3x3x4xf16>
  return %y : tensor<60x3x3x4xf16>
}
}

// -----

// Three lines of 33 KB, twice.
module attributes {conv.target = #conv.target<"sm_90a">} {
func.func @line_gradient_s6(%x: tensor<4x8x4160x4xf16>, %dy: tensor<4x8x4160x64xf16>) -> tensor<64x3x3x4xf16> {
  // expected-error @below {{unsupported (schedule): expects 2 stages of 16384 bytes of tiles and 99840 bytes of lines to fit 232448 bytes of shared memory, but got more}}
  %y = conv.backward_weight %x, %dy
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      schedule = <kernel = #conv.line_buffer<workgroup = [64, 64], subgroup = [64, 64], gemm_k = 64,
                  stages = 2, atom = <wgmma 64 x 64 x 16>, raster = columns>>
      : tensor<4x8x4160x4xf16>, tensor<4x8x4160x64xf16> -> tensor<64x3x3x4xf16>
  return %y : tensor<64x3x3x4xf16>
}
}

// -----

// A tile is one step.
module attributes {conv.target = #conv.target<"sm_90a">} {
func.func @line_splits(%x: tensor<4x8x8x4xf16>, %w: tensor<64x3x3x4xf16>) -> tensor<4x8x8x64xf16> {
  // expected-error @below {{unsupported (schedule): expects 1 split, but got 2}}
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      schedule = <kernel = #conv.line_buffer<workgroup = [128, 64], subgroup = [64, 64], gemm_k = 64,
                  stages = 4, atom = <wgmma 64 x 64 x 16>, raster = columns>, splits = 2>
      : tensor<4x8x8x4xf16>, tensor<64x3x3x4xf16> -> tensor<4x8x8x64xf16>
  return %y : tensor<4x8x8x64xf16>
}
}

// -----

// The last windows start after the image: lines of the next one come before theirs.
module attributes {conv.target = #conv.target<"sm_90a">} {
func.func @line_padding(%x: tensor<4x8x8x4xf16>, %w: tensor<64x5x3x4xf16>) -> tensor<4x12x8x64xf16> {
  // expected-error @below {{unsupported (schedule): expects windows that start before the end of the image, but got others}}
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [4, 1], high = [4, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      schedule = <kernel = #conv.line_buffer<workgroup = [128, 64], subgroup = [64, 64], gemm_k = 64,
                  stages = 4, atom = <wgmma 64 x 64 x 16>, raster = columns>>
      : tensor<4x8x8x4xf16>, tensor<64x5x3x4xf16> -> tensor<4x12x8x64xf16>
  return %y : tensor<4x12x8x64xf16>
}
}

// -----

// A line buffer serves one product; a gradient of stride 2 has four.
module attributes {conv.target = #conv.target<"sm_90a">} {
func.func @line_parts(%dy: tensor<4x8x8x8xf16>, %w: tensor<8x3x3x64xf16>) -> tensor<4x16x16x64xf16> {
  // expected-error @below {{unsupported (schedule): expects one subproblem in each kernel, but got 4}}
  %dx = conv.backward_data %dy, %w
      window = <strides = [2, 2], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      schedule = <kernel = #conv.line_buffer<workgroup = [128, 64], subgroup = [64, 64], gemm_k = 64,
                  stages = 4, atom = <wgmma 64 x 64 x 16>, raster = columns>>
      : tensor<4x8x8x8xf16>, tensor<8x3x3x64xf16> -> tensor<4x16x16x64xf16>
  return %dx : tensor<4x16x16x64xf16>
}
}
