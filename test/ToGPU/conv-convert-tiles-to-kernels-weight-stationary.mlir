// RUN: conv-opt %s --split-input-file --conv-lower-to-linalg --conv-lower-to-tiled --conv-convert-tiles-to-kernels | FileCheck %s

// The gradient of the input of a 3x3 convolution of 2 x 20 x 30 positions from 3 channels to 96. A tile is a halo tile of
// 16 x 16 positions, of which each of two consumers has two blocks of 8 x 8. A slice is 64 of 96 channels.

// CHECK:       gpu.func @f_0(%[[DY:[^:]+]]: !llvm.ptr {conv.tensor_map}, %[[W:.+]]: memref<96x3x3x3xf16, {{.+}}>, %[[DX:.+]]: memref<2x20x30x3xf16, {{.+}}>) kernel
// CHECK:         nvvm.prefetch tensormap, %[[DY]]
// CHECK-COUNT-6: nvvm.mbarrier.init
// The producer copies 18 x 18 elements of 128 bytes for each slice, while the filter is loaded.
// CHECK:         nvvm.setmaxregister decrease 40
// CHECK:           scf.for
// CHECK:             scf.for %{{.+}} = %c0_i32{{.*}} to %c96_i32 step %c64_i32
// CHECK:               nvvm.mbarrier.try_wait.parity
// CHECK:               nvvm.mbarrier.arrive.expect_tx %{{.+}}, %c41472
// CHECK:               nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %[[DY]], %{{.+}}, box[%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}] :
// The consumers load 8 columns of 18 rows, nine taps of both slices, in eight vectors each: a work-item has one vector of
// all columns. Channels of the filter that are multiplied are not innermost in memory.
// CHECK:         nvvm.setmaxregister increase 232
// CHECK:           scf.for %{{.+}} = %{{.+}} to %c144_i32{{.*}} step %c144_i32
// CHECK:             scf.for %{{.+}} = %{{.+}} to %c8_i32{{.*}} step %c8_i32
// CHECK-COUNT-64:      conv.guarded_load %[[W]]{{.*}} -> vector<1xf16>
// CHECK-COUNT-8:       llvm.store %{{.+}} {alignment = 16 : i64} : vector<8xf16>, !llvm.ptr<3>
// CHECK:           nvvm.fence.proxy
// CHECK:           nvvm.barrier id = %c4_i32{{.*}} number_of_threads = %c256_i32
// The first tap of the first slice writes the sums, the others add to them; nothing waits from tap to tap.
// CHECK:           scf.for
// CHECK:             nvvm.mbarrier.try_wait.parity
// CHECK-COUNT-2:     nvvm.wgmma.mma_async {{.+}} D[<f32>, <zero>]
// CHECK-COUNT-6:     nvvm.wgmma.mma_async {{.+}} D[<f32>, <one>]
// CHECK:             scf.for
// CHECK-COUNT-8:       nvvm.wgmma.mma_async {{.+}} D[<f32>, <one>]
// CHECK-NOT:           nvvm.wgmma.wait
// CHECK:             nvvm.wgmma.wait.group.sync.aligned 0
// CHECK:             nvvm.mbarrier.arrive
// CHECK:             scf.for
// CHECK:               nvvm.mbarrier.try_wait.parity
// CHECK:               nvvm.wgmma.wait.group.sync.aligned 0
// CHECK:               nvvm.mbarrier.arrive
// Lanes store three channels.
// CHECK:             conv.guarded_store %{{.+}}, %[[DX]]
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @f(%dy: tensor<2x20x30x96xf16>, %w: tensor<96x3x3x3xf16>) -> tensor<2x20x30x3xf16> {
    %dx = conv.backward_data %dy, %w
        window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NPQK">
        schedule = <kernel = #conv.weight_stationary<workgroup = [256, 8], subgroup = [128, 8], gemm_k = 64, stages = 3,
                    atom = <wgmma 64 x 8 x 16>, raster = columns, halo_tile = [16, 16]>>
        : tensor<2x20x30x96xf16>, tensor<96x3x3x3xf16> -> tensor<2x20x30x3xf16>
    return %dx : tensor<2x20x30x3xf16>
  }
}

