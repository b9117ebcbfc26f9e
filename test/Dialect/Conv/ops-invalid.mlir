// RUN: conv-opt %s --split-input-file --verify-diagnostics

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#nhwc = #conv.layouts<"NHWC", "KRSC", "NPQK">
func.func @forward_c1_dynamic(%x: tensor<1x?x8x4xf32>, %w: tensor<8x1x1x4xf32>) {
  // expected-error @below {{expects a static input, but got 'tensor<1x?x8x4xf32>'}}
  %y = conv.forward %x, %w window = #unit layouts = #nhwc
      : tensor<1x?x8x4xf32>, tensor<8x1x1x4xf32> -> tensor<1x8x8x8xf32>
  return
}

// -----

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#nhwc = #conv.layouts<"NHWC", "KRSC", "NPQK">
func.func @forward_c1_rank(%x: tensor<1x8x8x4xf32>, %w: tensor<8x1x4xf32>) {
  // expected-error @below {{expects filter of rank 4 for the order "KRSC", but got 'tensor<8x1x4xf32>'}}
  %y = conv.forward %x, %w window = #unit layouts = #nhwc
      : tensor<1x8x8x4xf32>, tensor<8x1x4xf32> -> tensor<1x8x8x8xf32>
  return
}

// -----

#line = #conv.window<strides = [1], dilations = [1], low = [0], high = [0]>
#nhwc = #conv.layouts<"NHWC", "KRSC", "NPQK">
func.func @forward_c2_window_rank(%x: tensor<1x8x8x4xf32>, %w: tensor<8x1x1x4xf32>) {
  // expected-error @below {{expects a window of the layouts' 2 spatial dimensions, but got 1}}
  %y = conv.forward %x, %w window = #line layouts = #nhwc
      : tensor<1x8x8x4xf32>, tensor<8x1x1x4xf32> -> tensor<1x8x8x8xf32>
  return
}

// -----

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#nhwc = #conv.layouts<"NHWC", "KRSC", "NPQK">
func.func @forward_c3_zero_size(%x: tensor<0x8x8x4xf32>, %w: tensor<8x1x1x4xf32>) {
  // expected-error @below {{expects positive sizes of input, but got 'tensor<0x8x8x4xf32>'}}
  %y = conv.forward %x, %w window = #unit layouts = #nhwc
      : tensor<0x8x8x4xf32>, tensor<8x1x1x4xf32> -> tensor<0x8x8x8xf32>
  return
}

// -----

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#nhwc = #conv.layouts<"NHWC", "KRSC", "NPQK">
func.func @forward_c3_overflow(%x: tensor<4294967296x2147483648x1x1xf16>, %w: tensor<1x1x1x1xf16>) {
  // 2^32 * 2^31 elements of 2 bytes.
  // expected-error @below {{expects input to have less than 2^63 bytes, but got 'tensor<4294967296x2147483648x1x1xf16>'}}
  %y = conv.forward %x, %w window = #unit layouts = #nhwc
      : tensor<4294967296x2147483648x1x1xf16>, tensor<1x1x1x1xf16> -> tensor<4294967296x2147483648x1x1xf16>
  return
}

// -----

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#nhwc = #conv.layouts<"NHWC", "KRSC", "NPQK">
func.func @forward_c4_zero_groups(%x: tensor<1x8x8x4xf32>, %w: tensor<8x1x1x4xf32>) {
  // expected-error @below {{expects groups to be positive, but got 0}}
  %y = conv.forward %x, %w window = #unit layouts = #nhwc groups = 0
      : tensor<1x8x8x4xf32>, tensor<8x1x1x4xf32> -> tensor<1x8x8x8xf32>
  return
}

// -----

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#nhwc = #conv.layouts<"NHWC", "KRSC", "NPQK">
func.func @forward_c4_groups_divide_c(%x: tensor<1x8x8x4xf32>, %w: tensor<9x1x1x1xf32>) {
  // expected-error @below {{expects groups to divide C of input, but got 3 and 4}}
  %y = conv.forward %x, %w window = #unit layouts = #nhwc groups = 3
      : tensor<1x8x8x4xf32>, tensor<9x1x1x1xf32> -> tensor<1x8x8x9xf32>
  return
}

// -----

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#nhwc = #conv.layouts<"NHWC", "KRSC", "NPQK">
func.func @forward_c4_groups_divide_k(%x: tensor<1x8x8x4xf32>, %w: tensor<9x1x1x2xf32>) {
  // expected-error @below {{expects groups to divide K of filter, but got 2 and 9}}
  %y = conv.forward %x, %w window = #unit layouts = #nhwc groups = 2
      : tensor<1x8x8x4xf32>, tensor<9x1x1x2xf32> -> tensor<1x8x8x9xf32>
  return
}

