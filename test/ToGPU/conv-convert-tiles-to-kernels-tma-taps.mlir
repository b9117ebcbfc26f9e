// RUN: conv-opt %s --conv-lower-to-linalg --conv-lower-to-tiled --conv-convert-tiles-to-kernels | FileCheck %s

// The gradient of a 3x3 filter from 96 to 128 channels over 4 x 14 x 20 pixels, in six parts: each has two images and one
// column of 8 x 8 blocks. The three taps of a line share a halo tile of the images.
#schedule = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [128, 192], subgroup = [64, 192], gemm_k = 64, stages = 4, atom = <wgmma 64 x 192 x 16>, raster = columns, halo_tile = [8, 8]>, splits = 6>
#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>

// Columns are three lines of two rows of 64 channels of three taps.
// CHECK:       gpu.func @g_0(%[[DY:[^:]+]]: !llvm.ptr {conv.tensor_map}, %[[X:[^:]+]]: !llvm.ptr {conv.tensor_map}, %[[PARTS:.+]]: memref<6x128x1152xf32, {{.+}}>) kernel
// A step: a block of two rows of 64 channels of the result's gradient, and one halo tile of 8 x 10 elements of the images.
// CHECK:         nvvm.mbarrier.arrive.expect_tx %{{.+}}, %c26624
// CHECK-COUNT-2: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %[[DY]], %{{.+}}, box[%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}]
// CHECK:         nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %[[X]], %{{.+}}, box[%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}]
// CHECK-NOT:     nvvm.cp.async.bulk.tensor
// CHECK:         nvvm.wgmma.mma_async {{.+}} A[<bf16>, <one>, <col>], B[<bf16>, <one>, <row>]
// CHECK:         conv.guarded_store %{{.+}}, %[[PARTS]]{{.*}} : vector<2xf32>
// The kernel that adds the parts leaves out channels after the last one.
// CHECK:       gpu.func @g_1
// CHECK:         conv.guarded_store
// CHECK:       func.func @g(%[[ARG0:.+]]: memref<{{.+}}>, %[[ARG1:.+]]: memref<{{.+}}>, %[[ARG2:.+]]: memref<{{.+}}>, %[[ARG3:.+]]: memref<?xi8
// CHECK:         conv.tensor_map %[[ARG1]] <sizes = [128, 20, 14, 4], strides = [256, 5120, 71680], box = [64, 8, 8, 1], element_strides = [1, 1, 1, 1], swizzle = 128>
// CHECK:         conv.tensor_map %[[ARG0]] <sizes = [96, 20, 14, 4], strides = [192, 3840, 53760], box = [64, 10, 8, 1], element_strides = [1, 1, 1, 1], swizzle = 128>
// One tile of rows times six of columns times six parts.
// CHECK:         %[[GRID:.+]] = arith.constant 36 : index
// CHECK:         gpu.launch_func @g_kernels::@g_0 blocks in (%[[GRID]],
// CHECK:         gpu.launch_func @g_kernels::@g_1
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @g(%x: tensor<4x14x20x96xbf16>, %dy: tensor<4x14x20x128xbf16>) -> tensor<128x3x3x96xbf16> {
    %dw = conv.backward_weight %x, %dy window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
        : tensor<4x14x20x96xbf16>, tensor<4x14x20x128xbf16> -> tensor<128x3x3x96xbf16>
    return %dw : tensor<128x3x3x96xbf16>
  }
}
