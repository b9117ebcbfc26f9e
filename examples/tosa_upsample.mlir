// TOSA: a depthwise convolution with a bias, then a transposed convolution that doubles the image.
func.func @upsample(
    %input: tensor<1x8x8x12xf32> {conv.name = "input"},
    %depthwise: tensor<3x3x12x1xf32> {conv.name = "depthwise"},
    %bias: tensor<12xf32> {conv.name = "bias"},
    %filter: tensor<20x3x3x12xf32> {conv.name = "filter"})
    -> (tensor<1x16x16x20xf32> {conv.name = "output"}) {
  %zero = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %filtered = tosa.depthwise_conv2d %input, %depthwise, %bias, %zero, %zero
      {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>}
      : (tensor<1x8x8x12xf32>, tensor<3x3x12x1xf32>, tensor<12xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x8x8x12xf32>
  %output = tosa.transpose_conv2d %filtered, %filter, %zero, %zero, %zero
      {acc_type = f32, out_pad = array<i64: -1, 0, -1, 0>, stride = array<i64: 2, 2>}
      : (tensor<1x8x8x12xf32>, tensor<20x3x3x12xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x16x16x20xf32>
  return %output : tensor<1x16x16x20xf32>
}
