// RUN: conv-opt %s --conv-check-supported --split-input-file --verify-diagnostics

#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#layouts = #conv.layouts<"NHWC", "KRSC", "NPQK">

// Rows with gaps between them, an order of its own, and a result with gaps.
func.func @accepted(%x: tensor<1x4x4x8xf16> {conv.strides = array<i64: 640, 160, 16, 1>},
                    %w: tensor<8x1x1x8xf16> {conv.strides = array<i64: 1, 8, 8, 8>})
    -> (tensor<1x4x4x8xf16> {conv.strides = array<i64: 1, 256, 32, 2>}) {
  %y = conv.forward %x, %w window = #window layouts = #layouts : tensor<1x4x4x8xf16>, tensor<8x1x1x8xf16> -> tensor<1x4x4x8xf16>
  return %y : tensor<1x4x4x8xf16>
}

// -----

// N3: an entry for each dimension.
// expected-error @below {{expects conv.strides of argument 0 to be one positive stride for each dimension of a tensor of numbers, but got array<i64: 8, 1> for 'tensor<2x3x4xf16>'}}
func.func @n3_rank(%x: tensor<2x3x4xf16> {conv.strides = array<i64: 8, 1>}) {
  return
}

// -----

// N3: positive.
// expected-error @below {{expects conv.strides of argument 0 to be one positive stride for each dimension of a tensor of numbers, but got array<i64: 0, 1> for 'tensor<2x3xf16>'}}
func.func @n3_zero(%x: tensor<2x3xf16> {conv.strides = array<i64: 0, 1>}) {
  return
}

// -----

// N3: elements that have a size.
// expected-error @below {{expects conv.strides of argument 0 to be one positive stride for each dimension of a tensor of numbers, but got array<i64: 32, 1> for 'tensor<8x16xindex>'}}
func.func @n3_index(%x: tensor<8x16xindex> {conv.strides = array<i64: 32, 1>}) {
  return
}

// -----

// N3: fewer than 2^63 bytes.
// expected-error @below {{expects conv.strides of argument 0 to be fewer than 2^63 bytes apart, but got array<i64: 4611686018427387904, 1>}}
func.func @n3_bytes(%x: tensor<2x3xf16> {conv.strides = array<i64: 4611686018427387904, 1>}) {
  return
}

// -----

// N4: a row of 3 elements reaches the next.
// expected-error @below {{expects conv.strides of result 0 to be strides of elements that do not overlap, but got array<i64: 2, 1> for 'tensor<2x3xf16>'}}
func.func private @n4() -> (tensor<2x3xf16> {conv.strides = array<i64: 2, 1>})

// -----

#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#layouts = #conv.layouts<"NHWC", "KRSC", "NPQK">

// N5: an argument.
func.func @n5_argument(%x: tensor<16x8xf16> {conv.strides = array<i64: 16, 1>}, %w: tensor<8x1x1x8xf16>) -> tensor<1x4x4x8xf16> {
  // expected-error @below {{unsupported (layout): expects a tensor without gaps where it is reshaped, but got conv.strides = array<i64: 16, 1>}}
  %image = tensor.expand_shape %x [[0, 1, 2], [3]] output_shape [1, 4, 4, 8] : tensor<16x8xf16> into tensor<1x4x4x8xf16>
  %y = conv.forward %image, %w window = #window layouts = #layouts : tensor<1x4x4x8xf16>, tensor<8x1x1x8xf16> -> tensor<1x4x4x8xf16>
  return %y : tensor<1x4x4x8xf16>
}

// -----

#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#layouts = #conv.layouts<"NHWC", "KRSC", "NPQK">

// N5: a result.
func.func @n5_result(%x: tensor<1x4x4x8xf16>, %w: tensor<8x1x1x8xf16>) -> (tensor<16x8xf16> {conv.strides = array<i64: 16, 1>}) {
  %y = conv.forward %x, %w window = #window layouts = #layouts : tensor<1x4x4x8xf16>, tensor<8x1x1x8xf16> -> tensor<1x4x4x8xf16>
  %rows = tensor.collapse_shape %y [[0, 1, 2], [3]] : tensor<1x4x4x8xf16> into tensor<16x8xf16>
  // expected-error @below {{unsupported (layout): expects a tensor without gaps where it is reshaped, but got conv.strides = array<i64: 16, 1>}}
  return %rows : tensor<16x8xf16>
}
