// RUN: conv-opt %s --conv-convert-to-products --conv-tile-to-workgroups --conv-verify-stage=stage=tiled | FileCheck %s

// A transform of blocks is one nest with a result for each place, of which one
// scatter takes all.
// CHECK-LABEL: @block
// CHECK:         %[[T:.+]]:2 = scf.forall (%[[G:.+]], %[[M:.+]], %[[N:.+]]) = (0, 0, 0) to (1, 4, 16) step (1, 4, 16) shared_outs(%[[O0:.+]] = %{{.+}}, %[[O1:.+]] = %{{.+}})
// CHECK-COUNT-3:   conv.gather %{{.+}}[%[[G]], %[[M]], %[[N]]]
// CHECK:           %[[R:.+]]:2 = linalg.generic
// CHECK:           tensor.parallel_insert_slice %[[R]]#0 into %[[O0]][%[[G]], %[[M]], %[[N]]]
// CHECK:           tensor.parallel_insert_slice %[[R]]#1 into %[[O1]][%[[G]], %[[M]], %[[N]]]
// CHECK:         } {conv.schedule = #conv.transform_schedule<tile = [4, 16]>}
// CHECK:         conv.scatter %[[T]]#0, %[[T]]#1
func.func @block(%x: tensor<9x16xf16>) -> tensor<2x4x16xf32> {
  %y = conv.block_transform %x
      from = <batch = [3], rows = [4], columns = [16], map = affine_map<(i, t, c) -> (t * 2 + i, c)>>
      matrices = [dense<[[1.0, 0.0, -1.0], [0.0, 0.5, 3.0]]> : tensor<2x3xf32>]
      to = <batch = [2], rows = [4], columns = [16], map = affine_map<(i, t, c) -> (i, t, c)>>
      : tensor<9x16xf16> -> tensor<2x4x16xf32>
  return %y : tensor<2x4x16xf32>
}
