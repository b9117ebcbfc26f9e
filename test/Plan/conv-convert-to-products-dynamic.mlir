// RUN: conv-opt %s --conv-convert-to-products | FileCheck %s

// A row is a block of two positions, of which the second may be after the end of the sequence. Its result is the last one's; the
// input between two positions is gathered once.
// CHECK-LABEL: func @forward
// CHECK-SAME:    %[[X:.+]]: tensor<1x2x4xf16>, %[[K:.+]]: tensor<1x2x4x2xf16>
// CHECK-DAG:     %[[ZERO:.+]] = arith.constant 0.0{{.*}} : f32
// CHECK:         %[[X0:.+]] = conv.gather %[[X]][{{.*}} rows = [1, 1], columns = [4, 1], {{.*}} (d1, d2 * 2 - 1, d3 + d4)>> :
// CHECK:         %[[K00:.+]] = conv.gather %[[K]][{{.*}} (d1, d2 * 2, d3, 0)>> :
// CHECK:         %[[X1:.+]] = conv.gather %[[X]][{{.*}} (d1, d2 * 2, d3 + d4)>> :
// CHECK:         %[[K01:.+]] = conv.gather %[[K]][{{.*}} (d1, d2 * 2, d3, 1)>> :
// CHECK:         %[[K10:.+]] = conv.gather %[[K]][{{.*}} (d1, d2 * 2 + 1, d3, 0)>> :
// CHECK:         %[[X2:.+]] = conv.gather %[[X]][{{.*}} (d1, d2 * 2 + 1, d3 + d4)>> :
// CHECK:         %[[K11:.+]] = conv.gather %[[K]][{{.*}} (d1, d2 * 2 + 1, d3, 1)>> :
// CHECK:         %[[Y:.+]]:2 = linalg.generic {{.*}} ins(%[[X0]], %[[K00]], %[[X1]], %[[K01]], %[[K10]], %[[X2]], %[[K11]] :
// CHECK:         ^bb0(%[[A0:.+]]: f16, %[[B00:.+]]: f16, %[[A1:.+]]: f16, %[[B01:.+]]: f16, %[[B10:.+]]: f16, %[[A2:.+]]: f16, %[[B11:.+]]: f16, %{{.+}}: f32, %{{.+}}: f32):
// CHECK-DAG:       %[[WA0:.+]] = arith.extf %[[A0]]
// CHECK-DAG:       %[[WB00:.+]] = arith.extf %[[B00]]
// CHECK:           %[[S00:.+]] = math.fma %[[WA0]], %[[WB00]], %[[ZERO]]
// CHECK-DAG:       %[[WA1:.+]] = arith.extf %[[A1]]
// CHECK-DAG:       %[[WB01:.+]] = arith.extf %[[B01]]
// CHECK:           %[[S0:.+]] = math.fma %[[WA1]], %[[WB01]], %[[S00]]
// CHECK:           %[[WB10:.+]] = arith.extf %[[B10]]
// CHECK:           %[[S10:.+]] = math.fma %[[WA1]], %[[WB10]], %[[ZERO]]
// CHECK-DAG:       %[[WA2:.+]] = arith.extf %[[A2]]
// CHECK-DAG:       %[[WB11:.+]] = arith.extf %[[B11]]
// CHECK:           %[[S1:.+]] = math.fma %[[WA2]], %[[WB11]], %[[S10]]
// CHECK:           linalg.yield %[[S0]], %[[S1]]
// CHECK:         conv.scatter %[[Y]]#0, %[[Y]]#1 into
// CHECK-SAME:      (d1, d2 * 2, d3 + d4)>>, {{.*}} (d1, d2 * 2 + 1, d3 + d4)>> :
func.func @forward(%x: tensor<1x2x4xf16>, %k: tensor<1x2x4x2xf16>) -> tensor<1x2x4xf32> {
  %y = conv.dynamic_forward %x, %k order = BTGW : tensor<1x2x4xf16>, tensor<1x2x4x2xf16> -> tensor<1x2x4xf32>
  return %y : tensor<1x2x4xf32>
}

// The last block of three positions has one after the end, which is not written. Orders differ in the kernels' coordinates.
// CHECK-LABEL: func @rest
// CHECK:         conv.gather %{{.*}} (d1, d2 * 4, 0, d3)>> : tensor<1x3x1x4xf32>
// CHECK:         conv.scatter {{.*}} (d1, d2 * 4 + 3, d3 + d4, d2 * 4 + 3)>, limits = [3]> :
func.func @rest(%x: tensor<1x3x4xf32>, %k: tensor<1x3x1x4xf32>) -> tensor<1x3x4xf32> {
  %y = conv.dynamic_forward %x, %k order = BTWG : tensor<1x3x4xf32>, tensor<1x3x1x4xf32> -> tensor<1x3x4xf32>
  return %y : tensor<1x3x4xf32>
}

