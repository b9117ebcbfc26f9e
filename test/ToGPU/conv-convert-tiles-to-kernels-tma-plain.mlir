// RUN: conv-opt %s --conv-lower-to-linalg --conv-lower-to-tiled --conv-convert-tiles-to-kernels | FileCheck %s

// Rows of 104 results are no swizzled ones: all columns leave in one box. They become results as 64 and 40 columns,
// of which the last eight are half of what one stmatrix writes; a residual comes to the same places.

#schedule = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [128, 104], subgroup = [64, 104], gemm_k = 64, stages = 6, atom = <wgmma 64 x 104 x 16>, raster = columns>>
#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>

// CHECK-LABEL: gpu.func @plain_0(
// CHECK:         nvvm.wgmma.mma_async {{.+}} <m = 64, n = 104, k = 16>
// CHECK-COUNT-6: nvvm.stmatrix %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} {
// CHECK:         nvvm.stmatrix %{{[^,]+}}, %{{[^,]+}}, %{{[^,]+}} {
// CHECK-NOT:     nvvm.stmatrix
// CHECK:         nvvm.cp.async.bulk.tensor.global.shared.cta
// CHECK-NOT:     nvvm.cp.async.bulk.tensor.global.shared.cta
// CHECK-LABEL: func.func @plain
// CHECK:         conv.tensor_map %{{.+}} <sizes = [512, 98], strides = [1024], box = [104, 64], element_strides = [1, 1], swizzle = 16>

// CHECK-LABEL: gpu.func @residual_0(
// CHECK:         nvvm.mbarrier.arrive.expect_tx %{{.+}}, %c13312_i32
// CHECK-COUNT-6: nvvm.ldmatrix %{{.+}} {eltType = {{.+}}, layout = {{.+}}, num = 4
// CHECK:         nvvm.ldmatrix %{{.+}} {eltType = {{.+}}, layout = {{.+}}, num = 2
// CHECK-NOT:     nvvm.ldmatrix
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @plain(%x: tensor<2x7x7x2048xf16>, %w: tensor<512x1x1x2048xf16>) -> tensor<2x7x7x512xf16> {
    %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
        : tensor<2x7x7x2048xf16>, tensor<512x1x1x2048xf16> -> tensor<2x7x7x512xf16>
    return %y : tensor<2x7x7x512xf16>
  }
  func.func @residual(%x: tensor<2x7x7x2048xf16>, %w: tensor<512x1x1x2048xf16>,
      %residual: tensor<2x7x7x512xf16>) -> tensor<2x7x7x512xf16> {
    %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
        epilogue(%residual : tensor<2x7x7x512xf16>) {
    ^bb0(%sum: f32, %r: f16):
      %0 = arith.extf %r : f16 to f32
      %1 = arith.addf %sum, %0 : f32
      %2 = arith.truncf %1 : f32 to f16
      conv.yield %2 : f16
    } : tensor<2x7x7x2048xf16>, tensor<512x1x1x2048xf16> -> tensor<2x7x7x512xf16>
    return %y : tensor<2x7x7x512xf16>
  }
}
