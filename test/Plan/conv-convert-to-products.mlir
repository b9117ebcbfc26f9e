// RUN: conv-opt %s --conv-convert-to-products | FileCheck %s

#schedule = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [32, 32], subgroup = [16, 16], gemm_k = 32, stages = 2, atom = <mfma 16 x 16 x 16>, main_loop = register_staged, raster = columns>>
#merged = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [32, 32], subgroup = [16, 16], gemm_k = 32, stages = 2, atom = <mfma 16 x 16 x 16>, main_loop = register_staged, raster = columns>, merged_groups = 2>
#split = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [32, 32], subgroup = [16, 16], gemm_k = 32, stages = 2, atom = <mfma 16 x 16 x 16>, main_loop = register_staged, raster = columns>, splits = 2>
#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
#stride2 = #conv.window<strides = [2, 2], dilations = [1, 1], low = [1, 1], high = [1, 1]>
#stride3 = #conv.window<strides = [3, 3], dilations = [1, 1], low = [0, 0], high = [0, 0]>

// The picture in the pass description: without an epilogue, one that copies.
// CHECK-DAG: #[[M_K:.+]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
// CHECK-DAG: #[[N_K:.+]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
// CHECK-DAG: #[[M_N:.+]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
// CHECK-DAG: #[[ELEMENT:.+]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-LABEL: func @plain
// CHECK-SAME:    %[[X:.+]]: tensor<1x8x8x16xf16>, %[[W:.+]]: tensor<32x3x3x16xf16>
// CHECK-DAG:     %[[C0:.+]] = arith.constant 0 : index
// CHECK-DAG:     %[[EMPTY:.+]] = tensor.empty() : tensor<1x8x8x32xf32>
// CHECK:         %[[A:.+]] = conv.gather %[[X]][%[[C0]], %[[C0]], %[[C0]]] view = <batch = [g = 1], rows = [n = 1, p = 8, q = 8], columns = [r = 3, s = 3, c = 16],
// CHECK-SAME:      (d1, d2 + d4 - 1, d3 + d5 - 1, d0 * 16 + d6)>> : tensor<1x8x8x16xf16> -> tensor<1x64x144xf16>
// CHECK:         %[[B:.+]] = conv.gather %[[W]][%[[C0]], %[[C0]], %[[C0]]] view = <batch = [g = 1], rows = [k = 32], columns = [r = 3, s = 3, c = 16],
// CHECK-SAME:      (d0 * 32 + d1, d2, d3, d4)>> : tensor<32x3x3x16xf16> -> tensor<1x32x144xf16>
// CHECK:         %[[ZERO:.+]] = linalg.fill {{.*}} -> tensor<1x64x32xf32>
// CHECK:         %[[C:.+]] = linalg.batch_matmul indexing_maps = [#[[M_K]], #[[N_K]], #[[M_N]]] ins(%[[A]], %[[B]] :
// CHECK-SAME:      outs(%[[ZERO]] :
// CHECK:         %[[T:.+]] = linalg.generic {indexing_maps = [#[[ELEMENT]], #[[ELEMENT]]], {{.*}} ins(%[[C]] : tensor<1x64x32xf32>) {{.*}}conv.schedule
// CHECK:         ^bb0(%[[SUM:.+]]: f32, %{{.+}}: f32)
// CHECK-NEXT:      linalg.yield %[[SUM]] : f32
// CHECK:         %[[Y:.+]] = conv.scatter %[[T]] into %[[EMPTY]] view = <batch = [g = 1], rows = [n = 1, p = 8, q = 8], columns = [k = 32],
// CHECK-SAME:      (d1, d2, d3, d0 * 32 + d4)>> : tensor<1x64x32xf32> into tensor<1x8x8x32xf32>
// CHECK:         return %[[Y]]
func.func @plain(%x: tensor<1x8x8x16xf16>, %w: tensor<32x3x3x16xf16>) -> tensor<1x8x8x32xf32> {
  %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
      : tensor<1x8x8x16xf16>, tensor<32x3x3x16xf16> -> tensor<1x8x8x32xf32>
  return %y : tensor<1x8x8x32xf32>
}

// Strides, dilations and padding are in the view of the input only.
// CHECK-LABEL: func @window
// CHECK:         conv.gather %{{.+}} rows = [n = 2, p = 4, q = 10], columns = [r = 3, s = 2, c = 3], {{.*}} (d1, d2 * 2 + d4 * 2 - 1, d3 + d5 * 3, d0 * 3 + d6)>>
// CHECK:         conv.gather %{{.+}} rows = [k = 5], columns = [r = 3, s = 2, c = 3], {{.*}} (d0 * 5 + d1, d2, d3, d4)>>
// CHECK:         conv.scatter %{{.+}} rows = [n = 2, p = 4, q = 10], columns = [k = 5], {{.*}} (d1, d2, d3, d0 * 5 + d4)>>
func.func @window(%x: tensor<2x9x13x3xf16>, %w: tensor<5x3x2x3xf16>) -> tensor<2x4x10x5xf32> {
  %y = conv.forward %x, %w window = <strides = [2, 1], dilations = [2, 3], low = [1, 0], high = [2, 0]>
      layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
      : tensor<2x9x13x3xf16>, tensor<5x3x2x3xf16> -> tensor<2x4x10x5xf32>
  return %y : tensor<2x4x10x5xf32>
}

// Another order of the filter is another map; the reduction stays.
// CHECK-LABEL: func @filter_rsck
// CHECK:         conv.gather %{{.+}} columns = [r = 3, s = 3, c = 16], {{.*}} : tensor<1x8x8x16xf16>
// CHECK:         conv.gather %{{.+}} rows = [k = 32], columns = [r = 3, s = 3, c = 16], {{.*}} (d2, d3, d4, d0 * 32 + d1)>> : tensor<3x3x16x32xf16> -> tensor<1x32x144xf16>
func.func @filter_rsck(%x: tensor<1x8x8x16xf16>, %w: tensor<3x3x16x32xf16>) -> tensor<1x8x8x32xf32> {
  %y = conv.forward %x, %w window = #window layouts = <"NHWC", "RSCK", "NPQK"> schedule = #schedule
      : tensor<1x8x8x16xf16>, tensor<3x3x16x32xf16> -> tensor<1x8x8x32xf32>
  return %y : tensor<1x8x8x32xf32>
}

