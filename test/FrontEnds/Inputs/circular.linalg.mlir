// torch-mlir 20261001 with torch 2.11.0+cu130, by tools/dev/export_torch_mlir.py.
module {
  func.func @circular(%arg0: tensor<1x4x6x5xf32>, %arg1: tensor<2x4x3x3xf32>) -> tensor<1x2x7x6xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<1x4x9x8xf32>
    %extracted_slice = tensor.extract_slice %0[0, 0, 0, 1] [1, 4, 9, 5] [1, 1, 1, 1] : tensor<1x4x9x8xf32> to tensor<1x4x9x5xf32>
    %inserted_slice = tensor.insert_slice %arg0 into %extracted_slice[0, 0, 2, 0] [1, 4, 6, 5] [1, 1, 1, 1] : tensor<1x4x6x5xf32> into tensor<1x4x9x5xf32>
    %inserted_slice_0 = tensor.insert_slice %inserted_slice into %0[0, 0, 0, 1] [1, 4, 9, 5] [1, 1, 1, 1] : tensor<1x4x9x5xf32> into tensor<1x4x9x8xf32>
    %extracted_slice_1 = tensor.extract_slice %inserted_slice_0[0, 0, 0, 5] [1, 4, 9, 1] [1, 1, 1, 1] : tensor<1x4x9x8xf32> to tensor<1x4x9x1xf32>
    %inserted_slice_2 = tensor.insert_slice %extracted_slice_1 into %inserted_slice_0[0, 0, 0, 0] [1, 4, 9, 1] [1, 1, 1, 1] : tensor<1x4x9x1xf32> into tensor<1x4x9x8xf32>
    %extracted_slice_3 = tensor.extract_slice %inserted_slice_2[0, 0, 0, 1] [1, 4, 9, 2] [1, 1, 1, 1] : tensor<1x4x9x8xf32> to tensor<1x4x9x2xf32>
    %inserted_slice_4 = tensor.insert_slice %extracted_slice_3 into %inserted_slice_2[0, 0, 0, 6] [1, 4, 9, 2] [1, 1, 1, 1] : tensor<1x4x9x2xf32> into tensor<1x4x9x8xf32>
    %extracted_slice_5 = tensor.extract_slice %inserted_slice_4[0, 0, 6, 0] [1, 4, 2, 8] [1, 1, 1, 1] : tensor<1x4x9x8xf32> to tensor<1x4x2x8xf32>
    %inserted_slice_6 = tensor.insert_slice %extracted_slice_5 into %inserted_slice_4[0, 0, 0, 0] [1, 4, 2, 8] [1, 1, 1, 1] : tensor<1x4x2x8xf32> into tensor<1x4x9x8xf32>
    %extracted_slice_7 = tensor.extract_slice %inserted_slice_6[0, 0, 2, 0] [1, 4, 1, 8] [1, 1, 1, 1] : tensor<1x4x9x8xf32> to tensor<1x4x1x8xf32>
    %inserted_slice_8 = tensor.insert_slice %extracted_slice_7 into %inserted_slice_6[0, 0, 8, 0] [1, 4, 1, 8] [1, 1, 1, 1] : tensor<1x4x1x8xf32> into tensor<1x4x9x8xf32>
    %1 = tensor.empty() : tensor<1x2x7x6xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<1x2x7x6xf32>) -> tensor<1x2x7x6xf32>
    %3 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%inserted_slice_8, %arg1 : tensor<1x4x9x8xf32>, tensor<2x4x3x3xf32>) outs(%2 : tensor<1x2x7x6xf32>) -> tensor<1x2x7x6xf32>
    return %3 : tensor<1x2x7x6xf32>
  }
}
