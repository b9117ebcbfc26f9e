// RUN: conv-compile %s --target gfx90a --emit asm | FileCheck %s
// RUN: conv-compile %s --target gfx942 --emit asm | FileCheck %s
// RUN: conv-compile %s --target gfx950 --emit asm | FileCheck %s
// RUN: conv-compile %s --target gfx1100 --emit asm | FileCheck %s
// RUN: conv-compile %s --target gfx1201 --emit asm | FileCheck %s
// RUN: conv-compile %s --target gfx1250 --emit asm | FileCheck %s

// A product that is converted to f16 takes one instruction, which adds a third
// operand: -0 in a register, not the constant +0, which would make +0 of -0.
// CHECK-LABEL: {{^}}scaled_0:
// CHECK-NOT: v_fma_mix{{.*}}, 0{{ |$}}
// CHECK: v_fma_mix{{lo|hi}}_f16
// CHECK-NOT: v_fma_mix{{.*}}, 0{{ |$}}
// CHECK: .amdhsa_kernel
func.func @scaled(%x: tensor<1x4x4x1xf16>, %w: tensor<16x1x1x1xf16>) -> tensor<1x4x4x16xf16> {
  %scale = arith.constant -0.375 : f32
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<1x4x4x1xf16>, tensor<16x1x1x1xf16> -> tensor<1x4x4x16xf32>
  %empty = tensor.empty() : tensor<1x4x4x16xf16>
  %z = linalg.generic {
      indexing_maps = [affine_map<(n, p, q, k) -> (n, p, q, k)>,
                       affine_map<(n, p, q, k) -> (n, p, q, k)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%y : tensor<1x4x4x16xf32>) outs(%empty : tensor<1x4x4x16xf16>) {
  ^bb0(%sum: f32, %out: f16):
    %scaled = arith.mulf %sum, %scale : f32
    %half = arith.truncf %scaled : f32 to f16
    linalg.yield %half : f16
  } -> tensor<1x4x4x16xf16>
  return %z : tensor<1x4x4x16xf16>
}
