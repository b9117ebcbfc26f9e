// RUN: conv-opt %s --conv-lower-to-linalg --conv-lower-to-tiled --conv-convert-tiles-to-kernels --split-input-file | FileCheck %s

#schedule = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 32, stages = 1, atom = <wmma 16 x 16 x 16>, main_loop = register_staged, raster = columns>>
#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>

// Places of the image's loads are new where the next tile starts another tap,
// which is every second step: the lane's part of them, and whether the tap is
// outside, a bit of a mask. Those of the filter never are.
// CHECK-LABEL: gpu.func @taps_0(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: memref<1x8x8x64xf16, #gpu.address_space<global>>, %[[W:[a-z0-9]+]]: memref<64x3x3x64xf16, #gpu.address_space<global>>
// CHECK:         scf.for %[[K:.+]] = %{{.+}} to %{{.+}} step %{{.+}} iter_args
// CHECK:           %[[NEXT:.+]] = arith.addi %[[K]], %{{.+}} : i32
// CHECK:           %[[IN_TAP:.+]] = arith.remui %[[NEXT]], %{{.+}} : i32
// CHECK:           %[[STARTS:.+]] = arith.cmpi eq, %[[IN_TAP]], %{{.+}} : i32
// CHECK:           %[[PLACES:.+]]:2 = scf.if %[[STARTS]] -> (i32, i32) {
// CHECK:             %[[OF_TAP:.+]] = arith.shli %[[OUTSIDE:.+]], %{{.+}} : i32
// CHECK:             %[[IS_OUTSIDE:.+]] = arith.andi %[[OF_TAP]], %c-2147483648_i32{{.*}} : i32
// CHECK:             arith.ori %[[IS_OUTSIDE]], %[[FIXED:.+]] : i32
// CHECK-NOT:         arith.select
// CHECK:           } else {
// CHECK:           conv.placed_load %[[X]][%[[PLACES]]#0 + %[[DISTANCE:.+]]] {lead = 1152 : i64} : memref<1x8x8x64xf16, #gpu.address_space<global>> -> vector<8xf16>
// CHECK:           conv.placed_load %[[X]][%[[PLACES]]#1 + %{{.+}}]
// CHECK:           conv.placed_load %[[W]][%[[OF_FILTER:.+]] + %{{.+}}]
// CHECK-NOT:       conv.guarded_load
// CHECK:           conv.mma
// CHECK:           scf.yield
module attributes {conv.target = #conv.target<"gfx1201">} {
func.func @taps(%x: tensor<1x8x8x64xf16>, %w: tensor<64x3x3x64xf16>) -> tensor<1x8x8x64xf16> {
  %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
      : tensor<1x8x8x64xf16>, tensor<64x3x3x64xf16> -> tensor<1x8x8x64xf16>
  return %y : tensor<1x8x8x64xf16>
}
}

// -----

#schedule = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 32, stages = 1, atom = <mfma 16 x 16 x 16>, main_loop = register_staged, raster = columns>>
#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>

// MFMA hides what finds places in each step: they are kept where none changes.
// Windows start up to a row and a position, 9 times 64 channels, before the image.
// CHECK-LABEL: gpu.func @mfma_0(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: memref<1x8x8x64xf16, #gpu.address_space<global>>, %[[W:[a-z0-9]+]]: memref<64x3x3x64xf16, #gpu.address_space<global>>
// CHECK:         scf.for
// CHECK-NOT:       scf.if
// CHECK:           %[[OF_TAP:.+]] = arith.shli %[[OUTSIDE:.+]], %{{.+}} : i32
// CHECK:           %[[IS_OUTSIDE:.+]] = arith.andi %[[OF_TAP]], %c-2147483648_i32{{.*}} : i32
// CHECK:           %[[PLACE:.+]] = arith.ori %[[IS_OUTSIDE]], %[[FIXED:.+]] : i32
// CHECK:           conv.placed_load %[[X]][%[[PLACE]] + %{{.+}}] {lead = 1152 : i64}
// CHECK:           conv.placed_load %[[W]][%[[OF_FILTER:.+]] + %{{.+}}] : memref
// CHECK:           scf.yield
module attributes {conv.target = #conv.target<"gfx942">} {
func.func @mfma(%x: tensor<1x8x8x64xf16>, %w: tensor<64x3x3x64xf16>) -> tensor<1x8x8x64xf16> {
  %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
      : tensor<1x8x8x64xf16>, tensor<64x3x3x64xf16> -> tensor<1x8x8x64xf16>
  return %y : tensor<1x8x8x64xf16>
}
}

// -----

#schedule = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 64, stages = 1, atom = <wmma 16 x 16 x 16>, main_loop = register_staged, raster = columns>>
#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>

// Eight positions of the image make a vector. The first one may be left of its
// row, and the last one right of it: the six between them share a guard, and so
// a place, from which they are one to five positions of 64 channels away.
// CHECK-LABEL: gpu.func @borders_0(
// CHECK-SAME:    %{{[a-z0-9]+}}: memref<1x8x8x64xf16, #gpu.address_space<global>>, %[[X:[a-z0-9]+]]: memref<1x8x8x64xf16, #gpu.address_space<global>>
// CHECK:         conv.placed_load %[[X]][%[[FIRST:.+]] + %c0_i32{{.*}}] : memref<1x8x8x64xf16, #gpu.address_space<global>> -> vector<{{.*}}xf16>
// CHECK:         conv.placed_load %[[X]][%[[MIDDLE:.+]] + %c0_i32{{.*}}]
// CHECK:         conv.placed_load %[[X]][%[[MIDDLE]] + %c128_i32{{.*}}]
// CHECK:         conv.placed_load %[[X]][%[[MIDDLE]] + %c256_i32{{.*}}]
// CHECK:         conv.placed_load %[[X]][%[[MIDDLE]] + %c384_i32{{.*}}]
// CHECK:         conv.placed_load %[[X]][%[[MIDDLE]] + %c512_i32{{.*}}]
// CHECK:         conv.placed_load %[[X]][%[[MIDDLE]] + %c640_i32{{.*}}]
// CHECK-NOT:     conv.placed_load %[[X]][%[[MIDDLE]]
module attributes {conv.target = #conv.target<"gfx1201">} {
func.func @borders(%dy: tensor<1x8x8x64xf16>, %x: tensor<1x8x8x64xf16>) -> tensor<64x3x3x64xf16> {
  %dw = conv.backward_weight %dy, %x window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
      : tensor<1x8x8x64xf16>, tensor<1x8x8x64xf16> -> tensor<64x3x3x64xf16>
  return %dw : tensor<64x3x3x64xf16>
}
}

