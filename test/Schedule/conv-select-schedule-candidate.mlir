// RUN: conv-opt %s --conv-select-schedule=candidate=1 | FileCheck %s
// RUN: not conv-opt %s --conv-select-schedule=candidate=1000000 2>&1 | FileCheck %s --check-prefix=NONE

// The second best schedule of a large layer has tiles of the size of the best.
// NONE: error: unsupported (schedule): expects a candidate below the number of schedules, {{[0-9]+}}, but got 1000000
module attributes {conv.target = #conv.target<"sm_90a">} {
// CHECK-LABEL: func.func @large_layer_f16
// CHECK: schedule = <algorithm = implicit_gemm, workgroup = [256, 128],
func.func @large_layer_f16(%x: tensor<64x28x28x512xf16>, %w: tensor<512x3x3x512xf16>)
    -> tensor<64x28x28x512xf16> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<64x28x28x512xf16>, tensor<512x3x3x512xf16> -> tensor<64x28x28x512xf16>
  return %y : tensor<64x28x28x512xf16>
}
}
