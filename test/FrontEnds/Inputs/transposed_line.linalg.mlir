// torch-mlir 20261001 with torch 2.11.0+cu130, by tools/dev/export_torch_mlir.py.
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
module {
  func.func @transposed_line(%arg0: tensor<1x4x11xf32>, %arg1: tensor<4x2x4xf32>) -> tensor<1x2x32xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %c3 = arith.constant 3 : index
    %0 = tensor.empty() : tensor<2x4x4xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
    %2 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel", "parallel"]} outs(%1 : tensor<2x4x4xf32>) {
    ^bb0(%out: f32):
      %8 = linalg.index 0 : index
      %9 = linalg.index 1 : index
      %10 = linalg.index 2 : index
      %11 = arith.subi %c3, %10 : index
      %extracted = tensor.extract %arg1[%9, %8, %11] : tensor<4x2x4xf32>
      linalg.yield %extracted : f32
    } -> tensor<2x4x4xf32>
    %3 = tensor.empty() : tensor<1x4x35xf32>
    %4 = linalg.fill ins(%cst : f32) outs(%3 : tensor<1x4x35xf32>) -> tensor<1x4x35xf32>
    %inserted_slice = tensor.insert_slice %arg0 into %4[0, 0, 2] [1, 4, 11] [1, 1, 3] : tensor<1x4x11xf32> into tensor<1x4x35xf32>
    %5 = tensor.empty() : tensor<1x2x32xf32>
    %6 = linalg.fill ins(%cst : f32) outs(%5 : tensor<1x2x32xf32>) -> tensor<1x2x32xf32>
    %7 = linalg.conv_1d_ncw_fcw {dilations = dense<1> : vector<1xi64>, strides = dense<1> : vector<1xi64>} ins(%inserted_slice, %2 : tensor<1x4x35xf32>, tensor<2x4x4xf32>) outs(%6 : tensor<1x2x32xf32>) -> tensor<1x2x32xf32>
    return %7 : tensor<1x2x32xf32>
  }
}
