// RUN: conv-opt %s --split-input-file --conv-fold-constants | FileCheck %s

#id = affine_map<(d0) -> (d0)>

// The first steps of a batch normalisation: 1 / sqrt(variance + epsilon), with
// the epsilon of a front end, and its assertion.
// CHECK-LABEL: func.func @inverse_deviation()
// CHECK: %[[S:.+]] = arith.constant dense<[1.000000e+00, 5.000000e-01]> : tensor<2xf32>
// CHECK-NEXT: return %[[S]]
func.func @inverse_deviation() -> tensor<2xf32> {
  %epsilon = arith.constant 5.0e-01 : f64
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %variance = arith.constant dense<[5.0e-01, 3.5]> : tensor<2xf32>
  %empty = tensor.empty() : tensor<2xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%variance : tensor<2xf32>) outs(%empty : tensor<2xf32>) {
    ^bb0(%e: f32, %o: f32):
      %t = arith.truncf %epsilon : f64 to f32
      %s = arith.addf %e, %t : f32
      linalg.yield %s : f32
  } -> tensor<2xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%0 : tensor<2xf32>) outs(%empty : tensor<2xf32>) {
    ^bb0(%e: f32, %o: f32):
      %r = math.sqrt %e : f32
      linalg.yield %r : f32
  } -> tensor<2xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%1 : tensor<2xf32>) outs(%empty : tensor<2xf32>) {
    ^bb0(%e: f32, %o: f32):
      %c = arith.cmpf one, %e, %zero : f32
      cf.assert %c, "zero"
      %d = arith.divf %one, %e : f32
      linalg.yield %d : f32
  } -> tensor<2xf32>
  return %2 : tensor<2xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>

// An assertion that does not hold stays.
// CHECK-LABEL: func.func @assertion()
// CHECK: cf.assert
func.func @assertion() -> tensor<2xf32> {
  %zero = arith.constant 0.0 : f32
  %x = arith.constant dense<[1.0, 0.0]> : tensor<2xf32>
  %empty = tensor.empty() : tensor<2xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<2xf32>) outs(%empty : tensor<2xf32>) {
    ^bb0(%e: f32, %o: f32):
      %c = arith.cmpf one, %e, %zero : f32
      cf.assert %c, "zero"
      %d = arith.negf %e : f32
      linalg.yield %d : f32
  } -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>

// A number that f32 does not have is rounded to nearest even: 0.1 and 0.3 of
// f64, and 2^24 + 1, which is a tie.
// CHECK-LABEL: func.func @rounded()
// CHECK: arith.constant dense<[1.000000e-01, 3.000000e-01, 0x4B800000]> : tensor<3xf32>
// CHECK-NEXT: return
func.func @rounded() -> tensor<3xf32> {
  %x = arith.constant dense<[0.1, 0.3, 16777217.0]> : tensor<3xf64>
  %empty = tensor.empty() : tensor<3xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<3xf64>) outs(%empty : tensor<3xf32>) {
    ^bb0(%e: f64, %o: f32):
      %t = arith.truncf %e : f64 to f32
      linalg.yield %t : f32
  } -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// Transpositions, and broadcasts along a dimension.
// CHECK-LABEL: func.func @moved()
// CHECK-DAG: %[[T:.+]] = arith.constant dense<{{\[\[}}1.000000e+00, 4.000000e+00], [2.000000e+00, 5.000000e+00], [3.000000e+00, 6.000000e+00]]> : tensor<3x2xf16>
// CHECK-DAG: %[[B:.+]] = arith.constant dense<{{\[\[}}1, 2], [1, 2]]> : tensor<2x2xi32>
// CHECK: return %[[T]], %[[B]]
func.func @moved() -> (tensor<3x2xf16>, tensor<2x2xi32>) {
  %x = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf16>
  %v = arith.constant dense<[1, 2]> : tensor<2xi32>
  %empty = tensor.empty() : tensor<3x2xf16>
  %t = linalg.transpose ins(%x : tensor<2x3xf16>) outs(%empty : tensor<3x2xf16>) permutation = [1, 0]
  %place = tensor.empty() : tensor<2x2xi32>
  %b = linalg.generic {
      indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%v : tensor<2xi32>) outs(%place : tensor<2x2xi32>) {
    ^bb0(%e: i32, %o: i32):
      linalg.yield %e : i32
  } -> tensor<2x2xi32>
  return %t, %b : tensor<3x2xf16>, tensor<2x2xi32>
}

// -----

// A resource is reshaped without a look at its elements.
// CHECK-LABEL: func.func @reshaped()
// CHECK-NEXT: arith.constant dense_resource<w> : tensor<2x1x1xf32>
// CHECK-NEXT: return
func.func @reshaped() -> tensor<2x1x1xf32> {
  %w = arith.constant dense_resource<w> : tensor<2xf32>
  %e = tensor.expand_shape %w [[0, 1, 2]] output_shape [2, 1, 1] : tensor<2xf32> into tensor<2x1x1xf32>
  return %e : tensor<2x1x1xf32>
}

