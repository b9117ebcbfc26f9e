// RUN: conv-opt %s --conv-select-schedule | FileCheck %s --check-prefixes=CHECK,EIGHT
// RUN: conv-opt %s --conv-select-schedule=compute-units=1 | FileCheck %s --check-prefixes=CHECK,ONE

module attributes {conv.target = #conv.target<"host_v4">} {

// Many channels fill two vectors at 14 positions, half a line. Tiles have as equal numbers of them as possible, and blocks of
// the reduction the channels of one pixel.
// CHECK-LABEL: func.func @large_layer
// ONE: workgroup = [266, 64], subgroup = [266, 64], gemm_k = 128, stages = 1, atom = <fma 32 x 14 x 1>
func.func @large_layer(%x: tensor<1x28x28x128xf32>, %w: tensor<128x3x3x128xf32>) -> tensor<1x28x28x128xf32> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<1x28x28x128xf32>, tensor<128x3x3x128xf32> -> tensor<1x28x28x128xf32>
  return %y : tensor<1x28x28x128xf32>
}

// The 16 channels of a group are one vector, at all positions of a line.
// CHECK-LABEL: func.func @groups_of_16_channels
// CHECK-NOT: layouts = <"NCHW"
// CHECK: workgroup = [196, 16], {{.*}} atom = <fma 16 x 16 x 1>
func.func @groups_of_16_channels(%x: tensor<1x14x14x256xf32>, %w: tensor<256x3x3x16xf32>) -> tensor<1x14x14x256xf32> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK"> groups = 16
      : tensor<1x14x14x256xf32>, tensor<256x3x3x16xf32> -> tensor<1x14x14x256xf32>
  return %y : tensor<1x14x14x256xf32>
}

// Register tiles of whole vectors are stored at once, so that a tile may have few of the channels, and many lines.
// CHECK-LABEL: func.func @depthwise_of_whole_vectors
// ONE: kernel = #conv.direct<workgroup = [{{[0-9]+}}, 16], {{.*}} atom = <fma 16 x 8 x 1>
func.func @depthwise_of_whole_vectors(%x: tensor<1x56x56x144xf32>, %w: tensor<144x3x3x1xf32>) -> tensor<1x56x56x144xf32> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK"> groups = 144
      : tensor<1x56x56x144xf32>, tensor<144x3x3x1xf32> -> tensor<1x56x56x144xf32>
  return %y : tensor<1x56x56x144xf32>
}

// The same channels of neighbouring pixels, 2 KiB apart, have the same places in the first cache: a tile has more of them.
// CHECK-LABEL: func.func @depthwise_with_conflicts
// ONE: kernel = #conv.direct<workgroup = [{{[0-9]+}}, {{64|128|256|512}}],
func.func @depthwise_with_conflicts(%x: tensor<1x28x28x512xf32>, %w: tensor<512x3x3x1xf32>) -> tensor<1x28x28x512xf32> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK"> groups = 512
      : tensor<1x28x28x512xf32>, tensor<512x3x3x1xf32> -> tensor<1x28x28x512xf32>
  return %y : tensor<1x28x28x512xf32>
}

// Half vectors are no whole ones: a tile has all channels.
// CHECK-LABEL: func.func @depthwise_of_half_vectors
// ONE: kernel = #conv.direct<workgroup = [{{[0-9]+}}, {{24|40|48}}],
func.func @depthwise_of_half_vectors(%x: tensor<1x28x28x40xf32>, %w: tensor<40x5x5x1xf32>) -> tensor<1x28x28x40xf32> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [2, 2], high = [2, 2]>
      layouts = <"NHWC", "KRSC", "NPQK"> groups = 40
      : tensor<1x28x28x40xf32>, tensor<40x5x5x1xf32> -> tensor<1x28x28x40xf32>
  return %y : tensor<1x28x28x40xf32>
}

// The 8 channels of a group are half a vector: with a stride, positions would be brought innermost in more time than it takes
// to multiply half vectors of channels that are read in place.
// CHECK-LABEL: func.func @groups_of_8_channels
// ONE-NOT: layouts = <"NCHW"
// ONE: atom = <fma 8 x 16 x 1>
func.func @groups_of_8_channels(%x: tensor<1x112x112x64xf32>, %w: tensor<64x3x3x8xf32>) -> tensor<1x56x56x64xf32> {
  %y = conv.forward %x, %w
      window = <strides = [2, 2], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK"> groups = 8
      : tensor<1x112x112x64xf32>, tensor<64x3x3x8xf32> -> tensor<1x56x56x64xf32>
  return %y : tensor<1x56x56x64xf32>
}

// The 24 channels of a group leave a quarter of two vectors empty, but are read in place.
// CHECK-LABEL: func.func @groups_of_24_channels
// CHECK-NOT: layouts = <"NCHW"
// CHECK: atom = <fma 32 x 14 x 1>
func.func @groups_of_24_channels(%x: tensor<1x28x28x216xf32>, %w: tensor<216x3x3x24xf32>) -> tensor<1x28x28x216xf32> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK"> groups = 9
      : tensor<1x28x28x216xf32>, tensor<216x3x3x24xf32> -> tensor<1x28x28x216xf32>
  return %y : tensor<1x28x28x216xf32>
}

