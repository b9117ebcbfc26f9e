// RUN: conv-opt %s --conv-select-schedule | FileCheck %s

module attributes {conv.target = #conv.target<"host_v4_bf16">} {

// bf16 is multiplied in pairs of the reduction, of which a block has whole ones.
// CHECK-LABEL: func.func @pairs
// CHECK: gemm_k = {{[0-9]*[02468]}}, stages = 1, atom = <fma 32 x 8 x 2>
func.func @pairs(%x: tensor<1x28x28x127xbf16>, %w: tensor<128x3x3x127xbf16>) -> tensor<1x28x28x128xbf16> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<1x28x28x127xbf16>, tensor<128x3x3x127xbf16> -> tensor<1x28x28x128xbf16>
  return %y : tensor<1x28x28x128xbf16>
}

// f16 is widened, as on other processors.
// CHECK-LABEL: func.func @widened
// CHECK: atom = <fma 32 x 8 x 1>
func.func @widened(%x: tensor<1x28x28x128xf16>, %w: tensor<128x3x3x128xf16>) -> tensor<1x28x28x128xf16> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<1x28x28x128xf16>, tensor<128x3x3x128xf16> -> tensor<1x28x28x128xf16>
  return %y : tensor<1x28x28x128xf16>
}

// A filter gradient of groups of two channels would gather each pair alone, so lines of positions are brought innermost.
// CHECK-LABEL: func.func @groups_of_2_channels
// CHECK: layouts = <"NCHW", "KRSC", "NKPQ">
func.func @groups_of_2_channels(%x: tensor<1x56x56x128xbf16>, %dy: tensor<1x56x56x128xbf16>) -> tensor<128x3x3x2xbf16> {
  %dw = conv.backward_weight %x, %dy
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK"> groups = 64
      : tensor<1x56x56x128xbf16>, tensor<1x56x56x128xbf16> -> tensor<128x3x3x2xbf16>
  return %dw : tensor<128x3x3x2xbf16>
}

// So is the bf16 of a depthwise layer.
// CHECK-LABEL: func.func @depthwise
// CHECK: schedule = <kernel = #conv.direct<{{.*}} x 1>, main_loop = direct, raster = columns>
func.func @depthwise(%x: tensor<1x28x28x96xbf16>, %w: tensor<96x3x3x1xbf16>) -> tensor<1x28x28x96xbf16> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK"> groups = 96
      : tensor<1x28x28x96xbf16>, tensor<96x3x3x1xbf16> -> tensor<1x28x28x96xbf16>
  return %y : tensor<1x28x28x96xbf16>
}
}
