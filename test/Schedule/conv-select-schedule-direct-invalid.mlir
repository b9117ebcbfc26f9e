// RUN: conv-opt %s --conv-select-schedule --split-input-file --verify-diagnostics

#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
#d1 = #conv.schedule<kernel = #conv.direct<workgroup = [12, 16], subgroup = [12, 16], gemm_k = 9, stages = 1, atom = <fma 8 x 1 x 1>, main_loop = direct, raster = columns>>
module attributes {conv.target = #conv.target<"gfx942">} {
func.func @direct_d1_not_a_box(%x: tensor<2x8x8x16xf16>, %w: tensor<16x3x3x1xf16>) -> tensor<2x8x8x16xf16> {
  // expected-error @below {{unsupported (schedule): expects the rows of a tile to be a box of the digits [2, 8, 8] with runs of 1, but got 12}}
  %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> groups = 16 schedule = #d1
      : tensor<2x8x8x16xf16>, tensor<16x3x3x1xf16> -> tensor<2x8x8x16xf16>
  return %y : tensor<2x8x8x16xf16>
}
}

// -----

#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
#d2 = #conv.schedule<kernel = #conv.direct<workgroup = [32, 16], subgroup = [32, 16], gemm_k = 3, stages = 1, atom = <fma 8 x 1 x 1>, main_loop = direct, raster = columns>>
module attributes {conv.target = #conv.target<"gfx942">} {
func.func @direct_d2_part_of_reduction(%x: tensor<2x8x8x16xf16>, %w: tensor<16x3x3x1xf16>) -> tensor<2x8x8x16xf16> {
  // expected-error @below {{unsupported (schedule): expects gemm_k to be at least the reduction of 9 for a direct main loop, but got 3}}
  %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> groups = 16 schedule = #d2
      : tensor<2x8x8x16xf16>, tensor<16x3x3x1xf16> -> tensor<2x8x8x16xf16>
  return %y : tensor<2x8x8x16xf16>
}
}

// -----

#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
#d3 = #conv.schedule<kernel = #conv.direct<workgroup = [3136, 64], subgroup = [784, 64], gemm_k = 9, stages = 1, atom = <fma 8 x 1 x 1>, main_loop = direct, raster = columns>>
module attributes {conv.target = #conv.target<"gfx942">} {
func.func @direct_d3_too_large(%x: tensor<1x56x56x64xf16>, %w: tensor<64x3x3x1xf16>) -> tensor<1x56x56x64xf16> {
  // expected-error @below {{unsupported (schedule): expects what a tile reads, exchanges and adds up to fit 65536 bytes of shared memory, but got 431744}}
  %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> groups = 64 schedule = #d3
      : tensor<1x56x56x64xf16>, tensor<64x3x3x1xf16> -> tensor<1x56x56x64xf16>
  return %y : tensor<1x56x56x64xf16>
}
}

// -----

#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
#d3 = #conv.schedule<kernel = #conv.direct<workgroup = [8, 4], subgroup = [28, 4], gemm_k = 224, stages = 1152921504606846976, atom = <mma_sync 16 x 8 x 16>, main_loop = direct_reduction, raster = columns>>
module attributes {conv.target = #conv.target<"sm_90a">} {
func.func @direct_d3_stages(%x: tensor<4x56x56x64xf16>, %dy: tensor<4x56x56x64xf16>) -> tensor<64x3x3x8xf16> {
  // expected-error @below {{unsupported (schedule): expects the parts of both operands that a tile reads to fit 232448 bytes of shared memory, but got 1152921504606846976 stages of}}
  %dw = conv.backward_weight %x, %dy window = #window layouts = <"NHWC", "KRSC", "NPQK"> groups = 8 schedule = #d3
      : tensor<4x56x56x64xf16>, tensor<4x56x56x64xf16> -> tensor<64x3x3x8xf16>
  return %dw : tensor<64x3x3x8xf16>
}
}

// -----

