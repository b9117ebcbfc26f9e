// RUN: conv-opt %s --conv-raise-linalg --split-input-file | FileCheck %s

// Padding moves into the window, and the layouts stay those of the named op.
// CHECK-LABEL: @pad_hwcf
// CHECK-SAME: %[[X:[^:]+]]: tensor<1x8x8x16xf16>, %[[W:[^:]+]]: tensor<3x3x16x32xf16>
func.func @pad_hwcf(%x: tensor<1x8x8x16xf16>, %w: tensor<3x3x16x32xf16>) -> tensor<1x4x7x32xf32> {
  %zero = arith.constant 0.0 : f16
  %zero32 = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 2, 0] high[0, 0, 3, 0] {
  ^bb0(%n: index, %h: index, %wi: index, %c: index):
    tensor.yield %zero : f16
  } : tensor<1x8x8x16xf16> to tensor<1x9x13x16xf16>
  %e = tensor.empty() : tensor<1x4x7x32xf32>
  %init = linalg.fill ins(%zero32 : f32) outs(%e : tensor<1x4x7x32xf32>) -> tensor<1x4x7x32xf32>
  // CHECK-NEXT: %[[Y:.+]] = conv.forward %[[X]], %[[W]]
  // CHECK-SAME: window = <strides = [2, 1], dilations = [1, 3], low = [1, 2], high = [0, 3]>
  // CHECK-SAME: layouts = <"NHWC", "RSCK", "NPQK"> : {{.*}} -> tensor<1x4x7x32xf32>
  // CHECK-NEXT: return %[[Y]]
  %y = linalg.conv_2d_nhwc_hwcf {strides = dense<[2, 1]> : tensor<2xi64>, dilations = dense<[1, 3]> : tensor<2xi64>}
      ins(%p, %w : tensor<1x9x13x16xf16>, tensor<3x3x16x32xf16>) outs(%init : tensor<1x4x7x32xf32>) -> tensor<1x4x7x32xf32>
  return %y : tensor<1x4x7x32xf32>
}

// -----

// A zero init may be a constant; 16-bit results are rounded once, by conv.forward.
// CHECK-LABEL: @fhwc
func.func @fhwc(%x: tensor<2x5x5x3xbf16>, %w: tensor<8x1x1x3xbf16>) -> tensor<2x5x5x8xbf16> {
  %init = arith.constant dense<0.0> : tensor<2x5x5x8xbf16>
  // CHECK-NEXT: conv.forward
  // CHECK-SAME: layouts = <"NHWC", "KRSC", "NPQK"> : {{.*}} -> tensor<2x5x5x8xbf16>
  // CHECK-NEXT: return
  %y = linalg.conv_2d_nhwc_fhwc
      ins(%x, %w : tensor<2x5x5x3xbf16>, tensor<8x1x1x3xbf16>) outs(%init : tensor<2x5x5x8xbf16>) -> tensor<2x5x5x8xbf16>
  return %y : tensor<2x5x5x8xbf16>
}

// -----

// What a convolution accumulates onto is added in f32 and rounded with it.
// CHECK-LABEL: @init
// CHECK-SAME: %[[INIT:[^:]+]]: tensor<1x5x5x8xf16>)
func.func @init(%x: tensor<1x5x5x3xf16>, %w: tensor<8x1x1x3xf16>, %init: tensor<1x5x5x8xf16>) -> tensor<1x5x5x8xf16> {
  // CHECK: %[[SUM:.+]] = conv.forward {{.*}} -> tensor<1x5x5x8xf32>
  // CHECK: linalg.generic {{.*}} ins(%[[SUM]], %[[INIT]] : tensor<1x5x5x8xf32>, tensor<1x5x5x8xf16>)
  // CHECK-NEXT: ^bb0(%[[S:.+]]: f32, %[[I:.+]]: f16, %{{.+}}: f16):
  // CHECK-NEXT: %[[I32:.+]] = arith.extf %[[I]] : f16 to f32
  // CHECK-NEXT: %[[T:.+]] = arith.addf %[[S]], %[[I32]] : f32
  // CHECK-NEXT: %[[R:.+]] = arith.truncf %[[T]] : f32 to f16
  // CHECK-NEXT: linalg.yield %[[R]] : f16
  %y = linalg.conv_2d_nhwc_fhwc
      ins(%x, %w : tensor<1x5x5x3xf16>, tensor<8x1x1x3xf16>) outs(%init : tensor<1x5x5x8xf16>) -> tensor<1x5x5x8xf16>
  return %y : tensor<1x5x5x8xf16>
}

