// RUN: conv-opt %s --conv-lower-to-conv --conv-lower-to-linalg | conv-opt --conv-lower-to-tiled --dump-pass-pipeline 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=LIST < %t

// LIST:      builtin.module(
// LIST-NEXT: conv-set-target{target=},
// LIST-NEXT: func.func(
// LIST-NEXT: conv-tile-to-workgroups,
// LIST-NEXT: conv-select-launches
// LIST-NEXT: ),
// LIST-NEXT: conv-verify-stage{stage=tiled}
// LIST-NEXT: )

// It becomes one nest of tiles.
// CHECK: %[[T:.+]] = scf.forall
// CHECK: %[[A:.+]] = conv.gather
// CHECK: %[[B:.+]] = conv.gather
// CHECK: linalg.batch_matmul {{.*}} ins(%[[A]], %[[B]] :
// CHECK: conv.scatter %[[T]]
module attributes {conv.target = #conv.target<"gfx942">} {
  func.func @layer(%x: tensor<1x8x8x16xf16>, %w: tensor<32x3x3x16xf16>) -> tensor<1x8x8x32xf32> {
    %y = conv.forward %x, %w
        window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NPQK">
        : tensor<1x8x8x16xf16>, tensor<32x3x3x16xf16> -> tensor<1x8x8x32xf32>
    return %y : tensor<1x8x8x32xf32>
  }
}