// So are the 12 channels of a group, where pixels of a line are located together.
// CHECK-LABEL: func.func @groups_of_12_channels
// CHECK-NOT: layouts = <"NCHW"
// CHECK: atom = <fma 16 x 16 x 1>
func.func @groups_of_12_channels(%x: tensor<1x28x28x108xf32>, %w: tensor<108x3x3x12xf32>) -> tensor<1x28x28x108xf32> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK"> groups = 9
      : tensor<1x28x28x108xf32>, tensor<108x3x3x12xf32> -> tensor<1x28x28x108xf32>
  return %y : tensor<1x28x28x108xf32>
}

// Lines that are partly outside of the image are loaded with masks, in less time than it takes to bring channels innermost.
// CHECK-LABEL: func.func @channels_first
// CHECK-NOT: layouts = <"NHWC"
// CHECK: #conv.host_gemm
func.func @channels_first(%x: tensor<1x128x56x56xf32>, %w: tensor<128x128x3x3xf32>) -> tensor<1x128x56x56xf32> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NCHW", "KCRS", "NKPQ">
      : tensor<1x128x56x56xf32>, tensor<128x128x3x3xf32> -> tensor<1x128x56x56xf32>
  return %y : tensor<1x128x56x56xf32>
}

// Three channels of three taps are one run, which is read in place for the 16 pixels of a part of a line, and vectors are along
// the 16 output channels. Squares of pixels by channels would be transposed element by element.
// CHECK-LABEL: func.func @first_layer
// CHECK: layouts = <"NHWC", "KRSC", "NPQK"> schedule = <kernel = #conv.host_gemm<{{.*}} atom = <fma 16 x 16 x 1>
func.func @first_layer(%x: tensor<1x224x224x3xf32>, %w: tensor<16x3x3x3xf32>) -> tensor<1x112x112x16xf32> {
  %y = conv.forward %x, %w
      window = <strides = [2, 2], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<1x224x224x3xf32>, tensor<16x3x3x3xf32> -> tensor<1x112x112x16xf32>
  return %y : tensor<1x112x112x16xf32>
}

// A product with a row for each tap of few channels copies its wide operand once, and in order; the terms are added up.
// CHECK-LABEL: func.func @few_output_channels
// CHECK: layouts = <"NCHW", "KRSC", "NKPQ">, im2col = {{[12]}}
func.func @few_output_channels(%x: tensor<1x64x96x96xf32>, %w: tensor<3x64x3x3xf32>) -> tensor<1x3x96x96xf32> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NCHW", "KCRS", "NKPQ">
      : tensor<1x64x96x96xf32>, tensor<3x64x3x3xf32> -> tensor<1x3x96x96xf32>
  return %y : tensor<1x3x96x96xf32>
}

// CHECK-LABEL: func.func @gradient_of_one_channel
// CHECK: layouts = <"NCDHW", "CTRSK", "NZPQK">, im2col = {{[23]}}
func.func @gradient_of_one_channel(%dy: tensor<1x32x32x32x16xf32>, %w: tensor<16x3x3x3x1xf32>) -> tensor<1x32x32x32x1xf32> {
  %dx = conv.backward_data %dy, %w
      window = <strides = [1, 1, 1], dilations = [1, 1, 1], low = [1, 1, 1], high = [1, 1, 1]>
      layouts = <"NDHWC", "KTRSC", "NZPQK">
      : tensor<1x32x32x32x16xf32>, tensor<16x3x3x3x1xf32> -> tensor<1x32x32x32x1xf32>
  return %dx : tensor<1x32x32x32x1xf32>
}

// A filter gradient of one tile is summed by as many threads as there are processors, each with a slice of the reduction:
// smaller tiles would copy the image and the gradient of the output several times. One thread needs no slices.
// CHECK-LABEL: func.func @filter_gradient(
// EIGHT: workgroup = [32, 32], {{.*}} splits = 8
// ONE-NOT: splits
// ONE: return
func.func @filter_gradient(%x: tensor<1x224x224x3xf32>, %dy: tensor<1x112x112x32xf32>) -> tensor<32x3x3x3xf32> {
  %dw = conv.backward_weight %x, %dy
      window = <strides = [2, 2], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<1x224x224x3xf32>, tensor<1x112x112x32xf32> -> tensor<32x3x3x3xf32>
  return %dw : tensor<32x3x3x3xf32>
}

// Lines of positions are transposed with masks in less time than three channels of a group are gathered.
// CHECK-LABEL: func.func @filter_gradient_of_groups
// CHECK: layouts = <"NCHW", "KRSC", "NKPQ">
func.func @filter_gradient_of_groups(%x: tensor<1x56x56x72xf32>, %dy: tensor<1x56x56x72xf32>) -> tensor<72x3x3x3xf32> {
  %dw = conv.backward_weight %x, %dy
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK"> groups = 24
      : tensor<1x56x56x72xf32>, tensor<1x56x56x72xf32> -> tensor<72x3x3x3xf32>
  return %dw : tensor<72x3x3x3xf32>
}

