// RUN: conv-opt %s --verify-roundtrip | FileCheck %s

// All matrices of a view: the windows of a padded convolution.
// CHECK-LABEL: @gather_all
// CHECK-SAME:    %[[X:[^:]+]]: tensor<2x8x8x6xf16>, %[[ZERO:[^:]+]]: index
// CHECK:         conv.gather %[[X]][%[[ZERO]], %[[ZERO]], %[[ZERO]]]
// CHECK-SAME:      view = <batch = [2], rows = [2, 8, 8], columns = [3, 3, 3], map = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d2 + d4 - 1, d3 + d5 - 1, d0 * 3 + d6)>>
// CHECK-SAME:      : tensor<2x8x8x6xf16> -> tensor<2x128x27xf16>
func.func @gather_all(%x: tensor<2x8x8x6xf16>, %zero: index) -> tensor<2x128x27xf16> {
  %a = conv.gather %x[%zero, %zero, %zero]
      view = <batch = [2], rows = [2, 8, 8], columns = [3, 3, 3],
        map = affine_map<(g, n, p, q, r, s, c) -> (n, p + r - 1, q + s - 1, g * 3 + c)>>
      : tensor<2x8x8x6xf16> -> tensor<2x128x27xf16>
  return %a : tensor<2x128x27xf16>
}

// A tile with sizes that are not known, of a filter in another order.
// CHECK-LABEL: @gather_tile
// CHECK-SAME:    %[[W:[^:]+]]: tensor<3x3x16x32xf32>, %[[G:[^:]+]]: index, %[[N:[^:]+]]: index, %[[K:[^:]+]]: index, %[[ROWS:[^:]+]]: index, %[[COLUMNS:[^:]+]]: index
// CHECK:         conv.gather %[[W]][%[[G]], %[[N]], %[[K]]] sizes(%[[ROWS]], %[[COLUMNS]]) view =
// CHECK-SAME:      {note = "kept"} : tensor<3x3x16x32xf32> -> tensor<1x?x?xf32>
func.func @gather_tile(%w: tensor<3x3x16x32xf32>, %g: index, %n: index, %k: index, %rows: index, %columns: index)
    -> tensor<1x?x?xf32> {
  %b = conv.gather %w[%g, %n, %k] sizes(%rows, %columns)
      view = <batch = [1], rows = [32], columns = [3, 3, 16],
        map = affine_map<(g, k, r, s, c) -> (r, s, c, g * 32 + k)>> {note = "kept"}
      : tensor<3x3x16x32xf32> -> tensor<1x?x?xf32>
  return %b : tensor<1x?x?xf32>
}

// An index space without digits has one value: a scalar of each channel, for
// all rows.
// CHECK-LABEL: @gather_without_digits
// CHECK:         view = <batch = [], rows = [], columns = [32], map = affine_map<(d0) -> (d0)>>
func.func @gather_without_digits(%bias: tensor<32xbf16>, %zero: index) -> tensor<1x1x32xbf16> {
  %b = conv.gather %bias[%zero, %zero, %zero]
      view = <batch = [], rows = [], columns = [32], map = affine_map<(k) -> (k)>>
      : tensor<32xbf16> -> tensor<1x1x32xbf16>
  return %b : tensor<1x1x32xbf16>
}

// Blocks of four rows, of which a condition excludes those that the image has not got.
// CHECK-LABEL: @scatter_of_blocks
// CHECK:         conv.scatter {{.*}} limits = [6]
func.func @scatter_of_blocks(%tiles: tensor<1x8x3xf32>, %y: tensor<6x6xf32>) -> tensor<6x6xf32> {
  %r = conv.scatter %tiles into %y
      view = <batch = [1], rows = [2, 4], columns = [3],
        map = affine_map<(g, b, p, k) -> (b * 4 + p, k * 2 + 1, b * 4 + p)>, limits = [6]>
      : tensor<1x8x3xf32> into tensor<6x6xf32>
  return %r : tensor<6x6xf32>
}

// The odd columns of an image, backwards: a view need not cover the tensor.
// CHECK-LABEL: @scatter
// CHECK-SAME:    %[[TILES:[^:]+]]: tensor<2x24x3xf32>, %[[Y:[^:]+]]: tensor<1x6x4x8xf32>
// CHECK:         conv.scatter %[[TILES]] into %[[Y]]
// CHECK-SAME:      view = <batch = [2], rows = [1, 6, 4], columns = [3], map = affine_map<(d0, d1, d2, d3, d4) -> (d1, d0 * 3 + d4, -d3 + 3, {{.*}})>>
// CHECK-SAME:      : tensor<2x24x3xf32> into tensor<1x6x4x8xf32>
func.func @scatter(%tiles: tensor<2x24x3xf32>, %y: tensor<1x6x4x8xf32>) -> tensor<1x6x4x8xf32> {
  %r = conv.scatter %tiles into %y
      view = <batch = [2], rows = [1, 6, 4], columns = [3],
        map = affine_map<(g, n, p, q, k) -> (n, g * 3 + k, 3 - q, p + 1)>>
      : tensor<2x24x3xf32> into tensor<1x6x4x8xf32>
  return %r : tensor<1x6x4x8xf32>
}

// Elements of several matrices: even rows, odd ones, and those after both.
// CHECK-LABEL: @scatter_several
// CHECK:         conv.scatter %{{.+}}, %{{.+}}, %{{.+}} into %{{.+}} view = <batch = [1], rows = [2], {{.*}} (d1 * 2, d2)>>,
// CHECK-SAME:      <batch = [1], rows = [2], {{.*}} (d1 * 2 + 1, d2)>>, <batch = [1], rows = [3], {{.*}} (d1 + 4, d2)>>
// CHECK-SAME:      : tensor<1x2x8xf32>, tensor<1x2x8xf32>, tensor<1x3x8xf32> into tensor<7x8xf32>
func.func @scatter_several(%even: tensor<1x2x8xf32>, %odd: tensor<1x2x8xf32>, %rest: tensor<1x3x8xf32>,
                           %y: tensor<7x8xf32>) -> tensor<7x8xf32> {
  %r = conv.scatter %even, %odd, %rest into %y
      view = <batch = [1], rows = [2], columns = [8], map = affine_map<(g, m, k) -> (m * 2, k)>>,
        <batch = [1], rows = [2], columns = [8], map = affine_map<(g, m, k) -> (m * 2 + 1, k)>>,
        <batch = [1], rows = [3], columns = [8], map = affine_map<(g, m, k) -> (m + 4, k)>>
      : tensor<1x2x8xf32>, tensor<1x2x8xf32>, tensor<1x3x8xf32> into tensor<7x8xf32>
  return %r : tensor<7x8xf32>
}
