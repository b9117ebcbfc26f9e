// RUN: conv-opt %s --conv-lower-to-linalg --conv-lower-to-tiled --conv-convert-tiles-to-kernels --split-input-file | FileCheck %s

#schedule = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 32, stages = 2, atom = <mfma 16 x 16 x 16>, main_loop = register_staged, raster = columns>>
#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>

// One convolution: results become arguments with their attributes; the grid has
// one workgroup per tile: ceil(64/64) * ceil(144/64).
// CHECK:       gpu.module @one_kernels
// CHECK:         gpu.func @one_0(%[[X:.+]]: memref<1x8x8x16xf16, #gpu.address_space<global>>, %[[W:.+]]: memref<144x3x3x16xf16, #gpu.address_space<global>>, %[[Y:.+]]: memref<1x8x8x144xf32, #gpu.address_space<global>>)
// CHECK-SAME:      workgroup(%[[A:.+]] : memref<4096xf16, #gpu.address_space<workgroup>>, %[[B:.+]] : memref<4096xf16, #gpu.address_space<workgroup>>)
// CHECK-SAME:      kernel attributes {known_block_size = array<i32: 256, 1, 1>}
// Before the loop: the first tile, through registers to shared memory, and the
// loads of the second one, in the order in which the loop waits for them.
// CHECK:           conv.guarded_load %[[X]]{{.*}} -> vector<8xf16>
// CHECK:           conv.guarded_load %[[W]]{{.*}} -> vector<8xf16>
// CHECK:           vector.store %{{.+}}, %[[A]]
// CHECK:           conv.guarded_load %[[X]]
// CHECK:           conv.schedule_fence
// CHECK:           vector.store %{{.+}}, %[[B]]
// CHECK:           conv.guarded_load %[[W]]
// CHECK:           conv.schedule_fence
// CHECK:           gpu.barrier
// The first step has nothing to multiply yet. It writes the tile that is on its
// way when its products are issued, and there are none in a step of one round.
// CHECK-NOT:       scf.for
// CHECK:           vector.load %[[B]]
// CHECK:           vector.load %[[A]]
// CHECK-NOT:       conv.mma
// CHECK:           conv.schedule_fence
// CHECK:           vector.store %{{.+}}, %[[A]]
// CHECK:           conv.guarded_load %[[X]]
// CHECK:           conv.schedule_fence
// CHECK:           vector.store %{{.+}}, %[[B]]
// CHECK:           conv.guarded_load %[[W]]
// CHECK:           conv.schedule_fence
// CHECK:           gpu.barrier
// A step of one round reads its tile, and multiplies what the step before has
// read. Each block of loads is written, and its registers get those of the tile
// after the next one. Its last products precede the barrier.
// Few steps make no loop.
// CHECK-NOT:       scf.for
// CHECK-NOT:       gpu.barrier
// CHECK:           vector.load %[[B]]
// CHECK:           vector.load %[[A]]
// CHECK:           vector.store %{{.+}}, %[[A]]
// CHECK:           conv.guarded_load %[[X]]
// CHECK:           vector.store %{{.+}}, %[[B]]
// CHECK:           conv.guarded_load %[[W]]
// CHECK:           conv.mma <mfma 16 x 16 x 16>
// CHECK:           conv.schedule_fence
// CHECK-NEXT:      gpu.barrier
// A second step, whose reads go to the registers that the first one multiplied.
// CHECK-NOT:       gpu.barrier
// CHECK:           conv.guarded_load %[[W]]
// CHECK:           conv.schedule_fence
// CHECK-NEXT:      gpu.barrier
// The last two steps have no loads to start.
// CHECK-NOT:       conv.guarded_load
// CHECK:           conv.mma
// CHECK:           gpu.barrier
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

#schedule = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 32, stages = 1, atom = <mfma 16 x 16 x 16>, main_loop = register_staged, raster = columns>>
#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>

