// torch-mlir 20261001 with torch 2.11.0+cu130, by tools/dev/export_torch_mlir.py.
module {
  func.func @grouped(%arg0: tensor<1x4x6x5xf32>, %arg1: tensor<8x2x3x3xf32>, %arg2: tensor<8xf32>) -> tensor<1x8x6x5xf32> {
    %0 = "tosa.const"() <{values = dense<0.000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32>
    %1 = tosa.const_shape  {values = dense<[1, 6, 5, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %2 = tosa.const_shape  {values = dense<[4, 3, 3, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %3 = tosa.const_shape  {values = dense<4> : tensor<1xindex>} : () -> !tosa.shape<1>
    %4 = tosa.const_shape  {values = dense<0> : tensor<4xindex>} : () -> !tosa.shape<4>
    %5 = tosa.const_shape  {values = dense<0> : tensor<1xindex>} : () -> !tosa.shape<1>
    %6 = tosa.const_shape  {values = dense<[0, 0, 0, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %7 = tosa.const_shape  {values = dense<[4, 0, 0, 0]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %8 = tosa.transpose %arg0 {perms = array<i32: 0, 2, 3, 1>} : (tensor<1x4x6x5xf32>) -> tensor<1x6x5x4xf32>
    %9 = tosa.transpose %arg1 {perms = array<i32: 0, 2, 3, 1>} : (tensor<8x2x3x3xf32>) -> tensor<8x3x3x2xf32>
    %10 = tosa.slice %8, %4, %1 : (tensor<1x6x5x4xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x6x5x2xf32>
    %11 = tosa.slice %9, %4, %2 : (tensor<8x3x3x2xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<4x3x3x2xf32>
    %12 = tosa.slice %arg2, %5, %3 : (tensor<8xf32>, !tosa.shape<1>, !tosa.shape<1>) -> tensor<4xf32>
    %13 = tosa.conv2d %10, %11, %12, %0, %0 {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<1x6x5x2xf32>, tensor<4x3x3x2xf32>, tensor<4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x6x5x4xf32>
    %14 = tosa.slice %8, %6, %1 : (tensor<1x6x5x4xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x6x5x2xf32>
    %15 = tosa.slice %9, %7, %2 : (tensor<8x3x3x2xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<4x3x3x2xf32>
    %16 = tosa.slice %arg2, %3, %3 : (tensor<8xf32>, !tosa.shape<1>, !tosa.shape<1>) -> tensor<4xf32>
    %17 = tosa.conv2d %14, %15, %16, %0, %0 {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<1x6x5x2xf32>, tensor<4x3x3x2xf32>, tensor<4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x6x5x4xf32>
    %18 = tosa.concat %13, %17 {axis = 3 : i32} : (tensor<1x6x5x4xf32>, tensor<1x6x5x4xf32>) -> tensor<1x6x5x8xf32>
    %19 = tosa.transpose %18 {perms = array<i32: 0, 3, 1, 2>} : (tensor<1x6x5x8xf32>) -> tensor<1x8x6x5xf32>
    %20 = tosa.clamp %19 {max_val = 3.40282347E+38 : f32, min_val = 0.000000e+00 : f32} : (tensor<1x8x6x5xf32>) -> tensor<1x8x6x5xf32>
    return %20 : tensor<1x8x6x5xf32>
  }
}
