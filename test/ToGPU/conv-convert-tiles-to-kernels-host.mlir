// RUN: conv-opt %s --conv-lower-to-linalg --conv-lower-to-tiled --conv-convert-tiles-to-kernels --canonicalize --cse --split-input-file --verify-diagnostics | FileCheck %s

#schedule = #conv.schedule<kernel = #conv.host_gemm<workgroup = [8, 16], subgroup = [8, 16], gemm_k = 24, stages = 1, atom = <fma 16 x 4 x 1>, raster = columns>>

// One workgroup is one work-item, with the tiles of both operands and the sums in
// private memory: 16 x 24, 16 x 24 and 16 x 16 elements, since vectors may run
// along either side, and a vector after each tile, 8 x 16 elements for the sums.
// CHECK:       gpu.func @kernel_0(%[[X:[a-z0-9]+]]: memref<1x9x9x5xf16, {{[^>]+}}>>, %[[W:[a-z0-9]+]]: memref<24x3x3x5xf16, {{[^>]+}}>>, %[[B:[a-z0-9]+]]: memref<24xf16, {{[^>]+}}>>, %[[Y:[a-z0-9]+]]: memref<1x9x9x24xf16, {{[^>]+}}>>)
// CHECK-SAME:      private(%[[A:[a-z0-9]+]] : memref<392xf32, #gpu.address_space<private>>, %[[F:[a-z0-9]+]] : memref<392xf32, #gpu.address_space<private>>, %[[S:[a-z0-9]+]] : memref<384xf32, #gpu.address_space<private>>)
// CHECK-SAME:      kernel attributes {known_block_size = array<i32: 1, 1, 1>}
// CHECK:         gpu.block_id x
// CHECK:         vector.store %{{.+}}, %[[S]]
// The loop over 45 elements of the reduction, 24 at a time.
// CHECK:         scf.for %[[K:.+]] = %{{.+}} to %c45_i64 step %c24_i64
// What a window has inside of the input is copied, the channels of a filter
// element at a time; the rest is zero.
// CHECK:           memref.reinterpret_cast %[[X]] {{.*}} to memref<405xf16,
// CHECK:           %[[INSIDE:.+]] = arith.andi
// CHECK:           scf.if %[[INSIDE]] {
// CHECK:             vector.load {{.*}} vector<8xf16>
// CHECK:             arith.extf
// CHECK:             vector.store %{{.+}}, %[[A]]{{.*}}, vector<8xf32>
// CHECK:             vector.load {{.*}} vector<1xf16>
// CHECK:             vector.store %{{.+}}, %[[A]]{{.*}}, vector<1xf32>
// CHECK:           } else {
// CHECK-NOT:         vector.load
// CHECK:             vector.store %cst{{.*}}, %[[A]]{{.*}}, vector<8xf32>
// CHECK:             vector.store %cst{{.*}}, %[[A]]{{.*}}, vector<1xf32>
// The filter is turned in registers.
// CHECK:           memref.reinterpret_cast %[[W]]
// CHECK-COUNT-24:  vector.shuffle
// CHECK-COUNT-8:   vector.store %{{.+}}, %[[F]]{{.*}}, vector<8xf32>
// CHECK:           vector.from_elements
// A register tile of 4 pixels and 16 channels.
// CHECK-COUNT-4:   vector.load %[[S]]
// CHECK:           scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK:             vector.load %[[F]]{{.*}}, vector<16xf32>
// CHECK:             vector.load %[[A]]{{.*}}, vector<1xf32>
// CHECK:             vector.broadcast
// CHECK-COUNT-16:    vector.fma
// The steps after the last whole iteration, since blocks have 24 or 21.
// CHECK:           scf.for {{.*}} step %c1_i64 {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK-COUNT-4:     vector.fma
// CHECK-NOT:       vector.fma
// CHECK:           vector.store %{{.+}}, %[[S]]
// The epilogue, on vectors and on the channels that remain.
// CHECK:         memref.reinterpret_cast %[[Y]]
// CHECK:         %[[SUM:.+]] = vector.load %[[S]]{{.*}}, vector<8xf32>
// CHECK:         %[[BIAS:.+]] = vector.load %[[B]]{{.*}}, vector<8xf16>
// CHECK:         %[[WIDE:.+]] = arith.extf %[[BIAS]]
// CHECK:         %[[OUT:.+]] = arith.addf %[[SUM]], %[[WIDE]]
// CHECK:         %[[NARROW:.+]] = arith.truncf %[[OUT]] : vector<8xf32> to vector<8xf16>
// CHECK:         vector.store %[[NARROW]]
// CHECK:         arith.addf {{.*}} : vector<1xf32>
// CHECK:         gpu.return
// One workgroup for each of ceil(81/8) * ceil(24/16) tiles.
// CHECK:       gpu.launch_func @kernel_kernels::@kernel_0 blocks in (%c22, %c1, %c1) threads in (%c1, %c1, %c1)
module attributes {conv.target = #conv.target<"host">} {
  func.func @kernel(%x: tensor<1x9x9x5xf16>, %w: tensor<24x3x3x5xf16>, %b: tensor<24xf16>) -> tensor<1x9x9x24xf16> {
    %y = conv.forward %x, %w
        window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
        epilogue(%b : tensor<24xf16>) {
        ^bb0(%acc: f32, %e: f16):
          %e32 = arith.extf %e : f16 to f32
          %sum = arith.addf %acc, %e32 : f32
          %out = arith.truncf %sum : f32 to f16
          conv.yield %out : f16
        } : tensor<1x9x9x5xf16>, tensor<24x3x3x5xf16> -> tensor<1x9x9x24xf16>
    return %y : tensor<1x9x9x24xf16>
  }
}

