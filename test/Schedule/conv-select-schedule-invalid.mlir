// RUN: conv-opt %s --conv-select-schedule --split-input-file --verify-diagnostics
// RUN: not conv-opt %s --conv-select-schedule=algorithm=fft 2>&1 | FileCheck %s --check-prefix=ALGORITHM
// RUN: not conv-opt %s '--conv-select-schedule=schedule=#conv.target<"gfx942">' 2>&1 | FileCheck %s --check-prefix=SCHEDULE

// ALGORITHM: error: expects algorithm to be implicit_gemm, direct or winograd, but got "fft"
// SCHEDULE: error: expects schedule to be a #conv.schedule<...>, but got #conv.target<"gfx942">

// Which chip?
module {
func.func @no_target(%x: tensor<4x8x8x16xf16>, %w: tensor<32x3x3x16xf16>) -> tensor<4x8x8x32xf16> {
  // expected-error @below {{expects a module with conv.target around it, but got none}}
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
  // expected-error @below {{unsupported (schedule): expects an atom that gfx942 has for 'f16', but got #conv.atom<wmma 16 x 16 x 16>}}
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
  // expected-error @below {{unsupported (schedule): expects 2 stages of (256 + 256) x 64 elements to fit 65536 bytes of shared memory, but got elements of 2 bytes}}
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
  // expected-error @below {{unsupported (schedule): expects at most 1024 work-items, but got 20 subgroups of 64}}
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
  // expected-error @below {{unsupported (schedule): expects a tile of 32 x 16 elements of 2 bytes to be whole copies of 16 bytes by 256 work-items, but got 1024 bytes}}
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
  // expected-error @below {{unsupported (schedule): expects a main loop for host, but got register_staged}}
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
  // expected-error @below {{unsupported (schedule): expects gemm_k to be 16 times a power of two for #conv.atom<mfma 32 x 32 x 8>, but got 48}}
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
  // expected-error @below {{unsupported (schedule): expects gemm_k to be 16 times a power of two for #conv.atom<mfma 32 x 32 x 8>, but got 8}}
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
  // expected-error @below {{unsupported (schedule): expects an operand with 4 bytes or more next to each other along the reduction for async_staged, but got 18 along the reduction and 162 along the reduction}}
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
  // expected-error @below {{unsupported (schedule): expects operands of less than 2 GiB with 16 bytes next to each other along the reduction or, of 16-bit elements, along the rows for async_staged, but got 24 along the reduction and 216 along the reduction of tensors of 6144 and 6912 bytes}}
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
  // expected-error @below {{unsupported (schedule): expects operands of less than 2 GiB with 16 bytes next to each other along the reduction or, of 16-bit elements, along the rows for async_staged, but got 64 along the reduction and 64 along the rows of tensors of 16384 and 36864 bytes}}
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
  // expected-error @below {{unsupported (schedule): expects operands of less than 2 GiB with 16 bytes next to each other along the reduction or, of 16-bit elements, along the rows for async_staged, but got 128 along the reduction and 128 along the reduction of tensors of 2147483648 and 4096 bytes}}
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

module attributes {conv.target = #conv.target<"sm_80">} {
func.func @schedule_s26_chip(%x: tensor<4x8x8x16xf16>, %w: tensor<32x3x3x16xf16>) -> tensor<4x8x8x32xf16> {
  // expected-error @below {{unsupported (schedule): expects no last_round for sm_80, whose subgroups have no priorities, but got 64}}
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      schedule = <kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 32, stages = 2,
                  atom = <mma_sync 16 x 8 x 16>, main_loop = register_staged, raster = columns, last_round = 64>>
      : tensor<4x8x8x16xf16>, tensor<32x3x3x16xf16> -> tensor<4x8x8x32xf16>
  return %y : tensor<4x8x8x32xf16>
}
}

// -----

// The four dgrad phases of one launch have reductions of different lengths.
module attributes {conv.target = #conv.target<"gfx942">} {
func.func @schedule_s26_phases(%dy: tensor<4x8x8x32xf16>, %w: tensor<32x3x3x16xf16>) -> tensor<4x16x16x16xf16> {
  // expected-error @below {{unsupported (schedule): expects no last_round for a launch of several products, but got 64}}
  %dx = conv.backward_data %dy, %w
      window = <strides = [2, 2], dilations = [1, 1], low = [1, 1], high = [0, 0]>
      layouts = <"NHWC", "KRSC", "NPQK">
      schedule = <kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 32, stages = 1,
                  atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = columns, last_round = 64>>
      : tensor<4x8x8x32xf16>, tensor<32x3x3x16xf16> -> tensor<4x16x16x16xf16>
  return %dx : tensor<4x16x16x16xf16>
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

// The copy engine moves vectors of 16 bytes.
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

// (S12) The reduction is over 3 x 3 taps and 16 channels: 18 slices could be equal, 3 x 3 of taps times 2 of channels.
module attributes {conv.target = #conv.target<"gfx942">} {
func.func @schedule_splits(%x: tensor<4x8x8x16xf16>, %w: tensor<32x3x3x16xf16>) -> tensor<4x8x8x32xf16> {
  // expected-error @below {{unsupported (schedule): expects splits to be at most 16, or the number of equal slices of several digits, but got 17}}
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
  // expected-error @below {{unsupported (schedule): expects splits to be at most 8, or the number of equal slices of several digits, but got 9}}
  %dx = conv.backward_data %dy, %w
      window = <strides = [2, 2], dilations = [1, 1], low = [1, 1], high = [0, 0]>
      layouts = <"NHWC", "KRSC", "NPQK">
      schedule = <kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 32, stages = 2,
                  atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = columns>, splits = 9>
      : tensor<4x8x8x8xf16>, tensor<8x3x3x16xf16> -> tensor<4x16x16x16xf16>
  return %dx : tensor<4x16x16x16xf16>
}
}
