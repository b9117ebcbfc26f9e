// RUN: conv-opt %s --conv-fuse-elementwise --split-input-file | FileCheck %s

#rows = affine_map<(n, k) -> (n, k)>
#vector = affine_map<(n, k) -> (k)>

// A chain is one op, in f32, and rounded once.
// CHECK-LABEL: func @chain
// CHECK-SAME:    %[[X:.+]]: tensor<4x8xf16>, %[[S:.+]]: tensor<8xf16>
// CHECK:         linalg.generic {{.*}} ins(%[[X]], %[[S]] : tensor<4x8xf16>, tensor<8xf16>)
// CHECK-NEXT:    ^bb0(%[[E:.+]]: f16, %[[F:.+]]: f16, %{{.+}}: f16):
// CHECK-DAG:       %[[E32:.+]] = arith.extf %[[E]] : f16 to f32
// CHECK-DAG:       %[[F32:.+]] = arith.extf %[[F]] : f16 to f32
// CHECK:           %[[M:.+]] = arith.mulf %[[E32]], %[[F32]] : f32
// CHECK-NOT:       arith.truncf
// CHECK:           %[[A:.+]] = math.absf %[[M]] : f32
// CHECK:           %[[R:.+]] = arith.truncf %[[A]] : f32 to f16
// CHECK:           linalg.yield %[[R]]
// CHECK-NOT:     linalg.generic
func.func @chain(%x: tensor<4x8xf16>, %s: tensor<8xf16>) -> tensor<4x8xf16> {
  %e = tensor.empty() : tensor<4x8xf16>
  %y = linalg.generic {indexing_maps = [#rows, #vector, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<4x8xf16>, tensor<8xf16>) outs(%e : tensor<4x8xf16>) {
  ^bb0(%a: f16, %b: f16, %o: f16):
    %m = arith.mulf %a, %b : f16
    linalg.yield %m : f16
  } -> tensor<4x8xf16>
  %z = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<4x8xf16>) outs(%e : tensor<4x8xf16>) {
  ^bb0(%a: f16, %o: f16):
    %m = math.absf %a : f16
    linalg.yield %m : f16
  } -> tensor<4x8xf16>
  return %z : tensor<4x8xf16>
}

// -----

#rows = affine_map<(n, k) -> (n, k)>

// What two ops read is stored once.
// CHECK-LABEL: func @two_uses
// CHECK-COUNT-3: linalg.generic
// CHECK-NOT:     linalg.generic
func.func @two_uses(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %e = tensor.empty() : tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = math.absf %a : f32
    linalg.yield %m : f32
  } -> tensor<4x8xf32>
  %z = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = math.sqrt %a : f32
    linalg.yield %m : f32
  } -> tensor<4x8xf32>
  %w = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = math.tanh %a : f32
    linalg.yield %m : f32
  } -> tensor<4x8xf32>
  return %z, %w : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

#rows = affine_map<(n, k) -> (n, k)>

// Left alone: the bits of f16 are not those of the same number in f32.
// CHECK-LABEL: func @bits
// CHECK:         arith.bitcast {{.*}} : f16 to i16
func.func @bits(%x: tensor<4x8xf16>) -> tensor<4x8xi16> {
  %e = tensor.empty() : tensor<4x8xi16>
  %y = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf16>) outs(%e : tensor<4x8xi16>) {
  ^bb0(%a: f16, %o: i16):
    %m = arith.bitcast %a : f16 to i16
    linalg.yield %m : i16
  } -> tensor<4x8xi16>
  return %y : tensor<4x8xi16>
}

// -----

#window = #conv.window<strides = [1], dilations = [1], low = [0], high = [0]>
#layouts = #conv.layouts<"NWC", "KSC", "NQK">
#all = affine_map<(n, q, k) -> (n, q, k)>

// A slice is read where it is: the start of a tensor modulo its size.
// CHECK-DAG: #[[START:.+]] = affine_map<(d0, d1, d2) -> (0, d1, d2 mod 8)>
// CHECK-DAG: #[[EVERY:.+]] = affine_map<(d0, d1, d2) -> (0, d1, d2 * 2 + 1)>
// CHECK-LABEL: func @halves
// CHECK:         %[[Y:.+]] = conv.forward
// CHECK-NOT:     tensor.extract_slice
// CHECK:         linalg.generic {indexing_maps = [#[[START]], #[[EVERY]], #{{.+}}], {{.*}} ins(%[[Y]], %[[Y]] :
// CHECK:           arith.mulf
// CHECK-NOT:     linalg.generic
func.func @halves(%x: tensor<1x5x3xf32>, %w: tensor<8x1x3xf32>) -> tensor<1x5x4xf32> {
  %y = conv.forward %x, %w window = #window layouts = #layouts : tensor<1x5x3xf32>, tensor<8x1x3xf32> -> tensor<1x5x8xf32>
  %a = tensor.extract_slice %y[0, 0, 0] [1, 5, 4] [1, 1, 1] : tensor<1x5x8xf32> to tensor<1x5x4xf32>
  %b = tensor.extract_slice %y[0, 0, 1] [1, 5, 4] [1, 1, 2] : tensor<1x5x8xf32> to tensor<1x5x4xf32>
  %e = tensor.empty() : tensor<1x5x4xf32>
  %z = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a, %b : tensor<1x5x4xf32>, tensor<1x5x4xf32>) outs(%e : tensor<1x5x4xf32>) {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %m = arith.mulf %v, %u : f32
    linalg.yield %m : f32
  } -> tensor<1x5x4xf32>
  return %z : tensor<1x5x4xf32>
}

