// RUN: conv-opt %s --conv-check-supported --verify-diagnostics --split-input-file

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#layouts = #conv.layouts<"NHWC", "KRSC", "NPQK">
#rsck = #conv.layouts<"NHWC", "RSCK", "NPQK">

// Accepted: a reshaped argument, both filter orders, a declaration, a reshaped result.
func.func @accepted(%x: tensor<4x4x8xf16>, %w: tensor<8x1x1x8xf16>, %w2: tensor<1x1x8x8xf16>) -> tensor<16x8xf32> {
  %x4 = tensor.expand_shape %x [[0, 1], [2], [3]] output_shape [1, 4, 4, 8] : tensor<4x4x8xf16> into tensor<1x4x4x8xf16>
  %a = conv.forward %x4, %w window = #unit layouts = #layouts : tensor<1x4x4x8xf16>, tensor<8x1x1x8xf16> -> tensor<1x4x4x8xf16>
  %b = conv.forward %a, %w2 window = #unit layouts = #rsck
      epilogue(%x4 : tensor<1x4x4x8xf16>) {
      ^bb0(%acc: f32, %r: f16):
        %r32 = arith.extf %r : f16 to f32
        %zero = arith.constant 0.0 : f32
        %p = arith.cmpf ogt, %acc, %zero : f32
        %s = arith.select %p, %acc, %r32 : f32
        %t = math.erf %s : f32
        conv.yield %t : f32
      } : tensor<1x4x4x8xf16>, tensor<1x1x8x8xf16> -> tensor<1x4x4x8xf32>
  %y = tensor.collapse_shape %b [[0, 1, 2], [3]] : tensor<1x4x4x8xf32> into tensor<16x8xf32>
  return %y : tensor<16x8xf32>
}
func.func private @declared(tensor<1xf32>)

// -----

#strided = #conv.window<strides = [2, 2], dilations = [1, 1], low = [1, 1], high = [1, 1]>
#layouts = #conv.layouts<"NCHW", "KCRS", "NKPQ">

// Accepted: both gradients, groups, other layouts and modes of padding.
func.func @accepted_gradients(%x: tensor<1x8x5x5xf16>, %dy: tensor<1x12x3x3xf16>, %w: tensor<12x2x3x3xf16>)
    -> (tensor<1x8x5x5xf32>, tensor<12x2x3x3xf32>) {
  %dx = conv.backward_data %dy, %w window = #strided layouts = #layouts groups = 4 padding = reflect
      : tensor<1x12x3x3xf16>, tensor<12x2x3x3xf16> -> tensor<1x8x5x5xf32>
  %dw = conv.backward_weight %x, %dy window = #strided layouts = #layouts groups = 4 padding = circular
      : tensor<1x8x5x5xf16>, tensor<1x12x3x3xf16> -> tensor<12x2x3x3xf32>
  return %dx, %dw : tensor<1x8x5x5xf32>, tensor<12x2x3x3xf32>
}

// -----

#line = #conv.window<strides = [1], dilations = [2], low = [0], high = [2]>
#cube = #conv.window<strides = [1, 2, 1], dilations = [1, 1, 1], low = [0, 1, 1], high = [0, 1, 1]>

// Accepted: one and three dimensions, groups as a dimension of their own.
func.func @accepted_dimensions(%x: tensor<1x4x8xf32>, %w: tensor<8x2x8xf32>, %v: tensor<2x5x7x7x2x3xf32>, %u: tensor<2x4x1x3x3x3xf32>)
    -> (tensor<1x4x8xf32>, tensor<2x5x4x7x2x4xf32>) {
  %y = conv.forward %x, %w window = #line layouts = <"NWC", "KSC", "NQK">
      : tensor<1x4x8xf32>, tensor<8x2x8xf32> -> tensor<1x4x8xf32>
  %z = conv.forward %v, %u window = #cube layouts = <"NDHWGC", "GKTRSC", "NZPQGK"> groups = 2
      : tensor<2x5x7x7x2x3xf32>, tensor<2x4x1x3x3x3xf32> -> tensor<2x5x4x7x2x4xf32>
  return %y, %z : tensor<1x4x8xf32>, tensor<2x5x4x7x2x4xf32>
}

// -----

// Every position that replicate repeats has a gradient to be added.
#wide = #conv.window<strides = [1, 1], dilations = [1, 1], low = [33, 0], high = [0, 0]>
#layouts = #conv.layouts<"NHWC", "KRSC", "NPQK">
func.func @padding_mode(%x: tensor<1x4x4x8xf16>, %dy: tensor<1x37x4x8xf16>, %w: tensor<8x1x1x8xf16>)
    -> (tensor<1x37x4x8xf16>, tensor<1x4x4x8xf16>, tensor<8x1x1x8xf16>) {
  %y = conv.forward %x, %w window = #wide layouts = #layouts padding = replicate : tensor<1x4x4x8xf16>, tensor<8x1x1x8xf16> -> tensor<1x37x4x8xf16>
  // expected-error @below {{unsupported (padding-mode): expects padding of at most 32 on each side for the gradient of replicate, but got #conv.window<}}
  %dx = conv.backward_data %dy, %w window = #wide layouts = #layouts padding = replicate : tensor<1x37x4x8xf16>, tensor<8x1x1x8xf16> -> tensor<1x4x4x8xf16>
  %dw = conv.backward_weight %x, %dy window = #wide layouts = #layouts padding = replicate : tensor<1x4x4x8xf16>, tensor<1x37x4x8xf16> -> tensor<8x1x1x8xf16>
  return %y, %dx, %dw : tensor<1x37x4x8xf16>, tensor<1x4x4x8xf16>, tensor<8x1x1x8xf16>
}

