// RUN: conv-opt %s --conv-lower-to-linalg --conv-lower-to-tiled --conv-convert-tiles-to-kernels | FileCheck %s

#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
#depthwise = #conv.schedule<kernel = #conv.direct<workgroup = [64, 16], subgroup = [32, 16], gemm_k = 16, stages = 1, atom = <mma_sync 16 x 8 x 16>, main_loop = direct_matrix, raster = columns>>
#groups = #conv.schedule<kernel = #conv.direct<workgroup = [64, 2], subgroup = [32, 2], gemm_k = 80, stages = 1, atom = <mma_sync 16 x 8 x 16>, main_loop = direct_matrix, raster = columns>>

module attributes {conv.target = #conv.target<"sm_90a">} {
  // One image of 8 x 8 positions with its halo, each of 100 places with two
  // vectors of 8 channels and an unused one; a filter; and sums of two subgroups,
  // each four pairs of channels at 64 positions.
  // CHECK:       gpu.func @depthwise_0(%[[X:[a-z0-9]+]]: memref<1x8x8x16xbf16, {{[^,]+}}, %[[W:[a-z0-9]+]]: memref<16x3x3x1xbf16, {{[^,]+}}, %[[Y:[a-z0-9]+]]: memref<1x8x8x16xbf16, {{[^,]+}})
  // CHECK-SAME:      workgroup(%[[A:[a-z0-9]+]] : memref<2400xbf16, #gpu.address_space<workgroup>>, %[[B:[a-z0-9]+]] : memref<144xbf16, #gpu.address_space<workgroup>>, %[[SUMS:[a-z0-9]+]] : memref<1120xf32, #gpu.address_space<workgroup>>)
  // Copies of whole vectors take no registers, and are waited for.
  // CHECK:           conv.guarded_copy 8 of %[[X]]{{.*}}, %[[A]]
  // CHECK:           conv.guarded_load %[[W]]
  // CHECK:           nvvm.cp.async.commit.group
  // CHECK-NEXT:      nvvm.cp.async.wait.group 0
  // CHECK-NEXT:      gpu.barrier
  // Blocks of the filter, of two taps at a time or the last one of a line.
  // CHECK:           vector.load %[[B]]{{.*}} vector<1xbf16>
  // CHECK:           arith.select
  // CHECK-COUNT-6:   vector.from_elements {{.*}} : vector<4xbf16>
  // Eight lines see 10 x 3 places, each of which is loaded once for 16 positions,
  // and take 6 atoms each.
  // CHECK:           scf.for
  // CHECK-COUNT-30:    nvgpu.ldmatrix %[[A]]{{.*}} {numTiles = 2 : i32, transpose = false}
  // CHECK-NOT:         nvgpu.ldmatrix
  // Four lines are exchanged at a time.
  // CHECK-COUNT-8:   vector.store %{{.+}}, %[[SUMS]]
  // CHECK:           gpu.barrier
  // CHECK-NOT:       scf.for
  // CHECK-COUNT-4:     vector.load %[[SUMS]]{{.*}} vector<2xf32>
  // CHECK:             conv.guarded_store %{{.+}}, %[[Y]]{{.*}} : vector<8xbf16>
  // CHECK:           gpu.barrier
  // CHECK:           gpu.return
  func.func @depthwise(%x: tensor<1x8x8x16xbf16>, %w: tensor<16x3x3x1xbf16>) -> tensor<1x8x8x16xbf16> {
    %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> groups = 16 schedule = #depthwise
        : tensor<1x8x8x16xbf16>, tensor<16x3x3x1xbf16> -> tensor<1x8x8x16xbf16>
    return %y : tensor<1x8x8x16xbf16>
  }

  // A group is a vector, whose blocks are dense: atoms are the same.
  // CHECK-LABEL: gpu.func @groups_0(
  // CHECK:           scf.for
  // CHECK-COUNT-48:    conv.mma <mma_sync 16 x 8 x 16>
  // CHECK-NOT:         conv.mma
  // CHECK:             gpu.barrier
  // CHECK-NOT:         scf.for
  // CHECK:               conv.guarded_store {{.*}} : vector<8xbf16>
  // CHECK:             gpu.barrier
  // CHECK:           gpu.return
  func.func @groups(%x: tensor<1x8x8x16xbf16>, %w: tensor<16x3x3x8xbf16>) -> tensor<1x8x8x16xbf16> {
    %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> groups = 2 schedule = #groups
        : tensor<1x8x8x16xbf16>, tensor<16x3x3x8xbf16> -> tensor<1x8x8x16xbf16>
    return %y : tensor<1x8x8x16xbf16>
  }
  // A residual is loaded before the products of a unit, two vectors for each of
  // two exchanges, and stays in registers.
  // CHECK-LABEL: gpu.func @residual_0(
  // CHECK-SAME:      %[[RESIDUAL:[a-z0-9]+]]: memref<1x8x8x16xbf16, {{[^,]+}}, %{{[a-z0-9]+}}: memref<1x8x8x16xbf16, {{[^,]+}})
  // CHECK:           scf.for
  // CHECK-COUNT-4:     conv.guarded_load %[[RESIDUAL]]{{.*}} : {{.*}}vector<8xbf16>
  // CHECK-NOT:         conv.guarded_load
  // CHECK:             nvvm.bar.warp.sync
  // CHECK-COUNT-48:    conv.mma <mma_sync 16 x 8 x 16>
  // CHECK-NOT:         conv.guarded_load
  // CHECK:           gpu.return
  func.func @residual(%x: tensor<1x8x8x16xbf16>, %w: tensor<16x3x3x1xbf16>, %r: tensor<1x8x8x16xbf16>) -> tensor<1x8x8x16xbf16> {
    %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> groups = 16 schedule = #depthwise epilogue(%r : tensor<1x8x8x16xbf16>) {
    ^bb0(%acc: f32, %e: bf16):
      %f = arith.extf %e : bf16 to f32
      %s = arith.addf %acc, %f : f32
      %t = arith.truncf %s : f32 to bf16
      conv.yield %t : bf16
    } : tensor<1x8x8x16xbf16>, tensor<16x3x3x1xbf16> -> tensor<1x8x8x16xbf16>
    return %y : tensor<1x8x8x16xbf16>
  }
}
