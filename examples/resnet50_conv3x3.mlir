// A 3x3 convolution of ResNet-50's second stage with bias and relu, f16 in and out, f32 in between. Written by
//   conv-gen convfp16 -n 1 -c 64 -H 56 -W 56 -k 64 -y 3 -x 3 -p 1 -q 1 --bias --activation relu --name conv2_3x3

#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d3)>
module {
  func.func @conv2_3x3(%arg0: tensor<1x56x56x64xf16> {conv.name = "input"}, %arg1: tensor<64x3x3x64xf16> {conv.name = "filter"}, %arg2: tensor<64xf16> {conv.name = "bias"}) -> (tensor<1x56x56x64xf16> {conv.name = "output"}) {
    %0 = conv.forward %arg0, %arg1 window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]> layouts = <"NHWC", "KRSC", "NPQK">  : tensor<1x56x56x64xf16>, tensor<64x3x3x64xf16> -> tensor<1x56x56x64xf32>
    %1 = tensor.empty() : tensor<1x56x56x64xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%0, %arg2 : tensor<1x56x56x64xf32>, tensor<64xf16>) outs(%1 : tensor<1x56x56x64xf32>) {
    ^bb0(%in: f32, %in_0: f16, %out: f32):
      %7 = arith.extf %in_0 : f16 to f32
      %8 = arith.addf %in, %7 : f32
      linalg.yield %8 : f32
    } -> tensor<1x56x56x64xf32>
    %3 = tensor.empty() : tensor<1x56x56x64xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2 : tensor<1x56x56x64xf32>) outs(%3 : tensor<1x56x56x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %cst = arith.constant 0.000000e+00 : f32
      %7 = arith.maximumf %in, %cst : f32
      linalg.yield %7 : f32
    } -> tensor<1x56x56x64xf32>
    %5 = tensor.empty() : tensor<1x56x56x64xf16>
    %6 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%4 : tensor<1x56x56x64xf32>) outs(%5 : tensor<1x56x56x64xf16>) {
    ^bb0(%in: f32, %out: f16):
      %7 = arith.truncf %in : f32 to f16
      linalg.yield %7 : f16
    } -> tensor<1x56x56x64xf16>
    return %6 : tensor<1x56x56x64xf16>
  }
}