// -----

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#layouts = #conv.layouts<"NHWC", "KRSC", "NPQK">
func.func @epilogue_of_i16(%x: tensor<1x4x4x8xi8>, %w: tensor<8x1x1x8xi8>) -> tensor<1x4x4x8xi8> {
  %y = conv.forward %x, %w window = #unit layouts = #layouts epilogue() {
  ^bb0(%acc: i32):
    // expected-error @below {{unsupported (epilogue-operation): expects an op that kernels have, on f32, f16, bf16, i32, i8 or i1, and functions on f32, but got arith.trunci}}
    %short = arith.trunci %acc : i32 to i16
    %byte = arith.trunci %short : i16 to i8
    conv.yield %byte : i8
  } : tensor<1x4x4x8xi8>, tensor<8x1x1x8xi8> -> tensor<1x4x4x8xi8>
  return %y : tensor<1x4x4x8xi8>
}

// -----

// A reference that has integers as numbers could not tell them apart.
#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#layouts = #conv.layouts<"NHWC", "KRSC", "NPQK">
func.func @unsigned_comparison(%x: tensor<1x4x4x8xi8>, %w: tensor<8x1x1x8xi8>) -> tensor<1x4x4x8xi32> {
  %y = conv.forward %x, %w window = #unit layouts = #layouts epilogue() {
  ^bb0(%acc: i32):
    %zero = arith.constant 0 : i32
    // expected-error @below {{unsupported (epilogue-operation): expects an op that kernels have, on f32, f16, bf16, i32, i8 or i1, and functions on f32, but got arith.cmpi}}
    %above = arith.cmpi ugt, %acc, %zero : i32
    %chosen = arith.select %above, %acc, %zero : i32
    conv.yield %chosen : i32
  } : tensor<1x4x4x8xi8>, tensor<8x1x1x8xi8> -> tensor<1x4x4x8xi32>
  return %y : tensor<1x4x4x8xi32>
}

// -----

// Nor could it tell the sign of a condition.
#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#layouts = #conv.layouts<"NHWC", "KRSC", "NPQK">
func.func @sum_of_conditions(%x: tensor<1x4x4x8xi8>, %w: tensor<8x1x1x8xi8>) -> tensor<1x4x4x8xi32> {
  %y = conv.forward %x, %w window = #unit layouts = #layouts epilogue() {
  ^bb0(%acc: i32):
    %zero = arith.constant 0 : i32
    %above = arith.cmpi sgt, %acc, %zero : i32
    %below = arith.cmpi slt, %acc, %zero : i32
    %differ = arith.cmpi ne, %above, %below : i1
    // expected-error @below {{unsupported (epilogue-operation): expects an op that kernels have, on f32, f16, bf16, i32, i8 or i1, and functions on f32, but got arith.addi}}
    %sum = arith.addi %above, %differ : i1
    %number = arith.extsi %sum : i1 to i32
    conv.yield %number : i32
  } : tensor<1x4x4x8xi8>, tensor<8x1x1x8xi8> -> tensor<1x4x4x8xi32>
  return %y : tensor<1x4x4x8xi32>
}
func.func @order_of_conditions(%x: tensor<1x4x4x8xi8>, %w: tensor<8x1x1x8xi8>) -> tensor<1x4x4x8xi32> {
  %y = conv.forward %x, %w window = #unit layouts = #layouts epilogue() {
  ^bb0(%acc: i32):
    %zero = arith.constant 0 : i32
    %true = arith.constant true
    %above = arith.cmpi sgt, %acc, %zero : i32
    // expected-error @below {{unsupported (epilogue-operation): expects an op that kernels have, on f32, f16, bf16, i32, i8 or i1, and functions on f32, but got arith.cmpi}}
    %less = arith.cmpi slt, %true, %above : i1
    %number = arith.extsi %less : i1 to i32
    conv.yield %number : i32
  } : tensor<1x4x4x8xi8>, tensor<8x1x1x8xi8> -> tensor<1x4x4x8xi32>
  return %y : tensor<1x4x4x8xi32>
}

// -----