// A depthwise layer has vectors of 16 channels.
// CHECK-LABEL: func.func @depthwise
// CHECK: schedule = <kernel = #conv.direct<{{.*}}atom = <fma {{16|32}} x {{4|6|7|8}} x 1>, main_loop = direct, raster = columns>
func.func @depthwise(%x: tensor<1x28x28x96xf32>, %w: tensor<96x3x3x1xf32>) -> tensor<1x28x28x96xf32> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK"> groups = 96
      : tensor<1x28x28x96xf32>, tensor<96x3x3x1xf32> -> tensor<1x28x28x96xf32>
  return %y : tensor<1x28x28x96xf32>
}

// A box of few channels fits the first cache, and loads from the second one would take longer than the products.
// CHECK-LABEL: func.func @strided_depthwise
// ONE: workgroup = [{{[0-9]+}}, {{16|32}}],
func.func @strided_depthwise(%x: tensor<1x112x112x96xf32>, %w: tensor<96x3x3x1xf32>) -> tensor<1x56x56x96xf32> {
  %y = conv.forward %x, %w
      window = <strides = [2, 2], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK"> groups = 96
      : tensor<1x112x112x96xf32>, tensor<96x3x3x1xf32> -> tensor<1x56x56x96xf32>
  return %y : tensor<1x56x56x96xf32>
}

// A filter gradient of few rows is one tile, which copies the gradient of the output once, in shorter blocks than usual.
// CHECK-LABEL: func.func @wide_filter_gradient
// ONE: workgroup = [32, 432], subgroup = [32, 432], gemm_k = 88,
func.func @wide_filter_gradient(%x: tensor<1x64x64x64x16xf32>, %dy: tensor<1x64x64x64x32xf32>) -> tensor<32x3x3x3x16xf32> {
  %dw = conv.backward_weight %x, %dy
      window = <strides = [1, 1, 1], dilations = [1, 1, 1], low = [1, 1, 1], high = [1, 1, 1]>
      layouts = <"NDHWC", "KTRSC", "NZPQK">
      : tensor<1x64x64x64x16xf32>, tensor<1x64x64x64x32xf32> -> tensor<32x3x3x3x16xf32>
  return %dw : tensor<32x3x3x3x16xf32>
}

// Transforms of a filter that is larger than the caches take longer than they save.
// CHECK-LABEL: func.func @large_filter
// ONE-NOT: raster = columns>, layouts
// ONE: return
func.func @large_filter(%x: tensor<1x512x7x7xf32>, %w: tensor<512x512x3x3xf32>) -> tensor<1x512x7x7xf32> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NCHW", "KCRS", "NKPQ">
      : tensor<1x512x7x7xf32>, tensor<512x512x3x3xf32> -> tensor<1x512x7x7xf32>
  return %y : tensor<1x512x7x7xf32>
}

// So do those that exceed the second cache, together with the copy.
// CHECK-LABEL: func.func @filter_of_two_megabytes
// ONE-NOT: raster = columns>, layouts
// ONE: return
func.func @filter_of_two_megabytes(%x: tensor<1x256x14x14xf32>, %w: tensor<256x256x3x3xf32>) -> tensor<1x256x14x14xf32> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NCHW", "KCRS", "NKPQ">
      : tensor<1x256x14x14xf32>, tensor<256x256x3x3xf32> -> tensor<1x256x14x14xf32>
  return %y : tensor<1x256x14x14xf32>
}

// Half of the channels where the image fits the second cache; all of them, one run in memory, where it does not (below).
// CHECK-LABEL: func.func @depthwise_filter_gradient_56
// ONE: workgroup = [1, 32],
func.func @depthwise_filter_gradient_56(%x: tensor<1x56x56x64xf32>, %dy: tensor<1x28x28x64xf32>) -> tensor<64x3x3x1xf32> {
  %dw = conv.backward_weight %x, %dy
      window = <strides = [2, 2], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK"> groups = 64
      : tensor<1x56x56x64xf32>, tensor<1x28x28x64xf32> -> tensor<64x3x3x1xf32>
  return %dw : tensor<64x3x3x1xf32>
}

// CHECK-LABEL: func.func @depthwise_filter_gradient_112
// ONE: workgroup = [1, 64],
func.func @depthwise_filter_gradient_112(%x: tensor<1x112x112x64xf32>, %dy: tensor<1x56x56x64xf32>) -> tensor<64x3x3x1xf32> {
  %dw = conv.backward_weight %x, %dy
      window = <strides = [2, 2], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK"> groups = 64
      : tensor<1x112x112x64xf32>, tensor<1x56x56x64xf32> -> tensor<64x3x3x1xf32>
  return %dw : tensor<64x3x3x1xf32>
}
}