#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
#d3 = #conv.schedule<kernel = #conv.direct<workgroup = [1, 768], subgroup = [16, 768], gemm_k = 16, stages = 1, atom = <fma 1 x 1 x 1>, main_loop = direct_reduction, raster = columns>>
module attributes {conv.target = #conv.target<"host">} {
// For each channel 88 elements of both boxes and, since a line has 4 positions, 9 sums of 4 lanes.
func.func @direct_d3_short_lines_of_the_host(%x: tensor<1x768x4x4xf32>, %dy: tensor<1x768x4x4xf32>) -> tensor<768x1x3x3xf32> {
  // expected-error @below {{unsupported (schedule): expects what a tile reads, exchanges and adds up to fit 262144 bytes of shared memory, but got 380928}}
  %dw = conv.backward_weight %x, %dy window = #window layouts = <"NCHW", "KCRS", "NKPQ"> groups = 768 schedule = #d3
      : tensor<1x768x4x4xf32>, tensor<1x768x4x4xf32> -> tensor<768x1x3x3xf32>
  return %dw : tensor<768x1x3x3xf32>
}
}

// -----

#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
#d4 = #conv.schedule<kernel = #conv.direct<workgroup = [64, 16], subgroup = [64, 16], gemm_k = 6, stages = 1, atom = <fma 8 x 1 x 1>, main_loop = direct, raster = columns>, splits = 2>
module attributes {conv.target = #conv.target<"gfx942">} {
func.func @direct_d4_conditions(%x: tensor<1x8x8x16xf16>, %w: tensor<16x3x3x1xf16>) -> tensor<1x8x8x16xf16> {
  // expected-error @below {{unsupported (schedule): expects conditions that are bounds of the left operand for the algorithm direct, but got 1 on the left and 1 on the right operand}}
  %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> groups = 16 schedule = #d4
      : tensor<1x8x8x16xf16>, tensor<16x3x3x1xf16> -> tensor<1x8x8x16xf16>
  return %y : tensor<1x8x8x16xf16>
}
}

// -----

#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
#d4 = #conv.schedule<kernel = #conv.direct<workgroup = [64, 16], subgroup = [64, 16], gemm_k = 9, stages = 1, atom = <fma 8 x 1 x 1>, main_loop = direct, raster = columns>>
module attributes {conv.target = #conv.target<"gfx942">} {
func.func @direct_d4_element_type(%x: tensor<1x8x8x16xf8E4M3FNUZ>, %w: tensor<16x3x3x1xf8E4M3FNUZ>) -> tensor<1x8x8x16xf32> {
  // expected-error @below {{unsupported (schedule): expects operands of f16, bf16, f32 or i8 for the algorithm direct, but got f8E4M3FNUZ}}
  %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> groups = 16 schedule = #d4
      : tensor<1x8x8x16xf8E4M3FNUZ>, tensor<16x3x3x1xf8E4M3FNUZ> -> tensor<1x8x8x16xf32>
  return %y : tensor<1x8x8x16xf32>
}
}

// -----

#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
#d5 = #conv.schedule<kernel = #conv.direct<workgroup = [1, 8], subgroup = [64, 8], gemm_k = 64, stages = 1, atom = <fma 8 x 1 x 4>, main_loop = direct_reduction, raster = columns>>
module attributes {conv.target = #conv.target<"gfx942">} {
func.func @direct_d5_two_rows(%x: tensor<1x8x8x8xf16>, %dy: tensor<1x8x8x16xf16>) -> tensor<16x3x3x1xf32> {
  // expected-error @below {{unsupported (schedule): expects a tile of all 2 rows for a direct_reduction main loop, but got 1}}
  %dw = conv.backward_weight %x, %dy window = #window layouts = <"NHWC", "KRSC", "NPQK"> groups = 8 schedule = #d5
      : tensor<1x8x8x8xf16>, tensor<1x8x8x16xf16> -> tensor<16x3x3x1xf32>
  return %dw : tensor<16x3x3x1xf32>
}
}

// -----

#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
#d5 = #conv.schedule<kernel = #conv.direct<workgroup = [1, 8], subgroup = [24, 8], gemm_k = 24, stages = 1, atom = <fma 8 x 1 x 4>, main_loop = direct_reduction, raster = columns>>
module attributes {conv.target = #conv.target<"gfx942">} {
func.func @direct_d5_remainder(%x: tensor<1x8x8x16xf16>, %dy: tensor<1x8x8x16xf16>) -> tensor<16x3x3x1xf32> {
  // expected-error @below {{unsupported (schedule): expects gemm_k to divide the digits [1, 8, 8], with runs of 4 of the innermost one, for #conv.atom<fma 8 x 1 x 4>, but got 24}}
  %dw = conv.backward_weight %x, %dy window = #window layouts = <"NHWC", "KRSC", "NPQK"> groups = 16 schedule = #d5
      : tensor<1x8x8x16xf16>, tensor<1x8x8x16xf16> -> tensor<16x3x3x1xf32>
  return %dw : tensor<16x3x3x1xf32>
}
}