// 8-bit floats are converted, not computed in.
#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#layouts = #conv.layouts<"NHWC", "KRSC", "NPQK">
func.func @sum_of_float8(%x: tensor<1x4x4x8xf16>, %w: tensor<8x1x1x8xf16>, %b: tensor<8xf8E4M3FN>) -> tensor<1x4x4x8xf8E4M3FN> {
  %y = conv.forward %x, %w window = #unit layouts = #layouts epilogue(%b : tensor<8xf8E4M3FN>) {
  ^bb0(%acc: f32, %bias: f8E4M3FN):
    %narrow = arith.truncf %acc : f32 to f8E4M3FN
    // expected-error @below {{unsupported (epilogue-operation): expects an op that kernels have, on f32, f16, bf16, i32, i8 or i1, and functions on f32, but got arith.addf}}
    %sum = arith.addf %narrow, %bias : f8E4M3FN
    conv.yield %sum : f8E4M3FN
  } : tensor<1x4x4x8xf16>, tensor<8x1x1x8xf16> -> tensor<1x4x4x8xf8E4M3FN>
  return %y : tensor<1x4x4x8xf8E4M3FN>
}

// -----

// A convolution that could not be raised is refused for what it is.
func.func @element_type_linalg(%x: tensor<1x5x5x3xf64>, %w: tensor<8x3x3x3xf64>, %i: tensor<1x3x3x8xf64>) {
  // expected-error @below {{unsupported (element-type): expects f32, f16, bf16, an 8-bit float, i8 or i32, but got 'f64'}}
  %a = linalg.conv_2d_nhwc_fhwc ins(%x, %w : tensor<1x5x5x3xf64>, tensor<8x3x3x3xf64>) outs(%i : tensor<1x3x3x8xf64>) -> tensor<1x3x3x8xf64>
  return
}

// -----

func.func @dynamic_shape(%x: tensor<?x5x5x3xf32>, %w: tensor<8x3x3x3xf32>, %i: tensor<?x3x3x8xf32>) {
  // expected-error @below {{unsupported (dynamic-shape): expects static shapes, but got 'tensor<?x5x5x3xf32>'}}
  %a = linalg.conv_2d_nhwc_fhwc ins(%x, %w : tensor<?x5x5x3xf32>, tensor<8x3x3x3xf32>) outs(%i : tensor<?x3x3x8xf32>) -> tensor<?x3x3x8xf32>
  return
}

// -----

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#layouts = #conv.layouts<"NHWC", "KRSC", "NPQK">
func.func @epilogue_operation(%x: tensor<1x4x4x8xf16>, %w: tensor<8x1x1x8xf16>) -> tensor<1x4x4x8xf32> {
  %y = conv.forward %x, %w window = #unit layouts = #layouts
      epilogue() {
      ^bb0(%acc: f32):
        // expected-error @below {{unsupported (epilogue-operation): expects an op that kernels have, on f32, f16, bf16, i32, i8 or i1, and functions on f32, but got math.atan2}}
        %a = math.atan2 %acc, %acc : f32
        conv.yield %a : f32
      } : tensor<1x4x4x8xf16>, tensor<8x1x1x8xf16> -> tensor<1x4x4x8xf32>
  return %y : tensor<1x4x4x8xf32>
}

// -----

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#layouts = #conv.layouts<"NHWC", "KRSC", "NPQK">
func.func @constant(%x: tensor<1x4x4x2xf32>) -> tensor<1x4x4x1xf32> {
  %w = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %w4 = tensor.expand_shape %w [[0, 1, 2, 3]] output_shape [1, 1, 1, 2] : tensor<2xf32> into tensor<1x1x1x2xf32>
  // expected-error @below {{unsupported (constant): expects tensors from function arguments or convolutions, but got a constant or an empty tensor of type 'tensor<1x1x1x2xf32>'}}
  %y = conv.forward %x, %w4 window = #unit layouts = #layouts : tensor<1x4x4x2xf32>, tensor<1x1x1x2xf32> -> tensor<1x4x4x1xf32>
  return %y : tensor<1x4x4x1xf32>
}

// -----

func.func @not_fusable_argument(%x: tensor<1xf32>) -> tensor<1xf32> {
  // expected-error @below {{unsupported (not-fusable): expects results of convolutions to be returned, but got a value of type 'tensor<1xf32>' from elsewhere}}
  return %x : tensor<1xf32>
}

// -----

// expected-error @below {{unsupported (not-fusable): expects only convolutions, element-wise ops and reshapes, but got memref.global}}
memref.global @g : memref<1xf32>

// -----

// A scalar has no buffer.
// expected-error @below {{unsupported (signature): expects arguments and results that are static tensors of numbers, but got 'f32'}}
func.func @signature_scalar(%x: tensor<1x4x4x8xf16>, %w: tensor<8x1x1x8xf16>, %s: f32) -> tensor<1x4x4x8xf16> {
  %y = conv.forward %x, %w window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]> layouts = <"NHWC", "KRSC", "NPQK"> : tensor<1x4x4x8xf16>, tensor<8x1x1x8xf16> -> tensor<1x4x4x8xf16>
  return %y : tensor<1x4x4x8xf16>
}

// -----

// Nor does a tensor whose bytes overflow, even if nobody reads it.
// expected-error @below {{unsupported (signature): expects arguments and results that are static tensors of numbers, but got 'tensor<4611686018427387904xf16>'}}
func.func @signature_overflow(%x: tensor<1x4x4x8xf16>, %w: tensor<8x1x1x8xf16>, %s: tensor<4611686018427387904xf16>) -> tensor<1x4x4x8xf16> {
  %y = conv.forward %x, %w window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]> layouts = <"NHWC", "KRSC", "NPQK"> : tensor<1x4x4x8xf16>, tensor<8x1x1x8xf16> -> tensor<1x4x4x8xf16>
  return %y : tensor<1x4x4x8xf16>
}

