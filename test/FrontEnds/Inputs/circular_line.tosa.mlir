// torch-mlir 20261001 with torch 2.11.0+cu130, by tools/dev/export_torch_mlir.py.
module {
  func.func @circular_line(%arg0: tensor<1x4x11xf32>, %arg1: tensor<2x4x3xf32>) -> tensor<1x2x12xf32> {
    %0 = "tosa.const"() <{values = dense<[[56, 14, 1]]> : tensor<1x3xi32>}> : () -> tensor<1x3xi32>
    %1 = "tosa.const"() <{values = dense<0> : tensor<1x4x11x1xi32>}> : () -> tensor<1x4x11x1xi32>
    %2 = "tosa.const"() <{values = dense<[[[[0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0]], [[1], [1], [1], [1], [1], [1], [1], [1], [1], [1], [1]], [[2], [2], [2], [2], [2], [2], [2], [2], [2], [2], [2]], [[3], [3], [3], [3], [3], [3], [3], [3], [3], [3], [3]]]]> : tensor<1x4x11x1xi32>}> : () -> tensor<1x4x11x1xi32>
    %3 = tosa.const_shape  {values = dense<[1, 44, 1]> : tensor<3xindex>} : () -> !tosa.shape<3>
    %4 = tosa.const_shape  {values = dense<[44, 3]> : tensor<2xindex>} : () -> !tosa.shape<2>
    %5 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %6 = tosa.const_shape  {values = dense<[1, 44]> : tensor<2xindex>} : () -> !tosa.shape<2>
    %7 = tosa.const_shape  {values = dense<[1, 4, 14]> : tensor<3xindex>} : () -> !tosa.shape<3>
    %8 = tosa.const_shape  {values = dense<[1, 4, 1]> : tensor<3xindex>} : () -> !tosa.shape<3>
    %9 = tosa.const_shape  {values = dense<[0, 0, 11]> : tensor<3xindex>} : () -> !tosa.shape<3>
    %10 = "tosa.const"() <{values = dense<0> : tensor<1x4x1x1xi32>}> : () -> tensor<1x4x1x1xi32>
    %11 = "tosa.const"() <{values = dense<[[[[0]], [[1]], [[2]], [[3]]]]> : tensor<1x4x1x1xi32>}> : () -> tensor<1x4x1x1xi32>
    %12 = tosa.const_shape  {values = dense<[4, 3]> : tensor<2xindex>} : () -> !tosa.shape<2>
    %13 = tosa.const_shape  {values = dense<[1, 4]> : tensor<2xindex>} : () -> !tosa.shape<2>
    %14 = tosa.const_shape  {values = dense<[1, 4, 2]> : tensor<3xindex>} : () -> !tosa.shape<3>
    %15 = tosa.const_shape  {values = dense<[0, 0, 1]> : tensor<3xindex>} : () -> !tosa.shape<3>
    %16 = "tosa.const"() <{values = dense<0> : tensor<1x4x2x1xi32>}> : () -> tensor<1x4x2x1xi32>
    %17 = "tosa.const"() <{values = dense<[[[[0], [0]], [[1], [1]], [[2], [2]], [[3], [3]]]]> : tensor<1x4x2x1xi32>}> : () -> tensor<1x4x2x1xi32>
    %18 = tosa.const_shape  {values = dense<[1, 8, 1]> : tensor<3xindex>} : () -> !tosa.shape<3>
    %19 = tosa.const_shape  {values = dense<[8, 3]> : tensor<2xindex>} : () -> !tosa.shape<2>
    %20 = tosa.const_shape  {values = dense<[1, 8]> : tensor<2xindex>} : () -> !tosa.shape<2>
    %21 = tosa.const_shape  {values = dense<[1, 4, 1, 14]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %22 = tosa.const_shape  {values = dense<[2, 4, 1, 3]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %23 = "tosa.const"() <{values = dense<0.000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32>
    %24 = "tosa.const"() <{values = dense<0.000000e+00> : tensor<2xf32>}> : () -> tensor<2xf32>
    %25 = tosa.const_shape  {values = dense<[1, 2, 12]> : tensor<3xindex>} : () -> !tosa.shape<3>
    %26 = "tosa.const"() <{values = dense<[[[[1], [2], [3], [4], [5], [6], [7], [8], [9], [10], [11]], [[1], [2], [3], [4], [5], [6], [7], [8], [9], [10], [11]], [[1], [2], [3], [4], [5], [6], [7], [8], [9], [10], [11]], [[1], [2], [3], [4], [5], [6], [7], [8], [9], [10], [11]]]]> : tensor<1x4x11x1xi32>}> : () -> tensor<1x4x11x1xi32>
    %27 = "tosa.const"() <{values = dense<0.000000e+00> : tensor<1x56x1xf32>}> : () -> tensor<1x56x1xf32>
    %28 = "tosa.const"() <{values = dense<[[[[12], [13]], [[12], [13]], [[12], [13]], [[12], [13]]]]> : tensor<1x4x2x1xi32>}> : () -> tensor<1x4x2x1xi32>
    %29 = tosa.concat %1, %2, %26 {axis = 3 : i32} : (tensor<1x4x11x1xi32>, tensor<1x4x11x1xi32>, tensor<1x4x11x1xi32>) -> tensor<1x4x11x3xi32>
    %30 = tosa.reshape %arg0, %3 : (tensor<1x4x11xf32>, !tosa.shape<3>) -> tensor<1x44x1xf32>
    %31 = tosa.reshape %29, %4 : (tensor<1x4x11x3xi32>, !tosa.shape<2>) -> tensor<44x3xi32>
    %32 = tosa.mul %31, %0, %5 : (tensor<44x3xi32>, tensor<1x3xi32>, tensor<1xi8>) -> tensor<44x3xi32>
    %33 = tosa.reduce_sum %32 {axis = 1 : i32} : (tensor<44x3xi32>) -> tensor<44x1xi32>
    %34 = tosa.reshape %33, %6 : (tensor<44x1xi32>, !tosa.shape<2>) -> tensor<1x44xi32>
    %35 = tosa.scatter %27, %34, %30 : (tensor<1x56x1xf32>, tensor<1x44xi32>, tensor<1x44x1xf32>) -> tensor<1x56x1xf32>
    %36 = tosa.reshape %35, %7 : (tensor<1x56x1xf32>, !tosa.shape<3>) -> tensor<1x4x14xf32>
    %37 = tosa.slice %36, %9, %8 : (tensor<1x4x14xf32>, !tosa.shape<3>, !tosa.shape<3>) -> tensor<1x4x1xf32>
    %38 = tosa.concat %10, %11, %10 {axis = 3 : i32} : (tensor<1x4x1x1xi32>, tensor<1x4x1x1xi32>, tensor<1x4x1x1xi32>) -> tensor<1x4x1x3xi32>
    %39 = tosa.reshape %38, %12 : (tensor<1x4x1x3xi32>, !tosa.shape<2>) -> tensor<4x3xi32>
    %40 = tosa.mul %39, %0, %5 : (tensor<4x3xi32>, tensor<1x3xi32>, tensor<1xi8>) -> tensor<4x3xi32>
    %41 = tosa.reduce_sum %40 {axis = 1 : i32} : (tensor<4x3xi32>) -> tensor<4x1xi32>
    %42 = tosa.reshape %41, %13 : (tensor<4x1xi32>, !tosa.shape<2>) -> tensor<1x4xi32>
    %43 = tosa.scatter %35, %42, %37 : (tensor<1x56x1xf32>, tensor<1x4xi32>, tensor<1x4x1xf32>) -> tensor<1x56x1xf32>
    %44 = tosa.reshape %43, %7 : (tensor<1x56x1xf32>, !tosa.shape<3>) -> tensor<1x4x14xf32>
    %45 = tosa.slice %44, %15, %14 : (tensor<1x4x14xf32>, !tosa.shape<3>, !tosa.shape<3>) -> tensor<1x4x2xf32>
    %46 = tosa.concat %16, %17, %28 {axis = 3 : i32} : (tensor<1x4x2x1xi32>, tensor<1x4x2x1xi32>, tensor<1x4x2x1xi32>) -> tensor<1x4x2x3xi32>
    %47 = tosa.reshape %45, %18 : (tensor<1x4x2xf32>, !tosa.shape<3>) -> tensor<1x8x1xf32>
    %48 = tosa.reshape %46, %19 : (tensor<1x4x2x3xi32>, !tosa.shape<2>) -> tensor<8x3xi32>
    %49 = tosa.mul %48, %0, %5 : (tensor<8x3xi32>, tensor<1x3xi32>, tensor<1xi8>) -> tensor<8x3xi32>
    %50 = tosa.reduce_sum %49 {axis = 1 : i32} : (tensor<8x3xi32>) -> tensor<8x1xi32>
    %51 = tosa.reshape %50, %20 : (tensor<8x1xi32>, !tosa.shape<2>) -> tensor<1x8xi32>
    %52 = tosa.scatter %43, %51, %47 : (tensor<1x56x1xf32>, tensor<1x8xi32>, tensor<1x8x1xf32>) -> tensor<1x56x1xf32>
    %53 = tosa.reshape %52, %21 : (tensor<1x56x1xf32>, !tosa.shape<4>) -> tensor<1x4x1x14xf32>
    %54 = tosa.reshape %arg1, %22 : (tensor<2x4x3xf32>, !tosa.shape<4>) -> tensor<2x4x1x3xf32>
    %55 = tosa.transpose %53 {perms = array<i32: 0, 2, 3, 1>} : (tensor<1x4x1x14xf32>) -> tensor<1x1x14x4xf32>
    %56 = tosa.transpose %54 {perms = array<i32: 0, 2, 3, 1>} : (tensor<2x4x1x3xf32>) -> tensor<2x1x3x4xf32>
    %57 = tosa.conv2d %55, %56, %24, %23, %23 {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x1x14x4xf32>, tensor<2x1x3x4xf32>, tensor<2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x12x2xf32>
    %58 = tosa.transpose %57 {perms = array<i32: 0, 3, 1, 2>} : (tensor<1x1x12x2xf32>) -> tensor<1x2x1x12xf32>
    %59 = tosa.reshape %58, %25 : (tensor<1x2x1x12xf32>, !tosa.shape<3>) -> tensor<1x2x12xf32>
    return %59 : tensor<1x2x12xf32>
  }
}
