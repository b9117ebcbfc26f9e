// RUN: conv-opt %s --split-input-file --conv-convert-to-products --conv-convert-tiles-to-kernels | FileCheck %s

// The kernel takes both sizes after the buffers. Two channels have the taps of a vector, eight tokens are a block, and there are as
// many blocks as the sizes say. The eight tokens see eleven of the input, each loaded once.
// CHECK-LABEL: gpu.func @forward_0
// CHECK-SAME:    %[[X:.+]]: memref<{{.*}}xbf16, {{.*}}>, %[[K:.+]]: memref<{{.*}}xbf16, {{.*}}>, %{{.+}}: memref<{{.*}}xbf16, {{.*}}>, %[[B:.+]]: i32, %[[T:.+]]: i32)
// CHECK:         %[[TOKENS:.+]] = arith.extsi %[[T]] : i32 to i64
// CHECK-COUNT-19: conv.guarded_load
// CHECK-NOT:     conv.guarded_load
// CHECK-COUNT-8: conv.guarded_store {{.*}} : vector<2xbf16>
// CHECK-NOT:     conv.guarded_store
// CHECK-LABEL: func.func @forward
// CHECK-SAME:    %[[SIZE_B:[^ ]+]]: index, %[[SIZE_T:[^ ]+]]: index)
// CHECK-DAG:     %[[NARROW_B:.+]] = arith.index_cast %[[SIZE_B]] : index to i32
// CHECK-DAG:     %[[NARROW_T:.+]] = arith.index_cast %[[SIZE_T]] : index to i32
// CHECK:         %[[SEQUENCES:.+]] = arith.muli %{{.+}}, %[[SIZE_B]]
// CHECK:         %[[BLOCKS:.+]] = arith.ceildivui %[[SIZE_T]], %{{.+}}
// CHECK:         %[[ITEMS:.+]] = arith.muli %[[SEQUENCES]], %[[BLOCKS]]
// CHECK:         %[[GRID:.+]] = arith.ceildivui %[[ITEMS]], %{{.+}}
// CHECK:         gpu.launch_func {{.*}} blocks in (%[[GRID]], {{.*}} %[[NARROW_B]] : i32, %[[NARROW_T]] : i32)
module attributes {conv.target = #conv.target<"gfx942">} {
  func.func @forward(%x: tensor<?x?x64xbf16>, %k: tensor<?x?x64x4xbf16>) -> tensor<?x?x64xbf16> {
    %y = conv.dynamic_forward %x, %k order = BTGW : tensor<?x?x64xbf16>, tensor<?x?x64x4xbf16> -> tensor<?x?x64xbf16>
    return %y : tensor<?x?x64xbf16>
  }
}

// -----

// A step has states at any stride; that of sequences is static, since what is inside of them is.
// CHECK-LABEL: gpu.func @decode_0
// CHECK-SAME:    %[[S:[^ ]+]]: memref<1099511627776xf16, {{.*}}>, %[[I:[^ ]+]]: memref<1099511627776xi32, {{.*}}>, %[[Y:[^ ]+]]: memref<1099511627776xf16, {{.*}}>, %{{.+}}: i32, %[[STATES:.+]]: i32)
// CHECK:         %[[COUNT:.+]] = arith.extsi %[[STATES]] : i32 to i64
// CHECK:         %[[INDEX:.+]] = conv.guarded_load %[[I]]
// CHECK:         arith.cmpi ult, %{{.+}}, %[[COUNT]] : i64
// CHECK-LABEL: func.func @decode
// CHECK:         gpu.launch_func
module attributes {conv.target = #conv.target<"gfx942">} {
  func.func @decode(%x: tensor<?x16x1xf16>, %w: tensor<16x4xf16>, %s: tensor<?x16x3xf16> {conv.in_place = 1}, %i: tensor<?xi32>)
      -> (tensor<?x16x1xf16>, tensor<?x16x3xf16>) {
    %y, %n = conv.causal_update %x, %w, %s indices(%i : tensor<?xi32>)
        : tensor<?x16x1xf16>, tensor<16x4xf16>, tensor<?x16x3xf16> -> tensor<?x16x1xf16>, tensor<?x16x3xf16>
    return %y, %n : tensor<?x16x1xf16>, tensor<?x16x3xf16>
  }
}

// -----

// Packed sequences are bisected by the kernel itself, for all its tokens in one loop.
// CHECK-LABEL: gpu.func @packed_0
// CHECK-SAME:    %[[STARTS:[^ ]+]]: memref<1099511627776xi64, {{.*}}>
// CHECK:         scf.while
// CHECK-COUNT-8: conv.guarded_load %[[STARTS]]
// CHECK:         scf.yield
// CHECK-NOT:     scf.while
// CHECK-NOT:     gpu.func
// CHECK-LABEL: func.func @packed
module attributes {conv.target = #conv.target<"gfx942">} {
  func.func @packed(%x: tensor<1x?x64xbf16>, %k: tensor<1x?x64x4xbf16>, %s: tensor<?xi64>) -> tensor<1x?x64xbf16> {
    %y = conv.dynamic_forward %x, %k cu_seqlens(%s : tensor<?xi64>) order = BTGW
        : tensor<1x?x64xbf16>, tensor<1x?x64x4xbf16> -> tensor<1x?x64xbf16>
    return %y : tensor<1x?x64xbf16>
  }
}
