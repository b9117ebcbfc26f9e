// torch-mlir 20261001 with torch 2.11.0+cu130, by tools/dev/export_torch_mlir.py.
module {
  func.func @replicate(%arg0: tensor<1x4x6x5xf32>, %arg1: tensor<2x4x3x3xf32>) -> tensor<1x2x7x6xf32> {
    %cst = arith.constant dense<[[[0]], [[1]], [[2]], [[3]]]> : tensor<4x1x1xi64>
    %0 = "tosa.const"() <{values = dense<[-2, -1, 0, 1, 2, 3, 4, 5, 6]> : tensor<9xi64>}> : () -> tensor<9xi64>
    %1 = tosa.const_shape  {values = dense<[9, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
    %2 = tosa.const_shape  {values = dense<[1, 4, 1, 1, 1]> : tensor<5xindex>} : () -> !tosa.shape<5>
    %3 = tosa.const_shape  {values = dense<[1, 1, 9, 1, 1]> : tensor<5xindex>} : () -> !tosa.shape<5>
    %4 = tosa.const_shape  {values = dense<[1, 1, 1, 5, 1]> : tensor<5xindex>} : () -> !tosa.shape<5>
    %5 = tosa.const_shape  {values = dense<[1, 4, 9, 5, 1]> : tensor<5xindex>} : () -> !tosa.shape<5>
    %6 = tosa.const_shape  {values = dense<[1, 1, 9, 5, 1]> : tensor<5xindex>} : () -> !tosa.shape<5>
    %7 = tosa.const_shape  {values = dense<[1, 4, 1, 5, 1]> : tensor<5xindex>} : () -> !tosa.shape<5>
    %8 = tosa.const_shape  {values = dense<[1, 4, 9, 1, 1]> : tensor<5xindex>} : () -> !tosa.shape<5>
    %9 = tosa.const_shape  {values = dense<[1, 120, 1]> : tensor<3xindex>} : () -> !tosa.shape<3>
    %10 = tosa.const_shape  {values = dense<[180, 4]> : tensor<2xindex>} : () -> !tosa.shape<2>
    %11 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %12 = tosa.const_shape  {values = dense<[1, 180]> : tensor<2xindex>} : () -> !tosa.shape<2>
    %13 = "tosa.const"() <{values = dense<[-1, 0, 1, 2, 3, 4, 5, 6]> : tensor<8xi64>}> : () -> tensor<8xi64>
    %14 = tosa.const_shape  {values = dense<[1, 1, 1, 8, 1]> : tensor<5xindex>} : () -> !tosa.shape<5>
    %15 = tosa.const_shape  {values = dense<[1, 4, 9, 8, 1]> : tensor<5xindex>} : () -> !tosa.shape<5>
    %16 = tosa.const_shape  {values = dense<[1, 1, 9, 8, 1]> : tensor<5xindex>} : () -> !tosa.shape<5>
    %17 = tosa.const_shape  {values = dense<[1, 4, 1, 8, 1]> : tensor<5xindex>} : () -> !tosa.shape<5>
    %18 = tosa.const_shape  {values = dense<[288, 4]> : tensor<2xindex>} : () -> !tosa.shape<2>
    %19 = tosa.const_shape  {values = dense<[1, 288]> : tensor<2xindex>} : () -> !tosa.shape<2>
    %20 = tosa.const_shape  {values = dense<[1, 4, 9, 8]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %21 = "tosa.const"() <{values = dense<0.000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32>
    %22 = "tosa.const"() <{values = dense<0.000000e+00> : tensor<2xf32>}> : () -> tensor<2xf32>
    %23 = "tosa.const"() <{values = dense<0> : tensor<1xi64>}> : () -> tensor<1xi64>
    %24 = "tosa.const"() <{values = dense<5> : tensor<1xi64>}> : () -> tensor<1xi64>
    %cst_0 = arith.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi64>
    %25 = "tosa.const"() <{values = dense<0> : tensor<1x1x1x1x1xi32>}> : () -> tensor<1x1x1x1x1xi32>
    %26 = "tosa.const"() <{values = dense<0> : tensor<1x1x1xi32>}> : () -> tensor<1x1x1xi32>
    %27 = "tosa.const"() <{values = dense<4> : tensor<1x1x1xi32>}> : () -> tensor<1x1x1xi32>
    %28 = "tosa.const"() <{values = dense<0> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
    %29 = "tosa.const"() <{values = dense<6> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
    %30 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %31 = "tosa.const"() <{values = dense<5> : tensor<1xi32>}> : () -> tensor<1xi32>
    %32 = "tosa.const"() <{values = dense<[[120, 30, 5, 1]]> : tensor<1x4xi32>}> : () -> tensor<1x4xi32>
    %33 = "tosa.const"() <{values = dense<4> : tensor<1xi64>}> : () -> tensor<1xi64>
    %cst_1 = arith.constant dense<[[0], [1], [2], [3], [4], [5], [6], [7], [8]]> : tensor<9x1xi64>
    %34 = "tosa.const"() <{values = dense<9> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
    %35 = "tosa.const"() <{values = dense<[[180, 45, 5, 1]]> : tensor<1x4xi32>}> : () -> tensor<1x4xi32>
    %36 = tosa.maximum %23, %0 : (tensor<1xi64>, tensor<9xi64>) -> tensor<9xi64>
    %37 = tosa.minimum %36, %24 : (tensor<9xi64>, tensor<1xi64>) -> tensor<9xi64>
    %38 = tosa.reshape %37, %1 : (tensor<9xi64>, !tosa.shape<2>) -> tensor<9x1xi64>
    %39 = tosa.cast %cst : (tensor<4x1x1xi64>) -> tensor<4x1x1xi32>
    %40 = tosa.add %39, %27 : (tensor<4x1x1xi32>, tensor<1x1x1xi32>) -> tensor<4x1x1xi32>
    %41 = tosa.greater %26, %39 : (tensor<1x1x1xi32>, tensor<4x1x1xi32>) -> tensor<4x1x1xi1>
    %42 = tosa.select %41, %40, %39 : (tensor<4x1x1xi1>, tensor<4x1x1xi32>, tensor<4x1x1xi32>) -> tensor<4x1x1xi32>
    %43 = tosa.cast %38 : (tensor<9x1xi64>) -> tensor<9x1xi32>
    %44 = tosa.add %43, %29 : (tensor<9x1xi32>, tensor<1x1xi32>) -> tensor<9x1xi32>
    %45 = tosa.greater %28, %43 : (tensor<1x1xi32>, tensor<9x1xi32>) -> tensor<9x1xi1>
    %46 = tosa.select %45, %44, %43 : (tensor<9x1xi1>, tensor<9x1xi32>, tensor<9x1xi32>) -> tensor<9x1xi32>
    %47 = tosa.cast %cst_0 : (tensor<5xi64>) -> tensor<5xi32>
    %48 = tosa.add %47, %31 : (tensor<5xi32>, tensor<1xi32>) -> tensor<5xi32>
    %49 = tosa.greater %30, %47 : (tensor<1xi32>, tensor<5xi32>) -> tensor<5xi1>
    %50 = tosa.select %49, %48, %47 : (tensor<5xi1>, tensor<5xi32>, tensor<5xi32>) -> tensor<5xi32>
    %51 = tosa.reshape %42, %2 : (tensor<4x1x1xi32>, !tosa.shape<5>) -> tensor<1x4x1x1x1xi32>
    %52 = tosa.reshape %46, %3 : (tensor<9x1xi32>, !tosa.shape<5>) -> tensor<1x1x9x1x1xi32>
    %53 = tosa.reshape %50, %4 : (tensor<5xi32>, !tosa.shape<5>) -> tensor<1x1x1x5x1xi32>
    %54 = tosa.tile %25, %5 : (tensor<1x1x1x1x1xi32>, !tosa.shape<5>) -> tensor<1x4x9x5x1xi32>
    %55 = tosa.tile %51, %6 : (tensor<1x4x1x1x1xi32>, !tosa.shape<5>) -> tensor<1x4x9x5x1xi32>
    %56 = tosa.tile %52, %7 : (tensor<1x1x9x1x1xi32>, !tosa.shape<5>) -> tensor<1x4x9x5x1xi32>
    %57 = tosa.tile %53, %8 : (tensor<1x1x1x5x1xi32>, !tosa.shape<5>) -> tensor<1x4x9x5x1xi32>
    %58 = tosa.concat %54, %55, %56, %57 {axis = 4 : i32} : (tensor<1x4x9x5x1xi32>, tensor<1x4x9x5x1xi32>, tensor<1x4x9x5x1xi32>, tensor<1x4x9x5x1xi32>) -> tensor<1x4x9x5x4xi32>
    %59 = tosa.reshape %arg0, %9 : (tensor<1x4x6x5xf32>, !tosa.shape<3>) -> tensor<1x120x1xf32>
    %60 = tosa.reshape %58, %10 : (tensor<1x4x9x5x4xi32>, !tosa.shape<2>) -> tensor<180x4xi32>
    %61 = tosa.mul %60, %32, %11 : (tensor<180x4xi32>, tensor<1x4xi32>, tensor<1xi8>) -> tensor<180x4xi32>
    %62 = tosa.reduce_sum %61 {axis = 1 : i32} : (tensor<180x4xi32>) -> tensor<180x1xi32>
    %63 = tosa.reshape %62, %12 : (tensor<180x1xi32>, !tosa.shape<2>) -> tensor<1x180xi32>
    %64 = tosa.gather %59, %63 : (tensor<1x120x1xf32>, tensor<1x180xi32>) -> tensor<1x180x1xf32>
    %65 = tosa.maximum %23, %13 : (tensor<1xi64>, tensor<8xi64>) -> tensor<8xi64>
    %66 = tosa.minimum %65, %33 : (tensor<8xi64>, tensor<1xi64>) -> tensor<8xi64>
    %67 = tosa.cast %cst_1 : (tensor<9x1xi64>) -> tensor<9x1xi32>
    %68 = tosa.add %67, %34 : (tensor<9x1xi32>, tensor<1x1xi32>) -> tensor<9x1xi32>
    %69 = tosa.greater %28, %67 : (tensor<1x1xi32>, tensor<9x1xi32>) -> tensor<9x1xi1>
    %70 = tosa.select %69, %68, %67 : (tensor<9x1xi1>, tensor<9x1xi32>, tensor<9x1xi32>) -> tensor<9x1xi32>
    %71 = tosa.cast %66 : (tensor<8xi64>) -> tensor<8xi32>
    %72 = tosa.add %71, %31 : (tensor<8xi32>, tensor<1xi32>) -> tensor<8xi32>
    %73 = tosa.greater %30, %71 : (tensor<1xi32>, tensor<8xi32>) -> tensor<8xi1>
    %74 = tosa.select %73, %72, %71 : (tensor<8xi1>, tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
    %75 = tosa.reshape %70, %3 : (tensor<9x1xi32>, !tosa.shape<5>) -> tensor<1x1x9x1x1xi32>
    %76 = tosa.reshape %74, %14 : (tensor<8xi32>, !tosa.shape<5>) -> tensor<1x1x1x8x1xi32>
    %77 = tosa.tile %25, %15 : (tensor<1x1x1x1x1xi32>, !tosa.shape<5>) -> tensor<1x4x9x8x1xi32>
    %78 = tosa.tile %51, %16 : (tensor<1x4x1x1x1xi32>, !tosa.shape<5>) -> tensor<1x4x9x8x1xi32>
    %79 = tosa.tile %75, %17 : (tensor<1x1x9x1x1xi32>, !tosa.shape<5>) -> tensor<1x4x9x8x1xi32>
    %80 = tosa.tile %76, %8 : (tensor<1x1x1x8x1xi32>, !tosa.shape<5>) -> tensor<1x4x9x8x1xi32>
    %81 = tosa.concat %77, %78, %79, %80 {axis = 4 : i32} : (tensor<1x4x9x8x1xi32>, tensor<1x4x9x8x1xi32>, tensor<1x4x9x8x1xi32>, tensor<1x4x9x8x1xi32>) -> tensor<1x4x9x8x4xi32>
    %82 = tosa.reshape %81, %18 : (tensor<1x4x9x8x4xi32>, !tosa.shape<2>) -> tensor<288x4xi32>
    %83 = tosa.mul %82, %35, %11 : (tensor<288x4xi32>, tensor<1x4xi32>, tensor<1xi8>) -> tensor<288x4xi32>
    %84 = tosa.reduce_sum %83 {axis = 1 : i32} : (tensor<288x4xi32>) -> tensor<288x1xi32>
    %85 = tosa.reshape %84, %19 : (tensor<288x1xi32>, !tosa.shape<2>) -> tensor<1x288xi32>
    %86 = tosa.gather %64, %85 : (tensor<1x180x1xf32>, tensor<1x288xi32>) -> tensor<1x288x1xf32>
    %87 = tosa.reshape %86, %20 : (tensor<1x288x1xf32>, !tosa.shape<4>) -> tensor<1x4x9x8xf32>
    %88 = tosa.transpose %87 {perms = array<i32: 0, 2, 3, 1>} : (tensor<1x4x9x8xf32>) -> tensor<1x9x8x4xf32>
    %89 = tosa.transpose %arg1 {perms = array<i32: 0, 2, 3, 1>} : (tensor<2x4x3x3xf32>) -> tensor<2x3x3x4xf32>
    %90 = tosa.conv2d %88, %89, %22, %21, %21 {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x9x8x4xf32>, tensor<2x3x3x4xf32>, tensor<2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x7x6x2xf32>
    %91 = tosa.transpose %90 {perms = array<i32: 0, 3, 1, 2>} : (tensor<1x7x6x2xf32>) -> tensor<1x2x7x6xf32>
    return %91 : tensor<1x2x7x6xf32>
  }
}
