// RUN: conv-opt %s --conv-lower-to-linalg --conv-lower-to-tiled --conv-convert-tiles-to-kernels | FileCheck %s

// A 3x3 convolution of 2 x 30 x 30 pixels with 96 channels to 200 channels, by two consumer warpgroups of 128 x 128.
#schedule = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [256, 128], subgroup = [128, 128], gemm_k = 64, stages = 4, atom = <wgmma 64 x 128 x 16>, raster = columns>>
#window = #conv.window<strides = [1, 2], dilations = [1, 1], low = [1, 1], high = [1, 1]>

// CHECK:       llvm.mlir.global external @conv_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
// Operands and result are passed as tensor maps, the bias as an address.
// CHECK:       gpu.func @f_0(%[[X:[^:]+]]: !llvm.ptr {conv.tensor_map}, %[[W:[^:]+]]: !llvm.ptr {conv.tensor_map}, %[[BIAS:.+]]: memref<200xf16, {{.+}}>, %[[Y:[^:]+]]: !llvm.ptr {conv.tensor_map}{{.*}}) kernel
// CHECK-SAME:      known_block_size = array<i32: 384, 1, 1>
// CHECK-SAME:      nvvm.maxnreg = 168
// One work-item makes the barriers: full counts the producer, empty the eight warps that multiply.
// CHECK:         nvvm.mbarrier.init
// CHECK:         nvvm.fence.mbarrier.init
// CHECK:         gpu.barrier
// So much is done before the kernels in front of this one have ended.
// CHECK-NEXT:    nvvm.griddepcontrol launch_dependents
// CHECK-NEXT:    nvvm.griddepcontrol wait
// The producer: one lane goes over tiles, taps and channels. 96 channels take two steps.
// CHECK:         scf.if
// CHECK:           nvvm.setmaxregister decrease 40
// CHECK:           nvvm.elect.sync
// CHECK:             scf.for
// CHECK:               scf.for
// CHECK:                 scf.for
// CHECK:                   nvvm.mbarrier.try_wait.parity
// CHECK:                   nvvm.mbarrier.arrive.expect_tx
// CHECK:                   nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %[[X]], %{{.+}}, box[%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}] im2col[%{{.+}}, %{{.+}}]
// CHECK:                   nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %[[W]], %{{.+}}, box[%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}]
// CHECK:         } else {
// The consumers: the first step writes the sums of two atoms, the others add to them.
// CHECK:           nvvm.setmaxregister increase 232
// CHECK:           scf.for
// What the epilogue reads first is on its way while the sums are computed, guarded since 128 does not divide 200.
// CHECK:             conv.guarded_load %[[BIAS]]{{.*}} -> vector<2xf16>
// CHECK:             %[[FIRST:.+]] = vector.from_elements {{.+}} : vector<16xf16>
// CHECK:             nvvm.mbarrier.try_wait.parity
// CHECK:             nvvm.wgmma.fence.aligned
// CHECK-COUNT-2:     nvvm.wgmma.mma_async {{.+}} D[<f32>, <zero>]
// CHECK-COUNT-6:     nvvm.wgmma.mma_async {{.+}} D[<f32>, <one>]
// CHECK:             nvvm.wgmma.commit.group.sync.aligned
// CHECK:             scf.for
// CHECK:               nvvm.mbarrier.try_wait.parity
// CHECK-COUNT-8:       nvvm.wgmma.mma_async {{.+}} D[<f32>, <one>]
// CHECK:               nvvm.wgmma.wait.group.sync.aligned 1
// CHECK:               nvvm.mbarrier.arrive
// CHECK:             nvvm.wgmma.wait.group.sync.aligned 0
// The epilogue on 32 channels of two rows, while the operands of the next ones are loaded; then the store.
// CHECK:             conv.guarded_load %[[BIAS]]{{.*}} -> vector<2xf16>
// CHECK:             nvvm.cp.async.bulk.wait_group 0 {read}
// CHECK:             nvvm.barrier id
// CHECK:             %[[SUMS:.+]] = vector.from_elements {{.+}} : vector<16xf32>
// CHECK:             %[[WIDE:.+]] = arith.extf %[[FIRST]] : vector<16xf16>
// CHECK:             arith.addf %[[SUMS]], %[[WIDE]] : vector<16xf32>
// CHECK:             nvvm.stmatrix
// CHECK:             nvvm.fence.proxy
// CHECK:             nvvm.cp.async.bulk.tensor.global.shared.cta %[[Y]]
// CHECK:             nvvm.cp.async.bulk.commit.group
// CHECK:       func.func @f(%[[ARG0:.+]]: memref<{{.+}}>, %[[ARG1:.+]]: memref<{{.+}}>, %[[ARG2:.+]]: memref<{{.+}}>, %[[ARG3:.+]]: memref<{{.+}}>)
// CHECK:         %[[MAPX:.+]] = conv.tensor_map %[[ARG0]] <sizes = [96, 30, 30, 2], strides = [192, 5760, 172800], box = [64, 256], element_strides = [1, 2, 1, 1], lower = [-1, -1], upper = [-2, -1], swizzle = 128>
// CHECK:         %[[MAPW:.+]] = conv.tensor_map %[[ARG1]] <sizes = [96, 3, 3, 200], strides = [192, 576, 1728], box = [64, 1, 1, 128], element_strides = [1, 1, 1, 1], swizzle = 128>
// CHECK:         %[[MAPY:.+]] = conv.tensor_map %[[ARG3]] <sizes = [200, 900], strides = [400], box = [64, 64], element_strides = [1, 1], swizzle = 128>
// ceil(900 / 256) * ceil(200 / 128) tiles, which is fewer than there are compute units.
// CHECK:         %[[GRID:.+]] = arith.constant 8 : index
// CHECK:         gpu.launch_func @f_kernels::@f_0 blocks in (%[[GRID]], {{.+}} args(%[[MAPX]] : !llvm.ptr, %[[MAPW]] : !llvm.ptr, %[[ARG2]] : memref<{{.+}}>, %[[MAPY]] : !llvm.ptr,
// Operands that the copy engine locates are prefetched by their addresses, too.
// CHECK-SAME:      %[[ARG0]] : memref<{{.+}}>, %[[ARG1]] : memref<{{.+}}>)
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @f(%x: tensor<2x30x30x96xf16>, %w: tensor<200x3x3x96xf16>, %bias: tensor<200xf16>) -> tensor<2x30x15x200xf16> {
    %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule epilogue(%bias : tensor<200xf16>) {
    ^bb0(%acc: f32, %b: f16):
      %0 = arith.extf %b : f16 to f32
      %1 = arith.addf %acc, %0 : f32
      %2 = arith.truncf %1 : f32 to f16
      conv.yield %2 : f16
    } : tensor<2x30x30x96xf16>, tensor<200x3x3x96xf16> -> tensor<2x30x15x200xf16>
    return %y : tensor<2x30x15x200xf16>
  }
}
