// RUN: conv-opt %s --conv-lower-to-linalg --conv-lower-to-tiled --conv-convert-tiles-to-kernels --canonicalize --cse | FileCheck %s

#schedule = #conv.schedule<kernel = #conv.host_gemm<workgroup = [8, 16], subgroup = [8, 16], gemm_k = 64, stages = 1, atom = <fma 16 x 8 x 1>, raster = columns>>

// Eight channels fill half of a vector of 16. The other half is set to zero: were
// there subnormal numbers in memory, products of them would take many times as
// long.
// CHECK-LABEL: gpu.func @kernel_0
// CHECK-COUNT-8:   vector.store %{{[0-9]+}}, %[[PANEL:[a-z0-9]+]][{{.*}}vector<8xf32>
// CHECK:         scf.for %{{.+}} = %c0_i64 to %c64_i64 step %c1_i64
// CHECK-NOT:       vector.load
// CHECK:           vector.store %cst{{.*}}, %[[PANEL]][{{.*}}vector<8xf32>
// CHECK:         vector.load %[[PANEL]][{{.*}}vector<16xf32>
module attributes {conv.target = #conv.target<"host_v4">} {
  func.func @kernel(%x: tensor<1x8x8x8xf32>, %dy: tensor<1x8x8x8xf32>) -> tensor<8x1x1x8xf32> {
    %dw = conv.backward_weight %x, %dy
        window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
        layouts = <"NCHW", "KRSC", "NKPQ"> schedule = #schedule
        : tensor<1x8x8x8xf32>, tensor<1x8x8x8xf32> -> tensor<8x1x1x8xf32>
    return %dw : tensor<8x1x1x8xf32>
  }
}
