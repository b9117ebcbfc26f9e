// RUN: conv-opt %s --conv-lower-to-linalg --conv-lower-to-tiled --conv-convert-tiles-to-kernels --canonicalize --cse --split-input-file | FileCheck %s

// A line of 3 taps: vectors of 16 channels at 4 positions, and at the end of the channels a load and a store with a mask.
// CHECK-LABEL:   gpu.func @channels_last_0
// CHECK:           %[[LAST:.+]] = vector.maskedload {{.*}} vector<16xi1>, vector<16xf32>
// CHECK:           vector.store %[[LAST]]
// CHECK-COUNT-12:  vector.fma {{.*}} : vector<16xf32>
// CHECK-NOT:       vector.fma
// CHECK:           vector.maskedstore {{.*}} vector<16xi1>, vector<16xf32>
// CHECK:           gpu.return
#along = #conv.schedule<kernel = #conv.direct<workgroup = [12, 16], subgroup = [12, 16], gemm_k = 9, stages = 1, atom = <fma 16 x 4 x 1>, main_loop = direct, raster = columns>>
module attributes {conv.target = #conv.target<"host_v4">} {
  func.func @channels_last(%x: tensor<1x12x12x21xf32>, %w: tensor<21x3x3x1xf32>) -> tensor<1x12x12x21xf32> {
    %y = conv.forward %x, %w
        window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NPQK"> groups = 21 schedule = #along
        : tensor<1x12x12x21xf32>, tensor<21x3x3x1xf32> -> tensor<1x12x12x21xf32>
    return %y : tensor<1x12x12x21xf32>
  }
}

// -----

// The four phases of a gradient are columns: every second element of a line. A vector of 16 is spread over two, and
// stored with a mask of what the result has.
// CHECK-LABEL:   gpu.func @phases_0
// CHECK:           %[[FIRST:.+]] = vector.shuffle %[[SUMS:.+]], %[[SUMS]] [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7] : vector<16xf32>
// CHECK:           vector.maskedstore {{.*}}, %[[FIRST]] : {{.*}} vector<16xi1>, vector<16xf32>
// CHECK:           %[[SECOND:.+]] = vector.shuffle %[[SUMS]], %[[SUMS]] [8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13, 14, 14, 15, 15] : vector<16xf32>
// CHECK:           vector.maskedstore {{.*}}, %[[SECOND]] : {{.*}} vector<16xi1>, vector<16xf32>
// CHECK-NOT:       vector.store {{.*}} vector<1xf32>
// CHECK:           gpu.return
#phases = #conv.schedule<kernel = #conv.direct<workgroup = [25, 1], subgroup = [25, 1], gemm_k = 4, stages = 1, atom = <fma 1 x 8 x 1>, main_loop = direct, raster = rows>>
module attributes {conv.target = #conv.target<"host_v4">} {
  func.func @phases(%dy: tensor<1x3x5x5xf32>, %w: tensor<3x1x3x3xf32>) -> tensor<1x3x9x9xf32> {
    %dx = conv.backward_data %dy, %w
        window = <strides = [2, 2], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NCHW", "KCRS", "NKPQ"> groups = 3 schedule = #phases
        : tensor<1x3x5x5xf32>, tensor<3x1x3x3xf32> -> tensor<1x3x9x9xf32>
    return %dx : tensor<1x3x9x9xf32>
  }
}

// -----

// A tensor with its channels brought first: squares of 16 positions and 16 channels are loaded along channels, transposed
// in registers, and stored along positions. The last one starts at position 4 or channel 3, so that it is whole.
// CHECK-LABEL:    gpu.func @reorder_0
// CHECK:            scf.for %[[ROW:.+]] = %c0_i64 to %c19_i64 step %c16_i64
// CHECK:              scf.for %[[COLUMN:.+]] = %c0_i64 to %c20_i64 step %c16_i64
// CHECK:                arith.minsi %[[ROW]], %c3_i64
// CHECK:                arith.minsi %[[COLUMN]], %c4_i64
// CHECK-COUNT-16:       vector.load {{.*}} vector<16xf32>
// CHECK-COUNT-64:       vector.shuffle {{.*}} : vector<16xf32>, vector<16xf32>
// CHECK-COUNT-16:       vector.store {{.*}} vector<16xf32>
// CHECK-NOT:        vector<1xf32>
// CHECK:            gpu.return
module attributes {conv.target = #conv.target<"host_v4">} {
  func.func @reorder(%x: tensor<1x4x5x19xf32>) -> tensor<1x19x4x5xf32> {
    %y = conv.transform %x permutation = [0, 3, 1, 2] : tensor<1x4x5x19xf32> -> tensor<1x19x4x5xf32>
    return %y : tensor<1x19x4x5xf32>
  }
}