// One stage: half the shared memory, and a barrier before the writes too, which
// ends the reads of what they replace. Rows of 64 bytes are half a line of the
// cache, so some of the loads start after the second barrier.
// CHECK:         gpu.func @single_0(%[[X:.+]]: memref<1x8x8x16xf16, {{.+}}>, %[[W:.+]]: memref<144x3x3x16xf16, {{.+}}>, %{{.+}}: memref<{{.+}}>) workgroup(%[[A:.+]] : memref<2048xf16, {{.+}}>, %[[B:.+]] : memref<2048xf16, {{.+}}>)
// CHECK:           scf.for
// CHECK:             gpu.barrier
// CHECK:             vector.store %{{.+}}, %[[A]]
// CHECK:             conv.guarded_load %[[X]]
// CHECK:             vector.store %{{.+}}, %[[B]]
// CHECK-NOT:         conv.guarded_load
// CHECK:             gpu.barrier
// CHECK:             vector.load
// CHECK:             conv.guarded_load %[[W]]
// CHECK:             conv.mma
// CHECK:             conv.schedule_fence
// CHECK:             scf.yield
module attributes {conv.target = #conv.target<"gfx942">} {
  func.func @single(%x: tensor<1x8x8x16xf16>, %w: tensor<144x3x3x16xf16>) -> tensor<1x8x8x144xf32> {
    %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
        : tensor<1x8x8x16xf16>, tensor<144x3x3x16xf16> -> tensor<1x8x8x144xf32>
    return %y : tensor<1x8x8x144xf32>
  }
}

// -----

#schedule = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 32, stages = 2, atom = <mfma 16 x 16 x 16>, main_loop = register_staged, raster = columns>>
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

#schedule = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 32, stages = 2, atom = <mfma 16 x 16 x 16>, main_loop = register_staged, raster = columns>>

// Three channels: 16-byte vectors are put together from single elements, and
// channels past the last are guarded in the result, which has 5.
// CHECK:       gpu.func @small_channels_0(%[[X:.+]]: memref<1x8x8x3xf16
// CHECK-COUNT-8: conv.placed_load %[[X]]{{.*}} -> vector<1xf16>
// CHECK:         vector.from_elements {{.*}} : vector<8xi16>
// CHECK:         conv.guarded_store {{.*}} : vector<1xf32>
module attributes {conv.target = #conv.target<"gfx942">} {
  func.func @small_channels(%x: tensor<1x8x8x3xf16>, %w: tensor<5x3x3x3xf16>) -> tensor<1x6x6x5xf32> {
    %y = conv.forward %x, %w window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]> layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
        : tensor<1x8x8x3xf16>, tensor<5x3x3x3xf16> -> tensor<1x6x6x5xf32>
    return %y : tensor<1x6x6x5xf32>
  }
}

// -----

#schedule = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 32, stages = 2, atom = <mfma 16 x 16 x 16>, main_loop = register_staged, raster = columns>>

// A tensor of 2 GiB takes 64-bit offsets; smaller ones of the same kernel do not.
// CHECK:       gpu.func @large_0(%[[X:.+]]: memref<1x32768x32768x1xf16, {{[^>]+}}>>, %[[W:[a-z0-9]+]]: memref<
// CHECK:         conv.guarded_load %[[X]]{{.*}}, i64 -> vector<1xf16>
// CHECK:         conv.placed_load %[[W]]{{.*}} -> vector<1xf16>
module attributes {conv.target = #conv.target<"gfx942">} {
  func.func @large(%x: tensor<1x32768x32768x1xf16>, %w: tensor<1x1x1x1xf16>) -> tensor<1x2x2x1xf32> {
    %y = conv.forward %x, %w window = <strides = [32767, 32767], dilations = [1, 1], low = [0, 0], high = [0, 0]> layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
        : tensor<1x32768x32768x1xf16>, tensor<1x1x1x1xf16> -> tensor<1x2x2x1xf32>
    return %y : tensor<1x2x2x1xf32>
  }
}

// -----

#schedule = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 32, stages = 2, atom = <mfma 16 x 16 x 16>, main_loop = register_staged, raster = columns>>
#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>

