// RUN: conv-opt %s --conv-lower-to-linalg --conv-lower-to-tiled --conv-convert-tiles-to-kernels | FileCheck %s

#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
#groups = #conv.schedule<kernel = #conv.direct<workgroup = [8, 2], subgroup = [16, 2], gemm_k = 64, stages = 2, atom = <mma_sync 16 x 8 x 16>, main_loop = direct_reduction, raster = columns>>
#small = #conv.schedule<kernel = #conv.direct<workgroup = [4, 2], subgroup = [49, 2], gemm_k = 49, stages = 1, atom = <mma_sync 16 x 8 x 16>, main_loop = direct_reduction, raster = columns>>
#large = #conv.schedule<kernel = #conv.direct<workgroup = [16, 1], subgroup = [32, 1], gemm_k = 64, stages = 1, atom = <mma_sync 16 x 8 x 16>, main_loop = direct_reduction, raster = columns>>
#depthwise = #conv.schedule<kernel = #conv.direct<workgroup = [1, 16], subgroup = [16, 16], gemm_k = 64, stages = 2, atom = <fma 8 x 1 x 4>, main_loop = direct_reduction, raster = columns>>

module attributes {conv.target = #conv.target<"sm_90a">} {
  // Two stages of an image, of two vectors of 8 channels, each place with room
  // for one more: 8 x 8 positions, and 10 x 10 with their halo.
  // CHECK:       gpu.func @groups_0(%[[DY:[a-z0-9]+]]: memref<4x8x8x16xbf16, {{[^,]+}}, %[[X:[a-z0-9]+]]: memref<4x8x8x16xbf16, {{[^,]+}}, %[[DW:[a-z0-9]+]]: memref<16x3x3x8xf32, {{[^,]+}})
  // CHECK-SAME:      workgroup(%[[A:[a-z0-9]+]] : memref<3072xbf16, #gpu.address_space<workgroup>>, %[[B:[a-z0-9]+]] : memref<4800xbf16, #gpu.address_space<workgroup>>, %[[SUMS:[a-z0-9]+]] : memref<512xf32, #gpu.address_space<workgroup>>)
  // The first image.
  // CHECK:           conv.guarded_copy 8 of %[[DY]]{{.*}}, %[[A]]
  // CHECK:           conv.guarded_copy 8 of %[[X]]{{.*}}, %[[B]]
  // CHECK:           nvvm.cp.async.commit.group
  // CHECK:           scf.for
  // CHECK:             nvvm.cp.async.wait.group 0
  // CHECK-NEXT:        gpu.barrier
  // The next one, if there is one.
  // CHECK:             scf.if
  // CHECK:               conv.guarded_copy 8 of %[[DY]]{{.*}}, %[[A]]
  // CHECK:             nvvm.cp.async.commit.group
  // Two runs of 8 positions on 4 lines, which see 6 lines at 3 taps.
  // CHECK:             scf.for
  // CHECK-COUNT-4:       nvgpu.ldmatrix %[[A]]{{.*}} {numTiles = 2 : i32, transpose = true}
  // CHECK-COUNT-18:      nvgpu.ldmatrix %[[B]]{{.*}} {numTiles = 2 : i32, transpose = true}
  // CHECK-NOT:           nvgpu.ldmatrix
  // Nine blocks on each line, two in an atom.
  // CHECK:             scf.yield
  // CHECK:           memref.store {{.*}}, %[[SUMS]]
  // CHECK:           gpu.barrier
  // CHECK:           memref.load %[[SUMS]]
  // CHECK:           conv.guarded_store {{.*}}, %[[DW]]
  // CHECK:           gpu.return
  func.func @groups(%x: tensor<4x8x8x16xbf16>, %dy: tensor<4x8x8x16xbf16>) -> tensor<16x3x3x8xf32> {
    %dw = conv.backward_weight %x, %dy window = #window layouts = <"NHWC", "KRSC", "NPQK"> groups = 2 schedule = #groups
        : tensor<4x8x8x16xbf16>, tensor<4x8x8x16xbf16> -> tensor<16x3x3x8xf32>
    return %dw : tensor<16x3x3x8xf32>
  }

