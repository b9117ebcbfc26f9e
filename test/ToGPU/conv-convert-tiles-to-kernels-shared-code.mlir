// RUN: conv-opt %s --conv-lower-to-linalg --conv-lower-to-tiled --conv-convert-tiles-to-kernels | FileCheck %s
// RUN: conv-run %s --device sim --target gfx942 --verify --integers

// Eight dgrad phases of 8, 4, 4, 4, 2, 2, 2 and 1 taps, whose code is more than a code generator compiles in a second: there would
// be 33,000 operations, of which 256 are products. All but the last phase, whose tap needs no digits, share code.
// The workgroup selects the numbers of its phase, once.
// CHECK-LABEL:   gpu.func @phases_0
// CHECK:         %[[NUMBERS:.+]]:[[#]] = scf.if
// The number of steps is one of them. A phase may have a single one.
// CHECK:         scf.for %{{.+}} = %{{.+}} to %[[NUMBERS]]#{{[0-9]+}} step
// CHECK-COUNT-16:  conv.mma <
// CHECK:         scf.if %{{.+}} -> (
// CHECK-COUNT-60:  conv.mma <
// CHECK-NOT:     conv.mma <
// CHECK:       func.func @phases
module attributes {conv.target = #conv.target<"gfx942">} {
  func.func @phases(%dy: tensor<1x40x5x6x5xi8>, %w: tensor<40x24x3x3x3xi8>) -> tensor<1x24x9x11x9xi32> {
    %dx = conv.backward_data %dy, %w
        window = <strides = [2, 2, 2], dilations = [1, 1, 1], low = [1, 1, 1], high = [1, 1, 1]>
        layouts = <"NCDHW", "KCTRS", "NKZPQ">
        schedule = <kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 128,
                    stages = 2, atom = <mfma 16 x 16 x 32>, main_loop = register_staged, raster = columns>>
        : tensor<1x40x5x6x5xi8>, tensor<40x24x3x3x3xi8> -> tensor<1x24x9x11x9xi32>
    return %dx : tensor<1x24x9x11x9xi32>
  }
}