// -----

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#nhwc = #conv.layouts<"NHWC", "KRSC", "NPQK">
func.func @forward_c4_filter_channels(%x: tensor<1x8x8x4xf32>, %w: tensor<8x1x1x3xf32>) {
  // expected-error @below {{expects C of filter to be the input channels of one group, 4, but got 3}}
  %y = conv.forward %x, %w window = #unit layouts = #nhwc
      : tensor<1x8x8x4xf32>, tensor<8x1x1x3xf32> -> tensor<1x8x8x8xf32>
  return
}

// -----

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#grouped = #conv.layouts<"NHWGC", "GKRSC", "NPQGK">
func.func @forward_c4_group_dimension(%x: tensor<1x8x8x2x4xf32>, %w: tensor<3x8x1x1x4xf32>) {
  // expected-error @below {{expects G of filter to be the 2 groups, but got 3}}
  %y = conv.forward %x, %w window = #unit layouts = #grouped groups = 2
      : tensor<1x8x8x2x4xf32>, tensor<3x8x1x1x4xf32> -> tensor<1x8x8x2x8xf32>
  return
}

// -----

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#nhwc = #conv.layouts<"NHWC", "KRSC", "NPQK">
func.func @forward_c5_disagree_on_n(%x: tensor<2x8x8x4xf32>, %w: tensor<8x1x1x4xf32>) {
  // expected-error @below {{expects input and output to agree on N, but got 2 and 1}}
  %y = conv.forward %x, %w window = #unit layouts = #nhwc
      : tensor<2x8x8x4xf32>, tensor<8x1x1x4xf32> -> tensor<1x8x8x8xf32>
  return
}

// -----

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#nhwc = #conv.layouts<"NHWC", "KRSC", "NPQK">
func.func @forward_c5_disagree_on_k(%x: tensor<1x8x8x4xf32>, %w: tensor<8x1x1x4xf32>) {
  // expected-error @below {{expects filter and output to agree on K, but got 8 and 9}}
  %y = conv.forward %x, %w window = #unit layouts = #nhwc
      : tensor<1x8x8x4xf32>, tensor<8x1x1x4xf32> -> tensor<1x8x8x9xf32>
  return
}

// -----

#dilated = #conv.window<strides = [1, 1], dilations = [1, 4], low = [0, 0], high = [0, 0]>
#nhwc = #conv.layouts<"NHWC", "KRSC", "NPQK">
func.func @forward_c6_window_too_large(%x: tensor<1x8x8x4xf32>, %w: tensor<8x3x3x4xf32>) {
  // expected-error @below {{expects the window to fit spatial dimension 1, but got filter 3 with dilation 4 on input 8 padded by 0 and 0}}
  %y = conv.forward %x, %w window = #dilated layouts = #nhwc
      : tensor<1x8x8x4xf32>, tensor<8x3x3x4xf32> -> tensor<1x6x1x8xf32>
  return
}

// -----

#wide = #conv.window<strides = [1, 1], dilations = [1, 1], low = [9223372036854775807, 0], high = [0, 0]>
#nhwc = #conv.layouts<"NHWC", "KRSC", "NPQK">
func.func @forward_c6_overflow(%x: tensor<1x8x8x4xf32>, %w: tensor<8x1x1x4xf32>) {
  // expected-error @below {{expects the window to fit spatial dimension 0, but got filter 1 with dilation 1 on input 8 padded by 9223372036854775807 and 0}}
  %y = conv.forward %x, %w window = #wide layouts = #nhwc
      : tensor<1x8x8x4xf32>, tensor<8x1x1x4xf32> -> tensor<1x8x8x8xf32>
  return
}

// -----

#strided = #conv.window<strides = [1, 2], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#nhwc = #conv.layouts<"NHWC", "KRSC", "NPQK">
func.func @forward_c7_output_size(%x: tensor<1x8x8x4xf32>, %w: tensor<8x3x3x4xf32>) {
  // expected-error @below {{expects spatial dimension 1 of output to be 3, but got 4}}
  %y = conv.forward %x, %w window = #strided layouts = #nhwc
      : tensor<1x8x8x4xf32>, tensor<8x3x3x4xf32> -> tensor<1x6x4x8xf32>
  return
}

