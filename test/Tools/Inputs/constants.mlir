// A layer with its weights as a front end exports it: a 1x1 filter in a
// resource, a batch normalisation of constants, and a relu.
#map = affine_map<(d0) -> (d0)>
#nchw = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#channel = affine_map<(d0, d1, d2, d3) -> (d1, 0, 0)>
func.func @layer(%x: tensor<1x2x5x5xf32> {conv.name = "x"}) -> tensor<1x4x5x5xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %epsilon = arith.constant 1.0e-05 : f64
  %filter = arith.constant dense_resource<filter> : tensor<4x2x1x1xf32>
  %mean = arith.constant dense<[0.5, -0.25, 1.0, 0.125]> : tensor<4xf32>
  %variance = arith.constant dense_resource<variance> : tensor<4xf32>
  %gamma = arith.constant dense<[1.0, 0.75, 1.25, 2.0]> : tensor<4xf32>
  %beta = arith.constant dense<[0.25, 0.5, -1.0, 0.0]> : tensor<4xf32>
  %vector = tensor.empty() : tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%variance : tensor<4xf32>) outs(%vector : tensor<4xf32>) {
    ^bb0(%e: f32, %o: f32):
      %0 = arith.truncf %epsilon : f64 to f32
      %1 = arith.addf %e, %0 : f32
      linalg.yield %1 : f32
  } -> tensor<4xf32>
  %root = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%sum : tensor<4xf32>) outs(%vector : tensor<4xf32>) {
    ^bb0(%e: f32, %o: f32):
      %0 = math.sqrt %e : f32
      linalg.yield %0 : f32
  } -> tensor<4xf32>
  %inverse = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%root : tensor<4xf32>) outs(%vector : tensor<4xf32>) {
    ^bb0(%e: f32, %o: f32):
      %0 = arith.cmpf one, %e, %zero : f32
      cf.assert %0, "unimplemented: tensor with zero element"
      %1 = arith.divf %one, %e : f32
      linalg.yield %1 : f32
  } -> tensor<4xf32>
  %image = tensor.empty() : tensor<1x4x5x5xf32>
  %init = linalg.fill ins(%zero : f32) outs(%image : tensor<1x4x5x5xf32>) -> tensor<1x4x5x5xf32>
  %c = linalg.conv_2d_nchw_fchw ins(%x, %filter : tensor<1x2x5x5xf32>, tensor<4x2x1x1xf32>)
      outs(%init : tensor<1x4x5x5xf32>) -> tensor<1x4x5x5xf32>
  %m = tensor.expand_shape %mean [[0, 1, 2]] output_shape [4, 1, 1] : tensor<4xf32> into tensor<4x1x1xf32>
  %i = tensor.expand_shape %inverse [[0, 1, 2]] output_shape [4, 1, 1] : tensor<4xf32> into tensor<4x1x1xf32>
  %g = tensor.expand_shape %gamma [[0, 1, 2]] output_shape [4, 1, 1] : tensor<4xf32> into tensor<4x1x1xf32>
  %b = tensor.expand_shape %beta [[0, 1, 2]] output_shape [4, 1, 1] : tensor<4xf32> into tensor<4x1x1xf32>
  %y = linalg.generic {
      indexing_maps = [#nchw, #channel, #channel, #channel, #channel, #nchw],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%c, %m, %i, %g, %b : tensor<1x4x5x5xf32>, tensor<4x1x1xf32>, tensor<4x1x1xf32>,
                               tensor<4x1x1xf32>, tensor<4x1x1xf32>)
      outs(%image : tensor<1x4x5x5xf32>) {
    ^bb0(%e: f32, %em: f32, %ei: f32, %eg: f32, %eb: f32, %o: f32):
      %0 = arith.subf %e, %em : f32
      %1 = arith.mulf %0, %ei : f32
      %2 = arith.mulf %1, %eg : f32
      %3 = arith.addf %2, %eb : f32
      %4 = arith.cmpf ugt, %3, %zero : f32
      %5 = arith.select %4, %3, %zero : f32
      linalg.yield %5 : f32
  } -> tensor<1x4x5x5xf32>
  return %y : tensor<1x4x5x5xf32>
}

{-#
  dialect_resources: {
    builtin: {
      filter: "0x040000000000803F0000004000004040000080400000A0400000C0400000E04000000041",
      variance: "0x040000000000803F00000040000040400000803E"
    }
  }
#-}
