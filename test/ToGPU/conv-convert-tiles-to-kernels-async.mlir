// RUN: conv-opt %s --conv-lower-to-linalg --conv-lower-to-tiled --conv-convert-tiles-to-kernels --split-input-file | FileCheck %s

#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>

// Three stages of both tiles; two tiles are on their way before the loop, each a
// group of copies of its own. 20 channels come 4 at a time.
// CHECK-LABEL: gpu.func @pipeline_0(
// CHECK-SAME:      %[[X:.+]]: memref<1x8x8x20xf16, #gpu.address_space<global>>, %[[W:[^:]+]]: memref<{{[^)]+}}) workgroup(%[[A:.+]] : memref<6144xf16, {{.+}}, %[[B:.+]] : memref<6144xf16,
// CHECK:           conv.guarded_copy 4 of %[[X]][{{.+}}], %[[A]][{{.+}}] if
// CHECK:           conv.guarded_copy 4 of %[[W]][{{.+}}], %[[B]][{{.+}}] if
// CHECK:           nvvm.cp.async.commit.group
// CHECK:           conv.guarded_copy 4 of %[[X]]
// CHECK:           nvvm.cp.async.commit.group
// CHECK-NOT:       nvvm.cp.async.commit.group
// A step waits for its tile, fills the stage that the step before read, and
// multiplies.
// CHECK:           scf.for
// CHECK:             nvvm.cp.async.wait.group 1
// CHECK-NEXT:        gpu.barrier
// CHECK:             conv.guarded_copy 4 of %[[X]]
// CHECK:             conv.guarded_copy 4 of %[[W]]
// CHECK:             nvvm.cp.async.commit.group
// CHECK:             conv.mma
// CHECK-NOT:         gpu.barrier
// CHECK:             scf.yield
// CHECK-NOT:       conv.mma
// CHECK:           conv.guarded_store
module attributes {conv.target = #conv.target<"sm_80">} {
  func.func @pipeline(%x: tensor<1x8x8x20xf16>, %w: tensor<64x3x3x20xf16>) -> tensor<1x8x8x64xf16> {
    %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK">
        schedule = <kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 32,
                    stages = 3, atom = <mma_sync 16 x 8 x 16>, main_loop = async_staged, raster = columns>>
        : tensor<1x8x8x20xf16>, tensor<64x3x3x20xf16> -> tensor<1x8x8x64xf16>
    return %y : tensor<1x8x8x64xf16>
  }
}

// -----

#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>

// The filter's rows are transposed on their way, which takes registers: they are
// written at the end of the step that loads them.
// CHECK-LABEL: gpu.func @gradient_0(
// CHECK-SAME:      %[[Y:.+]]: memref<1x8x8x64xf16, #gpu.address_space<global>>, %[[W:[^:]+]]: memref
// CHECK:           scf.for
// CHECK:             nvvm.cp.async.wait.group 1
// CHECK:             conv.guarded_copy 8 of %[[Y]]
// CHECK:             conv.guarded_load %[[W]]
// CHECK:             nvvm.cp.async.commit.group
// CHECK:             conv.mma
// CHECK:             vector.store
// CHECK:             scf.yield
module attributes {conv.target = #conv.target<"sm_80">} {
  func.func @gradient(%y: tensor<1x8x8x64xf16>, %w: tensor<64x3x3x64xf16>) -> tensor<1x8x8x64xf16> {
    %x = conv.backward_data %y, %w window = #window layouts = <"NHWC", "KRSC", "NPQK">
        schedule = <kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 32,
                    stages = 3, atom = <mma_sync 16 x 8 x 16>, main_loop = async_staged, raster = columns>>
        : tensor<1x8x8x64xf16>, tensor<64x3x3x64xf16> -> tensor<1x8x8x64xf16>
    return %x : tensor<1x8x8x64xf16>
  }
}

// -----

#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>

