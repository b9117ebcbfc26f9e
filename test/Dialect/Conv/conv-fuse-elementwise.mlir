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
