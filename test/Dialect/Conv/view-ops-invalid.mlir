// RUN: conv-opt %s --split-input-file --verify-diagnostics

#rows = #conv.view<batch = [1], rows = [4], columns = [8], map = affine_map<(g, m, k) -> (m, k)>>
func.func @gather_i1_dynamic(%x: tensor<4x?xf32>, %i: index) {
  // expected-error @below {{expects a static source of rank 2, but got 'tensor<4x?xf32>'}}
  %a = conv.gather %x[%i, %i, %i] view = #rows : tensor<4x?xf32> -> tensor<1x4x8xf32>
  return
}

// -----

#rows = #conv.view<batch = [1], rows = [4], columns = [8], map = affine_map<(g, m, k) -> (m, k)>>
func.func @gather_i1_rank(%x: tensor<1x4x8xf32>, %i: index) {
  // expected-error @below {{expects a static source of rank 2, but got 'tensor<1x4x8xf32>'}}
  %a = conv.gather %x[%i, %i, %i] view = #rows : tensor<1x4x8xf32> -> tensor<1x4x8xf32>
  return
}

// -----

// A condition is no dimension of the tensor.
#rows = #conv.view<batch = [1], rows = [4], columns = [8], map = affine_map<(g, m, k) -> (m, k, m)>, limits = [2]>
func.func @gather_i1_condition(%x: tensor<4x8x4xf32>, %i: index) {
  // expected-error @below {{expects a static source of rank 2, but got 'tensor<4x8x4xf32>'}}
  %a = conv.gather %x[%i, %i, %i] view = #rows : tensor<4x8x4xf32> -> tensor<1x4x8xf32>
  return
}

// -----

#rows = #conv.view<batch = [1], rows = [4], columns = [8], map = affine_map<(g, m, k) -> (m, k)>>
func.func @gather_i2_element_type(%x: tensor<4x8xf32>, %i: index) {
  // expected-error @below {{expects the element type of the source, 'f32', but got 'f16'}}
  %a = conv.gather %x[%i, %i, %i] view = #rows : tensor<4x8xf32> -> tensor<1x4x8xf16>
  return
}

// -----

#rows = #conv.view<batch = [1], rows = [2, 2], columns = [8], map = affine_map<(g, m0, m1, k) -> (m0 * 2 + m1, k)>>
func.func @gather_i3_larger_than_view(%x: tensor<4x8xf32>, %i: index) {
  // expected-error @below {{expects dimension 1 of the result to be at most 4, but got 5}}
  %a = conv.gather %x[%i, %i, %i] view = #rows : tensor<4x8xf32> -> tensor<1x5x8xf32>
  return
}

// -----

#rows = #conv.view<batch = [1], rows = [4], columns = [8], map = affine_map<(g, m, k) -> (m, k)>>
func.func @gather_i4_sizes(%x: tensor<4x8xf32>, %i: index) {
  // expected-error @below {{expects 2 sizes of dynamic dimensions, but got 1}}
  %a = conv.gather %x[%i, %i, %i] sizes(%i) view = #rows : tensor<4x8xf32> -> tensor<1x?x?xf32>
  return
}

// -----

#rows = #conv.view<batch = [1], rows = [4], columns = [8], map = affine_map<(g, m, k) -> (m, k)>>
func.func @gather_i4_size_of_static_dimension(%x: tensor<4x8xf32>, %i: index) {
  // expected-error @below {{expects 0 sizes of dynamic dimensions, but got 1}}
  %a = conv.gather %x[%i, %i, %i] sizes(%i) view = #rows : tensor<4x8xf32> -> tensor<1x4x8xf32>
  return
}

// -----

#rows = #conv.view<batch = [1], rows = [4], columns = [8], map = affine_map<(g, m, k) -> (m, k)>>
func.func @scatter_o1_dynamic(%t: tensor<1x4x8xf32>, %y: tensor<?x8xf32>) {
  // expected-error @below {{expects a static destination of rank 2, but got 'tensor<?x8xf32>'}}
  %r = conv.scatter %t into %y view = #rows : tensor<1x4x8xf32> into tensor<?x8xf32>
  return
}

// -----

#rows = #conv.view<batch = [1], rows = [4], columns = [8], map = affine_map<(g, m, k) -> (m, k)>>
func.func @scatter_o1_rank(%t: tensor<1x4x8xf32>, %y: tensor<32xf32>) {
  // expected-error @below {{expects a static destination of rank 2, but got 'tensor<32xf32>'}}
  %r = conv.scatter %t into %y view = #rows : tensor<1x4x8xf32> into tensor<32xf32>
  return
}

// -----

#rows = #conv.view<batch = [1], rows = [4], columns = [8], map = affine_map<(g, m, k) -> (m, k)>>
func.func @scatter_o2_element_type(%t: tensor<1x4x8xf32>, %y: tensor<4x8xf16>) {
  // expected-error @below {{expects matrices of type 'tensor<1x4x8xf16>', but got 'tensor<1x4x8xf32>'}}
  %r = conv.scatter %t into %y view = #rows : tensor<1x4x8xf32> into tensor<4x8xf16>
  return
}

