// RUN: conv-opt %s --split-input-file --conv-lower-to-linalg --conv-lower-to-tiled --conv-convert-tiles-to-kernels | FileCheck %s

// A 3x3 convolution with stride 2 of 2 x 16 x 16 pixels with 3 channels. A tile is 64 pixels, which see 17 lines of 96
// bytes. A run is the 9 elements of a line, and one before them, so that two elements are a load: two groups of eight.

// CHECK:       gpu.func @f_0(%[[X:.+]]: memref<2x16x16x3xf16, {{.+}}>, %[[W:.+]]: memref<64x3x3x3xf16, {{.+}}>, %[[Y:[^:]+]]: !llvm.ptr {conv.tensor_map}{{.*}}) kernel
// CHECK:         %[[SHARED:.+]] = llvm.mlir.addressof @conv_shared
// CHECK:         gpu.barrier
// The producer copies the lines that there are, in one copy, while the filter is loaded.
// CHECK:         nvvm.setmaxregister decrease 24
// CHECK:           %[[IMAGES:.+]] = conv.address %[[X]]
// CHECK:           scf.for
// CHECK:             nvvm.mbarrier.try_wait.parity
// CHECK:             nvvm.mbarrier.arrive.expect_tx %{{.+}}, %[[BYTES:.+]] :
// CHECK:             scf.if
// CHECK:               nvvm.cp.async.bulk.shared.cluster.global {{.+}}, %[[BYTES]]
// 126 of a consumer's 128 work-items load the filter: 64 columns of 6 groups, whose elements may be anywhere. Each has one
// group of every 21st column.
// CHECK:         nvvm.setmaxregister increase 232
// CHECK:           arith.select %{{.+}}, %{{.+}}, %c64_i32
// CHECK:           scf.for %{{.+}} = %{{.+}} to %c6_i32{{.*}} step %c6_i32
// CHECK:             scf.for %{{.+}} = %{{.+}} to %c64_i32{{.*}} step %c84_i32
// CHECK-COUNT-32:      conv.guarded_load %[[W]]{{.*}} -> vector<1xf16>
// CHECK-COUNT-4:       llvm.store %{{.+}} {alignment = 16 : i64} : vector<8xf16>, !llvm.ptr<3>
// CHECK:           nvvm.fence.proxy
// CHECK:           nvvm.barrier id = %c4_i32{{.*}} number_of_threads = %c128_i32
// A consumer loads its pairs of two rows: 16 bytes from group to group, 96 from line to line.
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
        schedule = <kernel = #conv.line_buffer<workgroup = [64, 64], subgroup = [64, 64], gemm_k = 64, stages = 4,
                    atom = <wgmma 64 x 64 x 16>, raster = columns>>
        : tensor<2x16x16x3xf16>, tensor<64x3x3x3xf16> -> tensor<2x8x8x64xf16>
    return %y : tensor<2x8x8x64xf16>
  }
}

// -----