// -----

// Other ranks, layouts and groups.
// CHECK-LABEL: @others
func.func @others(%x1: tensor<2x9x4xf32>, %w1: tensor<3x4x8xf32>, %i1: tensor<2x7x8xf32>,
                  %x2: tensor<1x2x4x6x6xf32>, %w2: tensor<2x8x4x3x3xf32>, %i2: tensor<1x2x8x4x4xf32>)
    -> (tensor<2x7x8xf32>, tensor<1x2x8x4x4xf32>) {
  // CHECK: layouts = <"NWC", "SCK", "NQK">
  %y1 = linalg.conv_1d_nwc_wcf ins(%x1, %w1 : tensor<2x9x4xf32>, tensor<3x4x8xf32>) outs(%i1 : tensor<2x7x8xf32>) -> tensor<2x7x8xf32>
  // CHECK: layouts = <"NGCHW", "GKCRS", "NGKPQ"> groups = 2
  %y2 = linalg.conv_2d_ngchw_gfchw ins(%x2, %w2 : tensor<1x2x4x6x6xf32>, tensor<2x8x4x3x3xf32>)
      outs(%i2 : tensor<1x2x8x4x4xf32>) -> tensor<1x2x8x4x4xf32>
  return %y1, %y2 : tensor<2x7x8xf32>, tensor<1x2x8x4x4xf32>
}

// -----

// Left alone: padding with another value than zero, padding of channels.
// CHECK-LABEL: @pads_to_keep
func.func @pads_to_keep(%x: tensor<1x4x4x2xf32>, %w: tensor<8x3x3x2xf32>, %w3: tensor<8x3x3x3xf32>,
                        %one: f32) -> (tensor<1x4x4x8xf32>, tensor<1x2x2x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %init = arith.constant dense<0.0> : tensor<1x4x4x8xf32>
  %init2 = arith.constant dense<0.0> : tensor<1x2x2x8xf32>
  // CHECK: tensor.pad %{{.+}} low[0, 1, 1, 0] high[0, 1, 1, 0]
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%n: index, %h: index, %wi: index, %c: index):
    tensor.yield %one : f32
  } : tensor<1x4x4x2xf32> to tensor<1x6x6x2xf32>
  // CHECK: conv.forward {{.*}} low = [0, 0], high = [0, 0]
  %y = linalg.conv_2d_nhwc_fhwc
      ins(%p, %w : tensor<1x6x6x2xf32>, tensor<8x3x3x2xf32>) outs(%init : tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32>
  // CHECK: tensor.pad %{{.+}} low[0, 0, 0, 0] high[0, 0, 0, 1]
  %q = tensor.pad %x low[0, 0, 0, 0] high[0, 0, 0, 1] {
  ^bb0(%n: index, %h: index, %wi: index, %c: index):
    tensor.yield %zero : f32
  } : tensor<1x4x4x2xf32> to tensor<1x4x4x3xf32>
  %z = linalg.conv_2d_nhwc_fhwc
      ins(%q, %w3 : tensor<1x4x4x3xf32>, tensor<8x3x3x3xf32>) outs(%init2 : tensor<1x2x2x8xf32>) -> tensor<1x2x2x8xf32>
  return %y, %z : tensor<1x4x4x8xf32>, tensor<1x2x2x8xf32>
}

// -----

// Left alone: dynamic sizes, f64, and a result that is cut off at the end (5 would fit 3 times).
// CHECK-LABEL: @left_alone
func.func @left_alone(%x: tensor<?x5x5x3xf32>, %x64: tensor<1x5x5x3xf64>, %x32: tensor<1x5x5x3xf32>, %w: tensor<8x3x3x3xf32>,
                      %w64: tensor<8x3x3x3xf64>, %i: tensor<?x3x3x8xf32>, %i64: tensor<1x3x3x8xf64>, %i32: tensor<1x2x3x8xf32>)
    -> (tensor<?x3x3x8xf32>, tensor<1x3x3x8xf64>, tensor<1x2x3x8xf32>) {
  // CHECK-NOT: conv.forward
  %a = linalg.conv_2d_nhwc_fhwc ins(%x, %w : tensor<?x5x5x3xf32>, tensor<8x3x3x3xf32>) outs(%i : tensor<?x3x3x8xf32>) -> tensor<?x3x3x8xf32>
  %b = linalg.conv_2d_nhwc_fhwc ins(%x64, %w64 : tensor<1x5x5x3xf64>, tensor<8x3x3x3xf64>) outs(%i64 : tensor<1x3x3x8xf64>) -> tensor<1x3x3x8xf64>
  %c = linalg.conv_2d_nhwc_fhwc ins(%x32, %w : tensor<1x5x5x3xf32>, tensor<8x3x3x3xf32>) outs(%i32 : tensor<1x2x3x8xf32>) -> tensor<1x2x3x8xf32>
  return %a, %b, %c : tensor<?x3x3x8xf32>, tensor<1x3x3x8xf64>, tensor<1x2x3x8xf32>
}