// -----

#schedule = #conv.schedule<kernel = #conv.host_gemm<workgroup = [8, 16], subgroup = [8, 16], gemm_k = 24, stages = 1, atom = <fma 16 x 4 x 1>, raster = columns>>

// A filter whose channels are innermost needs no turning.
// CHECK:       gpu.func @channels_innermost_0({{.*}}, %[[W:[a-z0-9]+]]: memref<1x1x4x24xf32, {{.*}} private({{.*}}, %[[F:[a-z0-9]+]] : memref<392xf32,
// CHECK-NOT:     vector.shuffle
// CHECK:         memref.reinterpret_cast %[[W]]
// CHECK:         %[[K:.+]] = vector.load {{.*}} vector<8xf32>
// CHECK:         vector.store %[[K]], %[[F]]{{.*}}, vector<8xf32>
// CHECK-NOT:     vector.from_elements
// CHECK:         gpu.return
module attributes {conv.target = #conv.target<"host">} {
  func.func @channels_innermost(%x: tensor<1x8x8x4xf32>, %w: tensor<1x1x4x24xf32>) -> tensor<1x8x8x24xf32> {
    %y = conv.forward %x, %w
        window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
        layouts = <"NHWC", "RSCK", "NPQK"> schedule = #schedule
        : tensor<1x8x8x4xf32>, tensor<1x1x4x24xf32> -> tensor<1x8x8x24xf32>
    return %y : tensor<1x8x8x24xf32>
  }
}

// -----

#schedule = #conv.schedule<kernel = #conv.host_gemm<workgroup = [8, 16], subgroup = [8, 16], gemm_k = 24, stages = 1, atom = <fma 16 x 4 x 1>, raster = columns>>

// Vectors of channels that do not all exist are loaded with a mask.
// CHECK:       gpu.func @channels_odd_0({{.*}}, %[[W:[a-z0-9]+]]: memref<1x1x4x19xf32, {{.*}} private({{.*}}, %[[F:[a-z0-9]+]] : memref<392xf32,
// CHECK-NOT:     vector.shuffle
// CHECK:         memref.reinterpret_cast %[[W]]
// CHECK:         %[[EXISTS:.+]] = arith.cmpi sgt, {{.*}} : vector<8xi32>
// CHECK:         %[[K:.+]] = vector.maskedload {{.*}}, %[[EXISTS]], {{.*}} into vector<8xf32>
// CHECK:         vector.store %[[K]], %[[F]]{{.*}}, vector<8xf32>
// CHECK:         gpu.return
module attributes {conv.target = #conv.target<"host">} {
  func.func @channels_odd(%x: tensor<1x8x8x4xf32>, %w: tensor<1x1x4x19xf32>) -> tensor<1x8x8x19xf32> {
    %y = conv.forward %x, %w
        window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
        layouts = <"NHWC", "RSCK", "NPQK"> schedule = #schedule
        : tensor<1x8x8x4xf32>, tensor<1x1x4x19xf32> -> tensor<1x8x8x19xf32>
    return %y : tensor<1x8x8x19xf32>
  }
}

