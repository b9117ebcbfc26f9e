// torch-mlir 20261001 with torch 2.11.0+cu130, by tools/dev/export_torch_mlir.py.
module {
  func.func @circular_line(%arg0: tensor<1x4x11xf32>, %arg1: tensor<2x4x3xf32>) -> tensor<1x2x12xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<1x4x14xf32>
    %inserted_slice = tensor.insert_slice %arg0 into %0[0, 0, 1] [1, 4, 11] [1, 1, 1] : tensor<1x4x11xf32> into tensor<1x4x14xf32>
    %extracted_slice = tensor.extract_slice %inserted_slice[0, 0, 11] [1, 4, 1] [1, 1, 1] : tensor<1x4x14xf32> to tensor<1x4x1xf32>
    %inserted_slice_0 = tensor.insert_slice %extracted_slice into %inserted_slice[0, 0, 0] [1, 4, 1] [1, 1, 1] : tensor<1x4x1xf32> into tensor<1x4x14xf32>
    %extracted_slice_1 = tensor.extract_slice %inserted_slice_0[0, 0, 1] [1, 4, 2] [1, 1, 1] : tensor<1x4x14xf32> to tensor<1x4x2xf32>
    %inserted_slice_2 = tensor.insert_slice %extracted_slice_1 into %inserted_slice_0[0, 0, 12] [1, 4, 2] [1, 1, 1] : tensor<1x4x2xf32> into tensor<1x4x14xf32>
    %1 = tensor.empty() : tensor<1x2x12xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<1x2x12xf32>) -> tensor<1x2x12xf32>
    %3 = linalg.conv_1d_ncw_fcw {dilations = dense<1> : vector<1xi64>, strides = dense<1> : vector<1xi64>} ins(%inserted_slice_2, %arg1 : tensor<1x4x14xf32>, tensor<2x4x3xf32>) outs(%2 : tensor<1x2x12xf32>) -> tensor<1x2x12xf32>
    return %3 : tensor<1x2x12xf32>
  }
}