// -----

// Depthwise: groups of one channel are the channels; with a multiplier they stay a dimension. Padding is folded first.
// CHECK-LABEL: @depthwise
// CHECK-SAME: %[[X:[^:]+]]: tensor<1x7x7x6xf32>, %[[W:[^:]+]]: tensor<3x3x6xf32>, %[[WM:[^:]+]]: tensor<3x3x6x2xf32>
func.func @depthwise(%x: tensor<1x7x7x6xf32>, %w: tensor<3x3x6xf32>, %wm: tensor<3x3x6x2xf32>)
    -> (tensor<1x7x7x6xf32>, tensor<1x4x4x6x2xf32>) {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%n: index, %h: index, %wi: index, %c: index):
    tensor.yield %zero : f32
  } : tensor<1x7x7x6xf32> to tensor<1x9x9x6xf32>
  %i = arith.constant dense<0.0> : tensor<1x7x7x6xf32>
  %im = arith.constant dense<0.0> : tensor<1x4x4x6x2xf32>
  // CHECK: %[[W4:.+]] = tensor.expand_shape %[[W]] {{\[}}[0], [1], [2, 3]]
  // CHECK: conv.forward %[[X]], %[[W4]] {{.*}} low = [1, 1], high = [1, 1]> layouts = <"NHWC", "RSKC", "NPQK"> groups = 6
  %y = linalg.depthwise_conv_2d_nhwc_hwc ins(%p, %w : tensor<1x9x9x6xf32>, tensor<3x3x6xf32>) outs(%i : tensor<1x7x7x6xf32>) -> tensor<1x7x7x6xf32>
  // CHECK: %[[X5:.+]] = tensor.expand_shape %[[X]] {{\[}}[0], [1], [2], [3, 4]]
  // CHECK: conv.forward %[[X5]], %{{.+}} window = <strides = [2, 2], {{.*}} low = [1, 1], high = [1, 1]> layouts = <"NHWGC", "RSGKC", "NPQGK"> groups = 6
  %z = linalg.depthwise_conv_2d_nhwc_hwcm {strides = dense<2> : tensor<2xi64>}
      ins(%p, %wm : tensor<1x9x9x6xf32>, tensor<3x3x6x2xf32>) outs(%im : tensor<1x4x4x6x2xf32>) -> tensor<1x4x4x6x2xf32>
  return %y, %z : tensor<1x7x7x6xf32>, tensor<1x4x4x6x2xf32>
}

// -----

#x = affine_map<(n, k, p, q, c, r, s) -> (n, c, p * 2 + r * 3, q + s)>
#w = affine_map<(n, k, p, q, c, r, s) -> (r, c, s, k)>
#y = affine_map<(n, k, p, q, c, r, s) -> (k, q, n, p)>

