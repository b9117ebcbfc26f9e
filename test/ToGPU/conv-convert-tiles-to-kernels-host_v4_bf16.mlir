// RUN: conv-opt %s --conv-lower-to-linalg --conv-lower-to-tiled --conv-convert-tiles-to-kernels --canonicalize --cse --split-input-file | FileCheck %s

#schedule = #conv.schedule<kernel = #conv.host_gemm<workgroup = [16, 32], subgroup = [16, 32], gemm_k = 24, stages = 1, atom = <fma 32 x 8 x 2>, raster = columns>>

// Tiles stay bf16. The pairs of an even number of channels are transposed as integers of 32 bits; those of the narrow
// operand are copied with their row, and a pair is repeated in all lanes.
// CHECK-LABEL:   gpu.func @even_0
// CHECK-SAME:      private(%[[A:[a-z0-9]+]] : memref<800xbf16, {{[^>]+}}>>, %[[F:[a-z0-9]+]] : memref<800xbf16, {{[^>]+}}>>, %[[S:[a-z0-9]+]] : memref<1536xf32, {{[^>]+}}>>)
// CHECK-NOT:       arith.extf
// CHECK:           %[[LOADED:.+]] = vector.load {{.*}} vector<16xbf16>
// CHECK:           vector.bitcast %[[LOADED]] : vector<16xbf16> to vector<8xi32>
// CHECK-COUNT-24:  vector.shuffle {{.*}} : vector<8xi32>, vector<8xi32>
// CHECK-COUNT-8:   vector.store %{{.+}}, %[[F]]{{.*}}, vector<16xbf16>
// CHECK-NOT:       vector.interleave
// CHECK:           %[[SUMS:.+]]:8 = scf.for
// CHECK:             vector.load %[[F]]{{.*}}, vector<64xbf16>
// CHECK:             %[[PAIR:.+]] = vector.load %[[A]]{{.*}}, vector<2xbf16>
// CHECK:             %[[INTEGER:.+]] = vector.bitcast %[[PAIR]] : vector<2xbf16> to vector<1xi32>
// CHECK:             vector.broadcast {{.*}} : i32 to vector<32xi32>
// Two steps of an iteration, and the step that a block may end with.
// CHECK-COUNT-32:    x86vector.avx512.dot {{.*}} : vector<32xbf16> -> vector<16xf32>
// CHECK:           scf.for
// CHECK-COUNT-16:    x86vector.avx512.dot {{.*}} : vector<32xbf16> -> vector<16xf32>
// CHECK-NOT:         x86vector.avx512.dot
// CHECK:           gpu.return
module attributes {conv.target = #conv.target<"host_v4_bf16">} {
  func.func @even(%x: tensor<1x9x9x6xbf16>, %w: tensor<32x3x3x6xbf16>) -> tensor<1x9x9x32xf32> {
    %y = conv.forward %x, %w
        window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
        : tensor<1x9x9x6xbf16>, tensor<32x3x3x6xbf16> -> tensor<1x9x9x32xf32>
    return %y : tensor<1x9x9x32xf32>
  }
}

// -----

#schedule = #conv.schedule<kernel = #conv.host_gemm<workgroup = [16, 32], subgroup = [16, 32], gemm_k = 24, stages = 1, atom = <fma 32 x 8 x 2>, raster = columns>>

// The pairs of 5 channels are in several runs: single elements are copied, a zero after the last of 45, and then two rows
// of a panel become one of pairs.
// CHECK-LABEL:   gpu.func @odd_0
// CHECK-SAME:      private(%[[A:[a-z0-9]+]] : memref<800xbf16, {{[^>]+}}>>, %[[F:[a-z0-9]+]] : memref<800xbf16, {{[^>]+}}>>
// CHECK:           vector.store %cst{{.*}}, %[[A]]{{.*}}, vector<1xbf16>
// CHECK:           vector.store %cst{{.*}}, %[[F]]{{.*}}, vector<32xbf16>
// CHECK:           %[[FIRST:.+]] = vector.load %[[F]]{{.*}}, vector<32xbf16>
// CHECK:           %[[SECOND:.+]] = vector.load %[[F]]{{.*}}, vector<32xbf16>
// CHECK:           %[[PAIRS:.+]] = vector.interleave %[[FIRST]], %[[SECOND]] : vector<32xbf16>
// CHECK:           vector.store %[[PAIRS]], %[[F]]{{.*}}, vector<64xbf16>
// CHECK:           x86vector.avx512.dot
// CHECK:           gpu.return
module attributes {conv.target = #conv.target<"host_v4_bf16">} {
  func.func @odd(%x: tensor<1x9x9x5xbf16>, %w: tensor<32x3x3x5xbf16>) -> tensor<1x9x9x32xf32> {
    %y = conv.forward %x, %w
        window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
        : tensor<1x9x9x5xbf16>, tensor<32x3x3x5xbf16> -> tensor<1x9x9x32xf32>
    return %y : tensor<1x9x9x32xf32>
  }
}
