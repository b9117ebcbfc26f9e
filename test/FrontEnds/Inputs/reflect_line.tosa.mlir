// torch-mlir 20261001 with torch 2.11.0+cu130, by tools/dev/export_torch_mlir.py.
module {
  func.func @reflect_line(%arg0: tensor<1x4x11xf32>, %arg1: tensor<2x4x3xf32>) -> tensor<1x2x12xf32> {
    %0 = "tosa.const"() <{values = dense<[-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]> : tensor<14xi64>}> : () -> tensor<14xi64>
    %1 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %2 = tosa.const_shape  {values = dense<[1, 4, 1, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %3 = tosa.const_shape  {values = dense<[1, 1, 14, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %4 = tosa.const_shape  {values = dense<[1, 4, 14, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %5 = tosa.const_shape  {values = dense<[1, 44, 1]> : tensor<3xindex>} : () -> !tosa.shape<3>
    %6 = tosa.const_shape  {values = dense<[56, 3]> : tensor<2xindex>} : () -> !tosa.shape<2>
    %7 = tosa.const_shape  {values = dense<[1, 56]> : tensor<2xindex>} : () -> !tosa.shape<2>
    %8 = tosa.const_shape  {values = dense<[1, 4, 1, 14]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %9 = tosa.const_shape  {values = dense<[2, 4, 1, 3]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %10 = "tosa.const"() <{values = dense<0.000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32>
    %11 = "tosa.const"() <{values = dense<0.000000e+00> : tensor<2xf32>}> : () -> tensor<2xf32>
    %12 = tosa.const_shape  {values = dense<[1, 2, 12]> : tensor<3xindex>} : () -> !tosa.shape<3>
    %13 = "tosa.const"() <{values = dense<10> : tensor<1xi32>}> : () -> tensor<1xi32>
    %cst = arith.constant dense<[[0], [1], [2], [3]]> : tensor<4x1xi64>
    %14 = "tosa.const"() <{values = dense<0> : tensor<1x1x1x1xi32>}> : () -> tensor<1x1x1x1xi32>
    %15 = "tosa.const"() <{values = dense<0> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
    %16 = "tosa.const"() <{values = dense<4> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
    %17 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %18 = "tosa.const"() <{values = dense<11> : tensor<1xi32>}> : () -> tensor<1xi32>
    %19 = "tosa.const"() <{values = dense<[[44, 11, 1]]> : tensor<1x3xi32>}> : () -> tensor<1x3xi32>
    %20 = tosa.abs %0 : (tensor<14xi64>) -> tensor<14xi64>
    %21 = tosa.cast %20 : (tensor<14xi64>) -> tensor<14xi32>
    %22 = tosa.sub %13, %21 : (tensor<1xi32>, tensor<14xi32>) -> tensor<14xi32>
    %23 = tosa.cast %22 : (tensor<14xi32>) -> tensor<14xi64>
    %24 = tosa.abs %23 : (tensor<14xi64>) -> tensor<14xi64>
    %25 = tosa.cast %24 : (tensor<14xi64>) -> tensor<14xi32>
    %26 = tosa.sub %13, %25 : (tensor<1xi32>, tensor<14xi32>) -> tensor<14xi32>
    %27 = tosa.cast %26 : (tensor<14xi32>) -> tensor<14xi64>
    %28 = tosa.cast %cst : (tensor<4x1xi64>) -> tensor<4x1xi32>
    %29 = tosa.add %28, %16 : (tensor<4x1xi32>, tensor<1x1xi32>) -> tensor<4x1xi32>
    %30 = tosa.greater %15, %28 : (tensor<1x1xi32>, tensor<4x1xi32>) -> tensor<4x1xi1>
    %31 = tosa.select %30, %29, %28 : (tensor<4x1xi1>, tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x1xi32>
    %32 = tosa.cast %27 : (tensor<14xi64>) -> tensor<14xi32>
    %33 = tosa.add %32, %18 : (tensor<14xi32>, tensor<1xi32>) -> tensor<14xi32>
    %34 = tosa.greater %17, %32 : (tensor<1xi32>, tensor<14xi32>) -> tensor<14xi1>
    %35 = tosa.select %34, %33, %32 : (tensor<14xi1>, tensor<14xi32>, tensor<14xi32>) -> tensor<14xi32>
    %36 = tosa.reshape %31, %2 : (tensor<4x1xi32>, !tosa.shape<4>) -> tensor<1x4x1x1xi32>
    %37 = tosa.reshape %35, %3 : (tensor<14xi32>, !tosa.shape<4>) -> tensor<1x1x14x1xi32>
    %38 = tosa.tile %14, %4 : (tensor<1x1x1x1xi32>, !tosa.shape<4>) -> tensor<1x4x14x1xi32>
    %39 = tosa.tile %36, %3 : (tensor<1x4x1x1xi32>, !tosa.shape<4>) -> tensor<1x4x14x1xi32>
    %40 = tosa.tile %37, %2 : (tensor<1x1x14x1xi32>, !tosa.shape<4>) -> tensor<1x4x14x1xi32>
    %41 = tosa.concat %38, %39, %40 {axis = 3 : i32} : (tensor<1x4x14x1xi32>, tensor<1x4x14x1xi32>, tensor<1x4x14x1xi32>) -> tensor<1x4x14x3xi32>
    %42 = tosa.reshape %arg0, %5 : (tensor<1x4x11xf32>, !tosa.shape<3>) -> tensor<1x44x1xf32>
    %43 = tosa.reshape %41, %6 : (tensor<1x4x14x3xi32>, !tosa.shape<2>) -> tensor<56x3xi32>
    %44 = tosa.mul %43, %19, %1 : (tensor<56x3xi32>, tensor<1x3xi32>, tensor<1xi8>) -> tensor<56x3xi32>
    %45 = tosa.reduce_sum %44 {axis = 1 : i32} : (tensor<56x3xi32>) -> tensor<56x1xi32>
    %46 = tosa.reshape %45, %7 : (tensor<56x1xi32>, !tosa.shape<2>) -> tensor<1x56xi32>
    %47 = tosa.gather %42, %46 : (tensor<1x44x1xf32>, tensor<1x56xi32>) -> tensor<1x56x1xf32>
    %48 = tosa.reshape %47, %8 : (tensor<1x56x1xf32>, !tosa.shape<4>) -> tensor<1x4x1x14xf32>
    %49 = tosa.reshape %arg1, %9 : (tensor<2x4x3xf32>, !tosa.shape<4>) -> tensor<2x4x1x3xf32>
    %50 = tosa.transpose %48 {perms = array<i32: 0, 2, 3, 1>} : (tensor<1x4x1x14xf32>) -> tensor<1x1x14x4xf32>
    %51 = tosa.transpose %49 {perms = array<i32: 0, 2, 3, 1>} : (tensor<2x4x1x3xf32>) -> tensor<2x1x3x4xf32>
    %52 = tosa.conv2d %50, %51, %11, %10, %10 {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x1x14x4xf32>, tensor<2x1x3x4xf32>, tensor<2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x12x2xf32>
    %53 = tosa.transpose %52 {perms = array<i32: 0, 3, 1, 2>} : (tensor<1x1x12x2xf32>) -> tensor<1x2x1x12xf32>
    %54 = tosa.reshape %53, %12 : (tensor<1x2x1x12xf32>, !tosa.shape<3>) -> tensor<1x2x12xf32>
    return %54 : tensor<1x2x12xf32>
  }
}
