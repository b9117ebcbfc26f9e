// RUN: conv-opt %s --conv-convert-to-products --conv-tile-to-workgroups | FileCheck %s

#schedule = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [32, 32], subgroup = [16, 16], gemm_k = 32, stages = 2, atom = <mfma 16 x 16 x 16>, main_loop = register_staged, raster = columns>>
#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>

// The picture in the pass description. The sum starts outside of the loop, the
// tiles of the views start at the loops' indices, and nothing untiled is left.
// CHECK-LABEL: func @tiled
// CHECK-SAME:    %[[X:.+]]: tensor<1x8x8x16xf16>, %[[W:.+]]: tensor<32x3x3x16xf16>, %[[BIAS:.+]]: tensor<32xf16>
// CHECK-NOT:     conv.gather
// CHECK:         %[[T:.+]] = scf.forall (%[[G:.+]], %[[M:.+]], %[[N:.+]]) = (0, 0, 0) to (1, 64, 32) step (1, 32, 32) shared_outs(%[[O:.+]] = %{{.+}})
// CHECK:           %[[ZERO:.+]] = linalg.fill
// CHECK:           %[[ACC:.+]] = scf.for %[[K:.+]] = %{{.+}} to %{{.+}} step %{{.+}} iter_args(%[[SUM:.+]] = %[[ZERO]])
// CHECK-NOT:         linalg.fill
// CHECK:             %[[A:.+]] = conv.gather %[[X]][%[[G]], %[[M]], %[[K]]] sizes(%{{.+}}) {{.*}} -> tensor<1x32x?xf16>
// CHECK:             %[[B:.+]] = conv.gather %[[W]][%[[G]], %[[N]], %[[K]]] sizes(%{{.+}}) {{.*}} -> tensor<1x32x?xf16>
// CHECK:             %[[C:.+]] = linalg.batch_matmul {{.*}} ins(%[[A]], %[[B]] : {{.*}} outs(%[[SUM]] :
// CHECK:             scf.yield %[[C]]
// CHECK:           %[[BIASES:.+]] = conv.gather %[[BIAS]][%[[G]], %[[M]], %[[N]]] {{.*}} -> tensor<1x32x32xf16>
// CHECK:           %[[EPILOGUE:.+]] = linalg.generic {{.*}} ins(%[[ACC]], %[[BIASES]] : tensor<1x32x32xf32>, tensor<1x32x32xf16>)
// CHECK:           tensor.parallel_insert_slice %[[EPILOGUE]] into %[[O]][%[[G]], %[[M]], %[[N]]]
// CHECK:         } {conv.schedule = #conv.schedule
// CHECK-NOT:     linalg
// CHECK:         conv.scatter %[[T]]
func.func @tiled(%x: tensor<1x8x8x16xf16>, %w: tensor<32x3x3x16xf16>, %bias: tensor<32xf16>) -> tensor<1x8x8x32xf32> {
  %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
      epilogue(%bias : tensor<32xf16>) {
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
// CHECK:         %[[Y:.+]] = conv.scatter %[[FIRST]]
// CHECK:         scf.forall
// CHECK:           conv.gather %[[Y]][
func.func @chain(%x: tensor<1x8x8x16xf16>, %w: tensor<16x3x3x16xf16>) -> tensor<1x8x8x16xf16> {
  %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
      : tensor<1x8x8x16xf16>, tensor<16x3x3x16xf16> -> tensor<1x8x8x16xf16>
  %z = conv.forward %y, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
      : tensor<1x8x8x16xf16>, tensor<16x3x3x16xf16> -> tensor<1x8x8x16xf16>
  return %z : tensor<1x8x8x16xf16>
}

// Groups are the outermost dimension of the nest, one at a time.
// CHECK-LABEL: func @groups
// CHECK:         scf.forall (%[[G:.+]], %[[M:.+]], %[[N:.+]]) = (0, 0, 0) to (2, 64, 40) step (1, 32, 32)
// CHECK:           conv.gather %{{.+}}[%[[G]], %[[M]], %{{.+}}] sizes(%{{.+}}) {{.*}} -> tensor<1x32x?xf16>
// CHECK:           conv.gather %{{.+}}[%[[G]], %[[N]], %{{.+}}] sizes(%{{.+}}, %{{.+}}) {{.*}} -> tensor<1x?x?xf16>
func.func @groups(%x: tensor<1x8x8x16xf16>, %w: tensor<80x3x3x8xf16>) -> tensor<1x8x8x80xf32> {
  %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> groups = 2 schedule = #schedule
      : tensor<1x8x8x16xf16>, tensor<80x3x3x8xf16> -> tensor<1x8x8x80xf32>
  return %y : tensor<1x8x8x80xf32>
}

// Each part of a gradient is a nest. A residual is gathered by the same view as
// the part of the result that the scatter writes.
// CHECK-LABEL: func @backward_data
// CHECK-SAME:    %[[DY:.+]]: tensor<1x4x8x16xf16>, %[[W:.+]]: tensor<16x1x1x16xf16>, %[[RES:.+]]: tensor<1x8x8x16xf16>
// CHECK:         %[[EVEN:.+]] = scf.forall {{.*}} to (1, 32, 16) step (1, 32, 32)
// CHECK:           linalg.batch_matmul
// CHECK:           conv.gather %[[RES]]{{.*}} rows = [n = 1, h = 4, w = 8], {{.*}} (d1, d2 * 2, d3, d0 * 16 + d4)
// CHECK:         %[[ODD:.+]] = scf.forall {{.*}} to (1, 32, 16) step (1, 32, 32)
// CHECK-NOT:       linalg.batch_matmul
// CHECK:           conv.gather %[[RES]]{{.*}} rows = [n = 1, h = 4, w = 8], {{.*}} (d1, d2 * 2 + 1, d3, d0 * 16 + d4)
// CHECK:         conv.scatter %[[EVEN]], %[[ODD]] into %{{.+}} rows = [n = 1, h = 4, w = 8], {{.*}} (d1, d2 * 2, d3, d0 * 16 + d4)>>, {{.*}} (d1, d2 * 2 + 1, d3, d0 * 16 + d4)>>
func.func @backward_data(%dy: tensor<1x4x8x16xf16>, %w: tensor<16x1x1x16xf16>, %res: tensor<1x8x8x16xf16>) -> tensor<1x8x8x16xf16> {
  %dx = conv.backward_data %dy, %w window = <strides = [2, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
      layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
      epilogue(%res : tensor<1x8x8x16xf16>) {
      ^bb0(%acc: f32, %r: f16):
        %r32 = arith.extf %r : f16 to f32
        %s = arith.addf %acc, %r32 : f32
        %o = arith.truncf %s : f32 to f16
        conv.yield %o : f16
      } : tensor<1x4x8x16xf16>, tensor<16x1x1x16xf16> -> tensor<1x8x8x16xf16>
  return %dx : tensor<1x8x8x16xf16>
}

// Element-wise work is a nest of its own, over matrices of the result: the vector's view reads one element for all rows.
// CHECK-LABEL: func @elementwise
// CHECK-SAME:    %[[X:.+]]: tensor<4x128xf16>, %[[S:.+]]: tensor<128xf16>
// CHECK:         %[[TILES:.+]] = scf.forall (%[[N:.+]], %[[I:.+]], %[[J:.+]]) = (0, 0, 0) to (1, 4, 128) step (1, 4, 128)
// CHECK-DAG:       conv.gather %[[X]][%[[N]], %[[I]], %[[J]]] view = <batch = [1], rows = [4], columns = [128], map = affine_map<(d0, d1, d2) -> (d1, d2)>>
// CHECK-DAG:       conv.gather %[[S]][%[[N]], %[[I]], %[[J]]] view = <batch = [1], rows = [4], columns = [128], map = affine_map<(d0, d1, d2) -> (d2)>>
// CHECK:           linalg.generic
// CHECK:             arith.mulf
// CHECK:         conv.scatter %[[TILES]] into
#rows = affine_map<(n, k) -> (n, k)>
#vector = affine_map<(n, k) -> (k)>
func.func @elementwise(%x: tensor<4x128xf16>, %s: tensor<128xf16>) -> tensor<4x128xf16> {
  %e = tensor.empty() : tensor<4x128xf16>
  %y = linalg.generic {indexing_maps = [#rows, #vector, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<4x128xf16>, tensor<128xf16>) outs(%e : tensor<4x128xf16>) {
  ^bb0(%a: f16, %b: f16, %o: f16):
    %a32 = arith.extf %a : f16 to f32
    %b32 = arith.extf %b : f16 to f32
    %m = arith.mulf %a32, %b32 : f32
    %r = arith.truncf %m : f32 to f16
    linalg.yield %r : f16
  } -> tensor<4x128xf16>
  return %y : tensor<4x128xf16>
}

// Left alone: what reads the tensor that it replaces is not element-wise.
// CHECK-LABEL: func @left_alone
// CHECK-NOT:     scf.forall
// CHECK:         linalg.generic
#id = affine_map<(d0) -> (d0)>
func.func @left_alone(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}