  // Seven positions are a run of eight: after the image, the gradient of the
  // output is zero. Seven lines of one run are four units, and so is what the
  // last one has of a second run. Two groups share a vector, whose sums of both
  // are not stored.
  // CHECK-LABEL: gpu.func @small_0(
  // CHECK:           nvvm.cp.async.wait.group 0
  // CHECK:           gpu.barrier
  // CHECK:           scf.for
  // CHECK:             %[[IS_THERE:.+]] = arith.cmpi ult
  // CHECK:             nvgpu.ldmatrix
  // CHECK:             arith.select %[[IS_THERE]]
  // CHECK-COUNT-5:     conv.mma <mma_sync 16 x 8 x 16>
  // CHECK-NOT:         conv.mma
  // CHECK:           scf.if
  // CHECK:             conv.guarded_store
  // CHECK:           gpu.return
  func.func @small(%x: tensor<1x7x7x8xbf16>, %dy: tensor<1x7x7x8xbf16>) -> tensor<8x3x3x4xf32> {
    %dw = conv.backward_weight %x, %dy window = #window layouts = <"NHWC", "KRSC", "NPQK"> groups = 2 schedule = #small
        : tensor<1x7x7x8xbf16>, tensor<1x7x7x8xbf16> -> tensor<8x3x3x4xf32>
    return %dw : tensor<8x3x3x4xf32>
  }

  // Two vectors of rows, one for each subgroup, by two vectors of columns: 18
  // blocks on each of 4 lines.
  // CHECK-LABEL: gpu.func @large_0(
  // CHECK:           scf.for
  // CHECK-COUNT-36:    conv.mma <mma_sync 16 x 8 x 16>
  // CHECK-NOT:         conv.mma
  // CHECK:           gpu.return
  func.func @large(%x: tensor<1x8x8x32xbf16>, %dy: tensor<1x8x8x32xbf16>) -> tensor<32x3x3x16xf32> {
    %dw = conv.backward_weight %x, %dy window = #window layouts = <"NHWC", "KRSC", "NPQK"> groups = 2 schedule = #large
        : tensor<1x8x8x32xbf16>, tensor<1x8x8x32xbf16> -> tensor<32x3x3x16xf32>
    return %dw : tensor<32x3x3x16xf32>
  }

  // Multiply-adds have stages too: an image arrives while one is multiplied.
  // CHECK-LABEL: gpu.func @depthwise_0(
  // CHECK-SAME:      %[[DY:[a-z0-9]+]]: memref<4x8x8x16xbf16, {{[^,]+}}, %[[X:[a-z0-9]+]]: memref<4x8x8x16xbf16, {{[^,]+}}, %{{.+}}: memref<16x3x3x1xf32, {{[^,]+}})
  // CHECK-SAME:      workgroup(%[[A:[a-z0-9]+]] : memref<2048xbf16, #gpu.address_space<workgroup>>, %[[B:[a-z0-9]+]] : memref<3200xbf16, #gpu.address_space<workgroup>>,
  // CHECK:           conv.guarded_copy 8 of %[[DY]]{{.*}}, %[[A]]
  // CHECK:           conv.guarded_copy 8 of %[[X]]{{.*}}, %[[B]]
  // CHECK:           nvvm.cp.async.commit.group
  // CHECK:           scf.for {{.*}} = %c0{{.*}} to %c4{{.*}} step %c1
  // CHECK-NEXT:        nvvm.cp.async.wait.group 0
  // CHECK-NEXT:        gpu.barrier
  // CHECK:             conv.guarded_copy 8 of %[[DY]]{{.*}}, %[[A]]
  // CHECK:             nvvm.cp.async.commit.group
  // CHECK:             scf.for
  // CHECK:               vector.load %[[A]]
  // CHECK:               vector.load %[[B]]
  // CHECK:               math.fma
  // CHECK-NOT:           nvgpu.ldmatrix
  // CHECK:           gpu.return
  func.func @depthwise(%x: tensor<4x8x8x16xbf16>, %dy: tensor<4x8x8x16xbf16>) -> tensor<16x3x3x1xf32> {
    %dw = conv.backward_weight %x, %dy window = #window layouts = <"NHWC", "KRSC", "NPQK"> groups = 16 schedule = #depthwise
        : tensor<4x8x8x16xbf16>, tensor<4x8x8x16xbf16> -> tensor<16x3x3x1xf32>
    return %dw : tensor<16x3x3x1xf32>
  }
}