// -----

// One tensor cannot be written to two places.
func.func @signature_result_twice(%x: tensor<1x4x4x8xf16>, %w: tensor<8x1x1x8xf16>) -> (tensor<1x4x4x8xf16>, tensor<1x4x4x8xf16>) {
  %y = conv.forward %x, %w window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]> layouts = <"NHWC", "KRSC", "NPQK"> : tensor<1x4x4x8xf16>, tensor<8x1x1x8xf16> -> tensor<1x4x4x8xf16>
  // expected-error @below {{unsupported (signature): expects different results, but got result 0 again as result 1}}
  return %y, %y : tensor<1x4x4x8xf16>, tensor<1x4x4x8xf16>
}

// -----

// Coordinates in the padding must be numbers that a kernel can compute with.
func.func @problem_size_padding(%x: tensor<1x1x1x8xf16>, %w: tensor<8x1x1x8xf16>) -> tensor<1x2x2x8xf16> {
  // expected-error @below {{unsupported (problem-size): expects an input of fewer than 2^60 elements with its padding, but got #conv.window<strides = [1099511627776, 1099511627776], dilations = [1, 1], low = [1099511627776, 1099511627776], high = [0, 0]> around tensor<1x1x1x8xf16>}}
  %y = conv.forward %x, %w window = <strides = [1099511627776, 1099511627776], dilations = [1, 1], low = [1099511627776, 1099511627776], high = [0, 0]> layouts = <"NHWC", "KRSC", "NPQK"> : tensor<1x1x1x8xf16>, tensor<8x1x1x8xf16> -> tensor<1x2x2x8xf16>
  return %y : tensor<1x2x2x8xf16>
}

// -----

// The gradient of an input has a product for each dgrad phase by the strides that meets an element of the filter, ...
func.func @problem_size_products(%dy: tensor<1x10x10x8xf16>, %w: tensor<8x70x60x8xf16>) -> tensor<1x700x600x8xf16> {
  // expected-error @below {{unsupported (problem-size): expects strides by which the positions of an input have at most 4096 dgrad phases for its gradient, but got #conv.window<strides = [70, 60], dilations = [1, 1], low = [0, 0], high = [0, 0]>}}
  %dx = conv.backward_data %dy, %w window = <strides = [70, 60], dilations = [1, 1], low = [0, 0], high = [0, 0]> layouts = <"NHWC", "KRSC", "NPQK"> : tensor<1x10x10x8xf16>, tensor<8x70x60x8xf16> -> tensor<1x700x600x8xf16>
  return %dx : tensor<1x700x600x8xf16>
}

// -----

// ... and a part of zeros for each other one.
func.func @problem_size_zeros(%dy: tensor<1x10x1x8xf16>, %w: tensor<8x1x1x8xf16>) -> tensor<1x41000x1x8xf16> {
  // expected-error @below {{unsupported (problem-size): expects strides by which the positions of an input have at most 4096 dgrad phases for its gradient, but got #conv.window<strides = [4100, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>}}
  %dx = conv.backward_data %dy, %w window = <strides = [4100, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]> layouts = <"NHWC", "KRSC", "NPQK"> : tensor<1x10x1x8xf16>, tensor<8x1x1x8xf16> -> tensor<1x41000x1x8xf16>
  return %dx : tensor<1x41000x1x8xf16>
}

// -----

// What a kernel never steps by would still have to be verified.
func.func @problem_size_stride(%x: tensor<1x1x1x8xf16>, %w: tensor<8x1x1x8xf16>) -> tensor<1x1x1x8xf16> {
  // expected-error @below {{unsupported (problem-size): expects sizes, strides, dilations and padding of at most 2^40, but got 1099511627777}}
  %y = conv.forward %x, %w window = <strides = [1, 1099511627777], dilations = [1, 1], low = [0, 0], high = [0, 0]> layouts = <"NHWC", "KRSC", "NPQK"> : tensor<1x1x1x8xf16>, tensor<8x1x1x8xf16> -> tensor<1x1x1x8xf16>
  return %y : tensor<1x1x1x8xf16>
}

// -----

// Functions are computed in f32.
func.func @epilogue_operation_narrow_function(%x: tensor<1x4x4x8xf16>, %w: tensor<8x1x1x8xf16>) -> tensor<1x4x4x8xf16> {
  %y = conv.forward %x, %w window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]> layouts = <"NHWC", "KRSC", "NPQK">
      epilogue() {
      ^bb0(%acc: f32):
        %h = arith.truncf %acc : f32 to f16
        // expected-error @below {{unsupported (epilogue-operation): expects an op that kernels have, on f32, f16, bf16, i32, i8 or i1, and functions on f32, but got math.tanh}}
        %t = math.tanh %h : f16
        conv.yield %t : f16
      } : tensor<1x4x4x8xf16>, tensor<8x1x1x8xf16> -> tensor<1x4x4x8xf16>
  return %y : tensor<1x4x4x8xf16>
}