// With channels outermost, the reduction is in the order of the filter, and
// neighbouring rows of the result are neighbours in memory.
// CHECK-LABEL: func @nchw
// CHECK:         conv.gather %{{.+}} rows = [n = 1, p = 8, q = 8], columns = [c = 16, r = 3, s = 3], {{.*}} (d1, d0 * 16 + d4, d2 + d5 - 1, d3 + d6 - 1)>> : tensor<1x16x8x8xf16> -> tensor<1x64x144xf16>
// CHECK:         conv.gather %{{.+}} rows = [k = 32], columns = [c = 16, r = 3, s = 3], {{.*}} (d0 * 32 + d1, d2, d3, d4)>> : tensor<32x16x3x3xf16> -> tensor<1x32x144xf16>
// CHECK:         conv.scatter %{{.+}} rows = [n = 1, p = 8, q = 8], columns = [k = 32], {{.*}} (d1, d0 * 32 + d4, d2, d3)>> : tensor<1x64x32xf32> into tensor<1x32x8x8xf32>
func.func @nchw(%x: tensor<1x16x8x8xf16>, %w: tensor<32x16x3x3xf16>) -> tensor<1x32x8x8xf32> {
  %y = conv.forward %x, %w window = #window layouts = <"NCHW", "KCRS", "NKPQ"> schedule = #schedule
      : tensor<1x16x8x8xf16>, tensor<32x16x3x3xf16> -> tensor<1x32x8x8xf32>
  return %y : tensor<1x32x8x8xf32>
}

// Groups are the batch. The filter's input channels are those of one group.
// CHECK-LABEL: func @groups
// CHECK:         conv.gather %{{.+}} view = <batch = [g = 4], rows = [n = 1, p = 8, q = 8], columns = [r = 3, s = 3, c = 4], {{.*}} (d1, d2 + d4 - 1, d3 + d5 - 1, d0 * 4 + d6)>> : tensor<1x8x8x16xf16> -> tensor<4x64x36xf16>
// CHECK:         conv.gather %{{.+}} view = <batch = [g = 4], rows = [k = 8], columns = [r = 3, s = 3, c = 4], {{.*}} (d0 * 8 + d1, d2, d3, d4)>> : tensor<32x3x3x4xf16> -> tensor<4x8x36xf16>
// CHECK:         conv.scatter %{{.+}} view = <batch = [g = 4], rows = [n = 1, p = 8, q = 8], columns = [k = 8], {{.*}} (d1, d2, d3, d0 * 8 + d4)>> : tensor<4x64x8xf32> into tensor<1x8x8x32xf32>
func.func @groups(%x: tensor<1x8x8x16xf16>, %w: tensor<32x3x3x4xf16>) -> tensor<1x8x8x32xf32> {
  %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> groups = 4 schedule = #schedule
      : tensor<1x8x8x16xf16>, tensor<32x3x3x4xf16> -> tensor<1x8x8x32xf32>
  return %y : tensor<1x8x8x32xf32>
}

// One dimension; groups as a dimension of their own.
// CHECK-LABEL: func @line
// CHECK:         conv.gather %{{.+}} view = <batch = [g = 2], rows = [n = 3, q = 9], columns = [s = 2, c = 5], {{.*}} (d1, d2 + d3 * 2 - 1, d0, d4)>> : tensor<3x10x2x5xf32> -> tensor<2x27x10xf32>
// CHECK:         conv.gather %{{.+}} view = <batch = [g = 2], rows = [k = 4], columns = [s = 2, c = 5], {{.*}} (d0, d1, d2, d3)>> : tensor<2x4x2x5xf32> -> tensor<2x4x10xf32>
// CHECK:         conv.scatter %{{.+}} view = <batch = [g = 2], rows = [n = 3, q = 9], columns = [k = 4], {{.*}} (d1, d2, d0, d3)>> : tensor<2x27x4xf32> into tensor<3x9x2x4xf32>
func.func @line(%x: tensor<3x10x2x5xf32>, %w: tensor<2x4x2x5xf32>) -> tensor<3x9x2x4xf32> {
  %y = conv.forward %x, %w window = <strides = [1], dilations = [2], low = [1], high = [0]>
      layouts = <"NWGC", "GKSC", "NQGK"> groups = 2 schedule = #schedule
      : tensor<3x10x2x5xf32>, tensor<2x4x2x5xf32> -> tensor<3x9x2x4xf32>
  return %y : tensor<3x9x2x4xf32>
}

// Three dimensions.
// CHECK-LABEL: func @cube
// CHECK:         conv.gather %{{.+}} rows = [n = 1, z = 2, p = 3, q = 4], columns = [t = 3, r = 1, s = 2, c = 8], {{.*}} (d1, d2 * 2 + d5 - 1, d3 + d6, d4 + d7, d0 * 8 + d8)>> : tensor<1x4x3x5x8xf16> -> tensor<1x24x48xf16>
// CHECK:         conv.gather %{{.+}} rows = [k = 16], columns = [t = 3, r = 1, s = 2, c = 8], {{.*}} (d0 * 16 + d1, d2, d3, d4, d5)>> : tensor<16x3x1x2x8xf16> -> tensor<1x16x48xf16>
// CHECK:         conv.scatter %{{.+}} rows = [n = 1, z = 2, p = 3, q = 4], columns = [k = 16], {{.*}} (d1, d2, d3, d4, d0 * 16 + d5)>> : tensor<1x24x16xf32> into tensor<1x2x3x4x16xf32>
func.func @cube(%x: tensor<1x4x3x5x8xf16>, %w: tensor<16x3x1x2x8xf16>) -> tensor<1x2x3x4x16xf32> {
  %y = conv.forward %x, %w window = <strides = [2, 1, 1], dilations = [1, 1, 1], low = [1, 0, 0], high = [0, 0, 0]>
      layouts = <"NDHWC", "KTRSC", "NZPQK"> schedule = #schedule
      : tensor<1x4x3x5x8xf16>, tensor<16x3x1x2x8xf16> -> tensor<1x2x3x4x16xf32>
  return %y : tensor<1x2x3x4x16xf32>
}