// -----

// With strides of 2, four dgrad phases of three channels are twelve columns of one product, of which a position reads 2 x 2
// taps of a halo tile with a halo of one element.

// CHECK:       gpu.func @strided_0(%[[DY:[^:]+]]: !llvm.ptr {conv.tensor_map}, %{{.+}}: memref<64x3x3x3xf16, {{.+}}>, %[[DX:.+]]: memref<2x16x16x3xf16, {{.+}}>) kernel
// CHECK:               nvvm.mbarrier.arrive.expect_tx %{{.+}}, %c10368
// 16 columns of 4 taps, which are 32 vectors: 128 work-items load 4 columns at once.
// CHECK:           scf.for %{{.+}} = %{{.+}} to %c32_i32{{.*}} step %c32_i32
// CHECK:             scf.for %{{.+}} = %{{.+}} to %c16_i32{{.*}} step %c16_i32
// CHECK:             nvvm.wgmma.mma_async {{.+}} <m = 64, n = 16, k = 16>
// CHECK:             conv.guarded_store %{{.+}}, %[[DX]]
// CHECK:       func.func @strided
// CHECK:         conv.tensor_map %{{.+}} <sizes = [64, 8, 8, 2], {{.+}}, box = [64, 9, 9, 1]
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @strided(%dy: tensor<2x8x8x64xf16>, %w: tensor<64x3x3x3xf16>) -> tensor<2x16x16x3xf16> {
    %dx = conv.backward_data %dy, %w
        window = <strides = [2, 2], dilations = [1, 1], low = [1, 1], high = [0, 0]>
        layouts = <"NHWC", "KRSC", "NPQK">
        schedule = <kernel = #conv.weight_stationary<workgroup = [64, 16], subgroup = [64, 16], gemm_k = 64, stages = 2,
                    atom = <wgmma 64 x 16 x 16>, raster = columns, halo_tile = [8, 8]>>
        : tensor<2x8x8x64xf16>, tensor<64x3x3x3xf16> -> tensor<2x16x16x3xf16>
    return %dx : tensor<2x16x16x3xf16>
  }
}

// -----

// Channels innermost in both operands are loaded sixteen bytes at a time, and results of 16 channels are copied in
// blocks.

// CHECK:       gpu.func @forward_0(%{{.+}}: !llvm.ptr {conv.tensor_map}, %[[W:.+]]: memref<16x3x3x64xf16, {{.+}}>, %[[Y:[^:]+]]: !llvm.ptr {conv.tensor_map}{{.*}}) kernel
// CHECK:             conv.guarded_load %[[W]]{{.*}} -> vector<8xf16>
// CHECK:             nvvm.stmatrix
// CHECK:             nvvm.cp.async.bulk.tensor.global.shared.cta %[[Y]]
// CHECK:       func.func @forward
// CHECK:         conv.tensor_map %{{.+}} <sizes = [16, 16, 16, 2], {{.+}}, box = [16, 8, 8, 1], element_strides = [1, 1, 1, 1], swizzle = 32>
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @forward(%x: tensor<2x16x16x64xf16>, %w: tensor<16x3x3x64xf16>) -> tensor<2x16x16x16xf16> {
    %y = conv.forward %x, %w
        window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NPQK">
        schedule = <kernel = #conv.weight_stationary<workgroup = [64, 16], subgroup = [64, 16], gemm_k = 64, stages = 2,
                    atom = <wgmma 64 x 16 x 16>, raster = columns, halo_tile = [8, 8]>>
        : tensor<2x16x16x64xf16>, tensor<16x3x3x64xf16> -> tensor<2x16x16x16xf16>
    return %y : tensor<2x16x16x16xf16>
  }
}
