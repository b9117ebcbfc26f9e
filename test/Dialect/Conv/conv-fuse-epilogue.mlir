// RUN: conv-opt %s --conv-fuse-epilogue --split-input-file | FileCheck %s

#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
#layouts = #conv.layouts<"NHWC", "KRSC", "NPQK">
#nhwc = affine_map<(n, p, q, k) -> (n, p, q, k)>
#channel = affine_map<(n, p, q, k) -> (k)>

// The picture of the pass's description: the sum is widened and rounded once.
// CHECK-LABEL: @bias
// CHECK-SAME: %[[X:[^:]+]]: tensor<1x8x8x16xf16>, %[[W:[^:]+]]: tensor<32x3x3x16xf16>, %[[B:[^:]+]]: tensor<32xf16>
func.func @bias(%x: tensor<1x8x8x16xf16>, %w: tensor<32x3x3x16xf16>, %b: tensor<32xf16>) -> tensor<1x8x8x32xf16> {
  // CHECK-NEXT: %[[Y:.+]] = conv.forward %[[X]], %[[W]]
  // CHECK-SAME: epilogue(%[[B]] : tensor<32xf16>) {
  // CHECK-NEXT: ^bb0(%[[ACC:.+]]: f32, %[[E:.+]]: f16):
  // CHECK-NEXT: %[[E32:.+]] = arith.extf %[[E]] : f16 to f32
  // CHECK-NEXT: %[[S:.+]] = arith.addf %[[ACC]], %[[E32]] : f32
  // CHECK-NEXT: %[[R:.+]] = arith.truncf %[[S]] : f32 to f16
  // CHECK-NEXT: conv.yield %[[R]] : f16
  // CHECK-NEXT: } : {{.*}} -> tensor<1x8x8x32xf16>
  // CHECK-NEXT: return %[[Y]]
  %c = conv.forward %x, %w window = #window layouts = #layouts
      : tensor<1x8x8x16xf16>, tensor<32x3x3x16xf16> -> tensor<1x8x8x32xf16>
  %e = tensor.empty() : tensor<1x8x8x32xf16>
  %y = linalg.generic {indexing_maps = [#nhwc, #channel, #nhwc], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%c, %b : tensor<1x8x8x32xf16>, tensor<32xf16>) outs(%e : tensor<1x8x8x32xf16>) {
  ^bb0(%acc: f16, %be: f16, %o: f16):
    %s = arith.addf %acc, %be : f16
    linalg.yield %s : f16
  } -> tensor<1x8x8x32xf16>
  return %y : tensor<1x8x8x32xf16>
}

// -----

#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
#layouts = #conv.layouts<"NHWC", "KRSC", "NPQK">

// Named ops, a map, ops on tensors and a broadcast; the result branches and joins (silu). Constants are scalars.
// CHECK-LABEL: @silu_residual
// CHECK-SAME: %[[B:[^:]+]]: tensor<32xf32>, %[[R:[^:]+]]: tensor<1x8x8x32xf32>)
func.func @silu_residual(%x: tensor<1x8x8x16xf32>, %w: tensor<32x3x3x16xf32>, %b: tensor<32xf32>,
                         %r: tensor<1x8x8x32xf32>) -> tensor<1x8x8x32xf32> {
  // CHECK-NEXT: conv.forward
  // CHECK-SAME: epilogue(%[[B]] : tensor<32xf32>, %[[R]] : tensor<1x8x8x32xf32>)
  // CHECK-NEXT: ^bb0(%[[ACC:.+]]: f32, %[[BE:.+]]: f32, %[[RE:.+]]: f32):
  // CHECK-NEXT: %[[SUM:.+]] = arith.addf %[[ACC]], %[[BE]] : f32
  // CHECK-NEXT: %[[NEG:.+]] = arith.negf %[[SUM]] : f32
  // CHECK-NEXT: %[[EXP:.+]] = math.exp %[[NEG]] : f32
  // CHECK-NEXT: %[[ONE:.+]] = arith.constant 1.0{{.*}} : f32
  // CHECK-NEXT: %[[DEN:.+]] = arith.addf %[[EXP]], %[[ONE]] : f32
  // CHECK-NEXT: %[[SILU:.+]] = arith.divf %[[SUM]], %[[DEN]] : f32
  // CHECK-NEXT: %[[OUT:.+]] = arith.addf %[[SILU]], %[[RE]] : f32
  // CHECK-NEXT: conv.yield %[[OUT]] : f32
  // CHECK-NEXT: }
  // CHECK-NEXT: return
  %c = conv.forward %x, %w window = #window layouts = #layouts
      : tensor<1x8x8x16xf32>, tensor<32x3x3x16xf32> -> tensor<1x8x8x32xf32>
  %e = tensor.empty() : tensor<1x8x8x32xf32>
  %be = linalg.broadcast ins(%b : tensor<32xf32>) outs(%e : tensor<1x8x8x32xf32>) dimensions = [0, 1, 2]
  %s = linalg.add ins(%c, %be : tensor<1x8x8x32xf32>, tensor<1x8x8x32xf32>) outs(%e : tensor<1x8x8x32xf32>) -> tensor<1x8x8x32xf32>
  %neg = linalg.negf ins(%s : tensor<1x8x8x32xf32>) outs(%e : tensor<1x8x8x32xf32>) -> tensor<1x8x8x32xf32>
  %exp = linalg.map {math.exp} ins(%neg : tensor<1x8x8x32xf32>) outs(%e : tensor<1x8x8x32xf32>)
  %one = arith.constant 1.0 : f32
  %ones = linalg.fill ins(%one : f32) outs(%e : tensor<1x8x8x32xf32>) -> tensor<1x8x8x32xf32>
  %den = linalg.elementwise kind=#linalg.elementwise_kind<add> ins(%exp, %ones : tensor<1x8x8x32xf32>, tensor<1x8x8x32xf32>)
      outs(%e : tensor<1x8x8x32xf32>) -> tensor<1x8x8x32xf32>
  %silu = arith.divf %s, %den : tensor<1x8x8x32xf32>
  %y = arith.addf %silu, %r : tensor<1x8x8x32xf32>
  return %y : tensor<1x8x8x32xf32>
}

// -----

#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
#layouts = #conv.layouts<"NHWC", "KRSC", "NPQK">
#nhwc = affine_map<(n, p, q, k) -> (n, p, q, k)>

// Rounding to 16 bits and extending again in between disappears; constants are widened exactly.
// CHECK-LABEL: @conversions
func.func @conversions(%x: tensor<1x8x8x16xbf16>, %w: tensor<32x3x3x16xbf16>) -> tensor<1x8x8x32xf32> {
  // CHECK: ^bb0(%[[ACC:.+]]: f32):
  // CHECK-NEXT: %[[SIX:.+]] = arith.constant 0.0999755859 : f32
  // CHECK-NEXT: %[[MIN:.+]] = arith.minimumf %[[ACC]], %[[SIX]] : f32
  // CHECK-NEXT: %[[TANH:.+]] = math.tanh %[[MIN]] : f32
  // CHECK-NEXT: conv.yield %[[TANH]] : f32
  %c = conv.forward %x, %w window = #window layouts = #layouts
      : tensor<1x8x8x16xbf16>, tensor<32x3x3x16xbf16> -> tensor<1x8x8x32xf32>
  %e16 = tensor.empty() : tensor<1x8x8x32xf16>
  %e32 = tensor.empty() : tensor<1x8x8x32xf32>
  %0 = linalg.generic {indexing_maps = [#nhwc, #nhwc], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%c : tensor<1x8x8x32xf32>) outs(%e16 : tensor<1x8x8x32xf16>) {
  ^bb0(%a: f32, %o: f16):
    %h = arith.truncf %a : f32 to f16
    %tenth = arith.constant 0.1 : f16
    %m = arith.minimumf %h, %tenth : f16
    linalg.yield %m : f16
  } -> tensor<1x8x8x32xf16>
  %1 = linalg.generic {indexing_maps = [#nhwc, #nhwc], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%0 : tensor<1x8x8x32xf16>) outs(%e32 : tensor<1x8x8x32xf32>) {
  ^bb0(%a: f16, %o: f32):
    %f = arith.extf %a : f16 to f32
    %t = math.tanh %f : f32
    linalg.yield %t : f32
  } -> tensor<1x8x8x32xf32>
  return %1 : tensor<1x8x8x32xf32>
}

// -----

#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
#layouts = #conv.layouts<"NHWC", "KRSC", "NPQK">

// An epilogue that is there already comes first.
// CHECK-LABEL: @existing_epilogue
// CHECK-SAME: %[[B:[^:]+]]: tensor<32xf16>, %[[R:[^:]+]]: tensor<1x8x8x32xf16>)
func.func @existing_epilogue(%x: tensor<1x8x8x16xf16>, %w: tensor<32x3x3x16xf16>, %b: tensor<32xf16>,
                         %r: tensor<1x8x8x32xf16>) -> tensor<1x8x8x32xf16> {
  // CHECK: epilogue(%[[B]] : tensor<32xf16>, %[[R]] : tensor<1x8x8x32xf16>)
  // CHECK-NEXT: ^bb0(%[[ACC:.+]]: f32, %[[BE:.+]]: f16, %[[RE:.+]]: f16):
  // CHECK-NEXT: %[[B32:.+]] = arith.extf %[[BE]]
  // CHECK-NEXT: %[[S:.+]] = arith.addf %[[ACC]], %[[B32]] : f32
  // CHECK-NEXT: %[[R32:.+]] = arith.extf %[[RE]]
  // CHECK-NEXT: %[[T:.+]] = arith.addf %[[S]], %[[R32]] : f32
  // CHECK-NEXT: arith.truncf %[[T]] : f32 to f16
  // CHECK: {conv.note = "kept"}
  %c = conv.forward %x, %w window = #window layouts = #layouts
      epilogue(%b : tensor<32xf16>) {
      ^bb0(%acc: f32, %be: f16):
        %b32 = arith.extf %be : f16 to f32
        %s = arith.addf %acc, %b32 : f32
        %h = arith.truncf %s : f32 to f16
        conv.yield %h : f16
      } {conv.note = "kept"} : tensor<1x8x8x16xf16>, tensor<32x3x3x16xf16> -> tensor<1x8x8x32xf16>
  %y = arith.addf %c, %r : tensor<1x8x8x32xf16>
  return %y : tensor<1x8x8x32xf16>
}

// -----

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#layouts = #conv.layouts<"NHWC", "KRSC", "NPQK">

// A residual block: the sum goes into the later convolution, the relu between them into the earlier.
// CHECK-LABEL: @two_convolutions
func.func @two_convolutions(%x: tensor<1x4x4x8xf16>, %w1: tensor<8x1x1x8xf16>, %w2: tensor<8x1x1x8xf16>,
                            %w3: tensor<8x1x1x8xf16>) -> tensor<1x4x4x8xf16> {
  // CHECK: %[[A:.+]] = conv.forward {{.*}} epilogue() {
  // CHECK: arith.maximumf
  // CHECK: %[[SHORT:.+]] = conv.forward %{{.+}}, %{{.+}} window = {{.*}} layouts = <"NHWC", "KRSC", "NPQK"> :
  // CHECK: conv.forward %[[A]], {{.*}} epilogue(%[[SHORT]] : tensor<1x4x4x8xf16>)
  // CHECK: arith.addf
  // CHECK: return
  %zero = arith.constant dense<0.0> : tensor<1x4x4x8xf16>
  %c1 = conv.forward %x, %w1 window = #unit layouts = #layouts : tensor<1x4x4x8xf16>, tensor<8x1x1x8xf16> -> tensor<1x4x4x8xf16>
  %a = arith.maximumf %c1, %zero : tensor<1x4x4x8xf16>
  %short = conv.forward %x, %w3 window = #unit layouts = #layouts : tensor<1x4x4x8xf16>, tensor<8x1x1x8xf16> -> tensor<1x4x4x8xf16>
  %c2 = conv.forward %a, %w2 window = #unit layouts = #layouts : tensor<1x4x4x8xf16>, tensor<8x1x1x8xf16> -> tensor<1x4x4x8xf16>
  %y = arith.addf %c2, %short : tensor<1x4x4x8xf16>
  return %y : tensor<1x4x4x8xf16>
}

// -----

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#layouts = #conv.layouts<"NHWC", "KRSC", "NPQK">

// A result that is needed elsewhere is where fusion stops: the relu is fused, the tanh is not.
// CHECK-LABEL: @used_elsewhere
func.func @used_elsewhere(%x: tensor<1x4x4x8xf32>, %w: tensor<8x1x1x8xf32>) -> (tensor<1x4x4x8xf32>, tensor<1x4x4x8xf32>) {
  // CHECK: %[[C:.+]] = conv.forward {{.*}} epilogue() {
  // CHECK: arith.maximumf
  // CHECK: %[[T:.+]] = linalg.generic {{.*}} ins(%[[C]] : tensor<1x4x4x8xf32>)
  // CHECK: math.tanh
  // CHECK: return %[[C]], %[[T]]
  %zero = arith.constant dense<0.0> : tensor<1x4x4x8xf32>
  %c = conv.forward %x, %w window = #unit layouts = #layouts : tensor<1x4x4x8xf32>, tensor<8x1x1x8xf32> -> tensor<1x4x4x8xf32>
  %a = arith.maximumf %c, %zero : tensor<1x4x4x8xf32>
  %y = math.tanh %a : tensor<1x4x4x8xf32>
  return %a, %y : tensor<1x4x4x8xf32>, tensor<1x4x4x8xf32>
}

// -----

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#layouts = #conv.layouts<"NHWC", "KRSC", "NPQK">

// Two branches that leave separately: nothing is fused.
// CHECK-LABEL: @two_exits
func.func @two_exits(%x: tensor<1x4x4x8xf32>, %w: tensor<8x1x1x8xf32>) -> (tensor<1x4x4x8xf32>, tensor<1x4x4x8xf32>) {
  // CHECK-NOT: epilogue
  %c = conv.forward %x, %w window = #unit layouts = #layouts : tensor<1x4x4x8xf32>, tensor<8x1x1x8xf32> -> tensor<1x4x4x8xf32>
  %a = math.absf %c : tensor<1x4x4x8xf32>
  %b = math.tanh %c : tensor<1x4x4x8xf32>
  return %a, %b : tensor<1x4x4x8xf32>, tensor<1x4x4x8xf32>
}

// -----

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#layouts = #conv.layouts<"NHWC", "KRSC", "NPQK">

// The sum depends on the first convolution also through the second: only the second can take it.
// CHECK-LABEL: @around_a_convolution
func.func @around_a_convolution(%x: tensor<1x4x4x8xf32>, %w: tensor<8x1x1x8xf32>) -> tensor<1x4x4x8xf32> {
  // CHECK: %[[C1:.+]] = conv.forward {{.*}} layouts = <"NHWC", "KRSC", "NPQK"> :
  // CHECK: conv.forward %[[C1]], {{.*}} epilogue(%[[C1]] : tensor<1x4x4x8xf32>)
  %c1 = conv.forward %x, %w window = #unit layouts = #layouts : tensor<1x4x4x8xf32>, tensor<8x1x1x8xf32> -> tensor<1x4x4x8xf32>
  %c2 = conv.forward %c1, %w window = #unit layouts = #layouts : tensor<1x4x4x8xf32>, tensor<8x1x1x8xf32> -> tensor<1x4x4x8xf32>
  %y = arith.addf %c1, %c2 : tensor<1x4x4x8xf32>
  return %y : tensor<1x4x4x8xf32>
}

// -----

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#layouts = #conv.layouts<"NHWC", "KRSC", "NPQK">
#nhwc = affine_map<(n, p, q, k) -> (n, p, q, k)>
#swapped = affine_map<(n, p, q, k) -> (n, q, p, k)>
#pixel = affine_map<(n, p, q, k) -> (q)>

// Left alone: a transposed result, one element per column, a scalar that is not constant.
// CHECK-LABEL: @other_accesses
func.func @other_accesses(%x: tensor<1x4x4x4xf32>, %w: tensor<4x1x1x4xf32>, %v: tensor<4xf32>, %s: f32)
    -> (tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>) {
  // CHECK-NOT: epilogue
  %e = tensor.empty() : tensor<1x4x4x4xf32>
  %c0 = conv.forward %x, %w window = #unit layouts = #layouts : tensor<1x4x4x4xf32>, tensor<4x1x1x4xf32> -> tensor<1x4x4x4xf32>
  %y0 = linalg.generic {indexing_maps = [#swapped, #nhwc], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%c0 : tensor<1x4x4x4xf32>) outs(%e : tensor<1x4x4x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<1x4x4x4xf32>
  %c1 = conv.forward %x, %w window = #unit layouts = #layouts : tensor<1x4x4x4xf32>, tensor<4x1x1x4xf32> -> tensor<1x4x4x4xf32>
  %y1 = linalg.generic {indexing_maps = [#nhwc, #pixel, #nhwc], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%c1, %v : tensor<1x4x4x4xf32>, tensor<4xf32>) outs(%e : tensor<1x4x4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    linalg.yield %m : f32
  } -> tensor<1x4x4x4xf32>
  %c2 = conv.forward %x, %w window = #unit layouts = #layouts : tensor<1x4x4x4xf32>, tensor<4x1x1x4xf32> -> tensor<1x4x4x4xf32>
  %y2 = linalg.generic {indexing_maps = [#nhwc, #nhwc], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%c2 : tensor<1x4x4x4xf32>) outs(%e : tensor<1x4x4x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.mulf %a, %s : f32
    linalg.yield %m : f32
  } -> tensor<1x4x4x4xf32>
  return %y0, %y1, %y2 : tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>
}

// -----

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#layouts = #conv.layouts<"NHWC", "KRSC", "NPQK">
#nhwc = affine_map<(n, p, q, k) -> (n, p, q, k)>
#bias = affine_map<(n, p, q, k) -> (0, 0, 0, k)>

// A bias with dimensions of size 1, expanded from a vector: the vector is read, converted in the epilogue.
// CHECK-LABEL: @unit_dimensions
// CHECK-SAME: %[[B:[^:]+]]: tensor<8xf16>)
func.func @unit_dimensions(%x: tensor<1x4x4x8xf32>, %w: tensor<8x1x1x8xf32>, %b: tensor<8xf16>) -> tensor<1x4x4x8xf32> {
  // CHECK-NEXT: conv.forward {{.*}} epilogue(%[[B]] : tensor<8xf16>)
  // CHECK: arith.extf
  // CHECK: arith.addf
  %c = conv.forward %x, %w window = #unit layouts = #layouts : tensor<1x4x4x8xf32>, tensor<8x1x1x8xf32> -> tensor<1x4x4x8xf32>
  %b32 = arith.extf %b : tensor<8xf16> to tensor<8xf32>
  %b4 = tensor.expand_shape %b32 [[0, 1, 2, 3]] output_shape [1, 1, 1, 8] : tensor<8xf32> into tensor<1x1x1x8xf32>
  %e = tensor.empty() : tensor<1x4x4x8xf32>
  %y = linalg.generic {indexing_maps = [#nhwc, #bias, #nhwc], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%c, %b4 : tensor<1x4x4x8xf32>, tensor<1x1x1x8xf32>) outs(%e : tensor<1x4x4x8xf32>) {
  ^bb0(%a: f32, %be: f32, %o: f32):
    %s = arith.addf %a, %be : f32
    linalg.yield %s : f32
  } -> tensor<1x4x4x8xf32>
  return %y : tensor<1x4x4x8xf32>
}

// -----

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#layouts = #conv.layouts<"NHWC", "KRSC", "NPQK">

// An init whose elements are read is an operand like others.
// CHECK-LABEL: @init_is_read
// CHECK-SAME: %[[R:[^:]+]]: tensor<1x4x4x8xf32>)
func.func @init_is_read(%x: tensor<1x4x4x8xf32>, %w: tensor<8x1x1x8xf32>, %r: tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32> {
  // CHECK-NEXT: conv.forward {{.*}} epilogue(%[[R]] : tensor<1x4x4x8xf32>)
  %c = conv.forward %x, %w window = #unit layouts = #layouts : tensor<1x4x4x8xf32>, tensor<8x1x1x8xf32> -> tensor<1x4x4x8xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, p, q, k) -> (n, p, q, k)>, affine_map<(n, p, q, k) -> (n, p, q, k)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%c : tensor<1x4x4x8xf32>) outs(%r : tensor<1x4x4x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %o : f32
    linalg.yield %s : f32
  } -> tensor<1x4x4x8xf32>
  return %y : tensor<1x4x4x8xf32>
}

// -----

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#layouts = #conv.layouts<"NHWC", "KRSC", "NPQK">

// Left alone: results of types that conv.forward does not have, and another rounding.
// CHECK-LABEL: @other_types
func.func @other_types(%x: tensor<1x4x4x8xf32>, %w: tensor<8x1x1x8xf32>)
    -> (tensor<1x4x4x8xf64>, tensor<1x4x4x8xi1>, tensor<1x4x4x8xf16>) {
  // CHECK-NOT: epilogue
  %c0 = conv.forward %x, %w window = #unit layouts = #layouts : tensor<1x4x4x8xf32>, tensor<8x1x1x8xf32> -> tensor<1x4x4x8xf32>
  %a = arith.extf %c0 : tensor<1x4x4x8xf32> to tensor<1x4x4x8xf64>
  %c1 = conv.forward %x, %w window = #unit layouts = #layouts : tensor<1x4x4x8xf32>, tensor<8x1x1x8xf32> -> tensor<1x4x4x8xf32>
  %b = arith.cmpf ogt, %c1, %x : tensor<1x4x4x8xf32>
  %c2 = conv.forward %x, %w window = #unit layouts = #layouts : tensor<1x4x4x8xf32>, tensor<8x1x1x8xf32> -> tensor<1x4x4x8xf32>
  %c = arith.truncf %c2 toward_zero : tensor<1x4x4x8xf32> to tensor<1x4x4x8xf16>
  return %a, %b, %c : tensor<1x4x4x8xf64>, tensor<1x4x4x8xi1>, tensor<1x4x4x8xf16>
}

// -----

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#layouts = #conv.layouts<"NHWC", "KRSC", "NPQK">

// Left alone: a use in another block.
// CHECK-LABEL: @other_block
func.func @other_block(%x: tensor<1x4x4x8xf32>, %w: tensor<8x1x1x8xf32>) -> tensor<1x4x4x8xf32> {
  // CHECK-NOT: epilogue
  // CHECK: math.absf
  %c = conv.forward %x, %w window = #unit layouts = #layouts : tensor<1x4x4x8xf32>, tensor<8x1x1x8xf32> -> tensor<1x4x4x8xf32>
  cf.br ^bb1
^bb1:
  %y = math.absf %c : tensor<1x4x4x8xf32>
  return %y : tensor<1x4x4x8xf32>
}

// -----

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#layouts = #conv.layouts<"NHWC", "KRSC", "NPQK">
#all = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#channel = affine_map<(d0, d1, d2, d3) -> (d3)>

// Backward data: vectors lie along C, and everything on the op is kept.
// CHECK-LABEL: @backward_data
// CHECK-SAME: %[[DY:[^:]+]]: tensor<1x4x4x16xf16>, %[[W:[^:]+]]: tensor<16x1x1x8xf16>, %[[V:[^:]+]]: tensor<8xf16>
func.func @backward_data(%dy: tensor<1x4x4x16xf16>, %w: tensor<16x1x1x8xf16>, %v: tensor<8xf16>) -> tensor<1x4x4x8xf16> {
  // CHECK: conv.backward_data %[[DY]], %[[W]] {{.*}} padding = circular epilogue(%[[V]] : tensor<8xf16>) {
  // CHECK: arith.mulf
  // CHECK: } {note = "kept"} : tensor<1x4x4x16xf16>, tensor<16x1x1x8xf16> -> tensor<1x4x4x8xf16>
  %c = conv.backward_data %dy, %w window = #unit layouts = #layouts padding = circular {note = "kept"}
      : tensor<1x4x4x16xf16>, tensor<16x1x1x8xf16> -> tensor<1x4x4x8xf16>
  %empty = tensor.empty() : tensor<1x4x4x8xf16>
  %y = linalg.generic {indexing_maps = [#all, #channel, #all],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%c, %v : tensor<1x4x4x8xf16>, tensor<8xf16>) outs(%empty : tensor<1x4x4x8xf16>) {
    ^bb0(%e: f16, %s: f16, %o: f16):
      %p = arith.mulf %e, %s : f16
      linalg.yield %p : f16
  } -> tensor<1x4x4x8xf16>
  return %y : tensor<1x4x4x8xf16>
}

// -----

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#layouts = #conv.layouts<"NHWC", "KRSC", "NPQK">

// Backward weight: a gradient that is there is a residual.
// CHECK-LABEL: @backward_weight
// CHECK-SAME: %[[BEFORE:[^:]+]]: tensor<16x1x1x8xf32>
func.func @backward_weight(%x: tensor<1x4x4x8xf16>, %dy: tensor<1x4x4x16xf16>, %before: tensor<16x1x1x8xf32>) -> tensor<16x1x1x8xf32> {
  // CHECK: conv.backward_weight {{.*}} epilogue(%[[BEFORE]] : tensor<16x1x1x8xf32>) {
  // CHECK-NOT: linalg
  %c = conv.backward_weight %x, %dy window = #unit layouts = #layouts
      : tensor<1x4x4x8xf16>, tensor<1x4x4x16xf16> -> tensor<16x1x1x8xf32>
  %y = arith.addf %c, %before : tensor<16x1x1x8xf32>
  return %y : tensor<16x1x1x8xf32>
}

// -----

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#layouts = #conv.layouts<"NHWC", "KRSC", "NPQK">
#rows = affine_map<(p, q, k) -> (p, q, k)>
#columns = affine_map<(p, q, k) -> (q, p, k)>

// A sum whose second part cannot be read where it is needed: the whole is read instead, and the first part is not.
// CHECK-LABEL: @half_of_a_residual
func.func @half_of_a_residual(%x: tensor<1x4x4x8xf32>, %w: tensor<8x1x1x8xf32>, %a: tensor<4x4x8xf32>, %b: tensor<4x4x8xf32>) -> tensor<1x4x4x8xf32> {
  // CHECK: %[[R:.+]] = tensor.expand_shape
  // CHECK-NEXT: conv.forward
  // CHECK-SAME: epilogue(%[[R]] : tensor<1x4x4x8xf32>) {
  // CHECK-NEXT: ^bb0(%[[ACC:.+]]: f32, %[[E:.+]]: f32):
  // CHECK-NEXT: %[[S:.+]] = arith.addf %[[ACC]], %[[E]] : f32
  // CHECK-NEXT: conv.yield %[[S]] : f32
  %c = conv.forward %x, %w window = #unit layouts = #layouts
      : tensor<1x4x4x8xf32>, tensor<8x1x1x8xf32> -> tensor<1x4x4x8xf32>
  %e = tensor.empty() : tensor<4x4x8xf32>
  %ab = linalg.generic {indexing_maps = [#rows, #columns, #rows], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a, %b : tensor<4x4x8xf32>, tensor<4x4x8xf32>) outs(%e : tensor<4x4x8xf32>) {
  ^bb0(%ae: f32, %be: f32, %o: f32):
    %s = arith.addf %ae, %be : f32
    linalg.yield %s : f32
  } -> tensor<4x4x8xf32>
  %r = tensor.expand_shape %ab [[0, 1], [2], [3]] output_shape [1, 4, 4, 8] : tensor<4x4x8xf32> into tensor<1x4x4x8xf32>
  %o = tensor.empty() : tensor<1x4x4x8xf32>
  %y = linalg.add ins(%c, %r : tensor<1x4x4x8xf32>, tensor<1x4x4x8xf32>) outs(%o : tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32>
  return %y : tensor<1x4x4x8xf32>
}

// -----

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#layouts = #conv.layouts<"NHWC", "KRSC", "NPQK">

// A residual block: what the first convolution's epilogue computes is the next one's input and the last one's residual. It
// is computed once.
// CHECK-LABEL: @identity_around
// CHECK: %[[A:.+]] = conv.forward
// CHECK-NEXT: ^bb0(%{{.+}}: f32):
// CHECK: math.absf
// CHECK: %[[B:.+]] = conv.forward %[[A]], %{{.+}}
// CHECK: conv.forward %[[B]], %{{.+}} epilogue(%[[A]] : tensor<1x4x4x8xf32>) {
// CHECK-NOT: math.absf
// CHECK: arith.addf
// CHECK-NOT: linalg
func.func @identity_around(%x: tensor<1x4x4x8xf32>, %w: tensor<8x1x1x8xf32>) -> tensor<1x4x4x8xf32> {
  %c = conv.forward %x, %w window = #unit layouts = #layouts
      : tensor<1x4x4x8xf32>, tensor<8x1x1x8xf32> -> tensor<1x4x4x8xf32>
  %a = math.absf %c : tensor<1x4x4x8xf32>
  %b = conv.forward %a, %w window = #unit layouts = #layouts
      : tensor<1x4x4x8xf32>, tensor<8x1x1x8xf32> -> tensor<1x4x4x8xf32>
  %d = conv.forward %b, %w window = #unit layouts = #layouts
      : tensor<1x4x4x8xf32>, tensor<8x1x1x8xf32> -> tensor<1x4x4x8xf32>
  %y = arith.addf %d, %a : tensor<1x4x4x8xf32>
  return %y : tensor<1x4x4x8xf32>
}

// -----

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#layouts = #conv.layouts<"NHWC", "KRSC", "NPQK">
#map = affine_map<(n, p, q, k) -> (n, p, q, k)>
#scalar = affine_map<(n, p, q, k) -> ()>

// Thresholds that an exporter compares with in f64. 0.1 lies between two numbers of f32: x <= 0.1 where x is at most the
// lower one, and x > 0.1 where it is above that. Halves are in f32.
// CHECK-LABEL: @compared_in_f64
// CHECK:      ^bb0(%[[ACC:.+]]: f32):
// CHECK-NOT:  f64
// CHECK:      %[[BELOW:.+]] = arith.constant 0.099999994 : f32
// CHECK-NEXT: arith.cmpf ole, %[[ACC]], %[[BELOW]] : f32
// CHECK-NEXT: %[[BELOW:.+]] = arith.constant 0.099999994 : f32
// CHECK-NEXT: arith.cmpf ule, %[[ACC]], %[[BELOW]] : f32
// CHECK-NEXT: %[[BELOW:.+]] = arith.constant 0.099999994 : f32
// CHECK-NEXT: arith.cmpf ogt, %[[ACC]], %[[BELOW]] : f32
// CHECK-NEXT: %[[HALF:.+]] = arith.constant 5.000000e-01 : f32
// CHECK-NEXT: arith.cmpf ult, %[[ACC]], %[[HALF]] : f32
// CHECK-NEXT: %[[BELOW:.+]] = arith.constant 0.099999994 : f32
// CHECK-NEXT: arith.cmpf false, %[[ACC]], %[[BELOW]] : f32
func.func @compared_in_f64(%x: tensor<1x4x4x8xf32>, %w: tensor<8x1x1x8xf32>) -> tensor<1x4x4x8xf32> {
  %tenth = arith.constant 0.1 : f64
  %half = arith.constant 0.5 : f64
  %c = conv.forward %x, %w window = #unit layouts = #layouts
      : tensor<1x4x4x8xf32>, tensor<8x1x1x8xf32> -> tensor<1x4x4x8xf32>
  %o = tensor.empty() : tensor<1x4x4x8xf32>
  %y = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%c : tensor<1x4x4x8xf32>) outs(%o : tensor<1x4x4x8xf32>) {
  ^bb0(%e: f32, %out: f32):
    %wide = arith.extf %e : f32 to f64
    %0 = arith.cmpf ole, %wide, %tenth : f64
    %1 = arith.cmpf ugt, %tenth, %wide : f64
    %2 = arith.cmpf oge, %wide, %tenth : f64
    %3 = arith.cmpf ult, %wide, %half : f64
    %4 = arith.cmpf oeq, %wide, %tenth : f64
    %01 = arith.andi %0, %1 : i1
    %23 = arith.ori %2, %3 : i1
    %all = arith.xori %01, %23 : i1
    %any = arith.xori %all, %4 : i1
    %zero = arith.constant 0.0 : f32
    %r = arith.select %any, %e, %zero : f32
    linalg.yield %r : f32
  } -> tensor<1x4x4x8xf32>
  return %y : tensor<1x4x4x8xf32>
}

// -----

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#layouts = #conv.layouts<"NHWC", "KRSC", "NPQK">
#map = affine_map<(n, p, q, k) -> (n, p, q, k)>
#scalar = affine_map<(n, p, q, k) -> ()>

// 1 - x, with the integer that the exporter has for 1.
// CHECK-LABEL: @converted_constant
// CHECK:      ^bb0(%[[ACC:.+]]: f32):
// CHECK-NEXT: %[[ONE:.+]] = arith.constant 1.000000e+00 : f32
// CHECK-NEXT: %[[R:.+]] = arith.subf %[[ONE]], %[[ACC]] : f32
// CHECK-NEXT: conv.yield %[[R]] : f32
func.func @converted_constant(%x: tensor<1x4x4x8xf32>, %w: tensor<8x1x1x8xf32>) -> tensor<1x4x4x8xf32> {
  %one = arith.constant dense<1> : tensor<i64>
  %c = conv.forward %x, %w window = #unit layouts = #layouts
      : tensor<1x4x4x8xf32>, tensor<8x1x1x8xf32> -> tensor<1x4x4x8xf32>
  %o = tensor.empty() : tensor<1x4x4x8xf32>
  %y = linalg.generic {indexing_maps = [#scalar, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%one, %c : tensor<i64>, tensor<1x4x4x8xf32>) outs(%o : tensor<1x4x4x8xf32>) {
  ^bb0(%i: i64, %e: f32, %out: f32):
    %f = arith.sitofp %i : i64 to f32
    %s = arith.subf %f, %e : f32
    linalg.yield %s : f32
  } -> tensor<1x4x4x8xf32>
  return %y : tensor<1x4x4x8xf32>
}

// -----

#unit = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#layouts = #conv.layouts<"NHWC", "KRSC", "NPQK">

// An epilogue that was given with its convolution rounds once, too.
// CHECK-LABEL: @given_epilogue
// CHECK:      ^bb0(%[[ACC:.+]]: f32, %[[B:.+]]: f16):
// CHECK-NEXT: %[[WIDE:.+]] = arith.extf %[[B]] : f16 to f32
// CHECK-NEXT: %[[SUM:.+]] = arith.addf %[[ACC]], %[[WIDE]] : f32
// CHECK-NEXT: %[[PRODUCT:.+]] = arith.mulf %[[SUM]], %[[WIDE]] : f32
// CHECK-NEXT: %[[R:.+]] = arith.truncf %[[PRODUCT]] : f32 to f16
// CHECK-NEXT: conv.yield %[[R]] : f16
func.func @given_epilogue(%x: tensor<1x4x4x8xf16>, %w: tensor<8x1x1x8xf16>, %b: tensor<8xf16>) -> tensor<1x4x4x8xf16> {
  %y = conv.forward %x, %w window = #unit layouts = #layouts epilogue(%b : tensor<8xf16>) {
  ^bb0(%acc: f32, %e: f16):
    %short = arith.truncf %acc : f32 to f16
    %sum = arith.addf %short, %e : f16
    %product = arith.mulf %sum, %e : f16
    conv.yield %product : f16
  } : tensor<1x4x4x8xf16>, tensor<8x1x1x8xf16> -> tensor<1x4x4x8xf16>
  return %y : tensor<1x4x4x8xf16>
}

// After a sum of integers, all operations round as they say.
// CHECK-LABEL: @after_integers
// CHECK: arith.mulf %{{.+}}, %{{.+}} : f16
func.func @after_integers(%x: tensor<1x4x4x8xi8>, %w: tensor<8x1x1x8xi8>, %b: tensor<8xf16>) -> tensor<1x4x4x8xf16> {
  %y = conv.forward %x, %w window = #unit layouts = #layouts epilogue(%b : tensor<8xf16>) {
  ^bb0(%acc: i32, %e: f16):
    %short = arith.sitofp %acc : i32 to f16
    %product = arith.mulf %short, %e : f16
    conv.yield %product : f16
  } : tensor<1x4x4x8xi8>, tensor<8x1x1x8xi8> -> tensor<1x4x4x8xf16>
  return %y : tensor<1x4x4x8xf16>
}
