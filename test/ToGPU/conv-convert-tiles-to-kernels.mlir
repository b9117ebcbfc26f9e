// RUN: conv-opt %s --conv-lower-to-linalg --conv-lower-to-tiled --conv-convert-tiles-to-kernels --split-input-file | FileCheck %s

#schedule = #conv.schedule<algorithm = implicit_gemm, workgroup = [64, 64], subgroup = [32, 32], gemm_k = 32, stages = 2, atom = <mfma 16 x 16 x 16>, main_loop = register_staged, raster = channels>
#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>

// One convolution: results become arguments with their attributes; the grid has
// one workgroup per tile: ceil(64/64) * ceil(144/64).
// CHECK:       gpu.module @one_kernels
// CHECK:         gpu.func @one_0(%[[X:.+]]: memref<1x8x8x16xf16, #gpu.address_space<global>>, %[[W:.+]]: memref<144x3x3x16xf16, #gpu.address_space<global>>, %[[Y:.+]]: memref<1x8x8x144xf32, #gpu.address_space<global>>)
// CHECK-SAME:      workgroup(%[[A:.+]] : memref<4096xf16, #gpu.address_space<workgroup>>, %[[B:.+]] : memref<4096xf16, #gpu.address_space<workgroup>>)
// CHECK-SAME:      kernel attributes {known_block_size = array<i32: 256, 1, 1>}
// Before the loop: the first tile, through registers to shared memory.
// CHECK:           conv.guarded_load %[[X]]{{.*}} -> vector<8xf16>
// CHECK:           conv.guarded_load %[[W]]{{.*}} -> vector<8xf16>
// CHECK:           vector.store %{{.+}}, %[[A]]
// CHECK:           vector.store %{{.+}}, %[[B]]
// CHECK:           gpu.barrier
// One step: the next tile's loads, the product, the stores, one barrier.
// CHECK:           scf.for
// CHECK:             conv.guarded_load %[[X]]
// CHECK:             conv.guarded_load %[[W]]
// CHECK:             vector.load %[[B]]
// CHECK:             vector.load %[[A]]
// CHECK:             conv.mma <mfma 16 x 16 x 16>
// CHECK:             vector.store %{{.+}}, %[[A]]
// CHECK:             vector.store %{{.+}}, %[[B]]
// CHECK:             gpu.barrier
// CHECK:             scf.yield
// CHECK-NOT:       gpu.barrier
// CHECK:           conv.mma
// CHECK:           conv.guarded_store %{{.+}}, %[[Y]]
// CHECK:       func.func @one(%[[ARG0:.+]]: memref<1x8x8x16xf16, #gpu.address_space<global>> {conv.name = "input"}, %[[ARG1:.+]]: memref<{{.+}}>, %[[ARG2:.+]]: memref<1x8x8x144xf32, #gpu.address_space<global>> {conv.name = "output"})
// CHECK-DAG:     %[[GRID:.+]] = arith.constant 3 : index
// CHECK-DAG:     %[[BLOCK:.+]] = arith.constant 256 : index
// CHECK:         gpu.launch_func @one_kernels::@one_0 blocks in (%[[GRID]], {{.*}}) threads in (%[[BLOCK]], {{.*}}) args(%[[ARG0]] : {{.*}}, %[[ARG1]] : {{.*}}, %[[ARG2]] :
module attributes {conv.target = #conv.target<"gfx942">} {
  func.func @one(%x: tensor<1x8x8x16xf16> {conv.name = "input"}, %w: tensor<144x3x3x16xf16>) -> (tensor<1x8x8x144xf32> {conv.name = "output"}) {
    %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
        : tensor<1x8x8x16xf16>, tensor<144x3x3x16xf16> -> tensor<1x8x8x144xf32>
    return %y : tensor<1x8x8x144xf32>
  }
}

// -----

#schedule = #conv.schedule<algorithm = implicit_gemm, workgroup = [64, 64], subgroup = [32, 32], gemm_k = 32, stages = 2, atom = <mfma 16 x 16 x 16>, main_loop = register_staged, raster = channels>
#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>

