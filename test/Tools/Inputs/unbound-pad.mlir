func.func @f(%x: tensor<1x4x4x2xf32>, %w: tensor<8x3x3x2xf32>, %out: tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %p = "tensor.pad"(%x) <{operandSegmentSizes = array<i32: 1, 0, 0>, static_low = array<i64: 0, 1, 1, -9223372036854775808>, static_high = array<i64: 0, 1, 1, 0>}> ({
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  }) : (tensor<1x4x4x2xf32>) -> tensor<1x6x6x2xf32>
  %y = linalg.conv_2d_nhwc_fhwc ins(%p, %w : tensor<1x6x6x2xf32>, tensor<8x3x3x2xf32>) outs(%out : tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32>
  return %y : tensor<1x4x4x8xf32>
}
