// Groups that a view calls positions are no dimension of halo tiles: lanes store such a result, and nothing loads such a
// left operand.
// RUN: conv-opt %s --conv-lower-to-linalg --conv-lower-to-tiled > %t
// RUN: sed '/conv.scatter/s/batch = \[g = 4\]/batch = [h = 4]/' %t | conv-opt --conv-convert-tiles-to-kernels | FileCheck %s
// RUN: sed '/conv.gather %arg0/s/batch = \[g = 4\]/batch = [h = 4]/' %t | not conv-opt --conv-convert-tiles-to-kernels 2>&1 | FileCheck %s --check-prefix=LEFT

// CHECK:     gpu.func @groups_0(%{{.+}}: !llvm.ptr {conv.tensor_map}, %{{.+}}: !llvm.ptr {conv.tensor_map}, %{{.+}}: memref<8x28x28x128xbf16, {{.+}}>) kernel
// LEFT: error: expects halo tiles of positions, but got another view

#schedule = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [256, 32], subgroup = [128, 32], gemm_k = 64, stages = 7, atom = <wgmma 64 x 32 x 16>, raster = columns, halo_tile = [16, 16]>>
#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @groups(%x: tensor<8x28x28x128xbf16>, %w: tensor<128x3x3x32xbf16>) -> tensor<8x28x28x128xbf16> {
    %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> groups = 4 schedule = #schedule epilogue() {
    ^bb0(%acc: f32):
      %0 = arith.truncf %acc : f32 to bf16
      conv.yield %0 : bf16
    } : tensor<8x28x28x128xbf16>, tensor<128x3x3x32xbf16> -> tensor<8x28x28x128xbf16>
    return %y : tensor<8x28x28x128xbf16>
  }
}
