// torch-mlir 20261001 with torch 2.11.0+cu130, by tools/dev/export_torch_mlir.py.
#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0, d1, d2) -> (0, 0, 0)>
#map2 = affine_map<(d0, d1, d2) -> (d1, 0)>
#map3 = affine_map<(d0, d1, d2) -> (d2)>
#map4 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
module {
  func.func @replicate_line(%arg0: tensor<1x4x11xf32>, %arg1: tensor<2x4x3xf32>) -> tensor<1x2x12xf32> {
    %c4_i64 = arith.constant 4 : i64
    %c10_i64 = arith.constant 10 : i64
    %c-1_i64 = arith.constant -1 : i64
    %c1_i64 = arith.constant 1 : i64
    %c0_i64 = arith.constant 0 : i64
    %c11_i64 = arith.constant 11 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<14xi64>
    %1 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%0 : tensor<14xi64>) {
    ^bb0(%out: i64):
      %12 = linalg.index 0 : index
      %13 = arith.index_cast %12 : index to i64
      %14 = arith.addi %13, %c-1_i64 : i64
      linalg.yield %14 : i64
    } -> tensor<14xi64>
    %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%1 : tensor<14xi64>) outs(%0 : tensor<14xi64>) {
    ^bb0(%in: i64, %out: i64):
      %12 = arith.maxsi %in, %c0_i64 : i64
      %13 = arith.minsi %12, %c10_i64 : i64
      linalg.yield %13 : i64
    } -> tensor<14xi64>
    %3 = tensor.empty() : tensor<4xi64>
    %4 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%3 : tensor<4xi64>) {
    ^bb0(%out: i64):
      %12 = linalg.index 0 : index
      %13 = arith.index_cast %12 : index to i64
      linalg.yield %13 : i64
    } -> tensor<4xi64>
    %expanded = tensor.expand_shape %4 [[0, 1]] output_shape [4, 1] : tensor<4xi64> into tensor<4x1xi64>
    %5 = tensor.empty() : tensor<1xi64>
    %6 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%5 : tensor<1xi64>) {
    ^bb0(%out: i64):
      linalg.yield %c0_i64 : i64
    } -> tensor<1xi64>
    %expanded_0 = tensor.expand_shape %6 [[0, 1, 2]] output_shape [1, 1, 1] : tensor<1xi64> into tensor<1x1x1xi64>
    %7 = tensor.empty() : tensor<1x4x14xf32>
    %8 = linalg.generic {indexing_maps = [#map1, #map2, #map3, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_0, %expanded, %2 : tensor<1x1x1xi64>, tensor<4x1xi64>, tensor<14xi64>) outs(%7 : tensor<1x4x14xf32>) {
    ^bb0(%in: i64, %in_1: i64, %in_2: i64, %out: f32):
      %12 = arith.cmpi slt, %in, %c0_i64 : i64
      %13 = arith.addi %in, %c1_i64 : i64
      %14 = arith.select %12, %13, %in : i64
      %15 = arith.index_cast %14 : i64 to index
      %16 = arith.cmpi slt, %in_1, %c0_i64 : i64
      %17 = arith.addi %in_1, %c4_i64 : i64
      %18 = arith.select %16, %17, %in_1 : i64
      %19 = arith.index_cast %18 : i64 to index
      %20 = arith.cmpi slt, %in_2, %c0_i64 : i64
      %21 = arith.addi %in_2, %c11_i64 : i64
      %22 = arith.select %20, %21, %in_2 : i64
      %23 = arith.index_cast %22 : i64 to index
      %extracted = tensor.extract %arg0[%15, %19, %23] : tensor<1x4x11xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x4x14xf32>
    %9 = tensor.empty() : tensor<1x2x12xf32>
    %10 = linalg.fill ins(%cst : f32) outs(%9 : tensor<1x2x12xf32>) -> tensor<1x2x12xf32>
    %11 = linalg.conv_1d_ncw_fcw {dilations = dense<1> : vector<1xi64>, strides = dense<1> : vector<1xi64>} ins(%8, %arg1 : tensor<1x4x14xf32>, tensor<2x4x3xf32>) outs(%10 : tensor<1x2x12xf32>) -> tensor<1x2x12xf32>
    return %11 : tensor<1x2x12xf32>
  }
}
