// torch-mlir 20261001 with torch 2.11.0+cu130, by tools/dev/export_torch_mlir.py.
#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0) -> ()>
#map2 = affine_map<(d0, d1, d2, d3) -> (0, 0, 0, 0)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d1, 0, 0)>
#map4 = affine_map<(d0, d1, d2, d3) -> (d2, 0)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d3)>
#map6 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
module {
  func.func @reflect(%arg0: tensor<1x4x6x5xf32>, %arg1: tensor<2x4x3x3xf32>) -> tensor<1x2x7x6xf32> {
    %c-1_i64 = arith.constant -1 : i64
    %c-2_i64 = arith.constant -2 : i64
    %c1_i64 = arith.constant 1 : i64
    %c0_i64 = arith.constant 0 : i64
    %c6_i64 = arith.constant 6 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %c4_i64 = arith.constant 4 : i64
    %c5_i64 = arith.constant 5 : i64
    %c9_i64 = arith.constant 9 : i64
    %cst_0 = arith.constant dense<4> : tensor<i64>
    %cst_1 = arith.constant dense<5> : tensor<i64>
    %0 = tensor.empty() : tensor<9xi64>
    %1 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%0 : tensor<9xi64>) {
    ^bb0(%out: i64):
      %26 = linalg.index 0 : index
      %27 = arith.index_cast %26 : index to i64
      %28 = arith.addi %27, %c-2_i64 : i64
      linalg.yield %28 : i64
    } -> tensor<9xi64>
    %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%1 : tensor<9xi64>) outs(%0 : tensor<9xi64>) {
    ^bb0(%in: i64, %out: i64):
      %26 = math.absi %in : i64
      linalg.yield %26 : i64
    } -> tensor<9xi64>
    %3 = linalg.generic {indexing_maps = [#map1, #map, #map], iterator_types = ["parallel"]} ins(%cst_1, %2 : tensor<i64>, tensor<9xi64>) outs(%0 : tensor<9xi64>) {
    ^bb0(%in: i64, %in_5: i64, %out: i64):
      %26 = arith.subi %in, %in_5 : i64
      linalg.yield %26 : i64
    } -> tensor<9xi64>
    %4 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%3 : tensor<9xi64>) outs(%0 : tensor<9xi64>) {
    ^bb0(%in: i64, %out: i64):
      %26 = math.absi %in : i64
      linalg.yield %26 : i64
    } -> tensor<9xi64>
    %5 = linalg.generic {indexing_maps = [#map1, #map, #map], iterator_types = ["parallel"]} ins(%cst_1, %4 : tensor<i64>, tensor<9xi64>) outs(%0 : tensor<9xi64>) {
    ^bb0(%in: i64, %in_5: i64, %out: i64):
      %26 = arith.subi %in, %in_5 : i64
      linalg.yield %26 : i64
    } -> tensor<9xi64>
    %6 = tensor.empty() : tensor<5xi64>
    %7 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%6 : tensor<5xi64>) {
    ^bb0(%out: i64):
      %26 = linalg.index 0 : index
      %27 = arith.index_cast %26 : index to i64
      linalg.yield %27 : i64
    } -> tensor<5xi64>
    %expanded = tensor.expand_shape %5 [[0, 1]] output_shape [9, 1] : tensor<9xi64> into tensor<9x1xi64>
    %8 = tensor.empty() : tensor<4xi64>
    %9 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%8 : tensor<4xi64>) {
    ^bb0(%out: i64):
      %26 = linalg.index 0 : index
      %27 = arith.index_cast %26 : index to i64
      linalg.yield %27 : i64
    } -> tensor<4xi64>
    %expanded_2 = tensor.expand_shape %9 [[0, 1, 2]] output_shape [4, 1, 1] : tensor<4xi64> into tensor<4x1x1xi64>
    %10 = tensor.empty() : tensor<1xi64>
    %11 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%10 : tensor<1xi64>) {
    ^bb0(%out: i64):
      linalg.yield %c0_i64 : i64
    } -> tensor<1xi64>
    %expanded_3 = tensor.expand_shape %11 [[0, 1, 2, 3]] output_shape [1, 1, 1, 1] : tensor<1xi64> into tensor<1x1x1x1xi64>
    %12 = tensor.empty() : tensor<1x4x9x5xf32>
    %13 = linalg.generic {indexing_maps = [#map2, #map3, #map4, #map5, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_3, %expanded_2, %expanded, %7 : tensor<1x1x1x1xi64>, tensor<4x1x1xi64>, tensor<9x1xi64>, tensor<5xi64>) outs(%12 : tensor<1x4x9x5xf32>) {
    ^bb0(%in: i64, %in_5: i64, %in_6: i64, %in_7: i64, %out: f32):
      %26 = arith.cmpi slt, %in, %c0_i64 : i64
      %27 = arith.addi %in, %c1_i64 : i64
      %28 = arith.select %26, %27, %in : i64
      %29 = arith.index_cast %28 : i64 to index
      %30 = arith.cmpi slt, %in_5, %c0_i64 : i64
      %31 = arith.addi %in_5, %c4_i64 : i64
      %32 = arith.select %30, %31, %in_5 : i64
      %33 = arith.index_cast %32 : i64 to index
      %34 = arith.cmpi slt, %in_6, %c0_i64 : i64
      %35 = arith.addi %in_6, %c6_i64 : i64
      %36 = arith.select %34, %35, %in_6 : i64
      %37 = arith.index_cast %36 : i64 to index
      %38 = arith.cmpi slt, %in_7, %c0_i64 : i64
      %39 = arith.addi %in_7, %c5_i64 : i64
      %40 = arith.select %38, %39, %in_7 : i64
      %41 = arith.index_cast %40 : i64 to index
      %extracted = tensor.extract %arg0[%29, %33, %37, %41] : tensor<1x4x6x5xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x4x9x5xf32>
    %14 = tensor.empty() : tensor<8xi64>
    %15 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%14 : tensor<8xi64>) {
    ^bb0(%out: i64):
      %26 = linalg.index 0 : index
      %27 = arith.index_cast %26 : index to i64
      %28 = arith.addi %27, %c-1_i64 : i64
      linalg.yield %28 : i64
    } -> tensor<8xi64>
    %16 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%15 : tensor<8xi64>) outs(%14 : tensor<8xi64>) {
    ^bb0(%in: i64, %out: i64):
      %26 = math.absi %in : i64
      linalg.yield %26 : i64
    } -> tensor<8xi64>
    %17 = linalg.generic {indexing_maps = [#map1, #map, #map], iterator_types = ["parallel"]} ins(%cst_0, %16 : tensor<i64>, tensor<8xi64>) outs(%14 : tensor<8xi64>) {
    ^bb0(%in: i64, %in_5: i64, %out: i64):
      %26 = arith.subi %in, %in_5 : i64
      linalg.yield %26 : i64
    } -> tensor<8xi64>
    %18 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%17 : tensor<8xi64>) outs(%14 : tensor<8xi64>) {
    ^bb0(%in: i64, %out: i64):
      %26 = math.absi %in : i64
      linalg.yield %26 : i64
    } -> tensor<8xi64>
    %19 = linalg.generic {indexing_maps = [#map1, #map, #map], iterator_types = ["parallel"]} ins(%cst_0, %18 : tensor<i64>, tensor<8xi64>) outs(%14 : tensor<8xi64>) {
    ^bb0(%in: i64, %in_5: i64, %out: i64):
      %26 = arith.subi %in, %in_5 : i64
      linalg.yield %26 : i64
    } -> tensor<8xi64>
    %20 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%0 : tensor<9xi64>) {
    ^bb0(%out: i64):
      %26 = linalg.index 0 : index
      %27 = arith.index_cast %26 : index to i64
      linalg.yield %27 : i64
    } -> tensor<9xi64>
    %expanded_4 = tensor.expand_shape %20 [[0, 1]] output_shape [9, 1] : tensor<9xi64> into tensor<9x1xi64>
    %21 = tensor.empty() : tensor<1x4x9x8xf32>
    %22 = linalg.generic {indexing_maps = [#map2, #map3, #map4, #map5, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_3, %expanded_2, %expanded_4, %19 : tensor<1x1x1x1xi64>, tensor<4x1x1xi64>, tensor<9x1xi64>, tensor<8xi64>) outs(%21 : tensor<1x4x9x8xf32>) {
    ^bb0(%in: i64, %in_5: i64, %in_6: i64, %in_7: i64, %out: f32):
      %26 = arith.cmpi slt, %in, %c0_i64 : i64
      %27 = arith.addi %in, %c1_i64 : i64
      %28 = arith.select %26, %27, %in : i64
      %29 = arith.index_cast %28 : i64 to index
      %30 = arith.cmpi slt, %in_5, %c0_i64 : i64
      %31 = arith.addi %in_5, %c4_i64 : i64
      %32 = arith.select %30, %31, %in_5 : i64
      %33 = arith.index_cast %32 : i64 to index
      %34 = arith.cmpi slt, %in_6, %c0_i64 : i64
      %35 = arith.addi %in_6, %c9_i64 : i64
      %36 = arith.select %34, %35, %in_6 : i64
      %37 = arith.index_cast %36 : i64 to index
      %38 = arith.cmpi slt, %in_7, %c0_i64 : i64
      %39 = arith.addi %in_7, %c5_i64 : i64
      %40 = arith.select %38, %39, %in_7 : i64
      %41 = arith.index_cast %40 : i64 to index
      %extracted = tensor.extract %13[%29, %33, %37, %41] : tensor<1x4x9x5xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x4x9x8xf32>
    %23 = tensor.empty() : tensor<1x2x7x6xf32>
    %24 = linalg.fill ins(%cst : f32) outs(%23 : tensor<1x2x7x6xf32>) -> tensor<1x2x7x6xf32>
    %25 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%22, %arg1 : tensor<1x4x9x8xf32>, tensor<2x4x3x3xf32>) outs(%24 : tensor<1x2x7x6xf32>) -> tensor<1x2x7x6xf32>
    return %25 : tensor<1x2x7x6xf32>
  }
}