// Operands of the epilogue become matrices of the result's sizes: a vector is the
// same for all rows.
// CHECK-LABEL: func @epilogue_operands
// CHECK-SAME:    %{{.+}}: tensor<1x8x8x16xf16>, %{{.+}}: tensor<32x3x3x16xf16>, %[[BIAS:.+]]: tensor<32xf16>, %[[RES:.+]]: tensor<1x8x8x32xf16>
// CHECK:         %[[C:.+]] = linalg.batch_matmul
// CHECK:         %[[BIASES:.+]] = conv.gather %[[BIAS]][{{.+}}] view = <batch = [g = 1], rows = [n = 1, p = 8, q = 8], columns = [k = 32], {{.*}} -> (d0 * 32 + d4)>> : tensor<32xf16> -> tensor<1x64x32xf16>
// CHECK:         %[[R:.+]] = conv.gather %[[RES]][{{.+}}] view = <batch = [g = 1], rows = [n = 1, p = 8, q = 8], columns = [k = 32], {{.*}} -> (d1, d2, d3, d0 * 32 + d4)>> : tensor<1x8x8x32xf16> -> tensor<1x64x32xf16>
// CHECK:         linalg.generic {{.*}} ins(%[[C]], %[[BIASES]], %[[R]] : tensor<1x64x32xf32>, tensor<1x64x32xf16>, tensor<1x64x32xf16>)
// CHECK:         ^bb0(%[[ACC:.+]]: f32, %[[B:.+]]: f16, %[[E:.+]]: f16, %{{.+}}: f16)
// CHECK:           %[[B32:.+]] = arith.extf %[[B]]
// CHECK:           %[[E32:.+]] = arith.extf %[[E]]
// CHECK:           %[[S:.+]] = arith.addf %[[ACC]], %[[B32]]
// CHECK:           %[[S2:.+]] = arith.addf %[[S]], %[[E32]]
// CHECK:           %[[OUT:.+]] = arith.truncf %[[S2]]
// CHECK:           linalg.yield %[[OUT]] : f16
func.func @epilogue_operands(%x: tensor<1x8x8x16xf16>, %w: tensor<32x3x3x16xf16>, %bias: tensor<32xf16>, %res: tensor<1x8x8x32xf16>) -> tensor<1x8x8x32xf16> {
  %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
      epilogue(%bias : tensor<32xf16>, %res : tensor<1x8x8x32xf16>) {
      ^bb0(%acc: f32, %b: f16, %r: f16):
        %b32 = arith.extf %b : f16 to f32
        %r32 = arith.extf %r : f16 to f32
        %s = arith.addf %acc, %b32 : f32
        %s2 = arith.addf %s, %r32 : f32
        %o = arith.truncf %s2 : f32 to f16
        conv.yield %o : f16
      } : tensor<1x8x8x16xf16>, tensor<32x3x3x16xf16> -> tensor<1x8x8x32xf16>
  return %y : tensor<1x8x8x32xf16>
}

// The sum is rounded once, at the end.
// CHECK-LABEL: func @narrow
// CHECK:         linalg.batch_matmul {{.*}} -> tensor<1x64x32xf32>
// CHECK:         ^bb0(%[[SUM:.+]]: f32, %{{.+}}: bf16)
// CHECK-NEXT:      %[[OUT:.+]] = arith.truncf %[[SUM]] : f32 to bf16
// CHECK-NEXT:      linalg.yield %[[OUT]] : bf16
func.func @narrow(%x: tensor<1x8x8x16xbf16>, %w: tensor<32x3x3x16xbf16>) -> tensor<1x8x8x32xbf16> {
  %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
      : tensor<1x8x8x16xbf16>, tensor<32x3x3x16xbf16> -> tensor<1x8x8x32xbf16>
  return %y : tensor<1x8x8x32xbf16>
}

// With a stride of 1, the gradient of the input is one product over the filter's
// elements and output channels, with the filter mirrored.
// CHECK-LABEL: func @backward_data
// CHECK-SAME:    %[[DY:.+]]: tensor<1x8x8x32xf16>, %[[W:.+]]: tensor<32x3x3x16xf16>
// CHECK:         conv.gather %[[DY]]{{.*}} rows = [n = 1, h = 8, w = 8], columns = [r = 3, s = 3, k = 32], {{.*}} (d1, d2 - d4 + 1, d3 - d5 + 1, d0 * 32 + d6)>> : tensor<1x8x8x32xf16> -> tensor<1x64x288xf16>
// CHECK:         conv.gather %[[W]]{{.*}} rows = [c = 16], columns = [r = 3, s = 3, k = 32], {{.*}} (d0 * 32 + d4, d2, d3, d1)>> : tensor<32x3x3x16xf16> -> tensor<1x16x288xf16>
// CHECK:         conv.scatter %{{.+}} rows = [n = 1, h = 8, w = 8], columns = [c = 16], {{.*}} (d1, d2, d3, d0 * 16 + d4)>> : tensor<1x64x16xf32> into tensor<1x8x8x16xf32>
// CHECK-NOT:     conv.scatter
// CHECK:         return
func.func @backward_data(%dy: tensor<1x8x8x32xf16>, %w: tensor<32x3x3x16xf16>) -> tensor<1x8x8x16xf32> {
  %dx = conv.backward_data %dy, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
      : tensor<1x8x8x32xf16>, tensor<32x3x3x16xf16> -> tensor<1x8x8x16xf32>
  return %dx : tensor<1x8x8x16xf32>
}

