// RUN: conv-opt %s --conv-lower-to-linalg --conv-lower-to-tiled --conv-convert-tiles-to-kernels | FileCheck %s

// The gradient of a 3x3 filter from 96 to 24 channels over two images of 9 x 11 pixels, in two parts. Rows are taps and input
// channels: a tile has nine taps of 64 channels, three of them for each warpgroup; columns are the output channels.
#all = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [576, 32], subgroup = [192, 32], gemm_k = 64, stages = 4, atom = <wgmma 64 x 32 x 16>, raster = columns, halo_tile = [8, 8]>, splits = 2, transposed = true>
// The same from 24 to 96 channels: windows are on the gradient of the output, and tiles have one line of taps.
#line = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [192, 32], subgroup = [192, 32], gemm_k = 64, stages = 4, atom = <wgmma 64 x 32 x 16>, raster = columns, halo_tile = [8, 8]>, splits = 2, transposed = true>
#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>

// Parts have rows innermost, 2 x 9 x 64 of them.
// CHECK:       gpu.func @all_0(%[[X:[^:]+]]: !llvm.ptr {conv.tensor_map}, %[[DY:[^:]+]]: !llvm.ptr {conv.tensor_map}, %[[PARTS:.+]]: memref<2x24x1152xf32, {{.+}}>) kernel
// A step: 10 x 10 positions of the halo tile, and 64 of the other operand. Copies write 12800 of the halo tile's 13312 bytes.
// CHECK:         %[[BYTES:.+]] = arith.constant 20992 : i32
// CHECK:         nvvm.mbarrier.arrive.expect_tx %{{.+}}, %[[BYTES]]
// CHECK-COUNT-1: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %[[X]], %{{.+}}, box[%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}]
// CHECK-COUNT-1: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %[[DY]], %{{.+}}, box[%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}]
// CHECK-NOT:     nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK:         nvvm.wgmma.mma_async {{.+}} A[<bf16>, <one>, <col>], B[<bf16>, <one>, <row>]
// CHECK:         conv.guarded_store %{{.+}}, %[[PARTS]]
// CHECK:       func.func @all(%[[ARG0:.+]]: memref<{{.+}}>, %[[ARG1:.+]]: memref<{{.+}}>, %{{.+}}: memref<{{.+}}>, %{{.+}}: memref<?xi8
// CHECK:         conv.tensor_map %[[ARG0]] <sizes = [96, 11, 9, 2], strides = [192, 2112, 19008], box = [64, 10, 10, 1], element_strides = [1, 1, 1, 1], swizzle = 128>
// CHECK:         conv.tensor_map %[[ARG1]] <sizes = [24, 11, 9, 2], strides = [48, 528, 4752], box = [64, 8, 8, 1], element_strides = [1, 1, 1, 1], swizzle = 128>
// Two tiles of rows in two parts.
// CHECK:         %[[GRID:.+]] = arith.constant 4 : index
// CHECK:         gpu.launch_func @all_kernels::@all_0 blocks in (%[[GRID]],

// A line of taps sees 8 lines of 10 positions.
// CHECK:       gpu.func @line_0(
// CHECK:       func.func @line(%[[X:.+]]: memref<{{.+}}>, %[[DY:.+]]: memref<{{.+}}>, %{{.+}}: memref<{{.+}}>, %{{.+}}: memref<?xi8
// CHECK:         conv.tensor_map %[[DY]] <{{.+}}, box = [64, 10, 8, 1]
// CHECK:         conv.tensor_map %[[X]] <{{.+}}, box = [64, 8, 8, 1]
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @all(%x: tensor<2x9x11x96xbf16>, %dy: tensor<2x9x11x24xbf16>) -> tensor<24x3x3x96xbf16> {
    %dw = conv.backward_weight %x, %dy window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #all
        : tensor<2x9x11x96xbf16>, tensor<2x9x11x24xbf16> -> tensor<24x3x3x96xbf16>
    return %dw : tensor<24x3x3x96xbf16>
  }

  func.func @line(%x: tensor<2x9x11x24xbf16>, %dy: tensor<2x9x11x96xbf16>) -> tensor<96x3x3x24xbf16> {
    %dw = conv.backward_weight %x, %dy window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #line
        : tensor<2x9x11x24xbf16>, tensor<2x9x11x96xbf16> -> tensor<96x3x3x24xbf16>
    return %dw : tensor<96x3x3x24xbf16>
  }
}