// -----

// Each step would multiply the positions of the next three steps, too.
#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
#d5 = #conv.schedule<kernel = #conv.direct<workgroup = [1, 8], subgroup = [1, 8], gemm_k = 1, stages = 1, atom = <fma 8 x 1 x 4>, main_loop = direct_reduction, raster = columns>>
module attributes {conv.target = #conv.target<"gfx942">} {
func.func @direct_d5_step_shorter_than_run(%x: tensor<1x8x8x8xf16>, %dy: tensor<1x8x8x8xf16>) -> tensor<8x3x3x1xf32> {
  // expected-error @below {{unsupported (schedule): expects gemm_k to divide the digits [1, 8, 8], with runs of 4 of the innermost one, for #conv.atom<fma 8 x 1 x 4>, but got 1}}
  %dw = conv.backward_weight %x, %dy window = #window layouts = <"NHWC", "KRSC", "NPQK"> groups = 8 schedule = #d5
      : tensor<1x8x8x8xf16>, tensor<1x8x8x8xf16> -> tensor<8x3x3x1xf32>
  return %dw : tensor<8x3x3x1xf32>
}
}

// -----

#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
#d5 = #conv.schedule<kernel = #conv.direct<workgroup = [1, 256], subgroup = [64, 256], gemm_k = 64, stages = 1, atom = <fma 8 x 1 x 4>, main_loop = direct_reduction, raster = columns>>
module attributes {conv.target = #conv.target<"gfx942">} {
func.func @direct_d5_few_work_items(%x: tensor<1x8x8x256xf16>, %dy: tensor<1x8x8x256xf16>) -> tensor<256x3x3x1xf32> {
  // expected-error @below {{unsupported (schedule): expects a work-item for each of 96 boxes of elements, but got 64}}
  %dw = conv.backward_weight %x, %dy window = #window layouts = <"NHWC", "KRSC", "NPQK"> groups = 256 schedule = #d5
      : tensor<1x8x8x256xf16>, tensor<1x8x8x256xf16> -> tensor<256x3x3x1xf32>
  return %dw : tensor<256x3x3x1xf32>
}
}

// -----

#window = #conv.window<strides = [2, 2], dilations = [2, 2], low = [2, 2], high = [2, 2]>
#d6 = #conv.schedule<kernel = #conv.direct<workgroup = [16, 16], subgroup = [16, 16], gemm_k = 9, stages = 1, atom = <fma 8 x 1 x 1>, main_loop = direct, raster = columns>>
module attributes {conv.target = #conv.target<"gfx942">} {
func.func @direct_d6_parts(%dy: tensor<1x4x4x16xf16>, %w: tensor<16x3x3x1xf16>) -> tensor<1x8x8x16xf16> {
  // expected-error @below {{unsupported (schedule): expects one subproblem for a kernel of #conv.direct, but got a gradient whose dgrad phases share a kernel}}
  %dx = conv.backward_data %dy, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> groups = 16 schedule = #d6
      : tensor<1x4x4x16xf16>, tensor<16x3x3x1xf16> -> tensor<1x8x8x16xf16>
  return %dx : tensor<1x8x8x16xf16>
}
}

// -----

#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
#s5 = #conv.schedule<kernel = #conv.direct<workgroup = [64, 16], subgroup = [32, 16], gemm_k = 16, stages = 1, atom = <mma_sync 16 x 8 x 16>, main_loop = direct_matrix, raster = columns>>
module attributes {conv.target = #conv.target<"gfx942">} {
func.func @direct_matrix_s5(%x: tensor<1x8x8x16xf16>, %w: tensor<16x3x3x1xf16>) -> tensor<1x8x8x16xf16> {
  // expected-error @below {{unsupported (schedule): expects an atom that gfx942 has for 'f16', but got #conv.atom<mma_sync 16 x 8 x 16>}}
  %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> groups = 16 schedule = #s5
      : tensor<1x8x8x16xf16>, tensor<16x3x3x1xf16> -> tensor<1x8x8x16xf16>
  return %y : tensor<1x8x8x16xf16>
}
}

// -----