// Nine lines of 42 bytes start anywhere in 16 bytes, and end 10 bytes after a multiple of it. The copy has 368 bytes from the
// start of the tensor; its last five elements come first, one by one. A line may start at an odd element, which has no pairs.
// CHECK:       gpu.func @unaligned_0(%[[UX:.+]]: memref<1x9x7x3xf16, {{.+}}>,
// CHECK:         nvvm.setmaxregister decrease 24
// CHECK:           conv.address %[[UX]]
// CHECK:             nvvm.mbarrier.try_wait.parity
// CHECK:             scf.if
// CHECK-COUNT-5:       llvm.store {{.+}} {alignment = 2 : i64} : i16, !llvm.ptr<3>
// CHECK-NOT:           llvm.store
// CHECK:               nvvm.fence.proxy
// CHECK:             nvvm.mbarrier.arrive.expect_tx %{{.+}}, %c368_i32 :
// CHECK:             nvvm.cp.async.bulk.shared.cluster.global {{.+}}, %c368_i32
// CHECK:         nvvm.setmaxregister increase
// CHECK:           llvm.load %{{.+}} {alignment = 2 : i64} : !llvm.ptr<3> -> i16
// CHECK-NOT:       llvm.load %{{.+}} {alignment = 4 : i64} : !llvm.ptr<3> -> i32
// CHECK:           wgmma.mma_async.sync.aligned.m64n16k16
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @unaligned(%x: tensor<1x9x7x3xf16>, %w: tensor<16x3x3x3xf16>) -> tensor<1x9x7x16xf16> {
    %y = conv.forward %x, %w
        window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NPQK">
        schedule = <kernel = #conv.line_buffer<workgroup = [64, 16], subgroup = [64, 16], gemm_k = 64, stages = 2,
                    atom = <wgmma 64 x 16 x 16>, raster = columns>>
        : tensor<1x9x7x3xf16>, tensor<16x3x3x3xf16> -> tensor<1x9x7x16xf16>
    return %y : tensor<1x9x7x16xf16>
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
        schedule = <kernel = #conv.line_buffer<workgroup = [64, 64], subgroup = [64, 64], gemm_k = 64, stages = 2,
                    atom = <wgmma 64 x 64 x 16>, raster = columns>>
        : tensor<1x8x8x3xf16>, tensor<10x1x3x3xf16> -> tensor<1x8x8x10xf16>
    return %y : tensor<1x8x8x10xf16>
  }
}

// -----

// 40 channels: the eight elements of a group are adjacent in the filter.
// CHECK:       gpu.func @adjacent_0(%{{.+}}: memref<1x8x8x40xf16, {{.+}}>, %[[W40:.+]]: memref<16x1x1x40xf16, {{.+}}>,
// CHECK-NOT:     vector<1xf16>
// CHECK:         conv.guarded_load %[[W40]]{{.*}} -> vector<8xf16>
// CHECK:         nvvm.barrier id = %c4_i32
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @adjacent(%x: tensor<1x8x8x40xf16>, %w: tensor<16x1x1x40xf16>) -> tensor<1x8x8x16xf16> {
    %y = conv.forward %x, %w
        window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
        layouts = <"NHWC", "KRSC", "NPQK">
        schedule = <kernel = #conv.line_buffer<workgroup = [64, 16], subgroup = [64, 16], gemm_k = 64, stages = 2,
                    atom = <wgmma 64 x 16 x 16>, raster = columns>>
        : tensor<1x8x8x40xf16>, tensor<16x1x1x40xf16> -> tensor<1x8x8x16xf16>
    return %y : tensor<1x8x8x16xf16>
  }
}

// -----

// In the gradient of the input, rows of the filter are adjacent: a work-item loads eight columns of eight rows, and writes
// eight vectors.
// CHECK:       gpu.func @rows_0(%{{.+}}: memref<1x8x8x16xf16, {{.+}}>, %[[W16:.+]]: memref<16x1x1x40xf16, {{.+}}>,
// CHECK-NOT:     vector<1xf16>
// CHECK-COUNT-8: conv.guarded_load %[[W16]]{{.*}} -> vector<8xf16>
// CHECK-NOT:     conv.guarded_load %[[W16]]
// CHECK-COUNT-8: llvm.store %{{.+}} {alignment = 16 : i64} : vector<8xf16>, !llvm.ptr<3>
// CHECK:         nvvm.barrier id = %c4_i32
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @rows(%dy: tensor<1x8x8x16xf16>, %w: tensor<16x1x1x40xf16>) -> tensor<1x8x8x40xf16> {
    %dx = conv.backward_data %dy, %w
        window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
        layouts = <"NHWC", "KRSC", "NPQK">
        schedule = <kernel = #conv.line_buffer<workgroup = [64, 40], subgroup = [64, 40], gemm_k = 64, stages = 2,
                    atom = <wgmma 64 x 40 x 16>, raster = columns>>
        : tensor<1x8x8x16xf16>, tensor<16x1x1x40xf16> -> tensor<1x8x8x40xf16>
    return %dx : tensor<1x8x8x40xf16>
  }
}

