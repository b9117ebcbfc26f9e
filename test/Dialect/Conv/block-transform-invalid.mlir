// RUN: conv-opt %s --split-input-file --verify-diagnostics

func.func @b1_source_rank(%x: tensor<28x16xf32>) {
  // expected-error @below {{expects source of rank 3, but got 'tensor<28x16xf32>'}}
  %y = conv.block_transform %x
      from = <batch = [4], rows = [7], columns = [16], map = affine_map<(i, t, k) -> (i, t, k)>>
      matrices = [dense<1.0> : tensor<2x4xf32>]
      to = <batch = [2], rows = [7], columns = [16], map = affine_map<(i, t, k) -> (t * 2 + i, k)>>
      : tensor<28x16xf32> -> tensor<14x16xf32>
  return
}

// -----

func.func @b1_result_rank(%x: tensor<4x7x16xf32>) {
  // expected-error @below {{expects result of rank 2, but got 'tensor<1x14x16xf32>'}}
  %y = conv.block_transform %x
      from = <batch = [4], rows = [7], columns = [16], map = affine_map<(i, t, k) -> (i, t, k)>>
      matrices = [dense<1.0> : tensor<2x4xf32>]
      to = <batch = [2], rows = [7], columns = [16], map = affine_map<(i, t, k) -> (t * 2 + i, k)>>
      : tensor<4x7x16xf32> -> tensor<1x14x16xf32>
  return
}

// -----

func.func @b1_operand_rank(%x: tensor<4x7x16xf32>, %b: tensor<1x16xf32>) {
  // expected-error @below {{expects epilogue operand of rank 1, but got 'tensor<1x16xf32>'}}
  %y = conv.block_transform %x
      from = <batch = [4], rows = [7], columns = [16], map = affine_map<(i, t, k) -> (i, t, k)>>
      matrices = [dense<1.0> : tensor<2x4xf32>]
      to = <batch = [2], rows = [7], columns = [16], map = affine_map<(i, t, k) -> (t * 2 + i, k)>>
      epilogue(%b : tensor<1x16xf32>) {
      ^bb0(%sum: f32, %bias: f32):
        conv.yield %sum : f32
      } views = <batch = [2], rows = [7], columns = [16], map = affine_map<(i, t, k) -> (k)>>
      : tensor<4x7x16xf32> -> tensor<14x16xf32>
  return
}

// -----

func.func @b1_views(%x: tensor<4x7x16xf32>, %b: tensor<16xf32>) {
  // expected-error @below {{expects a view for each of 1 operands of the epilogue, but got 0}}
  %y = conv.block_transform %x
      from = <batch = [4], rows = [7], columns = [16], map = affine_map<(i, t, k) -> (i, t, k)>>
      matrices = [dense<1.0> : tensor<2x4xf32>]
      to = <batch = [2], rows = [7], columns = [16], map = affine_map<(i, t, k) -> (t * 2 + i, k)>>
      epilogue(%b : tensor<16xf32>) {
      ^bb0(%sum: f32, %bias: f32):
        conv.yield %sum : f32
      }
      : tensor<4x7x16xf32> -> tensor<14x16xf32>
  return
}

// -----

func.func @b2_element_type(%x: tensor<4x7x16xf32>) {
  // expected-error @below {{expects matrices of f32 with 1 to 8 rows and columns, but got dense<1.000000e+00> : tensor<2x4xf64>}}
  %y = conv.block_transform %x
      from = <batch = [4], rows = [7], columns = [16], map = affine_map<(i, t, k) -> (i, t, k)>>
      matrices = [dense<1.0> : tensor<2x4xf64>]
      to = <batch = [2], rows = [7], columns = [16], map = affine_map<(i, t, k) -> (t * 2 + i, k)>>
      : tensor<4x7x16xf32> -> tensor<14x16xf32>
  return
}

// -----

func.func @b2_too_large(%x: tensor<4x7x16xf32>) {
  // expected-error @below {{expects matrices of f32 with 1 to 8 rows and columns, but got dense<1.000000e+00> : tensor<9x4xf32>}}
  %y = conv.block_transform %x
      from = <batch = [4], rows = [7], columns = [16], map = affine_map<(i, t, k) -> (i, t, k)>>
      matrices = [dense<1.0> : tensor<9x4xf32>]
      to = <batch = [2], rows = [7], columns = [16], map = affine_map<(i, t, k) -> (t * 2 + i, k)>>
      : tensor<4x7x16xf32> -> tensor<14x16xf32>
  return
}

// -----

func.func @b2_from(%x: tensor<4x7x16xf32>) {
  // expected-error @below {{expects from to have blocks of [3], but got [4]}}
  %y = conv.block_transform %x
      from = <batch = [4], rows = [7], columns = [16], map = affine_map<(i, t, k) -> (i, t, k)>>
      matrices = [dense<1.0> : tensor<2x3xf32>]
      to = <batch = [2], rows = [7], columns = [16], map = affine_map<(i, t, k) -> (t * 2 + i, k)>>
      : tensor<4x7x16xf32> -> tensor<14x16xf32>
  return
}

// -----

func.func @b2_to(%x: tensor<4x7x16xf32>) {
  // expected-error @below {{expects to to have blocks of [3], but got [2]}}
  %y = conv.block_transform %x
      from = <batch = [4], rows = [7], columns = [16], map = affine_map<(i, t, k) -> (i, t, k)>>
      matrices = [dense<1.0> : tensor<3x4xf32>]
      to = <batch = [2], rows = [7], columns = [16], map = affine_map<(i, t, k) -> (t * 2 + i, k)>>
      : tensor<4x7x16xf32> -> tensor<14x16xf32>
  return
}