// Groups are part of the grid: 3 * ceil(100/64) * ceil(96/64) workgroups. A
// group of 8 channels is loaded as one vector.
// CHECK:       gpu.func @groups_0(%[[X:.+]]: memref<1x10x10x24xf16
// CHECK:         conv.guarded_load %[[X]]{{.*}} -> vector<8xf16>
// CHECK:       func.func @groups(
// CHECK:         %[[GRID:.+]] = arith.constant 12 : index
// CHECK:         gpu.launch_func @groups_kernels::@groups_0 blocks in (%[[GRID]],
module attributes {conv.target = #conv.target<"gfx942">} {
  func.func @groups(%x: tensor<1x10x10x24xf16>, %w: tensor<288x3x3x8xf16>) -> tensor<1x10x10x288xf32> {
    %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> groups = 3 schedule = #schedule
        : tensor<1x10x10x24xf16>, tensor<288x3x3x8xf16> -> tensor<1x10x10x288xf32>
    return %y : tensor<1x10x10x288xf32>
  }
}

// -----

#schedule = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 32, stages = 2, atom = <mfma 16 x 16 x 16>, main_loop = register_staged, raster = columns>>
#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>

// Results with pixels innermost are stored by pixels.
// CHECK:       gpu.func @nchw_0(
// CHECK-NOT:     conv.guarded_store {{.*}} : vector<4xf32>
// CHECK:         conv.guarded_store {{.*}} : vector<1xf32>
module attributes {conv.target = #conv.target<"gfx942">} {
  func.func @nchw(%x: tensor<1x16x8x8xf16>, %w: tensor<32x16x3x3xf16>) -> tensor<1x32x8x8xf32> {
    %y = conv.forward %x, %w window = #window layouts = <"NCHW", "KCRS", "NKPQ"> schedule = #schedule
        : tensor<1x16x8x8xf16>, tensor<32x16x3x3xf16> -> tensor<1x32x8x8xf32>
    return %y : tensor<1x32x8x8xf32>
  }
}

// -----

#schedule = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 32, stages = 2, atom = <mfma 16 x 16 x 16>, main_loop = register_staged, raster = columns>>

// All products of a gradient are one kernel: one workgroup for each of them here,
// in the same shared memory.
// CHECK:       gpu.module @data_kernels
// CHECK:         gpu.func @data_0({{.*}}) workgroup(%[[A:.+]] : memref<4096xf16, {{.+}}>, %[[B:.+]] : memref<4096xf16, {{.+}}>) kernel
// CHECK:           %[[BLOCK:.+]] = gpu.block_id x
// CHECK:           %[[FIRST:.+]] = arith.index_cast %[[BLOCK]] : index to i32
// CHECK:           %[[IS_FIRST:.+]] = arith.cmpi ult, %[[FIRST]], %c1_i32
// CHECK:           scf.if %[[IS_FIRST]] {
// CHECK-DAG:         vector.store %{{.+}}, %[[A]]
// CHECK-DAG:         vector.store %{{.+}}, %[[B]]
// CHECK:           %[[SECOND:.+]] = arith.addi %{{.+}}, %c-1_i32
// CHECK:           %[[IS_SECOND:.+]] = arith.cmpi ult, %[[SECOND]], %c1_i32
// CHECK:           scf.if %[[IS_SECOND]] {
// CHECK-DAG:         vector.store %{{.+}}, %[[A]]
// CHECK-DAG:         vector.store %{{.+}}, %[[B]]
// CHECK:           arith.addi %{{.+}}, %c-2_i32
// CHECK:           scf.if
// CHECK:           arith.addi %{{.+}}, %c-3_i32
// CHECK:           scf.if
// CHECK:           gpu.return
// CHECK:       func.func @data(%[[DY:.+]]: memref<1x4x4x32xf16, {{[^>]+}}>>, %[[W:.+]]: memref<32x3x3x16xf16, {{[^>]+}}>>, %[[DX:.+]]: memref<1x8x7x16xf32, {{[^>]+}}>>) {
// CHECK:         %[[GRID:.+]] = arith.constant 4 : index
// CHECK:         gpu.launch_func @data_kernels::@data_0 blocks in (%[[GRID]], {{.*}} args(%[[DY]] : {{.*}}, %[[W]] : {{.*}}, %[[DX]] :
// CHECK-NOT:     gpu.launch_func
// CHECK:         return
module attributes {conv.target = #conv.target<"gfx942">} {
  func.func @data(%dy: tensor<1x4x4x32xf16>, %w: tensor<32x3x3x16xf16>) -> tensor<1x8x7x16xf32> {
    %dx = conv.backward_data %dy, %w
        window = <strides = [2, 2], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
        : tensor<1x4x4x32xf16>, tensor<32x3x3x16xf16> -> tensor<1x8x7x16xf32>
    return %dx : tensor<1x8x7x16xf32>
  }
}

