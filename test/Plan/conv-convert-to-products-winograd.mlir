// RUN: conv-opt %s --conv-convert-to-products --split-input-file | FileCheck %s

// A transform of blocks is an element-wise op on the matrices of their places,
// one for each: zeros of the matrix take nothing, ones only the sum.
// CHECK-LABEL: @block
// CHECK-SAME:    %[[X:.+]]: tensor<9x16xf16>
// CHECK-DAG:     %[[A:.+]] = conv.gather %[[X]][{{.*}}] view = <batch = [1], rows = [4], columns = [16], map = affine_map<(d0, d1, d2) -> (d1 * 2, d2)>> {{.*}} -> tensor<1x4x16xf16>
// CHECK-DAG:     %[[B:.+]] = conv.gather %[[X]][{{.*}}] view = {{.*}} (d1 * 2 + 1, d2)>>
// CHECK-DAG:     %[[C:.+]] = conv.gather %[[X]][{{.*}}] view = {{.*}} (d1 * 2 + 2, d2)>>
// CHECK:         %[[T:.+]]:2 = linalg.generic {{.*}} ins(%[[A]], %[[B]], %[[C]] : {{.*}} attrs = {conv.schedule = #conv.transform_schedule<tile = [4, 16]>}
// CHECK-NEXT:    ^bb0(%[[IN0:.+]]: f16, %[[IN1:.+]]: f16, %[[IN2:.+]]: f16, %{{.+}}: f32, %{{.+}}: f32):
// CHECK-DAG:       %[[A32:.+]] = arith.extf %[[IN0]] : f16 to f32
// CHECK-DAG:       %[[B32:.+]] = arith.extf %[[IN1]] : f16 to f32
// CHECK-DAG:       %[[C32:.+]] = arith.extf %[[IN2]] : f16 to f32
// CHECK:           %[[FIRST:.+]] = arith.subf %[[A32]], %[[C32]] : f32
// CHECK:           %[[HALF:.+]] = arith.mulf %[[B32]], %{{.+}} : f32
// CHECK:           %[[SECOND:.+]] = math.fma %[[C32]], %{{.+}}, %[[HALF]] : f32
// CHECK-NEXT:      linalg.yield %[[FIRST]], %[[SECOND]] : f32, f32
// CHECK:         conv.scatter %[[T]]#0, %[[T]]#1 into %{{.+}} view = <batch = [1], rows = [4], columns = [16], map = affine_map<(d0, d1, d2) -> (0, d1, d2)>>, <batch = [1], rows = [4], columns = [16], map = affine_map<(d0, d1, d2) -> (1, d1, d2)>>
func.func @block(%x: tensor<9x16xf16>) -> tensor<2x4x16xf32> {
  %y = conv.block_transform %x
      from = <batch = [3], rows = [4], columns = [16], map = affine_map<(i, t, c) -> (t * 2 + i, c)>>
      matrices = [dense<[[1.0, 0.0, -1.0], [0.0, 0.5, 3.0]]> : tensor<2x3xf32>]
      to = <batch = [2], rows = [4], columns = [16], map = affine_map<(i, t, c) -> (i, t, c)>>
      : tensor<9x16xf16> -> tensor<2x4x16xf32>
  return %y : tensor<2x4x16xf32>
}

// -----

