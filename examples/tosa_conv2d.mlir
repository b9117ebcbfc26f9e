// The output of a TOSA front end: a strided convolution with bias, then clamp(0, 6). Both become one kernel.

func.func @tosa_conv2d(%input: tensor<1x15x15x8xf32>, %filter: tensor<16x3x3x8xf32>, %bias: tensor<16xf32>)
    -> tensor<1x8x8x16xf32> {
  %zero_point = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %sum = tosa.conv2d %input, %filter, %bias, %zero_point, %zero_point
      {acc_type = f32, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 2, 2>, dilation = array<i64: 1, 1>}
      : (tensor<1x15x15x8xf32>, tensor<16x3x3x8xf32>, tensor<16xf32>, tensor<1xf32>, tensor<1xf32>)
      -> tensor<1x8x8x16xf32>
  %output = tosa.clamp %sum {min_val = 0.0 : f32, max_val = 6.0 : f32}
      : (tensor<1x8x8x16xf32>) -> tensor<1x8x8x16xf32>
  return %output : tensor<1x8x8x16xf32>
}
