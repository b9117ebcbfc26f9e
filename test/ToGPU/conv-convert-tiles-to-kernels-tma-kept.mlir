// RUN: conv-opt %s --conv-lower-to-linalg --conv-lower-to-tiled --conv-convert-tiles-to-kernels | FileCheck %s

// A filter of one element over 64 images: tiles of 128 of 160 output channels and 64 of 1024 positions. Each workgroup has several
// with the same part of the filter, so that it stays: three steps, behind 4 stages of the image.
#image = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [128, 64], subgroup = [64, 64], gemm_k = 64, stages = 4, atom = <wgmma 64 x 64 x 16>, raster = columns>, transposed = true, layouts = <"NCW", "KSC", "NKQ">>
// Channels last, the filter is the right operand.
#pixels = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [128, 64], subgroup = [64, 64], gemm_k = 64, stages = 4, atom = <wgmma 64 x 64 x 16>, raster = columns>>
#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>

// 4 stages of 64 x 64 elements of an image and 3 steps of the filter; parts of it alternate, whatever the raster is: of 132
// workgroups, every second one has the first one.
// CHECK:       gpu.func @image_0(%[[W:[^:]+]]: !llvm.ptr {conv.tensor_map}, %[[X:[^:]+]]: !llvm.ptr {conv.tensor_map}, %{{.+}}) kernel
// CHECK:         llvm.getelementptr %{{.+}}[-16384]
// Copies of what is kept are those of the first tile, and count at a barrier for each step.
// CHECK:         scf.for {{.+}} iter_args({{.+}} = %true)
// CHECK:         nvvm.mbarrier.arrive.expect_tx %{{.+}}, %{{.+}} :
// CHECK:         scf.if
// CHECK:           nvvm.mbarrier.arrive.expect_tx
// CHECK-COUNT-1:   nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %[[W]],
// CHECK:         nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %[[X]],
// CHECK-NOT:     nvvm.cp.async.bulk.tensor.shared.cluster.global
// Consumers wait for the step of the filter, and for the stage.
// CHECK-COUNT-2: nvvm.mbarrier.try_wait.parity
// CHECK:         nvvm.wgmma.mma_async
// CHECK:       func.func @image(

// CHECK:       gpu.func @pixels_0(%[[Y:[^:]+]]: !llvm.ptr {conv.tensor_map}, %[[F:[^:]+]]: !llvm.ptr {conv.tensor_map}, %{{.+}}) kernel
// CHECK:         nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %[[Y]],
// CHECK:         scf.if
// CHECK:           nvvm.mbarrier.arrive.expect_tx
// CHECK:           nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %[[F]],
// CHECK-NOT:     nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK:       func.func @pixels(

// Images of one tile for each workgroup, at most: a step has both. Rows of 72 channels would be copied by lanes.
// CHECK:       gpu.func @few_0(%[[X:[^:]+]]: !llvm.ptr {conv.tensor_map}, %[[W:[^:]+]]: !llvm.ptr {conv.tensor_map}, %{{.+}}) kernel
// CHECK:         nvvm.mbarrier.arrive.expect_tx
// CHECK-NOT:     scf.if
// CHECK:         nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %[[X]],
// CHECK-NOT:     scf.if
// CHECK:         nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %[[W]],
// CHECK:       func.func @few(
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @image(%x: tensor<64x136x32x32xbf16>, %w: tensor<160x136x1x1xbf16>) -> tensor<64x160x32x32xbf16> {
    %y = conv.forward %x, %w window = #window layouts = <"NCHW", "KCRS", "NKPQ"> schedule = #image
        : tensor<64x136x32x32xbf16>, tensor<160x136x1x1xbf16> -> tensor<64x160x32x32xbf16>
    return %y : tensor<64x160x32x32xbf16>
  }

  func.func @pixels(%x: tensor<64x31x33x80xbf16>, %w: tensor<96x1x1x80xbf16>) -> tensor<64x31x33x96xbf16> {
    %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #pixels
        : tensor<64x31x33x80xbf16>, tensor<96x1x1x80xbf16> -> tensor<64x31x33x96xbf16>
    return %y : tensor<64x31x33x96xbf16>
  }

  func.func @few(%x: tensor<4x31x33x80xbf16>, %w: tensor<96x1x1x80xbf16>) -> tensor<4x31x33x96xbf16> {
    %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #pixels
        : tensor<4x31x33x80xbf16>, tensor<96x1x1x80xbf16> -> tensor<4x31x33x96xbf16>
    return %y : tensor<4x31x33x96xbf16>
  }
}