// Two convolutions: what is between them lives in the workspace.
// CHECK:       func.func @chain({{.*}}, %[[Z:.+]]: memref<1x8x8x16xf16, #gpu.address_space<global>>, %[[WS:.+]]: memref<?xi8, #gpu.address_space<global>>) attributes {conv.workspace_bytes = 2048 : i64}
// CHECK:         %[[C0:.+]] = arith.constant 0 : index
// CHECK:         %[[Y:.+]] = memref.view %[[WS]][%[[C0]]][]
// CHECK:         gpu.launch_func @chain_kernels::@chain_0 {{.*}}, %[[Y]] :
// CHECK:         gpu.launch_func @chain_kernels::@chain_1 {{.*}} args(%[[Y]] : {{.*}}, %[[Z]] :
module attributes {conv.target = #conv.target<"gfx942">} {
  func.func @chain(%x: tensor<1x8x8x16xf16>, %w: tensor<16x3x3x16xf16>) -> tensor<1x8x8x16xf16> {
    %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
        : tensor<1x8x8x16xf16>, tensor<16x3x3x16xf16> -> tensor<1x8x8x16xf16>
    %z = conv.forward %y, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
        : tensor<1x8x8x16xf16>, tensor<16x3x3x16xf16> -> tensor<1x8x8x16xf16>
    return %z : tensor<1x8x8x16xf16>
  }
}

// -----

#schedule = #conv.schedule<algorithm = implicit_gemm, workgroup = [64, 64], subgroup = [32, 32], gemm_k = 32, stages = 2, atom = <mfma 16 x 16 x 16>, main_loop = register_staged, raster = channels>

// Three channels: 16-byte pieces are put together from single elements, and
// channels past the last are guarded in the result, which has 5.
// CHECK:       gpu.func @small_channels_0(%[[X:.+]]: memref<1x8x8x3xf16
// CHECK:         conv.guarded_load %[[X]]{{.*}} -> vector<1xf16>
// CHECK:         vector.insert_strided_slice
// CHECK:         conv.guarded_store {{.*}} : vector<1xf32>
module attributes {conv.target = #conv.target<"gfx942">} {
  func.func @small_channels(%x: tensor<1x8x8x3xf16>, %w: tensor<5x3x3x3xf16>) -> tensor<1x6x6x5xf32> {
    %y = conv.forward %x, %w window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]> layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
        : tensor<1x8x8x3xf16>, tensor<5x3x3x3xf16> -> tensor<1x6x6x5xf32>
    return %y : tensor<1x6x6x5xf32>
  }
}

// -----

#schedule = #conv.schedule<algorithm = implicit_gemm, workgroup = [64, 64], subgroup = [32, 32], gemm_k = 32, stages = 2, atom = <mfma 16 x 16 x 16>, main_loop = register_staged, raster = channels>

// A tensor of 2 GiB takes 64-bit offsets; smaller ones of the same kernel do not.
// CHECK:       gpu.func @large_0(%[[X:.+]]: memref<1x32768x32768x1xf16, {{[^>]+}}>>, %[[W:[a-z0-9]+]]: memref<
// CHECK:         conv.guarded_load %[[X]]{{.*}}, i64 -> vector<1xf16>
// CHECK:         conv.guarded_load %[[W]]{{.*}}, i32 -> vector<1xf16>
module attributes {conv.target = #conv.target<"gfx942">} {
  func.func @large(%x: tensor<1x32768x32768x1xf16>, %w: tensor<1x1x1x1xf16>) -> tensor<1x2x2x1xf32> {
    %y = conv.forward %x, %w window = <strides = [32767, 32767], dilations = [1, 1], low = [0, 0], high = [0, 0]> layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
        : tensor<1x32768x32768x1xf16>, tensor<1x1x1x1xf16> -> tensor<1x2x2x1xf32>
    return %y : tensor<1x2x2x1xf32>
  }
}