// -----

func.func @b2_dimensions(%x: tensor<4x7x16xf32>) {
  // expected-error @below {{expects from to have blocks of [4, 1], but got [4]}}
  %y = conv.block_transform %x
      from = <batch = [4], rows = [7], columns = [16], map = affine_map<(i, t, k) -> (i, t, k)>>
      matrices = [dense<1.0> : tensor<2x4xf32>, dense<1.0> : tensor<1x1xf32>]
      to = <batch = [2], rows = [7], columns = [16], map = affine_map<(i, t, k) -> (t * 2 + i, k)>>
      : tensor<4x7x16xf32> -> tensor<14x16xf32>
  return
}

// -----

func.func @b3_rows(%x: tensor<4x7x16xf32>) {
  // expected-error @below {{expects views of [7] rows and [16] columns, but got #conv.view<batch = [4], rows = [6], columns = [16]}}
  %y = conv.block_transform %x
      from = <batch = [4], rows = [6], columns = [16], map = affine_map<(i, t, k) -> (i, t, k)>>
      matrices = [dense<1.0> : tensor<2x4xf32>]
      to = <batch = [2], rows = [7], columns = [16], map = affine_map<(i, t, k) -> (t * 2 + i, k)>>
      : tensor<4x7x16xf32> -> tensor<14x16xf32>
  return
}

// -----

func.func @b4_element_type(%x: tensor<4x7x16xi8>) {
  // expected-error @below {{expects elements of f32, f16 or bf16, but got 'i8'}}
  %y = conv.block_transform %x
      from = <batch = [4], rows = [7], columns = [16], map = affine_map<(i, t, k) -> (i, t, k)>>
      matrices = [dense<1.0> : tensor<2x4xf32>]
      to = <batch = [2], rows = [7], columns = [16], map = affine_map<(i, t, k) -> (t * 2 + i, k)>>
      : tensor<4x7x16xi8> -> tensor<14x16xf32>
  return
}

// -----

func.func @b4_padding(%x: tensor<4x7x16xf32>) {
  // expected-error @below {{expects padding of zeros, but got #conv.view}}
  %y = conv.block_transform %x
      from = <batch = [4], rows = [7], columns = [16], map = affine_map<(i, t, k) -> (i, t + 1, k)>, padding = replicate>
      matrices = [dense<1.0> : tensor<2x4xf32>]
      to = <batch = [2], rows = [7], columns = [16], map = affine_map<(i, t, k) -> (t * 2 + i, k)>>
      : tensor<4x7x16xf32> -> tensor<14x16xf32>
  return
}

// -----

func.func @b5_yield(%x: tensor<4x7x16xf32>) {
  // expected-error @below {{expects the epilogue to yield 'f32', but got 'f16'}}
  %y = conv.block_transform %x
      from = <batch = [4], rows = [7], columns = [16], map = affine_map<(i, t, k) -> (i, t, k)>>
      matrices = [dense<1.0> : tensor<2x4xf32>]
      to = <batch = [2], rows = [7], columns = [16], map = affine_map<(i, t, k) -> (t * 2 + i, k)>>
      epilogue() {
      ^bb0(%sum: f32):
        %0 = arith.truncf %sum : f32 to f16
        conv.yield %0 : f16
      }
      : tensor<4x7x16xf32> -> tensor<14x16xf32>
  return
}

// -----

func.func @b5_arguments(%x: tensor<4x7x16xf32>) {
  // expected-error @below {{expects the epilogue's arguments to be ('f32'), but got ('f16')}}
  %y = conv.block_transform %x
      from = <batch = [4], rows = [7], columns = [16], map = affine_map<(i, t, k) -> (i, t, k)>>
      matrices = [dense<1.0> : tensor<2x4xf32>]
      to = <batch = [2], rows = [7], columns = [16], map = affine_map<(i, t, k) -> (t * 2 + i, k)>>
      epilogue() {
      ^bb0(%sum: f16):
        %0 = arith.extf %sum : f16 to f32
        conv.yield %0 : f32
      }
      : tensor<4x7x16xf32> -> tensor<14x16xf32>
  return
}

// -----

// The second place of the last block is O3's.
func.func @b6_outside(%x: tensor<4x7x16xf32>) {
  // expected-error @below {{expects coordinate 0 to be from 0 to 12, but got 1 to 13}}
  %y = conv.block_transform %x
      from = <batch = [4], rows = [7], columns = [16], map = affine_map<(i, t, k) -> (i, t, k)>>
      matrices = [dense<1.0> : tensor<2x4xf32>]
      to = <batch = [2], rows = [7], columns = [16], map = affine_map<(i, t, k) -> (t * 2 + i, k)>>
      : tensor<4x7x16xf32> -> tensor<13x16xf32>
  return
}

// -----

// Both places are written to one element (O5).
func.func @b6_same_place(%x: tensor<4x7x16xf32>) {
  // expected-error @below {{expects places of different elements, but got #conv.view}}
  %y = conv.block_transform %x
      from = <batch = [4], rows = [7], columns = [16], map = affine_map<(i, t, k) -> (i, t, k)>>
      matrices = [dense<1.0> : tensor<2x4xf32>]
      to = <batch = [2], rows = [7], columns = [16], map = affine_map<(i, t, k) -> (t * 2, k)>>
      : tensor<4x7x16xf32> -> tensor<14x16xf32>
  return
}
