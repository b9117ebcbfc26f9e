// torch-mlir 20261001 with torch 2.11.0+cu130, by tools/dev/export_torch_mlir.py.
module {
  func.func @transposed_volume(%arg0: tensor<1x2x3x2x3xf32>, %arg1: tensor<2x2x2x3x2xf32>) -> tensor<1x2x6x5x6xf32> {
    %0 = "tosa.const"() <{values = dense<0.000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32>
    %1 = tosa.const_shape  {values = dense<[1, 3, 1, 2, 3, 2]> : tensor<6xindex>} : () -> !tosa.shape<6>
    %2 = tosa.const_shape  {values = dense<[0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]> : tensor<12xindex>} : () -> !tosa.shape<12>
    %3 = tosa.const_shape  {values = dense<[1, 6, 2, 3, 2]> : tensor<5xindex>} : () -> !tosa.shape<5>
    %4 = tosa.const_shape  {values = dense<[1, 5, 2, 3, 2]> : tensor<5xindex>} : () -> !tosa.shape<5>
    %5 = tosa.const_shape  {values = dense<0> : tensor<5xindex>} : () -> !tosa.shape<5>
    %6 = tosa.const_shape  {values = dense<[1, 5, 2, 1, 3, 2]> : tensor<6xindex>} : () -> !tosa.shape<6>
    %7 = tosa.const_shape  {values = dense<[0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0]> : tensor<12xindex>} : () -> !tosa.shape<12>
    %8 = tosa.const_shape  {values = dense<[1, 5, 4, 3, 2]> : tensor<5xindex>} : () -> !tosa.shape<5>
    %9 = tosa.const_shape  {values = dense<[1, 5, 3, 3, 2]> : tensor<5xindex>} : () -> !tosa.shape<5>
    %10 = tosa.const_shape  {values = dense<[1, 5, 3, 3, 1, 2]> : tensor<6xindex>} : () -> !tosa.shape<6>
    %11 = tosa.const_shape  {values = dense<[0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0]> : tensor<12xindex>} : () -> !tosa.shape<12>
    %12 = tosa.const_shape  {values = dense<[1, 5, 3, 6, 2]> : tensor<5xindex>} : () -> !tosa.shape<5>
    %13 = tosa.const_shape  {values = dense<[1, 5, 3, 5, 2]> : tensor<5xindex>} : () -> !tosa.shape<5>
    %14 = tosa.const_shape  {values = dense<[0, 0, 1, 1, 2, 2, 1, 1, 0, 0]> : tensor<10xindex>} : () -> !tosa.shape<10>
    %15 = "tosa.const"() <{values = dense<0.000000e+00> : tensor<2xf32>}> : () -> tensor<2xf32>
    %16 = tosa.transpose %arg0 {perms = array<i32: 0, 2, 3, 4, 1>} : (tensor<1x2x3x2x3xf32>) -> tensor<1x3x2x3x2xf32>
    %17 = tosa.transpose %arg1 {perms = array<i32: 1, 2, 3, 4, 0>} : (tensor<2x2x2x3x2xf32>) -> tensor<2x2x3x2x2xf32>
    %18 = tosa.reverse %17 {axis = 1 : i32} : (tensor<2x2x3x2x2xf32>) -> tensor<2x2x3x2x2xf32>
    %19 = tosa.reverse %18 {axis = 2 : i32} : (tensor<2x2x3x2x2xf32>) -> tensor<2x2x3x2x2xf32>
    %20 = tosa.reverse %19 {axis = 3 : i32} : (tensor<2x2x3x2x2xf32>) -> tensor<2x2x3x2x2xf32>
    %21 = tosa.reshape %16, %1 : (tensor<1x3x2x3x2xf32>, !tosa.shape<6>) -> tensor<1x3x1x2x3x2xf32>
    %22 = tosa.pad %21, %2, %0 : (tensor<1x3x1x2x3x2xf32>, !tosa.shape<12>, tensor<1xf32>) -> tensor<1x3x2x2x3x2xf32>
    %23 = tosa.reshape %22, %3 : (tensor<1x3x2x2x3x2xf32>, !tosa.shape<5>) -> tensor<1x6x2x3x2xf32>
    %24 = tosa.slice %23, %5, %4 : (tensor<1x6x2x3x2xf32>, !tosa.shape<5>, !tosa.shape<5>) -> tensor<1x5x2x3x2xf32>
    %25 = tosa.reshape %24, %6 : (tensor<1x5x2x3x2xf32>, !tosa.shape<6>) -> tensor<1x5x2x1x3x2xf32>
    %26 = tosa.pad %25, %7, %0 : (tensor<1x5x2x1x3x2xf32>, !tosa.shape<12>, tensor<1xf32>) -> tensor<1x5x2x2x3x2xf32>
    %27 = tosa.reshape %26, %8 : (tensor<1x5x2x2x3x2xf32>, !tosa.shape<5>) -> tensor<1x5x4x3x2xf32>
    %28 = tosa.slice %27, %5, %9 : (tensor<1x5x4x3x2xf32>, !tosa.shape<5>, !tosa.shape<5>) -> tensor<1x5x3x3x2xf32>
    %29 = tosa.reshape %28, %10 : (tensor<1x5x3x3x2xf32>, !tosa.shape<6>) -> tensor<1x5x3x3x1x2xf32>
    %30 = tosa.pad %29, %11, %0 : (tensor<1x5x3x3x1x2xf32>, !tosa.shape<12>, tensor<1xf32>) -> tensor<1x5x3x3x2x2xf32>
    %31 = tosa.reshape %30, %12 : (tensor<1x5x3x3x2x2xf32>, !tosa.shape<5>) -> tensor<1x5x3x6x2xf32>
    %32 = tosa.slice %31, %5, %13 : (tensor<1x5x3x6x2xf32>, !tosa.shape<5>, !tosa.shape<5>) -> tensor<1x5x3x5x2xf32>
    %33 = tosa.pad %32, %14, %0 : (tensor<1x5x3x5x2xf32>, !tosa.shape<10>, tensor<1xf32>) -> tensor<1x7x7x7x2xf32>
    %34 = tosa.conv3d %33, %20, %15, %0, %0 {acc_type = f32, dilation = array<i64: 1, 1, 1>, pad = array<i64: 0, 0, 0, 0, 0, 0>, stride = array<i64: 1, 1, 1>} : (tensor<1x7x7x7x2xf32>, tensor<2x2x3x2x2xf32>, tensor<2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x6x5x6x2xf32>
    %35 = tosa.transpose %34 {perms = array<i32: 0, 4, 1, 2, 3>} : (tensor<1x6x5x6x2xf32>) -> tensor<1x2x6x5x6xf32>
    return %35 : tensor<1x2x6x5x6xf32>
  }
}