// -----

// A filter with its taps brought first: neither is contiguous in the other, so elements are loaded one by one and stored
// together; f16 is joined as its bits: x86 inserts 16 bits of memory in an instruction, but loads f16 first.
// CHECK-LABEL:   gpu.func @gather_0
// CHECK-COUNT-8:   arith.bitcast {{.*}} : f16 to i16
// CHECK:           vector.from_elements {{.*}} : vector<8xi16>
// CHECK:           arith.bitcast {{.*}} : vector<8xi16> to vector<8xf16>
// CHECK-NOT:       vector.from_elements {{.*}} : vector<8xf16>
// CHECK:           gpu.return
module attributes {conv.target = #conv.target<"host_v4">} {
  func.func @gather(%x: tensor<6x7x3xf16>) -> tensor<3x6x7xf16> {
    %y = conv.transform %x permutation = [2, 0, 1] : tensor<6x7x3xf16> -> tensor<3x6x7xf16>
    return %y : tensor<3x6x7xf16>
  }
}

// -----

// Positions of a phase are two elements apart, and channels are 81. Vectors are along channels, since a line has few
// positions, but results are along positions: sums of several vectors are joined, spread over two, and stored with a mask.
// CHECK-LABEL:   gpu.func @dense_phases_0
// CHECK:           vector.fma {{.*}} : vector<16xf32>
// CHECK:           %[[SUMS:.+]] = vector.from_elements {{.*}} : vector<16xf32>
// CHECK:           %[[FIRST:.+]] = vector.shuffle %[[SUMS]], %[[SUMS]] [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7] : vector<16xf32>
// CHECK:           vector.maskedstore {{.*}}, %[[FIRST]] : {{.*}} vector<16xi1>, vector<16xf32>
// CHECK:           gpu.return
#dense = #conv.schedule<kernel = #conv.host_gemm<workgroup = [32, 16], subgroup = [32, 16], gemm_k = 24, stages = 1, atom = <fma 32 x 8 x 1>, raster = columns>>
module attributes {conv.target = #conv.target<"host_v4">} {
  func.func @dense_phases(%dy: tensor<1x6x5x5xf32>, %w: tensor<6x16x3x3xf32>) -> tensor<1x16x9x9xf32> {
    %dx = conv.backward_data %dy, %w
        window = <strides = [2, 2], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NCHW", "KCRS", "NKPQ"> schedule = #dense
        : tensor<1x6x5x5xf32>, tensor<6x16x3x3xf32> -> tensor<1x16x9x9xf32>
    return %dx : tensor<1x16x9x9xf32>
  }
}

// -----

// The 3 pixels of 2 channels that a row of a window has are one run of 6 elements, with a mask of the pixels inside.
// CHECK-LABEL:   gpu.func @window_rows_0
// CHECK:           arith.muli %{{.+}}, %c6_i64 : i64
// CHECK:           %[[PIXELS:.+]] = arith.subi %c9_i64, %{{.+}} : i64
// CHECK-NEXT:      arith.muli %[[PIXELS]], %c2_i64 : i64
// CHECK:           vector.maskedload {{.*}} vector<16xf32>
// CHECK:           vector.fma
#rows = #conv.schedule<kernel = #conv.host_gemm<workgroup = [32, 32], subgroup = [32, 32], gemm_k = 24, stages = 1, atom = <fma 32 x 8 x 1>, raster = columns>>
module attributes {conv.target = #conv.target<"host_v4">} {
  func.func @window_rows(%x: tensor<1x9x9x2xf32>, %w: tensor<32x3x3x2xf32>) -> tensor<1x9x9x32xf32> {
    %y = conv.forward %x, %w
        window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NPQK"> schedule = #rows
        : tensor<1x9x9x2xf32>, tensor<32x3x3x2xf32> -> tensor<1x9x9x32xf32>
    return %y : tensor<1x9x9x32xf32>
  }
}

// -----

