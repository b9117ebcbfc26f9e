// RUN: conv-opt %s --conv-lower-to-linalg --conv-lower-to-tiled --conv-convert-tiles-to-kernels | FileCheck %s

// The gradient of a filter of one element over 4 images of 100 x 2 positions, which are innermost: both operands have the
// reduction innermost in shared memory, as instructions take it. A part has two images.
#weight = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [128, 64], subgroup = [64, 64], gemm_k = 64, stages = 4, atom = <wgmma 64 x 64 x 16>, raster = columns>, splits = 2, layouts = <"NCW", "KSC", "NKQ">>
// The gradient of the input: the filter's rows are innermost, as are positions, and no tensor is transformed.
#data = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [128, 64], subgroup = [64, 64], gemm_k = 64, stages = 4, atom = <wgmma 64 x 64 x 16>, raster = columns>, transposed = true, layouts = <"NCW", "KSC", "NKQ">>
#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>

// CHECK:       gpu.func @weight_0(%[[DY:[^:]+]]: !llvm.ptr {conv.tensor_map}, %[[X:[^:]+]]: !llvm.ptr {conv.tensor_map}, %{{.+}}: memref<2x96x40xf32, {{.+}}>) kernel
// CHECK:         nvvm.mbarrier.arrive.expect_tx
// CHECK-COUNT-1: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %[[DY]], %{{.+}}, box[%{{.+}}, %{{.+}}, %{{.+}}]
// CHECK-COUNT-1: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %[[X]], %{{.+}}, box[%{{.+}}, %{{.+}}, %{{.+}}]
// CHECK-NOT:     nvvm.cp.async.bulk.tensor
// CHECK:         nvvm.wgmma.mma_async {{.+}} A[<bf16>, <one>, <row>], B[<bf16>, <one>, <col>]
// CHECK:       func.func @weight(
// CHECK-DAG:     conv.tensor_map %{{.+}} <sizes = [200, 96, 4], strides = [400, 38400], box = [64, 128, 1], element_strides = [1, 1, 1], swizzle = 128>
// CHECK-DAG:     conv.tensor_map %{{.+}} <sizes = [200, 40, 4], strides = [400, 16000], box = [64, 64, 1], element_strides = [1, 1, 1], swizzle = 128>

// Two boxes of 64 rows of the filter, one of 64 positions.
// CHECK:       gpu.func @data_0(%[[W:[^:]+]]: !llvm.ptr {conv.tensor_map}, %[[DY:[^:]+]]: !llvm.ptr {conv.tensor_map}, %{{.+}}) kernel
// CHECK:         nvvm.mbarrier.arrive.expect_tx
// CHECK-COUNT-2: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %[[W]], %{{.+}}, box[%{{.+}}, %{{.+}}]
// CHECK-COUNT-1: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %[[DY]], %{{.+}}, box[%{{.+}}, %{{.+}}, %{{.+}}]
// CHECK:         nvvm.wgmma.mma_async {{.+}} A[<bf16>, <one>, <col>], B[<bf16>, <one>, <row>]
// CHECK:       func.func @data(
// CHECK-DAG:     conv.tensor_map %{{.+}} <sizes = [40, 96], strides = [80], box = [64, 64], element_strides = [1, 1], swizzle = 128>
// CHECK-DAG:     conv.tensor_map %{{.+}} <sizes = [200, 96, 4], strides = [400, 38400], box = [64, 64, 1], element_strides = [1, 1, 1], swizzle = 128>
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @weight(%x: tensor<4x40x100x2xbf16>, %dy: tensor<4x96x100x2xbf16>) -> tensor<96x40x1x1xbf16> {
    %dw = conv.backward_weight %x, %dy window = #window layouts = <"NCHW", "KCRS", "NKPQ"> schedule = #weight
        : tensor<4x40x100x2xbf16>, tensor<4x96x100x2xbf16> -> tensor<96x40x1x1xbf16>
    return %dw : tensor<96x40x1x1xbf16>
  }

  func.func @data(%dy: tensor<4x96x100x2xbf16>, %w: tensor<96x40x1x1xbf16>) -> tensor<4x40x100x2xbf16> {
    %dx = conv.backward_data %dy, %w window = #window layouts = <"NCHW", "KCRS", "NKPQ"> schedule = #data
        : tensor<4x96x100x2xbf16>, tensor<96x40x1x1xbf16> -> tensor<4x40x100x2xbf16>
    return %dx : tensor<4x40x100x2xbf16>
  }
}
