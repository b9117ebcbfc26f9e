// RUN: conv-opt %s --conv-convert-to-products --conv-tile-to-workgroups --conv-convert-tiles-to-kernels | FileCheck %s

// Work-items hold blocks of four neighbouring channels in registers: each
// element of a block is loaded once, and each of the result is stored once, but
// for those that are not in the result.
// CHECK-LABEL: gpu.func @block_0
// CHECK-SAME:    (%[[X:.+]]: memref<9x16xf16, {{.*}}>, %[[Y:.+]]: memref<7x16xf32, {{.*}}>) kernel
// CHECK-COUNT-3: conv.guarded_load %[[X]][{{.*}} -> vector<4xf16>
// CHECK-NOT:     conv.guarded_load
// CHECK-COUNT-2: conv.guarded_store {{.*}} %[[Y]][{{.*}} vector<4xf32>
// CHECK-NOT:     conv.guarded_store
module attributes {conv.target = #conv.target<"gfx942">} {
  func.func @block(%x: tensor<9x16xf16>) -> tensor<7x16xf32> {
    %y = conv.block_transform %x
        from = <batch = [3], rows = [4], columns = [16], map = affine_map<(i, t, c) -> (t * 2 + i, c)>>
        matrices = [dense<[[1.0, 0.0, -1.0], [0.0, 0.5, 3.0]]> : tensor<2x3xf32>]
        to = <batch = [2], rows = [4], columns = [16], map = affine_map<(i, t, c) -> (t * 2 + i, c, t * 2 + i)>, limits = [7]>
        : tensor<9x16xf16> -> tensor<7x16xf32>
    return %y : tensor<7x16xf32>
  }
}