// The gradient of the input looks at later positions, with their kernels.
// CHECK-LABEL: func @backward_input
// CHECK-SAME:    %[[DY:.+]]: tensor<1x1x6xi8>, %[[K:.+]]: tensor<1x1x2x3xi8>
// CHECK:         %[[DY2:.+]] = conv.gather %[[DY]][{{.*}} columns = [3, 2], {{.*}} (d1, d2 + 1, d3 * 2 + d4)>>
// CHECK:         %[[K2:.+]] = conv.gather %[[K]][{{.*}} (d1, d2 + 1, 0, d3)>>
// CHECK:         %[[DY1:.+]] = conv.gather %[[DY]][{{.*}} (d1, d2, d3 * 2 + d4)>>
// CHECK:         %[[K1:.+]] = conv.gather %[[K]][{{.*}} (d1, d2, 1, d3)>>
// CHECK:         linalg.generic {{.*}} ins(%[[DY2]], %[[K2]], %[[DY1]], %[[K1]] :
// CHECK:           arith.muli
// CHECK:           arith.addi
func.func @backward_input(%dy: tensor<1x1x6xi8>, %k: tensor<1x1x2x3xi8>) -> tensor<1x1x6xi32> {
  %dx = conv.dynamic_backward_input %dy, %k order = BTWG : tensor<1x1x6xi8>, tensor<1x1x2x3xi8> -> tensor<1x1x6xi32>
  return %dx : tensor<1x1x6xi32>
}

// A kernel sums up at most 16 channels of a group; here, two such sums are added by another.
// CHECK-LABEL: func @partial_sums
// CHECK:         %[[SUMS:.+]] = conv.scatter {{.*}} into tensor<1x1x4x1xf32>
// CHECK:         %[[EVEN:.+]] = conv.gather %[[SUMS]][{{.*}} (d1, d2, d3 * 2, d4)>>
// CHECK:         %[[ODD:.+]] = conv.gather %[[SUMS]][{{.*}} (d1, d2, d3 * 2 + 1, d4)>>
// CHECK:         linalg.generic {{.*}} ins(%[[EVEN]], %[[ODD]] :
// CHECK:           arith.addf
func.func @partial_sums(%x: tensor<1x1x64xf16>, %dy: tensor<1x1x64xf16>) -> tensor<1x1x2x1xf32> {
  %dk = conv.dynamic_backward_kernel %x, %dy order = BTGW : tensor<1x1x64xf16>, tensor<1x1x64xf16> -> tensor<1x1x2x1xf32>
  return %dk : tensor<1x1x2x1xf32>
}

// Packed sequences: what is farther away than a position has neighbours is zero. Directions that look at the same side share the
// counts, which are for whole blocks of any length.
// CHECK-LABEL: func @packed
// CHECK-SAME:    %[[X:.+]]: tensor<1x2x4xf32>, %[[K:.+]]: tensor<1x2x2x4xf32>, %[[DY:.+]]: tensor<1x2x4xf32>, %[[STARTS:.+]]: tensor<3xi32>
// CHECK-DAG:     %[[ONE:.+]] = arith.constant 1 : i32
// CHECK-DAG:     %[[ZERO:.+]] = arith.constant 0.0{{.*}} : f32
// CHECK-DAG:     %[[AFTER:.+]] = conv.count_neighbours after %[[STARTS]] limit = 1 : tensor<3xi32> -> tensor<16xi32>
// CHECK-DAG:     %[[BEFORE:.+]] = conv.count_neighbours before %[[STARTS]] limit = 1 : tensor<3xi32> -> tensor<16xi32>
// CHECK:         conv.gather %[[BEFORE]][{{.*}} (d2 * 2)>> : tensor<16xi32> -> tensor<1x1x4xi32>
// CHECK:         conv.gather %[[BEFORE]][{{.*}} (d2 * 2 + 1)>> :
// CHECK:         ^bb0(%[[A:.+]]: f32, %[[B:.+]]: f32, %{{.+}}: f32, %{{.+}}: f32, %{{.+}}: f32, %{{.+}}: f32, %{{.+}}: f32, %[[N:.+]]: i32, %{{.+}}: i32, %{{.+}}: f32, %{{.+}}: f32):
// CHECK:           %[[IS:.+]] = arith.cmpi sge, %[[N]], %[[ONE]]
// CHECK:           %[[MASKED:.+]] = arith.select %[[IS]], %[[A]], %[[ZERO]]
// CHECK:           math.fma %[[MASKED]], %[[B]], %[[ZERO]]
// The gradient of the input takes kernels of other positions, too.
// CHECK:         conv.gather %[[AFTER]]
// CHECK:         linalg.generic
// CHECK:           %[[L:.+]] = arith.select
// CHECK:           %[[R:.+]] = arith.select
// CHECK:           math.fma %[[L]], %[[R]], %[[ZERO]]
// CHECK:         conv.gather %[[BEFORE]]
func.func @packed(%x: tensor<1x2x4xf32>, %k: tensor<1x2x2x4xf32>, %dy: tensor<1x2x4xf32>, %s: tensor<3xi32>)
    -> (tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x2x4xf32>) {
  %y = conv.dynamic_forward %x, %k cu_seqlens(%s : tensor<3xi32>) order = BTWG
      : tensor<1x2x4xf32>, tensor<1x2x2x4xf32> -> tensor<1x2x4xf32>
  %dx = conv.dynamic_backward_input %dy, %k cu_seqlens(%s : tensor<3xi32>) order = BTWG
      : tensor<1x2x4xf32>, tensor<1x2x2x4xf32> -> tensor<1x2x4xf32>
  %dk = conv.dynamic_backward_kernel %x, %dy cu_seqlens(%s : tensor<3xi32>) order = BTWG
      : tensor<1x2x4xf32>, tensor<1x2x4xf32> -> tensor<1x2x2x4xf32>
  return %y, %dx, %dk : tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x2x4xf32>
}

