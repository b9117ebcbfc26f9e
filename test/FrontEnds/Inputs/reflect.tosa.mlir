// torch-mlir 20261001 with torch 2.11.0+cu130, by tools/dev/export_torch_mlir.py.
module {
  func.func @reflect(%arg0: tensor<1x4x6x5xf32>, %arg1: tensor<2x4x3x3xf32>) -> tensor<1x2x7x6xf32> {
    %cst = arith.constant dense<[[[0]], [[1]], [[2]], [[3]]]> : tensor<4x1x1xi64>
    %0 = "tosa.const"() <{values = dense<[-2, -1, 0, 1, 2, 3, 4, 5, 6]> : tensor<9xi64>}> : () -> tensor<9xi64>
    %1 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %2 = tosa.const_shape  {values = dense<[9, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
    %3 = tosa.const_shape  {values = dense<[1, 4, 1, 1, 1]> : tensor<5xindex>} : () -> !tosa.shape<5>
    %4 = tosa.const_shape  {values = dense<[1, 1, 9, 1, 1]> : tensor<5xindex>} : () -> !tosa.shape<5>
    %5 = tosa.const_shape  {values = dense<[1, 1, 1, 5, 1]> : tensor<5xindex>} : () -> !tosa.shape<5>
    %6 = tosa.const_shape  {values = dense<[1, 4, 9, 5, 1]> : tensor<5xindex>} : () -> !tosa.shape<5>
    %7 = tosa.const_shape  {values = dense<[1, 1, 9, 5, 1]> : tensor<5xindex>} : () -> !tosa.shape<5>
    %8 = tosa.const_shape  {values = dense<[1, 4, 1, 5, 1]> : tensor<5xindex>} : () -> !tosa.shape<5>
    %9 = tosa.const_shape  {values = dense<[1, 4, 9, 1, 1]> : tensor<5xindex>} : () -> !tosa.shape<5>
    %10 = tosa.const_shape  {values = dense<[1, 120, 1]> : tensor<3xindex>} : () -> !tosa.shape<3>
    %11 = tosa.const_shape  {values = dense<[180, 4]> : tensor<2xindex>} : () -> !tosa.shape<2>
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
    %23 = "tosa.const"() <{values = dense<5> : tensor<1xi32>}> : () -> tensor<1xi32>
    %cst_0 = arith.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi64>
    %24 = "tosa.const"() <{values = dense<0> : tensor<1x1x1x1x1xi32>}> : () -> tensor<1x1x1x1x1xi32>
    %25 = "tosa.const"() <{values = dense<0> : tensor<1x1x1xi32>}> : () -> tensor<1x1x1xi32>
    %26 = "tosa.const"() <{values = dense<4> : tensor<1x1x1xi32>}> : () -> tensor<1x1x1xi32>
    %27 = "tosa.const"() <{values = dense<0> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
    %28 = "tosa.const"() <{values = dense<6> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
    %29 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %30 = "tosa.const"() <{values = dense<[[120, 30, 5, 1]]> : tensor<1x4xi32>}> : () -> tensor<1x4xi32>
    %31 = "tosa.const"() <{values = dense<4> : tensor<1xi32>}> : () -> tensor<1xi32>
    %cst_1 = arith.constant dense<[[0], [1], [2], [3], [4], [5], [6], [7], [8]]> : tensor<9x1xi64>
    %32 = "tosa.const"() <{values = dense<9> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
    %33 = "tosa.const"() <{values = dense<[[180, 45, 5, 1]]> : tensor<1x4xi32>}> : () -> tensor<1x4xi32>
    %34 = tosa.abs %0 : (tensor<9xi64>) -> tensor<9xi64>
    %35 = tosa.cast %34 : (tensor<9xi64>) -> tensor<9xi32>
    %36 = tosa.sub %23, %35 : (tensor<1xi32>, tensor<9xi32>) -> tensor<9xi32>
    %37 = tosa.cast %36 : (tensor<9xi32>) -> tensor<9xi64>
    %38 = tosa.abs %37 : (tensor<9xi64>) -> tensor<9xi64>
    %39 = tosa.cast %38 : (tensor<9xi64>) -> tensor<9xi32>
    %40 = tosa.sub %23, %39 : (tensor<1xi32>, tensor<9xi32>) -> tensor<9xi32>
    %41 = tosa.cast %40 : (tensor<9xi32>) -> tensor<9xi64>
    %42 = tosa.reshape %41, %2 : (tensor<9xi64>, !tosa.shape<2>) -> tensor<9x1xi64>
    %43 = tosa.cast %cst : (tensor<4x1x1xi64>) -> tensor<4x1x1xi32>
    %44 = tosa.add %43, %26 : (tensor<4x1x1xi32>, tensor<1x1x1xi32>) -> tensor<4x1x1xi32>
    %45 = tosa.greater %25, %43 : (tensor<1x1x1xi32>, tensor<4x1x1xi32>) -> tensor<4x1x1xi1>
    %46 = tosa.select %45, %44, %43 : (tensor<4x1x1xi1>, tensor<4x1x1xi32>, tensor<4x1x1xi32>) -> tensor<4x1x1xi32>
    %47 = tosa.cast %42 : (tensor<9x1xi64>) -> tensor<9x1xi32>
    %48 = tosa.add %47, %28 : (tensor<9x1xi32>, tensor<1x1xi32>) -> tensor<9x1xi32>
    %49 = tosa.greater %27, %47 : (tensor<1x1xi32>, tensor<9x1xi32>) -> tensor<9x1xi1>
    %50 = tosa.select %49, %48, %47 : (tensor<9x1xi1>, tensor<9x1xi32>, tensor<9x1xi32>) -> tensor<9x1xi32>
    %51 = tosa.cast %cst_0 : (tensor<5xi64>) -> tensor<5xi32>
    %52 = tosa.add %51, %23 : (tensor<5xi32>, tensor<1xi32>) -> tensor<5xi32>
    %53 = tosa.greater %29, %51 : (tensor<1xi32>, tensor<5xi32>) -> tensor<5xi1>
    %54 = tosa.select %53, %52, %51 : (tensor<5xi1>, tensor<5xi32>, tensor<5xi32>) -> tensor<5xi32>
    %55 = tosa.reshape %46, %3 : (tensor<4x1x1xi32>, !tosa.shape<5>) -> tensor<1x4x1x1x1xi32>
    %56 = tosa.reshape %50, %4 : (tensor<9x1xi32>, !tosa.shape<5>) -> tensor<1x1x9x1x1xi32>
    %57 = tosa.reshape %54, %5 : (tensor<5xi32>, !tosa.shape<5>) -> tensor<1x1x1x5x1xi32>
    %58 = tosa.tile %24, %6 : (tensor<1x1x1x1x1xi32>, !tosa.shape<5>) -> tensor<1x4x9x5x1xi32>
    %59 = tosa.tile %55, %7 : (tensor<1x4x1x1x1xi32>, !tosa.shape<5>) -> tensor<1x4x9x5x1xi32>
    %60 = tosa.tile %56, %8 : (tensor<1x1x9x1x1xi32>, !tosa.shape<5>) -> tensor<1x4x9x5x1xi32>
    %61 = tosa.tile %57, %9 : (tensor<1x1x1x5x1xi32>, !tosa.shape<5>) -> tensor<1x4x9x5x1xi32>
    %62 = tosa.concat %58, %59, %60, %61 {axis = 4 : i32} : (tensor<1x4x9x5x1xi32>, tensor<1x4x9x5x1xi32>, tensor<1x4x9x5x1xi32>, tensor<1x4x9x5x1xi32>) -> tensor<1x4x9x5x4xi32>
    %63 = tosa.reshape %arg0, %10 : (tensor<1x4x6x5xf32>, !tosa.shape<3>) -> tensor<1x120x1xf32>
    %64 = tosa.reshape %62, %11 : (tensor<1x4x9x5x4xi32>, !tosa.shape<2>) -> tensor<180x4xi32>
    %65 = tosa.mul %64, %30, %1 : (tensor<180x4xi32>, tensor<1x4xi32>, tensor<1xi8>) -> tensor<180x4xi32>
    %66 = tosa.reduce_sum %65 {axis = 1 : i32} : (tensor<180x4xi32>) -> tensor<180x1xi32>
    %67 = tosa.reshape %66, %12 : (tensor<180x1xi32>, !tosa.shape<2>) -> tensor<1x180xi32>
    %68 = tosa.gather %63, %67 : (tensor<1x120x1xf32>, tensor<1x180xi32>) -> tensor<1x180x1xf32>
    %69 = tosa.abs %13 : (tensor<8xi64>) -> tensor<8xi64>
    %70 = tosa.cast %69 : (tensor<8xi64>) -> tensor<8xi32>
    %71 = tosa.sub %31, %70 : (tensor<1xi32>, tensor<8xi32>) -> tensor<8xi32>
    %72 = tosa.cast %71 : (tensor<8xi32>) -> tensor<8xi64>
    %73 = tosa.abs %72 : (tensor<8xi64>) -> tensor<8xi64>
    %74 = tosa.cast %73 : (tensor<8xi64>) -> tensor<8xi32>
    %75 = tosa.sub %31, %74 : (tensor<1xi32>, tensor<8xi32>) -> tensor<8xi32>
    %76 = tosa.cast %75 : (tensor<8xi32>) -> tensor<8xi64>
    %77 = tosa.cast %cst_1 : (tensor<9x1xi64>) -> tensor<9x1xi32>
    %78 = tosa.add %77, %32 : (tensor<9x1xi32>, tensor<1x1xi32>) -> tensor<9x1xi32>
    %79 = tosa.greater %27, %77 : (tensor<1x1xi32>, tensor<9x1xi32>) -> tensor<9x1xi1>
    %80 = tosa.select %79, %78, %77 : (tensor<9x1xi1>, tensor<9x1xi32>, tensor<9x1xi32>) -> tensor<9x1xi32>
    %81 = tosa.cast %76 : (tensor<8xi64>) -> tensor<8xi32>
    %82 = tosa.add %81, %23 : (tensor<8xi32>, tensor<1xi32>) -> tensor<8xi32>
    %83 = tosa.greater %29, %81 : (tensor<1xi32>, tensor<8xi32>) -> tensor<8xi1>
    %84 = tosa.select %83, %82, %81 : (tensor<8xi1>, tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
    %85 = tosa.reshape %80, %4 : (tensor<9x1xi32>, !tosa.shape<5>) -> tensor<1x1x9x1x1xi32>
    %86 = tosa.reshape %84, %14 : (tensor<8xi32>, !tosa.shape<5>) -> tensor<1x1x1x8x1xi32>
    %87 = tosa.tile %24, %15 : (tensor<1x1x1x1x1xi32>, !tosa.shape<5>) -> tensor<1x4x9x8x1xi32>
    %88 = tosa.tile %55, %16 : (tensor<1x4x1x1x1xi32>, !tosa.shape<5>) -> tensor<1x4x9x8x1xi32>
    %89 = tosa.tile %85, %17 : (tensor<1x1x9x1x1xi32>, !tosa.shape<5>) -> tensor<1x4x9x8x1xi32>
    %90 = tosa.tile %86, %9 : (tensor<1x1x1x8x1xi32>, !tosa.shape<5>) -> tensor<1x4x9x8x1xi32>
    %91 = tosa.concat %87, %88, %89, %90 {axis = 4 : i32} : (tensor<1x4x9x8x1xi32>, tensor<1x4x9x8x1xi32>, tensor<1x4x9x8x1xi32>, tensor<1x4x9x8x1xi32>) -> tensor<1x4x9x8x4xi32>
    %92 = tosa.reshape %91, %18 : (tensor<1x4x9x8x4xi32>, !tosa.shape<2>) -> tensor<288x4xi32>
    %93 = tosa.mul %92, %33, %1 : (tensor<288x4xi32>, tensor<1x4xi32>, tensor<1xi8>) -> tensor<288x4xi32>
    %94 = tosa.reduce_sum %93 {axis = 1 : i32} : (tensor<288x4xi32>) -> tensor<288x1xi32>
    %95 = tosa.reshape %94, %19 : (tensor<288x1xi32>, !tosa.shape<2>) -> tensor<1x288xi32>
    %96 = tosa.gather %68, %95 : (tensor<1x180x1xf32>, tensor<1x288xi32>) -> tensor<1x288x1xf32>
    %97 = tosa.reshape %96, %20 : (tensor<1x288x1xf32>, !tosa.shape<4>) -> tensor<1x4x9x8xf32>
    %98 = tosa.transpose %97 {perms = array<i32: 0, 2, 3, 1>} : (tensor<1x4x9x8xf32>) -> tensor<1x9x8x4xf32>
    %99 = tosa.transpose %arg1 {perms = array<i32: 0, 2, 3, 1>} : (tensor<2x4x3x3xf32>) -> tensor<2x3x3x4xf32>
    %100 = tosa.conv2d %98, %99, %22, %21, %21 {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x9x8x4xf32>, tensor<2x3x3x4xf32>, tensor<2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x7x6x2xf32>
    %101 = tosa.transpose %100 {perms = array<i32: 0, 3, 1, 2>} : (tensor<1x7x6x2xf32>) -> tensor<1x2x7x6xf32>
    return %101 : tensor<1x2x7x6xf32>
  }
}
