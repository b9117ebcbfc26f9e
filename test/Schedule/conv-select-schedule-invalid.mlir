// RUN: conv-opt %s --conv-select-schedule --split-input-file --verify-diagnostics
// RUN: not conv-opt %s --conv-select-schedule=algorithm=fft 2>&1 | FileCheck %s --check-prefix=ALGORITHM
// RUN: not conv-opt %s '--conv-select-schedule=schedule=#conv.target<"gfx942">' 2>&1 | FileCheck %s --check-prefix=SCHEDULE

// ALGORITHM: error: expects algorithm to be implicit_gemm, direct or winograd, but got "fft"
// SCHEDULE: error: expects schedule to be a #conv.schedule<...>, but got #conv.target<"gfx942">

// Which chip?
module {
func.func @no_target(%x: tensor<4x8x8x16xf16>, %w: tensor<32x3x3x16xf16>) -> tensor<4x8x8x32xf16> {
  // expected-error @below {{expects a module with conv.target around it, but there is none}}
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<4x8x8x16xf16>, tensor<32x3x3x16xf16> -> tensor<4x8x8x32xf16>
  return %y : tensor<4x8x8x32xf16>
}
}

// -----

// gfx942 has the other family of 8-bit floats.
module attributes {conv.target = #conv.target<"gfx942">} {
func.func @element_type(%x: tensor<4x8x8x16xf8E4M3FN>, %w: tensor<32x3x3x16xf8E5M2>) -> tensor<4x8x8x32xf32> {
  // expected-error @below {{unsupported (element-type): expects operands of one of the types f16, bf16, f32, tf32, f8FNUZ, i8 for gfx942, but got 'f8E4M3FN' and 'f8E5M2'}}
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<4x8x8x16xf8E4M3FN>, tensor<32x3x3x16xf8E5M2> -> tensor<4x8x8x32xf32>
  return %y : tensor<4x8x8x32xf32>
}
}

// -----

// S5.
module attributes {conv.target = #conv.target<"gfx942">} {
func.func @schedule_s5_no_such_atom(%x: tensor<4x8x8x16xf16>, %w: tensor<32x3x3x16xf16>) -> tensor<4x8x8x32xf16> {
  // expected-error @below {{unsupported (schedule): expects an atom that gfx942 has}}
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      schedule = <kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 32,
                  stages = 2, atom = <wmma 16 x 16 x 16>, main_loop = register_staged, raster = columns>>
      : tensor<4x8x8x16xf16>, tensor<32x3x3x16xf16> -> tensor<4x8x8x32xf16>
  return %y : tensor<4x8x8x32xf16>
}
}

// -----

// S6.
module attributes {conv.target = #conv.target<"gfx942">} {
func.func @schedule_s6_too_large(%x: tensor<4x8x8x16xf16>, %w: tensor<32x3x3x16xf16>) -> tensor<4x8x8x32xf16> {
  // expected-error @below {{unsupported (schedule): expects 2 stages of}}
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      schedule = <kernel = #conv.staged_gemm<workgroup = [256, 256], subgroup = [128, 128], gemm_k = 64,
                  stages = 2, atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = columns>>
      : tensor<4x8x8x16xf16>, tensor<32x3x3x16xf16> -> tensor<4x8x8x32xf16>
  return %y : tensor<4x8x8x32xf16>
}
}

// -----

// S7.
module attributes {conv.target = #conv.target<"gfx942">} {
func.func @schedule_s7_too_many_work_items(%x: tensor<4x8x8x16xf16>, %w: tensor<32x3x3x16xf16>) -> tensor<4x8x8x32xf16> {
  // expected-error @below {{unsupported (schedule): expects at most 1024 work-items}}
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      schedule = <kernel = #conv.staged_gemm<workgroup = [640, 32], subgroup = [32, 32], gemm_k = 16,
                  stages = 2, atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = columns>>
      : tensor<4x8x8x16xf16>, tensor<32x3x3x16xf16> -> tensor<4x8x8x32xf16>
  return %y : tensor<4x8x8x32xf16>
}
}

// -----

