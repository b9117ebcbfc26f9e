// torch-mlir 20261001 with torch 2.11.0+cu130, by tools/dev/export_torch_mlir.py.
module {
  func.func @replicate_line(%arg0: tensor<1x4x11xf32>, %arg1: tensor<2x4x3xf32>) -> tensor<1x2x12xf32> {
    %0 = "tosa.const"() <{values = dense<[-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]> : tensor<14xi64>}> : () -> tensor<14xi64>
    %1 = tosa.const_shape  {values = dense<[1, 4, 1, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %2 = tosa.const_shape  {values = dense<[1, 1, 14, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %3 = tosa.const_shape  {values = dense<[1, 4, 14, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %4 = tosa.const_shape  {values = dense<[1, 44, 1]> : tensor<3xindex>} : () -> !tosa.shape<3>
    %5 = tosa.const_shape  {values = dense<[56, 3]> : tensor<2xindex>} : () -> !tosa.shape<2>
    %6 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %7 = tosa.const_shape  {values = dense<[1, 56]> : tensor<2xindex>} : () -> !tosa.shape<2>
    %8 = tosa.const_shape  {values = dense<[1, 4, 1, 14]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %9 = tosa.const_shape  {values = dense<[2, 4, 1, 3]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %10 = "tosa.const"() <{values = dense<0.000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32>
    %11 = "tosa.const"() <{values = dense<0.000000e+00> : tensor<2xf32>}> : () -> tensor<2xf32>
    %12 = tosa.const_shape  {values = dense<[1, 2, 12]> : tensor<3xindex>} : () -> !tosa.shape<3>
    %13 = "tosa.const"() <{values = dense<0> : tensor<1xi64>}> : () -> tensor<1xi64>
    %14 = "tosa.const"() <{values = dense<10> : tensor<1xi64>}> : () -> tensor<1xi64>
    %cst = arith.constant dense<[[0], [1], [2], [3]]> : tensor<4x1xi64>
    %15 = "tosa.const"() <{values = dense<0> : tensor<1x1x1x1xi32>}> : () -> tensor<1x1x1x1xi32>
    %16 = "tosa.const"() <{values = dense<0> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
    %17 = "tosa.const"() <{values = dense<4> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
    %18 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %19 = "tosa.const"() <{values = dense<11> : tensor<1xi32>}> : () -> tensor<1xi32>
    %20 = "tosa.const"() <{values = dense<[[44, 11, 1]]> : tensor<1x3xi32>}> : () -> tensor<1x3xi32>
    %21 = tosa.maximum %13, %0 : (tensor<1xi64>, tensor<14xi64>) -> tensor<14xi64>
    %22 = tosa.minimum %21, %14 : (tensor<14xi64>, tensor<1xi64>) -> tensor<14xi64>
    %23 = tosa.cast %cst : (tensor<4x1xi64>) -> tensor<4x1xi32>
    %24 = tosa.add %23, %17 : (tensor<4x1xi32>, tensor<1x1xi32>) -> tensor<4x1xi32>
    %25 = tosa.greater %16, %23 : (tensor<1x1xi32>, tensor<4x1xi32>) -> tensor<4x1xi1>
    %26 = tosa.select %25, %24, %23 : (tensor<4x1xi1>, tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x1xi32>
    %27 = tosa.cast %22 : (tensor<14xi64>) -> tensor<14xi32>
    %28 = tosa.add %27, %19 : (tensor<14xi32>, tensor<1xi32>) -> tensor<14xi32>
    %29 = tosa.greater %18, %27 : (tensor<1xi32>, tensor<14xi32>) -> tensor<14xi1>
    %30 = tosa.select %29, %28, %27 : (tensor<14xi1>, tensor<14xi32>, tensor<14xi32>) -> tensor<14xi32>
    %31 = tosa.reshape %26, %1 : (tensor<4x1xi32>, !tosa.shape<4>) -> tensor<1x4x1x1xi32>
    %32 = tosa.reshape %30, %2 : (tensor<14xi32>, !tosa.shape<4>) -> tensor<1x1x14x1xi32>
    %33 = tosa.tile %15, %3 : (tensor<1x1x1x1xi32>, !tosa.shape<4>) -> tensor<1x4x14x1xi32>
    %34 = tosa.tile %31, %2 : (tensor<1x4x1x1xi32>, !tosa.shape<4>) -> tensor<1x4x14x1xi32>
    %35 = tosa.tile %32, %1 : (tensor<1x1x14x1xi32>, !tosa.shape<4>) -> tensor<1x4x14x1xi32>
    %36 = tosa.concat %33, %34, %35 {axis = 3 : i32} : (tensor<1x4x14x1xi32>, tensor<1x4x14x1xi32>, tensor<1x4x14x1xi32>) -> tensor<1x4x14x3xi32>
    %37 = tosa.reshape %arg0, %4 : (tensor<1x4x11xf32>, !tosa.shape<3>) -> tensor<1x44x1xf32>
    %38 = tosa.reshape %36, %5 : (tensor<1x4x14x3xi32>, !tosa.shape<2>) -> tensor<56x3xi32>
    %39 = tosa.mul %38, %20, %6 : (tensor<56x3xi32>, tensor<1x3xi32>, tensor<1xi8>) -> tensor<56x3xi32>
    %40 = tosa.reduce_sum %39 {axis = 1 : i32} : (tensor<56x3xi32>) -> tensor<56x1xi32>
    %41 = tosa.reshape %40, %7 : (tensor<56x1xi32>, !tosa.shape<2>) -> tensor<1x56xi32>
    %42 = tosa.gather %37, %41 : (tensor<1x44x1xf32>, tensor<1x56xi32>) -> tensor<1x56x1xf32>
    %43 = tosa.reshape %42, %8 : (tensor<1x56x1xf32>, !tosa.shape<4>) -> tensor<1x4x1x14xf32>
    %44 = tosa.reshape %arg1, %9 : (tensor<2x4x3xf32>, !tosa.shape<4>) -> tensor<2x4x1x3xf32>
    %45 = tosa.transpose %43 {perms = array<i32: 0, 2, 3, 1>} : (tensor<1x4x1x14xf32>) -> tensor<1x1x14x4xf32>
    %46 = tosa.transpose %44 {perms = array<i32: 0, 2, 3, 1>} : (tensor<2x4x1x3xf32>) -> tensor<2x1x3x4xf32>
    %47 = tosa.conv2d %45, %46, %11, %10, %10 {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x1x14x4xf32>, tensor<2x1x3x4xf32>, tensor<2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x12x2xf32>
    %48 = tosa.transpose %47 {perms = array<i32: 0, 3, 1, 2>} : (tensor<1x1x12x2xf32>) -> tensor<1x2x1x12xf32>
    %49 = tosa.reshape %48, %12 : (tensor<1x2x1x12xf32>, !tosa.shape<3>) -> tensor<1x2x12xf32>
    return %49 : tensor<1x2x12xf32>
  }
}
