// RUN: conv-opt %s --split-input-file --conv-lower-to-linalg --conv-lower-to-tiled --conv-convert-tiles-to-kernels --cse | FileCheck %s

// A result in NCHW has positions innermost, which are rows of the product. Half of the columns of both atoms at a time go to shared
// memory, transposed, 16 columns of an atom at a time. Each lane then stores eight positions of a channel: 16 lanes the 128
// positions of both atoms, and 128 lanes eight channels at a time.
// CHECK-LABEL: gpu.module @even_kernels
// CHECK:       gpu.func @even_0(%{{.+}}: !llvm.ptr {conv.tensor_map}, %{{.+}}: !llvm.ptr {conv.tensor_map}, %[[Y:.+]]: memref<2x128x16x16xbf16, {{.+}}>) kernel
// CHECK:         nvvm.wgmma.mma_async
// CHECK:         nvvm.barrier
// CHECK-COUNT-4: nvvm.stmatrix %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} {eltType = {{.+}}, layout = #nvvm.mma_layout<col>
// CHECK-NOT:     nvvm.stmatrix
// CHECK:         nvvm.barrier
// CHECK:         scf.for
// CHECK:           %[[EIGHT:.+]] = llvm.load %{{.+}} : !llvm.ptr<3> -> vector<8xbf16>
// CHECK:           conv.guarded_store %[[EIGHT]], %[[Y]]
// CHECK:         nvvm.barrier
// CHECK-COUNT-4: nvvm.stmatrix
// CHECK-NOT:     nvvm.stmatrix
// CHECK:         nvvm.barrier
// CHECK:         scf.for
// CHECK:           conv.guarded_store %{{.+}}, %[[Y]]
#schedule = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [128, 64], subgroup = [128, 64], gemm_k = 64, stages = 4, atom = <wgmma 64 x 64 x 16>, raster = columns>>
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @even(%x: tensor<2x16x16x64xbf16>, %w: tensor<128x3x3x64xbf16>) -> tensor<2x128x16x16xbf16> {
    %y = conv.forward %x, %w window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NKPQ"> schedule = #schedule epilogue() {
    ^bb0(%acc: f32):
      %0 = arith.truncf %acc : f32 to bf16
      conv.yield %0 : bf16
    } : tensor<2x16x16x64xbf16>, tensor<128x3x3x64xbf16> -> tensor<2x128x16x16xbf16>
    return %y : tensor<2x128x16x16xbf16>
  }
}

// -----

