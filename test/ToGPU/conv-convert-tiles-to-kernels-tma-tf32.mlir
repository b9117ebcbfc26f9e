// RUN: conv-opt %s --conv-lower-to-linalg --conv-lower-to-tiled --conv-convert-tiles-to-kernels | FileCheck %s

// f32 is rounded to tf32 by the copies: rows of 128 bytes have 32 elements, of which an instruction takes 8. Of the
// result, which has four bytes an element, lanes write pairs to shared memory, and copies take chunks of 32 columns.
#schedule = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [128, 64], subgroup = [64, 64], gemm_k = 32, stages = 4, atom = <wgmma 64 x 64 x 8>, raster = columns>>
#window = #conv.window<strides = [1, 2], dilations = [1, 1], low = [1, 1], high = [1, 1]>

// CHECK:       gpu.func @f_0(%[[X:[^:]+]]: !llvm.ptr {conv.tensor_map}, %[[W:[^:]+]]: !llvm.ptr {conv.tensor_map}, %[[Y:[^:]+]]: !llvm.ptr {conv.tensor_map}{{.*}}) kernel
// 36 channels are two rows.
// CHECK:         arith.constant 32 : i32
// CHECK:         nvvm.wgmma.fence.aligned
// CHECK:         nvvm.wgmma.mma_async {{.+}} <m = 64, n = 64, k = 8>, D[<f32>, <zero>], A[<tf32>, <one>, <row>], B[<tf32>, <one>, <col>]
// CHECK-COUNT-3: nvvm.wgmma.mma_async {{.+}} <m = 64, n = 64, k = 8>, D[<f32>, <one>], A[<tf32>, <one>, <row>], B[<tf32>, <one>, <col>]
// CHECK:         nvvm.wgmma.commit.group.sync.aligned
// CHECK-NOT:     nvvm.stmatrix
// CHECK:         llvm.bitcast %{{.+}} : vector<2xf32> to i64
// CHECK:         llvm.store %{{.+}}, %{{.+}} : i64, !llvm.ptr<3>
// CHECK:         nvvm.cp.async.bulk.tensor.global.shared.cta %[[Y]]
// CHECK:         nvvm.cp.async.bulk.tensor.global.shared.cta %[[Y]]
// CHECK:       func.func @f(%[[ARG0:.+]]: memref<{{.+}}>, %[[ARG1:.+]]: memref<{{.+}}>, %[[ARG2:.+]]: memref<{{.+}}>)
// CHECK:         conv.tensor_map %[[ARG0]] <sizes = [36, 30, 30, 2], strides = [144, 4320, 129600], box = [32, 128], element_strides = [1, 2, 1, 1], lower = [-1, -1], upper = [-2, -1], swizzle = 128, arithmetic = tf32>
// CHECK:         conv.tensor_map %[[ARG1]] <sizes = [36, 3, 3, 64], strides = [144, 432, 1296], box = [32, 1, 1, 64], element_strides = [1, 1, 1, 1], swizzle = 128, arithmetic = tf32>
// CHECK:         conv.tensor_map %[[ARG2]] <sizes = [64, 900], strides = [256], box = [32, 64], element_strides = [1, 1], swizzle = 128>
// CHECK-NOT:     conv.tensor_map

// Both operands of the gradient of a filter have the reduction outermost. Of three stages, two warps round the right one in
// turns, with the loads of four instructions together. Instructions add up all steps.
#gradient = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [64, 32], subgroup = [64, 32], gemm_k = 32, stages = 3, atom = <wgmma 64 x 32 x 8>, raster = columns>>
#taps = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>

// CHECK-LABEL: gpu.func @g_0(
// CHECK:         arith.cmpi ult, %{{.+}}, %c2_i32
// A warp waits for its own place to be empty first, then for the stage: otherwise it might take an earlier phase for its own.
// CHECK:         %[[EMPTY:.+]] = arith.xori
// CHECK-NOT:     nvvm.mbarrier.try_wait.parity
// CHECK:         nvvm.mbarrier.try_wait.parity %{{.+}}, %[[EMPTY]], %
// CHECK-NOT:     {{llvm.load|arith.xori}}
// CHECK:         nvvm.mbarrier.try_wait.parity %{{.+}}, %arg
// CHECK-COUNT-32: llvm.load %{{.+}} : !llvm.ptr<3> -> f32
// CHECK-COUNT-32: nvvm.convert.float.to.tf32
// CHECK-NOT:     llvm.fadd
// The last step is apart, since it loads nothing ahead.
// CHECK-COUNT-8: wgmma.mma_async.sync.aligned.m64n32k8.f32.tf32.tf32
// CHECK-NOT:     {{llvm.fadd|wgmma.mma_async}}
// CHECK:       func.func @g
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @f(%x: tensor<2x30x30x36xf32>, %w: tensor<64x3x3x36xf32>) -> tensor<2x30x15x64xf32> {
    %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> arithmetic = tf32 schedule = #schedule
        : tensor<2x30x30x36xf32>, tensor<64x3x3x36xf32> -> tensor<2x30x15x64xf32>
    return %y : tensor<2x30x15x64xf32>
  }

  func.func @g(%x: tensor<2x30x30x32xf32>, %dy: tensor<2x30x30x64xf32>) -> tensor<64x1x1x32xf32> {
    %dw = conv.backward_weight %x, %dy window = #taps layouts = <"NHWC", "KRSC", "NPQK"> arithmetic = tf32 schedule = #gradient
        : tensor<2x30x30x32xf32>, tensor<2x30x30x64xf32> -> tensor<64x1x1x32xf32>
    return %dw : tensor<64x1x1x32xf32>
  }
}
