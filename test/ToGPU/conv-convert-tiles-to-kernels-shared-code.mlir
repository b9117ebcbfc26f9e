// RUN: conv-opt %s --conv-lower-to-linalg --conv-lower-to-tiled --conv-convert-tiles-to-kernels | FileCheck %s
// RUN: conv-run %s --device sim --target gfx942 --verify --integers
// RUN: sed 's/gemm_k = 128/gemm_k = 64/' %s > %t.round
// RUN: conv-opt %t.round --conv-lower-to-linalg --conv-lower-to-tiled --conv-convert-tiles-to-kernels | FileCheck %s --check-prefix=ROUND
// RUN: conv-run %t.round --device sim --target gfx942 --verify --integers
// RUN: sed 's/stages = 2/stages = 1/' %t.round > %t.stage
// RUN: conv-run %t.stage --device sim --target gfx942 --verify --integers
// RUN: sed 's/gfx942/gfx1201/; s/mfma 16 x 16 x 32/wmma 16 x 16 x 16/; s/gemm_k = 128/gemm_k = 32/' %s > %t.wmma
// RUN: conv-opt %t.wmma --conv-lower-to-linalg --conv-lower-to-tiled --conv-convert-tiles-to-kernels | FileCheck %s --check-prefix=WMMA
// RUN: conv-run %t.wmma --device sim --target gfx1201 --verify --integers

// Eight dgrad phases of 8, 4, 4, 4, 2, 2, 2 and 1 taps, whose code is more than a code generator compiles in a second: there would
// be 33,000 operations, of which 256 are products. All but the last phase, whose tap needs no digits, share code.
// The workgroup selects the numbers of its phase, once.
// CHECK-LABEL:   gpu.func @phases_0
// CHECK:         %[[NUMBERS:.+]]:[[#]] = scf.if
// The number of steps is one of them. A phase may have a single one.
// CHECK:         scf.for %{{.+}} = %{{.+}} to %[[NUMBERS]]#{{[0-9]+}} step
// CHECK-COUNT-16:  conv.mma <
// CHECK:         scf.if %{{.+}} -> (
// CHECK-COUNT-54:  conv.mma <
// CHECK-NOT:     conv.mma <
// CHECK:       func.func @phases

// Steps of one round are in pairs. Phases have 5, 3 or 2 steps, so the one that a pair leaves over is there for some of them only.
// ROUND:         %[[NUMBERS:.+]]:[[#]] = scf.if
// ROUND:         scf.for %{{.+}} = %{{.+}} to %[[NUMBERS]]#{{[0-9]+}} step
// ROUND-COUNT-16:  conv.mma <
// ROUND-NOT:       conv.mma <
// ROUND:         scf.if %{{.+}} -> (
// ROUND-COUNT-8:   conv.mma <
// ROUND-NOT:       conv.mma <
// ROUND:         scf.if %{{.+}} -> (

// Loops of WMMA multiply what their own step has brought.
// WMMA:          %[[NUMBERS:.+]]:[[#]] = scf.if
// WMMA:          scf.for %{{.+}} = %{{.+}} to %[[NUMBERS]]#{{[0-9]+}} step
// WMMA-COUNT-8:    conv.mma <wmma
// WMMA-NOT:        conv.mma <
// WMMA:          scf.yield
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