// -----

// Of 20 channels, four are adjacent wherever a group starts; of 12 columns, four. Work-items that load one row are neighbours.
// CHECK:       gpu.func @short_0(%{{.+}}: memref<1x8x8x20xf16, {{.+}}>, %[[W20:.+]]: memref<16x1x3x20xf16, {{.+}}>,
// CHECK-NOT:     vector<1xf16>
// CHECK:         conv.guarded_load %[[W20]]{{.*}} -> vector<4xf16>
// CHECK:         nvvm.barrier id = %c4_i32
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @short(%x: tensor<1x8x8x20xf16>, %w: tensor<16x1x3x20xf16>) -> tensor<1x8x8x16xf16> {
    %y = conv.forward %x, %w
        window = <strides = [1, 1], dilations = [1, 1], low = [0, 1], high = [0, 1]>
        layouts = <"NHWC", "KRSC", "NPQK">
        schedule = <kernel = #conv.line_buffer<workgroup = [64, 16], subgroup = [64, 16], gemm_k = 64, stages = 2,
                    atom = <wgmma 64 x 16 x 16>, raster = columns>>
        : tensor<1x8x8x20xf16>, tensor<16x1x3x20xf16> -> tensor<1x8x8x16xf16>
    return %y : tensor<1x8x8x16xf16>
  }
}

// -----

// CHECK:       gpu.func @short_rows_0(%{{.+}}: memref<1x8x8x16xf16, {{.+}}>, %[[W12:.+]]: memref<16x1x1x12xf16, {{.+}}>,
// CHECK-COUNT-8: conv.guarded_load %[[W12]]{{.*}} -> vector<4xf16>
// CHECK-NOT:     conv.guarded_load %[[W12]]
// CHECK-COUNT-4: llvm.store %{{.+}} {alignment = 16 : i64} : vector<8xf16>, !llvm.ptr<3>
// CHECK:         nvvm.barrier id = %c4_i32
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @short_rows(%dy: tensor<1x8x8x16xf16>, %w: tensor<16x1x1x12xf16>) -> tensor<1x8x8x12xf16> {
    %dx = conv.backward_data %dy, %w
        window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
        layouts = <"NHWC", "KRSC", "NPQK">
        schedule = <kernel = #conv.line_buffer<workgroup = [64, 16], subgroup = [64, 16], gemm_k = 64, stages = 2,
                    atom = <wgmma 64 x 16 x 16>, raster = columns>>
        : tensor<1x8x8x16xf16>, tensor<16x1x1x12xf16> -> tensor<1x8x8x12xf16>
    return %dx : tensor<1x8x8x12xf16>
  }
}

// -----

// The gradient of the first filter, in two parts of two images each: four steps of 64 positions. Of the 64 columns, groups
// of eight are two for each line.

