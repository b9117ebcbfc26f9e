// RUN: conv-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{expects conv.name of argument 0 to be a string, but got 3 : i64}}
func.func @name_n1_no_string(%x: tensor<8xf32> {conv.name = 3}) {
  return
}

// -----

// expected-error @below {{expects conv.name of argument 0 to be 1 to 4096 bytes long, but got 0}}
func.func @name_n1_empty(%x: tensor<8xf32> {conv.name = ""}) {
  return
}

// -----

// expected-error @below {{expects conv.name of argument 0 to be UTF-8 without control characters, but got "a\1B"}}
func.func @name_n1_control_character(%x: tensor<8xf32> {conv.name = "a\1B"}) {
  return
}

// -----

// expected-error @below {{expects conv.name of result 0 to be UTF-8 without control characters, but got "a\FF"}}
func.func @name_n1_no_utf8(%x: tensor<8xf32>) -> (tensor<8xf32> {conv.name = "a\FF"}) {
  return %x : tensor<8xf32>
}

// -----

func.func @name_n2_twice(
    // expected-note @below {{the first is here}}
    %x: tensor<8xf32> {conv.name = "a"}, %y: tensor<8xf32> {conv.name = "b"},
    // expected-error @below {{expects conv.name of argument 2 to be a name of its own, but got "a" of argument 0 again}}
    %z: tensor<8xf32> {conv.name = "a"}) {
  return
}

// -----

// expected-error @below {{expects conv.name of result 0 to be a name of its own, but got "a" of argument 0 again}}
// expected-note @below {{the first is here}}
func.func @name_n2_result(%x: tensor<8xf32> {conv.name = "a"})
    -> (tensor<8xf32> {conv.name = "a"}) {
  return %x : tensor<8xf32>
}

// -----

// expected-error @below {{expects conv.name, conv.strides, conv.constant, conv.in_place, conv.prepack, conv.packed_by as the only attributes of argument 0, but got "conv.nmae"}}
func.func @name_misspelled(%x: tensor<8xf32> {conv.nmae = "a"}) {
  return
}

// -----

// Only arguments are constants, updated in place or packed.
// expected-error @below {{expects conv.name, conv.strides as the only attributes of result 0, but got "conv.prepack"}}
func.func @prepack_of_result(%x: tensor<8xf32>) -> (tensor<8xf32> {conv.prepack}) {
  return %x : tensor<8xf32>
}

// -----

// expected-error @below {{expects conv.prepack of argument 0 to be without a value, on a tensor that callers pass and that is only read, but got 1 : i64 on 'tensor<8xf32>'}}
func.func @prepack_n9_value(%x: tensor<8xf32> {conv.prepack = 1}) {
  return
}

// -----

// expected-error @below {{expects conv.prepack of argument 0 to be without a value, on a tensor that callers pass and that is only read, but got unit on 'tensor<2xf32>'}}
func.func @prepack_n9_constant(%x: tensor<2xf32> {conv.constant = dense<1.0> : tensor<2xf32>, conv.prepack}) {
  return
}

// -----

// expected-error @below {{expects conv.packed_by of argument 0 to be the name of a function, but got "f"}}
func.func @packed_n10_text(%x: tensor<8xf32> {conv.packed_by = "f"}) {
  return
}

// -----

// expected-error @below {{expects conv.constant of argument 0 to be elements of type 'tensor<2xf32>' or a digest of 64 hex digits, but got elements of type 'tensor<3xf32>'}}
func.func @constant_n6_type(%x: tensor<2xf32> {conv.constant = dense<1.0> : tensor<3xf32>}) {
  return
}

// -----

// expected-error @below {{expects conv.constant of argument 0 to be elements of type 'tensor<2xf32>' or a digest of 64 hex digits, but got another attribute}}
func.func @constant_n6_digest(%x: tensor<2xf32> {conv.constant = "FCD715DA3F993D7A7F26F0C7E8197B46B33CA29763418D36260067CAC055B15C"}) {
  return
}