{-#
  dialect_resources: { builtin: { w: "0x040000000000803F00000040" } }
#-}

// -----

// Constant globals are constants; those that change are not.
// CHECK-NOT: @weights
// CHECK-NOT: @filter
// CHECK: ml_program.global private mutable @state
// CHECK-NOT: @seed
ml_program.global private @weights(dense<[1.0, 2.0]> : tensor<2xf32>) : tensor<2xf32>
ml_program.global private mutable @state(dense<[1.0, 2.0]> : tensor<2xf32>) : tensor<2xf32>
ml_program.global private mutable @seed(dense<0> : tensor<i64>) : tensor<i64>
memref.global "private" constant @filter : memref<2xf32> = dense<[3.0, 4.0]>

// CHECK-LABEL: func.func @globals()
// CHECK-DAG: arith.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
// CHECK-DAG: arith.constant dense<[3.000000e+00, 4.000000e+00]> : tensor<2xf32>
// CHECK-DAG: ml_program.global_load @state
func.func @globals() -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %w = ml_program.global_load_const @weights : tensor<2xf32>
  %s = ml_program.global_load @state : tensor<2xf32>
  %m = memref.get_global @filter : memref<2xf32>
  %f = bufferization.to_tensor %m restrict : memref<2xf32> to tensor<2xf32>
  return %w, %s, %f : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>

// What depends on an argument stays.
// CHECK-LABEL: func.func @argument(
// CHECK: linalg.generic
func.func @argument(%x: tensor<2xf32>) -> tensor<2xf32> {
  %v = arith.constant dense<[5.0e-01, 3.5]> : tensor<2xf32>
  %empty = tensor.empty() : tensor<2xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%v, %x : tensor<2xf32>, tensor<2xf32>) outs(%empty : tensor<2xf32>) {
    ^bb0(%e: f32, %f: f32, %o: f32):
      %s = arith.addf %e, %f : f32
      linalg.yield %s : f32
  } -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>

// What has an effect stays.
func.func private @log()
// CHECK-LABEL: func.func @effect()
// CHECK: call @log
func.func @effect() -> tensor<2xf32> {
  %v = arith.constant dense<[5.0e-01, 3.5]> : tensor<2xf32>
  %empty = tensor.empty() : tensor<2xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%v : tensor<2xf32>) outs(%empty : tensor<2xf32>) {
    ^bb0(%e: f32, %o: f32):
      func.call @log() : () -> ()
      linalg.yield %e : f32
  } -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

#k = affine_map<(n, k, p, q) -> (k)>
#id = affine_map<(n, k, p, q) -> (n, k, p, q)>

// A bias stays a vector; a filter that repeats elements is a constant.
// CHECK-LABEL: func.func @repeated(
// CHECK: %[[VECTOR:.+]] = arith.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
// CHECK: %[[BIAS:.+]] = linalg.generic {{.+}} ins(%[[VECTOR]] : tensor<2xf32>)
// CHECK: %[[FILTER:.+]] = arith.constant {{.+}} : tensor<2x2x2x2xf32>
// CHECK: linalg.conv_2d_nchw_fchw ins(%{{.+}}, %[[FILTER]] : {{.+}}) outs(%[[BIAS]] :
func.func @repeated(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x3x3xf32> {
  %v = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %y = tensor.empty() : tensor<1x2x3x3xf32>
  %w = tensor.empty() : tensor<2x2x2x2xf32>
  %bias = linalg.generic {indexing_maps = [#k, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v : tensor<2xf32>) outs(%y : tensor<1x2x3x3xf32>) {
    ^bb0(%e: f32, %o: f32):
      linalg.yield %e : f32
  } -> tensor<1x2x3x3xf32>
  %filter = linalg.generic {indexing_maps = [#k, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v : tensor<2xf32>) outs(%w : tensor<2x2x2x2xf32>) {
    ^bb0(%e: f32, %o: f32):
      linalg.yield %e : f32
  } -> tensor<2x2x2x2xf32>
  %0 = linalg.conv_2d_nchw_fchw ins(%x, %filter : tensor<1x2x4x4xf32>, tensor<2x2x2x2xf32>) outs(%bias : tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  return %0 : tensor<1x2x3x3xf32>
}

// -----

// Names are those of the nearest module.
ml_program.global private @weights(dense<1.0> : tensor<2xf32>) : tensor<2xf32>
module {
  ml_program.global private @weights(dense<2.0> : tensor<2xf32>) : tensor<2xf32>
  // CHECK-LABEL: func.func @nested()
  // CHECK: arith.constant dense<2.000000e+00> : tensor<2xf32>
  func.func @nested() -> tensor<2xf32> {
    %w = ml_program.global_load_const @weights : tensor<2xf32>
    return %w : tensor<2xf32>
  }
}
