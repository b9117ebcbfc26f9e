// RUN: conv-opt %s --conv-lower-to-linalg --conv-lower-to-tiled --conv-convert-tiles-to-kernels | FileCheck %s

#stride = #conv.window<strides = [2, 2], dilations = [1, 1], low = [2, 2], high = [2, 2]>
#large = #conv.schedule<kernel = #conv.direct<workgroup = [2560, 4], subgroup = [320, 4], gemm_k = 25, stages = 1, atom = <fma 1 x 8 x 1>, main_loop = direct, raster = rows>>
#lines = #conv.schedule<kernel = #conv.direct<workgroup = [64, 1], subgroup = [64, 1], gemm_k = 25, stages = 1, atom = <fma 1 x 8 x 1>, main_loop = direct, raster = rows>>

module attributes {conv.target = #conv.target<"sm_90a">} {
  // Lanes have lines of 8 positions, whose windows start in every second row of
  // 19 x 32 elements: with 4 vectors in a row, 8 lanes would read the same banks,
  // and with an unused one no more than 2 of them do.
  // CHECK:       gpu.func @planes_0(
  // CHECK-SAME:      workgroup(%{{[a-z0-9]+}} : memref<760xf16,
  func.func @planes(%x: tensor<1x1x16x16xf16>, %w: tensor<1x1x5x5xf16>) -> tensor<1x1x8x8xf16> {
    %y = conv.forward %x, %w window = #stride layouts = <"NCHW", "KCRS", "NKPQ"> groups = 1 schedule = #lines
        : tensor<1x1x16x16xf16>, tensor<1x1x5x5xf16> -> tensor<1x1x8x8xf16>
    return %y : tensor<1x1x8x8xf16>
  }

  // 160 planes of 19 x 32 elements fill shared memory; with unused vectors, they
  // would not fit.
  // CHECK-LABEL: gpu.func @full_0(
  func.func @full(%x: tensor<40x4x16x16xf16>, %w: tensor<4x1x5x5xf16>) -> tensor<40x4x8x8xf16> {
    %y = conv.forward %x, %w window = #stride layouts = <"NCHW", "KCRS", "NKPQ"> groups = 4 schedule = #large
        : tensor<40x4x16x16xf16>, tensor<4x1x5x5xf16> -> tensor<40x4x8x8xf16>
    return %y : tensor<40x4x8x8xf16>
  }
}