// S8.
module attributes {conv.target = #conv.target<"gfx942">} {
func.func @schedule_s8_uneven(%x: tensor<4x8x8x16xf16>, %w: tensor<32x3x3x16xf16>) -> tensor<4x8x8x32xf16> {
  // expected-error @below {{unsupported (schedule): expects a tile of 32 x 16 elements}}
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      schedule = <kernel = #conv.staged_gemm<workgroup = [256, 32], subgroup = [64, 32], gemm_k = 16,
                  stages = 2, atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = columns>>
      : tensor<4x8x8x16xf16>, tensor<32x3x3x16xf16> -> tensor<4x8x8x32xf16>
  return %y : tensor<4x8x8x32xf16>
}
}

// -----

// The host has a main loop of its own.
module attributes {conv.target = #conv.target<"host">} {
func.func @schedule_s9_main_loop(%x: tensor<4x8x8x16xf16>, %w: tensor<32x3x3x16xf16>) -> tensor<4x8x8x32xf16> {
  // expected-error @below {{unsupported (schedule): expects a main loop for host}}
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      schedule = <kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [64, 64], gemm_k = 64,
                  stages = 2, atom = <fma 16 x 4 x 1>, main_loop = register_staged, raster = columns>>
      : tensor<4x8x8x16xf16>, tensor<32x3x3x16xf16> -> tensor<4x8x8x32xf16>
  return %y : tensor<4x8x8x32xf16>
}
}

// -----

// Rows of 48 elements cannot be swizzled.
module attributes {conv.target = #conv.target<"gfx942">} {
func.func @schedule_gemm_k(%x: tensor<4x8x8x16xf16>, %w: tensor<32x3x3x16xf16>) -> tensor<4x8x8x32xf16> {
  // expected-error @below {{unsupported (schedule): expects gemm_k to be 16 times a power of two}}
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      schedule = <kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [64, 64], gemm_k = 48,
                  stages = 2, atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = columns>>
      : tensor<4x8x8x16xf16>, tensor<32x3x3x16xf16> -> tensor<4x8x8x32xf16>
  return %y : tensor<4x8x8x32xf16>
}
}

// -----

// A step that is shorter than what a lane reads at a time.
module attributes {conv.target = #conv.target<"gfx942">} {
func.func @schedule_gemm_k_short(%x: tensor<4x8x8x16xf16>, %w: tensor<32x3x3x16xf16>) -> tensor<4x8x8x32xf16> {
  // expected-error @below {{unsupported (schedule): expects gemm_k to be 16 times a power of two}}
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      schedule = <kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [64, 64], gemm_k = 8,
                  stages = 2, atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = columns>>
      : tensor<4x8x8x16xf16>, tensor<32x3x3x16xf16> -> tensor<4x8x8x32xf16>
  return %y : tensor<4x8x8x32xf16>
}
}

// -----

// Nothing comes at least 4 bytes at a time along the reduction.
module attributes {conv.target = #conv.target<"sm_80">} {
func.func @schedule_s16_runs(%x: tensor<4x8x8x9xf16>, %w: tensor<32x3x3x9xf16>) -> tensor<4x3x3x32xf16> {
  // expected-error @below {{unsupported (schedule): expects an operand with 4 bytes or more next to each other along the reduction for async_staged}}
  %y = conv.forward %x, %w
      window = <strides = [3, 3], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      schedule = <kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 32,
                  stages = 3, atom = <mma_sync 16 x 8 x 16>, main_loop = async_staged, raster = columns>>
      : tensor<4x8x8x9xf16>, tensor<32x3x3x9xf16> -> tensor<4x3x3x32xf16>
  return %y : tensor<4x3x3x32xf16>
}
}

// -----

// gfx942 copies only 4 bytes a lane to shared memory without registers.
module attributes {conv.target = #conv.target<"gfx942">} {
func.func @schedule_s16_chip(%x: tensor<4x8x8x16xf16>, %w: tensor<32x3x3x16xf16>) -> tensor<4x8x8x32xf16> {
  // expected-error @below {{unsupported (schedule): expects a main loop for gfx942, but got async_staged}}
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      schedule = <kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 32,
                  stages = 3, atom = <mfma 32 x 32 x 8>, main_loop = async_staged, raster = columns>>
      : tensor<4x8x8x16xf16>, tensor<32x3x3x16xf16> -> tensor<4x8x8x32xf16>
  return %y : tensor<4x8x8x32xf16>
}
}

