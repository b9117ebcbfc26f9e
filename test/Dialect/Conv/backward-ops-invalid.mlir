// RUN: conv-opt %s --split-input-file --verify-diagnostics

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#nhwc = #conv.layouts<"NHWC", "KRSC", "NPQK">
func.func @backward_data_c1_dynamic(%dy: tensor<1x?x8x8xf32>, %w: tensor<8x1x1x4xf32>) {
  // expected-error @below {{expects a static grad_output, but got 'tensor<1x?x8x8xf32>'}}
  %r = conv.backward_data %dy, %w window = #unit layouts = #nhwc
      : tensor<1x?x8x8xf32>, tensor<8x1x1x4xf32> -> tensor<1x8x8x4xf32>
  return
}

// -----

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#nhwc = #conv.layouts<"NHWC", "KRSC", "NPQK">
func.func @backward_weight_c1_rank(%x: tensor<1x8x8x4xf32>, %dy: tensor<1x8x8x8xf32>) {
  // expected-error @below {{expects grad_filter of rank 4 for the order "KRSC", but got 'tensor<8x1x4xf32>'}}
  %r = conv.backward_weight %x, %dy window = #unit layouts = #nhwc
      : tensor<1x8x8x4xf32>, tensor<1x8x8x8xf32> -> tensor<8x1x4xf32>
  return
}

// -----

#line = #conv.window<strides = [1], dilations = [1], low = [0], high = [0]>
#nhwc = #conv.layouts<"NHWC", "KRSC", "NPQK">
func.func @backward_data_c2_window_rank(%dy: tensor<1x8x8x8xf32>, %w: tensor<8x1x1x4xf32>) {
  // expected-error @below {{expects a window of the layouts' 2 spatial dimensions, but got 1}}
  %r = conv.backward_data %dy, %w window = #line layouts = #nhwc
      : tensor<1x8x8x8xf32>, tensor<8x1x1x4xf32> -> tensor<1x8x8x4xf32>
  return
}

// -----

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#nhwc = #conv.layouts<"NHWC", "KRSC", "NPQK">
func.func @backward_weight_c3_zero_size(%x: tensor<1x8x8x4xf32>, %dy: tensor<1x8x8x8xf32>) {
  // expected-error @below {{expects positive sizes of grad_filter, but got 'tensor<8x0x1x4xf32>'}}
  %r = conv.backward_weight %x, %dy window = #unit layouts = #nhwc
      : tensor<1x8x8x4xf32>, tensor<1x8x8x8xf32> -> tensor<8x0x1x4xf32>
  return
}

// -----

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#nhwc = #conv.layouts<"NHWC", "KRSC", "NPQK">
func.func @backward_data_c4_groups_divide_c(%dy: tensor<1x8x8x9xf32>, %w: tensor<9x1x1x1xf32>) {
  // expected-error @below {{expects groups to divide C of grad_input, but got 3 and 4}}
  %r = conv.backward_data %dy, %w window = #unit layouts = #nhwc groups = 3
      : tensor<1x8x8x9xf32>, tensor<9x1x1x1xf32> -> tensor<1x8x8x4xf32>
  return
}

// -----

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#nhwc = #conv.layouts<"NHWC", "KRSC", "NPQK">
func.func @backward_weight_c4_groups_divide_k(%x: tensor<1x8x8x4xf32>, %dy: tensor<1x8x8x9xf32>) {
  // expected-error @below {{expects groups to divide K of grad_filter, but got 2 and 9}}
  %r = conv.backward_weight %x, %dy window = #unit layouts = #nhwc groups = 2
      : tensor<1x8x8x4xf32>, tensor<1x8x8x9xf32> -> tensor<9x1x1x2xf32>
  return
}

// -----

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#nhwc = #conv.layouts<"NHWC", "KRSC", "NPQK">
func.func @backward_weight_c4_filter_channels(%x: tensor<1x8x8x4xf32>, %dy: tensor<1x8x8x8xf32>) {
  // expected-error @below {{expects C of grad_filter to be the input channels of one group, 2, but got 4}}
  %r = conv.backward_weight %x, %dy window = #unit layouts = #nhwc groups = 2
      : tensor<1x8x8x4xf32>, tensor<1x8x8x8xf32> -> tensor<8x1x1x4xf32>
  return
}