// A generic is read by its loops, whatever their order and that of the tensors is, and the filter may come first.
// CHECK-LABEL: @generic
// CHECK-SAME: %[[X:[^:]+]]: tensor<2x5x11x8xf16>, %[[W:[^:]+]]: tensor<2x5x3x4xf16>
func.func @generic(%x: tensor<2x5x11x8xf16>, %w: tensor<2x5x3x4xf16>) -> tensor<4x6x2x4xf32> {
  %i = arith.constant dense<0.0> : tensor<4x6x2x4xf32>
  // CHECK: conv.forward %[[X]], %[[W]]
  // CHECK-SAME: window = <strides = [1, 2], dilations = [1, 3], low = [0, 0], high = [0, 0]>
  // CHECK-SAME: layouts = <"NCWH", "SCRK", "KPNQ">
  %y = linalg.generic {indexing_maps = [#w, #x, #y], iterator_types =
      ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%w, %x : tensor<2x5x3x4xf16>, tensor<2x5x11x8xf16>) outs(%i : tensor<4x6x2x4xf32>) {
  ^bb0(%b: f16, %a: f16, %acc: f32):
    %a32 = arith.extf %a : f16 to f32
    %b32 = arith.extf %b : f16 to f32
    %m = arith.mulf %a32, %b32 : f32
    %s = arith.addf %m, %acc : f32
    linalg.yield %s : f32
  } -> tensor<4x6x2x4xf32>
  return %y : tensor<4x6x2x4xf32>
}

// -----

// Channels that are missing have size 1; a loop that no window moves along is the batch.
#x = affine_map<(p, q, r) -> (p + r, q)>
#w = affine_map<(p, q, r) -> (r)>
#y = affine_map<(p, q, r) -> (p, q)>
// CHECK-LABEL: @missing_dimensions
func.func @missing_dimensions(%x: tensor<9x5xf32>, %w: tensor<3xf32>) -> tensor<7x5xf32> {
  %i = arith.constant dense<0.0> : tensor<7x5xf32>
  // CHECK: %[[Y:.+]] = conv.forward {{.*}} window = <strides = [1], dilations = [1], low = [0], high = [0]> layouts = <"WNC", "SKC", "QNK">
  // CHECK-SAME: tensor<9x5x1xf32>, tensor<3x1x1xf32> -> tensor<7x5x1xf32>
  // CHECK: tensor.collapse_shape %[[Y]]
  %y = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<9x5xf32>, tensor<3xf32>) outs(%i : tensor<7x5xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %m : f32
    linalg.yield %s : f32
  } -> tensor<7x5xf32>
  return %y : tensor<7x5xf32>
}

// -----

// Left alone: a matrix product, a pooling sum, and a filter that is read backwards.
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#x = affine_map<(p, r) -> (p - r + 2)>
#w = affine_map<(p, r) -> (r)>
#y = affine_map<(p, r) -> (p)>
// CHECK-LABEL: @other_loops
func.func @other_loops(%a: tensor<4x5xf32>, %b: tensor<5x6xf32>, %c: tensor<4x6xf32>, %x: tensor<1x9x9x2xf32>, %k: tensor<3x3xf32>,
                       %p: tensor<1x7x7x2xf32>, %l: tensor<9xf32>, %w: tensor<3xf32>, %y: tensor<7xf32>)
    -> (tensor<4x6xf32>, tensor<1x7x7x2xf32>, tensor<7xf32>) {
  // CHECK-NOT: conv.forward
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<4x5xf32>, tensor<5x6xf32>) outs(%c : tensor<4x6xf32>) {
  ^bb0(%e: f32, %f: f32, %acc: f32):
    %m = arith.mulf %e, %f : f32
    %s = arith.addf %acc, %m : f32
    linalg.yield %s : f32
  } -> tensor<4x6xf32>
  %1 = linalg.pooling_nhwc_sum ins(%x, %k : tensor<1x9x9x2xf32>, tensor<3x3xf32>) outs(%p : tensor<1x7x7x2xf32>) -> tensor<1x7x7x2xf32>
  %2 = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "reduction"]}
      ins(%l, %w : tensor<9xf32>, tensor<3xf32>) outs(%y : tensor<7xf32>) {
  ^bb0(%e: f32, %f: f32, %acc: f32):
    %m = arith.mulf %e, %f : f32
    %s = arith.addf %acc, %m : f32
    linalg.yield %s : f32
  } -> tensor<7xf32>
  return %0, %1, %2 : tensor<4x6xf32>, tensor<1x7x7x2xf32>, tensor<7xf32>
}

// -----

// Padding in front of the gradient of a filter is padding of its window, too.
// CHECK-LABEL: @pad_backward_weight
// CHECK-SAME: %[[X:[^:]+]]: tensor<1x8x8x4xf16>
func.func @pad_backward_weight(%x: tensor<1x8x8x4xf16>, %dy: tensor<1x8x8x16xf16>) -> tensor<16x3x3x4xf32> {
  %zero = arith.constant 0.0 : f16
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%n: index, %h: index, %wi: index, %c: index):
    tensor.yield %zero : f16
  } : tensor<1x8x8x4xf16> to tensor<1x10x10x4xf16>
  // CHECK: conv.backward_weight %[[X]], %{{.+}} low = [1, 1], high = [1, 1]>
  %dw = conv.backward_weight %p, %dy
      window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]> layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<1x10x10x4xf16>, tensor<1x8x8x16xf16> -> tensor<16x3x3x4xf32>
  return %dw : tensor<16x3x3x4xf32>
}