// The lines of an image with padding are rows of a filter gradient: 8 of them are loaded with masks, of every second
// element, and transposed.
// CHECK-LABEL:    gpu.func @lines_0
// CHECK-COUNT-8:    vector.maskedload {{.*}} vector<16xi1>, vector<16xf32>
// CHECK:            vector.shuffle {{.*}} [0, 8, 1, 9, 4, 12, 5, 13] : vector<8xf32>, vector<8xf32>
// CHECK:            vector.fma
// CHECK-NOT:        vector.from_elements {{.*}} : vector<16xf32>
// CHECK:            gpu.return
#lines = #conv.schedule<kernel = #conv.host_gemm<workgroup = [32, 32], subgroup = [32, 32], gemm_k = 24, stages = 1, atom = <fma 32 x 8 x 1>, raster = columns>>
module attributes {conv.target = #conv.target<"host_v4">} {
  func.func @lines(%x: tensor<1x3x33x33xf32>, %dy: tensor<1x32x17x17xf32>) -> tensor<32x3x3x3xf32> {
    %dw = conv.backward_weight %x, %dy
        window = <strides = [2, 2], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NCHW", "KCRS", "NKPQ"> schedule = #lines
        : tensor<1x3x33x33xf32>, tensor<1x32x17x17xf32> -> tensor<32x3x3x3xf32>
    return %dw : tensor<32x3x3x3xf32>
  }
}

// -----

// The 3 channels of a group are too few for vectors: the columns of a filter gradient are gathered by an instruction, with a
// mask of those inside the image.
// CHECK-LABEL:    gpu.func @gathered_0
// CHECK:            vector.gather {{.*}} vector<16xi32>, vector<16xi1>, vector<16xf32> into vector<16xf32>
// CHECK-NOT:        vector.from_elements {{.*}} : vector<16xf32>
// CHECK:            vector.fma
// CHECK:            gpu.return
#gathered = #conv.schedule<kernel = #conv.host_gemm<workgroup = [8, 32], subgroup = [8, 32], gemm_k = 24, stages = 1, atom = <fma 32 x 8 x 1>, raster = columns>>
module attributes {conv.target = #conv.target<"host_v4">} {
  func.func @gathered(%x: tensor<1x9x9x6xf32>, %dy: tensor<1x9x9x6xf32>) -> tensor<6x3x3x3xf32> {
    %dw = conv.backward_weight %x, %dy
        window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NPQK"> groups = 2 schedule = #gathered
        : tensor<1x9x9x6xf32>, tensor<1x9x9x6xf32> -> tensor<6x3x3x3xf32>
    return %dw : tensor<6x3x3x3xf32>
  }
}

// -----

// Two vectors of positions have four sums each, so that eight products are in flight; they are added up at the end.
// CHECK-LABEL:   gpu.func @channels_first_0
// CHECK:           %[[SUMS:.+]]:8 = scf.for
// CHECK-COUNT-18:  vector.fma {{.*}} : vector<16xf32>
// CHECK:           scf.yield
// CHECK-COUNT-6:   arith.addf {{.*}} : vector<16xf32>
// CHECK:           gpu.return
#positions = #conv.schedule<kernel = #conv.direct<workgroup = [1024, 1], subgroup = [1024, 1], gemm_k = 81, stages = 1, atom = <fma 1 x 32 x 1>, main_loop = direct, raster = rows>>
module attributes {conv.target = #conv.target<"host_v4">} {
  func.func @channels_first(%x: tensor<1x4x32x32xf32>, %w: tensor<4x1x9x9xf32>) -> tensor<1x4x32x32xf32> {
    %y = conv.forward %x, %w
        window = <strides = [1, 1], dilations = [1, 1], low = [4, 4], high = [4, 4]>
        layouts = <"NCHW", "KCRS", "NKPQ"> groups = 4 schedule = #positions
        : tensor<1x4x32x32xf32>, tensor<4x1x9x9xf32> -> tensor<1x4x32x32xf32>
    return %y : tensor<1x4x32x32xf32>
  }
}

// -----

