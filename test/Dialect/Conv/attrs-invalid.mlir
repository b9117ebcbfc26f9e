// RUN: conv-opt %s --split-input-file --verify-diagnostics

func.func private @window_w1_four_dimensions() attributes {
  // expected-error @below {{expects 1 to 3 spatial dimensions, but got 4}}
  a = #conv.window<strides = [1, 1, 1, 1], dilations = [1, 1, 1, 1], low = [0, 0, 0, 0], high = [0, 0, 0, 0]>}

// -----

func.func private @window_w1_lengths_differ() attributes {
  // expected-error @below {{expects low to have 2 entries like strides, but got 1}}
  a = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0], high = [0, 0]>}

// -----

func.func private @window_w2_zero_stride() attributes {
  // expected-error @below {{expects strides to be positive, but got [1, 0]}}
  a = #conv.window<strides = [1, 0], dilations = [1, 1], low = [0, 0], high = [0, 0]>}

// -----

func.func private @window_w2_negative_dilation() attributes {
  // expected-error @below {{expects dilations to be positive, but got [-1, 1]}}
  a = #conv.window<strides = [1, 1], dilations = [-1, 1], low = [0, 0], high = [0, 0]>}

// -----

func.func private @window_w3_negative_padding() attributes {
  // expected-error @below {{expects high to be non-negative, but got [0, -1]}}
  a = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, -1]>}

// -----

func.func private @window_overflow() attributes {
  // expected-error @below {{integer value too large}}
  // expected-error @below {{failed to parse Conv_WindowAttr parameter 'strides'}}
  a = #conv.window<strides = [1, 9223372036854775808], dilations = [1, 1], low = [0, 0], high = [0, 0]>}

// -----

// expected-error @below {{expects the order of the input to be a permutation of "NCHW", but got "NHWW"}}
func.func private @layouts_l1_letter_twice() attributes {a = #conv.layouts<"NHWW", "KRSC", "NPQK">}

// -----

// expected-error @below {{expects the order of the filter to be a permutation of "KCRS", but got "KHWC"}}
func.func private @layouts_l1_letters_of_input() attributes {a = #conv.layouts<"NHWC", "KHWC", "NPQK">}

// -----

// expected-error @below {{expects the order of the output to be a permutation of "NKPQG", but got "NGPQG"}}
func.func private @layouts_l1_group_twice() attributes {a = #conv.layouts<"NHWGC", "GKRSC", "NGPQG">}

// -----

// expected-error @below {{expects the order of the output to have 1 to 3 spatial dimensions, but got "NK"}}
func.func private @layouts_l2_no_spatial() attributes {a = #conv.layouts<"NHWC", "KRSC", "NK">}

// -----

// expected-error @below {{expects the order of the input to have 1 to 3 spatial dimensions, but got ""}}
func.func private @layouts_l2_empty() attributes {a = #conv.layouts<"", "", "">}

// -----

// expected-error @below {{expects orders of one number of spatial dimensions, but got 2, 2, 1 in "NHWC", "KRSC" and "NQK"}}
func.func private @layouts_l2_ranks_differ() attributes {a = #conv.layouts<"NHWC", "KRSC", "NQK">}

// -----

// expected-error @below {{expects all orders or none to have G, but got "NHWGC", "GKRSC" and "NPQK"}}
func.func private @layouts_l3_g_missing() attributes {a = #conv.layouts<"NHWGC", "GKRSC", "NPQK">}

// -----

func.func private @view_v1_zero_size() attributes {
  // expected-error @below {{expects rows to be positive, but got [4, 0]}}
  a = #conv.view<batch = [1], rows = [4, 0], columns = [8], map = affine_map<(g, p, q, k) -> (p, q, k)>>}

// -----

func.func private @view_v1_overflow() attributes {
  // expected-error @below {{expects fewer than 2^63 elements, but got batch [1], rows [4294967296] and columns [2147483648]}}
  a = #conv.view<batch = [1], rows = [4294967296], columns = [2147483648], map = affine_map<(g, m, k) -> (m, k)>>}

// -----

func.func private @view_v2_dimensions() attributes {
  // expected-error @below {{expects a map of 3 dimensions and no symbols, but got affine_map<(d0, d1) -> (d0, d1)>}}
  a = #conv.view<batch = [1], rows = [4], columns = [8], map = affine_map<(m, k) -> (m, k)>>}

// -----

func.func private @view_v2_symbol() attributes {
  // expected-error @below {{expects a map of 3 dimensions and no symbols, but got affine_map<(d0, d1, d2)[s0] -> (d1 + s0, d2)>}}
  a = #conv.view<batch = [1], rows = [4], columns = [8], map = affine_map<(g, m, k)[s] -> (m + s, k)>>}

// -----

func.func private @view_v2_division() attributes {
  // expected-error @below {{expects sums of multiples of dimensions, but got affine_map<(d0, d1, d2) -> (d1 floordiv 2, d2)>}}
  a = #conv.view<batch = [1], rows = [4], columns = [8], map = affine_map<(g, m, k) -> (m floordiv 2, k)>>}

// -----

func.func private @view_v2_remainder() attributes {
  // expected-error @below {{expects sums of multiples of dimensions, but got affine_map<(d0, d1, d2) -> (d1, d2 mod 4)>}}
  a = #conv.view<batch = [1], rows = [4], columns = [8], map = affine_map<(g, m, k) -> (m, k mod 4)>>}

// -----

func.func private @view_v3_too_far() attributes {
  // 2^62 and one more.
  // expected-error @below {{expects coordinates between -2^62 and 2^62, but got affine_map<(d0, d1, d2) -> (d1, d2 + 4611686018427387904)> with sizes [1, 4, 2]}}
  a = #conv.view<batch = [1], rows = [4], columns = [2], map = affine_map<(g, m, k) -> (m, k + 4611686018427387904)>>}

// -----

func.func private @view_v3_overflow() attributes {
  // The coordinate does not fit 64 bits.
  // expected-error @below {{expects coordinates between -2^62 and 2^62, but got affine_map<(d0, d1, d2) -> (d1 * -4611686018427387904)> with sizes [1, 5, 1]}}
  a = #conv.view<batch = [1], rows = [5], columns = [1], map = affine_map<(g, m, k) -> (m * -4611686018427387904)>>}

// -----

func.func private @view_v4_zero_limit() attributes {
  // expected-error @below {{expects positive limits for the last of 2 results, but got [0]}}
  a = #conv.view<batch = [1], rows = [4], columns = [8], map = affine_map<(g, m, k) -> (m, k)>, limits = [0]>}

// -----

func.func private @view_v4_more_limits_than_results() attributes {
  // expected-error @below {{expects positive limits for the last of 2 results, but got [4, 8, 1]}}
  a = #conv.view<batch = [1], rows = [4], columns = [8], map = affine_map<(g, m, k) -> (m, k)>, limits = [4, 8, 1]>}

// -----

func.func private @view_v6_one_role_twice() attributes {
  // expected-error @below {{expects one digit with the role p.tile, but got more}}
  a = #conv.view<batch = [g = 1], rows = [p.tile = 4], columns = [p.tile = 8], map = affine_map<(g, m, k) -> (m, k)>>}

// -----

func.func private @view_unknown_role() attributes {
  // expected-error @below {{expects the role of a digit, such as n, p or p.tile, but got c.phase}}
  a = #conv.view<batch = [g = 1], rows = [p = 4], columns = [c.phase = 8], map = affine_map<(g, m, k) -> (m, k)>>}

// -----

// No kernel adds with atomics, so no field of a schedule allows it.
// expected-error @below {{expects one of channel_multiple, chosen_by, im2col, layouts, merged_groups, operand_type, output_tile, space_to_batch, splits, transposed, each at most once, but got allow_atomics}}
func.func private @schedule_without_atomics() attributes {a = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 32, stages = 2, atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = columns>, allow_atomics = true>}

// -----

// expected-error @below {{expects positive sizes of an atom, but got 0 x 32 x 8}}
func.func private @atom_a1_zero() attributes {a = #conv.atom<mfma 0 x 32 x 8>}

// -----

// expected-error @below {{expects one of the chips gfx90a, gfx942, gfx950, gfx1100, gfx1201, gfx1250, sm_80, sm_90, sm_90a, sm_100a, host, host_v4, host_v4_bf16, but got "gfx000"}}
func.func private @target_t1_unknown() attributes {a = #conv.target<"gfx000">}

// -----

func.func private @schedule_s1_one_size() attributes {
  // expected-error @below {{expects workgroup to be two positive sizes, but got [128]}}
  a = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [128], subgroup = [64, 32], gemm_k = 32, stages = 2,
                     atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = rows>>}

// -----

func.func private @schedule_s1_zero_size() attributes {
  // expected-error @below {{expects subgroup to be two positive sizes, but got [64, 0]}}
  a = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [128, 64], subgroup = [64, 0], gemm_k = 32, stages = 2,
                     atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = rows>>}

// -----

func.func private @schedule_s1_gemm_k() attributes {
  // expected-error @below {{expects gemm_k to be positive, but got 0}}
  a = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [128, 64], subgroup = [64, 32], gemm_k = 0, stages = 2,
                     atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = rows>>}

// -----

func.func private @schedule_s1_stages() attributes {
  // expected-error @below {{expects stages to be positive, but got -1}}
  a = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [128, 64], subgroup = [64, 32], gemm_k = 32, stages = -1,
                     atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = rows>>}

// -----

func.func private @schedule_s2_subgroup() attributes {
  // expected-error @below {{expects subgroup to divide workgroup, but got [96, 32] and [128, 64]}}
  a = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [128, 64], subgroup = [96, 32], gemm_k = 32, stages = 2,
                     atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = rows>>}

// -----

func.func private @schedule_s3_atom() attributes {
  // expected-error @below {{expects subgroup to be a multiple of 32 rows and 32 columns, but got [64, 16]}}
  a = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [128, 64], subgroup = [64, 16], gemm_k = 32, stages = 2,
                     atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = rows>>}

// -----

func.func private @schedule_s4_gemm_k() attributes {
  // expected-error @below {{expects gemm_k to be a multiple of 8, but got 36}}
  a = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [128, 64], subgroup = [64, 32], gemm_k = 36, stages = 2,
                     atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = rows>>}

// -----

func.func private @schedule_s10_kind() attributes {
  // expected-error @below {{expects a wgmma atom, or wgmma_3xtf32 without halo_tile, but got #conv.atom<mma_sync 16 x 8 x 16>}}
  a = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [128, 64], subgroup = [64, 64], gemm_k = 64, stages = 2,
                     atom = <mma_sync 16 x 8 x 16>, raster = rows>>}

// -----

func.func private @schedule_s10_parts_of_halo_tiles() attributes {
  // expected-error @below {{expects a wgmma atom, but got #conv.atom<wgmma_3xtf32 64 x 64 x 8>}}
  a = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [128, 64], subgroup = [64, 64], gemm_k = 32, stages = 2,
                     atom = <wgmma_3xtf32 64 x 64 x 8>, raster = rows, halo_tile = [8, 8]>>}

// -----

func.func private @schedule_s10_registers_of_parts() attributes {
  // expected-error @below {{expects at most 80 accumulators of a lane, but got 96}}
  a = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [128, 96], subgroup = [128, 96], gemm_k = 32, stages = 2,
                     atom = <wgmma_3xtf32 64 x 96 x 8>, raster = rows>>}

// -----

func.func private @schedule_s10_line_buffer() attributes {
  // expected-error @below {{expects a wgmma atom, but got #conv.atom<mma_sync 16 x 8 x 16>}}
  a = #conv.schedule<kernel = #conv.line_buffer<workgroup = [128, 64], subgroup = [64, 64], gemm_k = 64, stages = 2,
                     atom = <mma_sync 16 x 8 x 16>, raster = rows>>}

// -----

func.func private @schedule_s10_channels() attributes {
  // expected-error @below {{expects subgroup and atom to have all 128 columns, but got 128 and 64}}
  a = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [128, 128], subgroup = [64, 128], gemm_k = 64, stages = 2,
                     atom = <wgmma 64 x 64 x 16>, raster = rows>>}

// -----

func.func private @schedule_s10_warpgroups() attributes {
  // expected-error @below {{expects at most 3 warpgroups and 256 rows, but got 4 and 256}}
  a = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [256, 64], subgroup = [64, 64], gemm_k = 64, stages = 2,
                     atom = <wgmma 64 x 64 x 16>, raster = rows>>}

// -----

func.func private @schedule_s10_halo_tiles() attributes {
  // expected-error @below {{expects at most 3 warpgroups and 576 rows, but got 3 and 768}}
  a = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [768, 64], subgroup = [256, 64], gemm_k = 64, stages = 2,
                     atom = <wgmma 64 x 64 x 16>, raster = rows, halo_tile = [16, 16]>>}

// -----

func.func private @schedule_s10_patch_buffer() attributes {
  // expected-error @below {{expects at most 3 warpgroups and 256 rows, but got 2 and 512}}
  a = #conv.schedule<kernel = #conv.weight_stationary<workgroup = [512, 8], subgroup = [256, 8], gemm_k = 64, stages = 2,
                     atom = <wgmma 64 x 8 x 16>, raster = rows, halo_tile = [16, 16]>>}

// -----

func.func private @schedule_s10_accumulators() attributes {
  // expected-error @below {{expects at most 192 accumulators of a lane, but got 256}}
  a = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [256, 256], subgroup = [128, 256], gemm_k = 64, stages = 2,
                     atom = <wgmma 64 x 256 x 16>, raster = rows>>}

// -----

func.func private @schedule_s10_stages() attributes {
  // expected-error @below {{expects gemm_k to be 64 and 2 stages or more, but got 32 and 4}}
  a = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [128, 64], subgroup = [64, 64], gemm_k = 32, stages = 4,
                     atom = <wgmma 64 x 64 x 16>, raster = rows>>}

// -----

func.func private @schedule_s10_row() attributes {
  // expected-error @below {{expects gemm_k to be 32 and 2 stages or more, but got 64 and 4}}
  a = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [128, 64], subgroup = [64, 64], gemm_k = 64, stages = 4,
                     atom = <wgmma 64 x 64 x 8>, raster = rows>>}

// -----

func.func private @schedule_s14_main_loop() attributes {
  // expected-error @+2 {{expected 'last_round'}}
  a = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [128, 64], subgroup = [64, 32], gemm_k = 32, stages = 2,
                     atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = rows, halo_tile = [8, 8]>>}

// -----

func.func private @schedule_s14_buffer() attributes {
  // expected-error @+2 {{expected ','}}
  a = #conv.schedule<kernel = #conv.weight_stationary<workgroup = [128, 8], subgroup = [64, 8], gemm_k = 64, stages = 4,
                     atom = <wgmma 64 x 8 x 16>, raster = rows>>}

// -----

func.func private @schedule_s14_blocks() attributes {
  // expected-error @below {{expects halo_tile to be two positive multiples of 8, but got [16, 12]}}
  a = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [128, 64], subgroup = [64, 64], gemm_k = 64, stages = 4,
                     atom = <wgmma 64 x 64 x 16>, raster = rows, halo_tile = [16, 12]>>}

// -----

func.func private @schedule_s14_dimensions() attributes {
  // expected-error @below {{expects halo_tile to be two positive multiples of 8, but got [8, 8, 8]}}
  a = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [128, 64], subgroup = [64, 64], gemm_k = 64, stages = 4,
                     atom = <wgmma 64 x 64 x 16>, raster = rows, halo_tile = [8, 8, 8]>>}

// -----

func.func private @schedule_s18_positive() attributes {
  // expected-error @below {{expects cluster to be positive, but got 0}}
  a = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [128, 64], subgroup = [64, 64], gemm_k = 64, stages = 4,
                     atom = <wgmma 64 x 64 x 16>, raster = rows, cluster = 0>>}

// -----

func.func private @schedule_s18_main_loop() attributes {
  // expected-error @+2 {{expected '>'}}
  a = #conv.schedule<kernel = #conv.line_buffer<workgroup = [128, 64], subgroup = [64, 64], gemm_k = 64, stages = 4,
                     atom = <wgmma 64 x 64 x 16>, raster = rows, cluster = 2>>}

// -----

func.func private @schedule_s22_products() attributes {
  // expected-error @below {{expects promotion to be 32, 64 or 128 products of a wgmma atom of 8-bit floats, but got 96 of #conv.atom<wgmma 64 x 64 x 32>}}
  a = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [128, 64], subgroup = [64, 64], gemm_k = 128, stages = 4,
                     atom = <wgmma 64 x 64 x 32>, raster = rows, promotion = 96>>}

// -----

func.func private @schedule_s22_atom() attributes {
  // expected-error @below {{expects promotion to be 32, 64 or 128 products of a wgmma atom of 8-bit floats, but got 32 of #conv.atom<wgmma 64 x 64 x 16>}}
  a = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [128, 64], subgroup = [64, 64], gemm_k = 64, stages = 4,
                     atom = <wgmma 64 x 64 x 16>, raster = rows, promotion = 32>>}

// -----

func.func private @schedule_s22_registers() attributes {
  // expected-error @below {{expects at most 96 accumulators of a lane, but got 128}}
  a = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [256, 128], subgroup = [128, 128], gemm_k = 128, stages = 3,
                     atom = <wgmma 64 x 128 x 32>, raster = rows, promotion = 128>>}

// -----

func.func private @schedule_s24_name() attributes {
  a = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [128, 64], subgroup = [64, 64], gemm_k = 64, stages = 4,
                     // expected-error @below {{expects producer to be tma, cp_async or registers, but got boxes}}
                     atom = <wgmma 64 x 64 x 16>, raster = rows, producer = boxes>>}

// -----

func.func private @schedule_s24_halo_tile() attributes {
  // expected-error @below {{expects no halo_tile with the producer cp_async, but got [8, 8]}}
  a = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [128, 64], subgroup = [64, 64], gemm_k = 64, stages = 4,
                     atom = <wgmma 64 x 64 x 16>, raster = rows, halo_tile = [8, 8], producer = cp_async>>}

// -----

func.func private @schedule_s24_atom() attributes {
  // expected-error @below {{expects a wgmma atom of 16-bit operands with the producer cp_async, but got #conv.atom<wgmma 64 x 64 x 32>}}
  a = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [128, 64], subgroup = [64, 64], gemm_k = 128, stages = 4,
                     atom = <wgmma 64 x 64 x 32>, raster = rows, producer = cp_async>>}

// -----

func.func private @schedule_s24_subgroups() attributes {
  // expected-error @below {{expects at most 2 subgroups and 128 accumulators a lane with the producer cp_async, but got 3 and 32}}
  a = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [192, 64], subgroup = [64, 64], gemm_k = 64, stages = 4,
                     atom = <wgmma 64 x 64 x 16>, raster = rows, producer = cp_async>>}

// -----

func.func private @schedule_s27_halo_tile() attributes {
  // expected-error @below {{expects no halo_tile with the producer registers, but got [8, 8]}}
  a = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [128, 64], subgroup = [64, 64], gemm_k = 64, stages = 4,
                     atom = <wgmma 64 x 64 x 16>, raster = rows, halo_tile = [8, 8], producer = registers>>}

// -----

func.func private @schedule_s27_subgroups() attributes {
  // expected-error @below {{expects at most 2 subgroups and 128 accumulators a lane with the producer registers, but got 3 and 32}}
  a = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [192, 64], subgroup = [64, 64], gemm_k = 64, stages = 4,
                     atom = <wgmma 64 x 64 x 16>, raster = rows, producer = registers>>}

// -----

// Promoted sums are added to totals, so there are two of each.
func.func private @schedule_s27_accumulators() attributes {
  // expected-error @below {{expects at most 2 subgroups and 128 accumulators a lane with the producer registers, but got 2 and 192}}
  a = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [128, 192], subgroup = [64, 192], gemm_k = 128, stages = 3,
                     atom = <wgmma 64 x 192 x 32>, raster = rows, promotion = 128, producer = registers>>}

// -----

func.func private @schedule_s18_shares() attributes {
  // expected-error @below {{expects columns that are a multiple of 8 for each workgroup of a cluster, but got 64 for 3}}
  a = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [128, 64], subgroup = [64, 64], gemm_k = 64, stages = 4,
                     atom = <wgmma 64 x 64 x 16>, raster = rows, cluster = 3>>}

// -----

func.func private @schedule_s15_main_loop() attributes {
  // expected-error @+3 {{expects main_loop to be one of direct, direct_reduction, direct_matrix, but got register_staged}}
  // expected-error @+2 {{failed to parse Conv_DirectAttr parameter 'mainLoop'}}
  a = #conv.schedule<kernel = #conv.direct<workgroup = [32, 16], subgroup = [32, 16], gemm_k = 9, stages = 1,
                     atom = <fma 8 x 1 x 1>, main_loop = register_staged, raster = columns>>}

// -----

func.func private @schedule_s16_main_loop() attributes {
  // expected-error @+3 {{expects main_loop to be one of register_staged, async_staged, but got direct}}
  // expected-error @+2 {{failed to parse Conv_StagedGemmAttr parameter 'mainLoop'}}
  a = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [32, 16], subgroup = [32, 16], gemm_k = 9, stages = 1,
                     atom = <fma 8 x 1 x 1>, main_loop = direct, raster = columns>>}

// -----

func.func private @schedule_s15_stages() attributes {
  // expected-error @below {{expects 1 stage for direct, but got 2}}
  a = #conv.schedule<kernel = #conv.direct<workgroup = [32, 16], subgroup = [32, 16], gemm_k = 9, stages = 2,
                     atom = <fma 8 x 1 x 1>, main_loop = direct, raster = columns>>}

// -----

func.func private @schedule_s11_direct() attributes {
  // expected-error @below {{expects 1 of merged_groups for direct kernels, but got 2}}
  a = #conv.schedule<kernel = #conv.direct<workgroup = [32, 16], subgroup = [32, 16], gemm_k = 9, stages = 1,
                     atom = <fma 8 x 1 x 1>, main_loop = direct, raster = columns>, merged_groups = 2>}

// -----

func.func private @schedule_s15_subgroup() attributes {
  // expected-error @below {{expects subgroup to have all 16 matrices, but got 8}}
  a = #conv.schedule<kernel = #conv.direct<workgroup = [32, 16], subgroup = [32, 8], gemm_k = 9, stages = 1,
                     atom = <fma 8 x 1 x 1>, main_loop = direct, raster = columns>>}

// -----

func.func private @schedule_s15_atoms() attributes {
  // expected-error @below {{expects matrices of whole atoms of 3, but got 16}}
  a = #conv.schedule<kernel = #conv.direct<workgroup = [32, 16], subgroup = [32, 16], gemm_k = 9, stages = 1,
                     atom = <fma 3 x 1 x 1>, main_loop = direct, raster = columns>>}

// -----

func.func private @schedule_s15_large_atom() attributes {
  // expected-error @below {{expects an fma atom of at most 128 multiplications with k of 1 for direct, but got #conv.atom<fma 16 x 16 x 1>}}
  a = #conv.schedule<kernel = #conv.direct<workgroup = [32, 16], subgroup = [32, 16], gemm_k = 9, stages = 1,
                     atom = <fma 16 x 16 x 1>, main_loop = direct, raster = columns>>}

// -----

func.func private @schedule_s15_atom_of_reduction() attributes {
  // expected-error @below {{expects an fma atom of at most 128 multiplications with n of 1 for direct_reduction, but got #conv.atom<fma 8 x 2 x 3>}}
  a = #conv.schedule<kernel = #conv.direct<workgroup = [32, 16], subgroup = [32, 16], gemm_k = 9, stages = 1,
                     atom = <fma 8 x 2 x 3>, main_loop = direct_reduction, raster = columns>>}

// -----

func.func private @schedule_s15_matrix_atom() attributes {
  // expected-error @below {{expects #conv.atom<mma_sync 16 x 8 x 16> for direct_matrix, but got #conv.atom<fma 8 x 1 x 1>}}
  a = #conv.schedule<kernel = #conv.direct<workgroup = [32, 16], subgroup = [32, 16], gemm_k = 9, stages = 1,
                     atom = <fma 8 x 1 x 1>, main_loop = direct_matrix, raster = columns>>}

// -----

func.func private @schedule_kernel() attributes {
  // expected-error @below {{expects kernel to be the attribute of a family of kernels, such as #conv.staged_gemm, but got #conv.atom<mfma 32 x 32 x 8>}}
  a = #conv.schedule<kernel = #conv.atom<mfma 32 x 32 x 8>>}

// -----

func.func private @schedule_s10_staged() attributes {
  // expected-error @below {{expects an atom of one subgroup, but got #conv.atom<wgmma 64 x 64 x 16>}}
  a = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [128, 64], subgroup = [64, 64], gemm_k = 64, stages = 2,
                     atom = <wgmma 64 x 64 x 16>, main_loop = async_staged, raster = rows>>}

// -----

func.func private @schedule_s20_direct() attributes {
  // expected-error @below {{expects a transposed product to be neither direct nor winograd, without merged_groups and cluster, and without splits or with halo_tile, but got #conv.direct<workgroup = [32, 16], subgroup = [32, 16], gemm_k = 9, stages = 1, atom = <fma 8 x 1 x 1>, main_loop = direct, raster = columns> with merged_groups = 1, splits = 1 and output_tile = []}}
  a = #conv.schedule<kernel = #conv.direct<workgroup = [32, 16], subgroup = [32, 16], gemm_k = 9, stages = 1,
                     atom = <fma 8 x 1 x 1>, main_loop = direct, raster = columns>, transposed = true>}

// -----

func.func private @schedule_s21_direct() attributes {
  // expected-error @below {{expects output_tile only for kernels that are not direct, but got [2, 2]}}
  a = #conv.schedule<kernel = #conv.direct<workgroup = [32, 16], subgroup = [32, 16], gemm_k = 9, stages = 1,
                     atom = <fma 8 x 1 x 1>, main_loop = direct, raster = columns>, output_tile = [2, 2]>}

// -----

func.func private @tensor_map_x1_rank() attributes {
  // expected-error @below {{expects sizes of 1 to 5 dimensions, but got 6}}
  a = #conv.tensor_map<sizes = [8, 8, 8, 8, 8, 8], strides = [16, 16, 16, 16, 16], box = [8], element_strides = [1], swizzle = 128>}

// -----

func.func private @tensor_map_x1_stride() attributes {
  // expected-error @below {{expects strides that are multiples of 16, but got [24]}}
  a = #conv.tensor_map<sizes = [8, 8], strides = [24], box = [8, 8], element_strides = [1, 1], swizzle = 128>}

// -----

func.func private @tensor_map_x2_box() attributes {
  // expected-error @below {{expects box to have 2 entries from 1 to 256, but got [8, 257]}}
  a = #conv.tensor_map<sizes = [8, 512], strides = [16], box = [8, 257], element_strides = [1, 1], swizzle = 128>}

// -----

func.func private @tensor_map_x2_pixels() attributes {
  // expected-error @below {{expects box to be up to 256 channels and up to 1024 pixels, but got [8, 1025]}}
  a = #conv.tensor_map<sizes = [8, 8, 8], strides = [16, 128], box = [8, 1025], element_strides = [1, 1, 1],
                       lower = [0], upper = [0], swizzle = 128>}

// -----

func.func private @tensor_map_x2_element_strides() attributes {
  // expected-error @below {{expects element_strides to have 2 entries from 1 to 8, but got [1, 9]}}
  a = #conv.tensor_map<sizes = [8, 8], strides = [16], box = [8, 8], element_strides = [1, 9], swizzle = 128>}

// -----

func.func private @tensor_map_x3_swizzle() attributes {
  // expected-error @below {{expects swizzle to be 16, 32, 64 or 128, but got 8}}
  a = #conv.tensor_map<sizes = [8, 8], strides = [16], box = [8, 8], element_strides = [1, 1], swizzle = 8>}

// -----

func.func private @tensor_map_x4_corner() attributes {
  // expected-error @below {{expects upper to have 2 entries from -128 to 127, but got [0, 128]}}
  a = #conv.tensor_map<sizes = [8, 8, 8, 8], strides = [16, 128, 1024], box = [8, 8], element_strides = [1, 1, 1, 1],
                       lower = [0, 0], upper = [0, 128], swizzle = 128>}

// -----

func.func private @schedule_s16_async() attributes {
  // expected-error @below {{expects 2 stages or more for async_staged, but got 1}}
  a = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [128, 64], subgroup = [64, 32], gemm_k = 32, stages = 1,
                     atom = <mma_sync 16 x 8 x 16>, main_loop = async_staged, raster = rows>>}

// -----

func.func private @schedule_s16_registers() attributes {
  // expected-error @below {{expects 1 or 2 stages for register_staged, but got 3}}
  a = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [128, 64], subgroup = [64, 32], gemm_k = 32, stages = 3,
                     atom = <mma_sync 16 x 8 x 16>, main_loop = register_staged, raster = rows>>}

// -----

func.func private @schedule_s26_negative() attributes {
  // expected-error @below {{expects last_round not to be negative, but got -1}}
  a = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [128, 64], subgroup = [64, 32], gemm_k = 32, stages = 1,
                     atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = rows, last_round = -1>>}

// -----

func.func private @schedule_s19_multiple() attributes {
  // expected-error @below {{expects channel_multiple to be positive, but got 0}}
  a = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [128, 64], subgroup = [64, 32], gemm_k = 32, stages = 2,
                     atom = <mma_sync 16 x 8 x 16>, main_loop = register_staged, raster = rows>, channel_multiple = 0>}

// -----

func.func private @schedule_s23() attributes {
  // expected-error @below {{expects operand_type to be f16, but got 'bf16'}}
  a = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [128, 64], subgroup = [64, 32], gemm_k = 32, stages = 2,
                     atom = <mma_sync 16 x 8 x 16>, main_loop = register_staged, raster = rows>, operand_type = bf16>}

// -----

func.func private @schedule_s19_im2col() attributes {
  // expected-error @below {{expects im2col to be at least 0, but got -1}}
  a = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [128, 64], subgroup = [64, 32], gemm_k = 32, stages = 2,
                     atom = <mma_sync 16 x 8 x 16>, main_loop = register_staged, raster = rows>, im2col = -1>}

// -----

func.func private @schedule_s25_space_to_batch() attributes {
  // expected-error @below {{expects space_to_batch to be positive, but got 0}}
  a = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [128, 64], subgroup = [64, 32], gemm_k = 32, stages = 2,
                     atom = <mma_sync 16 x 8 x 16>, main_loop = register_staged, raster = rows>, space_to_batch = 0>}

// -----

func.func private @transform_schedule_f3() attributes {
  // expected-error @below {{expects tile to be two powers of two, but got [64, 48]}}
  a = #conv.transform_schedule<tile = [64, 48]>}

// -----

func.func private @transform_schedule_f4() attributes {
  // expected-error @below {{expects elements to be 0 or a power of two up to 16, but got 24}}
  a = #conv.transform_schedule<tile = [64, 128], elements = 24>}
