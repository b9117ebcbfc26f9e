// RUN: conv-opt %s --split-input-file --conv-lower-to-linalg --conv-lower-to-tiled --conv-convert-tiles-to-kernels | FileCheck %s

// A 3x3 convolution of 2 x 20 x 30 positions with 96 channels to 200 channels. A tile is a halo tile of 16 x 16 positions;
// each of two consumer warpgroups has two blocks of 8 x 8 of them, side by side.
#schedule = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [256, 128], subgroup = [128, 128], gemm_k = 64, stages = 5, atom = <wgmma 64 x 128 x 16>, raster = columns, halo_tile = [16, 16]>>
#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>

// CHECK:       gpu.func @f_0(%[[X:[^:]+]]: !llvm.ptr {conv.tensor_map}, %[[W:[^:]+]]: !llvm.ptr {conv.tensor_map}, %[[BIAS:.+]]: memref<200xf16, {{.+}}>, %[[Y:[^:]+]]: !llvm.ptr {conv.tensor_map}{{.*}}) kernel
// Barriers of five stages of filters, then of two slots of halo tiles.
// CHECK-COUNT-10: nvvm.mbarrier.init
// CHECK:         nvvm.fence.mbarrier.init
// CHECK-COUNT-4: nvvm.mbarrier.init
// CHECK:         nvvm.fence.mbarrier.init
// The producer, for 48 channels of rows of 64, half of the 96: one halo tile with its halo of 18 x 18 elements of 128 bytes, then the filter tap by tap.
// CHECK:         scf.if
// CHECK:           nvvm.elect.sync
// CHECK:             scf.for
// CHECK:               scf.for
// CHECK:                 nvvm.mbarrier.try_wait.parity
// CHECK:                 nvvm.mbarrier.arrive.expect_tx %{{.+}}, %c41472
// CHECK:                 nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %[[X]], %{{.+}}, box[%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}] :
// CHECK:                 scf.for
// CHECK:                   nvvm.mbarrier.try_wait.parity
// CHECK:                   nvvm.mbarrier.arrive.expect_tx %{{.+}}, %c16384
// CHECK-NOT:               %[[X]]
// CHECK:                   nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %[[W]], %{{.+}}, box[%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}]
// CHECK:         } else {
// The consumers, for the first 48 channels: the first tap writes the sums, the others add to them.
// CHECK:           scf.for
// CHECK:             nvvm.mbarrier.try_wait.parity
// CHECK:             nvvm.mbarrier.try_wait.parity
// Halves of descriptors meet where LLVM does not see them.
// CHECK:             llvm.inline_asm asm_dialect = att "mov.b64 $0, {$1, $2};"
// CHECK-COUNT-2:     nvvm.wgmma.mma_async {{.+}} D[<f32>, <zero>]
// CHECK-COUNT-4:     nvvm.wgmma.mma_async {{.+}} D[<f32>, <one>]
// CHECK:             scf.for
// CHECK:               nvvm.mbarrier.try_wait.parity
// CHECK-COUNT-6:       nvvm.wgmma.mma_async {{.+}} D[<f32>, <one>]
// CHECK:               nvvm.mbarrier.arrive
// For the others: after the first tap, the stage of the last one and the halo tile before are released.
// CHECK:             scf.for
// CHECK:               nvvm.mbarrier.try_wait.parity
// CHECK:               nvvm.mbarrier.try_wait.parity
// CHECK-COUNT-6:       nvvm.wgmma.mma_async {{.+}} D[<f32>, <one>]
// CHECK:               nvvm.wgmma.wait.group.sync.aligned 1
// CHECK-COUNT-2:       nvvm.mbarrier.arrive
// CHECK:               scf.for
// CHECK:                 nvvm.mbarrier.try_wait.parity
// CHECK-COUNT-6:         nvvm.wgmma.mma_async {{.+}} D[<f32>, <one>]
// CHECK:                 nvvm.mbarrier.arrive
// CHECK:             nvvm.wgmma.wait.group.sync.aligned 0
// CHECK-COUNT-2:     nvvm.mbarrier.arrive
// Boxes of the result are blocks of positions.
// CHECK:             nvvm.stmatrix
// CHECK:             nvvm.cp.async.bulk.tensor.global.shared.cta %[[Y]], %{{.+}}, box[%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}]
// CHECK:       func.func @f(%[[ARG0:.+]]: memref<{{.+}}>, %[[ARG1:.+]]: memref<{{.+}}>, %[[ARG2:.+]]: memref<{{.+}}>, %[[ARG3:.+]]: memref<{{.+}}>)
// CHECK:         conv.tensor_map %[[ARG0]] <sizes = [96, 30, 20, 2], strides = [192, 5760, 115200], box = [64, 18, 18, 1], element_strides = [1, 1, 1, 1], swizzle = 128>
// CHECK:         conv.tensor_map %[[ARG1]] <sizes = [96, 3, 3, 200], strides = [192, 576, 1728], box = [64, 1, 1, 128], element_strides = [1, 1, 1, 1], swizzle = 128>
// CHECK:         conv.tensor_map %[[ARG3]] <sizes = [200, 30, 20, 2], strides = [400, 12000, 240000], box = [64, 8, 8, 1], element_strides = [1, 1, 1, 1], swizzle = 128>
// 2 * 2 * 2 halo tiles by ceil(200 / 128).
// CHECK:         %[[GRID:.+]] = arith.constant 16 : index
// CHECK:         gpu.launch_func @f_kernels::@f_0 blocks in (%[[GRID]], {{.+}}
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @f(%x: tensor<2x20x30x96xf16>, %w: tensor<200x3x3x96xf16>, %bias: tensor<200xf16>) -> tensor<2x20x30x200xf16> {
    %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule epilogue(%bias : tensor<200xf16>) {
    ^bb0(%acc: f32, %b: f16):
      %0 = arith.extf %b : f16 to f32
      %1 = arith.addf %acc, %0 : f32
      %2 = arith.truncf %1 : f32 to f16
      conv.yield %2 : f16
    } : tensor<2x20x30x96xf16>, tensor<200x3x3x96xf16> -> tensor<2x20x30x200xf16>
    return %y : tensor<2x20x30x200xf16>
  }
}