// -----

// gfx950 copies 16 bytes: 12 channels end in the middle of some.
module attributes {conv.target = #conv.target<"gfx950">} {
func.func @schedule_s16_short_rows(%x: tensor<4x8x8x12xf16>, %w: tensor<32x3x3x12xf16>) -> tensor<4x8x8x32xf16> {
  // expected-error @below {{unsupported (schedule): expects operands of less than 2 GiB with 16 bytes next to each other along the reduction or, of 16-bit elements, along the rows for async_staged}}
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      schedule = <kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 32,
                  stages = 3, atom = <mfma 32 x 32 x 16>, main_loop = async_staged, raster = columns>>
      : tensor<4x8x8x12xf16>, tensor<32x3x3x12xf16> -> tensor<4x8x8x32xf16>
  return %y : tensor<4x8x8x32xf16>
}
}

// -----

// Bytes have no transposing reads here: the filter of a gradient is along its rows.
module attributes {conv.target = #conv.target<"gfx950">} {
func.func @schedule_s16_transposed_bytes(%y: tensor<4x8x8x64xi8>, %w: tensor<64x3x3x64xi8>) -> tensor<4x8x8x64xi32> {
  // expected-error @below {{unsupported (schedule): expects operands of less than 2 GiB with 16 bytes next to each other along the reduction or, of 16-bit elements, along the rows for async_staged}}
  %x = conv.backward_data %y, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      schedule = <kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 64,
                  stages = 3, atom = <mfma 32 x 32 x 32>, main_loop = async_staged, raster = columns>>
      : tensor<4x8x8x64xi8>, tensor<64x3x3x64xi8> -> tensor<4x8x8x64xi32>
  return %x : tensor<4x8x8x64xi32>
}
}

// -----

// Offsets of copies have 32 bits.
module attributes {conv.target = #conv.target<"gfx950">} {
func.func @schedule_s16_far(%x: tensor<65536x16x16x64xf16>, %w: tensor<32x1x1x64xf16>) -> tensor<65536x8x8x32xf16> {
  // expected-error @below {{unsupported (schedule): expects operands of less than 2 GiB with 16 bytes}}
  %y = conv.forward %x, %w
      window = <strides = [2, 2], dilations = [1, 1], low = [0, 0], high = [0, 0]>
      layouts = <"NHWC", "KRSC", "NPQK">
      schedule = <kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 32,
                  stages = 3, atom = <mfma 32 x 32 x 16>, main_loop = async_staged, raster = columns>>
      : tensor<65536x16x16x64xf16>, tensor<32x1x1x64xf16> -> tensor<65536x8x8x32xf16>
  return %y : tensor<65536x8x8x32xf16>
}
}

// -----

// More workgroups than a launch can have: its work-items are counted in 32 bits.
module attributes {conv.target = #conv.target<"gfx942">} {
func.func @problem_size(%x: tensor<536870912x16x16x1xf16>, %w: tensor<1x3x3x1xf16>) -> tensor<536870912x16x16x1xf16> {
  // expected-error @below {{unsupported (problem-size): expects at most 67108863 workgroups of 64 work-items, but got}}
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      schedule = <kernel = #conv.staged_gemm<workgroup = [32, 32], subgroup = [32, 32], gemm_k = 16,
                  stages = 2, atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = columns>>
      : tensor<536870912x16x16x1xf16>, tensor<1x3x3x1xf16> -> tensor<536870912x16x16x1xf16>
  return %y : tensor<536870912x16x16x1xf16>
}
}

// -----

// No chip of the family but gfx942 has it.
module attributes {conv.target = #conv.target<"gfx950">} {
func.func @tf32(%x: tensor<1x8x8x16xf32>, %w: tensor<32x1x1x16xf32>) -> tensor<1x8x8x32xf32> {
  // expected-error @below {{unsupported (element-type): expects operands of one of the types f16, bf16, f32, f8, i8 for gfx950, but got 'f32' and 'f32' in tf32 arithmetic}}
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
      layouts = <"NHWC", "KRSC", "NPQK"> arithmetic = tf32
      : tensor<1x8x8x16xf32>, tensor<32x1x1x16xf32> -> tensor<1x8x8x32xf32>
  return %y : tensor<1x8x8x32xf32>
}
}

