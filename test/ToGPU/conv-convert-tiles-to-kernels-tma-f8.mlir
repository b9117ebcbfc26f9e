// RUN: conv-opt %s --conv-lower-to-linalg --conv-lower-to-tiled --conv-convert-tiles-to-kernels --split-input-file | FileCheck %s

// Rows of 128 bytes have 128 8-bit floats, of which an instruction takes 32, and the two operands may have different
// formats. Four instructions make a sum of their own, which is then added to the others in f32: both atoms are under way
// when the first one's are. Copies leave bytes as they are.
#schedule = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [128, 32], subgroup = [128, 32], gemm_k = 128, stages = 4, atom = <wgmma 64 x 32 x 32>, raster = columns, promotion = 128>>
#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>

// CHECK:       gpu.func @f_0(%[[X:[^:]+]]: !llvm.ptr {conv.tensor_map}, %[[W:[^:]+]]: !llvm.ptr {conv.tensor_map}, %[[Y:[^:]+]]: !llvm.ptr {conv.tensor_map}{{.*}}) kernel
// CHECK:         llvm.mlir.zero : !llvm.struct<(f32, {{.+}}
// CHECK:         nvvm.wgmma.fence.aligned
// CHECK:         nvvm.wgmma.mma_async {{.+}} <m = 64, n = 32, k = 32>, D[<f32>, <zero>], A[<e4m3>, <one>, <row>], B[<e5m2>, <one>, <col>] : !llvm.struct<(f32, {{.+}}
// CHECK-COUNT-3: nvvm.wgmma.mma_async {{.+}} <m = 64, n = 32, k = 32>, D[<f32>, <one>], A[<e4m3>, <one>, <row>], B[<e5m2>, <one>, <col>]
// CHECK:         nvvm.wgmma.commit.group.sync.aligned
// CHECK:         D[<f32>, <zero>]
// CHECK-COUNT-3: D[<f32>, <one>]
// CHECK:         nvvm.wgmma.commit.group.sync.aligned
// CHECK:         nvvm.wgmma.wait.group.sync.aligned 1
// CHECK-COUNT-16: llvm.fadd
// CHECK:         nvvm.wgmma.wait.group.sync.aligned 0
// CHECK-COUNT-16: llvm.fadd
// CHECK:         nvvm.mbarrier.arrive
// Results of 8 bits are stored to shared memory as pairs.
// CHECK:         arith.truncf %{{.+}} : vector<{{.+}}xf32> to vector<{{.+}}xf8E4M3FN>
// CHECK:         arith.bitcast %{{.+}} : vector<2xf8E4M3FN> to vector<2xi8>
// CHECK:         llvm.store %{{.+}} : i16, !llvm.ptr<3>
// CHECK:         conv.tensor_map {{.+}} <sizes = [144, 8, 8, 2], strides = [144, 1152, 9216], box = [128, 128], element_strides = [1, 1, 1, 1], lower = [-1, -1], upper = [-1, -1], swizzle = 128>
// CHECK:         conv.tensor_map {{.+}} <sizes = [144, 3, 3, 32], strides = [144, 432, 1296], box = [128, 1, 1, 32], element_strides = [1, 1, 1, 1], swizzle = 128>
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @f(%x: tensor<2x8x8x144xf8E4M3FN>, %w: tensor<32x3x3x144xf8E5M2>) -> tensor<2x8x8x32xf8E4M3FN> {
    %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> arithmetic = promoted schedule = #schedule
        : tensor<2x8x8x144xf8E4M3FN>, tensor<32x3x3x144xf8E5M2> -> tensor<2x8x8x32xf8E4M3FN>
    return %y : tensor<2x8x8x32xf8E4M3FN>
  }
}

// -----

// With a promotion of 64, two instructions make a sum, twice in a step.
#schedule = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [64, 32], subgroup = [64, 32], gemm_k = 128, stages = 4, atom = <wgmma 64 x 32 x 32>, raster = columns, promotion = 64>>
#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>

// CHECK-LABEL: gpu.func @halves_0(
// CHECK:         D[<f32>, <zero>], A[<e4m3>
// CHECK:         D[<f32>, <one>]
// CHECK-NOT:     wgmma.mma_async
// CHECK:         nvvm.wgmma.wait.group.sync.aligned 0
// CHECK-COUNT-16: llvm.fadd
// CHECK:         D[<f32>, <zero>], A[<e4m3>
// CHECK:         D[<f32>, <one>]
// CHECK-NOT:     wgmma.mma_async
// CHECK:         nvvm.wgmma.wait.group.sync.aligned 0
// CHECK-COUNT-16: llvm.fadd
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @halves(%x: tensor<1x8x8x256xf8E4M3FN>, %w: tensor<32x1x1x256xf8E4M3FN>) -> tensor<1x8x8x32xf32> {
    %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> arithmetic = promoted schedule = #schedule
        : tensor<1x8x8x256xf8E4M3FN>, tensor<32x1x1x256xf8E4M3FN> -> tensor<1x8x8x32xf32>
    return %y : tensor<1x8x8x32xf32>
  }
}