// The convolution is three transforms around a product for each element of a
// tile, the last one with the epilogue: its bias is read once for both results.
#schedule = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [32, 32], subgroup = [16, 16], gemm_k = 32, stages = 2, atom = <mfma 16 x 16 x 4>, main_loop = register_staged, raster = columns>, output_tile = [2]>
// CHECK-LABEL: @winograd
// CHECK-SAME:    %[[X:.+]]: tensor<2x7x8xf16>, %[[W:.+]]: tensor<5x3x8xf16>, %[[BIAS:.+]]: tensor<5xf32>
// CHECK-COUNT-4: conv.gather %[[X]]
// CHECK:         %[[T:.+]]:4 = linalg.generic
// CHECK:         %[[INPUT:.+]] = conv.scatter %[[T]]#0, %[[T]]#1, %[[T]]#2, %[[T]]#3 into {{.*}} into tensor<4x1x8x8xf32>
// CHECK-COUNT-3: conv.gather %[[W]]
// CHECK:         %[[T:.+]]:4 = linalg.generic
// CHECK:         %[[FILTER:.+]] = conv.scatter %[[T]]#0, %[[T]]#1, %[[T]]#2, %[[T]]#3 into {{.*}} into tensor<4x5x1x8xf32>
// CHECK:         %[[A:.+]] = conv.gather %[[INPUT]]
// CHECK:         %[[B:.+]] = conv.gather %[[FILTER]]
// CHECK:         %[[C:.+]] = linalg.batch_matmul {{.*}} ins(%[[A]], %[[B]] : tensor<4x8x8xf32>, tensor<4x5x8xf32>)
// CHECK:         %[[D:.+]] = linalg.generic {{.*}} ins(%[[C]] : {{.*}} attrs = {conv.schedule = #conv.schedule<kernel = #conv.staged_gemm<
// CHECK:         %[[SUMS:.+]] = conv.scatter %[[D]]
// CHECK-COUNT-4: conv.gather %[[SUMS]]
// CHECK:         conv.gather %[[BIAS]]
// CHECK-NOT:     conv.gather
// CHECK:         %[[T:.+]]:2 = linalg.generic
// CHECK:         conv.scatter %[[T]]#0, %[[T]]#1 into {{.*}} map = affine_map<(d0, d1, d2, d3) -> (d1, d2 * 2, d3, d2 * 2)>, limits = [7]>, {{.*}} limits = [7]> : tensor<1x8x5xf16>, tensor<1x8x5xf16> into tensor<2x7x5xf16>
func.func @winograd(%x: tensor<2x7x8xf16>, %w: tensor<5x3x8xf16>, %bias: tensor<5xf32>) -> tensor<2x7x5xf16> {
  %y = conv.forward %x, %w window = <strides = [1], dilations = [1], low = [1], high = [1]>
      layouts = <"NWC", "KSC", "NQK"> schedule = #schedule
      epilogue(%bias : tensor<5xf32>) {
      ^bb0(%sum: f32, %b: f32):
        %0 = arith.addf %sum, %b : f32
        %1 = arith.truncf %0 : f32 to f16
        conv.yield %1 : f16
      } : tensor<2x7x8xf16>, tensor<5x3x8xf16> -> tensor<2x7x5xf16>
  return %y : tensor<2x7x5xf16>
}

// -----

// Of the gradient of a filter, tiles of the input meet tiles of the output's
// gradient, and products add up all of them: 3 elements of each filter are left
// of 4 sums.
#schedule = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [32, 32], subgroup = [16, 16], gemm_k = 32, stages = 2, atom = <mfma 16 x 16 x 4>, main_loop = register_staged, raster = columns>, output_tile = [2]>
// CHECK-LABEL: @weight
// CHECK-SAME:    %[[X:.+]]: tensor<2x7x8xf16>, %[[DY:.+]]: tensor<2x7x5xf16>
// CHECK-COUNT-4: conv.gather %[[X]]{{.*}} rows = [2, 4], columns = [8], map = affine_map<(d0, d1, d2, d3) -> (d1, d2 * 2
// CHECK:         %[[T:.+]]:4 = linalg.generic
// CHECK:         %[[INPUT:.+]] = conv.scatter %[[T]]#0, %[[T]]#1, %[[T]]#2, %[[T]]#3 into {{.*}} into tensor<4x1x8x8xf32>
// CHECK-COUNT-2: conv.gather %[[DY]]{{.*}} rows = [2, 4], columns = [5], map = affine_map<(d0, d1, d2, d3) -> (d1, d2 * 2
// CHECK:         %[[T:.+]]:4 = linalg.generic
// CHECK:         %[[GRADIENT:.+]] = conv.scatter %[[T]]#0, %[[T]]#1, %[[T]]#2, %[[T]]#3 into {{.*}} into tensor<4x1x8x5xf32>
// CHECK:         %[[A:.+]] = conv.gather %[[GRADIENT]]
// CHECK:         %[[B:.+]] = conv.gather %[[INPUT]]
// CHECK:         linalg.batch_matmul {{.*}} ins(%[[A]], %[[B]] : tensor<4x5x8xf32>, tensor<4x8x8xf32>)
// CHECK:         %[[SUMS:.+]] = conv.scatter {{.*}} into tensor<4x5x1x8xf32>
// CHECK-COUNT-4: conv.gather %[[SUMS]]
// CHECK:         %[[T:.+]]:3 = linalg.generic
// CHECK:         conv.scatter %[[T]]#0, %[[T]]#1, %[[T]]#2 into {{.*}} into tensor<5x3x8xf16>
func.func @weight(%x: tensor<2x7x8xf16>, %dy: tensor<2x7x5xf16>) -> tensor<5x3x8xf16> {
  %dw = conv.backward_weight %x, %dy window = <strides = [1], dilations = [1], low = [1], high = [1]>
      layouts = <"NWC", "KSC", "NQK"> schedule = #schedule
      : tensor<2x7x8xf16>, tensor<2x7x5xf16> -> tensor<5x3x8xf16>
  return %dw : tensor<5x3x8xf16>
}