// With a stride of 2, one product for each dgrad phase of the positions. Even
// positions meet filter element 1, odd ones 0 and 2, so that the reductions are
// over 4, 2, 2 and 1 elements. One scatter takes all, and the largest first.
// CHECK-LABEL: func @backward_data_stride
// CHECK-SAME:    %[[DY:.+]]: tensor<1x4x4x32xf16>, %[[W:.+]]: tensor<32x3x3x16xf16>
// CHECK:         %[[EMPTY:.+]] = tensor.empty() : tensor<1x8x7x16xf32>
// CHECK:         conv.gather %[[DY]]{{.*}} rows = [n = 1, h = 4, w = 3], columns = [r = 2, s = 2, k = 32], {{.*}} (d1, d2 - d4 + 1, d3 - d5 + 1, d0 * 32 + d6)>> : {{.*}} -> tensor<1x12x128xf16>
// CHECK:         conv.gather %[[W]]{{.*}} columns = [r = 2, s = 2, k = 32], {{.*}} (d0 * 32 + d4, d2 * 2, d3 * 2, d1)>>
// CHECK:         %[[R11:.+]] = linalg.generic
// CHECK:         conv.gather %[[DY]]{{.*}} rows = [n = 1, h = 4, w = 4], columns = [r = 2, s = 1, k = 32], {{.*}} -> tensor<1x16x64xf16>
// CHECK:         %[[R10:.+]] = linalg.generic
// CHECK:         conv.gather %[[DY]]{{.*}} rows = [n = 1, h = 4, w = 3], columns = [r = 1, s = 2, k = 32], {{.*}} (d1, d2 - d4, d3 - d5 + 1, d0 * 32 + d6)>> : {{.*}} -> tensor<1x12x64xf16>
// CHECK:         conv.gather %[[W]]{{.*}} columns = [r = 1, s = 2, k = 32], {{.*}} (d0 * 32 + d4, d2 * 2 + 1, d3 * 2, d1)>>
// CHECK:         %[[R01:.+]] = linalg.generic
// CHECK:         conv.gather %[[DY]]{{.*}} rows = [n = 1, h = 4, w = 4], columns = [r = 1, s = 1, k = 32], {{.*}} (d1, d2 - d4, d3 - d5, d0 * 32 + d6)>> : {{.*}} -> tensor<1x16x32xf16>
// CHECK:         conv.gather %[[W]]{{.*}} rows = [c = 16], columns = [r = 1, s = 1, k = 32], {{.*}} (d0 * 32 + d4, d2 * 2 + 1, d3 * 2 + 1, d1)>> : {{.*}} -> tensor<1x16x32xf16>
// CHECK:         %[[R00:.+]] = linalg.generic
// CHECK:         %[[DX:.+]] = conv.scatter %[[R11]], %[[R10]], %[[R01]], %[[R00]] into %[[EMPTY]] view =
// CHECK-SAME:      rows = [n = 1, h = 4, w = 3], {{[^>]*}}> (d1, d2 * 2 + 1, d3 * 2 + 1, d0 * 16 + d4)>>,
// CHECK-SAME:      rows = [n = 1, h = 4, w = 4], {{[^>]*}}> (d1, d2 * 2 + 1, d3 * 2, d0 * 16 + d4)>>,
// CHECK-SAME:      rows = [n = 1, h = 4, w = 3], {{[^>]*}}> (d1, d2 * 2, d3 * 2 + 1, d0 * 16 + d4)>>,
// CHECK-SAME:      rows = [n = 1, h = 4, w = 4], {{[^>]*}}> (d1, d2 * 2, d3 * 2, d0 * 16 + d4)>>
// CHECK:         return %[[DX]]
func.func @backward_data_stride(%dy: tensor<1x4x4x32xf16>, %w: tensor<32x3x3x16xf16>) -> tensor<1x8x7x16xf32> {
  %dx = conv.backward_data %dy, %w window = #stride2 layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
      : tensor<1x4x4x32xf16>, tensor<32x3x3x16xf16> -> tensor<1x8x7x16xf32>
  return %dx : tensor<1x8x7x16xf32>
}

// With a stride of 4 in both dimensions there would be 16 products. Dgrad phases are
// columns of one instead: row `(n, h, w)` and column `(h', w', c)` are position
// `(4 * h + h', 4 * w + w')`, whose reduction is over 2 x 2 elements of 6 x 5.
// CHECK-LABEL: func @backward_data_joined
// CHECK-SAME:    %[[DY:.+]]: tensor<1x3x4x32xf16>, %[[W:.+]]: tensor<32x6x5x16xf16>
// CHECK:         conv.gather %[[DY]]{{.*}} rows = [n = 1, h = 4, w = 5], columns = [r = 2, s = 2, k = 32], {{.*}} (d1, d2 - d4, d3 - d5, d0 * 32 + d6)>> : {{.*}} -> tensor<1x20x128xf16>
// CHECK:         conv.gather %[[W]]{{.*}} rows = [h.phase = 4, w.phase = 4, c = 16], columns = [r = 2, s = 2, k = 32], {{.*}} (d0 * 32 + d6, d4 * 4 + d1, d5 * 4 + d2, d3)>> : {{.*}} -> tensor<1x256x128xf16>
// CHECK:         %[[SUM:.+]] = linalg.generic
// CHECK:         conv.scatter %[[SUM]] into %{{.+}} rows = [n = 1, h = 4, w = 5], columns = [h.phase = 4, w.phase = 4, c = 16], {{.*}} (d1, d2 * 4 + d4, d3 * 4 + d5, d0 * 16 + d6
// CHECK-NOT:     conv.scatter
func.func @backward_data_joined(%dy: tensor<1x3x4x32xf16>, %w: tensor<32x6x5x16xf16>) -> tensor<1x14x17x16xf32> {
  %dx = conv.backward_data %dy, %w window = <strides = [4, 4], dilations = [1, 1], low = [0, 0], high = [0, 0]>
      layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
      : tensor<1x3x4x32xf16>, tensor<32x6x5x16xf16> -> tensor<1x14x17x16xf32>
  return %dx : tensor<1x14x17x16xf32>
}