// With 7 x 7 positions, every second channel starts within a register. Lanes load two positions and the one after them. They store
// two that are aligned, and positions without such a neighbour alone: the first one of an odd offset unless the previous lane has
// stored it as its later one. No lane has a later one after the last lane of a warp, and the first lane has no previous one. Each
// position is thus stored once.
// CHECK-LABEL: gpu.module @odd_kernels
// CHECK:       gpu.func @odd_0(%{{.+}}: !llvm.ptr {conv.tensor_map}, %{{.+}}: !llvm.ptr {conv.tensor_map}, %[[Y:.+]]: memref<2x64x7x7xbf16, {{.+}}>) kernel
// CHECK:         nvvm.stmatrix
// CHECK:         nvvm.barrier
// CHECK:         %[[FIRST_EXISTS:.+]] = arith.cmpi ult, %{{.+}}, %c98_i32
// CHECK:         %[[SECOND_EXISTS:.+]] = arith.cmpi ult, %{{.+}}, %c98_i32
// CHECK:         %[[THIRD_EXISTS:.+]] = arith.cmpi ult, %{{.+}}, %c98_i32
// CHECK-NEXT:    %[[DISTANCE:.+]] = arith.subi
// CHECK-NEXT:    %[[NEXT_DISTANCE:.+]] = arith.subi
// CHECK-NEXT:    %[[SECOND_FOLLOWS:.+]] = arith.cmpi eq, %[[DISTANCE]], %c1_i32
// CHECK-NEXT:    %[[BOTH_EXIST:.+]] = arith.andi %[[FIRST_EXISTS]], %[[SECOND_EXISTS]]
// CHECK-NEXT:    %[[IS_PAIR:.+]] = arith.andi %[[SECOND_FOLLOWS]], %[[BOTH_EXIST]]
// CHECK-NEXT:    %[[THIRD_FOLLOWS:.+]] = arith.cmpi eq, %[[NEXT_DISTANCE]], %c1_i32
// CHECK-NEXT:    %[[LATER_EXIST:.+]] = arith.andi %[[SECOND_EXISTS]], %[[THIRD_EXISTS]]
// CHECK-NEXT:    %[[LATER_FOLLOW:.+]] = arith.andi %[[THIRD_FOLLOWS]], %[[LATER_EXIST]]
// CHECK-NEXT:    %[[ALL_FOLLOW:.+]] = arith.andi %[[IS_PAIR]], %[[LATER_FOLLOW]]
// CHECK-NEXT:    %[[HAS_NEXT_LANE:.+]] = arith.cmpi ult, %{{.+}}, %c31_i32
// CHECK-NEXT:    %[[IS_LATER:.+]] = arith.andi %[[ALL_FOLLOW]], %[[HAS_NEXT_LANE]]
// CHECK-NEXT:    %[[SENT:.+]] = arith.extui %[[IS_LATER]]
// CHECK-NEXT:    %[[RECEIVED:.+]] = nvvm.shfl.sync up %{{.+}}, %[[SENT]], %c1_i32, %c0_i32
// CHECK-NEXT:    %[[WAS_LATER:.+]] = arith.cmpi eq, %[[RECEIVED]], %c1_i32
// CHECK:         %[[HAS_PREVIOUS:.+]] = arith.xori %{{.+}}, %true
// CHECK-NEXT:    %[[IS_DONE:.+]] = arith.andi %[[WAS_LATER]], %[[HAS_PREVIOUS]]
// CHECK-NEXT:    %[[NO_PAIR:.+]] = arith.xori %[[IS_PAIR]], %true
// CHECK-NEXT:    %[[EVEN_FIRST:.+]] = arith.andi %[[FIRST_EXISTS]], %[[NO_PAIR]]
// CHECK-NEXT:    %[[NOT_DONE:.+]] = arith.xori %[[IS_DONE]], %true
// CHECK-NEXT:    %[[ODD_FIRST:.+]] = arith.andi %[[FIRST_EXISTS]], %[[NOT_DONE]]
// CHECK-NEXT:    %[[EVEN_SECOND:.+]] = arith.andi %[[SECOND_EXISTS]], %[[NO_PAIR]]
// CHECK-NEXT:    %[[NOT_LATER:.+]] = arith.xori %[[IS_LATER]], %true
// CHECK-NEXT:    %[[ODD_SECOND:.+]] = arith.andi %[[SECOND_EXISTS]], %[[NOT_LATER]]
// CHECK:         scf.for
// CHECK:           %[[ODD:.+]] = arith.trunci %[[OFFSET:.+]] : i32 to i1
// CHECK:           %[[PAIR:.+]] = llvm.load %{{.+}} : !llvm.ptr<3> -> vector<2xbf16>
// CHECK:           %[[THIRD:.+]] = llvm.load %{{.+}} : !llvm.ptr<3> -> bf16
// CHECK:           %[[LATER:.+]] = vector.from_elements %{{.+}}, %[[THIRD]] : vector<2xbf16>
// CHECK:           %[[NEXT:.+]] = arith.addi %[[OFFSET]], %[[DISTANCE]]
// CHECK:           %[[ALIGNED:.+]] = arith.select %[[ODD]], %[[LATER]], %[[PAIR]]
// CHECK:           %[[TO:.+]] = arith.select %[[ODD]], %[[NEXT]], %[[OFFSET]]
// CHECK:           %[[STORES:.+]] = arith.select %[[ODD]], %[[IS_LATER]], %[[IS_PAIR]]
// CHECK:           conv.guarded_store %[[ALIGNED]], %[[Y]][%[[TO]]] if %[[STORES]]
// CHECK:           %[[FIRST:.+]] = vector.extract_strided_slice %[[PAIR]] {offsets = [0], sizes = [1], strides = [1]}
// CHECK:           %[[STORES_FIRST:.+]] = arith.select %[[ODD]], %[[ODD_FIRST]], %[[EVEN_FIRST]]
// CHECK:           conv.guarded_store %[[FIRST]], %[[Y]][%[[OFFSET]]] if %[[STORES_FIRST]]
// CHECK:           %[[SECOND:.+]] = vector.extract_strided_slice %[[PAIR]] {offsets = [1], sizes = [1], strides = [1]}
// CHECK:           %[[STORES_SECOND:.+]] = arith.select %[[ODD]], %[[ODD_SECOND]], %[[EVEN_SECOND]]
// CHECK:           conv.guarded_store %[[SECOND]], %[[Y]][%[[NEXT]]] if %[[STORES_SECOND]]
#schedule = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [64, 64], subgroup = [64, 64], gemm_k = 64, stages = 4, atom = <wgmma 64 x 64 x 16>, raster = columns>>
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @odd(%x: tensor<2x7x7x64xbf16>, %w: tensor<64x1x1x64xbf16>) -> tensor<2x64x7x7xbf16> {
    %y = conv.forward %x, %w window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
        layouts = <"NHWC", "KRSC", "NKPQ"> schedule = #schedule epilogue() {
    ^bb0(%acc: f32):
      %0 = arith.truncf %acc : f32 to bf16
      conv.yield %0 : bf16
    } : tensor<2x7x7x64xbf16>, tensor<64x1x1x64xbf16> -> tensor<2x64x7x7xbf16>
    return %y : tensor<2x64x7x7xbf16>
  }
}

