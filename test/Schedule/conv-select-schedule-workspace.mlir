// RUN: conv-opt %s --conv-select-schedule=max-workspace=1024 | FileCheck %s
// RUN: conv-opt %s --conv-select-schedule=max-workspace=0 -split-input-file -verify-diagnostics
// RUN: conv-opt %s --conv-select-schedule="max-workspace=0 algorithm=direct" -split-input-file -verify-diagnostics

// The gradient of the padded input, 4 x 4 x 4 numbers of f32, is folded: no
// schedule does without it.
// CHECK: conv.backward_data
// CHECK-SAME: chosen_by = heuristic
module attributes {conv.target = #conv.target<"gfx942">} {
func.func @folded(%dy: tensor<1x2x2x4xf32>, %w: tensor<4x3x3x1xf32>) -> tensor<1x2x2x4xf32> {
  // expected-error @below {{unsupported (schedule): expects a workspace of at most 0 bytes, but got}}
  %dx = conv.backward_data %dy, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK"> groups = 4 padding = reflect
      : tensor<1x2x2x4xf32>, tensor<4x3x3x1xf32> -> tensor<1x2x2x4xf32>
  return %dx : tensor<1x2x2x4xf32>
}
}
