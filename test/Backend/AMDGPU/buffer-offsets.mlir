// RUN: conv-compile %s --target gfx90a --emit asm | FileCheck %s
// RUN: conv-compile %s --target gfx942 --emit asm | FileCheck %s
// RUN: conv-compile %s --target gfx950 --emit asm | FileCheck %s
// RUN: conv-compile %s --target gfx1100 --emit asm | FileCheck %s
// RUN: conv-compile %s --target gfx1201 --emit asm | FileCheck %s
// RUN: conv-run %s --device sim --target gfx90a --verify
// RUN: conv-run %s --device sim --target gfx942 --verify
// RUN: conv-run %s --device sim --target gfx1100 --verify
// RUN: conv-run %s --device sim --target gfx1201 --verify

// A strided data gradient walks its filter backwards: offsets are sums of a
// constant and of what may be below zero. Such a constant is not left to the
// instruction, whose bounds check would have to see the wrapped sum.
// CHECK-LABEL: {{^}}strided_data_0:
// CHECK-NOT: buffer_load_b128 {{.*}} offset:
// CHECK-NOT: buffer_load_dwordx4 {{.*}} offset:
// CHECK: .amdhsa_kernel
func.func @strided_data(%grad: tensor<1x4x2x64xf16>, %filter: tensor<64x3x1x1xf16>)
    -> tensor<1x8x4x1xf16> {
  %0 = conv.backward_data %grad, %filter
      window = <strides = [2, 2], dilations = [1, 1], low = [1, 0], high = [1, 0]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<1x4x2x64xf16>, tensor<64x3x1x1xf16> -> tensor<1x8x4x1xf16>
  return %0 : tensor<1x8x4x1xf16>
}
