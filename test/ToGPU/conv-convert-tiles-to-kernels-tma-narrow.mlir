// RUN: conv-opt %s --split-input-file --conv-lower-to-linalg --conv-lower-to-tiled --conv-convert-tiles-to-kernels | FileCheck %s

// Three columns in a tile of eight: a step copies 64 rows of each operand, 9216 bytes, and lanes store the result.

// CHECK:       gpu.func @f_0(%{{.+}}: !llvm.ptr {conv.tensor_map}, %{{.+}}: !llvm.ptr {conv.tensor_map}, %[[Y:.+]]: memref<2x16x16x3xf16, {{.+}}>) kernel
// CHECK:         nvvm.mbarrier.arrive.expect_tx %{{.+}}, %c9216
// CHECK:         nvvm.wgmma.mma_async {{.+}} <m = 64, n = 8, k = 16>
// CHECK-NOT:     nvvm.stmatrix
// CHECK:         conv.guarded_store %{{.+}}, %[[Y]]
// CHECK:       func.func @f
// CHECK:         conv.tensor_map %{{.+}} <sizes = [64, 3, 3, 3], {{.+}}, box = [64, 1, 1, 8]
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @f(%x: tensor<2x16x16x64xf16>, %w: tensor<3x3x3x64xf16>) -> tensor<2x16x16x3xf16> {
    %y = conv.forward %x, %w
        window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NPQK">
        schedule = <kernel = #conv.warpgroup_gemm<workgroup = [64, 8], subgroup = [64, 8], gemm_k = 64, stages = 4,
                    atom = <wgmma 64 x 8 x 16>, raster = columns>>
        : tensor<2x16x16x64xf16>, tensor<3x3x3x64xf16> -> tensor<2x16x16x3xf16>
    return %y : tensor<2x16x16x3xf16>
  }
}

// -----

// The filter's rows in memory are of 16 channels of the result: rows in shared memory have room for 64, of which an
// instruction reads the first. Rows of 16 results are 32 swizzled bytes.

// CHECK:       gpu.func @transposed_0(
// CHECK:         nvvm.mbarrier.arrive.expect_tx %{{.+}}, %c16384
// CHECK:         nvvm.wgmma.mma_async {{.+}} <m = 64, n = 16, k = 16>, {{.+}}, B[<f16>, <one>, <row>]
// CHECK:         nvvm.stmatrix
// CHECK:       func.func @transposed
// CHECK:         conv.tensor_map %{{.+}} <sizes = [16, 3, 3, 64], {{.+}}, box = [64, 1, 1, 64], {{.+}}, swizzle = 128>
// CHECK:         conv.tensor_map %{{.+}} <sizes = [16, 512], {{.+}}, box = [16, 64], {{.+}}, swizzle = 32>
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @transposed(%dy: tensor<2x16x16x64xf16>, %w: tensor<64x3x3x16xf16>) -> tensor<2x16x16x16xf16> {
    %dx = conv.backward_data %dy, %w
        window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NPQK">
        schedule = <kernel = #conv.warpgroup_gemm<workgroup = [64, 16], subgroup = [64, 16], gemm_k = 64, stages = 4,
                    atom = <wgmma 64 x 16 x 16>, raster = columns>>
        : tensor<2x16x16x64xf16>, tensor<64x3x3x16xf16> -> tensor<2x16x16x16xf16>
    return %dx : tensor<2x16x16x16xf16>
  }
}