// -----

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#nhwc = #conv.layouts<"NHWC", "KRSC", "NPQK">
func.func @forward_c8_types_differ(%x: tensor<1x8x8x4xf16>, %w: tensor<8x1x1x4xbf16>) {
  // expected-error @below {{expects input and filter of one element type or one family of 8-bit floats, but got 'f16' and 'bf16'}}
  %y = conv.forward %x, %w window = #unit layouts = #nhwc
      : tensor<1x8x8x4xf16>, tensor<8x1x1x4xbf16> -> tensor<1x8x8x8xf32>
  return
}

// -----

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#nhwc = #conv.layouts<"NHWC", "KRSC", "NPQK">
func.func @forward_c8_families_differ(%x: tensor<1x8x8x4xf8E4M3FN>, %w: tensor<8x1x1x4xf8E4M3FNUZ>) {
  // expected-error @below {{expects input and filter of one element type or one family of 8-bit floats, but got 'f8E4M3FN' and 'f8E4M3FNUZ'}}
  %y = conv.forward %x, %w window = #unit layouts = #nhwc
      : tensor<1x8x8x4xf8E4M3FN>, tensor<8x1x1x4xf8E4M3FNUZ> -> tensor<1x8x8x8xf32>
  return
}

// -----

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#nhwc = #conv.layouts<"NHWC", "KRSC", "NPQK">
func.func @forward_c8_i32(%x: tensor<1x8x8x4xi32>, %w: tensor<8x1x1x4xi32>) {
  // expected-error @below {{expects input of i8 or a floating type, but got 'i32'}}
  %y = conv.forward %x, %w window = #unit layouts = #nhwc
      : tensor<1x8x8x4xi32>, tensor<8x1x1x4xi32> -> tensor<1x8x8x8xi32>
  return
}

// -----

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#nhwc = #conv.layouts<"NHWC", "KRSC", "NPQK">
func.func @forward_c9_operand_shape(%x: tensor<1x8x8x4xf32>, %w: tensor<8x1x1x4xf32>, %b: tensor<4xf32>) {
  // expected-error @below {{expects epilogue operand 0 to have the shape of output or to be a vector of 8 channels, but got 'tensor<4xf32>'}}
  %y = conv.forward %x, %w window = #unit layouts = #nhwc
      epilogue(%b : tensor<4xf32>) {
      ^bb0(%acc: f32, %e: f32):
        conv.yield %acc : f32
      } : tensor<1x8x8x4xf32>, tensor<8x1x1x4xf32> -> tensor<1x8x8x8xf32>
  return
}

// -----

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#nhwc = #conv.layouts<"NHWC", "KRSC", "NPQK">
func.func @forward_c9_operands_without_region(%x: tensor<1x8x8x4xf32>, %w: tensor<8x1x1x4xf32>, %b: tensor<8xf32>) {
  // expected-error @below {{expects an epilogue for its operands, but got 1 operands and no region}}
  %y = conv.forward %x, %w window = #unit layouts = #nhwc epilogue(%b : tensor<8xf32>) {}
      : tensor<1x8x8x4xf32>, tensor<8x1x1x4xf32> -> tensor<1x8x8x8xf32>
  return
}

// -----

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#nhwc = #conv.layouts<"NHWC", "KRSC", "NPQK">
func.func @forward_c10_arguments(%x: tensor<1x8x8x4xf16>, %w: tensor<8x1x1x4xf16>) {
  // expected-error @below {{expects the epilogue's arguments to be ('f32'), but got ('f16')}}
  %y = conv.forward %x, %w window = #unit layouts = #nhwc
      epilogue() {
      ^bb0(%acc: f16):
        conv.yield %acc : f16
      } : tensor<1x8x8x4xf16>, tensor<8x1x1x4xf16> -> tensor<1x8x8x8xf16>
  return
}

// -----

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#nhwc = #conv.layouts<"NHWC", "KRSC", "NPQK">
func.func @forward_c10_other_dialect(%x: tensor<1x8x8x4xf32>, %w: tensor<8x1x1x4xf32>) {
  // expected-error @below {{expects only arith and math ops in the epilogue, but got func.call}}
  %y = conv.forward %x, %w window = #unit layouts = #nhwc
      epilogue() {
      ^bb0(%acc: f32):
        // expected-note @below {{the op is here}}
        %0 = func.call @g(%acc) : (f32) -> f32
        conv.yield %0 : f32
      } : tensor<1x8x8x4xf32>, tensor<8x1x1x4xf32> -> tensor<1x8x8x8xf32>
  return
}
func.func private @g(f32) -> f32

