// RUN: conv-opt %s --conv-lower-to-linalg --conv-lower-to-tiled > %t
// RUN: conv-opt %t --conv-verify-stage=stage=tiled
// RUN: awk '/conv.schedule = /{n++} n == 2 {sub(/subgroup = .16, 16./, "subgroup = [16, 32]")} 1' %t | not conv-opt --conv-verify-stage=stage=tiled 2>&1 | FileCheck %s

// A kernel has one schedule, whichever dgrad phase a workgroup computes: with another one in one of the four nests, its
// workgroups would have two subgroups instead of four.
// CHECK: 'scf.forall' op expects the schedule of the other subproblems of its kernel
module attributes {conv.target = #conv.target<"gfx942">} {
  func.func @t9_other_subgroup(%dy: tensor<1x5x5x32xf16>, %w: tensor<32x3x3x16xf16>) -> tensor<1x9x9x16xf32> {
    %dx = conv.backward_data %dy, %w
        window = <strides = [2, 2], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NPQK">
        schedule = <kernel = #conv.staged_gemm<workgroup = [32, 32], subgroup = [16, 16], gemm_k = 32, stages = 2,
                    atom = <mfma 16 x 16 x 16>, main_loop = register_staged, raster = columns>>
        : tensor<1x5x5x32xf16>, tensor<32x3x3x16xf16> -> tensor<1x9x9x16xf32>
    return %dx : tensor<1x9x9x16xf32>
  }
}