// -----

// Elements of 32 bits go to shared memory one by one, half of the columns at a time; a lane then stores four positions.
// CHECK-LABEL: gpu.module @wide_kernels
// CHECK:       gpu.func @wide_0(%{{.+}}: !llvm.ptr {conv.tensor_map}, %{{.+}}: !llvm.ptr {conv.tensor_map}, %[[Y:.+]]: memref<2x64x16x16xf32, {{.+}}>) kernel
// CHECK-NOT:     nvvm.stmatrix
// CHECK:         llvm.store %{{.+}}, %{{.+}} : f32, !llvm.ptr<3>
// CHECK:         scf.for
// CHECK:           %[[FOUR:.+]] = llvm.load %{{.+}} : !llvm.ptr<3> -> vector<4xf32>
// CHECK:           conv.guarded_store %[[FOUR]], %[[Y]]
// CHECK:         llvm.store %{{.+}}, %{{.+}} : f32, !llvm.ptr<3>
// CHECK:         scf.for
// CHECK:           conv.guarded_store %{{.+}}, %[[Y]]
#schedule = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [64, 64], subgroup = [64, 64], gemm_k = 32, stages = 4, atom = <wgmma 64 x 64 x 8>, raster = columns>>
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @wide(%x: tensor<2x16x16x64xf32>, %w: tensor<64x1x1x64xf32>) -> tensor<2x64x16x16xf32> {
    %y = conv.forward %x, %w window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
        layouts = <"NHWC", "KRSC", "NKPQ"> arithmetic = tf32 schedule = #schedule epilogue() {
    ^bb0(%acc: f32):
      conv.yield %acc : f32
    } : tensor<2x16x16x64xf32>, tensor<64x1x1x64xf32> -> tensor<2x64x16x16xf32>
    return %y : tensor<2x64x16x16xf32>
  }
}

// -----

// Each workgroup of this cluster stores eight of the columns. There is room for the rows of one atom.
// CHECK-LABEL: gpu.module @share_kernels
// CHECK:       gpu.func @share_0(%{{.+}}: !llvm.ptr {conv.tensor_map}, %{{.+}}: !llvm.ptr {conv.tensor_map}, %[[Y:.+]]: memref<2x64x16x16xf32, {{.+}}>) kernel
// CHECK:         llvm.store %{{.+}}, %{{.+}} : f32, !llvm.ptr<3>
// CHECK:         %[[FOUR:.+]] = llvm.load %{{.+}} : !llvm.ptr<3> -> vector<4xf32>
// CHECK:         conv.guarded_store %[[FOUR]], %[[Y]]
// CHECK:         llvm.store %{{.+}}, %{{.+}} : f32, !llvm.ptr<3>
// CHECK:         conv.guarded_store %{{.+}}, %[[Y]]
#schedule = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [128, 64], subgroup = [128, 64], gemm_k = 32, stages = 4, atom = <wgmma 64 x 64 x 8>, raster = columns, cluster = 8>>
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @share(%x: tensor<2x16x16x64xf32>, %w: tensor<64x3x3x64xf32>) -> tensor<2x64x16x16xf32> {
    %y = conv.forward %x, %w window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NKPQ"> arithmetic = tf32 schedule = #schedule epilogue() {
    ^bb0(%acc: f32):
      conv.yield %acc : f32
    } : tensor<2x16x16x64xf32>, tensor<64x3x3x64xf32> -> tensor<2x64x16x16xf32>
    return %y : tensor<2x64x16x16xf32>
  }
}
