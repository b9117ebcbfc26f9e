// RUN: conv-opt %s --conv-lower-to-linalg --conv-lower-to-tiled --conv-convert-tiles-to-kernels | FileCheck %s

#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
#strided = #conv.window<strides = [2, 2], dilations = [1, 1], low = [1, 1], high = [1, 1]>
#depthwise = #conv.schedule<kernel = #conv.direct<workgroup = [1, 16], subgroup = [32, 16], gemm_k = 128, stages = 2, atom = <mma_sync 16 x 8 x 16>, main_loop = direct_reduction, raster = columns>>
#residues = #conv.schedule<kernel = #conv.direct<workgroup = [1, 8], subgroup = [16, 8], gemm_k = 28, stages = 1, atom = <mma_sync 16 x 8 x 16>, main_loop = direct_reduction, raster = columns>>

module attributes {conv.target = #conv.target<"sm_90a">} {
  // Two stages of an image, of two vectors of channels: 2 blocks of 8 positions
  // on each of 8 lines, and 3 on each of 10 with their halo. As many workgroups
  // share a compute unit as have registers.
  // CHECK:       gpu.func @depthwise_0(%[[DY:[a-z0-9]+]]: memref<4x8x16x16xbf16, {{[^,]+}}, %[[X:[a-z0-9]+]]: memref<4x8x16x16xbf16, {{[^,]+}}, %{{[a-z0-9]+}}: memref<16x3x3x1xf32, {{[^,]+}})
  // CHECK-SAME:      workgroup(%[[A:[a-z0-9]+]] : memref<4096xbf16, {{[^>]+}}>>, %[[B:[a-z0-9]+]] : memref<7680xbf16, {{[^>]+}}>>, %[[SUMS:[a-z0-9]+]] : memref<512xf32, {{[^>]+}}>>)
  // CHECK-SAME:      conv.resident_workgroups = 5
  // The next image arrives while the channels of this one are transposed, in
  // their place: what is loaded first is stored last, by other lanes.
  // CHECK:           nvvm.cp.async.wait.group 0
  // CHECK-NEXT:      gpu.barrier
  // CHECK:           conv.guarded_copy 8 of %[[DY]]{{.*}}, %[[A]]
  // CHECK:           conv.guarded_copy 8 of %[[X]]{{.*}}, %[[B]]
  // CHECK:           nvvm.cp.async.commit.group
  // CHECK:           nvgpu.ldmatrix %[[A]]{{.*}} {numTiles = 4 : i32, transpose = true}
  // CHECK:           nvgpu.ldmatrix %[[A]]{{.*}} {numTiles = 4 : i32, transpose = true}
  // CHECK-NOT:       vector.store
  // CHECK:           nvvm.bar.warp.sync
  // CHECK-COUNT-8:   vector.store {{.*}}, %[[A]]{{.*}} {alignment = 4 : i64}
  // CHECK:           nvgpu.ldmatrix %[[B]]{{.*}} {numTiles = 4 : i32, transpose = true}
  // CHECK:           nvgpu.ldmatrix %[[B]]{{.*}} {numTiles = 4 : i32, transpose = true}
  // CHECK-NOT:       vector.store
  // CHECK:           nvvm.bar.warp.sync
  // CHECK-COUNT-8:   vector.store {{.*}}, %[[B]]{{.*}} {alignment = 4 : i64}
  // CHECK:           gpu.barrier
  // Each of four subgroups has four channels: runs of all lines, at three lines
  // of the filter.
  // CHECK:           scf.for
  // CHECK-NEXT:        {{.*}}arith
  // CHECK-NOT:         arith.andi {{.*}} : i32
  // CHECK:             nvgpu.ldmatrix %[[A]]{{.*}} {numTiles = 2 : i32, transpose = true}
  // CHECK:             nvgpu.ldmatrix %[[B]]{{.*}} {numTiles = 4 : i32, transpose = true}
  // CHECK-COUNT-12:    conv.mma <mma_sync 16 x 8 x 16>
  // CHECK-NOT:         conv.mma
  // Lanes add up their diagonals.
  // CHECK-COUNT-4:   gpu.shuffle idx
  // CHECK-COUNT-2:   gpu.shuffle xor
  // CHECK:           memref.store {{.*}}, %[[SUMS]]
  // CHECK:           conv.guarded_store
  // CHECK:           gpu.return
  func.func @depthwise(%x: tensor<4x8x16x16xbf16>, %dy: tensor<4x8x16x16xbf16>) -> tensor<16x3x3x1xf32> {
    %dw = conv.backward_weight %x, %dy window = #window layouts = <"NHWC", "KRSC", "NPQK"> groups = 16 schedule = #depthwise
        : tensor<4x8x16x16xbf16>, tensor<4x8x16x16xbf16> -> tensor<16x3x3x1xf32>
    return %dw : tensor<16x3x3x1xf32>
  }

  // Taps 0 and 2 see other positions than tap 1: two atoms for each of three
  // lines of the filter, and four channels. Four runs of seven positions are a
  // quarter of an atom; the others are masked.
  // CHECK-LABEL: gpu.func @residues_0(
  // CHECK-SAME:      workgroup(%{{[a-z0-9]+}} : memref<256xbf16, {{[^>]+}}>>, %{{[a-z0-9]+}} : memref<2560xbf16,
  // CHECK:           scf.for
  // CHECK:             arith.andi {{.*}} : i32
  // CHECK-COUNT-24:    conv.mma <mma_sync 16 x 8 x 16>
  // CHECK-NOT:         conv.mma
  // CHECK:           gpu.return
  func.func @residues(%x: tensor<1x7x13x8xbf16>, %dy: tensor<1x4x7x8xbf16>) -> tensor<8x3x3x1xf32> {
    %dw = conv.backward_weight %x, %dy window = #strided layouts = <"NHWC", "KRSC", "NPQK"> groups = 8 schedule = #residues
        : tensor<1x7x13x8xbf16>, tensor<1x4x7x8xbf16> -> tensor<8x3x3x1xf32>
    return %dw : tensor<8x3x3x1xf32>
  }
}
