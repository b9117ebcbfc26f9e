// RUN: conv-opt %s --conv-lower-to-linalg --conv-lower-to-tiled --conv-convert-tiles-to-kernels --split-input-file | FileCheck %s

#schedule = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [32, 32], subgroup = [32, 32], gemm_k = 8, stages = 2, atom = <fma 16 x 32 x 4>, main_loop = register_staged, raster = columns>>
#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>

// A lane has 32 columns of a row. Where rows are whole vectors, four lanes exchange vectors in two rounds, each of which swaps half
// of 16 elements, and store 64 bytes of each of their rows: 16 shuffles for 16 elements of a lane.
// CHECK-LABEL: gpu.func @whole_vectors_0
// CHECK-COUNT-16: gpu.shuffle xor
// CHECK-COUNT-4:  conv.guarded_store %{{.*}} : vector<4xf32>
// CHECK-COUNT-16: gpu.shuffle xor
// CHECK-COUNT-4:  conv.guarded_store %{{.*}} : vector<4xf32>
// CHECK-NOT:      gpu.shuffle
// CHECK-NOT:      conv.guarded_store
// CHECK:          gpu.return
module attributes {conv.target = #conv.target<"sm_90a">} {
func.func @whole_vectors(%x: tensor<1x5x7x8xf32>, %w: tensor<36x1x1x8xf32>) -> tensor<1x5x7x36xf32> {
  %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
      : tensor<1x5x7x8xf32>, tensor<36x1x1x8xf32> -> tensor<1x5x7x36xf32>
  return %y : tensor<1x5x7x36xf32>
}
}

// -----

#schedule = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [32, 32], subgroup = [32, 32], gemm_k = 8, stages = 2, atom = <fma 16 x 32 x 4>, main_loop = register_staged, raster = columns>>
#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>

// Rows of 35 elements start anywhere. All lanes exchange elements in five rounds, and store 128 bytes of a row.
// CHECK-LABEL: gpu.func @single_elements_0
// CHECK-COUNT-80: gpu.shuffle xor
// CHECK-NOT:      gpu.shuffle
// CHECK-COUNT-32: conv.guarded_store %{{.*}} : vector<1xf32>
// CHECK-NOT:      conv.guarded_store
// CHECK:          gpu.return
module attributes {conv.target = #conv.target<"sm_90a">} {
func.func @single_elements(%x: tensor<1x5x7x8xf32>, %w: tensor<35x1x1x8xf32>) -> tensor<1x5x7x35xf32> {
  %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
      : tensor<1x5x7x8xf32>, tensor<35x1x1x8xf32> -> tensor<1x5x7x35xf32>
  return %y : tensor<1x5x7x35xf32>
}
}

// -----

#schedule = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [32, 32], subgroup = [32, 32], gemm_k = 8, stages = 2, atom = <fma 16 x 32 x 4>, main_loop = register_staged, raster = columns>>
#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>

// Pairs of elements: 16 lanes exchange them in four rounds, and store 128 bytes of a row.
// CHECK-LABEL: gpu.func @pairs_0
// CHECK-COUNT-64: gpu.shuffle xor
// CHECK-NOT:      gpu.shuffle
// CHECK-COUNT-16: conv.guarded_store %{{.*}} : vector<2xf32>
// CHECK-NOT:      conv.guarded_store
// CHECK:          gpu.return
module attributes {conv.target = #conv.target<"sm_90a">} {
func.func @pairs(%x: tensor<1x5x7x8xf32>, %w: tensor<34x1x1x8xf32>) -> tensor<1x5x7x34xf32> {
  %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
      : tensor<1x5x7x8xf32>, tensor<34x1x1x8xf32> -> tensor<1x5x7x34xf32>
  return %y : tensor<1x5x7x34xf32>
}
}

// -----

#schedule = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [32, 32], subgroup = [32, 32], gemm_k = 8, stages = 2, atom = <fma 16 x 32 x 4>, main_loop = register_staged, raster = columns>>
#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>

// Pixels are neighbours in memory: lanes have neighbouring ones without an exchange.
// CHECK-LABEL: gpu.func @pixels_innermost_0
// CHECK-NOT:   gpu.shuffle
// CHECK:       conv.guarded_store
// CHECK:       gpu.return
module attributes {conv.target = #conv.target<"sm_90a">} {
func.func @pixels_innermost(%x: tensor<1x5x7x8xf32>, %w: tensor<36x1x1x8xf32>) -> tensor<1x36x5x7xf32> {
  %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NKPQ"> schedule = #schedule
      : tensor<1x5x7x8xf32>, tensor<36x1x1x8xf32> -> tensor<1x36x5x7xf32>
  return %y : tensor<1x36x5x7xf32>
}
}

// -----

#schedule = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [32, 32], subgroup = [32, 32], gemm_k = 8, stages = 2, atom = <fma 16 x 32 x 4>, main_loop = register_staged, raster = columns>>
#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>

// Rows of nine elements are too short to gain.
// CHECK-LABEL: gpu.func @short_rows_0
// CHECK-NOT:   gpu.shuffle
// CHECK:       conv.guarded_store
// CHECK:       gpu.return
module attributes {conv.target = #conv.target<"sm_90a">} {
func.func @short_rows(%x: tensor<1x5x7x8xf32>, %w: tensor<9x1x1x8xf32>) -> tensor<1x5x7x9xf32> {
  %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
      : tensor<1x5x7x8xf32>, tensor<9x1x1x8xf32> -> tensor<1x5x7x9xf32>
  return %y : tensor<1x5x7x9xf32>
}
}