// A register tile has two vectors of four lines. Each vector of the ten lines that their windows have is loaded once, and
// multiplied by a tap for each line.
// CHECK-LABEL:      gpu.func @lines_0
// CHECK-COUNT-392:  vector.fma {{.*}} : vector<16xf32>
// CHECK-NOT:        vector.fma
// CHECK:            gpu.return
#lines = #conv.schedule<kernel = #conv.direct<workgroup = [1024, 1], subgroup = [1024, 1], gemm_k = 49, stages = 1, atom = <fma 1 x 32 x 1>, main_loop = direct, raster = rows>>
module attributes {conv.target = #conv.target<"host_v4">} {
  func.func @lines(%x: tensor<1x4x32x32xf32>, %w: tensor<4x1x7x7xf32>) -> tensor<1x4x32x32xf32> {
    %y = conv.forward %x, %w
        window = <strides = [1, 1], dilations = [1, 1], low = [3, 3], high = [3, 3]>
        layouts = <"NCHW", "KCRS", "NKPQ"> groups = 4 schedule = #lines
        : tensor<1x4x32x32xf32>, tensor<4x1x7x7xf32> -> tensor<1x4x32x32xf32>
    return %y : tensor<1x4x32x32xf32>
  }
}

// -----

// The channels of 8 pixels of one line, which are read in place: one division finds the line and the first pixel, and all
// share the check of the line. If all but the first or the last are inside of the image, the product leaves it out; else each
// has a check; and nothing is multiplied if the line is outside.
// CHECK-LABEL:    gpu.func @one_line_0
// CHECK:            arith.divui {{.*}}, %c16_i64
// CHECK-NOT:        arith.divui {{.*}}, %c16_i64
// CHECK:            arith.cmpi ult, {{.*}}, %c8_i64
// CHECK-COUNT-8:    arith.cmpi ult, {{.*}}, %c16_i64
// CHECK-NOT:        arith.cmpi ult
// CHECK-COUNT-8:    vector.fma {{.*}} : vector<32xf32>
// CHECK:            gpu.return
#in_place = #conv.schedule<kernel = #conv.host_gemm<workgroup = [64, 32], subgroup = [64, 32], gemm_k = 64, stages = 1, atom = <fma 32 x 8 x 1>, raster = columns>>
module attributes {conv.target = #conv.target<"host_v4">} {
  func.func @one_line(%x: tensor<1x8x16x32xf32>, %w: tensor<32x3x3x32xf32>) -> tensor<1x8x16x32xf32> {
    %y = conv.forward %x, %w
        window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NPQK"> groups = 1 schedule = #in_place
        : tensor<1x8x16x32xf32>, tensor<32x3x3x32xf32> -> tensor<1x8x16x32xf32>
    return %y : tensor<1x8x16x32xf32>
  }
}

// -----

// A tile of 60 pixels has register tiles of half a line each.
// CHECK-LABEL:    gpu.func @half_lines_0
// CHECK:            arith.divui {{.*}}, %c12_i64
// CHECK-NOT:        arith.divui {{.*}}, %c12_i64
// CHECK-COUNT-6:    vector.fma {{.*}} : vector<32xf32>
// CHECK:            gpu.return
#in_place = #conv.schedule<kernel = #conv.host_gemm<workgroup = [60, 32], subgroup = [60, 32], gemm_k = 64, stages = 1, atom = <fma 32 x 8 x 1>, raster = columns>>
module attributes {conv.target = #conv.target<"host_v4">} {
  func.func @half_lines(%x: tensor<1x10x12x32xf32>, %w: tensor<32x3x3x32xf32>) -> tensor<1x10x12x32xf32> {
    %y = conv.forward %x, %w
        window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NPQK"> groups = 1 schedule = #in_place
        : tensor<1x10x12x32xf32>, tensor<32x3x3x32xf32> -> tensor<1x10x12x32xf32>
    return %y : tensor<1x10x12x32xf32>
  }
}

// -----

// The 9 elements of a row of a window of 3 channels are read in place where it is inside of the image for all pixels of a
// register tile, and copied with masks elsewhere.
// CHECK-LABEL:    gpu.func @few_channels_0
// CHECK:            scf.if
// CHECK-NOT:          vector.maskedload
// CHECK:              scf.for
// CHECK-COUNT-8:        vector.fma {{.*}} : vector<16xf32>
// CHECK:            } else {
// CHECK-COUNT-8:      vector.maskedload {{.*}} vector<16xf32>
// CHECK:              scf.for
// CHECK-COUNT-8:        vector.fma {{.*}} : vector<16xf32>
// CHECK:            gpu.return
#few = #conv.schedule<kernel = #conv.host_gemm<workgroup = [64, 16], subgroup = [64, 16], gemm_k = 32, stages = 1, atom = <fma 16 x 8 x 1>, raster = columns>>
module attributes {conv.target = #conv.target<"host_v4">} {
  func.func @few_channels(%x: tensor<1x16x16x3xf32>, %w: tensor<16x3x3x3xf32>) -> tensor<1x8x8x16xf32> {
    %y = conv.forward %x, %w
        window = <strides = [2, 2], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NPQK"> schedule = #few
        : tensor<1x16x16x3xf32>, tensor<16x3x3x3xf32> -> tensor<1x8x8x16xf32>
    return %y : tensor<1x8x8x16xf32>
  }
}

