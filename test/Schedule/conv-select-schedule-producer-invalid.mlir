// RUN: conv-opt %s --conv-select-schedule --split-input-file --verify-diagnostics

// Of 5 channels, no two are adjacent in every row.
module attributes {conv.target = #conv.target<"sm_90a">} {
func.func @s24_adjacent(%x: tensor<4x16x16x5xf16>, %w: tensor<64x1x1x5xf16>) -> tensor<4x16x16x64xf16> {
  // expected-error @below {{unsupported (schedule): expects 16-bit operands with 4 adjacent bytes and at least 8 columns for the producer cp_async, but got others}}
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
      layouts = <"NHWC", "KRSC", "NPQK">
      schedule = <kernel = #conv.warpgroup_gemm<workgroup = [128, 64], subgroup = [64, 64], gemm_k = 64,
                  stages = 4, atom = <wgmma 64 x 64 x 16>, raster = columns, producer = cp_async>>
      : tensor<4x16x16x5xf16>, tensor<64x1x1x5xf16> -> tensor<4x16x16x64xf16>
  return %y : tensor<4x16x16x64xf16>
}
}

// -----

// With 4 bytes at a time, a lane copies to 32 rows of 128, each with a position in two dimensions.
module attributes {conv.target = #conv.target<"sm_90a">} {
func.func @s24_positions(%x: tensor<4x16x16x18xf16>, %w: tensor<64x3x3x18xf16>) -> tensor<4x16x16x64xf16> {
  // expected-error @below {{unsupported (schedule): expects a tile whose positions fit 32 registers of lanes for the producer cp_async, but got 128 x 64}}
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      schedule = <kernel = #conv.warpgroup_gemm<workgroup = [128, 64], subgroup = [64, 64], gemm_k = 64,
                  stages = 4, atom = <wgmma 64 x 64 x 16>, raster = columns, producer = cp_async>>
      : tensor<4x16x16x18xf16>, tensor<64x3x3x18xf16> -> tensor<4x16x16x64xf16>
  return %y : tensor<4x16x16x64xf16>
}
}

// -----

// Boxes have strides of whole granules; the producer that schedules have by default is not replaced.
module attributes {conv.target = #conv.target<"sm_90a">} {
func.func @s24_default(%x: tensor<4x16x16x20xf16>, %w: tensor<64x3x3x20xf16>) -> tensor<4x16x16x64xf16> {
  // expected-error @below {{unsupported (schedule): expects}}
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      schedule = <kernel = #conv.warpgroup_gemm<workgroup = [64, 64], subgroup = [64, 64], gemm_k = 64,
                  stages = 4, atom = <wgmma 64 x 64 x 16>, raster = columns>>
      : tensor<4x16x16x20xf16>, tensor<64x3x3x20xf16> -> tensor<4x16x16x64xf16>
  return %y : tensor<4x16x16x64xf16>
}
}

// -----

// Five columns are too few for tiles.
module attributes {conv.target = #conv.target<"sm_90a">} {
func.func @s27_columns(%x: tensor<4x16x16x45xf16>, %w: tensor<5x1x1x45xf16>) -> tensor<4x16x16x5xf16> {
  // expected-error @below {{unsupported (schedule): expects products of 8 columns or more, but got 5}}
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
      layouts = <"NHWC", "KRSC", "NPQK">
      schedule = <kernel = #conv.warpgroup_gemm<workgroup = [64, 8], subgroup = [64, 8], gemm_k = 64,
                  stages = 4, atom = <wgmma 64 x 8 x 16>, raster = columns, producer = registers>>
      : tensor<4x16x16x45xf16>, tensor<5x1x1x45xf16> -> tensor<4x16x16x5xf16>
  return %y : tensor<4x16x16x5xf16>
}
}

// -----

// Of i8, a vector has 16 elements, each with a position in two dimensions.
module attributes {conv.target = #conv.target<"sm_90a">} {
func.func @s27_positions(%x: tensor<4x16x16x45xi8>, %w: tensor<77x3x3x45xi8>) -> tensor<4x16x16x77xi32> {
  // expected-error @below {{unsupported (schedule): expects a tile whose positions fit 56 registers of lanes for the producer registers, but got 128 x 64}}
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      schedule = <kernel = #conv.warpgroup_gemm<workgroup = [128, 64], subgroup = [64, 64], gemm_k = 128,
                  stages = 4, atom = <wgmma 64 x 64 x 32>, raster = columns, producer = registers>>
      : tensor<4x16x16x45xi8>, tensor<77x3x3x45xi8> -> tensor<4x16x16x77xi32>
  return %y : tensor<4x16x16x77xi32>
}
}