// With padding, positions of joined dgrad phases start at 0 if as many elements
// remain: the last dgrad phase of the filter's width, with 5 elements, meets
// element 0. Its height would need a third one of 6 elements.
// CHECK-LABEL: func @backward_data_joined_padded
// CHECK-SAME:    %[[DY:.+]]: tensor<1x4x4x32xf16>, %[[W:.+]]: tensor<32x6x5x16xf16>
// CHECK:         conv.gather %[[DY]]{{.*}} rows = [n = 1, h = 5, w = 4], columns = [r = 2, s = 2, k = 32], {{.*}} (d1, d2 - d4, d3 - d5 + 1, d0 * 32 + d6)>> : {{.*}} -> tensor<1x20x128xf16>
// CHECK:         conv.gather %[[W]]{{.*}} (d0 * 32 + d6, d4 * 4 + d1, d5 * 4 + d2 - 3, d3)>> : {{.*}} -> tensor<1x256x128xf16>
// CHECK:         conv.scatter %{{.+}} into %{{.+}} rows = [n = 1, h = 5, w = 4], columns = [h.phase = 4, w.phase = 4, c = 16], {{.*}} (d1, d2 * 4 + d4 - 1, d3 * 4 + d5, d0 * 16 + d6, d2 * 4 + d4 - 1)>, limits = [16]>
func.func @backward_data_joined_padded(%dy: tensor<1x4x4x32xf16>, %w: tensor<32x6x5x16xf16>) -> tensor<1x16x16x16xf32> {
  %dx = conv.backward_data %dy, %w window = <strides = [4, 4], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
      : tensor<1x4x4x32xf16>, tensor<32x6x5x16xf16> -> tensor<1x16x16x16xf32>
  return %dx : tensor<1x16x16x16xf32>
}

// A filter smaller than the stride leaves positions that no element meets: in
// lines that have others, and lines of nothing else. They get the epilogue of zero.
// CHECK-LABEL: func @backward_data_untouched
// CHECK-SAME:    %[[DY:.+]]: tensor<1x3x3x32xf16>, %[[W:.+]]: tensor<32x1x1x16xf16>, %[[BIAS:.+]]: tensor<16xf32>
// CHECK-DAG:     %[[ZERO:.+]] = arith.constant 0.000000e+00 : f32
// CHECK-DAG:     %[[EMPTY:.+]] = tensor.empty() : tensor<1x8x8x16xf32>
// CHECK:         conv.gather %[[DY]]{{.*}} rows = [n = 1, h = 3, w = 3], columns = [r = 1, s = 1, k = 32], {{.*}} -> tensor<1x9x32xf16>
// CHECK:         linalg.batch_matmul
// CHECK:         conv.gather %[[BIAS]]{{.*}} rows = [n = 1, h = 3, w = 3], columns = [c = 16],
// CHECK:         %[[PRODUCT:.+]] = linalg.generic
// CHECK-NOT:     linalg.batch_matmul
// CHECK:         %[[BIASES:.+]] = conv.gather %[[BIAS]]{{.*}} rows = [n = 1, h = 3, w = 3], columns = [c = 16], {{.*}} -> (d0 * 16 + d4)>>
// CHECK:         %[[ZEROS1:.+]] = linalg.generic {{.*}} ins(%[[BIASES]] :
// CHECK:         ^bb0(%[[B:.+]]: f32, %{{.+}}: f32)
// CHECK-NEXT:      arith.addf %[[B]], %[[ZERO]] : f32
// CHECK:         %[[ZEROS2:.+]] = linalg.generic
// CHECK:         %[[LINES1:.+]] = linalg.generic
// CHECK:         %[[LINES2:.+]] = linalg.generic
// CHECK:         %[[DX:.+]] = conv.scatter %[[PRODUCT]], %[[ZEROS1]], %[[ZEROS2]], %[[LINES1]], %[[LINES2]] into %[[EMPTY]] view =
// CHECK-SAME:      rows = [n = 1, h = 3, w = 3], {{[^>]*}}> (d1, d2 * 3, d3 * 3, d0 * 16 + d4)>>,
// CHECK-SAME:      rows = [n = 1, h = 3, w = 3], {{[^>]*}}> (d1, d2 * 3, d3 * 3 + 1, d0 * 16 + d4)>>,
// CHECK-SAME:      rows = [n = 1, h = 3, w = 2], {{[^>]*}}> (d1, d2 * 3, d3 * 3 + 2, d0 * 16 + d4)>>,
// CHECK-SAME:      rows = [n = 1, h = 3, w = 8], {{[^>]*}}> (d1, d2 * 3 + 1, d3, d0 * 16 + d4)>>,
// CHECK-SAME:      rows = [n = 1, h = 2, w = 8], {{[^>]*}}> (d1, d2 * 3 + 2, d3, d0 * 16 + d4)>>
// CHECK:         return %[[DX]]
func.func @backward_data_untouched(%dy: tensor<1x3x3x32xf16>, %w: tensor<32x1x1x16xf16>, %bias: tensor<16xf32>) -> tensor<1x8x8x16xf32> {
  %dx = conv.backward_data %dy, %w window = #stride3 layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
      epilogue(%bias : tensor<16xf32>) {
      ^bb0(%acc: f32, %b: f32):
        %s = arith.addf %acc, %b : f32
        conv.yield %s : f32
      } : tensor<1x3x3x32xf16>, tensor<32x1x1x16xf16> -> tensor<1x8x8x16xf32>
  return %dx : tensor<1x8x8x16xf32>
}

