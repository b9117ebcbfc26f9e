// torch-mlir 20261001 with torch 2.11.0+cu130, by tools/dev/export_torch_mlir.py.
module {
  func.func @batch_norm(%arg0: tensor<1x4x6x5xf32>, %arg1: tensor<8x4x3x3xf32>, %arg2: tensor<8xf32>, %arg3: tensor<8xf32>) -> tensor<1x8x6x5xf32> {
    %0 = "tosa.const"() <{values = dense<1.000000e+00> : tensor<8xf32>}> : () -> tensor<8xf32>
    %1 = "tosa.const"() <{values = dense<0.000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32>
    %2 = "tosa.const"() <{values = dense<0.000000e+00> : tensor<8xf32>}> : () -> tensor<8xf32>
    %3 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %4 = tosa.const_shape  {values = dense<[1, 8, 1, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %5 = "tosa.const"() <{values = dense<5.000000e-01> : tensor<1xf32>}> : () -> tensor<1xf32>
    %6 = tosa.transpose %arg0 {perms = array<i32: 0, 2, 3, 1>} : (tensor<1x4x6x5xf32>) -> tensor<1x6x5x4xf32>
    %7 = tosa.transpose %arg1 {perms = array<i32: 0, 2, 3, 1>} : (tensor<8x4x3x3xf32>) -> tensor<8x3x3x4xf32>
    %8 = tosa.conv2d %6, %7, %2, %1, %1 {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<1x6x5x4xf32>, tensor<8x3x3x4xf32>, tensor<8xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x6x5x8xf32>
    %9 = tosa.transpose %8 {perms = array<i32: 0, 3, 1, 2>} : (tensor<1x6x5x8xf32>) -> tensor<1x8x6x5xf32>
    %10 = tosa.pow %0, %5 : (tensor<8xf32>, tensor<1xf32>) -> tensor<8xf32>
    %11 = tosa.reciprocal %10 : (tensor<8xf32>) -> tensor<8xf32>
    %12 = tosa.reshape %arg2, %4 : (tensor<8xf32>, !tosa.shape<4>) -> tensor<1x8x1x1xf32>
    %13 = tosa.sub %9, %12 : (tensor<1x8x6x5xf32>, tensor<1x8x1x1xf32>) -> tensor<1x8x6x5xf32>
    %14 = tosa.reshape %11, %4 : (tensor<8xf32>, !tosa.shape<4>) -> tensor<1x8x1x1xf32>
    %15 = tosa.mul %13, %14, %3 : (tensor<1x8x6x5xf32>, tensor<1x8x1x1xf32>, tensor<1xi8>) -> tensor<1x8x6x5xf32>
    %16 = tosa.reshape %arg3, %4 : (tensor<8xf32>, !tosa.shape<4>) -> tensor<1x8x1x1xf32>
    %17 = tosa.mul %15, %16, %3 : (tensor<1x8x6x5xf32>, tensor<1x8x1x1xf32>, tensor<1xi8>) -> tensor<1x8x6x5xf32>
    %18 = tosa.add %17, %12 : (tensor<1x8x6x5xf32>, tensor<1x8x1x1xf32>) -> tensor<1x8x6x5xf32>
    %19 = tosa.clamp %18 {max_val = 3.40282347E+38 : f32, min_val = 0.000000e+00 : f32} : (tensor<1x8x6x5xf32>) -> tensor<1x8x6x5xf32>
    return %19 : tensor<1x8x6x5xf32>
  }
}
