// RUN: conv-opt %s --conv-lower-to-linalg --conv-lower-to-tiled --conv-convert-tiles-to-kernels | FileCheck %s

#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
#rows = #conv.schedule<kernel = #conv.direct<workgroup = [32, 16], subgroup = [32, 16], gemm_k = 9, stages = 1, atom = <fma 8 x 1 x 1>, main_loop = direct, raster = columns>>
#reduction = #conv.schedule<kernel = #conv.direct<workgroup = [1, 8], subgroup = [64, 8], gemm_k = 64, stages = 1, atom = <fma 8 x 1 x 4>, main_loop = direct_reduction, raster = columns>>

module attributes {conv.target = #conv.target<"gfx942">} {
  // Two tiles of four rows of pixels and 16 channels: one box of (4 + 2) x (8 + 2)
  // pixels, and the filter with channels innermost.
  // CHECK:       gpu.func @depthwise_0(%[[X:[a-z0-9]+]]: memref<1x8x8x16xf16, {{[^,]+}}, %[[W:[a-z0-9]+]]: memref<16x3x3x1xf16, {{[^,]+}}, %[[Y:[a-z0-9]+]]: memref<1x8x8x16xf16, {{[^,]+}})
  // CHECK-SAME:      workgroup(%[[A:[a-z0-9]+]] : memref<960xf16, #gpu.address_space<workgroup>>, %[[B:[a-z0-9]+]] : memref<144xf16, #gpu.address_space<workgroup>>)
  // Each byte is loaded once, in vectors as wide as memory allows.
  // CHECK:           conv.guarded_load %[[X]]{{.*}} -> vector<8xf16>
  // CHECK:           vector.store %{{.+}}, %[[A]]
  // CHECK:           conv.guarded_load %[[W]]{{.*}} -> vector<1xf16>
  // CHECK:           vector.store %{{.+}}, %[[B]]
  // CHECK:           gpu.barrier
  // A loop over elements. The three rows of the filter follow each other, each
  // with reads of its own, all of which start before the first product. f16 is
  // multiplied element by element, since there are more operands than packed
  // arithmetic saves.
  // CHECK:           scf.for
  // CHECK-NOT:         scf.for
  // CHECK-COUNT-6:     vector.load %{{.+}} vector<8xf16>
  // CHECK-NEXT:        conv.schedule_fence
  // CHECK-COUNT-6:     vector.load %{{.+}} vector<8xf16>
  // CHECK-NEXT:        conv.schedule_fence
  // CHECK-COUNT-6:     vector.load %{{.+}} vector<8xf16>
  // CHECK-NEXT:        conv.schedule_fence
  // CHECK-NOT:         vector.load
  // CHECK-COUNT-24:    math.fma %{{.+}} : f32
  // CHECK:             conv.schedule_fence
  // CHECK-COUNT-48:    math.fma %{{.+}} : f32
  // CHECK-NOT:         math.fma
  // CHECK:             arith.truncf %{{.+}} : vector<8xf32> to vector<8xf16>
  // CHECK:             conv.guarded_store %{{.+}}, %[[Y]]{{.*}} : vector<8xf16>
  // CHECK-NOT:       gpu.barrier
  // CHECK:           gpu.return
  func.func @depthwise(%x: tensor<1x8x8x16xf16>, %w: tensor<16x3x3x1xf16>) -> tensor<1x8x8x16xf16> {
    %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> groups = 16 schedule = #rows
        : tensor<1x8x8x16xf16>, tensor<16x3x3x1xf16> -> tensor<1x8x8x16xf16>
    return %y : tensor<1x8x8x16xf16>
  }

  // bf16 is converted in any case, so an operation multiplies all elements of a
  // vector. A row has 6 vectors, and its reads and those of the next rows, 24
  // vectors, start together.
  // CHECK:       gpu.func @packed_0(
  // CHECK:           scf.for
  // CHECK-COUNT-6:     vector.load %{{.+}} vector<8xbf16>
  // CHECK:             conv.schedule_fence
  // CHECK-NOT:         arith.extf %{{.+}} : bf16 to f32
  // CHECK-COUNT-9:     math.fma %{{.+}} : vector<8xf32>
  // CHECK-NOT:         math.fma
  // CHECK:             conv.guarded_store
  func.func @packed(%x: tensor<1x8x8x16xbf16>, %w: tensor<16x3x3x1xbf16>) -> tensor<1x8x8x16xbf16> {
    %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> groups = 16 schedule = #rows
        : tensor<1x8x8x16xbf16>, tensor<16x3x3x1xbf16> -> tensor<1x8x8x16xbf16>
    return %y : tensor<1x8x8x16xbf16>
  }

  // All 64 pixels in one step, shared by the work-items; then sums of four
  // elements at a time. 36 of 64 work-items add up 7 of 21 slices each, and 12
  // the 3 sums that remain.
  // CHECK:       gpu.func @weight_0(
  // CHECK-SAME:      workgroup(%{{[^,]+}}, {{[^,]+}}, %{{[^,]+}}, {{[^,]+}}, %[[SUMS:[a-z0-9]+]] : memref<256xf32, #gpu.address_space<workgroup>>)
  // CHECK:           gpu.barrier
  // CHECK:           gpu.barrier
  // CHECK:           scf.for
  // CHECK-COUNT-96:    math.fma
  // CHECK:           memref.store %{{.+}}, %[[SUMS]]
  // CHECK:           gpu.barrier
  // CHECK:           scf.if
  // CHECK-COUNT-7:     memref.load %[[SUMS]]
  // CHECK-NOT:         memref.load
  // CHECK:           gpu.barrier
  // CHECK:           memref.store %{{.+}}, %[[SUMS]]
  // CHECK:           gpu.barrier
  // CHECK:           scf.for
  // CHECK:             scf.for
  // CHECK:               memref.load %[[SUMS]]
  // CHECK:               arith.addf
  // CHECK:             conv.guarded_store
  // CHECK:           gpu.return
  func.func @weight(%x: tensor<1x8x8x16xf16>, %dy: tensor<1x8x8x16xf16>) -> tensor<16x3x3x1xf32> {
    %dw = conv.backward_weight %x, %dy window = #window layouts = <"NHWC", "KRSC", "NPQK"> groups = 16 schedule = #reduction
        : tensor<1x8x8x16xf16>, tensor<1x8x8x16xf16> -> tensor<16x3x3x1xf32>
    return %dw : tensor<16x3x3x1xf32>
  }
}
