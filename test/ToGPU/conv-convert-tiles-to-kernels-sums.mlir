// RUN: conv-opt %s --conv-lower-to-linalg --conv-lower-to-tiled --conv-convert-tiles-to-kernels --canonicalize --cse | FileCheck %s

// Many slices are added in a loop, 64 at a time. The offset is guarded once, and distances to slices do not wrap: so they become part
// of the loads' instructions, which ptxas leaves in flight together.
#slices = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [32, 16], subgroup = [32, 16], gemm_k = 16, stages = 2, atom = <fma 16 x 32 x 4>, main_loop = register_staged, raster = columns>, splits = 256>

// CHECK-LABEL: gpu.func @sum_1(
// CHECK-SAME:    %[[SLICES:[^:]+]]: memref<256x16x9xf32,
// CHECK-DAG:     %[[C144:.+]] = arith.constant 144 : i32
// CHECK-DAG:     %[[YES:.+]] = arith.constant true
// CHECK:         %[[FIRST:.+]] = arith.select %{{.+}}, %{{.+}}, %{{.+}} : i32
// CHECK:         scf.for {{.+}} iter_args(%[[SUM:.+]] = %{{.+}}, %[[OFFSET:.+]] = %[[FIRST]]) -> (f32, i32)
// CHECK:           conv.guarded_load %[[SLICES]][%[[OFFSET]]] if %[[YES]]
// CHECK:           %[[SECOND:.+]] = arith.addi %[[OFFSET]], %[[C144]] overflow<nsw> : i32
// CHECK:           conv.guarded_load %[[SLICES]][%[[SECOND]]] if %[[YES]]
// CHECK-COUNT-64:  arith.addf
// CHECK:           %[[NEXT:.+]] = arith.addi %[[OFFSET]], %{{.+}} overflow<nsw> : i32
// CHECK:           scf.yield %{{.+}}, %[[NEXT]]
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @sum(%x: tensor<8x1x128x128xf32>, %dy: tensor<8x16x64x64xf32>) -> tensor<16x1x3x3xf32> {
    %dw = conv.backward_weight %x, %dy window = <strides = [2, 2], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NCHW", "KCRS", "NKPQ"> schedule = #slices
        : tensor<8x1x128x128xf32>, tensor<8x16x64x64xf32> -> tensor<16x1x3x3xf32>
    return %dw : tensor<16x1x3x3xf32>
  }
}
