// torch-mlir 20261001 with torch 2.11.0+cu130, by tools/dev/export_torch_mlir.py.
module {
  func.func @causal(%arg0: tensor<1x4x11xf32>, %arg1: tensor<4x1x4xf32>, %arg2: tensor<4xf32>) -> tensor<1x4x11xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %expanded = tensor.expand_shape %arg0 [[0], [1], [2, 3]] output_shape [1, 4, 11, 1] : tensor<1x4x11xf32> into tensor<1x4x11x1xf32>
    %expanded_0 = tensor.expand_shape %arg1 [[0], [1], [2, 3]] output_shape [4, 1, 4, 1] : tensor<4x1x4xf32> into tensor<4x1x4x1xf32>
    %padded = tensor.pad %expanded low[0, 0, 3, 0] high[0, 0, 3, 0] {
    ^bb0(%arg3: index, %arg4: index, %arg5: index, %arg6: index):
      tensor.yield %cst : f32
    } : tensor<1x4x11x1xf32> to tensor<1x4x17x1xf32>
    %0 = tensor.empty() : tensor<1x4x14x1xf32>
    %broadcasted = linalg.broadcast ins(%arg2 : tensor<4xf32>) outs(%0 : tensor<1x4x14x1xf32>) dimensions = [0, 2, 3] 
    %collapsed = tensor.collapse_shape %expanded_0 [[0, 1], [2], [3]] : tensor<4x1x4x1xf32> into tensor<4x4x1xf32>
    %1 = linalg.depthwise_conv_2d_nchw_chw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%padded, %collapsed : tensor<1x4x17x1xf32>, tensor<4x4x1xf32>) outs(%broadcasted : tensor<1x4x14x1xf32>) -> tensor<1x4x14x1xf32>
    %collapsed_1 = tensor.collapse_shape %1 [[0], [1], [2, 3]] : tensor<1x4x14x1xf32> into tensor<1x4x14xf32>
    %extracted_slice = tensor.extract_slice %collapsed_1[0, 0, 0] [1, 4, 11] [1, 1, 1] : tensor<1x4x14xf32> to tensor<1x4x11xf32>
    return %extracted_slice : tensor<1x4x11xf32>
  }
}