// -----

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#nhwc = #conv.layouts<"NHWC", "KRSC", "NPQK">
func.func @backward_data_c5_disagree_on_n(%dy: tensor<2x8x8x8xf32>, %w: tensor<8x1x1x4xf32>) {
  // expected-error @below {{expects grad_input and grad_output to agree on N, but got 1 and 2}}
  %r = conv.backward_data %dy, %w window = #unit layouts = #nhwc
      : tensor<2x8x8x8xf32>, tensor<8x1x1x4xf32> -> tensor<1x8x8x4xf32>
  return
}

// -----

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#nhwc = #conv.layouts<"NHWC", "KRSC", "NPQK">
func.func @backward_weight_c5_disagree_on_k(%x: tensor<1x8x8x4xf32>, %dy: tensor<1x8x8x8xf32>) {
  // expected-error @below {{expects grad_filter and grad_output to agree on K, but got 9 and 8}}
  %r = conv.backward_weight %x, %dy window = #unit layouts = #nhwc
      : tensor<1x8x8x4xf32>, tensor<1x8x8x8xf32> -> tensor<9x1x1x4xf32>
  return
}

// -----

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#nhwc = #conv.layouts<"NHWC", "KRSC", "NPQK">
func.func @backward_data_c6_window_too_large(%dy: tensor<1x1x1x8xf32>, %w: tensor<8x3x3x4xf32>) {
  // expected-error @below {{expects the window to fit spatial dimension 0, but got filter 3 with dilation 1 on input 2 padded by 0 and 0}}
  %r = conv.backward_data %dy, %w window = #unit layouts = #nhwc
      : tensor<1x1x1x8xf32>, tensor<8x3x3x4xf32> -> tensor<1x2x2x4xf32>
  return
}

// -----

#strided = #conv.window<strides = [2, 2], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#nhwc = #conv.layouts<"NHWC", "KRSC", "NPQK">
func.func @backward_data_c7_output_padding(%dy: tensor<1x8x8x8xf32>, %w: tensor<8x3x3x4xf32>) {
  // expected-error @below {{expects spatial dimension 0 of grad_output to be 9, but got 8}}
  %r = conv.backward_data %dy, %w window = #strided layouts = #nhwc
      : tensor<1x8x8x8xf32>, tensor<8x3x3x4xf32> -> tensor<1x19x17x4xf32>
  return
}

// -----

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#nhwc = #conv.layouts<"NHWC", "KRSC", "NPQK">
func.func @backward_weight_c7_output_size(%x: tensor<1x8x8x4xf32>, %dy: tensor<1x8x8x8xf32>) {
  // expected-error @below {{expects spatial dimension 0 of grad_output to be 6, but got 8}}
  %r = conv.backward_weight %x, %dy window = #unit layouts = #nhwc
      : tensor<1x8x8x4xf32>, tensor<1x8x8x8xf32> -> tensor<8x3x3x4xf32>
  return
}

// -----

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#nhwc = #conv.layouts<"NHWC", "KRSC", "NPQK">
func.func @backward_data_c8_types_differ(%dy: tensor<1x8x8x8xf16>, %w: tensor<8x1x1x4xbf16>) {
  // expected-error @below {{expects grad_output and filter of one element type or one family of 8-bit floats, but got 'f16' and 'bf16'}}
  %r = conv.backward_data %dy, %w window = #unit layouts = #nhwc
      : tensor<1x8x8x8xf16>, tensor<8x1x1x4xbf16> -> tensor<1x8x8x4xf32>
  return
}

// -----

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#nhwc = #conv.layouts<"NHWC", "KRSC", "NPQK">
func.func @backward_weight_c8_i32(%x: tensor<1x8x8x4xi32>, %dy: tensor<1x8x8x8xi32>) {
  // expected-error @below {{expects input of i8 or a floating type, but got 'i32'}}
  %r = conv.backward_weight %x, %dy window = #unit layouts = #nhwc
      : tensor<1x8x8x4xi32>, tensor<1x8x8x8xi32> -> tensor<8x1x1x4xi32>
  return
}

