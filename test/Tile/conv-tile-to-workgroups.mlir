// RUN: conv-opt %s --conv-convert-implicit-gemm --conv-tile-to-workgroups | FileCheck %s

#schedule = #conv.schedule<algorithm = implicit_gemm, workgroup = [32, 32], subgroup = [16, 16], gemm_k = 32, stages = 2, atom = <mfma 16 x 16 x 16>, main_loop = register_staged, raster = channels>
#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>

// The picture in the pass description. The sum starts outside of the loop, the
// im2col tile starts at the loops' indices, and nothing untiled is left.
// CHECK-LABEL: func @tiled
// CHECK-SAME:    %[[X:.+]]: tensor<1x8x8x16xf16>, %[[W:.+]]: tensor<32x3x3x16xf16>, %[[BIAS:.+]]: tensor<32xf16>
// CHECK-NOT:     conv.im2col
// CHECK:         %[[T:.+]] = scf.forall (%[[M:.+]], %[[N:.+]]) = (0, 0) to (64, 32) step (32, 32) shared_outs(%[[O:.+]] = %{{.+}})
// CHECK:           %[[ZERO:.+]] = linalg.fill
// CHECK:           %[[ACC:.+]] = scf.for %[[K:.+]] = %{{.+}} to %{{.+}} step %{{.+}} iter_args(%{{.+}} = %[[ZERO]])
// CHECK-NOT:         linalg.fill
// CHECK:             %[[A:.+]] = conv.im2col %[[X]][%{{.+}}, %{{.+}}] sizes(%{{.+}}) {{.*}} -> tensor<32x?xf16>
// CHECK:             linalg.matmul {{.*}} ins(%[[A]],
// CHECK:           %[[TAIL:.+]] = linalg.generic {{.*}} ins(%[[ACC]], %{{.+}} : tensor<32x32xf32>, tensor<32xf16>)
// CHECK:           tensor.parallel_insert_slice %[[TAIL]] into %[[O]][%[[M]], %[[N]]]
// CHECK:         } {conv.schedule = #conv.schedule
// CHECK-NOT:     linalg
func.func @tiled(%x: tensor<1x8x8x16xf16>, %w: tensor<32x3x3x16xf16>, %bias: tensor<32xf16>) -> tensor<1x8x8x32xf32> {
  %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
      tail(%bias : tensor<32xf16>) {
      ^bb0(%acc: f32, %b: f16):
        %b32 = arith.extf %b : f16 to f32
        %s = arith.addf %acc, %b32 : f32
        conv.yield %s : f32
      } : tensor<1x8x8x16xf16>, tensor<32x3x3x16xf16> -> tensor<1x8x8x32xf32>
  return %y : tensor<1x8x8x32xf32>
}

// Two convolutions of a function are two nests; the second reads the first.
// CHECK-LABEL: func @chain
// CHECK:         %[[FIRST:.+]] = scf.forall
// CHECK:         %[[SHAPED:.+]] = tensor.expand_shape %[[FIRST]]
// CHECK:         scf.forall
// CHECK:           conv.im2col %[[SHAPED]]
func.func @chain(%x: tensor<1x8x8x16xf16>, %w: tensor<16x3x3x16xf16>) -> tensor<1x8x8x16xf16> {
  %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
      : tensor<1x8x8x16xf16>, tensor<16x3x3x16xf16> -> tensor<1x8x8x16xf16>
  %z = conv.forward %y, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
      : tensor<1x8x8x16xf16>, tensor<16x3x3x16xf16> -> tensor<1x8x8x16xf16>
  return %z : tensor<1x8x8x16xf16>
}

// Left alone: a generic without a schedule is not a tail.
// CHECK-LABEL: func @left_alone
// CHECK-NOT:     scf.forall
// CHECK:         linalg.generic
#id = affine_map<(d0) -> (d0)>
func.func @left_alone(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}