// -----

// A volume of 5 x 20 x 30 positions: halo tiles are of one layer, and for each of three layers of taps the producer copies
// those of another one.
#schedule = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [128, 64], subgroup = [64, 64], gemm_k = 64, stages = 5, atom = <wgmma 64 x 64 x 16>, raster = columns, halo_tile = [8, 16]>>
#window = #conv.window<strides = [1, 1, 1], dilations = [1, 1, 1], low = [1, 1, 1], high = [1, 1, 1]>

// CHECK:       gpu.func @volume_0(%[[X:[^:]+]]: !llvm.ptr {conv.tensor_map}, %[[W:[^:]+]]: !llvm.ptr {conv.tensor_map}, %[[Y:[^:]+]]: !llvm.ptr {conv.tensor_map}{{.*}}) kernel
// 10 x 18 elements of 128 bytes, for three layers of two rows of 48 channels.
// CHECK:         scf.for %{{.+}} = %{{.+}} to %c288_i32 step %c48
// CHECK:           nvvm.mbarrier.arrive.expect_tx %{{.+}}, %c23040
// CHECK:           nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %[[X]], %{{.+}}, box[%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}] :
// CHECK:           scf.for %{{.+}} = %{{.+}} to %c9_i32 step
// CHECK:             nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %[[W]]
// CHECK:         conv.tensor_map {{.+}} <sizes = [96, 30, 20, 5, 2], {{.+}} box = [64, 18, 10, 1, 1]
// CHECK:         conv.tensor_map {{.+}} <sizes = [64, 30, 20, 5, 2], {{.+}} box = [64, 8, 8, 1, 1]
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @volume(%x: tensor<2x5x20x30x96xf16>, %w: tensor<64x3x3x3x96xf16>) -> tensor<2x5x20x30x64xf16> {
    %y = conv.forward %x, %w window = #window layouts = <"NDHWC", "KTRSC", "NZPQK"> schedule = #schedule epilogue() {
    ^bb0(%acc: f32):
      %0 = arith.truncf %acc : f32 to f16
      conv.yield %0 : f16
    } : tensor<2x5x20x30x96xf16>, tensor<64x3x3x3x96xf16> -> tensor<2x5x20x30x64xf16>
    return %y : tensor<2x5x20x30x64xf16>
  }
}