// -----

// Tiles of half a vector: panels have 8 rows, and a result is one store.
// CHECK-LABEL:    gpu.func @half_vectors_0
// CHECK-COUNT-8:    vector.fma {{.*}} : vector<8xf32>
// CHECK-NOT:        vector.maskedstore
// CHECK:            vector.store {{.*}} memref<1024xf32, {{.*}}>, vector<8xf32>
// CHECK:            gpu.return
#half = #conv.schedule<kernel = #conv.host_gemm<workgroup = [64, 8], subgroup = [64, 8], gemm_k = 72, stages = 1, atom = <fma 8 x 16 x 1>, raster = columns>>
module attributes {conv.target = #conv.target<"host_v4">} {
  func.func @half_vectors(%x: tensor<1x8x8x16xf32>, %w: tensor<16x3x3x8xf32>) -> tensor<1x8x8x16xf32> {
    %y = conv.forward %x, %w
        window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NPQK"> groups = 2 schedule = #half
        : tensor<1x8x8x16xf32>, tensor<16x3x3x8xf32> -> tensor<1x8x8x16xf32>
    return %y : tensor<1x8x8x16xf32>
  }
}

// -----

// In lines of 12 pixels, 8 neighbours may be of two lines: each has its own.
// CHECK-LABEL:    gpu.func @several_lines_0
// CHECK-COUNT-8:    arith.divui {{.*}}, %c12_i64
// CHECK-COUNT-8:    arith.cmpi ult, {{.*}}, %c8_i64
// CHECK-COUNT-8:    vector.fma {{.*}} : vector<32xf32>
// CHECK:            gpu.return
#in_place = #conv.schedule<kernel = #conv.host_gemm<workgroup = [64, 32], subgroup = [64, 32], gemm_k = 64, stages = 1, atom = <fma 32 x 8 x 1>, raster = columns>>
module attributes {conv.target = #conv.target<"host_v4">} {
  func.func @several_lines(%x: tensor<1x8x12x32xf32>, %w: tensor<32x3x3x32xf32>) -> tensor<1x8x12x32xf32> {
    %y = conv.forward %x, %w
        window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NPQK"> groups = 1 schedule = #in_place
        : tensor<1x8x12x32xf32>, tensor<32x3x3x32xf32> -> tensor<1x8x12x32xf32>
    return %y : tensor<1x8x12x32xf32>
  }
}

// -----

// 80 channels are a panel of three vectors, which are not one value, and two vectors of the next one: their products are not
// those of a whole panel.
// CHECK-LABEL: gpu.func @panels_0
// CHECK:       scf.if
// CHECK-COUNT-3: vector.load %[[PANEL:.+]][%{{.+}}] : {{.*}} vector<16xf32>
// CHECK-COUNT-24: vector.fma {{.*}} : vector<16xf32>
// CHECK:       } else {
// CHECK-NOT:   vector<16xf32>, vector<16xf32>
// CHECK:       vector.load %[[PANEL]][%{{.+}}] : {{.*}} vector<32xf32>
// CHECK-COUNT-8: vector.fma {{.*}} : vector<32xf32>
// CHECK:       gpu.return
#panels = #conv.schedule<kernel = #conv.host_gemm<workgroup = [8, 96], subgroup = [8, 96], gemm_k = 32, stages = 1, atom = <fma 48 x 8 x 1>, raster = columns>>
module attributes {conv.target = #conv.target<"host_v4">} {
  func.func @panels(%x: tensor<1x8x1x32xf32>, %w: tensor<80x1x1x32xf32>) -> tensor<1x8x1x80xf32> {
    %y = conv.forward %x, %w
        window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
        layouts = <"NHWC", "KRSC", "NPQK"> schedule = #panels
        : tensor<1x8x1x32xf32>, tensor<80x1x1x32xf32> -> tensor<1x8x1x80xf32>
    return %y : tensor<1x8x1x80xf32>
  }
}

