// torch-mlir 20261001 with torch 2.11.0+cu130, by tools/dev/export_torch_mlir.py.
module {
  func.func @causal(%arg0: tensor<1x4x11xf32>, %arg1: tensor<4x1x4xf32>, %arg2: tensor<4xf32>) -> tensor<1x4x11xf32> {
    %0 = tosa.const_shape  {values = dense<[1, 4, 1, 11]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %1 = tosa.const_shape  {values = dense<[4, 1, 1, 4]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %2 = "tosa.const"() <{values = dense<0.000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32>
    %3 = tosa.const_shape  {values = dense<[1, 4, 14]> : tensor<3xindex>} : () -> !tosa.shape<3>
    %4 = tosa.const_shape  {values = dense<[1, 4, 11]> : tensor<3xindex>} : () -> !tosa.shape<3>
    %5 = tosa.const_shape  {values = dense<0> : tensor<3xindex>} : () -> !tosa.shape<3>
    %6 = tosa.reshape %arg0, %0 : (tensor<1x4x11xf32>, !tosa.shape<4>) -> tensor<1x4x1x11xf32>
    %7 = tosa.reshape %arg1, %1 : (tensor<4x1x4xf32>, !tosa.shape<4>) -> tensor<4x1x1x4xf32>
    %8 = tosa.transpose %6 {perms = array<i32: 0, 2, 3, 1>} : (tensor<1x4x1x11xf32>) -> tensor<1x1x11x4xf32>
    %9 = tosa.transpose %7 {perms = array<i32: 2, 3, 0, 1>} : (tensor<4x1x1x4xf32>) -> tensor<1x4x4x1xf32>
    %10 = tosa.depthwise_conv2d %8, %9, %arg2, %2, %2 {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 3, 3>, stride = array<i64: 1, 1>} : (tensor<1x1x11x4xf32>, tensor<1x4x4x1xf32>, tensor<4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x14x4xf32>
    %11 = tosa.transpose %10 {perms = array<i32: 0, 3, 1, 2>} : (tensor<1x1x14x4xf32>) -> tensor<1x4x1x14xf32>
    %12 = tosa.reshape %11, %3 : (tensor<1x4x1x14xf32>, !tosa.shape<3>) -> tensor<1x4x14xf32>
    %13 = tosa.slice %12, %5, %4 : (tensor<1x4x14xf32>, !tosa.shape<3>, !tosa.shape<3>) -> tensor<1x4x11xf32>
    return %13 : tensor<1x4x11xf32>
  }
}