// The gradient of the filter is reduced over the output's pixels; groups are the
// batch here, too.
// CHECK-LABEL: func @backward_weight
// CHECK-SAME:    %[[X:.+]]: tensor<2x8x8x16xf16>, %[[DY:.+]]: tensor<2x4x4x32xf16>
// CHECK:         conv.gather %[[DY]]{{.*}} view = <batch = [g = 2], rows = [k = 16], columns = [n = 2, p = 4, q = 4], {{.*}} (d2, d3, d4, d0 * 16 + d1)>> : {{.*}} -> tensor<2x16x32xf16>
// CHECK:         conv.gather %[[X]]{{.*}} view = <batch = [g = 2], rows = [r = 3, s = 3, c = 8], columns = [n = 2, p = 4, q = 4], {{.*}} (d4, d5 * 2 + d1 - 1, d6 * 2 + d2 - 1, d0 * 8 + d3)>> : {{.*}} -> tensor<2x72x32xf16>
// CHECK:         %[[DW:.+]] = conv.scatter %{{.+}} view = <batch = [g = 2], rows = [k = 16], columns = [r = 3, s = 3, c = 8], {{.*}} (d0 * 16 + d1, d2, d3, d4)>> : tensor<2x16x72xf32> into tensor<32x3x3x8xf32>
// CHECK:         return %[[DW]]
func.func @backward_weight(%x: tensor<2x8x8x16xf16>, %dy: tensor<2x4x4x32xf16>) -> tensor<32x3x3x8xf32> {
  %dw = conv.backward_weight %x, %dy window = #stride2 layouts = <"NHWC", "KRSC", "NPQK"> groups = 2 schedule = #schedule
      : tensor<2x8x8x16xf16>, tensor<2x4x4x32xf16> -> tensor<32x3x3x8xf32>
  return %dw : tensor<32x3x3x8xf32>
}

// Padding of another mode is in the view of the input.
// CHECK-LABEL: func @padding
// CHECK:         conv.gather %{{.+}} (d1, d2 + d4 - 1, d3 + d5 - 1, d0 * 16 + d6)>, padding = reflect> : tensor<1x8x8x16xf16>
// CHECK:         conv.gather %{{.+}} (d0 * 32 + d1, d2, d3, d4)>> : tensor<32x3x3x16xf16>
func.func @padding(%x: tensor<1x8x8x16xf16>, %w: tensor<32x3x3x16xf16>) -> tensor<1x8x8x32xf32> {
  %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> padding = reflect schedule = #schedule
      : tensor<1x8x8x16xf16>, tensor<32x3x3x16xf16> -> tensor<1x8x8x32xf32>
  return %y : tensor<1x8x8x32xf32>
}

// Its gradient is that of the padded input; what was padded is then folded onto
// the positions that it was taken from. The epilogue is applied once, at the end.
// CHECK-LABEL: func @backward_data_padding
// CHECK-DAG:     %[[PADDED:.+]] = tensor.empty() : tensor<1x8x10x16xf32>
// CHECK-DAG:     %[[EMPTY:.+]] = tensor.empty() : tensor<1x8x8x16xf16>
// CHECK:         conv.gather {{.*}} rows = [n = 1, h = 8, w = 10], columns = [r = 1, s = 3, k = 32], {{.*}} (d1, d2 - d4, d3 - d5, d0 * 32 + d6)>>
// CHECK:         linalg.batch_matmul
// CHECK:         %[[ALL:.+]] = conv.scatter %{{.+}} into %[[PADDED]] view = {{.*}} rows = [n = 1, h = 8, w = 10], columns = [c = 16], {{.*}} (d1, d2, d3, d0 * 16 + d4)>>
// CHECK:         %[[OWN:.+]] = conv.gather %[[ALL]]{{.*}} rows = [n = 1, h = 8, w = 8], {{.*}} (d1, d2, d3 + 1, d0 * 16 + d4)>> :
// CHECK:         %[[LOW:.+]] = conv.gather %[[ALL]]{{.*}} (d1, d2, d3 - 7, d0 * 16 + d4, d3 - 7)>, limits = [1]> :
// CHECK:         %[[HIGH:.+]] = conv.gather %[[ALL]]{{.*}} (d1, d2, d3 + 9, d0 * 16 + d4, d3)>, limits = [1]> :
// CHECK:         linalg.generic {{.*}} ins(%[[OWN]], %[[LOW]], %[[HIGH]] :
// CHECK:         ^bb0(%[[A:.+]]: f32, %[[B:.+]]: f32, %[[C:.+]]: f32, %{{.+}}: f16)
// CHECK-NEXT:      %[[AB:.+]] = arith.addf %[[A]], %[[B]]
// CHECK-NEXT:      %[[ABC:.+]] = arith.addf %[[AB]], %[[C]]
// CHECK-NEXT:      arith.truncf %[[ABC]] : f32 to f16
// CHECK:         conv.scatter %{{.+}} into %[[EMPTY]]
func.func @backward_data_padding(%dy: tensor<1x8x8x32xf16>, %w: tensor<32x1x3x16xf16>) -> tensor<1x8x8x16xf16> {
  %dx = conv.backward_data %dy, %w window = <strides = [1, 1], dilations = [1, 1], low = [0, 1], high = [0, 1]>
      layouts = <"NHWC", "KRSC", "NPQK"> padding = circular schedule = #schedule
      : tensor<1x8x8x32xf16>, tensor<32x1x3x16xf16> -> tensor<1x8x8x16xf16>
  return %dx : tensor<1x8x8x16xf16>
}

// Two groups side by side are digits of the columns and of the reduction. The
// filter's matrix is zero where they differ.
// CHECK-LABEL: func @merged_groups
// CHECK:         conv.gather %{{.+}} view = <batch = [g = 2], rows = [n = 1, p = 8, q = 8], columns = [r = 3, s = 3, g.left = 2, c = 4], {{.*}} (d1, d2 + d4 - 1, d3 + d5 - 1, (d0 * 2 + d6) * 4 + d7)>> : {{.*}} -> tensor<2x64x72xf16>
// CHECK:         conv.gather %{{.+}} view = <batch = [g = 2], rows = [g.right = 2, k = 8], columns = [r = 3, s = 3, g.left = 2, c = 4], {{.*}} ((d0 * 2 + d1) * 8 + d2, d3, d4, d6, d5 - d1)>, limits = [1]> : {{.*}} -> tensor<2x16x72xf16>
// CHECK:         conv.scatter %{{.+}} view = <batch = [g = 2], rows = [n = 1, p = 8, q = 8], columns = [g.right = 2, k = 8], {{.*}} (d1, d2, d3, (d0 * 2 + d4) * 8 + d5)>> :
func.func @merged_groups(%x: tensor<1x8x8x16xf16>, %w: tensor<32x3x3x4xf16>) -> tensor<1x8x8x32xf32> {
  %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> groups = 4 schedule = #merged
      : tensor<1x8x8x16xf16>, tensor<32x3x3x4xf16> -> tensor<1x8x8x32xf32>
  return %y : tensor<1x8x8x32xf32>
}

