// Powers of what a convolution passes on, with the exponents 1/2 and -1/2.
#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
func.func @roots(%x: tensor<1x1x6x1xf32> {conv.name = "x"}, %w: tensor<1x1x1x1xf32> {conv.name = "w"})
    -> (tensor<1x1x6x1xf32> {conv.name = "root"}, tensor<1x1x6x1xf32> {conv.name = "inverse"}) {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %minus = arith.constant -0.5 : f32
  %e = tensor.empty() : tensor<1x1x6x1xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1x1x6x1xf32>) -> tensor<1x1x6x1xf32>
  %y = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<1x1x6x1xf32>, tensor<1x1x1x1xf32>) outs(%i : tensor<1x1x6x1xf32>) -> tensor<1x1x6x1xf32>
  // A sum is never -0.0, but what negates it is.
  %root = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%y : tensor<1x1x6x1xf32>) outs(%e : tensor<1x1x6x1xf32>) {
  ^bb0(%a: f32, %b: f32):
    %negated = arith.negf %a : f32
    %power = math.powf %negated, %half : f32
    linalg.yield %power : f32
  } -> tensor<1x1x6x1xf32>
  %inverse = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%y : tensor<1x1x6x1xf32>) outs(%e : tensor<1x1x6x1xf32>) {
  ^bb0(%a: f32, %b: f32):
    %negated = arith.negf %a : f32
    %power = math.powf %negated, %minus : f32
    linalg.yield %power : f32
  } -> tensor<1x1x6x1xf32>
  return %root, %inverse : tensor<1x1x6x1xf32>, tensor<1x1x6x1xf32>
}
