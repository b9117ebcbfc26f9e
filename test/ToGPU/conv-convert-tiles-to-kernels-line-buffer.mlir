// RUN: conv-opt %s --split-input-file --conv-lower-to-linalg --conv-lower-to-tiled --conv-convert-tiles-to-kernels | FileCheck %s

// A 3x3 convolution with stride 2 of 2 x 16 x 16 pixels with 3 channels. A tile is 64 pixels, which see 17 lines of 96
// bytes. A run is the 9 elements of a line, and one before them, so that two elements are a load: two groups of eight.

// CHECK:       gpu.func @f_0(%[[X:.+]]: memref<2x16x16x3xf16, {{.+}}>, %[[W:.+]]: memref<64x3x3x3xf16, {{.+}}>, %[[Y:.+]]: !llvm.ptr {conv.tensor_map}) kernel
// CHECK:         %[[SHARED:.+]] = llvm.mlir.addressof @conv_shared
// All 256 work-items bring the filter: 64 columns of 6 groups, whose elements may be anywhere.
// CHECK:         scf.for %{{.+}} = %{{.+}} to %c384_i32 step %c256_i32
// CHECK-COUNT-8:   conv.guarded_load %[[W]]{{.*}} -> vector<1xf16>
// CHECK:           llvm.store %{{.+}} {alignment = 16 : i64} : vector<8xf16>, !llvm.ptr<3>
// CHECK:         nvvm.fence.proxy
// CHECK:         gpu.barrier
// The producer copies the lines that there are, in one piece.
// CHECK:         nvvm.setmaxregister decrease 24
// CHECK:           %[[IMAGES:.+]] = conv.address %[[X]]
// CHECK:           scf.for
// CHECK:             nvvm.mbarrier.try_wait.parity
// CHECK:             nvvm.mbarrier.arrive.expect_tx %{{.+}}, %[[BYTES:.+]] :
// CHECK:             scf.if
// CHECK:               nvvm.cp.async.bulk.shared.cluster.global {{.+}}, %[[BYTES]]
// A consumer loads its pairs of two rows: 16 bytes from group to group, 96 from line to line.
// CHECK:         nvvm.setmaxregister increase 232
// CHECK:           nvvm.mbarrier.try_wait.parity
// CHECK:             llvm.getelementptr %[[SHARED]][8192]
// CHECK:             %[[LINES:.+]] = llvm.getelementptr %{{.+}}[%{{.+}}]
// CHECK:             llvm.mlir.poison
// CHECK:             %[[ROW:.+]] = llvm.getelementptr %[[LINES]][%{{.+}}]
// CHECK:             %[[ROW8:.+]] = llvm.getelementptr %[[LINES]][%{{.+}}]
// CHECK:             llvm.load %[[ROW]] {alignment = 4 : i64} : !llvm.ptr<3> -> i32
// CHECK:             llvm.load %[[ROW8]] {alignment = 4 : i64} : !llvm.ptr<3> -> i32
// CHECK:             llvm.getelementptr %[[ROW]][16]
// CHECK:             llvm.getelementptr %[[ROW]][96]
// CHECK:             llvm.getelementptr %[[ROW]][112]
// CHECK:             llvm.getelementptr %[[ROW]][192]
// CHECK:             llvm.getelementptr %[[ROW]][208]
// CHECK:             nvvm.wgmma.fence.aligned
// CHECK-COUNT-3:     wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16
// CHECK:             nvvm.wgmma.commit.group.sync.aligned
// CHECK:             nvvm.mbarrier.arrive
// CHECK:             nvvm.wgmma.wait.group.sync.aligned 0
// CHECK:             nvvm.stmatrix
// CHECK:             nvvm.cp.async.bulk.tensor.global.shared.cta %[[Y]]
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @f(%x: tensor<2x16x16x3xf16>, %w: tensor<64x3x3x3xf16>) -> tensor<2x8x8x64xf16> {
    %y = conv.forward %x, %w
        window = <strides = [2, 2], dilations = [1, 1], low = [1, 1], high = [0, 0]>
        layouts = <"NHWC", "KRSC", "NPQK">
        schedule = <algorithm = implicit_gemm, workgroup = [64, 64], subgroup = [64, 64], gemm_k = 64, stages = 4,
                    atom = <wgmma 64 x 64 x 16>, main_loop = line_buffer, raster = columns>
        : tensor<2x16x16x3xf16>, tensor<64x3x3x3xf16> -> tensor<2x8x8x64xf16>
    return %y : tensor<2x8x8x64xf16>
  }
}

// -----

// A stride of one element, 3 channels: pairs start at odd elements too, and are loaded one by one. Ten columns have no tensor map.
// CHECK:       gpu.func @odd_0(%{{.+}}: memref<1x8x8x3xf16, {{.+}}>, %{{.+}}: memref<10x1x3x3xf16, {{.+}}>, %[[ODDY:.+]]: memref<1x8x8x10xf16, {{.+}}>) kernel
// CHECK:         %[[LOW:.+]] = llvm.load %{{.+}} {alignment = 2 : i64} : !llvm.ptr<3> -> i16
// CHECK-DAG:     arith.extui %[[LOW]]
// CHECK-DAG:     %[[HIGH:.+]] = llvm.load %{{.+}} {alignment = 2 : i64} : !llvm.ptr<3> -> i16
// CHECK-DAG:     arith.extui %[[HIGH]]
// CHECK:         wgmma.mma_async.sync.aligned.m64n64k16
// CHECK:         conv.guarded_store %{{.+}}, %[[ODDY]]
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @odd(%x: tensor<1x8x8x3xf16>, %w: tensor<10x1x3x3xf16>) -> tensor<1x8x8x10xf16> {
    %y = conv.forward %x, %w
        window = <strides = [1, 1], dilations = [1, 1], low = [0, 1], high = [0, 1]>
        layouts = <"NHWC", "KRSC", "NPQK">
        schedule = <algorithm = implicit_gemm, workgroup = [64, 64], subgroup = [64, 64], gemm_k = 64, stages = 2,
                    atom = <wgmma 64 x 64 x 16>, main_loop = line_buffer, raster = columns>
        : tensor<1x8x8x3xf16>, tensor<10x1x3x3xf16> -> tensor<1x8x8x10xf16>
    return %y : tensor<1x8x8x10xf16>
  }
}