// -----

// A filter without dimensions has one element: all of its own are added.
// CHECK-LABEL: @scalar_filter
// CHECK-SAME: %[[X:[^:]+]]: tensor<9xf32>, %[[W:[^:]+]]: tensor<f32>
// CHECK-DAG: %[[INPUT:.+]] = tensor.expand_shape %[[X]] {{.+}} : tensor<9xf32> into tensor<9x1x1xf32>
// CHECK-DAG: %[[FILTER:.+]] = tensor.expand_shape %[[W]] [] output_shape [1, 1, 1] : tensor<f32> into tensor<1x1x1xf32>
// CHECK: conv.forward %[[INPUT]], %[[FILTER]] window = <strides = [2]
func.func @scalar_filter(%x: tensor<9xf32>, %w: tensor<f32>) -> tensor<5xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<5xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<5xf32>) -> tensor<5xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i * 2)>, affine_map<(i) -> ()>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}
      ins(%x, %w : tensor<9xf32>, tensor<f32>) outs(%init : tensor<5xf32>) {
  ^bb0(%e: f32, %f: f32, %acc: f32):
    %m = arith.mulf %e, %f : f32
    %s = arith.addf %acc, %m : f32
    linalg.yield %s : f32
  } -> tensor<5xf32>
  return %y : tensor<5xf32>
}

// -----

#x = affine_map<(n, p, q, k, r, s, c) -> (n, p + r, q + s, c)>
#w = affine_map<(n, p, q, k, r, s, c) -> (k, r, s, c)>
#y = affine_map<(n, p, q, k, r, s, c) -> (n, p, q, k)>

