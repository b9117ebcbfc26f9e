// torch-mlir 20261001 with torch 2.11.0+cu130, by tools/dev/export_torch_mlir.py.
module {
  func.func @leaky_residual(%arg0: tensor<1x4x6x5xf32>, %arg1: tensor<8x4x1x1xf32>, %arg2: tensor<1x8x6x5xf32>) -> tensor<1x8x6x5xf32> {
    %0 = "tosa.const"() <{values = dense<0.000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32>
    %1 = "tosa.const"() <{values = dense<0.000000e+00> : tensor<8xf32>}> : () -> tensor<8xf32>
    %2 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %3 = tosa.const_shape  {values = dense<[8, 1, 1, 4]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %4 = "tosa.const"() <{values = dense<0.000000e+00> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
    %5 = "tosa.const"() <{values = dense<2.500000e-01> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
    %6 = tosa.transpose %arg0 {perms = array<i32: 0, 2, 3, 1>} : (tensor<1x4x6x5xf32>) -> tensor<1x6x5x4xf32>
    %7 = tosa.reshape %arg1, %3 : (tensor<8x4x1x1xf32>, !tosa.shape<4>) -> tensor<8x1x1x4xf32>
    %8 = tosa.conv2d %6, %7, %1, %0, %0 {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x6x5x4xf32>, tensor<8x1x1x4xf32>, tensor<8xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x6x5x8xf32>
    %9 = tosa.transpose %8 {perms = array<i32: 0, 3, 1, 2>} : (tensor<1x6x5x8xf32>) -> tensor<1x8x6x5xf32>
    %10 = tosa.add %9, %arg2 : (tensor<1x8x6x5xf32>, tensor<1x8x6x5xf32>) -> tensor<1x8x6x5xf32>
    %11 = tosa.maximum %10, %4 : (tensor<1x8x6x5xf32>, tensor<1x1x1x1xf32>) -> tensor<1x8x6x5xf32>
    %12 = tosa.minimum %10, %4 : (tensor<1x8x6x5xf32>, tensor<1x1x1x1xf32>) -> tensor<1x8x6x5xf32>
    %13 = tosa.mul %12, %5, %2 : (tensor<1x8x6x5xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x8x6x5xf32>
    %14 = tosa.add %11, %13 : (tensor<1x8x6x5xf32>, tensor<1x8x6x5xf32>) -> tensor<1x8x6x5xf32>
    return %14 : tensor<1x8x6x5xf32>
  }
}