// -----

// Nobody asked for fewer bits.
module attributes {conv.target = #conv.target<"gfx942">} {
func.func @exact(%x: tensor<1x8x8x16xf32>, %w: tensor<32x1x1x16xf32>) -> tensor<1x8x8x32xf32> {
  // expected-error @below {{unsupported (schedule): expects an atom that multiplies f32, but got #conv.atom<mfma 32 x 32 x 4>}}
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
      layouts = <"NHWC", "KRSC", "NPQK">
      schedule = <kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 16, stages = 2,
                  atom = <mfma 32 x 32 x 4>, main_loop = register_staged, raster = columns>>
      : tensor<1x8x8x16xf32>, tensor<32x1x1x16xf32> -> tensor<1x8x8x32xf32>
  return %y : tensor<1x8x8x32xf32>
}
}

// -----

// The copy engine moves pieces of 16 bytes.
module attributes {conv.target = #conv.target<"sm_90a">} {
func.func @tma_channels(%x: tensor<4x8x8x12xf16>, %w: tensor<64x3x3x12xf16>) -> tensor<4x8x8x64xf16> {
  // expected-error @below {{unsupported (schedule): expects channels that are multiples of 8, but got 12 and 12}}
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      schedule = <kernel = #conv.warpgroup_gemm<workgroup = [128, 64], subgroup = [64, 64], gemm_k = 64,
                  stages = 4, atom = <wgmma 64 x 64 x 16>, raster = columns>>
      : tensor<4x8x8x12xf16>, tensor<64x3x3x12xf16> -> tensor<4x8x8x64xf16>
  return %y : tensor<4x8x8x64xf16>
}
}

// -----

// Parts cost more than the bound of so short a sum has room for.
module attributes {conv.target = #conv.target<"sm_90a">} {
func.func @short_sum_of_parts(%x: tensor<4x8x8x32xf32>, %w: tensor<64x1x1x32xf32>) -> tensor<4x8x8x64xf32> {
  // expected-error @below {{unsupported (schedule): expects f32 arithmetic and a reduction long enough for the bound of an f32 sum for #conv.atom<wgmma_3xtf32 64 x 64 x 8>, but got f32 and 32}}
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
      layouts = <"NHWC", "KRSC", "NPQK">
      schedule = <kernel = #conv.warpgroup_gemm<workgroup = [128, 64], subgroup = [64, 64], gemm_k = 32,
                  stages = 4, atom = <wgmma_3xtf32 64 x 64 x 8>, raster = columns>>
      : tensor<4x8x8x32xf32>, tensor<64x1x1x32xf32> -> tensor<4x8x8x64xf32>
  return %y : tensor<4x8x8x64xf32>
}
}

// -----

module attributes {conv.target = #conv.target<"sm_90a">} {
func.func @parts_of_exact_products(%x: tensor<4x8x8x96xf32>, %w: tensor<64x1x1x96xf32>) -> tensor<4x8x8x64xf32> {
  // expected-error @below {{unsupported (schedule): expects f32 arithmetic and a reduction long enough for the bound of an f32 sum for #conv.atom<wgmma_3xtf32 64 x 64 x 8>, but got exact and 96}}
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
      layouts = <"NHWC", "KRSC", "NPQK"> arithmetic = exact
      schedule = <kernel = #conv.warpgroup_gemm<workgroup = [128, 64], subgroup = [64, 64], gemm_k = 32,
                  stages = 4, atom = <wgmma_3xtf32 64 x 64 x 8>, raster = columns>>
      : tensor<4x8x8x96xf32>, tensor<64x1x1x96xf32> -> tensor<4x8x8x64xf32>
  return %y : tensor<4x8x8x64xf32>
}
}

// -----

