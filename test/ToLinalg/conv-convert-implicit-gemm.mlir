// RUN: conv-opt %s --conv-convert-implicit-gemm | FileCheck %s

#schedule = #conv.schedule<algorithm = implicit_gemm, workgroup = [32, 32], subgroup = [16, 16], gemm_k = 32, stages = 2, atom = <mfma 16 x 16 x 16>, main_loop = register_staged, raster = channels>
#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>

// The picture in the pass description: without a tail, one that copies.
// CHECK-DAG: #[[M_K:.+]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[N_K:.+]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-LABEL: func @plain
// CHECK-SAME:    %[[X:.+]]: tensor<1x8x8x16xf16>, %[[W:.+]]: tensor<32x3x3x16xf16>
// CHECK:         %[[A:.+]] = conv.im2col %[[X]][%{{.+}}, %{{.+}}] window = {{.*}} filter = [3, 3] output = [8, 8] : tensor<1x8x8x16xf16> -> tensor<64x144xf16>
// CHECK:         %[[B:.+]] = tensor.collapse_shape %[[W]] {{\[}}[0], [1, 2, 3]]
// CHECK:         %[[ZERO:.+]] = linalg.fill
// CHECK:         %[[C:.+]] = linalg.matmul indexing_maps = [#[[M_K]], #[[N_K]], #{{.+}}] ins(%[[A]], %[[B]]
// CHECK-SAME:      outs(%[[ZERO]]
// CHECK:         %[[T:.+]] = linalg.generic {{.*}} ins(%[[C]] : tensor<64x32xf32>) {{.*}}conv.schedule
// CHECK:           linalg.yield %{{.+}} : f32
// CHECK:         tensor.expand_shape %[[T]] {{\[}}[0, 1, 2], [3]] output_shape [1, 8, 8, 32]
func.func @plain(%x: tensor<1x8x8x16xf16>, %w: tensor<32x3x3x16xf16>) -> tensor<1x8x8x32xf32> {
  %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
      : tensor<1x8x8x16xf16>, tensor<32x3x3x16xf16> -> tensor<1x8x8x32xf32>
  return %y : tensor<1x8x8x32xf32>
}

// A filter with K innermost keeps its layout, which is the one that the product
// has without indexing maps.
// CHECK-LABEL: func @filter_rsck
// CHECK:         tensor.collapse_shape %{{.+}} {{\[}}[0, 1, 2], [3]] : tensor<3x3x16x32xf16> into tensor<144x32xf16>
// CHECK:         linalg.matmul ins(
func.func @filter_rsck(%x: tensor<1x8x8x16xf16>, %w: tensor<3x3x16x32xf16>) -> tensor<1x8x8x32xf32> {
  %y = conv.forward %x, %w window = #window layouts = <"NHWC", "RSCK", "NPQK"> schedule = #schedule
      : tensor<1x8x8x16xf16>, tensor<3x3x16x32xf16> -> tensor<1x8x8x32xf32>
  return %y : tensor<1x8x8x32xf32>
}

// A vector of channels is an operand of the tail as it is; one of the output's
// shape becomes a matrix.
// CHECK-LABEL: func @tail_operands
// CHECK-SAME:    %{{.+}}: tensor<1x8x8x16xf16>, %{{.+}}: tensor<32x3x3x16xf16>, %[[BIAS:.+]]: tensor<32xf16>, %[[RES:.+]]: tensor<1x8x8x32xf16>
// CHECK:         %[[C:.+]] = linalg.matmul
// CHECK:         %[[R:.+]] = tensor.collapse_shape %[[RES]] {{\[}}[0, 1, 2], [3]]
// CHECK:         linalg.generic {{.*}} ins(%[[C]], %[[BIAS]], %[[R]] : tensor<64x32xf32>, tensor<32xf16>, tensor<64x32xf16>)
// CHECK:         ^bb0(%[[ACC:.+]]: f32, %[[B:.+]]: f16, %[[E:.+]]: f16, %{{.+}}: f16)
// CHECK:           %[[B32:.+]] = arith.extf %[[B]]
// CHECK:           %[[E32:.+]] = arith.extf %[[E]]
// CHECK:           %[[S:.+]] = arith.addf %[[ACC]], %[[B32]]
// CHECK:           %[[S2:.+]] = arith.addf %[[S]], %[[E32]]
// CHECK:           arith.truncf %[[S2]]
func.func @tail_operands(%x: tensor<1x8x8x16xf16>, %w: tensor<32x3x3x16xf16>, %bias: tensor<32xf16>, %res: tensor<1x8x8x32xf16>) -> tensor<1x8x8x32xf16> {
  %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
      tail(%bias : tensor<32xf16>, %res : tensor<1x8x8x32xf16>) {
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

// Left alone: channels are not innermost, and no schedule.
// CHECK-LABEL: func @left_alone
// CHECK:         conv.forward {{.*}}"NCHW"
// CHECK:         conv.forward {{.*}}"NHWC"
func.func @left_alone(%x: tensor<1x16x8x8xf16>, %w: tensor<32x3x3x16xf16>, %z: tensor<1x8x8x16xf16>) -> (tensor<1x8x8x32xf32>, tensor<1x8x8x32xf32>) {
  %y = conv.forward %x, %w window = #window layouts = <"NCHW", "KRSC", "NPQK"> schedule = #schedule
      : tensor<1x16x8x8xf16>, tensor<32x3x3x16xf16> -> tensor<1x8x8x32xf32>
  %v = conv.forward %z, %w window = #window layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<1x8x8x16xf16>, tensor<32x3x3x16xf16> -> tensor<1x8x8x32xf32>
  return %y, %v : tensor<1x8x8x32xf32>, tensor<1x8x8x32xf32>
}

// Integers are summed as integers.
// CHECK-LABEL: func @integers
// CHECK:         linalg.fill ins(%{{.+}} : i32)
// CHECK:         linalg.matmul {{.*}} ins(%{{.+}}, %{{.+}} : tensor<64x144xi8>, tensor<32x144xi8>) outs(%{{.+}} : tensor<64x32xi32>)
func.func @integers(%x: tensor<1x8x8x16xi8>, %w: tensor<32x3x3x16xi8>) -> tensor<1x8x8x32xi32> {
  %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
      : tensor<1x8x8x16xi8>, tensor<32x3x3x16xi8> -> tensor<1x8x8x32xi32>
  return %y : tensor<1x8x8x32xi32>
}
