// RUN: conv-opt %s --split-input-file --conv-lower-to-linalg --conv-lower-to-tiled --conv-convert-tiles-to-kernels | FileCheck %s
// RUN: conv-opt %s --split-input-file --conv-lower-to-linalg --conv-lower-to-tiled --conv-convert-tiles-to-kernels --cse | FileCheck %s --check-prefix=LANES

// The gradient of a 3x3 filter with stride 2 for 80 channels. Each tap has two rows of 64 columns, whose copies read zeros
// after channel 80: a tile of 128 columns is one tap. Lanes store the 80 columns of a tap that are channels.
// CHECK-LABEL: gpu.module @gradient_kernels
// CHECK:       gpu.func @gradient_0(%[[DY:[^:]+]]: !llvm.ptr {conv.tensor_map}, %[[X:[^:]+]]: !llvm.ptr {conv.tensor_map}, %[[DW:.+]]: memref<48x3x3x80xbf16, {{.+}}>) kernel
// CHECK:         nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %[[DY]]
// CHECK:         %[[TAP:.+]] = arith.divui %{{.+}}, %c128_i32
// CHECK:         %[[CHANNEL:.+]] = arith.remui %{{.+}}, %c128_i32
// CHECK-COUNT-2: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %[[X]], %{{.+}}, box[%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}] im2col[%{{.+}}, %{{.+}}]
// CHECK-NOT:     nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK:         nvvm.wgmma.mma_async {{.+}} A[<bf16>, <one>, <col>], B[<bf16>, <one>, <row>]
// CHECK:         conv.guarded_store %{{.+}}, %[[DW]]
// CHECK:       func.func @gradient
// CHECK:         conv.tensor_map %{{.+}} <sizes = [48, 196, 1], strides = [96, 18816], box = [64, 64, 1]
// CHECK:         conv.tensor_map %{{.+}} <sizes = [80, 14, 28, 2], strides = [160, 2240, 62720], box = [64, 64], element_strides = [1, 2, 2, 1], lower = [-1, -1]
#schedule = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [64, 128], subgroup = [64, 128], gemm_k = 64, stages = 4, atom = <wgmma 64 x 128 x 16>, raster = columns>>
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @gradient(%x: tensor<2x28x14x80xbf16>, %dy: tensor<2x14x7x48xbf16>) -> tensor<48x3x3x80xbf16> {
    %dw = conv.backward_weight %x, %dy window = <strides = [2, 2], dilations = [1, 1], low = [1, 1], high = [0, 0]>
        layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule epilogue() {
    ^bb0(%acc: f32):
      %0 = arith.truncf %acc : f32 to bf16
      conv.yield %0 : bf16
    } : tensor<2x28x14x80xbf16>, tensor<2x14x7x48xbf16> -> tensor<48x3x3x80xbf16>
    return %dw : tensor<48x3x3x80xbf16>
  }
}

// -----

// The gradient of the input of a patch embedding. All 16 x 16 x 3 elements of a halo tile are columns of one product: the filter
// is a matrix of 80 x 768 elements, and a position one of 2 x 2 x 3 halo tiles.
// CHECK-LABEL: gpu.module @embedding_kernels
// CHECK:       gpu.func @embedding_0(%[[DY:[^:]+]]: !llvm.ptr {conv.tensor_map}, %[[W:[^:]+]]: !llvm.ptr {conv.tensor_map}, %[[DX:.+]]: memref<2x32x48x3xbf16, {{.+}}>) kernel
// CHECK:         nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %[[DY]], %{{.+}}, box[%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}] im2col
// CHECK-COUNT-2: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %[[W]], %{{.+}}, box[%{{.+}}, %{{.+}}] :
// CHECK-NOT:     nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK-NOT:   gpu.func
// CHECK:       func.func @embedding
// CHECK:         conv.tensor_map %{{.+}} <sizes = [80, 3, 2, 2], strides = [160, 480, 960], box = [64, 64]
// CHECK:         conv.tensor_map %{{.+}} <sizes = [768, 80], strides = [1536], box = [64, 64]
#schedule = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [64, 128], subgroup = [64, 128], gemm_k = 64, stages = 4, atom = <wgmma 64 x 128 x 16>, raster = columns>>
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @embedding(%dy: tensor<2x2x3x80xbf16>, %w: tensor<80x16x16x3xbf16>) -> tensor<2x32x48x3xbf16> {
    %dx = conv.backward_data %dy, %w window = <strides = [16, 16], dilations = [1, 1], low = [0, 0], high = [0, 0]>
        layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule epilogue() {
    ^bb0(%acc: f32):
      %0 = arith.truncf %acc : f32 to bf16
      conv.yield %0 : bf16
    } : tensor<2x2x3x80xbf16>, tensor<80x16x16x3xbf16> -> tensor<2x32x48x3xbf16>
    return %dx : tensor<2x32x48x3xbf16>
  }
}

// -----