// -----

#schedule = #conv.schedule<kernel = #conv.host_gemm<workgroup = [8, 16], subgroup = [8, 16], gemm_k = 24, stages = 1, atom = <fma 16 x 4 x 1>, raster = columns>>

// Positions of channels-first images are copied as vectors, of which the mask
// of the window's coordinates remains, to a tile with the reduction outermost.
// CHECK:       gpu.func @channels_first_0(%[[X:[a-z0-9]+]]: memref<1x4x9x9xf16, {{.*}} private(%[[A:[a-z0-9]+]] : memref<392xf32,
// CHECK:         memref.reinterpret_cast %[[X]] {{.*}} to memref<324xf16,
// CHECK:         scf.for
// CHECK:           %[[ROW:.+]] = arith.cmpi ult, {{.*}} : vector<8xi32>
// CHECK:           %[[PIXEL:.+]] = arith.cmpi ult, {{.*}} : vector<8xi32>
// CHECK:           %[[INSIDE:.+]] = arith.andi %[[ROW]], %[[PIXEL]] : vector<8xi1>
// CHECK:           %[[LOADED:.+]] = scf.if {{.*}} -> (vector<8xf32>) {
// CHECK:             vector.load {{.*}} vector<8xf16>
// CHECK:           } else {
// CHECK-COUNT-8:     vector.load {{.*}} vector<1xf16>
// CHECK:           }
// CHECK:           %[[MASKED:.+]] = arith.select %[[INSIDE]], %[[LOADED]], %cst{{.*}} : vector<8xi1>, vector<8xf32>
// CHECK:           vector.store %[[MASKED]], %[[A]]{{.*}}, vector<8xf32>
// CHECK:         gpu.return
module attributes {conv.target = #conv.target<"host">} {
  func.func @channels_first(%x: tensor<1x4x9x9xf16>, %w: tensor<24x4x3x3xf16>) -> tensor<1x24x9x9xf16> {
    %y = conv.forward %x, %w
        window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NCHW", "KCRS", "NKPQ"> schedule = #schedule
        : tensor<1x4x9x9xf16>, tensor<24x4x3x3xf16> -> tensor<1x24x9x9xf16>
    return %y : tensor<1x24x9x9xf16>
  }
}

// -----

// The kernel of the group is the same for a vector of channels. Where a later token is beyond the sequence, neither the gradient's
// vector nor that one element is loaded.
// CHECK-LABEL: gpu.func @one_group_0(
// CHECK:         scf.if %{{.+}} -> (vector<8xf32>)
// CHECK:         %[[K:.+]] = scf.if %{{.+}} -> (vector<1xf32>)
// CHECK:           vector.load %{{.+}} : memref<52xf32, #gpu.address_space<global>>, vector<1xf32>
// CHECK:         %[[ONE:.+]] = vector.extract %[[K]][0]
// CHECK-NEXT:    vector.broadcast %[[ONE]] : f32 to vector<8xf32>
module attributes {conv.target = #conv.target<"host">} {
  func.func @one_group(%dy: tensor<2x13x96xf32>, %k: tensor<2x13x1x2xf32>) -> tensor<2x13x96xf32> {
    %dx = conv.dynamic_backward_input %dy, %k order = BTGW : tensor<2x13x96xf32>, tensor<2x13x1x2xf32> -> tensor<2x13x96xf32>
    return %dx : tensor<2x13x96xf32>
  }
}

// -----

#across = #conv.schedule<kernel = #conv.host_gemm<workgroup = [16, 8], subgroup = [16, 8], gemm_k = 72, stages = 1, atom = <fma 16 x 4 x 1>, raster = columns>>