// Lanes copy in order: indices are those of subgroups. The first barrier waits
// for the first of three tiles, of two copies each, of which the last one has
// started by half. The filter keeps its channels side by side, and transposing
// reads bring its reduction together.
// CHECK-LABEL: gpu.func @lanes_0(
// CHECK-SAME:      %[[Y:.+]]: memref<1x8x8x64xf16, #gpu.address_space<global>>, %[[W:[^:]+]]: memref
// CHECK:           rocdl.readfirstlane
// CHECK-COUNT-2:   conv.guarded_copy 8 of %[[Y]]
// CHECK:           conv.guarded_copy 8 of %[[W]]
// CHECK:           conv.guarded_copy 8 of %[[Y]]
// CHECK-NEXT:      llvm.fence syncscope("wavefront") release
// CHECK-NEXT:      amdgpu.memory_counter_wait load(3) ds(0)
// CHECK-NEXT:      rocdl.s.barrier
// CHECK-NEXT:      llvm.fence syncscope("wavefront") acquire
// The rest of a tile starts in the first round. After the barrier, the copies
// of one tile may be on their way, and those of the next but two start.
// CHECK:           scf.for
// CHECK:             conv.guarded_copy 8 of %[[W]]
// CHECK-COUNT-2:     amdgpu.transpose_load
// CHECK:             vector.load
// CHECK:             conv.mma
// CHECK:             amdgpu.memory_counter_wait load(2) ds(0)
// CHECK-NEXT:        rocdl.s.barrier
// CHECK:             amdgpu.transpose_load
// CHECK:             conv.guarded_copy 8 of %[[Y]]
// CHECK:             conv.mma
// CHECK:             conv.schedule_fence
// An iteration has a step for each stage, so that stages have constant places.
// CHECK-COUNT-2:     amdgpu.memory_counter_wait load(2) ds(0)
// CHECK:             conv.schedule_fence
// CHECK-NEXT:        scf.yield
// Then there are none to start, and in the end none to wait for.
// CHECK:           conv.guarded_copy 8 of %[[W]]
// CHECK:           amdgpu.memory_counter_wait load(2) ds(0)
// CHECK-NOT:       conv.guarded_copy
// CHECK:           amdgpu.memory_counter_wait load(0) ds(0)
// CHECK-NEXT:      rocdl.s.barrier
// CHECK-NOT:       rocdl.s.barrier
// CHECK-NOT:       gpu.barrier
module attributes {conv.target = #conv.target<"gfx950">} {
  func.func @lanes(%y: tensor<1x8x8x64xf16>, %w: tensor<64x3x3x64xf16>) -> tensor<1x8x8x64xf16> {
    %x = conv.backward_data %y, %w window = #window layouts = <"NHWC", "KRSC", "NPQK">
        schedule = <kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 32,
                    stages = 3, atom = <mfma 32 x 32 x 16>, main_loop = async_staged, raster = columns>>
        : tensor<1x8x8x64xf16>, tensor<64x3x3x64xf16> -> tensor<1x8x8x64xf16>
    return %x : tensor<1x8x8x64xf16>
  }
}

// -----

#window = #conv.window<strides = [1], dilations = [4], low = [4], high = [4]>

// Positions are next to each other, and padding and taps are apart by four of
// them: copies of four are inside or outside together.
// CHECK-LABEL: gpu.func @aligned_padding_0(
// CHECK-SAME:      %[[Y:.+]]: memref<2x16x40xf16, #gpu.address_space<global>>, %[[X:[^:]+]]: memref
// CHECK:           conv.guarded_copy 8 of %[[Y]]
// CHECK:           conv.guarded_copy 4 of %[[X]]
// CHECK-NOT:       conv.guarded_load
module attributes {conv.target = #conv.target<"sm_80">} {
  func.func @aligned_padding(%x: tensor<2x8x40xf16>, %y: tensor<2x16x40xf16>) -> tensor<16x8x3xf16> {
    %w = conv.backward_weight %x, %y window = #window layouts = <"NCW", "KCS", "NKQ">
        schedule = <kernel = #conv.staged_gemm<workgroup = [16, 16], subgroup = [16, 16], gemm_k = 64,
                    stages = 3, atom = <mma_sync 16 x 8 x 16>, main_loop = async_staged, raster = columns>>
        : tensor<2x8x40xf16>, tensor<2x16x40xf16> -> tensor<16x8x3xf16>
    return %w : tensor<16x8x3xf16>
  }
}

// -----

#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>

// A step copies 16 bytes, and the next one the other half of their sector: they
// stay in the first-level cache. Steps of 64 bytes do not.
// CHECK-LABEL: gpu.func @short_0(
// CHECK-SAME:      %[[X:.+]]: memref<1x8x8x4xf32, #gpu.address_space<global>>, %[[W:[^:]+]]: memref
// CHECK:           conv.guarded_copy cached 4 of %[[X]]
// CHECK:           conv.guarded_copy cached 4 of %[[W]]
// CHECK-LABEL: gpu.func @long_0(
// CHECK-SAME:      %[[X:.+]]: memref<1x8x8x16xf32, #gpu.address_space<global>>, %[[W:[^:]+]]: memref
// CHECK:           conv.guarded_copy 4 of %[[X]]
// CHECK:           conv.guarded_copy 4 of %[[W]]
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @short(%x: tensor<1x8x8x4xf32>, %w: tensor<32x3x3x4xf32>) -> tensor<1x8x8x32xf32> {
    %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK">
        schedule = <kernel = #conv.staged_gemm<workgroup = [64, 32], subgroup = [64, 32], gemm_k = 4,
                    stages = 3, atom = <fma 16 x 32 x 4>, main_loop = async_staged, raster = columns>>
        : tensor<1x8x8x4xf32>, tensor<32x3x3x4xf32> -> tensor<1x8x8x32xf32>
    return %y : tensor<1x8x8x32xf32>
  }
  func.func @long(%x: tensor<1x8x8x16xf32>, %w: tensor<32x3x3x16xf32>) -> tensor<1x8x8x32xf32> {
    %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK">
        schedule = <kernel = #conv.staged_gemm<workgroup = [64, 32], subgroup = [64, 32], gemm_k = 16,
                    stages = 3, atom = <fma 16 x 32 x 4>, main_loop = async_staged, raster = columns>>
        : tensor<1x8x8x16xf32>, tensor<32x3x3x16xf32> -> tensor<1x8x8x32xf32>
    return %y : tensor<1x8x8x32xf32>
  }
}
