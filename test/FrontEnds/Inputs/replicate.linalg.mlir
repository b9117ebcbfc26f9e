// torch-mlir 20261001 with torch 2.11.0+cu130, by tools/dev/export_torch_mlir.py.
#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0, d1, d2, d3) -> (0, 0, 0, 0)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d1, 0, 0)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d2, 0)>
#map4 = affine_map<(d0, d1, d2, d3) -> (d3)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
module {
  func.func @replicate(%arg0: tensor<1x4x6x5xf32>, %arg1: tensor<2x4x3x3xf32>) -> tensor<1x2x7x6xf32> {
    %c9_i64 = arith.constant 9 : i64
    %c4_i64 = arith.constant 4 : i64
    %c-1_i64 = arith.constant -1 : i64
    %c5_i64 = arith.constant 5 : i64
    %c-2_i64 = arith.constant -2 : i64
    %c1_i64 = arith.constant 1 : i64
    %c0_i64 = arith.constant 0 : i64
    %c6_i64 = arith.constant 6 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<9xi64>
    %1 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%0 : tensor<9xi64>) {
    ^bb0(%out: i64):
      %20 = linalg.index 0 : index
      %21 = arith.index_cast %20 : index to i64
      %22 = arith.addi %21, %c-2_i64 : i64
      linalg.yield %22 : i64
    } -> tensor<9xi64>
    %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%1 : tensor<9xi64>) outs(%0 : tensor<9xi64>) {
    ^bb0(%in: i64, %out: i64):
      %20 = arith.maxsi %in, %c0_i64 : i64
      %21 = arith.minsi %20, %c5_i64 : i64
      linalg.yield %21 : i64
    } -> tensor<9xi64>
    %3 = tensor.empty() : tensor<5xi64>
    %4 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%3 : tensor<5xi64>) {
    ^bb0(%out: i64):
      %20 = linalg.index 0 : index
      %21 = arith.index_cast %20 : index to i64
      linalg.yield %21 : i64
    } -> tensor<5xi64>
    %expanded = tensor.expand_shape %2 [[0, 1]] output_shape [9, 1] : tensor<9xi64> into tensor<9x1xi64>
    %5 = tensor.empty() : tensor<4xi64>
    %6 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%5 : tensor<4xi64>) {
    ^bb0(%out: i64):
      %20 = linalg.index 0 : index
      %21 = arith.index_cast %20 : index to i64
      linalg.yield %21 : i64
    } -> tensor<4xi64>
    %expanded_0 = tensor.expand_shape %6 [[0, 1, 2]] output_shape [4, 1, 1] : tensor<4xi64> into tensor<4x1x1xi64>
    %7 = tensor.empty() : tensor<1xi64>
    %8 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%7 : tensor<1xi64>) {
    ^bb0(%out: i64):
      linalg.yield %c0_i64 : i64
    } -> tensor<1xi64>
    %expanded_1 = tensor.expand_shape %8 [[0, 1, 2, 3]] output_shape [1, 1, 1, 1] : tensor<1xi64> into tensor<1x1x1x1xi64>
    %9 = tensor.empty() : tensor<1x4x9x5xf32>
    %10 = linalg.generic {indexing_maps = [#map1, #map2, #map3, #map4, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_1, %expanded_0, %expanded, %4 : tensor<1x1x1x1xi64>, tensor<4x1x1xi64>, tensor<9x1xi64>, tensor<5xi64>) outs(%9 : tensor<1x4x9x5xf32>) {
    ^bb0(%in: i64, %in_3: i64, %in_4: i64, %in_5: i64, %out: f32):
      %20 = arith.cmpi slt, %in, %c0_i64 : i64
      %21 = arith.addi %in, %c1_i64 : i64
      %22 = arith.select %20, %21, %in : i64
      %23 = arith.index_cast %22 : i64 to index
      %24 = arith.cmpi slt, %in_3, %c0_i64 : i64
      %25 = arith.addi %in_3, %c4_i64 : i64
      %26 = arith.select %24, %25, %in_3 : i64
      %27 = arith.index_cast %26 : i64 to index
      %28 = arith.cmpi slt, %in_4, %c0_i64 : i64
      %29 = arith.addi %in_4, %c6_i64 : i64
      %30 = arith.select %28, %29, %in_4 : i64
      %31 = arith.index_cast %30 : i64 to index
      %32 = arith.cmpi slt, %in_5, %c0_i64 : i64
      %33 = arith.addi %in_5, %c5_i64 : i64
      %34 = arith.select %32, %33, %in_5 : i64
      %35 = arith.index_cast %34 : i64 to index
      %extracted = tensor.extract %arg0[%23, %27, %31, %35] : tensor<1x4x6x5xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x4x9x5xf32>
    %11 = tensor.empty() : tensor<8xi64>
    %12 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%11 : tensor<8xi64>) {
    ^bb0(%out: i64):
      %20 = linalg.index 0 : index
      %21 = arith.index_cast %20 : index to i64
      %22 = arith.addi %21, %c-1_i64 : i64
      linalg.yield %22 : i64
    } -> tensor<8xi64>
    %13 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%12 : tensor<8xi64>) outs(%11 : tensor<8xi64>) {
    ^bb0(%in: i64, %out: i64):
      %20 = arith.maxsi %in, %c0_i64 : i64
      %21 = arith.minsi %20, %c4_i64 : i64
      linalg.yield %21 : i64
    } -> tensor<8xi64>
    %14 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%0 : tensor<9xi64>) {
    ^bb0(%out: i64):
      %20 = linalg.index 0 : index
      %21 = arith.index_cast %20 : index to i64
      linalg.yield %21 : i64
    } -> tensor<9xi64>
    %expanded_2 = tensor.expand_shape %14 [[0, 1]] output_shape [9, 1] : tensor<9xi64> into tensor<9x1xi64>
    %15 = tensor.empty() : tensor<1x4x9x8xf32>
    %16 = linalg.generic {indexing_maps = [#map1, #map2, #map3, #map4, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_1, %expanded_0, %expanded_2, %13 : tensor<1x1x1x1xi64>, tensor<4x1x1xi64>, tensor<9x1xi64>, tensor<8xi64>) outs(%15 : tensor<1x4x9x8xf32>) {
    ^bb0(%in: i64, %in_3: i64, %in_4: i64, %in_5: i64, %out: f32):
      %20 = arith.cmpi slt, %in, %c0_i64 : i64
      %21 = arith.addi %in, %c1_i64 : i64
      %22 = arith.select %20, %21, %in : i64
      %23 = arith.index_cast %22 : i64 to index
      %24 = arith.cmpi slt, %in_3, %c0_i64 : i64
      %25 = arith.addi %in_3, %c4_i64 : i64
      %26 = arith.select %24, %25, %in_3 : i64
      %27 = arith.index_cast %26 : i64 to index
      %28 = arith.cmpi slt, %in_4, %c0_i64 : i64
      %29 = arith.addi %in_4, %c9_i64 : i64
      %30 = arith.select %28, %29, %in_4 : i64
      %31 = arith.index_cast %30 : i64 to index
      %32 = arith.cmpi slt, %in_5, %c0_i64 : i64
      %33 = arith.addi %in_5, %c5_i64 : i64
      %34 = arith.select %32, %33, %in_5 : i64
      %35 = arith.index_cast %34 : i64 to index
      %extracted = tensor.extract %10[%23, %27, %31, %35] : tensor<1x4x9x5xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x4x9x8xf32>
    %17 = tensor.empty() : tensor<1x2x7x6xf32>
    %18 = linalg.fill ins(%cst : f32) outs(%17 : tensor<1x2x7x6xf32>) -> tensor<1x2x7x6xf32>
    %19 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%16, %arg1 : tensor<1x4x9x8xf32>, tensor<2x4x3x3xf32>) outs(%18 : tensor<1x2x7x6xf32>) -> tensor<1x2x7x6xf32>
    return %19 : tensor<1x2x7x6xf32>
  }
}