// The element before the first one is that of the initial state, which no other block has, and zero of the input.
// CHECK-LABEL: func @state
// CHECK-SAME:    %[[X:.+]]: tensor<2x2x4xf32>, %[[K:.+]]: tensor<2x2x2x4xf32>, %[[S:.+]]: tensor<2x1x4xf32>
// CHECK:         conv.gather %[[X]][{{.*}} (d1, d2 * 2 - 1, d3 + d4)>> :
// CHECK:         conv.gather %[[S]][{{.*}} (d1, d2 * 2, d3 + d4)>> :
// CHECK-NOT:     conv.gather %[[S]]
// CHECK:         ^bb0(%[[A:[a-z0-9_]+]]: f32, %[[B:[a-z0-9_]+]]: f32, %[[C:[a-z0-9_]+]]: f32,
// CHECK:           %[[LEFT:.+]] = arith.addf %[[A]], %[[C]]
// CHECK:           math.fma %[[LEFT]], %[[B]]
// CHECK-NOT:       arith.addf
// CHECK:           linalg.yield
func.func @state(%x: tensor<2x2x4xf32>, %k: tensor<2x2x2x4xf32>, %s: tensor<2x1x4xf32>) -> tensor<2x2x4xf32> {
  %y = conv.dynamic_forward %x, %k initial_state(%s : tensor<2x1x4xf32>) order = BTWG
      : tensor<2x2x4xf32>, tensor<2x2x2x4xf32> -> tensor<2x2x4xf32>
  return %y : tensor<2x2x4xf32>
}

// One kernel is that of the first token, for all of them; starts may be i64.
// CHECK-LABEL: func @one_kernel
// CHECK-SAME:    %[[X:.+]]: tensor<1x2x4xf32>, %[[K:.+]]: tensor<1x1x2x4xf32>, %[[S:.+]]: tensor<3xi64>
// CHECK:         conv.count_neighbours before %[[S]] limit = 1 : tensor<3xi64> -> tensor<16xi32>
// CHECK:         conv.gather %[[K]][{{.*}} (0, 0, 0, d3)>> :
// CHECK:         conv.gather %[[K]][{{.*}} (0, 0, 1, d3)>> :
// CHECK-NOT:     conv.gather %[[K]]
// CHECK:         return
func.func @one_kernel(%x: tensor<1x2x4xf32>, %k: tensor<1x1x2x4xf32>, %s: tensor<3xi64>) -> tensor<1x2x4xf32> {
  %y = conv.dynamic_forward %x, %k cu_seqlens(%s : tensor<3xi64>) order = BTWG
      : tensor<1x2x4xf32>, tensor<1x1x2x4xf32> -> tensor<1x2x4xf32>
  return %y : tensor<1x2x4xf32>
}

