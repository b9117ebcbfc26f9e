// A named linalg convolution whose padding is a tensor.pad and whose filter is in HWCF order. The padding becomes a part
// of the convolution's window, and the order becomes the filter layout RSCK; neither costs a copy.

func.func @linalg_conv2d(%input: tensor<1x12x12x3xbf16>, %filter: tensor<5x5x3x24xbf16>) -> tensor<1x12x12x24xf32> {
  %zero = arith.constant 0.0 : bf16
  %padded = tensor.pad %input low[0, 2, 2, 0] high[0, 2, 2, 0] {
  ^bb0(%n: index, %h: index, %w: index, %c: index):
    tensor.yield %zero : bf16
  } : tensor<1x12x12x3xbf16> to tensor<1x16x16x3xbf16>
  %start = arith.constant dense<0.0> : tensor<1x12x12x24xf32>
  %output = linalg.conv_2d_nhwc_hwcf
      {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%padded, %filter : tensor<1x16x16x3xbf16>, tensor<5x5x3x24xbf16>)
      outs(%start : tensor<1x12x12x24xf32>) -> tensor<1x12x12x24xf32>
  return %output : tensor<1x12x12x24xf32>
}
