// RUN: conv-opt %s --split-input-file --conv-lower-to-linalg --conv-lower-to-tiled --conv-convert-tiles-to-kernels | FileCheck %s

// The gradient of a filter in f32: both operands have the reduction outermost in shared memory. Three warps beside the
// producer's make parts in tf32 of the right one, with the reduction innermost; consumers load the left one to registers,
// and multiply parts there: twelve products of a row of 32, the small ones first, are a sum that is added in f32.
#schedule = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [128, 64], subgroup = [64, 64], gemm_k = 32, stages = 4, atom = <wgmma_3xtf32 64 x 64 x 8>, raster = columns>>
#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>

// CHECK:       gpu.func @f_0(%[[X:[^:]+]]: !llvm.ptr {conv.tensor_map}, %[[DY:[^:]+]]: !llvm.ptr {conv.tensor_map}, %{{.+}}: !llvm.ptr {conv.tensor_map}{{.*}}) kernel
// Two tasks of a warp, of eight elements of a lane, are loaded together.
// CHECK-COUNT-16: llvm.load %{{.+}} : !llvm.ptr<3> -> f32
// CHECK:         llvm.fsub
// CHECK:         llvm.store %{{.+}} : vector<4xi32>, !llvm.ptr<3>
// CHECK:         nvvm.fence.proxy
// CHECK:         nvvm.wgmma.fence.aligned
// CHECK-COUNT-12: wgmma.mma_async.sync.aligned.m64n64k8.f32.tf32.tf32
// CHECK-NOT:     wgmma.mma_async
// CHECK:         nvvm.wgmma.commit.group.sync.aligned
// Elements of the next step are loaded meanwhile, and split after that: otherwise ptxas lets the instructions wait for each other.
// CHECK-COUNT-16: llvm.load %{{.+}} : !llvm.ptr<3> -> f32
// CHECK-NOT:     llvm.fsub
// CHECK:         nvvm.wgmma.wait.group.sync.aligned 0
// CHECK-COUNT-32: llvm.fadd
// CHECK-COUNT-16: llvm.fsub
// CHECK:       func.func @f
// Copies do not round.
// CHECK:         conv.tensor_map {{.+}} box = [32, 32, 1], element_strides = [1, 1, 1], swizzle = 128>
// CHECK:         conv.tensor_map {{.+}} box = [32, 32], element_strides = [1, 1, 1, 1], lower = [-1, -1], upper = [-1, -1], swizzle = 128>
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @f(%x: tensor<2x30x30x64xf32>, %dy: tensor<2x30x30x128xf32>) -> tensor<128x3x3x64xf32> {
    %dw = conv.backward_weight %x, %dy window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
        : tensor<2x30x30x64xf32>, tensor<2x30x30x128xf32> -> tensor<128x3x3x64xf32>
    return %dw : tensor<128x3x3x64xf32>
  }
}

// -----

// Winograd's products: of each place of a 4 x 4 tile, a product of 392 tiles and 64 channels, whose operands are the results of
// transforms in the workspace. They are matrices of one batch, and copies do not round them. Two rows of 32 channels are two sums.
#schedule = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [128, 64], subgroup = [64, 64], gemm_k = 32, stages = 4, atom = <wgmma_3xtf32 64 x 64 x 8>, raster = columns>, output_tile = [2, 2]>
#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>

// CHECK-LABEL: gpu.module @winograd_kernels
// CHECK:       gpu.func @winograd_0(%{{.+}}: memref<2x30x30x64xf32, {{.+}}>, %{{.+}}: memref<16x1x392x64xf32, {{.+}}>) kernel
// CHECK:       gpu.func @winograd_1(%{{.+}}: memref<64x3x3x64xf32, {{.+}}>, %{{.+}}: memref<16x64x1x64xf32, {{.+}}>) kernel
// CHECK:       gpu.func @winograd_2(%{{.+}}: !llvm.ptr {conv.tensor_map}, %{{.+}}: !llvm.ptr {conv.tensor_map}, %{{.+}}: !llvm.ptr {conv.tensor_map}{{.*}}) kernel
// CHECK-COUNT-12: wgmma.mma_async.sync.aligned.m64n64k8.f32.tf32.tf32
// CHECK-NOT:     wgmma.mma_async
// CHECK-COUNT-32: llvm.fadd
// CHECK:       gpu.func @winograd_3(%{{.+}}: memref<16x1x392x64xf32, {{.+}}>, %{{.+}}: memref<2x28x28x64xf32, {{.+}}>) kernel
// CHECK:       func.func @winograd(%[[X:.+]]: memref<2x30x30x64xf32, {{.+}}>, %[[W:.+]]: memref<64x3x3x64xf32, {{.+}}>, %[[Y:.+]]: memref<2x28x28x64xf32, {{.+}}>, %[[SPACE:.+]]: memref<?xi8, {{.+}}>
// CHECK:         %[[TILES:.+]] = memref.view %[[SPACE]][%{{.+}}][] : {{.+}} to memref<16x1x392x64xf32
// CHECK:         %[[FILTER:.+]] = memref.view %[[SPACE]][%{{.+}}][] : {{.+}} to memref<16x64x1x64xf32
// CHECK:         %[[SUMS:.+]] = memref.view %[[SPACE]][%{{.+}}][] : {{.+}} to memref<16x1x392x64xf32
// CHECK:         gpu.launch_func @winograd_kernels::@winograd_0 {{.+}} args(%[[X]] : {{.+}}, %[[TILES]] :
// CHECK:         gpu.launch_func @winograd_kernels::@winograd_1 {{.+}} args(%[[W]] : {{.+}}, %[[FILTER]] :
// CHECK:         %[[A:.+]] = conv.tensor_map %[[TILES]] <sizes = [64, 392, 16], strides = [256, 100352], box = [32, 128, 1], element_strides = [1, 1, 1], swizzle = 128>
// CHECK:         %[[B:.+]] = conv.tensor_map %[[FILTER]] <sizes = [64, 64, 16], strides = [256, 16384], box = [32, 64, 1], element_strides = [1, 1, 1], swizzle = 128>
// CHECK:         %[[C:.+]] = conv.tensor_map %[[SUMS]] <sizes = [64, 392, 16], strides = [256, 100352], box = [32, 64, 1], element_strides = [1, 1, 1], swizzle = 128>
// 16 places, each with 4 tiles of 128 rows.
// CHECK:         gpu.launch_func @winograd_kernels::@winograd_2 blocks in (%c64{{[_0-9]*}}, {{.+}} args(%[[A]] : !llvm.ptr, %[[B]] : !llvm.ptr, %[[C]] : !llvm.ptr)
// CHECK:         gpu.launch_func @winograd_kernels::@winograd_3 {{.+}} args(%[[SUMS]] : {{.+}}, %[[Y]] :
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @winograd(%x: tensor<2x30x30x64xf32>, %w: tensor<64x3x3x64xf32>) -> tensor<2x28x28x64xf32> {
    %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
        : tensor<2x30x30x64xf32>, tensor<64x3x3x64xf32> -> tensor<2x28x28x64xf32>
    return %y : tensor<2x28x28x64xf32>
  }
}
