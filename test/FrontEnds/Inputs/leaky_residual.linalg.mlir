// torch-mlir 20261001 with torch 2.11.0+cu130, by tools/dev/export_torch_mlir.py.
#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> ()>
module {
  func.func @leaky_residual(%arg0: tensor<1x4x6x5xf32>, %arg1: tensor<8x4x1x1xf32>, %arg2: tensor<1x8x6x5xf32>) -> tensor<1x8x6x5xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_1 = arith.constant 2.500000e-01 : f32
    %0 = tensor.empty() : tensor<1x8x6x5xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1x8x6x5xf32>) -> tensor<1x8x6x5xf32>
    %2 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%arg0, %arg1 : tensor<1x4x6x5xf32>, tensor<8x4x1x1xf32>) outs(%1 : tensor<1x8x6x5xf32>) -> tensor<1x8x6x5xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2, %arg2 : tensor<1x8x6x5xf32>, tensor<1x8x6x5xf32>) outs(%0 : tensor<1x8x6x5xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %8 = arith.addf %in, %in_2 : f32
      linalg.yield %8 : f32
    } -> tensor<1x8x6x5xf32>
    %4 = linalg.generic {indexing_maps = [#map1, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_0, %3 : tensor<f32>, tensor<1x8x6x5xf32>) outs(%0 : tensor<1x8x6x5xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %8 = arith.cmpf ogt, %in, %in_2 : f32
      %9 = arith.select %8, %in, %in_2 : f32
      linalg.yield %9 : f32
    } -> tensor<1x8x6x5xf32>
    %5 = linalg.generic {indexing_maps = [#map1, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_0, %3 : tensor<f32>, tensor<1x8x6x5xf32>) outs(%0 : tensor<1x8x6x5xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %8 = arith.cmpf olt, %in, %in_2 : f32
      %9 = arith.select %8, %in, %in_2 : f32
      linalg.yield %9 : f32
    } -> tensor<1x8x6x5xf32>
    %6 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%5 : tensor<1x8x6x5xf32>) outs(%0 : tensor<1x8x6x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %8 = arith.mulf %in, %cst_1 : f32
      linalg.yield %8 : f32
    } -> tensor<1x8x6x5xf32>
    %7 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%4, %6 : tensor<1x8x6x5xf32>, tensor<1x8x6x5xf32>) outs(%0 : tensor<1x8x6x5xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %8 = arith.addf %in, %in_2 : f32
      linalg.yield %8 : f32
    } -> tensor<1x8x6x5xf32>
    return %7 : tensor<1x8x6x5xf32>
  }
}
