// RUN: conv-opt %s --verify-roundtrip | FileCheck %s

// CHECK: module attributes {conv.target = #conv.target<"gfx942">}
module attributes {conv.target = #conv.target<"gfx942">} {
  // CHECK-LABEL: @window
  // CHECK-SAME: #conv.window<strides = [2, 1, 1], dilations = [1, 1, 4], low = [3, 0, 0], high = [0, 3, 0]>
  func.func private @window() attributes {
    a = #conv.window<strides = [2, 1, 1], dilations = [1, 1, 4], low = [3, 0, 0], high = [0, 3, 0]>}

  // Any order of the letters; one to three spatial dimensions; groups.
  // CHECK-LABEL: @layouts
  // CHECK-SAME: #conv.layouts<"NCW", "KCS", "NKQ">
  // CHECK-SAME: #conv.layouts<"CHWN", "RSCK", "PNKQ">
  // CHECK-SAME: #conv.layouts<"NDHWGC", "GKTRSC", "GNZPQK">
  func.func private @layouts() attributes {
    a = #conv.layouts<"NCW", "KCS", "NKQ">,
    b = #conv.layouts<"CHWN", "RSCK", "PNKQ">,
    c = #conv.layouts<"NDHWGC", "GKTRSC", "GNZPQK">}

  // The windows of a padded convolution, and a view whose rows and columns have no digits.
  // CHECK-LABEL: @view
  // CHECK-SAME: #conv.view<batch = [g = 2], rows = [n = 8, p = 56, q = 28], columns = [r = 3, s = 3, c = 64], map = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d2 + d4 - 1, d3 * 2 + d5 - 1, d0 * 64 + d6)>>
  // CHECK-SAME: #conv.view<batch = [4], rows = [], columns = [], map = affine_map<(d0) -> (-d0 + 3)>>
  func.func private @view() attributes {
    a = #conv.view<batch = [g = 2], rows = [n = 8, p = 56, q = 28], columns = [r = 3, s = 3, c = 64],
                   map = affine_map<(g, n, p, q, r, s, c) -> (n, p + r - 1, q * 2 + s - 1, g * 64 + c)>>,
    b = #conv.view<batch = [4], rows = [], columns = [], map = affine_map<(g) -> (3 - g)>>}

  // Parts of an index have names of their own; a digit may have none.
  // CHECK-LABEL: @view_parts
  // CHECK-SAME: #conv.view<batch = [c.split = 2, g = 1], rows = [h.tile = 3, h.block = 2, h.in = 8], columns = [h.phase = 2, 5], map =
  func.func private @view_parts() attributes {
    a = #conv.view<batch = [c.split = 2, g = 1], rows = [h.tile = 3, h.block = 2, h.in = 8], columns = [h.phase = 2, 5],
                   map = affine_map<(i, g, t, b, h, f, m) -> (t * 16 + b * 8 + h, f, i + m)>>}

  // The left columns of an image that is reflected at its borders, and a matrix that is
  // zero beside its diagonal.
  // CHECK-LABEL: @view_outside
  // CHECK-SAME: map = affine_map<(d0, d1) -> (d0, d1 - 2)>, padding = reflect>
  // CHECK-SAME: map = affine_map<(d0, d1) -> (d0, d0 - d1)>, limits = [1], padding = replicate>
  func.func private @view_outside() attributes {
    a = #conv.view<batch = [], rows = [8], columns = [4], map = affine_map<(p, q) -> (p, q - 2)>, padding = reflect>,
    b = #conv.view<batch = [], rows = [8], columns = [8], map = affine_map<(p, q) -> (p, p - q)>, limits = [1], padding = replicate>}

  // CHECK-LABEL: @atom
  // CHECK-SAME: #conv.atom<mfma 32 x 32 x 8>
  // CHECK-SAME: #conv.atom<wmma 16 x 16 x 16>
  // CHECK-SAME: #conv.atom<fma 16 x 32 x 4>
  func.func private @atom() attributes {
    a = #conv.atom<mfma 32 x 32 x 8>, b = #conv.atom<wmma 16 x 16 x 16>, c = #conv.atom<fma 16 x 32 x 4>}

  // A schedule that a user writes need not say so.
  // CHECK-LABEL: @schedule_of_user
  // CHECK-SAME: raster = rows>
  func.func private @schedule_of_user() attributes {
    a = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [128, 64], subgroup = [64, 32], gemm_k = 32,
                       stages = 2, atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = rows>>}

  // Options are printed where they differ from their defaults.
  // CHECK-LABEL: @schedule_of_last_round
  // CHECK-SAME: raster = rows, last_round = 288>, splits = 2>
  func.func private @schedule_of_last_round() attributes {
    a = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [128, 64], subgroup = [64, 32], gemm_k = 32,
                       stages = 1, atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = rows, last_round = 288>,
                       splits = 2>}

  // CHECK-LABEL: @schedule_of_halo_tiles
  // CHECK-SAME: raster = rows, halo_tile = [16, 8]>, splits = 2>
  func.func private @schedule_of_halo_tiles() attributes {
    a = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [128, 64], subgroup = [64, 64], gemm_k = 64,
                       stages = 4, atom = <wgmma 64 x 64 x 16>, raster = rows,
                       halo_tile = [16, 8]>, splits = 2>}

  // CHECK-LABEL: @schedule_of_clusters
  // CHECK-SAME: raster = rows, cluster = 4>, splits = 2>
  func.func private @schedule_of_clusters() attributes {
    a = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [128, 64], subgroup = [64, 64], gemm_k = 64,
                       stages = 4, atom = <wgmma 64 x 64 x 16>, raster = rows, cluster = 4>,
                       splits = 2>}

  // On the host the register tile is the compiler's, so the atom need not divide the subgroup.
  // CHECK-LABEL: @schedule_of_host
  // CHECK-SAME: raster = columns>, chosen_by = database>
  func.func private @schedule_of_host() attributes {
    a = #conv.schedule<kernel = #conv.host_gemm<workgroup = [90, 50], subgroup = [6, 10], gemm_k = 7, stages = 1,
                       atom = <fma 16 x 4 x 1>, raster = columns>, chosen_by = database>}

  // The form in which operands are read.
  // CHECK-LABEL: @schedule_of_form
  // CHECK-SAME: raster = columns>, layouts = <"NHWC", "KRSC", "NKPQ">, channel_multiple = 8>
  func.func private @schedule_of_form() attributes {
    a = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [128, 64], subgroup = [64, 32], gemm_k = 32,
                       stages = 2, atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = columns>,
                       channel_multiple = 8, layouts = <"NHWC", "KRSC", "NKPQ">>}

  // CHECK-LABEL: @schedule_of_im2col
  // CHECK-SAME: raster = columns>, channel_multiple = 8, im2col = 2>
  func.func private @schedule_of_im2col() attributes {
    a = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [128, 64], subgroup = [64, 32], gemm_k = 32,
                       stages = 2, atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = columns>,
                       im2col = 2, channel_multiple = 8>}

  // CHECK-LABEL: @schedule_of_space_to_batch
  // CHECK-SAME: raster = columns>, layouts = <"HCWN", "KRSC", "PKQN">, space_to_batch = 4>
  func.func private @schedule_of_space_to_batch() attributes {
    a = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [128, 64], subgroup = [64, 32], gemm_k = 32,
                       stages = 2, atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = columns>,
                       space_to_batch = 4, layouts = <"HCWN", "KRSC", "PKQN">>}

  // CHECK-LABEL: @schedule_of_operand_type
  // CHECK-SAME: raster = columns>, channel_multiple = 8, operand_type = f16>
  func.func private @schedule_of_operand_type() attributes {
    a = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [128, 64], subgroup = [64, 32], gemm_k = 32,
                       stages = 2, atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = columns>,
                       operand_type = f16, channel_multiple = 8>}

  // CHECK-LABEL: @schedule_of_transform
  // CHECK-SAME: #conv.transform_schedule<tile = [64, 128]>
  func.func private @schedule_of_transform() attributes {a = #conv.transform_schedule<tile = [64, 128]>}
  // CHECK-LABEL: @schedule_of_vectors
  // CHECK-SAME: #conv.transform_schedule<tile = [1, 256], elements = 4>
  func.func private @schedule_of_vectors() attributes {a = #conv.transform_schedule<tile = [1, 256], elements = 4>}
}