// -----

// There is nothing to launch.
// expected-error @below {{unsupported (signature): expects a function that returns the result of a convolution, but got one without results}}
func.func @signature_nothing() {
  return
}

// -----

// Zero points are part of the program.
func.func @zero_point(%x: tensor<1x4x4x2xi8>, %w: tensor<8x1x1x2xi8>, %b: tensor<8xi32>, %zp: tensor<1xi8>)
    -> tensor<1x4x4x8xi32> {
  // expected-error @below {{unsupported (zero-point): expects zero points that are constants, but got others for tosa.conv2d}}
  // expected-note @below {{write them as constants of the program}}
  %c = tosa.conv2d %x, %w, %b, %zp, %zp {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>,
      stride = array<i64: 1, 1>} : (tensor<1x4x4x2xi8>, tensor<8x1x1x2xi8>, tensor<8xi32>, tensor<1xi8>, tensor<1xi8>)
      -> tensor<1x4x4x8xi32>
  return %c : tensor<1x4x4x8xi32>
}

// -----

func.func @memref_semantics(%x: memref<1x4x4x2xf32>, %w: memref<1x1x2x8xf32>, %y: memref<1x4x4x8xf32>) {
  // expected-error @below {{unsupported (memref-semantics): expects tensors, but got 'memref<1x4x4x2xf32>'}}
  // expected-note @below {{compile the module as it is before bufferization}}
  linalg.conv_2d_nhwc_hwcf ins(%x, %w : memref<1x4x4x2xf32>, memref<1x1x2x8xf32>) outs(%y : memref<1x4x4x8xf32>)
  return
}

// -----

// Element-wise work is compiled beside convolutions, not instead of them.
func.func @not_fusable_alone(%x: tensor<2x4x3xf32>, %i: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %t = linalg.transpose ins(%x : tensor<2x4x3xf32>) outs(%i : tensor<2x3x4xf32>) permutation = [0, 2, 1]
  // expected-error @above {{unsupported (data-movement): expects movement of data that padding, strides and layouts of a convolution express, but got linalg.transpose}}
  // expected-note @above {{move the data outside of this function}}
  %e = tensor.empty() : tensor<2x3x4xf32>
  // expected-error @below {{unsupported (not-fusable): expects functions with a convolution, but got element-wise work alone}}
  %a = linalg.generic {indexing_maps = [affine_map<(n, p, k) -> (n, p, k)>, affine_map<(n, p, k) -> (n, p, k)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%i : tensor<2x3x4xf32>) outs(%e : tensor<2x3x4xf32>) {
  ^bb0(%v: f32, %o: f32):
    %m = math.absf %v : f32
    linalg.yield %m : f32
  } -> tensor<2x3x4xf32>
  return %a : tensor<2x3x4xf32>
}

// -----

func.func @data_movement(%x: tensor<2x8x8x3xf32>) -> tensor<2x4x8x3xf32> {
  // expected-error @below {{unsupported (data-movement): expects movement of data that padding, strides and layouts of a convolution express, but got tensor.extract_slice}}
  // expected-note @below {{move the data outside of this function}}
  %s = tensor.extract_slice %x[0, 0, 0, 0] [2, 4, 8, 3] [1, 2, 1, 1] : tensor<2x8x8x3xf32> to tensor<2x4x8x3xf32>
  return %s : tensor<2x4x8x3xf32>
}

// -----

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#layouts = #conv.layouts<"NHWC", "KRSC", "NPQK">
#all = affine_map<(n, p, q, k) -> (n, p, q, k)>
func.func @epilogue_operation_elementwise(%x: tensor<1x4x4x8xf32>, %w: tensor<8x1x1x8xf32>) -> tensor<1x4x4x8xf32> {
  %e = tensor.empty() : tensor<1x4x4x8xf32>
  %a = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x : tensor<1x4x4x8xf32>) outs(%e : tensor<1x4x4x8xf32>) {
  ^bb0(%v: f32, %o: f32):
    %i = arith.fptosi %v : f32 to i32
    // expected-error @below {{unsupported (epilogue-operation): expects an op that kernels have, on f32, f16, bf16, i32, i8 or i1, and functions on f32, but got math.ipowi}}
    %p = math.ipowi %i, %i : i32
    %m = arith.sitofp %p : i32 to f32
    linalg.yield %m : f32
  } -> tensor<1x4x4x8xf32>
  %y = conv.forward %a, %w window = #unit layouts = #layouts : tensor<1x4x4x8xf32>, tensor<8x1x1x8xf32> -> tensor<1x4x4x8xf32>
  return %y : tensor<1x4x4x8xf32>
}

// -----