// CHECK:       gpu.func @gradient_0(%[[DY:[^:]+]]: !llvm.ptr {conv.tensor_map}, %[[GX:.+]]: memref<4x16x16x3xf16, {{.+}}>, %[[PARTS:.+]]: memref<2x64x27xf32, {{.+}}>) kernel
// A lane's copy makes a stage "copied", a warpgroup's four warps make it "gathered", those of the other one "empty".
// CHECK-COUNT-4:   nvvm.mbarrier.init %{{.+}}, %c1_i32
// CHECK-COUNT-8:   nvvm.mbarrier.init %{{.+}}, %c4_i32
// The producer copies positions of 64 channels, and the lines that their windows are in.
// CHECK:         nvvm.setmaxregister decrease 32
// CHECK:           %[[IMAGES:.+]] = conv.address %[[GX]]
// CHECK:             scf.for %{{.+}} = %{{.+}} to %c4_i32
// CHECK:               nvvm.mbarrier.arrive.expect_tx
// CHECK:               nvvm.cp.async.bulk.tensor.shared.cluster.global {{.+}}, %[[DY]]
// CHECK:               nvvm.cp.async.bulk.shared.cluster.global
// One warpgroup multiplies, as with tiles that are copied, and stores each element that the filter has.
// CHECK:         nvvm.setmaxregister increase 160
// CHECK:           nvvm.wgmma.mma_async {{.+}}, <m = 64, n = 64, k = 16>, D[<f32>, <zero>], A[<f16>, <one>, <col>], B[<f16>, <one>, <row>]
// CHECK:           nvvm.wgmma.wait.group.sync.aligned 0
// CHECK-COUNT-32:  conv.guarded_store %{{.+}}, %[[PARTS]]{{.*}} : vector<1xf32>
// Two others take every second step each. All fragments of a step are loaded before one is written.
// CHECK:             scf.for %{{.+}} = %{{.+}} to %c4_i32{{.*}} step %c2_i32
// CHECK:               nvvm.mbarrier.try_wait.parity
// CHECK-NOT:           nvvm.stmatrix
// CHECK-COUNT-12:      llvm.load {{.+}} {alignment = 4 : i64} : !llvm.ptr<3> -> i32
// CHECK-NOT:           llvm.load
// CHECK-COUNT-3:       nvvm.stmatrix
// CHECK:               nvvm.fence.proxy
// CHECK-NEXT:          %{{.+}} = arith.constant
// CHECK-NEXT:          nvvm.bar.warp.sync
// CHECK:               nvvm.mbarrier.arrive
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @gradient(%x: tensor<4x16x16x3xf16>, %dy: tensor<4x8x8x64xf16>) -> tensor<64x3x3x3xf16> {
    %dw = conv.backward_weight %x, %dy
        window = <strides = [2, 2], dilations = [1, 1], low = [1, 1], high = [0, 0]>
        layouts = <"NHWC", "KRSC", "NPQK">
        schedule = <kernel = #conv.line_buffer<workgroup = [64, 64], subgroup = [64, 64], gemm_k = 64, stages = 4,
                    atom = <wgmma 64 x 64 x 16>, raster = columns>, splits = 2>
        : tensor<4x16x16x3xf16>, tensor<4x8x8x64xf16> -> tensor<64x3x3x3xf16>
    return %dw : tensor<64x3x3x3xf16>
  }
}

// -----

// The gradient of a 5x5 filter of four channels in two tiles of columns: groups of 16 for a line of 20 elements are eight
// fragments, of which each tile has four.

// CHECK:       gpu.func @columns_0(
// CHECK:         nvvm.wgmma.mma_async {{.+}}, <m = 64, n = 64, k = 16>
// CHECK-COUNT-4: nvvm.stmatrix
// CHECK-NOT:       nvvm.stmatrix
// CHECK:         %[[SECOND:.+]] = arith.cmpi eq, %{{.+}}, %c64_i32{{.*}} : i32
// CHECK-NEXT:    scf.if %[[SECOND]] {
// CHECK-COUNT-4:   nvvm.stmatrix
// CHECK-NOT:       nvvm.stmatrix
// CHECK:         nvvm.fence.proxy
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @columns(%x: tensor<4x16x16x4xf16>, %dy: tensor<4x16x16x64xf16>) -> tensor<64x5x5x4xf16> {
    %dw = conv.backward_weight %x, %dy
        window = <strides = [1, 1], dilations = [1, 1], low = [2, 2], high = [2, 2]>
        layouts = <"NHWC", "KRSC", "NPQK">
        schedule = <kernel = #conv.line_buffer<workgroup = [64, 64], subgroup = [64, 64], gemm_k = 64, stages = 4,
                    atom = <wgmma 64 x 64 x 16>, raster = columns>, splits = 2>
        : tensor<4x16x16x4xf16>, tensor<4x16x16x64xf16> -> tensor<64x5x5x4xf16>
    return %dw : tensor<64x5x5x4xf16>
  }
}