// -----

#schedule = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 32, stages = 2, atom = <mfma 16 x 16 x 16>, main_loop = register_staged, raster = columns>>

// The gradient of a filter is one kernel. Its rows are output channels: 2 groups
// * ceil(96/64) * ceil(72/64) workgroups.
// CHECK:       gpu.func @weight_0(
// CHECK:       func.func @weight(%[[X:.+]]: memref<2x8x8x16xf16, {{[^>]+}}>>, %[[DY:.+]]: memref<2x4x4x192xf16, {{[^>]+}}>>, %[[DW:.+]]: memref<192x3x3x8xf32, {{[^>]+}}>>) {
// CHECK:         %[[GRID:.+]] = arith.constant 8 : index
// CHECK:         gpu.launch_func @weight_kernels::@weight_0 blocks in (%[[GRID]], {{.*}} args(%[[DY]] : {{.*}}, %[[X]] : {{.*}}, %[[DW]] :
module attributes {conv.target = #conv.target<"gfx942">} {
  func.func @weight(%x: tensor<2x8x8x16xf16>, %dy: tensor<2x4x4x192xf16>) -> tensor<192x3x3x8xf32> {
    %dw = conv.backward_weight %x, %dy
        window = <strides = [2, 2], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NPQK"> groups = 2 schedule = #schedule
        : tensor<2x8x8x16xf16>, tensor<2x4x4x192xf16> -> tensor<192x3x3x8xf32>
    return %dw : tensor<192x3x3x8xf32>
  }
}

// -----

#schedule = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 64, stages = 1, atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = columns>>
#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>

// Loads that are joined are many: those of the last block, here all of the input,
// start after the second barrier.
// CHECK:         gpu.func @joined_0(%[[DY:.+]]: memref<1x16x16x64xf16, {{.+}}>, %[[X:.+]]: memref<1x16x16x64xf16, {{.+}}>, %{{.+}}) workgroup(%[[A:.+]] : {{.+}}, %[[B:.+]] : {{.+}})
// CHECK:           scf.for
// CHECK:             gpu.barrier
// CHECK:             vector.store %{{.+}}, %[[A]]
// CHECK:             conv.placed_load %[[DY]]
// CHECK:             vector.store %{{.+}}, %[[B]]
// CHECK-NOT:         conv.placed_load %[[X]]
// CHECK:             gpu.barrier
// CHECK:             conv.placed_load %[[X]]
// CHECK:             scf.yield
module attributes {conv.target = #conv.target<"gfx942">} {
  func.func @joined(%x: tensor<1x16x16x64xf16>, %dy: tensor<1x16x16x64xf16>) -> tensor<64x3x3x64xf32> {
    %dw = conv.backward_weight %x, %dy window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
        : tensor<1x16x16x64xf16>, tensor<1x16x16x64xf16> -> tensor<64x3x3x64xf32>
    return %dw : tensor<64x3x3x64xf32>
  }
}

// -----

#schedule = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [96, 128], subgroup = [48, 64], gemm_k = 64, stages = 2, atom = <mfma 16 x 16 x 16>, main_loop = register_staged, raster = columns>>
#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>

// A round has 24 products of 16 cycles. Five of them hide the latency of the last
// writes before the barrier, and the others what is read after it.
// CHECK:         gpu.func @early_products_0(
// CHECK:           scf.for
// CHECK-COUNT-19:    conv.mma
// CHECK-NOT:         conv.mma
// CHECK:             vector.load
// CHECK-COUNT-29:    conv.mma
// CHECK-NOT:         conv.mma
// CHECK:             gpu.barrier
// CHECK:             scf.yield
module attributes {conv.target = #conv.target<"gfx942">} {
  func.func @early_products(%x: tensor<1x16x16x128xf16>, %w: tensor<128x3x3x128xf16>) -> tensor<1x16x16x128xf16> {
    %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
        : tensor<1x16x16x128xf16>, tensor<128x3x3x128xf16> -> tensor<1x16x16x128xf16>
    return %y : tensor<1x16x16x128xf16>
  }
}