// Conditions are not stored.
#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#layouts = #conv.layouts<"NHWC", "KRSC", "NPQK">
#all = affine_map<(n, p, q, k) -> (n, p, q, k)>
func.func @element_type_elementwise(%x: tensor<1x4x4x8xf32>, %w: tensor<8x1x1x8xf32>) -> (tensor<1x4x4x8xf32>, tensor<1x4x4x8xi1>) {
  %y = conv.forward %x, %w window = #unit layouts = #layouts : tensor<1x4x4x8xf32>, tensor<8x1x1x8xf32> -> tensor<1x4x4x8xf32>
  %e = tensor.empty() : tensor<1x4x4x8xi1>
  // expected-error @below {{unsupported (element-type): expects static tensors of f32, f16, bf16, an 8-bit float, i8 or i32 between convolutions, but got 'tensor<1x4x4x8xi1>'}}
  %m = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x, %y : tensor<1x4x4x8xf32>, tensor<1x4x4x8xf32>) outs(%e : tensor<1x4x4x8xi1>) {
  ^bb0(%v: f32, %u: f32, %o: i1):
    %c = arith.cmpf ogt, %v, %u : f32
    linalg.yield %c : i1
  } -> tensor<1x4x4x8xi1>
  return %y, %m : tensor<1x4x4x8xf32>, tensor<1x4x4x8xi1>
}