// -----

#rows = #conv.view<batch = [1], rows = [4], columns = [8], map = affine_map<(g, m, k) -> (m, k)>>
func.func @scatter_o2_part(%t: tensor<1x4x7xf32>, %y: tensor<4x8xf32>) {
  // expected-error @below {{expects matrices of type 'tensor<1x4x8xf32>', but got 'tensor<1x4x7xf32>'}}
  %r = conv.scatter %t into %y view = #rows : tensor<1x4x7xf32> into tensor<4x8xf32>
  return
}

// -----

#shifted = #conv.view<batch = [1], rows = [4], columns = [8], map = affine_map<(g, m, k) -> (m, k + 1)>>
func.func @scatter_o3_above(%t: tensor<1x4x8xf32>, %y: tensor<4x8xf32>) {
  // expected-error @below {{expects coordinate 1 to be from 0 to 7, but got 1 to 8}}
  %r = conv.scatter %t into %y view = #shifted : tensor<1x4x8xf32> into tensor<4x8xf32>
  return
}

// -----

#mirrored = #conv.view<batch = [1], rows = [4], columns = [8], map = affine_map<(g, m, k) -> (2 - m, k)>>
func.func @scatter_o3_below(%t: tensor<1x4x8xf32>, %y: tensor<4x8xf32>) {
  // expected-error @below {{expects coordinate 0 to be from 0 to 3, but got -1 to 2}}
  %r = conv.scatter %t into %y view = #mirrored : tensor<1x4x8xf32> into tensor<4x8xf32>
  return
}

// -----

// Rows 6 and 7 are twice the condition, which allows for 7.
#excluded = #conv.view<batch = [1], rows = [8], columns = [8], map = affine_map<(g, m, k) -> (m * 2, k, m)>, limits = [7]>
func.func @scatter_o3_condition(%t: tensor<1x8x8xf32>, %y: tensor<12x8xf32>) {
  // expected-error @below {{expects coordinate 0 to be from 0 to 11, but got 0 to 12}}
  %r = conv.scatter %t into %y view = #excluded : tensor<1x8x8xf32> into tensor<12x8xf32>
  return
}

// -----

// All rows are one.
#same = #conv.view<batch = [1], rows = [4], columns = [8], map = affine_map<(g, m, k) -> (0, k)>>
func.func @scatter_o4_broadcast(%t: tensor<1x4x8xf32>, %y: tensor<4x8xf32>) {
  // expected-error @below {{expects elements of different places, but got}}
  %r = conv.scatter %t into %y view = #same : tensor<1x4x8xf32> into tensor<4x8xf32>
  return
}

// -----

// Windows overlap: row 0 and column 1 are row 1 and column 0.
#windows = #conv.view<batch = [1], rows = [4], columns = [3], map = affine_map<(g, p, r) -> (p + r)>>
func.func @scatter_o4_overlap(%t: tensor<1x4x3xf32>, %y: tensor<6xf32>) {
  // expected-error @below {{expects elements of different places, but got}}
  %r = conv.scatter %t into %y view = #windows : tensor<1x4x3xf32> into tensor<6xf32>
  return
}

// -----

// Distances of 1 and 2 with 3 columns: the third column is the next row's first.
#reach = #conv.view<batch = [1], rows = [2], columns = [3], map = affine_map<(g, m, k) -> (m * 2 + k)>>
func.func @scatter_o4_reach(%t: tensor<1x2x3xf32>, %y: tensor<5xf32>) {
  // expected-error @below {{expects elements of different places, but got}}
  %r = conv.scatter %t into %y view = #reach : tensor<1x2x3xf32> into tensor<5xf32>
  return
}

// -----

#rows = #conv.view<batch = [1], rows = [4], columns = [8], map = affine_map<(g, m, k) -> (m, k)>>
func.func @scatter_o1_views(%t: tensor<1x4x8xf32>, %y: tensor<4x8xf32>) {
  // expected-error @below {{expects a view for each of 2 matrices, but got 1}}
  %r = conv.scatter %t, %t into %y view = #rows : tensor<1x4x8xf32>, tensor<1x4x8xf32> into tensor<4x8xf32>
  return
}

// -----

// Every third row is an even one, too.
#even = #conv.view<batch = [1], rows = [4], columns = [8], map = affine_map<(g, m, k) -> (m * 2, k)>>
#third = #conv.view<batch = [1], rows = [3], columns = [8], map = affine_map<(g, m, k) -> (m * 3 + 1, k)>>
func.func @scatter_o5(%t: tensor<1x4x8xf32>, %u: tensor<1x3x8xf32>, %y: tensor<8x8xf32>) {
  // expected-error @below {{expects views of different elements, but got}}
  %r = conv.scatter %t, %u into %y view = #even, #third : tensor<1x4x8xf32>, tensor<1x3x8xf32> into tensor<8x8xf32>
  return
}
