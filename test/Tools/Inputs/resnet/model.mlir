#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d1, 0, 0)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, d1)>
#map4 = affine_map<(d0, d1) -> (d0, d1)>
#map5 = affine_map<(d0, d1) -> (d1)>
module {
  func.func @main(%arg0: tensor<1x3x32x32xf32>) -> tensor<1x10xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 1.000000e+00 : f32
    %cst_1 = arith.constant 0xFF800000 : f32
    %cst_2 = arith.constant dense_resource<torch_tensor_10_torch.float32> : tensor<10xf32>
    %cst_3 = arith.constant dense_resource<torch_tensor_10_8_torch.float32> : tensor<10x8xf32>
    %cst_4 = arith.constant dense_resource<torch_tensor_8_torch.float32_11> : tensor<8xf32>
    %cst_5 = arith.constant dense_resource<torch_tensor_8_torch.float32_10> : tensor<8xf32>
    %cst_6 = arith.constant dense_resource<torch_tensor_8_torch.float32_9> : tensor<8xf32>
    %cst_7 = arith.constant dense_resource<torch_tensor_8_torch.float32_8> : tensor<8xf32>
    %cst_8 = arith.constant dense_resource<torch_tensor_8_4_1_1_torch.float32> : tensor<8x4x1x1xf32>
    %cst_9 = arith.constant dense_resource<torch_tensor_8_torch.float32_7> : tensor<8xf32>
    %cst_10 = arith.constant dense_resource<torch_tensor_8_torch.float32_6> : tensor<8xf32>
    %cst_11 = arith.constant dense_resource<torch_tensor_8_torch.float32_5> : tensor<8xf32>
    %cst_12 = arith.constant dense_resource<torch_tensor_8_torch.float32_4> : tensor<8xf32>
    %cst_13 = arith.constant dense_resource<torch_tensor_8_8_3_3_torch.float32> : tensor<8x8x3x3xf32>
    %cst_14 = arith.constant dense_resource<torch_tensor_8_torch.float32_3> : tensor<8xf32>
    %cst_15 = arith.constant dense_resource<torch_tensor_8_torch.float32_2> : tensor<8xf32>
    %cst_16 = arith.constant dense_resource<torch_tensor_8_torch.float32_1> : tensor<8xf32>
    %cst_17 = arith.constant dense_resource<torch_tensor_8_torch.float32> : tensor<8xf32>
    %cst_18 = arith.constant dense_resource<torch_tensor_8_4_3_3_torch.float32> : tensor<8x4x3x3xf32>
    %cst_19 = arith.constant dense_resource<torch_tensor_4_torch.float32_11> : tensor<4xf32>
    %cst_20 = arith.constant dense_resource<torch_tensor_4_torch.float32_10> : tensor<4xf32>
    %cst_21 = arith.constant dense_resource<torch_tensor_4_torch.float32_9> : tensor<4xf32>
    %cst_22 = arith.constant dense_resource<torch_tensor_4_torch.float32_8> : tensor<4xf32>
    %cst_23 = arith.constant dense_resource<torch_tensor_4_4_3_3_torch.float32_1> : tensor<4x4x3x3xf32>
    %cst_24 = arith.constant dense_resource<torch_tensor_4_torch.float32_7> : tensor<4xf32>
    %cst_25 = arith.constant dense_resource<torch_tensor_4_torch.float32_6> : tensor<4xf32>
    %cst_26 = arith.constant dense_resource<torch_tensor_4_torch.float32_5> : tensor<4xf32>
    %cst_27 = arith.constant dense_resource<torch_tensor_4_torch.float32_4> : tensor<4xf32>
    %cst_28 = arith.constant dense_resource<torch_tensor_4_4_3_3_torch.float32> : tensor<4x4x3x3xf32>
    %cst_29 = arith.constant dense_resource<torch_tensor_4_torch.float32_3> : tensor<4xf32>
    %cst_30 = arith.constant dense_resource<torch_tensor_4_torch.float32_2> : tensor<4xf32>
    %cst_31 = arith.constant 1.000000e-05 : f64
    %cst_32 = arith.constant dense_resource<torch_tensor_4_torch.float32_1> : tensor<4xf32>
    %cst_33 = arith.constant dense_resource<torch_tensor_4_torch.float32> : tensor<4xf32>
    %cst_34 = arith.constant dense_resource<torch_tensor_4_3_7_7_torch.float32> : tensor<4x3x7x7xf32>
    %cst_35 = arith.constant 1.600000e+01 : f32
    %padded = tensor.pad %arg0 low[0, 0, 3, 3] high[0, 0, 3, 3] {
    ^bb0(%arg1: index, %arg2: index, %arg3: index, %arg4: index):
      tensor.yield %cst : f32
    } : tensor<1x3x32x32xf32> to tensor<1x3x38x38xf32>
    %0 = tensor.empty() : tensor<1x4x16x16xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1x4x16x16xf32>) -> tensor<1x4x16x16xf32>
    %2 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%padded, %cst_34 : tensor<1x3x38x38xf32>, tensor<4x3x7x7xf32>) outs(%1 : tensor<1x4x16x16xf32>) -> tensor<1x4x16x16xf32>
    %3 = tensor.empty() : tensor<4xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%cst_32 : tensor<4xf32>) outs(%3 : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %75 = arith.truncf %cst_31 : f64 to f32
      %76 = arith.addf %in, %75 : f32
      linalg.yield %76 : f32
    } -> tensor<4xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%4 : tensor<4xf32>) outs(%3 : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %75 = math.sqrt %in : f32
      linalg.yield %75 : f32
    } -> tensor<4xf32>
    %6 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%5 : tensor<4xf32>) outs(%3 : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %75 = arith.cmpf one, %in, %cst : f32
      cf.assert %75, "unimplemented: tensor with zero element"
      %76 = arith.divf %cst_0, %in : f32
      linalg.yield %76 : f32
    } -> tensor<4xf32>
    %expanded = tensor.expand_shape %cst_33 [[0, 1, 2]] output_shape [4, 1, 1] : tensor<4xf32> into tensor<4x1x1xf32>
    %expanded_36 = tensor.expand_shape %6 [[0, 1, 2]] output_shape [4, 1, 1] : tensor<4xf32> into tensor<4x1x1xf32>
    %7 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2, %expanded : tensor<1x4x16x16xf32>, tensor<4x1x1xf32>) outs(%0 : tensor<1x4x16x16xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %75 = arith.subf %in, %in_64 : f32
      linalg.yield %75 : f32
    } -> tensor<1x4x16x16xf32>
    %8 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7, %expanded_36 : tensor<1x4x16x16xf32>, tensor<4x1x1xf32>) outs(%0 : tensor<1x4x16x16xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %75 = arith.mulf %in, %in_64 : f32
      linalg.yield %75 : f32
    } -> tensor<1x4x16x16xf32>
    %expanded_37 = tensor.expand_shape %cst_30 [[0, 1, 2]] output_shape [4, 1, 1] : tensor<4xf32> into tensor<4x1x1xf32>
    %9 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%8, %expanded_37 : tensor<1x4x16x16xf32>, tensor<4x1x1xf32>) outs(%0 : tensor<1x4x16x16xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %75 = arith.mulf %in, %in_64 : f32
      linalg.yield %75 : f32
    } -> tensor<1x4x16x16xf32>
    %expanded_38 = tensor.expand_shape %cst_29 [[0, 1, 2]] output_shape [4, 1, 1] : tensor<4xf32> into tensor<4x1x1xf32>
    %10 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%9, %expanded_38 : tensor<1x4x16x16xf32>, tensor<4x1x1xf32>) outs(%0 : tensor<1x4x16x16xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %75 = arith.addf %in, %in_64 : f32
      linalg.yield %75 : f32
    } -> tensor<1x4x16x16xf32>
    %11 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%10 : tensor<1x4x16x16xf32>) outs(%0 : tensor<1x4x16x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %75 = arith.cmpf ugt, %in, %cst : f32
      %76 = arith.select %75, %in, %cst : f32
      linalg.yield %76 : f32
    } -> tensor<1x4x16x16xf32>
    %padded_39 = tensor.pad %11 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg1: index, %arg2: index, %arg3: index, %arg4: index):
      tensor.yield %cst_1 : f32
    } : tensor<1x4x16x16xf32> to tensor<1x4x18x18xf32>
    %12 = tensor.empty() : tensor<1x4x8x8xf32>
    %13 = linalg.fill ins(%cst_1 : f32) outs(%12 : tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
    %14 = tensor.empty() : tensor<3x3xf32>
    %15 = linalg.pooling_nchw_max {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%padded_39, %14 : tensor<1x4x18x18xf32>, tensor<3x3xf32>) outs(%13 : tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
    %padded_40 = tensor.pad %15 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg1: index, %arg2: index, %arg3: index, %arg4: index):
      tensor.yield %cst : f32
    } : tensor<1x4x8x8xf32> to tensor<1x4x10x10xf32>
    %16 = linalg.fill ins(%cst : f32) outs(%12 : tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
    %17 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%padded_40, %cst_28 : tensor<1x4x10x10xf32>, tensor<4x4x3x3xf32>) outs(%16 : tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
    %18 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%cst_26 : tensor<4xf32>) outs(%3 : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %75 = arith.truncf %cst_31 : f64 to f32
      %76 = arith.addf %in, %75 : f32
      linalg.yield %76 : f32
    } -> tensor<4xf32>
    %19 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%18 : tensor<4xf32>) outs(%3 : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %75 = math.sqrt %in : f32
      linalg.yield %75 : f32
    } -> tensor<4xf32>
    %20 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%19 : tensor<4xf32>) outs(%3 : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %75 = arith.cmpf one, %in, %cst : f32
      cf.assert %75, "unimplemented: tensor with zero element"
      %76 = arith.divf %cst_0, %in : f32
      linalg.yield %76 : f32
    } -> tensor<4xf32>
    %expanded_41 = tensor.expand_shape %cst_27 [[0, 1, 2]] output_shape [4, 1, 1] : tensor<4xf32> into tensor<4x1x1xf32>
    %expanded_42 = tensor.expand_shape %20 [[0, 1, 2]] output_shape [4, 1, 1] : tensor<4xf32> into tensor<4x1x1xf32>
    %21 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%17, %expanded_41 : tensor<1x4x8x8xf32>, tensor<4x1x1xf32>) outs(%12 : tensor<1x4x8x8xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %75 = arith.subf %in, %in_64 : f32
      linalg.yield %75 : f32
    } -> tensor<1x4x8x8xf32>
    %22 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%21, %expanded_42 : tensor<1x4x8x8xf32>, tensor<4x1x1xf32>) outs(%12 : tensor<1x4x8x8xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %75 = arith.mulf %in, %in_64 : f32
      linalg.yield %75 : f32
    } -> tensor<1x4x8x8xf32>
    %expanded_43 = tensor.expand_shape %cst_25 [[0, 1, 2]] output_shape [4, 1, 1] : tensor<4xf32> into tensor<4x1x1xf32>
    %23 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%22, %expanded_43 : tensor<1x4x8x8xf32>, tensor<4x1x1xf32>) outs(%12 : tensor<1x4x8x8xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %75 = arith.mulf %in, %in_64 : f32
      linalg.yield %75 : f32
    } -> tensor<1x4x8x8xf32>
    %expanded_44 = tensor.expand_shape %cst_24 [[0, 1, 2]] output_shape [4, 1, 1] : tensor<4xf32> into tensor<4x1x1xf32>
    %24 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%23, %expanded_44 : tensor<1x4x8x8xf32>, tensor<4x1x1xf32>) outs(%12 : tensor<1x4x8x8xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %75 = arith.addf %in, %in_64 : f32
      linalg.yield %75 : f32
    } -> tensor<1x4x8x8xf32>
    %25 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%24 : tensor<1x4x8x8xf32>) outs(%12 : tensor<1x4x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %75 = arith.cmpf ugt, %in, %cst : f32
      %76 = arith.select %75, %in, %cst : f32
      linalg.yield %76 : f32
    } -> tensor<1x4x8x8xf32>
    %padded_45 = tensor.pad %25 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg1: index, %arg2: index, %arg3: index, %arg4: index):
      tensor.yield %cst : f32
    } : tensor<1x4x8x8xf32> to tensor<1x4x10x10xf32>
    %26 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%padded_45, %cst_23 : tensor<1x4x10x10xf32>, tensor<4x4x3x3xf32>) outs(%16 : tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
    %27 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%cst_21 : tensor<4xf32>) outs(%3 : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %75 = arith.truncf %cst_31 : f64 to f32
      %76 = arith.addf %in, %75 : f32
      linalg.yield %76 : f32
    } -> tensor<4xf32>
    %28 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%27 : tensor<4xf32>) outs(%3 : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %75 = math.sqrt %in : f32
      linalg.yield %75 : f32
    } -> tensor<4xf32>
    %29 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%28 : tensor<4xf32>) outs(%3 : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %75 = arith.cmpf one, %in, %cst : f32
      cf.assert %75, "unimplemented: tensor with zero element"
      %76 = arith.divf %cst_0, %in : f32
      linalg.yield %76 : f32
    } -> tensor<4xf32>
    %expanded_46 = tensor.expand_shape %cst_22 [[0, 1, 2]] output_shape [4, 1, 1] : tensor<4xf32> into tensor<4x1x1xf32>
    %expanded_47 = tensor.expand_shape %29 [[0, 1, 2]] output_shape [4, 1, 1] : tensor<4xf32> into tensor<4x1x1xf32>
    %30 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%26, %expanded_46 : tensor<1x4x8x8xf32>, tensor<4x1x1xf32>) outs(%12 : tensor<1x4x8x8xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %75 = arith.subf %in, %in_64 : f32
      linalg.yield %75 : f32
    } -> tensor<1x4x8x8xf32>
    %31 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%30, %expanded_47 : tensor<1x4x8x8xf32>, tensor<4x1x1xf32>) outs(%12 : tensor<1x4x8x8xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %75 = arith.mulf %in, %in_64 : f32
      linalg.yield %75 : f32
    } -> tensor<1x4x8x8xf32>
    %expanded_48 = tensor.expand_shape %cst_20 [[0, 1, 2]] output_shape [4, 1, 1] : tensor<4xf32> into tensor<4x1x1xf32>
    %32 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%31, %expanded_48 : tensor<1x4x8x8xf32>, tensor<4x1x1xf32>) outs(%12 : tensor<1x4x8x8xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %75 = arith.mulf %in, %in_64 : f32
      linalg.yield %75 : f32
    } -> tensor<1x4x8x8xf32>
    %expanded_49 = tensor.expand_shape %cst_19 [[0, 1, 2]] output_shape [4, 1, 1] : tensor<4xf32> into tensor<4x1x1xf32>
    %33 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%32, %expanded_49 : tensor<1x4x8x8xf32>, tensor<4x1x1xf32>) outs(%12 : tensor<1x4x8x8xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %75 = arith.addf %in, %in_64 : f32
      linalg.yield %75 : f32
    } -> tensor<1x4x8x8xf32>
    %34 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%33, %15 : tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>) outs(%12 : tensor<1x4x8x8xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %75 = arith.addf %in, %in_64 : f32
      linalg.yield %75 : f32
    } -> tensor<1x4x8x8xf32>
    %35 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%34 : tensor<1x4x8x8xf32>) outs(%12 : tensor<1x4x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %75 = arith.cmpf ugt, %in, %cst : f32
      %76 = arith.select %75, %in, %cst : f32
      linalg.yield %76 : f32
    } -> tensor<1x4x8x8xf32>
    %padded_50 = tensor.pad %35 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg1: index, %arg2: index, %arg3: index, %arg4: index):
      tensor.yield %cst : f32
    } : tensor<1x4x8x8xf32> to tensor<1x4x10x10xf32>
    %36 = tensor.empty() : tensor<1x8x4x4xf32>
    %37 = linalg.fill ins(%cst : f32) outs(%36 : tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
    %38 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%padded_50, %cst_18 : tensor<1x4x10x10xf32>, tensor<8x4x3x3xf32>) outs(%37 : tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
    %39 = tensor.empty() : tensor<8xf32>
    %40 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%cst_16 : tensor<8xf32>) outs(%39 : tensor<8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %75 = arith.truncf %cst_31 : f64 to f32
      %76 = arith.addf %in, %75 : f32
      linalg.yield %76 : f32
    } -> tensor<8xf32>
    %41 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%40 : tensor<8xf32>) outs(%39 : tensor<8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %75 = math.sqrt %in : f32
      linalg.yield %75 : f32
    } -> tensor<8xf32>
    %42 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%41 : tensor<8xf32>) outs(%39 : tensor<8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %75 = arith.cmpf one, %in, %cst : f32
      cf.assert %75, "unimplemented: tensor with zero element"
      %76 = arith.divf %cst_0, %in : f32
      linalg.yield %76 : f32
    } -> tensor<8xf32>
    %expanded_51 = tensor.expand_shape %cst_17 [[0, 1, 2]] output_shape [8, 1, 1] : tensor<8xf32> into tensor<8x1x1xf32>
    %expanded_52 = tensor.expand_shape %42 [[0, 1, 2]] output_shape [8, 1, 1] : tensor<8xf32> into tensor<8x1x1xf32>
    %43 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%38, %expanded_51 : tensor<1x8x4x4xf32>, tensor<8x1x1xf32>) outs(%36 : tensor<1x8x4x4xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %75 = arith.subf %in, %in_64 : f32
      linalg.yield %75 : f32
    } -> tensor<1x8x4x4xf32>
    %44 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%43, %expanded_52 : tensor<1x8x4x4xf32>, tensor<8x1x1xf32>) outs(%36 : tensor<1x8x4x4xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %75 = arith.mulf %in, %in_64 : f32
      linalg.yield %75 : f32
    } -> tensor<1x8x4x4xf32>
    %expanded_53 = tensor.expand_shape %cst_15 [[0, 1, 2]] output_shape [8, 1, 1] : tensor<8xf32> into tensor<8x1x1xf32>
    %45 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%44, %expanded_53 : tensor<1x8x4x4xf32>, tensor<8x1x1xf32>) outs(%36 : tensor<1x8x4x4xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %75 = arith.mulf %in, %in_64 : f32
      linalg.yield %75 : f32
    } -> tensor<1x8x4x4xf32>
    %expanded_54 = tensor.expand_shape %cst_14 [[0, 1, 2]] output_shape [8, 1, 1] : tensor<8xf32> into tensor<8x1x1xf32>
    %46 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%45, %expanded_54 : tensor<1x8x4x4xf32>, tensor<8x1x1xf32>) outs(%36 : tensor<1x8x4x4xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %75 = arith.addf %in, %in_64 : f32
      linalg.yield %75 : f32
    } -> tensor<1x8x4x4xf32>
    %47 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%46 : tensor<1x8x4x4xf32>) outs(%36 : tensor<1x8x4x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %75 = arith.cmpf ugt, %in, %cst : f32
      %76 = arith.select %75, %in, %cst : f32
      linalg.yield %76 : f32
    } -> tensor<1x8x4x4xf32>
    %padded_55 = tensor.pad %47 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg1: index, %arg2: index, %arg3: index, %arg4: index):
      tensor.yield %cst : f32
    } : tensor<1x8x4x4xf32> to tensor<1x8x6x6xf32>
    %48 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%padded_55, %cst_13 : tensor<1x8x6x6xf32>, tensor<8x8x3x3xf32>) outs(%37 : tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
    %49 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%cst_11 : tensor<8xf32>) outs(%39 : tensor<8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %75 = arith.truncf %cst_31 : f64 to f32
      %76 = arith.addf %in, %75 : f32
      linalg.yield %76 : f32
    } -> tensor<8xf32>
    %50 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%49 : tensor<8xf32>) outs(%39 : tensor<8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %75 = math.sqrt %in : f32
      linalg.yield %75 : f32
    } -> tensor<8xf32>
    %51 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%50 : tensor<8xf32>) outs(%39 : tensor<8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %75 = arith.cmpf one, %in, %cst : f32
      cf.assert %75, "unimplemented: tensor with zero element"
      %76 = arith.divf %cst_0, %in : f32
      linalg.yield %76 : f32
    } -> tensor<8xf32>
    %expanded_56 = tensor.expand_shape %cst_12 [[0, 1, 2]] output_shape [8, 1, 1] : tensor<8xf32> into tensor<8x1x1xf32>
    %expanded_57 = tensor.expand_shape %51 [[0, 1, 2]] output_shape [8, 1, 1] : tensor<8xf32> into tensor<8x1x1xf32>
    %52 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%48, %expanded_56 : tensor<1x8x4x4xf32>, tensor<8x1x1xf32>) outs(%36 : tensor<1x8x4x4xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %75 = arith.subf %in, %in_64 : f32
      linalg.yield %75 : f32
    } -> tensor<1x8x4x4xf32>
    %53 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%52, %expanded_57 : tensor<1x8x4x4xf32>, tensor<8x1x1xf32>) outs(%36 : tensor<1x8x4x4xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %75 = arith.mulf %in, %in_64 : f32
      linalg.yield %75 : f32
    } -> tensor<1x8x4x4xf32>
    %expanded_58 = tensor.expand_shape %cst_10 [[0, 1, 2]] output_shape [8, 1, 1] : tensor<8xf32> into tensor<8x1x1xf32>
    %54 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%53, %expanded_58 : tensor<1x8x4x4xf32>, tensor<8x1x1xf32>) outs(%36 : tensor<1x8x4x4xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %75 = arith.mulf %in, %in_64 : f32
      linalg.yield %75 : f32
    } -> tensor<1x8x4x4xf32>
    %expanded_59 = tensor.expand_shape %cst_9 [[0, 1, 2]] output_shape [8, 1, 1] : tensor<8xf32> into tensor<8x1x1xf32>
    %55 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%54, %expanded_59 : tensor<1x8x4x4xf32>, tensor<8x1x1xf32>) outs(%36 : tensor<1x8x4x4xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %75 = arith.addf %in, %in_64 : f32
      linalg.yield %75 : f32
    } -> tensor<1x8x4x4xf32>
    %56 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%35, %cst_8 : tensor<1x4x8x8xf32>, tensor<8x4x1x1xf32>) outs(%37 : tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
    %57 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%cst_6 : tensor<8xf32>) outs(%39 : tensor<8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %75 = arith.truncf %cst_31 : f64 to f32
      %76 = arith.addf %in, %75 : f32
      linalg.yield %76 : f32
    } -> tensor<8xf32>
    %58 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%57 : tensor<8xf32>) outs(%39 : tensor<8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %75 = math.sqrt %in : f32
      linalg.yield %75 : f32
    } -> tensor<8xf32>
    %59 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%58 : tensor<8xf32>) outs(%39 : tensor<8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %75 = arith.cmpf one, %in, %cst : f32
      cf.assert %75, "unimplemented: tensor with zero element"
      %76 = arith.divf %cst_0, %in : f32
      linalg.yield %76 : f32
    } -> tensor<8xf32>
    %expanded_60 = tensor.expand_shape %cst_7 [[0, 1, 2]] output_shape [8, 1, 1] : tensor<8xf32> into tensor<8x1x1xf32>
    %expanded_61 = tensor.expand_shape %59 [[0, 1, 2]] output_shape [8, 1, 1] : tensor<8xf32> into tensor<8x1x1xf32>
    %60 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%56, %expanded_60 : tensor<1x8x4x4xf32>, tensor<8x1x1xf32>) outs(%36 : tensor<1x8x4x4xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %75 = arith.subf %in, %in_64 : f32
      linalg.yield %75 : f32
    } -> tensor<1x8x4x4xf32>
    %61 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%60, %expanded_61 : tensor<1x8x4x4xf32>, tensor<8x1x1xf32>) outs(%36 : tensor<1x8x4x4xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %75 = arith.mulf %in, %in_64 : f32
      linalg.yield %75 : f32
    } -> tensor<1x8x4x4xf32>
    %expanded_62 = tensor.expand_shape %cst_5 [[0, 1, 2]] output_shape [8, 1, 1] : tensor<8xf32> into tensor<8x1x1xf32>
    %62 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%61, %expanded_62 : tensor<1x8x4x4xf32>, tensor<8x1x1xf32>) outs(%36 : tensor<1x8x4x4xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %75 = arith.mulf %in, %in_64 : f32
      linalg.yield %75 : f32
    } -> tensor<1x8x4x4xf32>
    %expanded_63 = tensor.expand_shape %cst_4 [[0, 1, 2]] output_shape [8, 1, 1] : tensor<8xf32> into tensor<8x1x1xf32>
    %63 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%62, %expanded_63 : tensor<1x8x4x4xf32>, tensor<8x1x1xf32>) outs(%36 : tensor<1x8x4x4xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %75 = arith.addf %in, %in_64 : f32
      linalg.yield %75 : f32
    } -> tensor<1x8x4x4xf32>
    %64 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%55, %63 : tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>) outs(%36 : tensor<1x8x4x4xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %75 = arith.addf %in, %in_64 : f32
      linalg.yield %75 : f32
    } -> tensor<1x8x4x4xf32>
    %65 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%64 : tensor<1x8x4x4xf32>) outs(%36 : tensor<1x8x4x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %75 = arith.cmpf ugt, %in, %cst : f32
      %76 = arith.select %75, %in, %cst : f32
      linalg.yield %76 : f32
    } -> tensor<1x8x4x4xf32>
    %66 = tensor.empty() : tensor<1x8xf32>
    %67 = linalg.fill ins(%cst : f32) outs(%66 : tensor<1x8xf32>) -> tensor<1x8xf32>
    %68 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%65 : tensor<1x8x4x4xf32>) outs(%67 : tensor<1x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %75 = arith.addf %in, %out : f32
      linalg.yield %75 : f32
    } -> tensor<1x8xf32>
    %69 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%68 : tensor<1x8xf32>) outs(%66 : tensor<1x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %75 = arith.divf %in, %cst_35 : f32
      linalg.yield %75 : f32
    } -> tensor<1x8xf32>
    %70 = tensor.empty() : tensor<8x10xf32>
    %transposed = linalg.transpose ins(%cst_3 : tensor<10x8xf32>) outs(%70 : tensor<8x10xf32>) permutation = [1, 0] 
    %71 = tensor.empty() : tensor<1x10xf32>
    %72 = linalg.fill ins(%cst : f32) outs(%71 : tensor<1x10xf32>) -> tensor<1x10xf32>
    %73 = linalg.matmul ins(%69, %transposed : tensor<1x8xf32>, tensor<8x10xf32>) outs(%72 : tensor<1x10xf32>) -> tensor<1x10xf32>
    %74 = linalg.generic {indexing_maps = [#map4, #map5, #map4], iterator_types = ["parallel", "parallel"]} ins(%73, %cst_2 : tensor<1x10xf32>, tensor<10xf32>) outs(%71 : tensor<1x10xf32>) {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %75 = arith.addf %in, %in_64 : f32
      linalg.yield %75 : f32
    } -> tensor<1x10xf32>
    return %74 : tensor<1x10xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_10_torch.float32: "0x040000005FB8323E0171A0BCEA30863E2923493EC8AB963ED00C3A3EC4A0593C5AFF9B3EAAA754BE24BCAA3E",
      torch_tensor_10_8_torch.float32: "0x0400000087BEE2BD7CA01D3EFAFAA0BD90AB983EDBA446BEF36BE2BDA8CF033E6A92903E6E29AD3EE2C9673D4B2A743CC73422BE038F4C3EFADA51BE1652BEBD9D4B97BE8E05AEBEB85C4A3E57C4C43CD54D903EEC0A903E20FB3D3EC4E2103E1DE9BBBD7148403EBC172E3EE1A8FA3D023727BC7A4F583D9D9BCD3ACF5E83BE1916A83D551385BE62A92F3EC3B457BE2D85ECBDAFB22BBE6EE18E3E52F47EBEA5DC383EC892353E00FD7F3EA86BB53D6B5D453E86188F3E41A08E3DF832F63D918B8DBE1A38C2BD934E033DBF742F3D3FD1FFBD8973B3BEC44DBCBD6E9A0A3ED3DE9B3E3B77A3BE8AD92C3EB7C3ABBEEF1BADBE89B962BEEC463FBDFA3ACA3DCFAA89BEEC768B3E4FB2A33EFE32B23CCA58933E86E623BE78380FBE8CE03ABDAC3B1E3D9F8D7CBEF0F290BE71040F3E57C5D03DE815B13E9C9B13BE70B3FF3DB61812BE",
      torch_tensor_8_torch.float32_11: "0x040000000C3734BC4708533B46BC303DD438983DAA4B753D5AC287BE06E1ABBD322C053E",
      torch_tensor_8_torch.float32_10: "0x040000005101733F48767D3F24E0B63F7221B93F9F751D3FAF74973FA4B6983FB678983F",
      torch_tensor_8_torch.float32_9: "0x0400000024A7DE3F37B66F3F04A95B3FCD46843FA6BB433FEA46C93F781EA93F6A4F7E3F",
      torch_tensor_8_torch.float32_8: "0x04000000FE45D23DCFC6F1BB6A1AEF3DE003233DAE3E49BE1D7F66BEC4BB503D822272BE",
      torch_tensor_8_4_1_1_torch.float32: "0x040000001C5FBBBE205ADD3E0020F3BB8013B6BC78200CBE141607BEA001CD3CFCF379BE0A22EEBEFCDD83BEF0C5CBBD2651C13EE853BC3E0C6299BE80469DBC88C513BEB2F388BE5811B4BDCCA631BE62178F3E98EB7DBE988B9D3DE87690BE3CCC1FBE8087C93EFC5B7BBE804BF6BC147EF43EA83D2F3EC04D82BE04B499BE908B33BE",
      torch_tensor_8_torch.float32_7: "0x04000000B595163DA43B05BEE11DBE3DF503C53D7F612B3E9BE8023EC50AD4BD6BAB433E",
      torch_tensor_8_torch.float32_6: "0x04000000E4F9713FF2189C3F54F9413FDCD7BB3FF251283F59889D3F560E243F5A8C943F",
      torch_tensor_8_torch.float32_5: "0x040000006ED7823F8854E83F3D40D53F9632B13F94A6AE3F15A4D13F18CFDB3FC83D713F",
      torch_tensor_8_torch.float32_4: "0x040000008256053D7BEA433D625A183D79D95C3C7CEBFD3D9F80063D074E5A3D3FED6EBD",
      torch_tensor_8_8_3_3_torch.float32: "0x04000000EA58483D271DB0BD88A79B3CFF89B1BA995546BDA5D589BD3E2F20BDE33EBE3DD304ADBD39EEABBD85ED14BD445C063BD366033D63C4673BC267E8BC205992BD163BADBCE05142BD4000C33DF7F0EABDFDF399BD0E5EC4BDA870B0BCB115BC3D8C8FD33DD01DD2BD3B51A7BB6DAB8D3DEDC7543DBCB2C53D613C56BBDE2AA2BD9AAA9F3DF78725BDDFF1793D34EBEDBC60334D3DAC15D93DD96DE03D0AA7DBBD80A79FBD859647BD3BEA99BD8795E73D4D882ABC711AA0BDF5CD56BD775185BDA4F1443D9986D2BD430BE1BD25ECEDBD64D24F3DA9AE6E3D32E795BD5568EF3CE82AB23D7B478C3CC244CCBC4CA80E3C040B4FBC580C733DB5E2A3BDA1C9743D2209883DBE3B92BDC715C53D2B0FED3D274D3EBDE83407BDB790703DEE15BDBD10E53E3DAC3DE13CC522983D6BA5D1BD7A84C8BD85CD583D5CE12D3D1FA6E0BDA19886BDA2D6DCBD4BEAACBD63CD59BDE5BBC73DC72BC0BCF99F8A3DD236E53D81FD5B3D3311D8BD2FEA723D1B20383DB311BB3DBB15EEBD9170943DFB8FC53D508DE0BD24054A3CB20ACE3DDE8AAFBDA0631E3D614D553D0508FD3C3FFAEF3DB39EC53D4013CF3D56AD70BC516ECA3DF5ECE0BD953E82BD187DCEBC0D650FBD30F1DE3D72AE633DE0639B3DBC2CA43DCE4BB4BDB9A25FBC3BFA8C3C501AFB3CBE3A783DAD1340BD608E11BD85F4C93DD48D01BD74A8A7BDADA6A33D0A70A33D4E5D17BD9702C1BC1418B2BDB78EC9BDA586353DB1364EBD1825C03D6A42C1BD917285BC92C3263B7617783DDF56C33D1173A33D9B7D543D8E905DBDB65DACBD47ECD7BD818FBF3BE516EA3D9D60B7BCE492A2BBEB64AFBDFD32143D8604993DB5F5EDBD41F2A9BDCDC6B23DC594E43CCAC3F0BB6A94AC3C6CC992BC9AB3A8BD7E88E1BD6ABE9E3DCDA665BC804633BD9D31F9BC90A483BD1DF90EBDA72FCFBD9B9EB43D471D453DF67173BD14C224BDC490583DD0C032BD5A94FE3C91E9043D16EF97BDE2D7F13C1847EC3B96CCD23D38A82EBDEE2EF8BC86F4CF3D2C18C5BDAA800B3CD18CE83D756F58BDFE62E73DF22AD63DC48BE03DF83F38BC6C57DA3D665452BDA93C25BD6C94363D1DF2CB3C2E0E853D445EE53D921697BD8118803D1B80213DB0AA7E3D43E4643D049234BD77C2BEBD1F2EC13DAEA189BDB44E9A3DE0EDE5BDD505A7BC93B8A33A140BA73C8A131C3C881B183D03FE56BC8C70EC3C5FD8EE3D022C9CBDC2D6D2BBC24338BD90C6D33DEF9CCE3D219D52BB6D5327BDAC2095BDB6B3AC3D88F704BC7750E33D4FA3893D4343D33D89E5BE3D69D89CBDEE4A0D3DD52948BD9734723DB99A2DBCCE27273C14EDA6BD76B5D7BD55C7353D745AE03C96B8273C07EEA33D1F9249BD105B2B3D6CEE84BDD309C83C6268DCBCBD07A93D7810D33D49A0D13DB7B7AD3BEB538E3DB226F1BD72948DBDC18BAC3C704B2C3A097CBDBD1CA855BD9E7461BD2521EFBD1A26383C7788A43DECEA433DF75A65BDB6A1DDBD15B9C2BDBE430F3BBE08A63DD67C43BD985583BD2CC180BD372727BC3435E5BD6CFCD4BD7697ED3D513766BD3121AEBC102701BD1509D4BD2733AABCA3C4133DEB0244BD4196A4BB19C813BA3046F0BD4E66AF3D9CF6C23D5A8FA43D1C861EBD34407C3D8022E2BD0DD6EEBCC75AC4BCC6782ABDE0BD4A3D50F45BBDADCB5FBCF3620BBDFFA7E2BDCB6E9FBCCE8BCCBDCDBC8C3D5CFF803D711AE23D1F1922BDD160C43BB81EBD3CDCEDF03DA73BDD3D65D379BD855FCDBDBD88D9BD2A7568BD77EECA3DE91E223D49E0E83D81E6B23DDCF1DF3AA49695BDF5AFEB3D819CC13D4EFD503D7DD883BD4223BE3D7EBD2F3C47989F3D7578493DE929803D6DC9D3BD3FD485BDA4C2903D9322C9BC40FAD1BDE77DDB3D470627BB55B3C23D7DA6BCBD6932263D29D335BD9F224BBD615CC9BC1AAD32BD5341843D9C6EB7BCB400B73DDD4BDC3CB72C95BCAC688BBD8B01DDBDD6D10CBD9481DFBDF7DDB2BC6378FC3A9DDDF8BB8E1E6DBDC284A73DB8ED873D88DCEDBC8CB93EBD77BD973D01FDD13D6AFFDCBD6897D0BC6F3033BCFEC52EBDEC0CCE3D219B8EBCCFA2CC3D4BBA183ABA7151BC01C98CBDC58120BDCE8B1B3D3E86553DCB6689BB31FAE53D750DA7BDA614393DE362D93D54DFA7BC009EBF3D4AA2FE3A94BDB4BDE06984BDDBAC333D53E550BDBA32E83C1A8FED3D4EF8233DC1B534BCCC50F13CBB0E8BBD81CDCABDF76DB5BD6986CABD5B20C63C020DBC3CCA234DBDE815ECBDD2BE823D0CF388BD6B2DA1BC1060CABD2B2A88BDE65E493D7BE1E0BDEEA189BD48F4B43DBA8F77BDD5E248BDDC8807BDA2574E3D02539EBD8799413CB724453D142B0CBCA691AE3CC61EB8BD953C5A3DF167343D8A3172BC9C92C7BD5313413D317F9D3DCCDCA8BCF685633D85EC323D561241BDB70A06BC1642F03D11DA113A3526C0BDB7D00CBC1726703D16921DBDA6CA7CBD8FD3C63D155D7F3D5405A4BCDF4AC53BE1364CBC2024E03C9B3E893B0A0E92BDDADEB23C8C014A3BEAACF93B45F537BDDD5DF73C922CC3BDB04B103D79CA823DAB7F54BCE07CBBBD0A9CE0B9E16B2F396D95D0BD4FB6AABD0D3EDF3D2C7EB43D0FC3853D2134A73D20D4393D8DD5873D7DDB9F3D8988E1BCDE7475BCAA19AC3D9E0332B8930C9DBD4B26BBBD78FC863D25ECC73D4571BB3DC0AAA03C029BA63D8F99DDBDEAE3ADBD3B3EE8BDB075C23DF6C58BBA54465EBDC656233D83B234BD55CB9ABD012F3A3D2FC5B03C7BD7ACBD5DF99EBDFA54623D1D86B73DCC2F1D3C4E7672BD9F17693D9C60A83C0F4ED3BD5C699CBDCA4FD33CCB58953D74141BBD1269693D0E7A95BDF3F6E63DA0FAAB3D4FD5B43CFBC1563DC80F283DE36C8EBD4CB286BACCB8003DA8E9D9BC4173E73D5C273ABDED8CD7BD85CF65BD7200E0BD3CE4C63D5BB258BD56D0A9BD96B950BC3BA1A2BDC0287CBD3918763D1C36B5BD6EA5633D2402B03DCA978AB93558563D0B3387BD4437BC3D5D77EA3D526CE53CDAF1DB3DAAB5EFBDED0254BC54D3BF3C43C9D1BDF1E76A3D8DF837BD3C972EBD6F7FBFBD0358453D929EAFBDFEDECCBC4870563DB5D3B53D3F4FDA3C131334BD39F751BD8078873DF71FB33C552DCB3DF0C8353D426FC23D417DC2BD0D09C23D73C95DBD5B3701BD80E9383AD10CB5BC0AF8BE3C0813D73D603590BD5B27153D3AFBC1BDA496973C9BD5C63D92BEA23DE0B0CE3D4FA7823D2BC01FBC7A12FC3CC1B449BD02DFCC3D07B3713D",
      torch_tensor_8_torch.float32_3: "0x04000000678F9C3D2C5A3E3EB77AADBD7D4ADC3DAD226F3E145806BC1BCA65BEA2D8303D",
      torch_tensor_8_torch.float32_2: "0x040000008F0F503FA449AB3FF6E3BA3F1D9B7A3FA3C5253F7025B43F3039543FB103453F",
      torch_tensor_8_torch.float32_1: "0x0400000094B29F3F59DAAF3FD0CEF33F623F823F288B743F5C60463F19BDE63F6ECD843F",
      torch_tensor_8_torch.float32: "0x04000000986170BD64D40FBE0E9C51BEB7017FBD2C07CCBD01C8973CDEA3FB3D24CE76BD",
      torch_tensor_8_4_3_3_torch.float32: "0x04000000FCC5023EBEE3253ED081CABDEB442ABC66C388BD504B1DBED35FF8BD5C2E203EA804C73DFB58B73D96B1BD3D529707BEE0628F3C8BD71E3E4B7EBEBDF8D2173E5B6E333D9324F03D163992BD585C9D3D3E4B17BE96622DBC4BB4633D5BBA4C3DB4D00E3EF2B4273EE4431B3E262BE53D80FAEF3D2B2BB0BC027204BEA66C7DBD4B4799BCB373B8BDCB7AAE3D76A26F3D964CDC3CCBE7243D2BEC153E0BA6783D12AA15BE6EC4F7BD4B71963D0B11BA3C2677A63DBE722ABEC7801DBE8B50D13D1855DA3D6E671ABEAB90813D9B4305BE483F013EDB36563DC3C0283EA64628BEF74B24BEB3C6E63D9685173ECB20D13DB8EDE23D66BF0FBECE0FF73D6B2221BE4682183DD095DFBD789387BD0BC2F13C983486BDEB06D8BC14C321BEC3EA20BE4E38843DA37A90BDE6A9CFBD20AF86BD1E880BBE546E08BE933ECC3DE07AAD3D00DEB53CE674BABDB61F633D005AF53B10F1F3BD26E7123D46661B3E6BDE27BEA8B529BEEBEEAE3C0C84003EA6B2CFBDC047163DCBF3EF3D307A523D86BC133D50472A3E8E5EDE3DA0F9BFBD80076C3CB660AE3D3783163E48CD29BE76D5B83D2B3346BDD41E27BEC688173D98D3B9BD007CC13C109CDDBD7F6E00BE2BB367BC465365BD43A2C73DD66E6B3C2037053E16DEFF3CEB845BBD5032E73DAB37153C8021003DA08F5BBD00CC1C3A2B4203BD6B2768BC731905BEAB5886BA30A90DBED6DC12BD86D1C53DA358EDBD8B13E6BDF0B026BD66243BBD4022E73CABAAE23CC616AD3D4E23EBBDD6B440BC9EE7BE3D2F9F133E963047BC9B80C5BDBB3D443DB061C23D7B3FD5BDD012C6BD66DE963DAB533FBCC73121BEC6CEC4BD006C8A3D408B67BD2399EB3D37EB063E6B9DC63C40ED57BC6BB258BD16140ABCEB84F83C2A5D02BE862723BDF0F50DBEB87ED13D9B5FD9BD57E91B3E76FA2FBD9B8AC3BDA3FEA33DEB8ACB3CBB5BEC3D107F8E3DF26824BEDBE3D73D3B8E00BD06DC96BDDBC3D83DDBF1F83D120116BE80EA76BC10270C3EA331843D0CC80F3EF0F269BD404BBCBD07C2123E8B468E3D47D6233EE3928EBDA828DBBDE008A0BC42B220BE50CB853D76C3FB3DFBE0233D80E786BC383CA93D6BA9D8BD18F4263E8AB329BE447D23BEB65021BD7B680B3E80B4883C6E16833D1E33FABD76F5783D2B9198BC80D0883D6B10F13DF05E943D2B4868BCEB3428BCD813D6BD06EC76BDB8CFDD3D9EDF88BD48FBD33D7E5987BD06FE1EBD5675683B6B9D1CBE0020DABAAB9E89BC2B5075BCCB7708BDBB8C063E4EE6FB3D5657E7BDF88E9E3D33DE05BECC4A11BECBAD503D5686203BF33B9FBDD09B24BE782484BDA602643D26F81DBEFACB25BE2B39AD3CE0E5F5BD888415BED38283BDE0D1DBBCF0151BBEF0EAE3BD400B333C10EF20BE56E7BFBC5E66DCBD00A0ECBD9327863D425C03BE485601BEF6A7C23D7645FF3CA76D1B3E467936BD80DEA4BDABB67CBC000C5D3A7028023E66FF29BEEB6C42BC53FD963D6BF7BBBD0672ADBD96F4A43DC08723BE06C3213DBA2004BEEEA9A93D4AED11BE76DAD13D038F21BEEC740FBE56F7203BBE7B063E7F2812BE4B4198BDC0E4153E80F6E4BCBE688D3D582E24BE86AF56BD0E57ADBDE8E10F3E",
      torch_tensor_4_torch.float32_11: "0x04000000CF445C3DB19326BC88EFFF3CDEACAC3D",
      torch_tensor_4_torch.float32_10: "0x04000000AEFB753F200DB23FBA80853FCA77AC3F",
      torch_tensor_4_torch.float32_9: "0x04000000C024C63F528EE83F868B823F3CF5533F",
      torch_tensor_4_torch.float32_8: "0x04000000D7B94ABDCCDF0ABDF39A62BD6DC3033D",
      torch_tensor_4_4_3_3_torch.float32_1: "0x0400000020661ABD96A4783C669AEEBD4847113E167FB0BCE0A5F9BD50E4473DA6B1F2BDDE6C07BE9659263CDE4F073E0B2F41BD80A7A03D52A8123EA064E23DD80CB3BDEBAA95BC2BD356BDAB3C09BEAB6A9038646A003E12CA0F3EEBC57E3CA00C1B3D46C593BD92D3003E1E088EBDB01BEDBDA040D23C1897CC3D23DF19BEF2461A3E9093753D7B24EFBD300D13BD2611143EFFF002BE268747BDB6E65F3DBE8415BE4B1EBB3D26AEB13D63B2D33DB89DD9BDF3FB293E4B54CABD2A622A3E84C923BE130F18BE4BA5D13DEBB18E3CC0871D3C2604BDBD532E8FBD6B9A47BD804126BEC0E80D3CAB78F13C56F513B92B745C3DEFEF213E9B82353DCBE779BD80798CBD1063DABD639EECBD00E3DBBC007BF1BCAED8973D00E691BD5C0E083EC081EFBDAB5AF8396A6A193E5AB5293EB6B8C5BD9634F33CE046A13CE308A0BD9BDB6BBD2BE7383DF059EDBD2B46E13C10B4933D608286BD44C30D3ED6B433BC06DE9A3D2603293E6BAB50BDBB7BB93D3B4343BD3670C7BC7662E7BC56B787BAE8F180BD1602203D00C9CD3B235ED83DE62C0ABD76EA883C06F27DBDEAEC0EBE5E208A3D8BB4AE3CCEB288BD20D066BD2B88323D16E0F6BC980DDF3D6BAC1A3C23EF803DB8B7943DE08027BDD6AE933D98E1FB3D5652FB3BD097053DD670C63BFE53EC3DFE1B90BD4871B5BDBBBC943D9B8814BE001E2F3BE6F99CBD9E4AE13DB8E51EBE26F6CE3DA8D9283E80210A3D6BEF35BCE7FE273E9EDE91BD6BD15ABCB87895BDEB78BCBCBB5E143D165BB63C4BF000BDB4A32ABE40D20B3C80C6A1BB7665CD3C",
      torch_tensor_4_torch.float32_7: "0x0400000093CEB2BDF875A63D405735BDDA6761BD",
      torch_tensor_4_torch.float32_6: "0x040000002474983F0035A03F40609C3F6448923F",
      torch_tensor_4_torch.float32_5: "0x04000000C6EF033FB448803FA2D3763FCA948B3F",
      torch_tensor_4_torch.float32_4: "0x040000006BCBF0BCD458D33D332509BE1903C8BD",
      torch_tensor_4_4_3_3_torch.float32: "0x0400000004BC073EA880043E405ECCBCFF7C16BEE6371ABE86591F3E60E3963D2BCA943D16AA13BE3F0A1E3E0EAE213E92161A3ECBF80FBE06CB80BDB8C1EABD8F9D213E03AA92BD58D69BBD36D4B23DF0E59DBD3E1DA8BD00DB6EBC363C83BC17F204BE84470E3ECE9196BDEB26723D6E71143ED823AC3DC04DC13C8336113E6089B73C8EEB9DBD5A73213EEB92213D268426BE765942BD5381E8BDECA1153EAB7AE1BC22911BBEABA82BBC9B5CD63D6B5B313DBBDC573D169B7D3CCB827E3D465526BD50C887BD0A861FBECB9100BE4BEF933DA81BCABD2BE1C33CC0E6593D8057413CAB4DDDBDA036233E337CC6BD9A5F0C3E4AC407BEE63624BDB8ACB93D53768BBD0A5E0F3E08E4EABD2E520FBEEBE999BDEBB4DC3C70241D3EEEF3A2BD1024743D3B262BBD700B14BDCBFBFA3DA74304BE4004913C1B7F203E0B9DBBBC1A83043E5B3B52BD5661093E4F1725BEE0C6C4BCE0D0EFBCF63D5D3D18EA853D6F0A033E606ACBBCD691D8BBB8BFE93D16B638BDB69C153E8E43E3BD16BE93BCABAA12BC6B4E983D885CE93D1669D8BCDF640DBEC620A93D10354C3D061D893DB88ED2BD3EAEDB3DD6A5213E96F16C3C33691FBED09CEF3D0015FDBD10ED1C3D4068C63CA8C19FBD96B36D3D5CA618BEDB7B1B3D7B63D8BD76A393BC0B9FAF3C0666113E68DBA2BDA3ABDA3D8B71ADBCD31BA2BDD29D14BEFE961CBEC6AC263EBB412ABDC064083C5014393DE803E83DDBA8113EE2690A3E5BE3FCBDD6BFDABCD3FAC9BD7B05C3BDF0EE213D2832203EC4B808BE9393CE3D50F8B0BD46F704BD6278073E",
      torch_tensor_4_torch.float32_3: "0x040000000117613D3CC0D7BD52D00CBC5E8F26BC",
      torch_tensor_4_torch.float32_2: "0x04000000AFD5913F8555353FBC30863FE7D01E3F",
      torch_tensor_4_torch.float32_1: "0x0400000034BEF13FBAF2873F4481803FE12DC03F",
      torch_tensor_4_torch.float32: "0x04000000FABB363D4DFCEBBC706567B9AA333B3C",
      torch_tensor_4_3_7_7_torch.float32: "0x04000000E5DF21BA603A353D91068BBDC19F78BD1D1E02BD3B2FB53C6E31D6BA8FEE853D4CD8EFBB15CAB23CDA31CCBCF4CF84BCB45FA1BD88BD5FBD27430BBD783B483B9A8E053D07B54A3DCC0765BD0B1D13BDBC69F53C17448C3D4C0D8BBCD0CD7C3DD5CF59BC5FFD0E3C19F3983DD4B29CBDA6AD54BD0A0EABBCE3AF03BD98F1913DE1F95ABDEE831BBDFC056CBD48339EBDD93445BD3533913D3DBF163DF3BC233D17238E3B7B332DBDD09F643C56B79DBD361B74BDA9292EBDBA26553D0C14463DB6D315BD6B0943BB7810583DD9ECA73D6414063D138E363C1383623DA0EA46BDECCF7B3C2FF682BD9F256ABDC7842EBD2CDC183DE1DC073DAA1D48BD851FCC3CE575393DAF8F2ABC26624E3B028E9C3C5495513D3D31A23DBA2B82BD579CF7BC80C5043D96F48B3DFBFD923D5B0B953D9577863CF8E292BDD79FF83B895953BD126C9DBDAD14963DE56F803DA67FA8BD5FEE7C3C1FA563BC59605EBC25A51ABD60EA013D6D1948BD5FB1F73C36D82A3D38D8713D7BA3FC3CAC2EA7BD9D265BBD4EAF283DE56A8D3CD2C483BDCE8742BD65E89E3D34A3633DAD4D13BDF70DAABCC5E8A0BDD74FC2BA5F687EBD6E4B82BD5BEA94BB3CE54A3C445A0ABD5176483D90954DBDFE44993D3984673DB4718EBD9129A8BCF3E6733B1329453C1440A03C3293043DC5E3A13B90D624BDCBDB1F3D5E08A2BD4B3C48BD9A23A9BC0B9024BDBE5EECBC87728ABD61B98FBC7E6D903C14165CBDE1B28ABB6DD6713DC2EA0ABCCC39163BCB27E9BBF2BD883CA3CE563D5701A03DDE8A563D0F5FA03DF675C3BBB6BD97BD9D2820BD2708663DD6280CBA1AEB27BD467181BDA0149EBD11918EBDB60C89BCF244393D65A5363D7EE8A2BDD9BB523DB42D84BDADD78EBC57FB08BDB32482BC6FA984BCB39397BD41D991BD927453BC1CCE8B3A027819BDBC85FE3CD10898BD1F65B6BB568C943D94CC09BD2788983DCEB1F43CB67098BDE4BE553D9BEF1BBC8ACF16BD0C13873D188088BD1C01113C8B768DBC1940713DAE9BBC3C8D54223DF89DEE3CF47AA2BC93188EBC61338BBD710D373DA31D863D4027673DB54C6EBD9D13713B4B266EBDADF839BD57DB44BDB3E7E63C9B5149BDA0DBEBBA4064633B49C6593DD15F7FBD13ED67BD912A44BDCE756C3DBBE0F2BC997A8E3D5353F43C0D1D2B3C04F320BA049185BCE08B293CD2489ABCA3EB17BA966B2C3C8A2084BD8E1131BD0B66883D581589BD5211C2BB3419A73D3D13F43C7F0A193B6C6292BDCE5A273DABA170BD0ECCBFBC53B2E2BC681D48BCEC7F6C3AC7528B3DCBB2283C0A4C973D02A84E3D159555BDEB84173DF9CF6EBD8F2E0FBD75BAC63C6319DF3C8B737D3DD981D9BC5F730A3990EC2D3D875BA3BD0C3F743D3BAE8BBD64FF943AAABF65BC5CED31BD4C9B323C12AE8B3D9182C5BCB09148BD18E3F9BCC76BA7BDD97E183DA73F22BDFD7261BD2FA042BD213D423D3BE8323D9AA5813D4914F53C12A5E1BC33D0BCBC939CC73CE0DA8A3D3EB5B73C05D81FBDB0CE1EBD7DB49FBDDDF9913CEC953DBD029A96BD5F1E943D63645BBDB6BA19BCD792C13C53342C3B3D5263BDE48988BDE0A3863D7B0C5C3C14238C3DA182E2BC4F05C73C2A829ABC756170BB3FC14DBDAD82E43C479FD53C0C02DFBA5EF597BCFD3F50BD50A0693D977D7BBDF5650A3DD631E3BC4AFE22BD7BC2723C497D2FBD2CAD9B3C08B0843C45D67ABD91FE603C87E40F3D7BB9053D861A2ABCB4798ABD1D5050BCE0A9EA3CDC88F6BC1B3C003DD6FB603D546630BDAA39553A80B10B3D1FD4D33BD6C1E13BFDBB283C08CB84BDB265D43B52F0693D7436983DB18F463D1015353CC4C51D3D3D5924BD99FA8BBD2E4191BD3083A83DD173563D6B8569BDA82C043DBE1E7F3DE4D9A83D10B3933D54DE823D04E79ABC721EEDBC3EB08A3D7C503D3DE94C4BBDCBDB973D043A233D182A383DCFBE53BD1DD9C13CDADCECBCD9FB833DB62873BCBB85033D9106703CA8BC0F3D089CE5BCA8B7243D53F76BBD2E9A983C1D9364BD66A4A6BD2DA687BDB25A853D85C7363DD67A9E3D8652873D8FD996BD1E8C66BDF1595ABC37665BBDF2966A3D68677FBD34D424BD4130A3BD87CD3FBD05EE8A3D454D8A3D4BD5713DC06C823DB032963D4303ADBC9FA5143D1A7E963DC985DF3C8DDCA83D9D382F3D5003523D357AECBCEE19223DD1461B3C475CA1BC80703EBD38903DBD50FA81BD11CC623DF32C703D67CC19BCB67F43BD678E823D430A583D48E6C83BAB801FBDF83D9B3D46270A3D613B80BDB3AAA13D4245803D0E46F6BCFDE93D3DE2F33FBDD0C553BC4C6D8F3DD3575F3BD4EB6EBD55D4E1BCEB67B7BCEE5A82BCB552013CFD379C3D89B3903B5B9750BDD8858A3B7EFC213D1694273D08619ABD6ACF71BCEC0E7BBDF12510BD0470F33CAEE76FBDAB29FB3C545F8F3D5243B13B402961BD9D14F2BC7C8A933C93C480BDB0D6273D985A99BDC660A2BD1421A4BD4F1189BC6C2B633D29E09FBDA6668C3D042407BD38E4C53C907F763BA15098BD4C168C3D55E7353DE7E6A73D53AD2A3D21FE5EBD87F98C3DBD40913BA834203D227187BDCF56C2BCE3DAA5BD4C9503BD0EC3913C65A084BDB560D73CCA59353DB5403C3CBD0962BDCCF682BD2E74D0BC574B143D4B9EA63D7043423D182C18BC32E6EC3CA8B7A5BD844590BDA1A21D3D795A3FBD9B87223D9B7C6EBD035527BD69228BBD714B303DA1B109BC83FF813D3813513DE3EF3A3D63D02D3B93E6D0BC32E992BCAF97333C7C77273D95AE6CBD83C48D3D20EE12BCE78A8DBD70C936BDC675953D7C7A9A3DB1769CBDCA456E3DCD4E293D20F8473D15FE8E3D2B1336BDCB5BD53C93400A3D8BA7C7BC041DE23CD865C2BC64DE503D6077BBBC8BE2FBBC1419AA3C6DA7EF3C2A0E25BD1CE9EE3B34C9433DEF7306BCB2A0CD3C28F6A2BCFDD1EC3C4DB974BDBAA746BD047B2BBD5F3C9B3D87CFB5BCE2226CB9A4AD23BD9BA0A83DB4F9A43DE7C97EBD6EEF88BD8C0980BD138CD0B9C73AACBC71205DBD9657F2BCD14E7F3CA98330BD2CB7953CCFF09ABC82B323BD30A7393C8AE48A3DC86664BD23FE7A3BD329F9BC2FC2A53DF042A0BDF4EEA1BD8E72A63D40BE55BD6C8A813C8741E9BB62558EBC82E896BC24AC563DCD2D813B9375A4BD5B7147BD9755E6BCB7002A3D6B9F5ABD3F469F3D887D96BCBCA572BC0B5B843D13CC293DE2428F3DD16A433D2FF7CCBC792460BD0916C9BB28CD8B3D39C4E2BCD7A59CBDB37C0A3D626FA43DB659C0BCD9DD8BBD923799BD3952A93C03A5CCBBDE992ABDC992883C7A4B003D"
    }
  }
#-}