#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
#d7 = #conv.schedule<kernel = #conv.direct<workgroup = [64, 16], subgroup = [32, 16], gemm_k = 16, stages = 1, atom = <mma_sync 16 x 8 x 16>, main_loop = direct_matrix, raster = columns>>
module attributes {conv.target = #conv.target<"sm_90a">} {
func.func @direct_matrix_d7_multiplier(%x: tensor<1x8x8x16xf16>, %w: tensor<32x3x3x1xf16>) -> tensor<1x8x8x32xf16> {
  // expected-error @below {{unsupported (schedule): expects as many input as output channels, a divisor of 8, in a group for a direct_matrix main loop, but got 1 and 2}}
  %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> groups = 16 schedule = #d7
      : tensor<1x8x8x16xf16>, tensor<32x3x3x1xf16> -> tensor<1x8x8x32xf16>
  return %y : tensor<1x8x8x32xf16>
}
}

// -----

#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
#d7 = #conv.schedule<kernel = #conv.direct<workgroup = [64, 16], subgroup = [32, 16], gemm_k = 16, stages = 1, atom = <mma_sync 16 x 8 x 16>, main_loop = direct_matrix, raster = columns>>
module attributes {conv.target = #conv.target<"sm_90a">} {
func.func @direct_matrix_d7_layout(%x: tensor<1x16x8x8xf16>, %w: tensor<16x1x3x3xf16>) -> tensor<1x16x8x8xf16> {
  // expected-error @below {{unsupported (schedule): expects channels that follow each other in memory for a direct_matrix main loop, but got other layouts}}
  %y = conv.forward %x, %w window = #window layouts = <"NCHW", "KCRS", "NKPQ"> groups = 16 schedule = #d7
      : tensor<1x16x8x8xf16>, tensor<16x1x3x3xf16> -> tensor<1x16x8x8xf16>
  return %y : tensor<1x16x8x8xf16>
}
}

// -----

#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
#d7 = #conv.schedule<kernel = #conv.direct<workgroup = [64, 32], subgroup = [32, 32], gemm_k = 16, stages = 1, atom = <mma_sync 16 x 8 x 16>, main_loop = direct_matrix, raster = columns>>
module attributes {conv.target = #conv.target<"sm_90a">} {
func.func @direct_matrix_d7_subgroups(%x: tensor<1x8x8x32xf16>, %w: tensor<32x3x3x1xf16>) -> tensor<1x8x8x32xf16> {
  // expected-error @below {{unsupported (schedule): expects a multiple of 4 subgroups, one for each vector of 8 channels, but got 2}}
  %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> groups = 32 schedule = #d7
      : tensor<1x8x8x32xf16>, tensor<32x3x3x1xf16> -> tensor<1x8x8x32xf16>
  return %y : tensor<1x8x8x32xf16>
}
}

// -----

#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
#s5 = #conv.schedule<kernel = #conv.direct<workgroup = [8, 1], subgroup = [64, 1], gemm_k = 64, stages = 1, atom = <mma_sync 16 x 8 x 16>, main_loop = direct_reduction, raster = columns>>
module attributes {conv.target = #conv.target<"gfx942">} {
func.func @direct_blocks_s5(%x: tensor<1x8x8x16xf16>, %dy: tensor<1x8x8x16xf16>) -> tensor<16x3x3x8xf32> {
  // expected-error @below {{unsupported (schedule): expects an atom that gfx942 has for 'f16', but got #conv.atom<mma_sync 16 x 8 x 16>}}
  %dw = conv.backward_weight %x, %dy window = #window layouts = <"NHWC", "KRSC", "NPQK"> groups = 2 schedule = #s5
      : tensor<1x8x8x16xf16>, tensor<1x8x8x16xf16> -> tensor<16x3x3x8xf32>
  return %dw : tensor<16x3x3x8xf32>
}
}

// -----

#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
#s16 = #conv.schedule<kernel = #conv.direct<workgroup = [1, 8], subgroup = [64, 8], gemm_k = 64, stages = 2, atom = <fma 8 x 1 x 4>, main_loop = direct_reduction, raster = columns>>
module attributes {conv.target = #conv.target<"gfx942">} {
func.func @direct_reduction_s16(%x: tensor<1x8x8x16xf16>, %dy: tensor<1x8x8x16xf16>) -> tensor<16x3x3x1xf32> {
  // expected-error @below {{unsupported (schedule): expects 1 stage for gfx942, but got 2}}
  %dw = conv.backward_weight %x, %dy window = #window layouts = <"NHWC", "KRSC", "NPQK"> groups = 16 schedule = #s16
      : tensor<1x8x8x16xf16>, tensor<1x8x8x16xf16> -> tensor<16x3x3x1xf32>
  return %dw : tensor<16x3x3x1xf32>
}
}