// -----

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#nhwc = #conv.layouts<"NHWC", "KRSC", "NPQK">
func.func @forward_c10_not_scalar(%x: tensor<1x8x8x4xf32>, %w: tensor<8x1x1x4xf32>) {
  // expected-error @below {{expects scalars in the epilogue, but got 'vector<4xf32>'}}
  %y = conv.forward %x, %w window = #unit layouts = #nhwc
      epilogue() {
      ^bb0(%acc: f32):
        // expected-note @below {{the op is here}}
        %0 = arith.constant dense<1.0> : vector<4xf32>
        conv.yield %acc : f32
      } : tensor<1x8x8x4xf32>, tensor<8x1x1x4xf32> -> tensor<1x8x8x8xf32>
  return
}

// -----

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#nhwc = #conv.layouts<"NHWC", "KRSC", "NPQK">
func.func @forward_c10_yield_type(%x: tensor<1x8x8x4xf16>, %w: tensor<8x1x1x4xf16>) {
  // expected-error @below {{expects the epilogue to yield 'f16', but got 'f32'}}
  %y = conv.forward %x, %w window = #unit layouts = #nhwc
      epilogue() {
      ^bb0(%acc: f32):
        conv.yield %acc : f32
      } : tensor<1x8x8x4xf16>, tensor<8x1x1x4xf16> -> tensor<1x8x8x8xf16>
  return
}

// -----

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#nhwc = #conv.layouts<"NHWC", "KRSC", "NPQK">
func.func @forward_c10_no_yield(%x: tensor<1x8x8x4xf32>, %w: tensor<8x1x1x4xf32>) {
  // expected-error @below {{expects the epilogue to end with conv.yield, but got llvm.unreachable}}
  %y = conv.forward %x, %w window = #unit layouts = #nhwc
      epilogue() {
      ^bb0(%acc: f32):
        llvm.unreachable
      } : tensor<1x8x8x4xf32>, tensor<8x1x1x4xf32> -> tensor<1x8x8x8xf32>
  return
}

// -----

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#nhwc = #conv.layouts<"NHWC", "KRSC", "NPQK">
func.func @forward_c10_integer_without_epilogue(%x: tensor<1x8x8x4xf32>, %w: tensor<8x1x1x4xf32>) {
  // expected-error @below {{expects output of a floating type without an epilogue, but got 'i8'}}
  %y = conv.forward %x, %w window = #unit layouts = #nhwc
      : tensor<1x8x8x4xf32>, tensor<8x1x1x4xf32> -> tensor<1x8x8x8xi8>
  return
}

// -----

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#nhwc = #conv.layouts<"NHWC", "KRSC", "NPQK">
func.func @forward_c10_outside_value(%x: tensor<1x8x8x4xf32>, %w: tensor<8x1x1x4xf32>, %s: f32) {
  // expected-note @below {{required by region isolation constraints}}
  %y = conv.forward %x, %w window = #unit layouts = #nhwc
      epilogue() {
      ^bb0(%acc: f32):
        // expected-error @below {{using value defined outside the region}}
        %0 = arith.addf %acc, %s : f32
        conv.yield %0 : f32
      } : tensor<1x8x8x4xf32>, tensor<8x1x1x4xf32> -> tensor<1x8x8x8xf32>
  return
}

// -----

#wide = #conv.window<strides = [1, 1], dilations = [1, 1], low = [3, 0], high = [4, 0]>
#nhwc = #conv.layouts<"NHWC", "KRSC", "NPQK">
func.func @forward_c11_reflect(%x: tensor<1x4x8x4xf32>, %w: tensor<8x1x1x4xf32>) {
  // expected-error @below {{expects reflect padding of at most 3 in spatial dimension 0, but got 3 and 4}}
  %r = conv.forward %x, %w window = #wide layouts = #nhwc padding = reflect
      : tensor<1x4x8x4xf32>, tensor<8x1x1x4xf32> -> tensor<1x11x8x8xf32>
  return
}

// -----

#wide = #conv.window<strides = [1, 1], dilations = [1, 1], low = [4, 0], high = [5, 0]>
#nhwc = #conv.layouts<"NHWC", "KRSC", "NPQK">
func.func @forward_c12_circular(%x: tensor<1x4x8x4xf32>, %w: tensor<8x1x1x4xf32>) {
  // expected-error @below {{expects circular padding of at most 4 in spatial dimension 0, but got 4 and 5}}
  %r = conv.forward %x, %w window = #wide layouts = #nhwc padding = circular
      : tensor<1x4x8x4xf32>, tensor<8x1x1x4xf32> -> tensor<1x13x8x8xf32>
  return
}

