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
// two that are aligned, and positions without such a neighbour alone.
// CHECK-LABEL: gpu.module @odd_kernels
// CHECK:       gpu.func @odd_0(%{{.+}}: !llvm.ptr {conv.tensor_map}, %{{.+}}: !llvm.ptr {conv.tensor_map}, %[[Y:.+]]: memref<2x64x7x7xbf16, {{.+}}>) kernel
// CHECK:         nvvm.stmatrix
// CHECK:         nvvm.barrier
// CHECK:         nvvm.shfl.sync up
// CHECK:         scf.for
// CHECK:           %[[ODD:.+]] = arith.trunci %{{.+}} : i32 to i1
// CHECK:           %[[PAIR:.+]] = llvm.load %{{.+}} : !llvm.ptr<3> -> vector<2xbf16>
// CHECK:           %[[THIRD:.+]] = llvm.load %{{.+}} : !llvm.ptr<3> -> bf16
// CHECK:           %[[LATER:.+]] = vector.from_elements %{{.+}}, %[[THIRD]] : vector<2xbf16>
// CHECK:           %[[ALIGNED:.+]] = arith.select %[[ODD]], %[[LATER]], %[[PAIR]]
// CHECK:           conv.guarded_store %[[ALIGNED]], %[[Y]]
// CHECK:           %[[FIRST:.+]] = vector.extract_strided_slice %[[PAIR]] {offsets = [0], sizes = [1], strides = [1]}
// CHECK:           conv.guarded_store %[[FIRST]], %[[Y]]
// CHECK:           %[[SECOND:.+]] = vector.extract_strided_slice %[[PAIR]] {offsets = [1], sizes = [1], strides = [1]}
// CHECK:           conv.guarded_store %[[SECOND]], %[[Y]]
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