// -----

#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
#d8 = #conv.schedule<kernel = #conv.direct<workgroup = [12, 1], subgroup = [64, 1], gemm_k = 64, stages = 1, atom = <mma_sync 16 x 8 x 16>, main_loop = direct_reduction, raster = columns>>
module attributes {conv.target = #conv.target<"sm_90a">} {
func.func @direct_blocks_d8_channels(%x: tensor<1x8x8x24xf16>, %dy: tensor<1x8x8x24xf16>) -> tensor<24x3x3x12xf32> {
  // expected-error @below {{unsupported (schedule): expects multiples of 8, or as many input as output channels, a divisor of 8, in a group for #conv.atom<mma_sync 16 x 8 x 16>, but got 12 and 12}}
  %dw = conv.backward_weight %x, %dy window = #window layouts = <"NHWC", "KRSC", "NPQK"> groups = 2 schedule = #d8
      : tensor<1x8x8x24xf16>, tensor<1x8x8x24xf16> -> tensor<24x3x3x12xf32>
  return %dw : tensor<24x3x3x12xf32>
}
}

// -----

#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
#d8 = #conv.schedule<kernel = #conv.direct<workgroup = [8, 1], subgroup = [64, 1], gemm_k = 64, stages = 1, atom = <mma_sync 16 x 8 x 16>, main_loop = direct_reduction, raster = columns>>
module attributes {conv.target = #conv.target<"sm_90a">} {
func.func @direct_blocks_d8_layout(%x: tensor<1x16x8x8xf16>, %dy: tensor<1x8x8x16xf16>) -> tensor<16x3x3x8xf32> {
  // expected-error @below {{unsupported (schedule): expects rows to be channels that follow each other in memory, and columns such channels at taps, for #conv.atom<mma_sync 16 x 8 x 16>, but got other layouts}}
  %dw = conv.backward_weight %x, %dy window = #window layouts = <"NCHW", "KRSC", "NPQK"> groups = 2 schedule = #d8
      : tensor<1x16x8x8xf16>, tensor<1x8x8x16xf16> -> tensor<16x3x3x8xf32>
  return %dw : tensor<16x3x3x8xf32>
}
}

// -----

#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
#d8 = #conv.schedule<kernel = #conv.direct<workgroup = [72, 1], subgroup = [8, 1], gemm_k = 64, stages = 1, atom = <mma_sync 16 x 8 x 16>, main_loop = direct_reduction, raster = columns>>
module attributes {conv.target = #conv.target<"sm_90a">} {
func.func @direct_blocks_d8_registers(%x: tensor<1x8x8x144xf16>, %dy: tensor<1x8x8x144xf16>) -> tensor<144x3x3x72xf32> {
  // expected-error @below {{unsupported (schedule): expects at most 72 vectors of columns at taps for #conv.atom<mma_sync 16 x 8 x 16>, but got 81}}
  %dw = conv.backward_weight %x, %dy window = #window layouts = <"NHWC", "KRSC", "NPQK"> groups = 2 schedule = #d8
      : tensor<1x8x8x144xf16>, tensor<1x8x8x144xf16> -> tensor<144x3x3x72xf32>
  return %dw : tensor<144x3x3x72xf32>
}
}

// -----

#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
#d8 = #conv.schedule<kernel = #conv.direct<workgroup = [8, 2], subgroup = [24, 2], gemm_k = 24, stages = 1, atom = <mma_sync 16 x 8 x 16>, main_loop = direct_reduction, raster = columns>>
module attributes {conv.target = #conv.target<"sm_90a">} {
func.func @direct_blocks_d8_parts(%x: tensor<1x8x8x16xf16>, %dy: tensor<1x8x8x16xf16>) -> tensor<16x3x3x8xf32> {
  // expected-error @below {{unsupported (schedule): expects gemm_k to divide the digits [1, 8, 8], with runs of 8 of the innermost one, for #conv.atom<mma_sync 16 x 8 x 16>, but got 24}}
  %dw = conv.backward_weight %x, %dy window = #window layouts = <"NHWC", "KRSC", "NPQK"> groups = 2 schedule = #d8
      : tensor<1x8x8x16xf16>, tensor<1x8x8x16xf16> -> tensor<16x3x3x8xf32>
  return %dw : tensor<16x3x3x8xf32>
}
}

