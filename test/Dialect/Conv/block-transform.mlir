// RUN: conv-opt %s --verify-roundtrip | FileCheck %s

// The picture in the op's description: results of F(2, 3), with a bias.
// CHECK-LABEL: @with_epilogue
// CHECK:         conv.block_transform %{{.+}} from = <batch = [4], rows = [1, 7], columns = [16], map = affine_map<(d0, d1, d2, d3) -> (d0, d1 * 7 + d2, d3)>>
// CHECK-SAME:      matrices = [dense<{{.*}}> : tensor<2x4xf32>]
// CHECK-SAME:      to = <batch = [2], rows = [1, 7], columns = [16], map = affine_map<(d0, d1, d2, d3) -> (d1, d2 * 2 + d0, d3)>>
// CHECK-SAME:      epilogue(%{{.+}} : tensor<16xf32>) {
// CHECK:             arith.addf
// CHECK:         } views = <batch = [2], rows = [1, 7], columns = [16], map = affine_map<(d0, d1, d2, d3) -> (d3)>> : tensor<4x7x16xf32> -> tensor<1x14x16xf32>
func.func @with_epilogue(%m: tensor<4x7x16xf32>, %bias: tensor<16xf32>) -> tensor<1x14x16xf32> {
  %y = conv.block_transform %m
      from = <batch = [4], rows = [1, 7], columns = [16],
        map = affine_map<(i, n, t, k) -> (i, n * 7 + t, k)>>
      matrices = [dense<[[1.0, 1.0, 1.0, 0.0], [0.0, 1.0, -1.0, 1.0]]> : tensor<2x4xf32>]
      to = <batch = [2], rows = [1, 7], columns = [16],
        map = affine_map<(i, n, t, k) -> (n, t * 2 + i, k)>>
      epilogue(%bias : tensor<16xf32>) {
      ^bb0(%sum: f32, %b: f32):
        %out = arith.addf %sum, %b : f32
        conv.yield %out : f32
      } views = <batch = [2], rows = [1, 7], columns = [16],
        map = affine_map<(i, n, t, k) -> (k)>>
      : tensor<4x7x16xf32> -> tensor<1x14x16xf32>
  return %y : tensor<1x14x16xf32>
}

// Two dimensions, and a result that the last block is longer than.
// CHECK-LABEL: @with_limits
// CHECK:         matrices = [dense<1.000000e+00> : tensor<2x1xf32>, dense<2.000000e+00> : tensor<3x2xf32>]
// CHECK-SAME:    limits = [5]> {note = "kept"} : tensor<1x2x4xf16> -> tensor<2x5x4xbf16>
func.func @with_limits(%x: tensor<1x2x4xf16>) -> tensor<2x5x4xbf16> {
  %y = conv.block_transform %x
      from = <batch = [1, 2], rows = [2], columns = [4], map = affine_map<(i, j, t, c) -> (i, j, c)>>
      matrices = [dense<1.0> : tensor<2x1xf32>, dense<2.0> : tensor<3x2xf32>]
      to = <batch = [2, 3], rows = [2], columns = [4],
        map = affine_map<(i, j, t, c) -> (i, t * 3 + j, c, t * 3 + j)>, limits = [5]>
      {note = "kept"} : tensor<1x2x4xf16> -> tensor<2x5x4xbf16>
  return %y : tensor<2x5x4xbf16>
}
