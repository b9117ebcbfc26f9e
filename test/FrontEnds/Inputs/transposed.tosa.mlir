// torch-mlir 20261001 with torch 2.11.0+cu130, by tools/dev/export_torch_mlir.py.
module {
  func.func @transposed(%arg0: tensor<1x4x6x5xf32>, %arg1: tensor<4x8x3x3xf32>, %arg2: tensor<8xf32>) -> tensor<1x8x12x10xf32> {
    %0 = "tosa.const"() <{values = dense<0.000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32>
    %1 = tosa.const_shape  {values = dense<[1, 12, 10, 8]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %2 = tosa.const_shape  {values = dense<[0, 1, 1, 0]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %3 = tosa.transpose %arg0 {perms = array<i32: 0, 2, 3, 1>} : (tensor<1x4x6x5xf32>) -> tensor<1x6x5x4xf32>
    %4 = tosa.transpose %arg1 {perms = array<i32: 1, 2, 3, 0>} : (tensor<4x8x3x3xf32>) -> tensor<8x3x3x4xf32>
    %5 = tosa.transpose_conv2d %3, %4, %arg2, %0, %0 {acc_type = f32, out_pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<1x6x5x4xf32>, tensor<8x3x3x4xf32>, tensor<8xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x13x11x8xf32>
    %6 = tosa.slice %5, %2, %1 : (tensor<1x13x11x8xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x12x10x8xf32>
    %7 = tosa.transpose %6 {perms = array<i32: 0, 3, 1, 2>} : (tensor<1x12x10x8xf32>) -> tensor<1x8x12x10xf32>
    return %7 : tensor<1x8x12x10xf32>
  }
}