// -----

#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
#d8 = #conv.schedule<kernel = #conv.direct<workgroup = [8, 2], subgroup = [64, 2], gemm_k = 64, stages = 1, atom = <mma_sync 16 x 8 x 16>, main_loop = direct_reduction, raster = columns>>
module attributes {conv.target = #conv.target<"sm_90a">} {
func.func @direct_blocks_d8_subgroups(%x: tensor<1x8x8x16xf16>, %dy: tensor<1x8x8x16xf16>) -> tensor<16x3x3x8xf32> {
  // expected-error @below {{unsupported (schedule): expects a multiple of 2 subgroups, one for each vector of 8 channels, but got 1}}
  %dw = conv.backward_weight %x, %dy window = #window layouts = <"NHWC", "KRSC", "NPQK"> groups = 2 schedule = #d8
      : tensor<1x8x8x16xf16>, tensor<1x8x8x16xf16> -> tensor<16x3x3x8xf32>
  return %dw : tensor<16x3x3x8xf32>
}
}

// -----

#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
#d9 = #conv.schedule<kernel = #conv.direct<workgroup = [1, 24], subgroup = [16, 24], gemm_k = 64, stages = 1, atom = <mma_sync 16 x 8 x 16>, main_loop = direct_reduction, raster = columns>>
module attributes {conv.target = #conv.target<"sm_90a">} {
func.func @direct_banded_d9_vectors(%x: tensor<1x8x8x48xf16>, %dy: tensor<1x8x8x48xf16>) -> tensor<48x3x3x1xf32> {
  // expected-error @below {{unsupported (schedule): expects tiles of 1, 2, 4 or 8 vectors of 8 channels for #conv.atom<mma_sync 16 x 8 x 16>, but got 3}}
  %dw = conv.backward_weight %x, %dy window = #window layouts = <"NHWC", "KRSC", "NPQK"> groups = 48 schedule = #d9
      : tensor<1x8x8x48xf16>, tensor<1x8x8x48xf16> -> tensor<48x3x3x1xf32>
  return %dw : tensor<48x3x3x1xf32>
}
}

// -----

#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
#d9 = #conv.schedule<kernel = #conv.direct<workgroup = [1, 16], subgroup = [22, 16], gemm_k = 64, stages = 1, atom = <mma_sync 16 x 8 x 16>, main_loop = direct_reduction, raster = columns>>
module attributes {conv.target = #conv.target<"sm_90a">} {
func.func @direct_banded_d9_uneven(%x: tensor<1x8x8x48xf16>, %dy: tensor<1x8x8x48xf16>) -> tensor<48x3x3x1xf32> {
  // expected-error @below {{unsupported (schedule): expects subgroups that share 2 vectors of 8 channels evenly, with at most 128 sums of a lane and 12 for each channel, but got 3}}
  %dw = conv.backward_weight %x, %dy window = #window layouts = <"NHWC", "KRSC", "NPQK"> groups = 48 schedule = #d9
      : tensor<1x8x8x48xf16>, tensor<1x8x8x48xf16> -> tensor<48x3x3x1xf32>
  return %dw : tensor<48x3x3x1xf32>
}
}

// -----

#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [3, 3], high = [3, 3]>
#d9 = #conv.schedule<kernel = #conv.direct<workgroup = [1, 16], subgroup = [32, 16], gemm_k = 64, stages = 1, atom = <mma_sync 16 x 8 x 16>, main_loop = direct_reduction, raster = columns>>
module attributes {conv.target = #conv.target<"sm_90a">} {
func.func @direct_banded_d9_registers(%x: tensor<1x8x8x48xf16>, %dy: tensor<1x8x8x48xf16>) -> tensor<48x7x7x1xf32> {
  // expected-error @below {{unsupported (schedule): expects subgroups that share 2 vectors of 8 channels evenly, with at most 128 sums of a lane and 28 for each channel, but got 2}}
  %dw = conv.backward_weight %x, %dy window = #window layouts = <"NHWC", "KRSC", "NPQK"> groups = 48 schedule = #d9
      : tensor<1x8x8x48xf16>, tensor<1x8x8x48xf16> -> tensor<48x7x7x1xf32>
  return %dw : tensor<48x7x7x1xf32>
}
}

