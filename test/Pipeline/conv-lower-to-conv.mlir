// RUN: conv-opt %s --conv-lower-to-conv --dump-pass-pipeline 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=LIST < %t

// LIST:      builtin.module(
// LIST-NEXT: conv-set-target{target=},
// LIST-NEXT: conv-fold-constants,
// LIST-NEXT: func.func(
// LIST-NEXT: conv-raise-tosa,
// LIST-NEXT: conv-raise-linalg,
// LIST-NEXT: conv-raise-sums,
// LIST-NEXT: conv-fuse-epilogue
// LIST-NEXT: ),
// LIST-NEXT: conv-fold-constants,
// LIST-NEXT: func.func(
// LIST-NEXT: conv-fuse-elementwise
// LIST-NEXT: ),
// LIST-NEXT: func.func(
// LIST-NEXT: conv-hoist-constants
// LIST-NEXT: ),
// LIST-NEXT: conv-check-supported,
// LIST-NEXT: conv-select-schedule{algorithm= compiler= compute-units=0 database= max-error={{[^ ]*}} max-workspace=-1 schedule= step-elements=0 uses-stale=false},
// LIST-NEXT: func.func(
// LIST-NEXT: conv-propagate-layouts
// LIST-NEXT: ),
// LIST-NEXT: conv-prepack-filter,
// LIST-NEXT: conv-verify-stage{stage=conv}
// LIST-NEXT: )

// A convolution gets a schedule.
// CHECK: conv.forward {{.*}} schedule = <kernel = #conv.staged_gemm<
module attributes {conv.target = #conv.target<"gfx942">} {
  func.func @layer(%x: tensor<1x8x8x16xf16>, %w: tensor<32x3x3x16xf16>) -> tensor<1x8x8x32xf32> {
    %y = conv.forward %x, %w
        window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NPQK">
        : tensor<1x8x8x16xf16>, tensor<32x3x3x16xf16> -> tensor<1x8x8x32xf32>
    return %y : tensor<1x8x8x32xf32>
  }
}