// -----

#schedule = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 64, stages = 1, atom = <mfma 16 x 16 x 16>, main_loop = register_staged, raster = columns>>
#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>

// Four waves fill a unit: the second barrier does not wait for the loads of the
// last block, which are those of the image.
// CHECK-LABEL: gpu.func @late_0(
// CHECK-SAME:    %[[DY:[a-z0-9]+]]: memref<1x16x16x64xf16, #gpu.address_space<global>>, %[[X:[a-z0-9]+]]: memref<1x16x16x64xf16, #gpu.address_space<global>>
// CHECK:         scf.for
// CHECK:           gpu.barrier
// CHECK-NOT:       conv.placed_load %[[X]]
// CHECK:           conv.placed_load %[[DY]]
// CHECK-NOT:       conv.placed_load %[[X]]
// CHECK:           gpu.barrier
// CHECK-NOT:       conv.placed_load %[[DY]]
// CHECK-COUNT-8:   conv.placed_load %[[X]]
// CHECK-NOT:       conv.placed_load
// CHECK:           scf.yield
module attributes {conv.target = #conv.target<"gfx942">} {
func.func @late(%dy: tensor<1x16x16x64xf16>, %x: tensor<1x16x16x64xf16>) -> tensor<64x3x3x64xf16> {
  %dw = conv.backward_weight %dy, %x window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
      : tensor<1x16x16x64xf16>, tensor<1x16x16x64xf16> -> tensor<64x3x3x64xf16>
  return %dw : tensor<64x3x3x64xf16>
}
}

// -----

#schedule = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [64, 32], gemm_k = 64, stages = 1, atom = <mfma 16 x 16 x 16>, main_loop = register_staged, raster = columns>>
#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>

// Two waves leave half of it free: all loads start before.
// CHECK-LABEL: gpu.func @early_0(
// CHECK-SAME:    %[[DY:[a-z0-9]+]]: memref<1x16x16x64xf16, #gpu.address_space<global>>, %[[X:[a-z0-9]+]]: memref<1x16x16x64xf16, #gpu.address_space<global>>
// CHECK:         scf.for
// CHECK:           gpu.barrier
// CHECK:           conv.placed_load %[[X]]
// CHECK:           gpu.barrier
// CHECK-NOT:       conv.placed_load
// CHECK:           scf.yield
module attributes {conv.target = #conv.target<"gfx942">} {
func.func @early(%dy: tensor<1x16x16x64xf16>, %x: tensor<1x16x16x64xf16>) -> tensor<64x3x3x64xf16> {
  %dw = conv.backward_weight %dy, %x window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
      : tensor<1x16x16x64xf16>, tensor<1x16x16x64xf16> -> tensor<64x3x3x64xf16>
  return %dw : tensor<64x3x3x64xf16>
}
}

// -----

#schedule = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 32, stages = 2, atom = <mfma 16 x 16 x 16>, main_loop = register_staged, raster = columns>>
#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>

// Without borders, a lane's part never changes, in whatever tap a step is. What
// lanes share is found a step ahead.
// CHECK-LABEL: gpu.func @inside_0(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: memref<2x9x9x64xf16, #gpu.address_space<global>>
// CHECK-NOT:     arith.shli
// CHECK:         scf.for {{.*}} iter_args
// CHECK-NOT:       arith.select
// CHECK-NOT:       arith.shli
// CHECK:           conv.placed_load %[[X]][%[[PLACE:.+]] + %[[SHARED:arg[0-9]+]]] : memref
// CHECK:           scf.yield
module attributes {conv.target = #conv.target<"gfx942">} {
func.func @inside(%x: tensor<2x9x9x64xf16>, %w: tensor<64x3x3x64xf16>) -> tensor<2x7x7x64xf16> {
  %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
      : tensor<2x9x9x64xf16>, tensor<64x3x3x64xf16> -> tensor<2x7x7x64xf16>
  return %y : tensor<2x7x7x64xf16>
}
}

// -----

#schedule = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 32, stages = 2, atom = <mfma 16 x 16 x 16>, main_loop = register_staged, raster = columns>>
#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [3, 3], high = [3, 3]>

// A mask has no bits for 49 taps.
// CHECK-LABEL: gpu.func @unmasked_0(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: memref<1x8x8x64xf16, #gpu.address_space<global>>
// CHECK:         scf.for
// CHECK:           conv.guarded_load %[[X]]
// CHECK:           scf.yield
module attributes {conv.target = #conv.target<"gfx942">} {
func.func @unmasked(%x: tensor<1x8x8x64xf16>, %w: tensor<64x7x7x64xf16>) -> tensor<1x8x8x64xf16> {
  %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
      : tensor<1x8x8x64xf16>, tensor<64x7x7x64xf16> -> tensor<1x8x8x64xf16>
  return %y : tensor<1x8x8x64xf16>
}
}