// -----

#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [4, 4], high = [4, 4]>
#d9 = #conv.schedule<kernel = #conv.direct<workgroup = [1, 16], subgroup = [32, 16], gemm_k = 64, stages = 1, atom = <mma_sync 16 x 8 x 16>, main_loop = direct_reduction, raster = columns>>
module attributes {conv.target = #conv.target<"sm_90a">} {
func.func @direct_banded_d9_window(%x: tensor<1x8x8x16xf16>, %dy: tensor<1x8x8x16xf16>) -> tensor<16x9x9x1xf32> {
  // expected-error @below {{unsupported (schedule): expects at most 72 vectors of columns at taps for #conv.atom<mma_sync 16 x 8 x 16>, but got 81}}
  %dw = conv.backward_weight %x, %dy window = #window layouts = <"NHWC", "KRSC", "NPQK"> groups = 16 schedule = #d9
      : tensor<1x8x8x16xf16>, tensor<1x8x8x16xf16> -> tensor<16x9x9x1xf32>
  return %dw : tensor<16x9x9x1xf32>
}
}

// -----

#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
#d9 = #conv.schedule<kernel = #conv.direct<workgroup = [1, 16], subgroup = [12, 16], gemm_k = 24, stages = 1, atom = <mma_sync 16 x 8 x 16>, main_loop = direct_reduction, raster = columns>>
module attributes {conv.target = #conv.target<"sm_90a">} {
func.func @direct_banded_d9_parts(%x: tensor<1x8x8x16xf16>, %dy: tensor<1x8x8x16xf16>) -> tensor<16x3x3x1xf32> {
  // expected-error @below {{unsupported (schedule): expects gemm_k to divide the digits [1, 8, 8], with runs of 8 of the innermost one, for #conv.atom<mma_sync 16 x 8 x 16>, but got 24}}
  %dw = conv.backward_weight %x, %dy window = #window layouts = <"NHWC", "KRSC", "NPQK"> groups = 16 schedule = #d9
      : tensor<1x8x8x16xf16>, tensor<1x8x8x16xf16> -> tensor<16x3x3x1xf32>
  return %dw : tensor<16x3x3x1xf32>
}
}

// -----

// Behind each half of a line comes the other half, not the padding.
#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
#d8 = #conv.schedule<kernel = #conv.direct<workgroup = [8, 2], subgroup = [7, 2], gemm_k = 14, stages = 1, atom = <mma_sync 16 x 8 x 16>, main_loop = direct_reduction, raster = columns>, splits = 2>
module attributes {conv.target = #conv.target<"sm_90a">} {
func.func @direct_blocks_d8_not_zero_beyond(%x: tensor<1x4x28x16xf16>, %dy: tensor<1x4x28x16xf16>) -> tensor<16x3x3x8xf32> {
  // expected-error @below {{unsupported (schedule): expects runs that divide the 14 values of the innermost digit, after which the left operand is not zero, for #conv.atom<mma_sync 16 x 8 x 16>, but got 8}}
  %dw = conv.backward_weight %x, %dy window = #window layouts = <"NHWC", "KRSC", "NPQK"> groups = 2 schedule = #d8
      : tensor<1x4x28x16xf16>, tensor<1x4x28x16xf16> -> tensor<16x3x3x8xf32>
  return %dw : tensor<16x3x3x8xf32>
}
}

// -----

#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
#s5 = #conv.schedule<kernel = #conv.direct<workgroup = [1, 16], subgroup = [8, 16], gemm_k = 8, stages = 1, atom = <mma_sync 16 x 8 x 16>, main_loop = direct_reduction, raster = columns>>
module attributes {conv.target = #conv.target<"host">} {
func.func @direct_s5_matrix_instruction_on_the_host(%x: tensor<2x8x8x16xf32>, %dy: tensor<2x8x8x16xf32>) -> tensor<16x3x3x1xf32> {
  // expected-error @below {{unsupported (schedule): expects an atom that host has for 'f32', but got #conv.atom<mma_sync 16 x 8 x 16>}}
  %dw = conv.backward_weight %x, %dy window = #window layouts = <"NHWC", "KRSC", "NPQK"> groups = 16 schedule = #s5
      : tensor<2x8x8x16xf32>, tensor<2x8x8x16xf32> -> tensor<16x3x3x1xf32>
  return %dw : tensor<16x3x3x1xf32>
}
}