// For the gradient of the filter, they are digits of rows and columns, and what
// belongs to two different groups is not written.
// CHECK-LABEL: func @merged_groups_backward_weight
// CHECK:         conv.gather %{{.+}} view = <batch = [g = 2], rows = [g.left = 2, k = 8], columns = [n = 1, p = 8, q = 8], {{.*}} (d3, d4, d5, (d0 * 2 + d1) * 8 + d2)>> :
// CHECK:         conv.gather %{{.+}} view = <batch = [g = 2], rows = [r = 3, s = 3, g.right = 2, c = 4], columns = [n = 1, p = 8, q = 8], {{.*}} (d5, d1 + d6 - 1, d2 + d7 - 1, (d0 * 2 + d3) * 4 + d4)>> :
// CHECK:         conv.scatter %{{.+}} view = <batch = [g = 2], rows = [g.left = 2, k = 8], columns = [r = 3, s = 3, g.right = 2, c = 4], {{.*}} ((d0 * 2 + d5) * 8 + d2, d3, d4, d6, d1 - d5)>, limits = [1]> :
func.func @merged_groups_backward_weight(%x: tensor<1x8x8x16xf16>, %dy: tensor<1x8x8x32xf16>) -> tensor<32x3x3x4xf32> {
  %dw = conv.backward_weight %x, %dy window = #window layouts = <"NHWC", "KRSC", "NPQK"> groups = 4 schedule = #merged
      : tensor<1x8x8x16xf16>, tensor<1x8x8x32xf16> -> tensor<32x3x3x4xf32>
  return %dw : tensor<32x3x3x4xf32>
}

// Halves of the reduction are matrices of a batch; a second step adds them, and
// applies the epilogue.
// CHECK-LABEL: func @splits
// CHECK-DAG:     %[[PARTS:.+]] = tensor.empty() : tensor<2x32x144xf32>
// CHECK-DAG:     %[[EMPTY:.+]] = tensor.empty() : tensor<32x3x3x16xf16>
// CHECK:         conv.gather %{{.+}} view = <batch = [p.split = 2, g = 1], rows = [k = 32], columns = [n = 2, p = 4, q = 8], {{.*}} (d3, d0 * 4 + d4, d5, d1 * 32 + d2)>> : {{.*}} -> tensor<2x32x64xf16>
// CHECK:         conv.gather %{{.+}} view = <batch = [p.split = 2, g = 1], rows = [r = 3, s = 3, c = 16], columns = [n = 2, p = 4, q = 8], {{.*}} (d5, d0 * 4 + d6 + d2 - 1, d3 + d7 - 1, d1 * 16 + d4)>> : {{.*}} -> tensor<2x144x64xf16>
// CHECK:         linalg.batch_matmul {{.*}} -> tensor<2x32x144xf32>
// CHECK:         %[[BOTH:.+]] = conv.scatter %{{.+}} into %[[PARTS]]
// CHECK:         %[[FIRST:.+]] = conv.gather %[[BOTH]]{{.*}} -> tensor<1x32x144xf32>
// CHECK:         %[[SECOND:.+]] = conv.gather %[[BOTH]]{{.*}} -> tensor<1x32x144xf32>
// CHECK:         linalg.generic {{.*}} ins(%[[FIRST]], %[[SECOND]] :
// CHECK:         ^bb0(%[[A:.+]]: f32, %[[B:.+]]: f32, %{{.+}}: f16)
// CHECK-NEXT:      %[[SUM:.+]] = arith.addf %[[A]], %[[B]]
// CHECK-NEXT:      arith.truncf %[[SUM]] : f32 to f16
// CHECK:         conv.scatter %{{.+}} into %[[EMPTY]]
func.func @splits(%x: tensor<2x8x8x16xf16>, %dy: tensor<2x8x8x32xf16>) -> tensor<32x3x3x16xf16> {
  %dw = conv.backward_weight %x, %dy window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #split
      : tensor<2x8x8x16xf16>, tensor<2x8x8x32xf16> -> tensor<32x3x3x16xf16>
  return %dw : tensor<32x3x3x16xf16>
}

// Each dgrad phase has matrices of its own in one tensor, two of four each: the
// phase of the first and third line has all of its rows, that of the second
// line half of them. Positions that meet no element are a part without terms.
// CHECK-LABEL: func @splits_of_phases
// CHECK-DAG:     %[[PARTS:.+]] = tensor.empty() : tensor<4x4x16xf32>
// CHECK:         conv.gather %{{.+}} view = <batch = [k.split = 2, g = 1], rows = [n = 1, h = 2, w = 2], columns = [r = 1, s = 1, k = 16],
// CHECK:         conv.gather %{{.+}} view = <batch = [k.split = 2, g = 1], rows = [n = 1, h = 1, w = 2], columns = [r = 2, s = 1, k = 16],
// CHECK:         %[[ALL:.+]] = conv.scatter %{{.+}}, %{{.+}} into %[[PARTS]] view =
// CHECK-SAME:      rows = [n = 1, h = 2, w = 2], columns = [c = 16], {{.*}} -> (d0 + d1, (d2 * 2 + d3) * 2 + d4, d5)>>,
// CHECK-SAME:      rows = [n = 1, h = 1, w = 2], columns = [c = 16], {{.*}} -> (d0 + d1 + 2, (d2 + d3) * 2 + d4, d5)>>
// CHECK-COUNT-4: conv.gather %[[ALL]]
// CHECK:         conv.scatter %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} into %{{.+}} into tensor<1x3x4x16xf16>
func.func @splits_of_phases(%dy: tensor<1x2x2x32xf16>, %w: tensor<32x3x1x16xf16>) -> tensor<1x3x4x16xf16> {
  %dx = conv.backward_data %dy, %w window = <strides = [2, 2], dilations = [1, 1], low = [1, 0], high = [1, 0]>
      layouts = <"NHWC", "KRSC", "NPQK"> schedule = #split
      : tensor<1x2x2x32xf16>, tensor<32x3x1x16xf16> -> tensor<1x3x4x16xf16>
  return %dx : tensor<1x3x4x16xf16>
}

