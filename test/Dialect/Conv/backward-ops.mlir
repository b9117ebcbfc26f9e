// RUN: conv-opt %s --verify-roundtrip | FileCheck %s

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>

// CHECK-LABEL: @backward_data
func.func @backward_data(%dy: tensor<1x8x8x16xf16>, %w: tensor<16x3x3x4xf16>) -> tensor<1x8x8x4xf32> {
  // CHECK: conv.backward_data %{{.*}}, %{{.*}} window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
  // CHECK-SAME: layouts = <"NHWC", "KRSC", "NPQK"> : tensor<1x8x8x16xf16>, tensor<16x3x3x4xf16> -> tensor<1x8x8x4xf32>
  %dx = conv.backward_data %dy, %w window = #unit layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<1x8x8x16xf16>, tensor<16x3x3x4xf16> -> tensor<1x8x8x4xf32>
  return %dx : tensor<1x8x8x4xf32>
}

// CHECK-LABEL: @backward_weight
func.func @backward_weight(%x: tensor<1x8x8x4xf16>, %dy: tensor<1x8x8x16xf16>) -> tensor<16x3x3x4xf32> {
  // CHECK: conv.backward_weight %{{.*}}, %{{.*}} window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
  // CHECK-SAME: layouts = <"NHWC", "KRSC", "NPQK"> : tensor<1x8x8x4xf16>, tensor<1x8x8x16xf16> -> tensor<16x3x3x4xf32>
  %dw = conv.backward_weight %x, %dy window = #unit layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<1x8x8x4xf16>, tensor<1x8x8x16xf16> -> tensor<16x3x3x4xf32>
  return %dw : tensor<16x3x3x4xf32>
}

// Transposed convolution: output padding is in the size of the result, and both
// sizes whose forward convolution gives 8 are legal (C7).
// CHECK-LABEL: @transposed
func.func @transposed(%x: tensor<1x8x8x16xf16>, %w: tensor<16x4x3x3xf16>)
    -> (tensor<1x4x15x15xf16>, tensor<1x4x16x16xf16>) {
  // CHECK: -> tensor<1x4x15x15xf16>
  %0 = conv.backward_data %x, %w
      window = <strides = [2, 2], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NCHW", "KCRS", "NPQK">
      : tensor<1x8x8x16xf16>, tensor<16x4x3x3xf16> -> tensor<1x4x15x15xf16>
  // CHECK: -> tensor<1x4x16x16xf16>
  %1 = conv.backward_data %x, %w
      window = <strides = [2, 2], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NCHW", "KCRS", "NPQK">
      : tensor<1x8x8x16xf16>, tensor<16x4x3x3xf16> -> tensor<1x4x16x16xf16>
  return %0, %1 : tensor<1x4x15x15xf16>, tensor<1x4x16x16xf16>
}

// An epilogue of backward data has vectors of the input's channels, of all groups,
// and tensors of the input's shape.
// CHECK-LABEL: @backward_data_epilogue
func.func @backward_data_epilogue(%dy: tensor<2x18x4x3xf16>, %w: tensor<4x3x3x2xf16>, %scale: tensor<8xf32>,
                              %before: tensor<2x20x4x2xf16>) -> tensor<2x20x4x2xf16> {
  // CHECK: layouts = <"NWGC", "GKSC", "NQGK"> groups = 4 epilogue(%{{.+}} : tensor<8xf32>, %{{.+}} : tensor<2x20x4x2xf16>) {
  %dx = conv.backward_data %dy, %w
      window = <strides = [1], dilations = [1], low = [0], high = [0]>
      layouts = <"NWGC", "GKSC", "NQGK"> groups = 4
      epilogue(%scale : tensor<8xf32>, %before : tensor<2x20x4x2xf16>) {
      ^bb0(%acc: f32, %s: f32, %b: f16):
        %0 = arith.mulf %acc, %s : f32
        %1 = arith.extf %b : f16 to f32
        %2 = arith.addf %0, %1 : f32
        %3 = arith.truncf %2 : f32 to f16
        conv.yield %3 : f16
      } : tensor<2x18x4x3xf16>, tensor<4x3x3x2xf16> -> tensor<2x20x4x2xf16>
  return %dx : tensor<2x20x4x2xf16>
}