// -----

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#nhwc = #conv.layouts<"NHWC", "KRSC", "NPQK">
func.func @backward_data_c9_output_channels(%dy: tensor<1x8x8x8xf32>, %w: tensor<8x1x1x4xf32>, %b: tensor<8xf32>) {
  // expected-error @below {{expects epilogue operand 0 to have the shape of grad_input or to be a vector of 4 channels, but got 'tensor<8xf32>'}}
  %r = conv.backward_data %dy, %w window = #unit layouts = #nhwc
      epilogue(%b : tensor<8xf32>) {
      ^bb0(%acc: f32, %e: f32):
        conv.yield %acc : f32
      }
      : tensor<1x8x8x8xf32>, tensor<8x1x1x4xf32> -> tensor<1x8x8x4xf32>
  return
}

// -----

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#nhwc = #conv.layouts<"NHWC", "KRSC", "NPQK">
func.func @backward_weight_c9_vector(%x: tensor<1x8x8x4xf32>, %dy: tensor<1x8x8x8xf32>, %b: tensor<8xf32>) {
  // expected-error @below {{expects epilogue operand 0 to have the shape of grad_filter, but got 'tensor<8xf32>'}}
  %r = conv.backward_weight %x, %dy window = #unit layouts = #nhwc
      epilogue(%b : tensor<8xf32>) {
      ^bb0(%acc: f32, %e: f32):
        conv.yield %acc : f32
      }
      : tensor<1x8x8x4xf32>, tensor<1x8x8x8xf32> -> tensor<8x1x1x4xf32>
  return
}

// -----

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#nhwc = #conv.layouts<"NHWC", "KRSC", "NPQK">
func.func @backward_weight_c10_yield_type(%x: tensor<1x8x8x4xf16>, %dy: tensor<1x8x8x8xf16>) {
  // expected-error @below {{expects the epilogue to yield 'f16', but got 'f32'}}
  %r = conv.backward_weight %x, %dy window = #unit layouts = #nhwc
      epilogue() {
      ^bb0(%acc: f32):
        conv.yield %acc : f32
      }
      : tensor<1x8x8x4xf16>, tensor<1x8x8x8xf16> -> tensor<8x1x1x4xf16>
  return
}

// -----

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#nhwc = #conv.layouts<"NHWC", "KRSC", "NPQK">
func.func @backward_data_c10_integer_without_epilogue(%dy: tensor<1x8x8x8xf32>, %w: tensor<8x1x1x4xf32>) {
  // expected-error @below {{expects grad_input of a floating type without an epilogue, but got 'i8'}}
  %r = conv.backward_data %dy, %w window = #unit layouts = #nhwc
      : tensor<1x8x8x8xf32>, tensor<8x1x1x4xf32> -> tensor<1x8x8x4xi8>
  return
}

// -----

#wide = #conv.window<strides = [1, 1], dilations = [1, 1], low = [4, 0], high = [3, 0]>
#nhwc = #conv.layouts<"NHWC", "KRSC", "NPQK">
func.func @backward_data_c11_reflect(%dy: tensor<1x11x8x8xf32>, %w: tensor<8x1x1x4xf32>) {
  // expected-error @below {{expects reflect padding of at most 3 in spatial dimension 0, but got 4 and 3}}
  %r = conv.backward_data %dy, %w window = #wide layouts = #nhwc padding = reflect
      : tensor<1x11x8x8xf32>, tensor<8x1x1x4xf32> -> tensor<1x4x8x4xf32>
  return
}

// -----

#wide = #conv.window<strides = [1, 1], dilations = [1, 1], low = [5, 0], high = [4, 0]>
#nhwc = #conv.layouts<"NHWC", "KRSC", "NPQK">
func.func @backward_weight_c12_circular(%x: tensor<1x4x8x4xf32>, %dy: tensor<1x13x8x8xf32>) {
  // expected-error @below {{expects circular padding of at most 4 in spatial dimension 0, but got 5 and 4}}
  %r = conv.backward_weight %x, %dy window = #wide layouts = #nhwc padding = circular
      : tensor<1x4x8x4xf32>, tensor<1x13x8x8xf32> -> tensor<8x1x1x4xf32>
  return
}
