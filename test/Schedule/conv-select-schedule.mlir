// RUN: conv-opt %s --conv-select-schedule --remarks-filter=conv-select-schedule 2>&1 | FileCheck %s
// RUN: conv-opt %s --pass-pipeline='builtin.module(conv-select-schedule{schedule={#conv.schedule<kernel = #conv.staged_gemm<workgroup = [32, 32], subgroup = [32, 32], gemm_k = 16, stages = 2, atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = rows>>}})' | FileCheck %s --check-prefix=OPTION

module attributes {conv.target = #conv.target<"gfx942">} {

// Nobody decided, so the heuristic does, and remarks say what it saw.
// CHECK: remark: [Passed] Selected | Category:conv-select-schedule | chosen_by=heuristic, schedule="#conv.schedule<kernel = #conv.staged_gemm<
// CHECK: remark: [Analysis] Predicted | Category:conv-select-schedule | limit="{{.+}}", microseconds={{[0-9.]+}}, registers={{[0-9]+}}, shared_bytes={{[0-9]+}}, waves_per_simd={{[0-9.]+}}, workgroups={{[0-9]+}}
// CHECK: remark: [Missed] Rejected | Category:conv-select-schedule | candidates={{[0-9]+}}, reason="S6 shared memory"
// CHECK: remark: [Missed] Rejected | {{.*}} reason="S8 uneven copy"
// CHECK: remark: [Missed] Rejected | {{.*}} reason=registers
// OPTION-LABEL: func.func @decided_by_the_heuristic
// OPTION: workgroup = [32, 32], {{.*}} raster = rows>
func.func @decided_by_the_heuristic(%x: tensor<64x56x56x64xf16>, %w: tensor<64x3x3x64xf16>)
    -> tensor<64x56x56x64xf16> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<64x56x56x64xf16>, tensor<64x3x3x64xf16> -> tensor<64x56x56x64xf16>
  return %y : tensor<64x56x56x64xf16>
}

// A schedule on the op is the user's: it stays, and no candidate is ranked.
// CHECK-NOT: Rejected
// CHECK: remark: [Passed] Selected | Category:conv-select-schedule | chosen_by=user
// CHECK-SAME: workgroup = [64, 64]
func.func @decided_by_the_user(%x: tensor<64x56x56x64xf16>, %w: tensor<64x3x3x64xf16>)
    -> tensor<64x56x56x64xf16> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      schedule = <kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 32,
                  stages = 2, atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = columns>>
      : tensor<64x56x56x64xf16>, tensor<64x3x3x64xf16> -> tensor<64x56x56x64xf16>
  return %y : tensor<64x56x56x64xf16>
}

// Nothing to decide here.
func.func @no_convolution(%x: tensor<4xf16>) -> tensor<4xf16> {
  return %x : tensor<4xf16>
}

}
