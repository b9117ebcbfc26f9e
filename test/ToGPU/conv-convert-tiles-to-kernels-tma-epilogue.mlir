// RUN: conv-opt %s --conv-lower-to-linalg --conv-lower-to-tiled --conv-convert-tiles-to-kernels | FileCheck %s

// Sums take 192 of 232 registers: two operands of the epilogue would be loaded for 8 channels at a time, but two rows of 16
// are the least that is stored.

// CHECK-LABEL: gpu.func @f_0
// CHECK-SAME:      %[[BIAS:[a-z0-9]+]]: memref<768xf32
// CHECK:         nvvm.setmaxregister increase 232
// CHECK:           %[[FIRST:.+]] = vector.from_elements {{.+}} : vector<8xf32>
// CHECK:           nvvm.wgmma.mma_async
// CHECK:           arith.addf %{{.+}}, %[[FIRST]] : vector<8xf32>
// CHECK:           nvvm.stmatrix
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @f(%x: tensor<32x28x28x512xbf16>, %w: tensor<768x3x3x512xbf16>, %bias: tensor<768xf32>,
      %residual: tensor<32x28x28x768xbf16>) -> tensor<32x28x28x768xbf16> {
    %y = conv.forward %x, %w
        window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NPQK">
        schedule = <kernel = #conv.warpgroup_gemm<workgroup = [256, 192], subgroup = [128, 192], gemm_k = 64, stages = 3,
                    atom = <wgmma 64 x 192 x 16>, raster = columns>>
        epilogue(%bias : tensor<768xf32>, %residual : tensor<32x28x28x768xbf16>) {
    ^bb0(%sum: f32, %b: f32, %r: bf16):
      %0 = arith.addf %sum, %b : f32
      %1 = arith.extf %r : bf16 to f32
      %2 = arith.addf %0, %1 : f32
      %3 = arith.truncf %2 : f32 to bf16
      conv.yield %3 : bf16
    } : tensor<32x28x28x512xbf16>, tensor<768x3x3x512xbf16> -> tensor<32x28x28x768xbf16>
    return %y : tensor<32x28x28x768xbf16>
  }
}
