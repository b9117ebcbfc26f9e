// A 3x3 layer of ResNet-50 in f16 with bias and relu, as a front end would write it: the convolution on tensors, and
// element-wise operations after it that the compiler fuses into the kernel.

#image = affine_map<(n, p, q, k) -> (n, p, q, k)>
#channel = affine_map<(n, p, q, k) -> (k)>

func.func @resnet50_conv3x3(
    %input: tensor<1x56x56x64xf16> {conv.name = "input"},
    %filter: tensor<64x3x3x64xf16> {conv.name = "filter"},
    %bias: tensor<64xf16> {conv.name = "bias"})
    -> (tensor<1x56x56x64xf16> {conv.name = "output"}) {
  %sum = conv.forward %input, %filter
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<1x56x56x64xf16>, tensor<64x3x3x64xf16> -> tensor<1x56x56x64xf32>
  %empty = tensor.empty() : tensor<1x56x56x64xf16>
  %output = linalg.generic
      {indexing_maps = [#image, #channel, #image],
       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%sum, %bias : tensor<1x56x56x64xf32>, tensor<64xf16>)
      outs(%empty : tensor<1x56x56x64xf16>) {
  ^bb0(%acc: f32, %b: f16, %unused: f16):
    %zero = arith.constant 0.0 : f32
    %wide = arith.extf %b : f16 to f32
    %biased = arith.addf %acc, %wide : f32
    %relu = arith.maximumf %biased, %zero : f32
    %narrow = arith.truncf %relu : f32 to f16
    linalg.yield %narrow : f16
  } -> tensor<1x56x56x64xf16>
  return %output : tensor<1x56x56x64xf16>
}
