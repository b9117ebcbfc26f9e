// RUN: conv-opt %s --split-input-file --conv-lower-to-linalg --conv-lower-to-tiled --conv-convert-tiles-to-kernels | FileCheck %s

// The gradient of a filter with images innermost. The reduction is over lines (outer loop), and over positions with their eight
// images (inner loop): a tap moves boxes by lines, and by eight elements. A tile of 96 columns is two taps of 48 channels, so two
// copies.
// CHECK-LABEL: gpu.module @images_kernels
// CHECK:       gpu.func @images_0(%[[DY:[^:]+]]: !llvm.ptr {conv.tensor_map}, %[[X:[^:]+]]: !llvm.ptr {conv.tensor_map}, %{{.+}}: !llvm.ptr {conv.tensor_map}{{.*}}) kernel
// CHECK:         nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %[[DY]], %{{.+}}, box[%{{.+}}, %{{.+}}, %{{.+}}] :
// CHECK-COUNT-2: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %[[X]], %{{.+}}, box[%{{.+}}, %{{.+}}, %{{.+}}] :
// CHECK-NOT:     nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK:         nvvm.wgmma.mma_async {{.+}} A[<tf32>, <one>, <row>], B[<tf32>, <one>, <col>]
// CHECK:       func.func @images
// CHECK:         conv.tensor_map %{{.+}} <sizes = [96, 24, 14], strides = [384, 9216], box = [32, 64, 1]
// CHECK:         conv.tensor_map %{{.+}} <sizes = [96, 48, 14], strides = [384, 18432], box = [32, 48, 1]
#schedule = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [64, 96], subgroup = [64, 96], gemm_k = 32, stages = 4, atom = <wgmma 64 x 96 x 8>, raster = columns>>
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @images(%x: tensor<14x48x12x8xf32>, %dy: tensor<14x24x12x8xf32>) -> tensor<24x3x3x48xf32> {
    %dw = conv.backward_weight %x, %dy window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"HCWN", "KRSC", "PKQN"> arithmetic = tf32 schedule = #schedule
        : tensor<14x48x12x8xf32>, tensor<14x24x12x8xf32> -> tensor<24x3x3x48xf32>
    return %dw : tensor<24x3x3x48xf32>
  }
}

// -----

// With a stride, positions of a line are a digit of the outer loop, and boxes have eight images and zeros. Of 20 channels, a tap
// has 24 columns, whose last ones are not stored.
// CHECK-LABEL: gpu.module @strided_kernels
// CHECK:       gpu.func @strided_0(%[[DY:[^:]+]]: !llvm.ptr {conv.tensor_map}, %[[X:[^:]+]]: !llvm.ptr {conv.tensor_map}, %{{.+}}: memref<24x3x3x20xf32, {{.+}}>) kernel
// CHECK:         nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %[[DY]], %{{.+}}, box[%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}] :
// CHECK-COUNT-2: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %[[X]], %{{.+}}, box[%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}] :
// CHECK-NOT:     nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK:       func.func @strided
// CHECK:         conv.tensor_map %{{.+}} <sizes = [8, 6, 24, 7], strides = [32, 192, 4608], box = [32, 1, 64, 1]
// CHECK:         conv.tensor_map %{{.+}} <sizes = [8, 12, 20, 14], strides = [32, 384, 7680], box = [32, 1, 24, 1]
#schedule = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [64, 48], subgroup = [64, 48], gemm_k = 32, stages = 4, atom = <wgmma 64 x 48 x 8>, raster = columns>>
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @strided(%x: tensor<14x20x12x8xf32>, %dy: tensor<7x24x6x8xf32>) -> tensor<24x3x3x20xf32> {
    %dw = conv.backward_weight %x, %dy window = <strides = [2, 2], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"HCWN", "KRSC", "PKQN"> arithmetic = tf32 schedule = #schedule
        : tensor<14x20x12x8xf32>, tensor<7x24x6x8xf32> -> tensor<24x3x3x20xf32>
    return %dw : tensor<24x3x3x20xf32>
  }
}