// Sums of 8-bit floats have less than the bits of f32, which has to be asked for.
module attributes {conv.target = #conv.target<"sm_90a">} {
func.func @narrow_sums_in_f32(%x: tensor<4x8x8x96xf8E4M3FN>, %w: tensor<64x1x1x96xf8E4M3FN>) -> tensor<4x8x8x64xf32> {
  // expected-error @below {{unsupported (schedule): expects promoted arithmetic, since wgmma gives sums of 8-bit floats 14 bits, but got f32}}
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
      layouts = <"NHWC", "KRSC", "NPQK">
      schedule = <kernel = #conv.warpgroup_gemm<workgroup = [128, 64], subgroup = [64, 64], gemm_k = 128,
                  stages = 4, atom = <wgmma 64 x 64 x 32>, raster = columns, promotion = 32>>
      : tensor<4x8x8x96xf8E4M3FN>, tensor<64x1x1x96xf8E4M3FN> -> tensor<4x8x8x64xf32>
  return %y : tensor<4x8x8x64xf32>
}
}

// -----

module attributes {conv.target = #conv.target<"sm_90a">} {
func.func @sums_that_are_not_promoted(%x: tensor<4x8x8x96xf8E4M3FN>, %w: tensor<64x1x1x96xf8E4M3FN>) -> tensor<4x8x8x64xf32> {
  // expected-error @below {{unsupported (schedule): expects promotion for 8-bit floats and for no other operands, but got 0 for f8E4M3FN}}
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
      layouts = <"NHWC", "KRSC", "NPQK"> arithmetic = promoted
      schedule = <kernel = #conv.warpgroup_gemm<workgroup = [128, 64], subgroup = [64, 64], gemm_k = 128,
                  stages = 4, atom = <wgmma 64 x 64 x 32>, raster = columns>>
      : tensor<4x8x8x96xf8E4M3FN>, tensor<64x1x1x96xf8E4M3FN> -> tensor<4x8x8x64xf32>
  return %y : tensor<4x8x8x64xf32>
}
}

// -----

// A warp converts 32 columns.
module attributes {conv.target = #conv.target<"sm_90a">} {
func.func @narrow_tile_in_tf32(%dy: tensor<4x8x8x96xf32>, %w: tensor<96x1x1x16xf32>) -> tensor<4x8x8x16xf32> {
  // expected-error @below {{unsupported (schedule): expects a multiple of 32 columns for operands that are converted, but got 16}}
  %dx = conv.backward_data %dy, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
      layouts = <"NHWC", "KRSC", "NPQK"> arithmetic = tf32
      schedule = <kernel = #conv.warpgroup_gemm<workgroup = [128, 16], subgroup = [64, 16], gemm_k = 32,
                  stages = 4, atom = <wgmma 64 x 16 x 8>, raster = columns>>
      : tensor<4x8x8x96xf32>, tensor<96x1x1x16xf32> -> tensor<4x8x8x16xf32>
  return %dx : tensor<4x8x8x16xf32>
}
}

// -----

// Columns that are taps and channels come in boxes of 64.
module attributes {conv.target = #conv.target<"sm_90a">} {
func.func @tma_gradient(%x: tensor<4x8x8x64xf16>, %dy: tensor<4x8x8x64xf16>) -> tensor<64x3x3x64xf16> {
  // expected-error @below {{unsupported (schedule): expects a multiple of 64 columns of taps and channels, but got 96}}
  %dw = conv.backward_weight %x, %dy
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      schedule = <kernel = #conv.warpgroup_gemm<workgroup = [128, 96], subgroup = [64, 96], gemm_k = 64,
                  stages = 4, atom = <wgmma 64 x 96 x 16>, raster = columns>>
      : tensor<4x8x8x64xf16>, tensor<4x8x8x64xf16> -> tensor<64x3x3x64xf16>
  return %dw : tensor<64x3x3x64xf16>
}
}

// -----