// Integers are summed as integers.
// CHECK-LABEL: func @integers
// CHECK:         linalg.batch_matmul {{.*}} -> tensor<1x64x32xi32>
// CHECK:         conv.scatter %{{.+}} : tensor<1x64x32xi32> into tensor<1x8x8x32xi32>
func.func @integers(%x: tensor<1x8x8x16xi8>, %w: tensor<32x3x3x16xi8>) -> tensor<1x8x8x32xi32> {
  %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
      : tensor<1x8x8x16xi8>, tensor<32x3x3x16xi8> -> tensor<1x8x8x32xi32>
  return %y : tensor<1x8x8x32xi32>
}

// Left alone: no schedule.
// CHECK-LABEL: func @left_alone
// CHECK-NOT:     conv.gather
// CHECK:         conv.forward
// CHECK-NOT:     conv.gather
func.func @left_alone(%x: tensor<1x8x8x16xf16>, %w: tensor<32x3x3x16xf16>) -> tensor<1x8x8x32xf32> {
  %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<1x8x8x16xf16>, tensor<32x3x3x16xf16> -> tensor<1x8x8x32xf32>
  return %y : tensor<1x8x8x32xf32>
}

// Images become innermost: columns of a transform are a few images, and positions of a line, which follow each other in the result.
// Rows are channels where these are innermost, or else positions of several lines.
#images_innermost = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [32, 32], subgroup = [16, 16], gemm_k = 32, stages = 2, atom = <mfma 16 x 16 x 16>, main_loop = register_staged, raster = columns>, layouts = <"HCWN", "KRSC", "PKQN">>
// CHECK-LABEL: func @images_innermost
// CHECK-SAME:    %[[X:.+]]: tensor<4x8x8x16xf16>, %[[DY:.+]]: tensor<4x32x8x8xf16>
// CHECK-DAG:     conv.gather %[[X]]{{.*}} view = <batch = [8], rows = [16], columns = [8, 4], map = affine_map<(d0, d1, d2, d3) -> (d3, d0, d2, d1)>> : tensor<4x8x8x16xf16> -> tensor<8x16x32xf16>
// CHECK-DAG:     conv.gather %[[DY]]{{.*}} view = <batch = [32], rows = [8, 8], columns = [4], map = affine_map<(d0, d1, d2, d3) -> (d3, d0, d1, d2)>> : tensor<4x32x8x8xf16> -> tensor<32x64x4xf16>
func.func @images_innermost(%x: tensor<4x8x8x16xf16>, %dy: tensor<4x32x8x8xf16>) -> tensor<32x3x3x16xf32> {
  %dw = conv.backward_weight %x, %dy window = #window layouts = <"NHWC", "KRSC", "NKPQ"> schedule = #images_innermost
      : tensor<4x8x8x16xf16>, tensor<4x32x8x8xf16> -> tensor<32x3x3x16xf32>
  return %dw : tensor<32x3x3x16xf32>
}

// In the form of its schedule, a convolution reads transformed operands: images are matrices, whose rows are pixels
// and whose columns are channels.
#channels_last = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [32, 32], subgroup = [16, 16], gemm_k = 32, stages = 2, atom = <mfma 16 x 16 x 16>, main_loop = register_staged, raster = columns>, layouts = <"NHWC", "KRSC", "NKPQ">, channel_multiple = 8>
// CHECK-LABEL: func @transformed
// CHECK-SAME:    %[[X:.+]]: tensor<2x3x8x8xf16>, %[[W:.+]]: tensor<32x3x3x3xf16>
// CHECK:         %[[SOURCE:.+]] = conv.gather %[[X]]{{.*}} view = <batch = [2], rows = [8, 8], columns = [8], map = affine_map<(d0, d1, d2, d3) -> (d0, d3, d1, d2)>> : tensor<2x3x8x8xf16> -> tensor<2x64x8xf16>
// CHECK:         %[[COPY:.+]] = linalg.generic {{.*}} ins(%[[SOURCE]] : {{.*}} attrs = {conv.schedule = #conv.transform_schedule<tile = [64, 8]>} {
// CHECK-NEXT:    ^bb0(%[[ELEMENT:.+]]: f16, %{{.+}}: f16):
// CHECK-NEXT:      linalg.yield %[[ELEMENT]]
// CHECK:         %[[PIXELS:.+]] = conv.scatter %[[COPY]] {{.*}} map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>> : tensor<2x64x8xf16> into tensor<2x8x8x8xf16>
// CHECK:         %[[FILTER:.+]] = conv.scatter {{.*}} into tensor<32x3x3x8xf16>
// CHECK:         conv.gather %[[PIXELS]]{{.*}} -> tensor<1x128x72xf16>
// CHECK:         conv.gather %[[FILTER]]{{.*}} -> tensor<1x32x72xf16>
// CHECK:         conv.scatter {{.*}} into tensor<2x32x8x8xf32>
func.func @transformed(%x: tensor<2x3x8x8xf16>, %w: tensor<32x3x3x3xf16>) -> tensor<2x32x8x8xf32> {
  %y = conv.forward %x, %w window = #window layouts = <"NCHW", "KCRS", "NKPQ"> schedule = #channels_last
      : tensor<2x3x8x8xf16>, tensor<32x3x3x3xf16> -> tensor<2x32x8x8xf32>
  return %y : tensor<2x32x8x8xf32>
}