// -----

// Blocks that are halves of a run have the length of a half, which is known.
// CHECK-LABEL: gpu.func @parts_0
// CHECK:       scf.for %{{.+}} = %c0_i64 to %c288_i64 step %c16_i64
// CHECK:       scf.for %{{.+}} = %c0_i64 to %c16_i64 step %c4_i64
// CHECK-COUNT-32: vector.fma {{.*}} : vector<16xf32>
// CHECK:       gpu.return
#parts = #conv.schedule<kernel = #conv.host_gemm<workgroup = [8, 16], subgroup = [8, 16], gemm_k = 16, stages = 1, atom = <fma 16 x 8 x 1>, raster = columns>>
module attributes {conv.target = #conv.target<"host_v4">} {
  func.func @parts(%x: tensor<1x3x10x32xf32>, %w: tensor<16x3x3x32xf32>) -> tensor<1x1x8x16xf32> {
    %y = conv.forward %x, %w
        window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
        layouts = <"NHWC", "KRSC", "NPQK"> schedule = #parts
        : tensor<1x3x10x32xf32>, tensor<16x3x3x32xf32> -> tensor<1x1x8x16xf32>
    return %y : tensor<1x1x8x16xf32>
  }
}

// -----

// Blocks of whole rows of the window: the number of taps that are copied in a run is known.
// CHECK-LABEL: gpu.func @known_runs_0
// CHECK:       scf.for %{{.+}} = %c0_i64 to %c3_i64 step %c1_i64
// CHECK:       gpu.return
#known_runs = #conv.schedule<kernel = #conv.host_gemm<workgroup = [16, 8], subgroup = [16, 8], gemm_k = 24, stages = 1, atom = <fma 16 x 8 x 1>, raster = columns>>
module attributes {conv.target = #conv.target<"host_v4">} {
  func.func @known_runs(%x: tensor<1x8x16x16xf32>, %w: tensor<8x8x3x3xf32>) -> tensor<1x8x16x16xf32> {
    %y = conv.forward %x, %w
        window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NCHW", "KCRS", "NKPQ"> schedule = #known_runs
        : tensor<1x8x16x16xf32>, tensor<8x8x3x3xf32> -> tensor<1x8x16x16xf32>
    return %y : tensor<1x8x16x16xf32>
  }
}

// -----

// Every second pixel of a line: 16 of 24 positions begin the line or are its last 8 and 8 of the next one. Both runs are loaded
// as whole vectors where the second one exists, and the elements of each are selected; only at the ends of the buffer, positions
// are gathered.
// CHECK-LABEL:    gpu.func @lines_with_a_stride_0
// CHECK:            %[[ONE:.+]] = vector.reduction <and>, %[[FIRST:.+]] : vector<16xi1> into i1
// CHECK:            arith.ori %[[FIRST]], {{.*}} : vector<16xi1>
// CHECK:            vector.reduction <and>
// CHECK:            vector.shuffle {{.*}} : vector<16xf32>, vector<16xf32>
// CHECK:            scf.if %[[ONE]]
// CHECK:              %[[SECOND:.+]] = vector.shuffle {{.*}} : vector<16xf32>, vector<16xf32>
// CHECK:              arith.select %[[FIRST]], {{.*}}, %[[SECOND]] : vector<16xi1>, vector<16xf32>
// CHECK:            } else {
// CHECK:              vector.gather {{.*}} vector<16xi32>, vector<16xi1>, vector<16xf32> into vector<16xf32>
// CHECK:            vector.fma
// CHECK:            gpu.return
#strided = #conv.schedule<kernel = #conv.host_gemm<workgroup = [96, 16], subgroup = [96, 16], gemm_k = 27, stages = 1, atom = <fma 32 x 8 x 1>, raster = columns>>
module attributes {conv.target = #conv.target<"host_v4">} {
  func.func @lines_with_a_stride(%x: tensor<1x6x16x48xf32>, %w: tensor<32x3x3x3xf32>) -> tensor<1x32x8x24xf32> {
    %y = conv.forward %x, %w
        window = <strides = [2, 2], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NCHW", "KCRS", "NKPQ"> groups = 2 schedule = #strided
        : tensor<1x6x16x48xf32>, tensor<32x3x3x3xf32> -> tensor<1x32x8x24xf32>
    return %y : tensor<1x32x8x24xf32>
  }
}
