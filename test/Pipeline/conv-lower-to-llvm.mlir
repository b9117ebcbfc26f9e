// RUN: conv-opt %s --conv-lower-to-conv --conv-lower-to-linalg --conv-lower-to-tiled --conv-lower-to-gpu | conv-opt --conv-lower-to-llvm --dump-pass-pipeline 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=LIST < %t

// LIST:      builtin.module(
// LIST-NEXT: conv-set-target{target=},
// LIST-NEXT: conv-run-backend{device-libraries= stage=llvm},
// LIST-NEXT: conv-verify-stage{stage=llvm}
// LIST-NEXT: )

// Its kernel is in LLVM dialects; what launches it stays.
// CHECK: gpu.module @layer_kernels
// CHECK: llvm.func @layer_0
// CHECK: rocdl.mfma
// CHECK: gpu.launch_func @layer_kernels::@layer_0
module attributes {conv.target = #conv.target<"gfx942">} {
  func.func @layer(%x: tensor<1x8x8x16xf16>, %w: tensor<32x3x3x16xf16>) -> tensor<1x8x8x32xf32> {
    %y = conv.forward %x, %w
        window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NPQK">
        : tensor<1x8x8x16xf16>, tensor<32x3x3x16xf16> -> tensor<1x8x8x32xf32>
    return %y : tensor<1x8x8x32xf32>
  }
}
