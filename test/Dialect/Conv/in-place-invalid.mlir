// RUN: conv-opt %s --split-input-file --verify-diagnostics

// A result has a number.
// expected-error @below {{expects conv.in_place of argument 0 to be the number of one of 1 results, but got 1 : i64}}
func.func @n7_number(%s: tensor<2x8x3xf16> {conv.in_place = 1}) -> tensor<2x8x3xf16> {
  return %s : tensor<2x8x3xf16>
}

// -----

// It is one of 64 bits.
// expected-error @below {{expects conv.in_place of argument 0 to be the number of one of 1 results, but got 0 : i32}}
func.func @n7_integer(%s: tensor<2x8x3xf16> {conv.in_place = 0 : i32}) -> tensor<2x8x3xf16> {
  return %s : tensor<2x8x3xf16>
}

// -----

// A buffer holds one type.
// expected-error @below {{expects conv.in_place of argument 1 to be a result of its type 'tensor<2x8x4xf16>', but got 'tensor<2x8x3xf16>'}}
func.func @n7_type(%s: tensor<2x8x3xf16>, %t: tensor<2x8x4xf16> {conv.in_place = 0}) -> tensor<2x8x3xf16> {
  return %s : tensor<2x8x3xf16>
}

// -----

// The argument has the name.
// expected-error @below {{expects conv.in_place of argument 0 to be a result without attributes, but got some on result 0}}
func.func @n7_attributes(%s: tensor<2x8x3xf16> {conv.in_place = 0}) -> (tensor<2x8x3xf16> {conv.name = "state"}) {
  return %s : tensor<2x8x3xf16>
}

// -----

// A result is in one place.
// expected-error @below {{expects conv.in_place of argument 1 to be a result of no other argument, but got 0 of argument 0 again}}
func.func @n7_again(%s: tensor<2x8x3xf16> {conv.in_place = 0}, %t: tensor<2x8x3xf16> {conv.in_place = 0}) -> tensor<2x8x3xf16> {
  return %s : tensor<2x8x3xf16>
}
