// RUN: conv-opt %s --conv-lower-to-linalg --conv-lower-to-tiled --conv-convert-tiles-to-kernels --canonicalize --cse --split-input-file | FileCheck %s

// Along channels: a thread has the sums of 3 x 3 taps of 8 channels in registers. Four neighbours of a line share their
// windows: 4 vectors of the gradient and 3 x 6 of the input for 36 products. The last two of a line come alone.
// CHECK-LABEL: gpu.func @channels_last_0
// The lines of a part are a loop, with the sums of all taps.
// CHECK:         scf.for {{.*}} -> (vector<8xf32>, {{(vector<8xf32>(, )?)+}})
// CHECK-COUNT-54:  vector.fma {{.*}} : vector<8xf32>
// CHECK-NOT:       vector.fma
// CHECK:           scf.yield
// CHECK-COUNT-9:   vector.store {{.*}} vector<8xf32>
// CHECK:         gpu.return
#along = #conv.schedule<kernel = #conv.direct<workgroup = [1, 8], subgroup = [36, 8], gemm_k = 36, stages = 1, atom = <fma 8 x 1 x 1>, main_loop = direct_reduction, raster = columns>>
module attributes {conv.target = #conv.target<"host">} {
  func.func @channels_last(%x: tensor<2x6x6x16xf32>, %dy: tensor<2x6x6x16xf32>) -> tensor<16x3x3x1xf32> {
    %dw = conv.backward_weight %x, %dy
        window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NPQK"> groups = 16 schedule = #along
        : tensor<2x6x6x16xf32>, tensor<2x6x6x16xf32> -> tensor<16x3x3x1xf32>
    return %dw : tensor<16x3x3x1xf32>
  }
}

// -----

// Along a line of 6 positions: one vector of 8, whose last two elements leave the sums of the 9 taps as they are. At the
// end, the elements of each vector are added up, halves first.
// CHECK-LABEL: gpu.func @channels_first_0
// CHECK:         %[[IN:.+]] = arith.constant dense<[true, true, true, true, true, true, false, false]>
// CHECK:         %[[ADDED:.+]] = vector.fma %{{.*}}, %{{.*}}, %[[SUM:.+]] : vector<8xf32>
// CHECK:         arith.select %[[IN]], %[[ADDED]], %[[SUM]]
// CHECK-COUNT-8: arith.select %[[IN]]
// CHECK-NOT:     arith.select %[[IN]]
// CHECK:         vector.extract_strided_slice {{.*}} vector<8xf32> to vector<4xf32>
// CHECK:         arith.addf {{.*}} : vector<4xf32>
// CHECK:         arith.addf {{.*}} : vector<2xf32>
// CHECK:         arith.addf {{.*}} : vector<1xf32>
// CHECK:         gpu.return
#lines = #conv.schedule<kernel = #conv.direct<workgroup = [1, 4], subgroup = [6, 4], gemm_k = 6, stages = 1, atom = <fma 1 x 1 x 1>, main_loop = direct_reduction, raster = rows>>
module attributes {conv.target = #conv.target<"host">} {
  func.func @channels_first(%x: tensor<2x16x6x6xf32>, %dy: tensor<2x16x6x6xf32>) -> tensor<16x1x3x3xf32> {
    %dw = conv.backward_weight %x, %dy
        window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NCHW", "KCRS", "NKPQ"> groups = 16 schedule = #lines
        : tensor<2x16x6x6xf32>, tensor<2x16x6x6xf32> -> tensor<16x1x3x3xf32>
    return %dw : tensor<16x1x3x3xf32>
  }
}

// -----

// Groups of 4 channels along lines of 12 positions: four output channels share the input of two taps, 4 + 2 vectors for 8
// products. The second vector of a line has zeros in its last half, which is not loaded then.
// CHECK-LABEL: gpu.func @groups_0
// CHECK:         %[[IN:.+]] = arith.constant dense<[true, true, true, true, false, false, false, false]>
// CHECK-COUNT-8: vector.fma
// CHECK:         %[[DY:.+]] = vector.load
// CHECK-NEXT:    %[[DY_IN:.+]] = arith.select %[[IN]], %[[DY]],
// CHECK:         %[[X:.+]] = vector.load
// CHECK-NEXT:    %[[X_IN:.+]] = arith.select %[[IN]], %[[X]],
// CHECK-NEXT:    vector.fma %[[DY_IN]], %[[X_IN]],
// CHECK-COUNT-4: arith.select %[[IN]]
// CHECK:         vector.fma
// CHECK-COUNT-8: vector.store
#groups = #conv.schedule<kernel = #conv.direct<workgroup = [4, 1], subgroup = [12, 1], gemm_k = 12, stages = 1, atom = <fma 1 x 1 x 1>, main_loop = direct_reduction, raster = rows>>
module attributes {conv.target = #conv.target<"host">} {
  func.func @groups(%x: tensor<2x16x6x12xf32>, %dy: tensor<2x16x6x12xf32>) -> tensor<16x4x3x3xf32> {
    %dw = conv.backward_weight %x, %dy
        window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NCHW", "KCRS", "NKPQ"> groups = 4 schedule = #groups
        : tensor<2x16x6x12xf32>, tensor<2x16x6x12xf32> -> tensor<16x4x3x3xf32>
    return %dw : tensor<16x4x3x3xf32>
  }
}
