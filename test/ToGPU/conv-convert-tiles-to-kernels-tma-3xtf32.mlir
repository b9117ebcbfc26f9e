// RUN: conv-opt %s --conv-lower-to-linalg --conv-lower-to-tiled --conv-convert-tiles-to-kernels | FileCheck %s

// The gradient of a filter in f32: both operands have the reduction outermost in shared memory. Three warps beside the
// producer's make parts in tf32 of the right one, with the reduction innermost; consumers load the left one to registers,
// and multiply parts there: twelve products of a row of 32, the small ones first, are a sum that is added in f32.
#schedule = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [128, 64], subgroup = [64, 64], gemm_k = 32, stages = 4, atom = <wgmma_3xtf32 64 x 64 x 8>, raster = columns>>
#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>

// CHECK:       gpu.func @f_0(%[[X:.+]]: !llvm.ptr {conv.tensor_map}, %[[DY:.+]]: !llvm.ptr {conv.tensor_map}, %{{.+}}: !llvm.ptr {conv.tensor_map}) kernel
// Two tasks of a warp, of eight elements of a lane, are loaded together.
// CHECK-COUNT-16: llvm.load %{{.+}} : !llvm.ptr<3> -> f32
// CHECK:         llvm.fsub
// CHECK:         llvm.store %{{.+}} : vector<4xi32>, !llvm.ptr<3>
// CHECK:         nvvm.fence.proxy
// CHECK:         nvvm.wgmma.fence.aligned
// CHECK-COUNT-12: wgmma.mma_async.sync.aligned.m64n64k8.f32.tf32.tf32
// CHECK-NOT:     wgmma.mma_async
// CHECK:         nvvm.wgmma.commit.group.sync.aligned
// Elements of the next step are loaded meanwhile, and split after that: otherwise ptxas lets the instructions wait for each other.
// CHECK-COUNT-16: llvm.load %{{.+}} : !llvm.ptr<3> -> f32
// CHECK-NOT:     llvm.fsub
// CHECK:         nvvm.wgmma.wait.group.sync.aligned 0
// CHECK-COUNT-32: llvm.fadd
// CHECK-COUNT-16: llvm.fsub
// CHECK:       func.func @f
// Copies do not round.
// CHECK:         conv.tensor_map {{.+}} box = [32, 32, 1], element_strides = [1, 1, 1], swizzle = 128>
// CHECK:         conv.tensor_map {{.+}} box = [32, 32], element_strides = [1, 1, 1, 1], lower = [-1, -1], upper = [-1, -1], swizzle = 128>
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @f(%x: tensor<2x30x30x64xf32>, %dy: tensor<2x30x30x128xf32>) -> tensor<128x3x3x64xf32> {
    %dw = conv.backward_weight %x, %dy window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
        : tensor<2x30x30x64xf32>, tensor<2x30x30x128xf32> -> tensor<128x3x3x64xf32>
    return %dw : tensor<128x3x3x64xf32>
  }
}