// -----

func.func @tensor_map_x5_beyond(%y: memref<1x8x8x8xf16>) {
  // expected-error @below {{expects a map of at most 1024 bytes, but got 2048}}
  %0 = conv.tensor_map %y <sizes = [16, 64], strides = [32], box = [16, 64], element_strides = [1, 1], swizzle = 128>
      : memref<1x8x8x8xf16> -> !llvm.ptr
  return
}

// -----

func.func @tensor_map_x6_plain_row(%y: memref<1x8x8x120xf16>) {
  // expected-error @below {{expects a row of the box to have a multiple of 16 and at most 512 bytes, but got 200}}
  %0 = conv.tensor_map %y <sizes = [120, 64], strides = [240], box = [100, 64], element_strides = [1, 1], swizzle = 16>
      : memref<1x8x8x120xf16> -> !llvm.ptr
  return
}

// -----

func.func @tensor_map_x6_row(%y: memref<1x8x8x128xf16>) {
  // expected-error @below {{expects a row of the box to have a multiple of 16 and at most 64 bytes, but got 128}}
  %0 = conv.tensor_map %y <sizes = [128, 64], strides = [256], box = [64, 64], element_strides = [1, 1], swizzle = 64>
      : memref<1x8x8x128xf16> -> !llvm.ptr
  return
}

// -----

func.func @tensor_map_x8_tf32(%y: memref<1x8x8x64xf16>) {
  // expected-error @below {{expects elements of f32 for tf32 arithmetic, but got 'f16'}}
  %0 = conv.tensor_map %y <sizes = [64, 64], strides = [128], box = [64, 64], element_strides = [1, 1], swizzle = 128, arithmetic = tf32>
      : memref<1x8x8x64xf16> -> !llvm.ptr
  return
}

// -----

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#nhwc = #conv.layouts<"NHWC", "KRSC", "NPQK">
func.func @forward_c13_tf32_of_f16(%x: tensor<1x8x8x4xf16>, %w: tensor<8x1x1x4xf16>) {
  // expected-error @below {{expects input of f32 for tf32 arithmetic, but got 'f16'}}
  %y = conv.forward %x, %w window = #unit layouts = #nhwc arithmetic = tf32
      : tensor<1x8x8x4xf16>, tensor<8x1x1x4xf16> -> tensor<1x8x8x8xf32>
  return
}

// -----

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#nhwc = #conv.layouts<"NHWC", "KRSC", "NPQK">

func.func @forward_c14_promoted_f16(%x: tensor<1x8x8x4xf16>, %w: tensor<8x1x1x4xf16>) {
  // expected-error @below {{expects input of 8-bit floats for promoted arithmetic, but got 'f16'}}
  %y = conv.forward %x, %w window = #unit layouts = #nhwc arithmetic = promoted
      : tensor<1x8x8x4xf16>, tensor<8x1x1x4xf16> -> tensor<1x8x8x8xf32>
  return
}

// -----

// expected-error @below {{expects conv.tensor_map on an argument of a function that is a pointer, but got 'memref<8xf16>'}}
func.func private @tensor_map_x7_pointer(%map: memref<8xf16> {conv.tensor_map})

// -----

func.func @transform_f1_rank(%x: tensor<2x3x8x8xf16>) {
  // expected-error @below {{expects a source and a result of one rank, and of one element type or 8-bit floats and f16, but got 'tensor<2x3x8x8xf16>' and 'tensor<2x8x24xf16>'}}
  %y = conv.transform %x permutation = [0, 2, 1] : tensor<2x3x8x8xf16> -> tensor<2x8x24xf16>
  return
}

// -----

func.func @transform_f1_element_type(%x: tensor<2x3xf16>) {
  // expected-error @below {{expects a source and a result of one rank, and of one element type or 8-bit floats and f16, but got 'tensor<2x3xf16>' and 'tensor<3x2xf32>'}}
  %y = conv.transform %x permutation = [1, 0] : tensor<2x3xf16> -> tensor<3x2xf32>
  return
}

// -----

func.func @transform_f2_twice(%x: tensor<2x3x8xf16>) {
  // expected-error @below {{expects permutation to have each of 3 dimensions once, but got [0, 2, 2]}}
  %y = conv.transform %x permutation = [0, 2, 2] : tensor<2x3x8xf16> -> tensor<2x8x3xf16>
  return
}