// -----

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#layouts = #conv.layouts<"NHWC", "KRSC", "NPQK">
#all = affine_map<(n, p, q, k) -> (n, p, q, k)>
#repeated = affine_map<(n, p, q, k) -> (n, p floordiv 2, q, k)>
func.func @data_movement_division(%x: tensor<2x4x4x8xf32>, %w: tensor<8x1x1x8xf32>) -> tensor<2x4x4x8xf32> {
  %y = conv.forward %x, %w window = #unit layouts = #layouts : tensor<2x4x4x8xf32>, tensor<8x1x1x8xf32> -> tensor<2x4x4x8xf32>
  %e = tensor.empty() : tensor<2x4x4x8xf32>
  // expected-error @below {{unsupported (data-movement): expects operands that are read at coordinates of the result, but got [affine_map<(d0, d1, d2, d3) -> (d0, d1 floordiv 2, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>]}}
  %z = linalg.generic {indexing_maps = [#repeated, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%y : tensor<2x4x4x8xf32>) outs(%e : tensor<2x4x4x8xf32>) {
  ^bb0(%v: f32, %o: f32):
    %m = math.absf %v : f32
    linalg.yield %m : f32
  } -> tensor<2x4x4x8xf32>
  return %z : tensor<2x4x4x8xf32>
}

// -----

func.func @dynamic_taps(%x: tensor<1x4x8xf16>, %k: tensor<1x4x65x8xf16>) -> tensor<1x4x8xf16> {
  // expected-error @below {{unsupported (problem-size): expects kernels of at most 64 taps, but got 65}}
  %y = conv.dynamic_forward %x, %k order = BTWG : tensor<1x4x8xf16>, tensor<1x4x65x8xf16> -> tensor<1x4x8xf16>
  return %y : tensor<1x4x8xf16>
}

// -----

func.func @dynamic_size(%x: tensor<1x2000000000000x1xi8>, %k: tensor<1x2000000000000x1x1xi8>) -> tensor<1x2000000000000x1xi32> {
  // expected-error @below {{unsupported (problem-size): expects sizes of at most 2^40, but got 2000000000000}}
  %y = conv.dynamic_forward %x, %k order = BTWG
      : tensor<1x2000000000000x1xi8>, tensor<1x2000000000000x1x1xi8> -> tensor<1x2000000000000x1xi32>
  return %y : tensor<1x2000000000000x1xi32>
}

// -----

// 67 is prime: its sums would be of one channel each.
func.func @dynamic_group(%x: tensor<1x4x67xf16>, %dy: tensor<1x4x67xf16>) -> tensor<1x4x2x1xf16> {
  // expected-error @below {{unsupported (problem-size): expects groups whose channels are at most 64 sums of at most 16, but got 67}}
  %dk = conv.dynamic_backward_kernel %x, %dy order = BTWG : tensor<1x4x67xf16>, tensor<1x4x67xf16> -> tensor<1x4x2x1xf16>
  return %dk : tensor<1x4x2x1xf16>
}

// -----

// Where packed sequences start is known to the caller alone.
func.func @dynamic_constant_starts(%x: tensor<1x4x8xf16>, %k: tensor<1x4x2x8xf16>) -> tensor<1x4x8xf16> {
  %s = arith.constant dense<[0, 1, 4]> : tensor<3xi32>
  // expected-error @below {{unsupported (constant): expects tensors from function arguments or convolutions, but got a constant or an empty tensor of type 'tensor<3xi32>'}}
  %y = conv.dynamic_forward %x, %k cu_seqlens(%s : tensor<3xi32>) order = BTWG : tensor<1x4x8xf16>, tensor<1x4x2x8xf16> -> tensor<1x4x8xf16>
  return %y : tensor<1x4x8xf16>
}

// -----

// Accepted: a decoding step, in place of its argument, with places of 64 bits.
func.func @accepted_update(%x: tensor<2x8x1xf16>, %w: tensor<8x4xf16>, %s: tensor<5x8x3xf16> {conv.in_place = 1}, %i: tensor<2xi64>)
    -> (tensor<2x8x1xf16>, tensor<5x8x3xf16>) {
  %y, %n = conv.causal_update %x, %w, %s indices(%i : tensor<2xi64>)
      : tensor<2x8x1xf16>, tensor<8x4xf16>, tensor<5x8x3xf16> -> tensor<2x8x1xf16>, tensor<5x8x3xf16>
  return %y, %n : tensor<2x8x1xf16>, tensor<5x8x3xf16>
}

// -----

// N8: a new state has a place.
func.func @n8_nowhere(%x: tensor<2x8x1xf16>, %w: tensor<8x4xf16>, %s: tensor<2x8x3xf16>) -> (tensor<2x8x1xf16>, tensor<2x8x3xf16>) {
  // expected-error @below {{unsupported (signature): expects conv.in_place on an argument that one op updates, and its new state to be returned as the result that this names, and both to be used for nothing else, but got an update of something else}}
  %y, %n = conv.causal_update %x, %w, %s
      : tensor<2x8x1xf16>, tensor<8x4xf16>, tensor<2x8x3xf16> -> tensor<2x8x1xf16>, tensor<2x8x3xf16>
  return %y, %n : tensor<2x8x1xf16>, tensor<2x8x3xf16>
}

// -----

// N8: nothing else reads what changes.
func.func @n8_used_twice(%x: tensor<2x8x3xf16>, %w: tensor<8x4xf16>, %s: tensor<2x8x3xf16> {conv.in_place = 1})
    -> (tensor<2x8x3xf16>, tensor<2x8x3xf16>) {
  // expected-error @below {{unsupported (signature): expects conv.in_place on an argument that one op updates, and its new state to be returned as the result that this names, and both to be used for nothing else, but got an update of something else}}
  %y, %n = conv.causal_update %s, %w, %s
      : tensor<2x8x3xf16>, tensor<8x4xf16>, tensor<2x8x3xf16> -> tensor<2x8x3xf16>, tensor<2x8x3xf16>
  return %y, %n : tensor<2x8x3xf16>, tensor<2x8x3xf16>
}

// -----

// N8: the result that it names is the new state.
func.func @n8_other_result(%x: tensor<2x8x3xf16>, %w: tensor<8x4xf16>, %s: tensor<2x8x3xf16> {conv.in_place = 0})
    -> (tensor<2x8x3xf16>, tensor<2x8x3xf16>) {
  // expected-error @below {{unsupported (signature): expects conv.in_place on an argument that one op updates, and its new state to be returned as the result that this names, and both to be used for nothing else, but got an update of something else}}
  %y, %n = conv.causal_update %x, %w, %s
      : tensor<2x8x3xf16>, tensor<8x4xf16>, tensor<2x8x3xf16> -> tensor<2x8x3xf16>, tensor<2x8x3xf16>
  return %y, %n : tensor<2x8x3xf16>, tensor<2x8x3xf16>
}

// -----

// N8: an argument that nothing updates is not in place of a result.
// expected-error @below {{unsupported (signature): expects conv.in_place on an argument that one op updates, and its new state to be returned as the result that this names, and both to be used for nothing else, but got no op that updates it}}
func.func @n8_no_update(%x: tensor<2x8x3xf16> {conv.in_place = 0}, %k: tensor<2x8x3x2xf16>) -> tensor<2x8x3xf16> {
  %y = conv.dynamic_forward %x, %k order = BTGW : tensor<2x8x3xf16>, tensor<2x8x3x2xf16> -> tensor<2x8x3xf16>
  return %y : tensor<2x8x3xf16>
}

// -----

// All tokens of a channel are in registers.
func.func @update_tokens(%x: tensor<2x8x17xf16>, %w: tensor<8x4xf16>, %s: tensor<2x8x3xf16> {conv.in_place = 1})
    -> (tensor<2x8x17xf16>, tensor<2x8x3xf16>) {
  // expected-error @below {{unsupported (problem-size): expects a step of at most 16 tokens, but got 17}}
  %y, %n = conv.causal_update %x, %w, %s
      : tensor<2x8x17xf16>, tensor<8x4xf16>, tensor<2x8x3xf16> -> tensor<2x8x17xf16>, tensor<2x8x3xf16>
  return %y, %n : tensor<2x8x17xf16>, tensor<2x8x3xf16>
}

// -----

// So is a state that is not a ring.
func.func @update_length(%x: tensor<2x8x1xf16>, %w: tensor<8x4xf16>, %s: tensor<2x8x129xf16> {conv.in_place = 1})
    -> (tensor<2x8x1xf16>, tensor<2x8x129xf16>) {
  // expected-error @below {{unsupported (problem-size): expects states of at most 128 tokens without positions, but got 129}}
  %y, %n = conv.causal_update %x, %w, %s
      : tensor<2x8x1xf16>, tensor<8x4xf16>, tensor<2x8x129xf16> -> tensor<2x8x1xf16>, tensor<2x8x129xf16>
  return %y, %n : tensor<2x8x1xf16>, tensor<2x8x129xf16>
}

// -----

// A kernel of a state knows strides of arguments.
func.func @final_reshaped(%x: tensor<14x8xf16>) -> tensor<2x3x8xf16> {
  %x3 = tensor.expand_shape %x [[0, 1], [2]] output_shape [2, 7, 8] : tensor<14x8xf16> into tensor<2x7x8xf16>
  // expected-error @below {{unsupported (data-movement): expects operands that are not reshaped, but got 'tensor<2x7x8xf16>'}}
  %r = conv.final_state %x3 : tensor<2x7x8xf16> -> tensor<2x3x8xf16>
  return %r : tensor<2x3x8xf16>
}

// -----

func.func @concatenation_alone(%x: tensor<1x4xf32>, %y: tensor<1x4xf32>) -> tensor<2x4xf32> {
  // expected-error @below {{unsupported (not-fusable): expects functions with a convolution, but got element-wise work alone}}
  %z = tensor.concat dim(0) %x, %y : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<2x4xf32>
  return %z : tensor<2x4xf32>
}

// -----

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#layouts = #conv.layouts<"NHWC", "KRSC", "NPQK">
func.func @concatenation_of_others(%x: tensor<1x4x4x8xf32>, %w: tensor<8x1x1x8xf32>, %a: tensor<1x4x4x1xf64>, %b: tensor<1x4x4x1xf64>)
    -> (tensor<1x4x4x8xf32>, tensor<1x4x4x2xf64>) {
  %y = conv.forward %x, %w window = #unit layouts = #layouts : tensor<1x4x4x8xf32>, tensor<8x1x1x8xf32> -> tensor<1x4x4x8xf32>
  // expected-error @below {{unsupported (element-type): expects static tensors of f32, f16, bf16, an 8-bit float, i8 or i32 between convolutions, but got 'tensor<1x4x4x1xf64>'}}
  %z = tensor.concat dim(3) %a, %b : (tensor<1x4x4x1xf64>, tensor<1x4x4x1xf64>) -> tensor<1x4x4x2xf64>
  return %y, %z : tensor<1x4x4x8xf32>, tensor<1x4x4x2xf64>
}

// -----

// Accepted: a function that leaves open how many sequences and tokens there are.
func.func @run_time_sizes(%x: tensor<?x?x8xf32>, %k: tensor<?x?x8x4xf32>) -> tensor<?x?x8xf32> {
  %y = conv.dynamic_forward %x, %k order = BTGW : tensor<?x?x8xf32>, tensor<?x?x8x4xf32> -> tensor<?x?x8xf32>
  return %y : tensor<?x?x8xf32>
}

// -----

// There is no workspace for what is between two ops.
// expected-error @below {{unsupported (dynamic-shape): expects a function with run-time sizes to return all results of one dynamic convolution or op on states, of arguments, but got another one}}
func.func @two_of_run_time_sizes(%x: tensor<?x?x8xf32>, %k: tensor<?x?x8x4xf32>) -> tensor<?x?x8xf32> {
  %y = conv.dynamic_forward %x, %k order = BTGW : tensor<?x?x8xf32>, tensor<?x?x8x4xf32> -> tensor<?x?x8xf32>
  %z = conv.dynamic_forward %y, %k order = BTGW : tensor<?x?x8xf32>, tensor<?x?x8x4xf32> -> tensor<?x?x8xf32>
  return %z : tensor<?x?x8xf32>
}

// -----

// A size of no op has no name.
func.func @unused_run_time_size(%x: tensor<?x?x8xf32>, %k: tensor<?x?x8x4xf32>,
    // expected-error @below {{unsupported (dynamic-shape): expects run-time sizes of tensors that are used, but got 'tensor<?xf32>'}}
    %unused: tensor<?xf32>) -> tensor<?x?x8xf32> {
  %y = conv.dynamic_forward %x, %k order = BTGW : tensor<?x?x8xf32>, tensor<?x?x8x4xf32> -> tensor<?x?x8xf32>
  return %y : tensor<?x?x8xf32>
}

// -----

// Partial sums of larger groups would be in a workspace.
func.func @large_groups_of_run_time_sizes(%x: tensor<?x?x34xf32>, %dy: tensor<?x?x34xf32>) -> tensor<?x?x2x3xf32> {
  // expected-error @below {{unsupported (dynamic-shape): expects groups of at most 16 channels with run-time sizes or states of packed sequences, but got 17}}
  %dk = conv.dynamic_backward_kernel %x, %dy order = BTGW : tensor<?x?x34xf32>, tensor<?x?x34xf32> -> tensor<?x?x2x3xf32>
  return %dk : tensor<?x?x2x3xf32>
}

// -----

// No kernel is launched for nothing.
func.func @empty(%x: tensor<1x2x8x16xf16>, %w: tensor<3x3x16x4xf16>, %init: tensor<1x0x6x4xf32>) -> tensor<1x0x6x4xf32> {
  // expected-error @below {{unsupported (problem-size): expects positive sizes, but got 'tensor<1x0x6x4xf32>'}}
  %y = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<1x2x8x16xf16>, tensor<3x3x16x4xf16>) outs(%init : tensor<1x0x6x4xf32>) -> tensor<1x0x6x4xf32>
  return %y : tensor<1x0x6x4xf32>
}
