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

// expected-error @below {{expects conv.name and conv.strides as the only attributes of arguments and results, but got "conv.nmae"}}
func.func @name_misspelled(%x: tensor<8xf32> {conv.nmae = "a"}) {
  return
}
