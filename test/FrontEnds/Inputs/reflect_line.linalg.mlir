// torch-mlir 20261001 with torch 2.11.0+cu130, by tools/dev/export_torch_mlir.py.
#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0) -> ()>
#map2 = affine_map<(d0, d1, d2) -> (0, 0, 0)>
#map3 = affine_map<(d0, d1, d2) -> (d1, 0)>
#map4 = affine_map<(d0, d1, d2) -> (d2)>
#map5 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
module {
  func.func @reflect_line(%arg0: tensor<1x4x11xf32>, %arg1: tensor<2x4x3xf32>) -> tensor<1x2x12xf32> {
    %c-1_i64 = arith.constant -1 : i64
    %c1_i64 = arith.constant 1 : i64
    %c0_i64 = arith.constant 0 : i64
    %c11_i64 = arith.constant 11 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %c4_i64 = arith.constant 4 : i64
    %cst_0 = arith.constant dense<10> : tensor<i64>
    %0 = tensor.empty() : tensor<14xi64>
    %1 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%0 : tensor<14xi64>) {
    ^bb0(%out: i64):
      %15 = linalg.index 0 : index
      %16 = arith.index_cast %15 : index to i64
      %17 = arith.addi %16, %c-1_i64 : i64
      linalg.yield %17 : i64
    } -> tensor<14xi64>
    %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%1 : tensor<14xi64>) outs(%0 : tensor<14xi64>) {
    ^bb0(%in: i64, %out: i64):
      %15 = math.absi %in : i64
      linalg.yield %15 : i64
    } -> tensor<14xi64>
    %3 = linalg.generic {indexing_maps = [#map1, #map, #map], iterator_types = ["parallel"]} ins(%cst_0, %2 : tensor<i64>, tensor<14xi64>) outs(%0 : tensor<14xi64>) {
    ^bb0(%in: i64, %in_2: i64, %out: i64):
      %15 = arith.subi %in, %in_2 : i64
      linalg.yield %15 : i64
    } -> tensor<14xi64>
    %4 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%3 : tensor<14xi64>) outs(%0 : tensor<14xi64>) {
    ^bb0(%in: i64, %out: i64):
      %15 = math.absi %in : i64
      linalg.yield %15 : i64
    } -> tensor<14xi64>
    %5 = linalg.generic {indexing_maps = [#map1, #map, #map], iterator_types = ["parallel"]} ins(%cst_0, %4 : tensor<i64>, tensor<14xi64>) outs(%0 : tensor<14xi64>) {
    ^bb0(%in: i64, %in_2: i64, %out: i64):
      %15 = arith.subi %in, %in_2 : i64
      linalg.yield %15 : i64
    } -> tensor<14xi64>
    %6 = tensor.empty() : tensor<4xi64>
    %7 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%6 : tensor<4xi64>) {
    ^bb0(%out: i64):
      %15 = linalg.index 0 : index
      %16 = arith.index_cast %15 : index to i64
      linalg.yield %16 : i64
    } -> tensor<4xi64>
    %expanded = tensor.expand_shape %7 [[0, 1]] output_shape [4, 1] : tensor<4xi64> into tensor<4x1xi64>
    %8 = tensor.empty() : tensor<1xi64>
    %9 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%8 : tensor<1xi64>) {
    ^bb0(%out: i64):
      linalg.yield %c0_i64 : i64
    } -> tensor<1xi64>
    %expanded_1 = tensor.expand_shape %9 [[0, 1, 2]] output_shape [1, 1, 1] : tensor<1xi64> into tensor<1x1x1xi64>
    %10 = tensor.empty() : tensor<1x4x14xf32>
    %11 = linalg.generic {indexing_maps = [#map2, #map3, #map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_1, %expanded, %5 : tensor<1x1x1xi64>, tensor<4x1xi64>, tensor<14xi64>) outs(%10 : tensor<1x4x14xf32>) {
    ^bb0(%in: i64, %in_2: i64, %in_3: i64, %out: f32):
      %15 = arith.cmpi slt, %in, %c0_i64 : i64
      %16 = arith.addi %in, %c1_i64 : i64
      %17 = arith.select %15, %16, %in : i64
      %18 = arith.index_cast %17 : i64 to index
      %19 = arith.cmpi slt, %in_2, %c0_i64 : i64
      %20 = arith.addi %in_2, %c4_i64 : i64
      %21 = arith.select %19, %20, %in_2 : i64
      %22 = arith.index_cast %21 : i64 to index
      %23 = arith.cmpi slt, %in_3, %c0_i64 : i64
      %24 = arith.addi %in_3, %c11_i64 : i64
      %25 = arith.select %23, %24, %in_3 : i64
      %26 = arith.index_cast %25 : i64 to index
      %extracted = tensor.extract %arg0[%18, %22, %26] : tensor<1x4x11xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x4x14xf32>
    %12 = tensor.empty() : tensor<1x2x12xf32>
    %13 = linalg.fill ins(%cst : f32) outs(%12 : tensor<1x2x12xf32>) -> tensor<1x2x12xf32>
    %14 = linalg.conv_1d_ncw_fcw {dilations = dense<1> : vector<1xi64>, strides = dense<1> : vector<1xi64>} ins(%11, %arg1 : tensor<1x4x14xf32>, tensor<2x4x3xf32>) outs(%13 : tensor<1x2x12xf32>) -> tensor<1x2x12xf32>
    return %14 : tensor<1x2x12xf32>
  }
}