// The gradient of kernels sees the initial state, channel by channel of a group.
// CHECK-LABEL: func @state_of_groups
// CHECK-SAME:    %[[X:.+]]: tensor<1x2x4xf32>, %[[DY:.+]]: tensor<1x2x4xf32>, %[[S:.+]]: tensor<1x1x4xf32>
// CHECK:         conv.gather %[[S]][{{.*}} (d1, d2 * 2, d3 * 2 + d4)>> :
// CHECK:         conv.gather %[[S]][{{.*}} (d1, d2 * 2, d3 * 2 + d4 + 1)>> :
// CHECK-NOT:     conv.gather %[[S]]
// CHECK:         return
func.func @state_of_groups(%x: tensor<1x2x4xf32>, %dy: tensor<1x2x4xf32>, %s: tensor<1x1x4xf32>) -> tensor<1x2x2x2xf32> {
  %dk = conv.dynamic_backward_kernel %x, %dy initial_state(%s : tensor<1x1x4xf32>) order = BTGW
      : tensor<1x2x4xf32>, tensor<1x2x4xf32> -> tensor<1x2x2x2xf32>
  return %dk : tensor<1x2x2x2xf32>
}

// Taps are what all taps of a kernel make of them: in the gradient of the input, of the kernels of two positions. One more is seen,
// of which one tap is used, and none of the other.
// CHECK-LABEL: func @softmax
// CHECK-SAME:    %[[DY:.+]]: tensor<1x2x4xf32>, %[[K:.+]]: tensor<1x2x2x4xf32>
// CHECK-COUNT-6: conv.gather %[[K]]
// CHECK-NOT:     conv.gather %[[K]]
// CHECK:         linalg.generic
// CHECK:           %[[MAX:.+]] = arith.maxnumf
// CHECK:           arith.subf %{{.+}}, %[[MAX]]
// CHECK:           %[[E0:.+]] = math.exp2 {{.+}} fastmath<afn>
// CHECK:           arith.subf %{{.+}}, %[[MAX]]
// CHECK:           %[[E1:.+]] = math.exp2
// CHECK:           %[[SUM:.+]] = arith.addf %[[E0]], %[[E1]]
// CHECK:           %[[SHARE:.+]] = arith.divf %{{.+}}, %[[SUM]] fastmath<arcp>
// CHECK:           arith.mulf %[[E0]], %[[SHARE]]
// CHECK:           arith.mulf %[[E1]], %[[SHARE]]
// CHECK:           arith.maxnumf
// CHECK:           arith.maxnumf
// CHECK-NOT:       arith.maxnumf
// CHECK:           linalg.yield
func.func @softmax(%dy: tensor<1x2x4xf32>, %k: tensor<1x2x2x4xf32>) -> tensor<1x2x4xf32> {
  %dx = conv.dynamic_backward_input %dy, %k order = BTWG normalize = softmax
      : tensor<1x2x4xf32>, tensor<1x2x2x4xf32> -> tensor<1x2x4xf32>
  return %dx : tensor<1x2x4xf32>
}

// The gradient of kernels in one kernel, and of large groups where their partial sums are added.
// CHECK-LABEL: func @gradient_of_l2
// CHECK-SAME:    %[[X:.+]]: tensor<1x1x64xf32>, %[[DY:.+]]: tensor<1x1x64xf32>, %[[K:.+]]: tensor<1x1x2x2xf32>
// CHECK-NOT:     conv.gather %[[K]]
// CHECK:         %[[PARTIAL:.+]] = conv.scatter
// CHECK:         conv.gather %[[PARTIAL]]
// CHECK:         conv.gather %[[K]]
// CHECK:         linalg.generic
// CHECK:           math.sqrt
// CHECK:           linalg.yield %{{.+}}, %{{.+}} : f32, f32
func.func @gradient_of_l2(%x: tensor<1x1x64xf32>, %dy: tensor<1x1x64xf32>, %k: tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32> {
  %dk = conv.dynamic_backward_kernel %x, %dy kernel(%k : tensor<1x1x2x2xf32>) order = BTGW normalize = l2
      : tensor<1x1x64xf32>, tensor<1x1x64xf32> -> tensor<1x1x2x2xf32>
  return %dk : tensor<1x1x2x2xf32>
}

// States of packed sequences are found on the device: it stays one op.
// CHECK-LABEL: func @packed_state
// CHECK:         conv.dynamic_forward
// CHECK-NOT:     conv.gather
func.func @packed_state(%x: tensor<1x2x4xf32>, %k: tensor<1x2x2x4xf32>, %c: tensor<3xi32>, %s: tensor<2x1x4xf32>) -> tensor<1x2x4xf32> {
  %y = conv.dynamic_forward %x, %k cu_seqlens(%c : tensor<3xi32>) initial_state(%s : tensor<2x1x4xf32>) order = BTWG
      : tensor<1x2x4xf32>, tensor<1x2x2x4xf32> -> tensor<1x2x4xf32>
  return %y : tensor<1x2x4xf32>
}
