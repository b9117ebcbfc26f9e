// RUN: conv-opt %s --conv-lower-to-linalg --conv-lower-to-tiled --conv-convert-tiles-to-kernels --canonicalize --cse | FileCheck %s

#schedule = #conv.schedule<kernel = #conv.direct<workgroup = [4, 32], subgroup = [4, 32], gemm_k = 9, stages = 1, atom = <fma 16 x 4 x 1>, main_loop = direct, raster = columns>>
#line = #conv.schedule<kernel = #conv.direct<workgroup = [6, 32], subgroup = [6, 32], gemm_k = 9, stages = 1, atom = <fma 16 x 4 x 1>, main_loop = direct, raster = columns>>

// Of 48 channels, the second tile has 16 of 32. In the other tile, runs of the
// image and of the filter have a constant length, and nothing follows the whole
// vectors of the image. Register tiles are whole vectors, which are stored from
// registers, channels innermost, if the layer has them.
// CHECK-LABEL: gpu.func @tiles_0(
// CHECK-SAME:      %{{[a-z0-9]+}}: memref<1x8x4x48xf32, {{[^,]+}}, %{{[a-z0-9]+}}: {{[^,]+, [^,]+}}, %[[Y:[a-z0-9]+]]:
// CHECK-SAME:      private(%[[X:[a-z0-9]+]] : {{[^,]+, [^,]+}}, %[[W:[a-z0-9]+]] : {{[^,]+, [^,)]+}})
// CHECK:         %[[WHOLE:.+]] = arith.cmpi ult, %{{.+}}, %c17_i64
// CHECK:         scf.if %[[WHOLE]] {
// CHECK-COUNT-3:   scf.for %{{.+}} = %c0_i64 to
// CHECK:             vector.store %{{.+}}, %[[X]]{{.*}} vector<16xf32>
// CHECK-NOT:         vector.maskedload
// CHECK:         } else {
// CHECK:           vector.maskedload
// CHECK:         scf.if %[[WHOLE]] {
// CHECK:           scf.for %{{.+}} = %c0_i64 to %c32_i64 step %c8_i64
// CHECK:             vector.store %{{.+}}, %[[W]]{{.*}} vector<8xf32>
// CHECK:         } else {
// CHECK:         scf.for %{{.+}} = %c0_i64 to %c32_i64 step %c16_i64
// CHECK:           arith.cmpi ult, %{{.+}}, %c48_i64
// CHECK:           scf.if
// CHECK:             vector.fma
// CHECK-COUNT-4:     vector.store %{{.+}}, %{{.+}} vector<16xf32>
// CHECK-NOT:     vector.store
// CHECK:         gpu.return

// A line of 6 pixels has half a register tile, so that sums pass through memory
// and results are stored in runs.
// CHECK-LABEL: gpu.func @halves_0(
// CHECK-SAME:      private(%{{[a-z0-9]+}} : {{[^,]+, [^,]+}}, %{{[a-z0-9]+}} : {{[^,]+, [^,]+}}, %[[SUMS:[a-z0-9]+]] :
// CHECK:         vector.fma
// CHECK:         scf.if %{{.+}} {
// CHECK:           scf.for %{{.+}} = %c0_i64 to %c32_i64 step %c16_i64
// CHECK:             vector.load %[[SUMS]]
// CHECK:         } else {
// CHECK:           scf.for %{{.+}} = %c0_i64 to %{{[0-9]+}} step %c16_i64
// CHECK:             vector.load %[[SUMS]]

// Pixels with all of their 32 channels are one run: lines have one loop.
// CHECK-LABEL: gpu.func @lines_0(
// CHECK-SAME:      private(%[[X:[a-z0-9]+]] :
// CHECK-COUNT-2: scf.for
// CHECK-NOT:     scf.for
// CHECK:         vector.store %{{.+}}, %[[X]]{{.*}} vector<16xf32>
module attributes {conv.target = #conv.target<"host_v4">} {
  func.func @tiles(%x: tensor<1x8x4x48xf32>, %w: tensor<48x3x3x1xf32>) -> tensor<1x8x4x48xf32> {
    %y = conv.forward %x, %w
        window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NPQK"> groups = 48 schedule = #schedule
        : tensor<1x8x4x48xf32>, tensor<48x3x3x1xf32> -> tensor<1x8x4x48xf32>
    return %y : tensor<1x8x4x48xf32>
  }

  func.func @halves(%x: tensor<1x8x6x48xf32>, %w: tensor<48x3x3x1xf32>) -> tensor<1x8x6x48xf32> {
    %y = conv.forward %x, %w
        window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NPQK"> groups = 48 schedule = #line
        : tensor<1x8x6x48xf32>, tensor<48x3x3x1xf32> -> tensor<1x8x6x48xf32>
    return %y : tensor<1x8x6x48xf32>
  }

  func.func @lines(%x: tensor<1x8x4x32xf32>, %w: tensor<32x3x3x1xf32>) -> tensor<1x8x4x32xf32> {
    %y = conv.forward %x, %w
        window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NPQK"> groups = 32 schedule = #schedule
        : tensor<1x8x4x32xf32>, tensor<32x3x3x1xf32> -> tensor<1x8x4x32xf32>
    return %y : tensor<1x8x4x32xf32>
  }
}