// Left alone: elements that are quantised to 8 bits, and a difference to the sum so far, which is no zero point.
// CHECK-LABEL: @other_products
func.func @other_products(%x: tensor<1x4x4x8xf32>, %w: tensor<2x3x3x8xf32>, %xi: tensor<1x4x4x8xi8>, %wi: tensor<2x3x3x8xi8>)
    -> (tensor<1x2x2x2xf32>, tensor<1x2x2x2xi32>) {
  %init = arith.constant dense<0.0> : tensor<1x2x2x2xf32>
  %initi = arith.constant dense<0> : tensor<1x2x2x2xi32>
  // CHECK-NOT: conv.forward
  %y = linalg.generic {indexing_maps = [#x, #w, #y],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<1x4x4x8xf32>, tensor<2x3x3x8xf32>) outs(%init : tensor<1x2x2x2xf32>) {
  ^bb0(%e: f32, %f: f32, %acc: f32):
    %q = arith.truncf %e : f32 to f8E4M3FN
    %d = arith.extf %q : f8E4M3FN to f32
    %m = arith.mulf %d, %f : f32
    %s = arith.addf %acc, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x2x2x2xf32>
  %yi = linalg.generic {indexing_maps = [#x, #w, #y],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%xi, %wi : tensor<1x4x4x8xi8>, tensor<2x3x3x8xi8>) outs(%initi : tensor<1x2x2x2xi32>) {
  ^bb0(%e: i8, %f: i8, %acc: i32):
    %a = arith.extsi %e : i8 to i32
    %b = arith.extsi %f : i8 to i32
    %d = arith.subi %a, %acc : i32
    %m = arith.muli %d, %b : i32
    %s = arith.addi %acc, %m : i32
    linalg.yield %s : i32
  } -> tensor<1x2x2x2xi32>
  return %y, %yi : tensor<1x2x2x2xf32>, tensor<1x2x2x2xi32>
}

// -----

// Left alone: convolutions without elements, also with zero points.
// CHECK-LABEL: @empty
func.func @empty(%x: tensor<1x2x8x16xi8>, %w: tensor<3x3x16x4xi8>, %f: tensor<1x1x16x0xi8>) -> (tensor<1x0x6x4xi32>, tensor<1x2x8x0xi32>) {
  %zp = arith.constant 3 : i32
  %y0 = arith.constant dense<0> : tensor<1x0x6x4xi32>
  %z0 = arith.constant dense<0> : tensor<1x2x8x0xi32>
  // CHECK-COUNT-2: linalg.conv_2d_nhwc_hwcf_q
  %y = linalg.conv_2d_nhwc_hwcf_q ins(%x, %w, %zp, %zp : tensor<1x2x8x16xi8>, tensor<3x3x16x4xi8>, i32, i32)
      outs(%y0 : tensor<1x0x6x4xi32>) -> tensor<1x0x6x4xi32>
  %z = linalg.conv_2d_nhwc_hwcf_q ins(%x, %f, %zp, %zp : tensor<1x2x8x16xi8>, tensor<1x1x16x0xi8>, i32, i32)
      outs(%z0 : tensor<1x2x8x0xi32>) -> tensor<1x2x8x0xi32>
  return %y, %z : tensor<1x0x6x4xi32>, tensor<1x2x8x0xi32>
}

// -----

#id = affine_map<(n, w, c) -> (n, w, c)>

// Positions are computed in the types of the program: a condition that holds is -1, and i8 wraps around. The first gather reads
// positions 0, 2, 3, 4, 4, 4; the second one 0 and then five times 4.
// CHECK-LABEL: @positions_in_their_types
// CHECK-NOT: padding = replicate
func.func @positions_in_their_types(%x: tensor<1x5x1xf32>, %w: tensor<1x1x1xf32>) -> (tensor<1x6x1xf32>, tensor<1x6x1xf32>) {
  %zero = arith.constant dense<0.0> : tensor<1x6x1xf32>
  %e = tensor.empty() : tensor<1x6x1xf32>
  %one = arith.constant 1 : index
  %four = arith.constant 4 : i32
  %many = arith.constant 127 : i8
  %most = arith.constant 4 : i8
  %g = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel", "parallel"]} outs(%e : tensor<1x6x1xf32>) {
  ^bb0(%o: f32):
    %n = linalg.index 0 : index
    %i = linalg.index 1 : index
    %c = linalg.index 2 : index
    %follows = arith.cmpi sge, %i, %one : index
    %minus = arith.extsi %follows : i1 to i32
    %j = arith.index_cast %i : index to i32
    %t = arith.subi %j, %minus : i32
    %m = arith.minsi %t, %four : i32
    %u = arith.index_cast %m : i32 to index
    %v = tensor.extract %x[%n, %u, %c] : tensor<1x5x1xf32>
    linalg.yield %v : f32
  } -> tensor<1x6x1xf32>
  %h = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel", "parallel"]} outs(%e : tensor<1x6x1xf32>) {
  ^bb0(%o: f32):
    %n = linalg.index 0 : index
    %i = linalg.index 1 : index
    %c = linalg.index 2 : index
    %j = arith.index_cast %i : index to i8
    %large = arith.addi %j, %many : i8
    %isLarge = arith.cmpi sge, %large, %most : i8
    %small = arith.subi %large, %many : i8
    %cut = arith.minsi %small, %most : i8
    %t = arith.select %isLarge, %cut, %most : i8
    %u = arith.index_cast %t : i8 to index
    %v = tensor.extract %x[%n, %u, %c] : tensor<1x5x1xf32>
    linalg.yield %v : f32
  } -> tensor<1x6x1xf32>
  %y = linalg.conv_1d_nwc_wcf ins(%g, %w : tensor<1x6x1xf32>, tensor<1x1x1xf32>) outs(%zero : tensor<1x6x1xf32>) -> tensor<1x6x1xf32>
  %z = linalg.conv_1d_nwc_wcf ins(%h, %w : tensor<1x6x1xf32>, tensor<1x1x1xf32>) outs(%zero : tensor<1x6x1xf32>) -> tensor<1x6x1xf32>
  return %y, %z : tensor<1x6x1xf32>, tensor<1x6x1xf32>
}

// -----

// Kept: the product of two unknown sizes may be split in another way.
// CHECK-LABEL: @unknown_sizes
// CHECK: tensor.collapse_shape
// CHECK: tensor.expand_shape
func.func @unknown_sizes(%x: tensor<?x?xf32>, %a: index, %b: index) -> tensor<?x?xf32> {
  %c = tensor.collapse_shape %x [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  %y = tensor.expand_shape %c [[0, 1]] output_shape [%a, %b] : tensor<?xf32> into tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
