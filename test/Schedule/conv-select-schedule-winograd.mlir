// RUN: conv-opt %s --conv-select-schedule=algorithm=winograd | FileCheck %s --check-prefixes=CHECK,ASKED
// RUN: conv-opt %s --conv-select-schedule | FileCheck %s --check-prefixes=CHECK,DEFAULT
// RUN: conv-opt %s --conv-select-schedule="algorithm=winograd max-workspace=80000000" | FileCheck %s --check-prefix=SMALL
// RUN: not conv-opt %s --conv-select-schedule="algorithm=winograd max-workspace=1000" 2>&1 | FileCheck %s --check-prefix=NONE

// Within an allowed error it is ranked with all others. F(2x2, 3x3) of 256 channels rounds each term (256 + 16) times, and sums up
// 64/9 times the magnitudes: 0.839 of the bound of a sum of 2304 products. F(4x4, 3x3) has 31.3 of it.
// RUN: conv-opt %s --conv-select-schedule=max-error=0.83 | FileCheck %s --check-prefixes=CHECK,DEFAULT
// RUN: conv-opt %s --conv-select-schedule=max-error=0.84 | FileCheck %s --check-prefix=TWO
// RUN: conv-opt %s --conv-select-schedule=max-error=31.3 | FileCheck %s --check-prefix=TWO
// RUN: conv-opt %s --conv-select-schedule=max-error=31.4 | FileCheck %s --check-prefix=FOUR
// RUN: conv-opt %s --conv-select-schedule="max-error=31.4 algorithm=implicit_gemm" | FileCheck %s --check-prefixes=CHECK,DEFAULT
// RUN: conv-opt %s --conv-select-schedule="max-error=31.4 max-workspace=1000" | FileCheck %s --check-prefixes=CHECK,DEFAULT
// RUN: not conv-opt %s --conv-select-schedule="max-error=0.5 algorithm=winograd" 2>&1 | FileCheck %s --check-prefix=IMPRECISE
// TWO-LABEL: @large
// TWO:         schedule = <kernel = {{.*}}, output_tile = [2, 2],{{.*}} chosen_by = heuristic>
// FOUR-LABEL: @large
// FOUR:         schedule = <kernel = {{.*}}, output_tile = [4, 4],{{.*}} chosen_by = heuristic>
// The transforms of a small image take longer than its products.
// FOUR-LABEL: @small
// FOUR-NOT:     output_tile
// IMPRECISE:  unsupported (schedule): expects winograd to have at most 0.50 times the error of a sum, but got 0.84

// Many channels of f32: a fourth of the multiplications are left.
// CHECK-LABEL: @large
// ASKED:         schedule = <kernel = {{.*}}, output_tile = [4, 4],{{.*}} chosen_by = heuristic>
// DEFAULT-NOT:   output_tile
// SMALL-LABEL: @large
// SMALL:         schedule = <kernel = {{.*}}, output_tile = [4, 4]
// NONE:        unsupported (schedule): expects a workspace of at most 1000 bytes, but got {{[0-9]+}} for the fastest schedule
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @large(%x: tensor<8x28x28x256xf32>, %w: tensor<512x3x3x256xf32>) -> tensor<8x28x28x512xf32> {
    %y = conv.forward %x, %w window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NPQK">
        : tensor<8x28x28x256xf32>, tensor<512x3x3x256xf32> -> tensor<8x28x28x512xf32>
    return %y : tensor<8x28x28x512xf32>
  }

  // CHECK-LABEL: @small
  // ASKED:         schedule = <kernel = {{.*}}, output_tile =
  // DEFAULT-NOT:   output_tile
  func.func @small(%x: tensor<1x8x8x16xf32>, %w: tensor<16x3x3x16xf32>) -> tensor<1x8x8x16xf32> {
    %y = conv.forward %x, %w window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NPQK">
        : tensor<1x8x8x16xf32>, tensor<16x3x3x16xf32> -> tensor<1x8x8x16xf32>
    return %y : tensor<1x8x8x16xf32>
  }

  // Operands of 16 bits are transformed to f32.
  // CHECK-LABEL: @half
  // ASKED:         schedule = <kernel = {{.*}}, output_tile =
  // DEFAULT-NOT:   output_tile
  func.func @half(%x: tensor<8x28x28x256xf16>, %w: tensor<256x3x3x256xf16>) -> tensor<8x28x28x256xf16> {
    %y = conv.forward %x, %w window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NPQK">
        : tensor<8x28x28x256xf16>, tensor<256x3x3x256xf16> -> tensor<8x28x28x256xf16>
    return %y : tensor<8x28x28x256xf16>
  }

  // The gradient of a filter sums up 8 * 7 * 7 tiles of 4 x 4 gradients each, and rounds each term 28 times more. F(3x3, 4x4) has
  // (392 + 28) / 6272 * (40/3)^2 = 11.9 of the bound of a sum of 6272 products, F(3x3, 2x2) (1568 + 14) / 6272 * 9 = 2.27 of it.
  // CHECK-LABEL: @weight
  // ASKED:         schedule = <kernel = {{.*}}, output_tile = [4, 4]
  // DEFAULT-NOT:   output_tile
  // FOUR-LABEL:  @weight
  // FOUR:          schedule = <kernel = {{.*}}, output_tile = [4, 4]
  func.func @weight(%x: tensor<8x28x28x256xf32>, %dy: tensor<8x28x28x256xf32>) -> tensor<256x3x3x256xf32> {
    %dw = conv.backward_weight %x, %dy window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NPQK">
        : tensor<8x28x28x256xf32>, tensor<8x28x28x256xf32> -> tensor<256x3x3x256xf32>
    return %dw : tensor<256x3x3x256xf32>
  }
}