// -----

#window = #conv.window<strides = [1], dilations = [1], low = [0], high = [0]>
#layouts = #conv.layouts<"NWC", "KSC", "NQK">
#all = affine_map<(n, q, k) -> (n, q, k)>

// The nearest of each position, computed from numbers with fractions, is a repetition: a loop that the source lacks.
// CHECK-DAG: #[[REPEAT:.+]] = affine_map<(d0, d1, d2, d3) -> (0, d1, d3)>
// CHECK-LABEL: func @nearest
// CHECK-SAME:    %[[X:[^:]+]]: tensor<1x5x3xf32>
// CHECK:         %[[G:.+]] = linalg.generic {indexing_maps = [#[[REPEAT]], {{.*}} ins(%[[X]] :
// CHECK:         } -> tensor<1x5x2x3xf32>
// CHECK:         tensor.collapse_shape %[[G]] {{\[\[}}0], [1, 2], [3]]
// CHECK:         conv.forward
func.func @nearest(%x: tensor<1x5x3xf32>, %w: tensor<8x1x3xf32>) -> tensor<1x10x8xf32> {
  %two = arith.constant 2.0 : f32
  %zero = arith.constant 0.0 : f32
  %last = arith.constant 4.0 : f32
  %e = tensor.empty() : tensor<1x10x3xf32>
  %u = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel", "parallel"]} outs(%e : tensor<1x10x3xf32>) {
  ^bb0(%o: f32):
    %n = linalg.index 0 : index
    %q = linalg.index 1 : index
    %c = linalg.index 2 : index
    %i = arith.index_cast %q : index to i64
    %f = arith.sitofp %i : i64 to f32
    %d = arith.divf %f, %two : f32
    %g = math.floor %d : f32
    %h = arith.maximumf %g, %zero : f32
    %k = arith.minimumf %h, %last : f32
    %j = arith.fptosi %k : f32 to i64
    %at = arith.index_cast %j : i64 to index
    %v = tensor.extract %x[%n, %at, %c] : tensor<1x5x3xf32>
    linalg.yield %v : f32
  } -> tensor<1x10x3xf32>
  %y = conv.forward %u, %w window = #window layouts = #layouts : tensor<1x10x3xf32>, tensor<8x1x3xf32> -> tensor<1x10x8xf32>
  return %y : tensor<1x10x8xf32>
}

// -----

#window = #conv.window<strides = [1], dilations = [1], low = [0], high = [0]>
#layouts = #conv.layouts<"NWC", "KSC", "NQK">

// Insertions that fill a tensor, in whichever order, are a concatenation; those that leave something are not.
// CHECK-LABEL: func @insertions
// CHECK-SAME:    %[[X:[^:]+]]: tensor<1x5x3xf32>
// CHECK:         %[[Y:.+]] = conv.forward
// CHECK:         tensor.concat dim(2) %[[X]], %[[Y]] : (tensor<1x5x3xf32>, tensor<1x5x8xf32>) -> tensor<1x5x11xf32>
// CHECK:         tensor.insert_slice
// CHECK-NOT:     tensor.concat
func.func @insertions(%x: tensor<1x5x3xf32>, %w: tensor<8x1x3xf32>) -> (tensor<1x5x11xf32>, tensor<1x5x12xf32>) {
  %y = conv.forward %x, %w window = #window layouts = #layouts : tensor<1x5x3xf32>, tensor<8x1x3xf32> -> tensor<1x5x8xf32>
  %e = tensor.empty() : tensor<1x5x11xf32>
  %a = tensor.insert_slice %y into %e[0, 0, 3] [1, 5, 8] [1, 1, 1] : tensor<1x5x8xf32> into tensor<1x5x11xf32>
  %b = tensor.insert_slice %x into %a[0, 0, 0] [1, 5, 3] [1, 1, 1] : tensor<1x5x3xf32> into tensor<1x5x11xf32>
  %f = tensor.empty() : tensor<1x5x12xf32>
  %c = tensor.insert_slice %y into %f[0, 0, 3] [1, 5, 8] [1, 1, 1] : tensor<1x5x8xf32> into tensor<1x5x12xf32>
  %d = tensor.insert_slice %x into %c[0, 0, 0] [1, 5, 3] [1, 1, 1] : tensor<1x5x3xf32> into tensor<1x5x12xf32>
  return %b, %d : tensor<1x5x11xf32>, tensor<1x5x12xf32>
}

// -----

// Left alone: elements that are vectors.
// CHECK-LABEL: @vectors
// CHECK: linalg.yield %{{.+}} : vector<4xf32>
func.func @vectors() -> tensor<2xvector<4xf32>> {
  %v = arith.constant dense<1.0> : vector<4xf32>
  %e = tensor.empty() : tensor<2xvector<4xf32>>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e : tensor<2xvector<4xf32>>) {
  ^bb0(%o: vector<4xf32>):
    linalg.yield %v : vector<4xf32>
  } -> tensor<2xvector<4xf32>>
  return %y : tensor<2xvector<4xf32>>
}