// Vectors are positions, but the 8 channels of a group are what is adjacent in the result: a run of results has the sums
// of a position, and one store. All of the reduction is one block: sums start as zeros in registers, and an iteration has as
// many steps as divide the block and have at most 32 products of vectors.
// CHECK-LABEL: gpu.func @groups_0
// CHECK-SAME:    %[[S:[a-z0-9]+]] : memref<384xf32, #gpu.address_space<private>>)
// Where eight positions are inside of the image with a tap, their squares are loaded as they are, else with guards.
// CHECK:         %[[INSIDE:.+]] = vector.reduction <and>, %{{.+}} : vector<8xi1> into i1
// CHECK:         scf.if %[[INSIDE]] {
// CHECK-NOT:       arith.select
// CHECK:         } else {
// CHECK-COUNT-8:   arith.select %{{.+}} : vector<8xf32>
// CHECK:         scf.for %{{.+}} = %c0_i64 to %c72_i64 step %c4_i64 {{.*}}iter_args(%{{.+}} = %cst{{.*}}, %{{.+}} = %cst{{.*}}, %{{.+}} = %cst{{.*}}, %{{.+}} = %cst
// CHECK-COUNT-16:  vector.fma
// CHECK-NOT:       vector.fma
// CHECK-COUNT-4: vector.store %{{.+}}, %[[S]]{{.*}}, vector<16xf32>
// CHECK-COUNT-8: vector.load %[[S]]{{.*}}, vector<1xf32>
// CHECK:         %[[SUMS:.+]] = vector.from_elements
// CHECK:         vector.store %[[SUMS]], %{{.*}} : memref<1024xf32, {{.*}}>, vector<8xf32>
// CHECK:         gpu.return
module attributes {conv.target = #conv.target<"host">} {
  func.func @groups(%x: tensor<1x8x8x16xf32>, %w: tensor<16x3x3x8xf32>) -> tensor<1x8x8x16xf32> {
    %y = conv.forward %x, %w
        window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NPQK"> groups = 2 schedule = #across
        : tensor<1x8x8x16xf32>, tensor<16x3x3x8xf32> -> tensor<1x8x8x16xf32>
    return %y : tensor<1x8x8x16xf32>
  }
}

// -----

#schedule = #conv.schedule<kernel = #conv.host_gemm<workgroup = [8, 16], subgroup = [8, 16], gemm_k = 144, stages = 1, atom = <fma 16 x 4 x 1>, raster = columns>>

// Runs of 16 channels are read where they are. Where a tap is inside of the image for the four pixels of a register tile, no
// zeros are read instead of a run.
// CHECK-LABEL: gpu.func @in_place_0
// CHECK:         %[[INSIDE:.+]] = vector.reduction <and>, %{{.+}} : vector<4xi1> into i1
// CHECK:         scf.if %[[INSIDE]] -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>) {
// CHECK-NOT:       arith.select
// CHECK:           scf.for
// CHECK-COUNT-16:    vector.fma
// CHECK:         } else {
// CHECK-COUNT-8:   arith.select
// CHECK:           scf.for
// CHECK-COUNT-16:    vector.fma
module attributes {conv.target = #conv.target<"host">} {
  func.func @in_place(%x: tensor<1x9x9x16xf32>, %w: tensor<16x3x3x16xf32>) -> tensor<1x9x9x16xf32> {
    %y = conv.forward %x, %w
        window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
        : tensor<1x9x9x16xf32>, tensor<16x3x3x16xf32> -> tensor<1x9x9x16xf32>
    return %y : tensor<1x9x9x16xf32>
  }
}

// -----

#schedule = #conv.schedule<kernel = #conv.host_gemm<workgroup = [8, 16], subgroup = [8, 16], gemm_k = 37, stages = 1, atom = <fma 16 x 4 x 1>, raster = columns>>

// Nothing divides 37 steps: nine iterations have four of them, and one is left.
// CHECK-LABEL: gpu.func @rest_of_37_0
// CHECK:         scf.for %{{.+}} = %c0_i64 to %c36_i64 step %c4_i64 {{.*}}iter_args
// CHECK-COUNT-16:  vector.fma
// CHECK-NOT:       vector.fma
// CHECK:           scf.yield
// CHECK-COUNT-4: vector.fma
// CHECK-NOT:     vector.fma
// CHECK:         gpu.return
module attributes {conv.target = #conv.target<"host">} {
  func.func @rest_of_37(%x: tensor<1x8x8x37xf16>, %w: tensor<16x1x1x37xf16>) -> tensor<1x8x8x16xf16> {
    %y = conv.forward %x, %w
        window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
        layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
        : tensor<1x8x8x37xf16>, tensor<16x1x1x37xf16> -> tensor<1x8x8x16xf16>
    return %y : tensor<1x8x8x16xf16>
  }
}