// Windows of 7 elements with stride 4 overlap: of 4 x 4 dgrad phases, each has a row of 64 columns for its 48 channels. Element
// 4 * j + dgrad phase of the filter is found for each row, and is zero beyond the seventh.
// CHECK-LABEL: gpu.module @overlapping_kernels
// CHECK:       gpu.func @overlapping_0(%[[DY:[^:]+]]: !llvm.ptr {conv.tensor_map}, %[[W:[^:]+]]: !llvm.ptr {conv.tensor_map}, %{{.+}}: memref<2x18x18x48xbf16, {{.+}}>) kernel
// CHECK:         %[[RESIDUE:.+]] = arith.remui %{{.+}}, %c4_i32
// CHECK:         %[[FIRST:.+]] = arith.muli %{{.+}}, %c4_i32
// CHECK:         nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %[[W]], %{{.+}}, box[%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}] :
// Lanes find the dgrad phase and the place of a channel once for each row of 64 columns.
// LANES-LABEL: gpu.func @overlapping_0
// LANES-COUNT-8: nvvm.wgmma.mma_async
// LANES-COUNT-2: arith.remui %{{.+}}, %c64_i32
// LANES-NOT:     arith.remui %{{.+}}, %c64_i32
// LANES:       func.func @overlapping
// CHECK:       func.func @overlapping
// CHECK:         conv.tensor_map %{{.+}} <sizes = [48, 7, 7, 80], strides = [96, 672, 4704], box = [64, 1, 1, 64]
#schedule = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [64, 128], subgroup = [64, 128], gemm_k = 64, stages = 4, atom = <wgmma 64 x 128 x 16>, raster = columns>>
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @overlapping(%dy: tensor<2x5x5x80xbf16>, %w: tensor<80x7x7x48xbf16>) -> tensor<2x18x18x48xbf16> {
    %dx = conv.backward_data %dy, %w window = <strides = [4, 4], dilations = [1, 1], low = [3, 3], high = [3, 3]>
        layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule epilogue() {
    ^bb0(%acc: f32):
      %0 = arith.truncf %acc : f32 to bf16
      conv.yield %0 : bf16
    } : tensor<2x5x5x80xbf16>, tensor<80x7x7x48xbf16> -> tensor<2x18x18x48xbf16>
    return %dx : tensor<2x18x18x48xbf16>
  }
}

// -----

// Rows of 45 elements start within registers, and no copy stores them. They go to shared memory as others do, and each lane of a
// warp stores one element of a row, next to that of its neighbour.
// CHECK-LABEL: gpu.module @odd_kernels
// CHECK:       gpu.func @odd_0({{.+}}, %[[Y:[^:]+]]: memref<2x7x7x45xbf16, {{.+}}>) kernel
// CHECK:         nvvm.stmatrix
// CHECK:         nvvm.bar.warp.sync
// CHECK:         %[[ELEMENT:.+]] = llvm.load %{{.+}} : !llvm.ptr<3> -> vector<1xbf16>
// CHECK:         conv.guarded_store %[[ELEMENT]], %[[Y]]
// CHECK:       func.func @odd
// Those of 30 elements start at any register, and a lane stores two.
// CHECK-LABEL: gpu.module @even_kernels
// CHECK:         nvvm.stmatrix
// CHECK:         %[[PAIR:.+]] = llvm.load %{{.+}} : !llvm.ptr<3> -> vector<2xbf16>
// CHECK:         conv.guarded_store %[[PAIR]], %{{.+}}
// Rows of 21 elements are a part of a sector either way.
// CHECK-LABEL: gpu.module @few_kernels
// CHECK-NOT:     nvvm.stmatrix
// CHECK:       func.func @few
#schedule = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [64, 48], subgroup = [64, 48], gemm_k = 64, stages = 4, atom = <wgmma 64 x 48 x 16>, raster = columns>>
#narrow = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [64, 32], subgroup = [64, 32], gemm_k = 64, stages = 4, atom = <wgmma 64 x 32 x 16>, raster = columns>>
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @odd(%x: tensor<2x7x7x64xbf16>, %w: tensor<45x1x1x64xbf16>) -> tensor<2x7x7x45xbf16> {
    %y = conv.forward %x, %w window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
        layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule epilogue() {
    ^bb0(%acc: f32):
      %0 = arith.truncf %acc : f32 to bf16
      conv.yield %0 : bf16
    } : tensor<2x7x7x64xbf16>, tensor<45x1x1x64xbf16> -> tensor<2x7x7x45xbf16>
    return %y : tensor<2x7x7x45xbf16>
  }
  func.func @even(%x: tensor<2x7x7x64xbf16>, %w: tensor<30x1x1x64xbf16>) -> tensor<2x7x7x30xbf16> {
    %y = conv.forward %x, %w window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
        layouts = <"NHWC", "KRSC", "NPQK"> schedule = #narrow epilogue() {
    ^bb0(%acc: f32):
      %0 = arith.truncf %acc : f32 to bf16
      conv.yield %0 : bf16
    } : tensor<2x7x7x64xbf16>, tensor<30x1x1x64xbf16> -> tensor<2x7x7x30xbf16>
    return %y : tensor<2x7x7x30xbf16>
  }
  func.func @few(%x: tensor<2x7x7x64xbf16>, %w: tensor<21x1x1x64xbf16>) -> tensor<2x7x7x21xbf16> {
    %y = conv.forward %x, %w window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
        layouts = <"NHWC", "KRSC", "NPQK"> schedule = #narrow epilogue() {
    ^bb0(%acc: f32):
      %0 = arith.truncf %acc : f32 to bf16
      conv.yield %0 : bf16
    } : tensor<2x7x7x64xbf16>, tensor<21x1x1x64xbf16> -> tensor<2x7x7x21xbf16>
    return %y : tensor<2x7x7x21xbf16>
  }
}
