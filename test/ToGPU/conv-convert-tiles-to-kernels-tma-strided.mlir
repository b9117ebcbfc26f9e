// RUN: conv-opt %s --split-input-file --conv-lower-to-linalg --conv-lower-to-tiled --conv-convert-tiles-to-kernels | FileCheck %s

// The gradient of a 1x3 filter's input with strides of 2. Even lines have a product for odd columns, of two elements, and
// one for even ones; odd lines are zero. One kernel goes over the tiles of all three, and zeros come last.
#schedule = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [128, 64], subgroup = [64, 64], gemm_k = 64, stages = 4, atom = <wgmma 64 x 64 x 16>, raster = columns>>

// Filter and gradient are arguments once; the windows of both products are the same box, but not the results.
// CHECK:       gpu.func @f_0(%[[DY:[^:]+]]: !llvm.ptr {conv.tensor_map}, %[[W:[^:]+]]: !llvm.ptr {conv.tensor_map}, %[[ODD:[^:]+]]: !llvm.ptr {conv.tensor_map}, %[[EVEN:[^:]+]]: !llvm.ptr {conv.tensor_map}, %[[ZEROS:[^:]+]]: !llvm.ptr {conv.tensor_map}{{.*}}) kernel
// The producer copies for two products, and goes on in the pipeline where it was.
// CHECK:         nvvm.elect.sync
// CHECK:         %[[RING:.+]]:2 = scf.for
// CHECK:           nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %[[DY]],
// CHECK:           nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %[[W]],
// The tiles of the second one start at the workgroup after the last of the first one's 7, of 27 in all.
// CHECK:         %[[SHIFTED:.+]] = arith.addi %{{.+}}, %c20_i32{{.*}}
// CHECK:         %[[START:.+]] = arith.remui %[[SHIFTED]], %c27_i32{{.*}}
// CHECK:         scf.for %{{.+}} = %[[START]] to %c7_i32{{.*}} step %c27_i32{{.*}} iter_args(%{{.+}} = %[[RING]]#0, %{{.+}} = %[[RING]]#1)
// CHECK:           nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %[[DY]],
// CHECK:         } else {
// The consumers have one loop for both products: a tile's number says which product it is of, and thereby how many steps it
// has, and where its rows are in the result.
// CHECK:           scf.for %[[TILE:.+]] = %{{.+}} to %c14_i32{{.*}} step %c27_i32{{.*}}
// CHECK:             %[[IS_ODD:.+]] = arith.cmpi ult, %[[TILE]], %c7_i32
// CHECK:             %[[STEPS:.+]]:2 = scf.if
// CHECK:               scf.yield %{{.+}}, %c2_i32{{.*}} : i32, i32
// CHECK:               scf.yield %{{.+}}, %c1_i32{{.*}} : i32, i32
// CHECK:             nvvm.wgmma.mma_async
// CHECK:             scf.for %{{.+}} = %{{.+}} to %[[STEPS]]#1
// CHECK:               nvvm.wgmma.mma_async
// CHECK-NOT:         nvvm.wgmma.mma_async {{.*}} <zero>
// Results are stored as the positions of a window.
// CHECK:             %[[BOX:.+]]:5 = scf.if
// CHECK:               scf.yield %{{.+}}, %[[ODD]] :
// CHECK:               scf.yield %{{.+}}, %[[EVEN]] :
// CHECK:             nvvm.cp.async.bulk.tensor.global.shared.cta %[[BOX]]#4, %{{.+}}, box[%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}] {mode = #nvvm.tma_store_mode<im2col>}
// CHECK-NOT:         nvvm.wgmma.mma_async
// CHECK:             nvvm.cp.async.bulk.tensor.global.shared.cta %[[ZEROS]],
// CHECK:           nvvm.cp.async.bulk.wait_group 0
// CHECK:       func.func @f(
// CHECK:         conv.tensor_map %{{.+}} <sizes = [64, 20, 20, 2], {{.+}} box = [64, 128], element_strides = [1, 1, 1, 1], lower = [0, 0], upper = [0, 0], swizzle = 128>
// CHECK:         conv.tensor_map %{{.+}} <sizes = [64, 3, 1, 64], {{.+}} box = [64, 1, 1, 64],
// CHECK:         conv.tensor_map %{{.+}} <sizes = [64, 40, 40, 2], {{.+}} box = [64, 64], element_strides = [1, 2, 2, 1], lower = [1, 0], upper = [0, -1], swizzle = 128>
// CHECK:         conv.tensor_map %{{.+}} <sizes = [64, 40, 40, 2], {{.+}} element_strides = [1, 2, 2, 1], lower = [0, 0], upper = [-1, -1], swizzle = 128>
// CHECK:         conv.tensor_map %{{.+}} <sizes = [64, 40, 40, 2], {{.+}} element_strides = [1, 1, 2, 1], lower = [0, 1], upper = [0, 0], swizzle = 128>
// CHECK-NOT:     conv.tensor_map
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @f(%dy: tensor<2x20x20x64xf16>, %w: tensor<64x1x3x64xf16>) -> tensor<2x40x40x64xf16> {
    %dx = conv.backward_data %dy, %w
        window = <strides = [2, 2], dilations = [1, 1], low = [0, 1], high = [0, 1]>
        layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
        : tensor<2x20x20x64xf16>, tensor<64x1x3x64xf16> -> tensor<2x40x40x64xf16>
    return %dx : tensor<2x40x40x64xf16>
  }
}

// -----

// Where a tap is in a halo tile depends on the taps of a dgrad phase, so each of the four has its own main loop for both atoms.
// CHECK-LABEL:   gpu.func @halo_tiles_0
// CHECK-COUNT-8:   nvvm.wgmma.mma_async {{.+}} D[<f32>, <zero>]
// CHECK-NOT:       D[<f32>, <zero>]
// CHECK:         func.func @halo_tiles
#schedule = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [256, 64], subgroup = [128, 64], gemm_k = 64, stages = 3, atom = <wgmma 64 x 64 x 16>, raster = columns, halo_tile = [16, 16]>>
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @halo_tiles(%dy: tensor<2x16x16x64xf16>, %w: tensor<64x3x3x64xf16>) -> tensor<2x32x32x64xf16> {
    %dx = conv.backward_data %dy, %w
        window = <strides = [2, 2], dilations = [1, 1], low = [1, 1], high = [0, 0]>
        layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
        : tensor<2x16x16x64xf16>, tensor<64x3x3x64xf16> -> tensor<2x32x32x64xf16>
    return %dx : tensor<2x32x32x64xf16>
  }
}
