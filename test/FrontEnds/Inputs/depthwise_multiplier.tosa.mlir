// torch-mlir 20261001 with torch 2.11.0+cu130, by tools/dev/export_torch_mlir.py.
module {
  func.func @depthwise_multiplier(%arg0: tensor<1x4x6x5xf32>, %arg1: tensor<8x1x3x3xf32>) -> tensor<1x8x6x5xf32> {
    %0 = "tosa.const"() <{values = dense<0.000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32>
    %1 = tosa.const_shape  {values = dense<[3, 3, 4, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %2 = "tosa.const"() <{values = dense<0.000000e+00> : tensor<8xf32>}> : () -> tensor<8xf32>
    %3 = tosa.transpose %arg0 {perms = array<i32: 0, 2, 3, 1>} : (tensor<1x4x6x5xf32>) -> tensor<1x6x5x4xf32>
    %4 = tosa.transpose %arg1 {perms = array<i32: 2, 3, 0, 1>} : (tensor<8x1x3x3xf32>) -> tensor<3x3x8x1xf32>
    %5 = tosa.reshape %4, %1 : (tensor<3x3x8x1xf32>, !tosa.shape<4>) -> tensor<3x3x4x2xf32>
    %6 = tosa.depthwise_conv2d %3, %5, %2, %0, %0 {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<1x6x5x4xf32>, tensor<3x3x4x2xf32>, tensor<8xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x6x5x8xf32>
    %7 = tosa.transpose %6 {perms = array<i32: 0, 3, 1, 2>} : (tensor<1x6x5x8xf32>) -> tensor<1x8x6x5xf32>
    return %7 : tensor<1x8x6x5xf32>
  }
}
