// torch-mlir 20261001 with torch 2.11.0+cu130, by tools/dev/export_torch_mlir.py.
#map = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
module {
  func.func @transposed_volume(%arg0: tensor<1x2x3x2x3xf32>, %arg1: tensor<2x2x2x3x2xf32>) -> tensor<1x2x6x5x6xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %0 = tensor.empty() : tensor<2x2x2x3x2xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<2x2x2x3x2xf32>) -> tensor<2x2x2x3x2xf32>
    %2 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} outs(%1 : tensor<2x2x2x3x2xf32>) {
    ^bb0(%out: f32):
      %8 = linalg.index 0 : index
      %9 = linalg.index 1 : index
      %10 = linalg.index 2 : index
      %11 = linalg.index 3 : index
      %12 = linalg.index 4 : index
      %13 = arith.subi %c1, %10 : index
      %14 = arith.subi %c2, %11 : index
      %15 = arith.subi %c1, %12 : index
      %extracted = tensor.extract %arg1[%9, %8, %13, %14, %15] : tensor<2x2x2x3x2xf32>
      linalg.yield %extracted : f32
    } -> tensor<2x2x2x3x2xf32>
    %3 = tensor.empty() : tensor<1x2x7x7x7xf32>
    %4 = linalg.fill ins(%cst : f32) outs(%3 : tensor<1x2x7x7x7xf32>) -> tensor<1x2x7x7x7xf32>
    %inserted_slice = tensor.insert_slice %arg0 into %4[0, 0, 1, 2, 1] [1, 2, 3, 2, 3] [1, 1, 2, 2, 2] : tensor<1x2x3x2x3xf32> into tensor<1x2x7x7x7xf32>
    %5 = tensor.empty() : tensor<1x2x6x5x6xf32>
    %6 = linalg.fill ins(%cst : f32) outs(%5 : tensor<1x2x6x5x6xf32>) -> tensor<1x2x6x5x6xf32>
    %7 = linalg.conv_3d_ncdhw_fcdhw {dilations = dense<1> : vector<3xi64>, strides = dense<1> : vector<3xi64>} ins(%inserted_slice, %2 : tensor<1x2x7x7x7xf32>, tensor<2x2x2x3x2xf32>) outs(%6 : tensor<1x2x6x5x6xf32>) -> tensor<1x2x6x5x6xf32>
    return %7 : tensor<1x2x6x5x6xf32>
  }
}