// (S11) Three groups are not whole pairs.
module attributes {conv.target = #conv.target<"gfx942">} {
func.func @schedule_merged_groups(%x: tensor<4x8x8x48xf16>, %w: tensor<96x3x3x16xf16>) -> tensor<4x8x8x96xf16> {
  // expected-error @below {{unsupported (schedule): expects merged_groups to divide the 3 groups, but got 2}}
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK"> groups = 3
      schedule = <kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 32, stages = 2,
                  atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = columns>, merged_groups = 2>
      : tensor<4x8x8x48xf16>, tensor<96x3x3x16xf16> -> tensor<4x8x8x96xf16>
  return %y : tensor<4x8x8x96xf16>
}
}

// -----

// (S12) The reduction is over 3 x 3 taps and 16 channels; only channels are split.
module attributes {conv.target = #conv.target<"gfx942">} {
func.func @schedule_splits(%x: tensor<4x8x8x16xf16>, %w: tensor<32x3x3x16xf16>) -> tensor<4x8x8x32xf16> {
  // expected-error @below {{unsupported (schedule): expects splits to be at most 16, but got 17}}
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      schedule = <kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 32, stages = 2,
                  atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = columns>, splits = 17>
      : tensor<4x8x8x16xf16>, tensor<32x3x3x16xf16> -> tensor<4x8x8x32xf16>
  return %y : tensor<4x8x8x32xf16>
}
}

// -----

// (S12) Each dgrad phase has a reduction of its own: the shortest one of those
// along 3 taps has 1 tap and 8 channels.
module attributes {conv.target = #conv.target<"gfx942">} {
func.func @schedule_splits_of_phases(%dy: tensor<4x8x8x8xf16>, %w: tensor<8x3x3x16xf16>) -> tensor<4x16x16x16xf16> {
  // expected-error @below {{unsupported (schedule): expects splits to be at most 8, but got 9}}
  %dx = conv.backward_data %dy, %w
      window = <strides = [2, 2], dilations = [1, 1], low = [1, 1], high = [0, 0]>
      layouts = <"NHWC", "KRSC", "NPQK">
      schedule = <kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 32, stages = 2,
                  atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = columns>, splits = 9>
      : tensor<4x8x8x8xf16>, tensor<8x3x3x16xf16> -> tensor<4x16x16x16xf16>
  return %dx : tensor<4x16x16x16xf16>
}
}

// -----

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

// Lines are copied in pieces of 16 bytes.
module attributes {conv.target = #conv.target<"sm_90a">} {
func.func @line_s13_bytes(%x: tensor<4x8x7x3xf16>, %w: tensor<64x3x3x3xf16>) -> tensor<4x8x7x64xf16> {
  // expected-error @below {{unsupported (schedule): expects lines of a multiple of 16 bytes, but got 42}}
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      schedule = <kernel = #conv.line_buffer<workgroup = [128, 64], subgroup = [64, 64], gemm_k = 64,
                  stages = 4, atom = <wgmma 64 x 64 x 16>, raster = columns>>
      : tensor<4x8x7x3xf16>, tensor<64x3x3x3xf16> -> tensor<4x8x7x64xf16>
  return %y : tensor<4x8x7x64xf16>
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
  // expected-error @below {{unsupported (schedule): expects 1 warpgroup and at most 128 accumulators of a lane for positions that are reduced, but got 2 and 32}}
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
  // expected-error @below {{unsupported (schedule): expects one part in each kernel, but got 4}}
  %dx = conv.backward_data %dy, %w
      window = <strides = [2, 2], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      schedule = <kernel = #conv.line_buffer<workgroup = [128, 64], subgroup = [64, 64], gemm_k = 64,
                  stages = 4, atom = <wgmma 64 x 64 x 16>, raster = columns>>
      : tensor<4x8x8x8xf16>, tensor<8x3x3x64xf16> -> tensor<4x16x16x64xf16>
  return %dx : tensor<4x16x16x64xf16>
}
}

// -----

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
  // expected-error @below {{unsupported (schedule): expects splits to be at most 16, but got 17}}
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
func.func @patch_channels(%x: tensor<4x16x16x12xf16>, %w: tensor<8x3x3x12xf16>) -> tensor<4x16x16x8xf16> {
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
func.func @patch_rows(%x: tensor<4x16x16x64xf16>, %dy: tensor<4x16x16x8xf16>) -> tensor<8x3x3x64xf16> {
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
