// Two convolutions in a function. The tensor between them is in the workspace, whose size is in the manifest.
// The kernel of each convolution also computes the element-wise ops after it.

#nhwc = affine_map<(n, p, q, k) -> (n, p, q, k)>
#channel = affine_map<(n, p, q, k) -> (k)>

func.func @two_convolutions(%input: tensor<1x14x14x32xf16> {conv.name = "input"},
                            %reduce: tensor<16x1x1x32xf16> {conv.name = "reduce"},
                            %filter: tensor<32x3x3x16xf16> {conv.name = "filter"},
                            %bias: tensor<32xf32> {conv.name = "bias"})
    -> (tensor<1x14x14x32xf16> {conv.name = "output"}) {
  %zero = arith.constant 0.0 : f32

  // 1x1, relu.
  %a = conv.forward %input, %reduce
      window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<1x14x14x32xf16>, tensor<16x1x1x32xf16> -> tensor<1x14x14x16xf32>
  %a_empty = tensor.empty() : tensor<1x14x14x16xf16>
  %a_relu = linalg.generic {indexing_maps = [#nhwc, #nhwc],
                            iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%a : tensor<1x14x14x16xf32>) outs(%a_empty : tensor<1x14x14x16xf16>) {
  ^bb0(%x: f32, %unused: f16):
    %positive = arith.maximumf %x, %zero : f32
    %rounded = arith.truncf %positive : f32 to f16
    linalg.yield %rounded : f16
  } -> tensor<1x14x14x16xf16>

  // 3x3, bias, residual, relu.
  %b = conv.forward %a_relu, %filter
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<1x14x14x16xf16>, tensor<32x3x3x16xf16> -> tensor<1x14x14x32xf32>
  %b_empty = tensor.empty() : tensor<1x14x14x32xf16>
  %output = linalg.generic {indexing_maps = [#nhwc, #channel, #nhwc, #nhwc],
                            iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%b, %bias, %input : tensor<1x14x14x32xf32>, tensor<32xf32>, tensor<1x14x14x32xf16>)
      outs(%b_empty : tensor<1x14x14x32xf16>) {
  ^bb0(%x: f32, %added: f32, %skipped: f16, %unused: f16):
    %biased = arith.addf %x, %added : f32
    %skip = arith.extf %skipped : f16 to f32
    %sum = arith.addf %biased, %skip : f32
    %positive = arith.maximumf %sum, %zero : f32
    %rounded = arith.truncf %positive : f32 to f16
    linalg.yield %rounded : f16
  } -> tensor<1x14x14x32xf16>
  return %output : tensor<1x14x14x32xf16>
}