// A gradient is accumulated into one that is there.
// CHECK-LABEL: @backward_weight_epilogue
func.func @backward_weight_epilogue(%x: tensor<1x4x5x6x8xbf16>, %dy: tensor<1x4x5x6x16xbf16>,
                                %before: tensor<16x1x1x1x8xf32>) -> tensor<16x1x1x1x8xf32> {
  // CHECK: layouts = <"NDHWC", "KTRSC", "NZPQK"> epilogue(%{{.+}} : tensor<16x1x1x1x8xf32>) {
  %dw = conv.backward_weight %x, %dy
      window = <strides = [1, 1, 1], dilations = [1, 1, 1], low = [0, 0, 0], high = [0, 0, 0]>
      layouts = <"NDHWC", "KTRSC", "NZPQK">
      epilogue(%before : tensor<16x1x1x1x8xf32>) {
      ^bb0(%acc: f32, %b: f32):
        %0 = arith.addf %acc, %b : f32
        conv.yield %0 : f32
      } : tensor<1x4x5x6x8xbf16>, tensor<1x4x5x6x16xbf16> -> tensor<16x1x1x1x8xf32>
  return %dw : tensor<16x1x1x1x8xf32>
}

#wide = #conv.window<strides = [1, 1], dilations = [1, 1], low = [3, 4], high = [3, 4]>

// Padding modes are legal in all directions and come before the schedule.
// CHECK-LABEL: @padding_modes
func.func @padding_modes(%x: tensor<1x4x5x8xf16>, %w: tensor<16x3x3x8xf16>, %dy: tensor<1x8x11x16xf16>)
    -> (tensor<1x8x11x16xf32>, tensor<1x4x5x8xf32>, tensor<16x3x3x8xf32>) {
  // CHECK: conv.forward {{.*}} layouts = <"NHWC", "KRSC", "NPQK"> padding = reflect schedule = <
  %y = conv.forward %x, %w window = #wide layouts = <"NHWC", "KRSC", "NPQK"> padding = reflect
      schedule = <kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 32, stages = 2,
                  atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = columns>>
      : tensor<1x4x5x8xf16>, tensor<16x3x3x8xf16> -> tensor<1x8x11x16xf32>
  // CHECK: conv.backward_data {{.*}} padding = replicate :
  %dx = conv.backward_data %dy, %w window = #wide layouts = <"NHWC", "KRSC", "NPQK"> padding = replicate
      : tensor<1x8x11x16xf16>, tensor<16x3x3x8xf16> -> tensor<1x4x5x8xf32>
  // CHECK: conv.backward_weight {{.*}} padding = circular :
  %dw = conv.backward_weight %x, %dy window = #wide layouts = <"NHWC", "KRSC", "NPQK"> padding = circular
      : tensor<1x4x5x8xf16>, tensor<1x8x11x16xf16> -> tensor<16x3x3x8xf32>
  return %y, %dx, %dw : tensor<1x8x11x16xf32>, tensor<1x4x5x8xf32>, tensor<16x3x3x8xf32>
}

// Zeros are the default and are not printed.
// CHECK-LABEL: @padding_zeros
func.func @padding_zeros(%x: tensor<1x8x8x4xf16>, %w: tensor<16x3x3x4xf16>) -> tensor<1x8x8x16xf32> {
  // CHECK-NOT: padding
  %y = conv.forward %x, %w window = #unit layouts = <"NHWC", "KRSC", "NPQK"> padding = zeros
      : tensor<1x8x8x4xf16>, tensor<16x3x3x4xf16> -> tensor<1x8x8x16xf32>
  return %y : tensor<1x8x8x16xf32>
}
