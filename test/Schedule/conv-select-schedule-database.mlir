// A schedule of a database wins over the cost model, and one on the op over both.
// RUN: rm -rf %t && split-file %s %t
// RUN: conv-opt %t/layers.mlir --conv-select-schedule=database=%t/schedules.jsonl | FileCheck %s

// Whatever is not a record is refused with its line.
// RUN: echo '{"problem": "conv", "target": "gfx942"}' > %t/incomplete.jsonl
// RUN: not conv-opt %t/layers.mlir --conv-select-schedule=database=%t/incomplete.jsonl 2>&1 | FileCheck %s --check-prefix=INCOMPLETE
// INCOMPLETE: incomplete.jsonl:1:1: error: expects a JSON object with the strings problem, target and schedule, but got {"problem": "conv", "target": "gfx942"}
// RUN: cp %t/schedules.jsonl %t/null.jsonl && echo 'null' >> %t/null.jsonl
// RUN: not conv-opt %t/layers.mlir --conv-select-schedule=database=%t/null.jsonl 2>&1 | FileCheck %s --check-prefix=NULL
// NULL: null.jsonl:5:1: error: expects a JSON object with the strings problem, target and schedule, but got null
// RUN: %python -c "print('[' * 100000)" > %t/deep.jsonl
// RUN: not conv-opt %t/layers.mlir --conv-select-schedule=database=%t/deep.jsonl 2>&1 | FileCheck %s --check-prefix=NESTED
// NESTED: deep.jsonl:1:1: error: expects a JSON object with the strings problem, target and schedule, but got {{\[\[}}
// RUN: sed 's/#conv.schedule/#conv.view/' %t/schedules.jsonl > %t/view.jsonl
// RUN: not conv-opt %t/layers.mlir --conv-select-schedule=database=%t/view.jsonl 2>&1 | FileCheck %s --check-prefix=VIEW
// VIEW: view.jsonl:1:1: error: expects schedule to be a #conv.schedule<...>, but got #conv.view<
// RUN: sed 's/workgroup = ./&-/' %t/schedules.jsonl > %t/negative.jsonl
// RUN: not conv-opt %t/layers.mlir --conv-select-schedule=database=%t/negative.jsonl 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: negative.jsonl:1:1: error: expects schedule to be a #conv.schedule<...>, but got #conv.schedule<{{.*}}>: expects workgroup to be two positive sizes, but got [-32, 32]
// RUN: not conv-opt %t/layers.mlir --conv-select-schedule=database=%t/missing.jsonl 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error: cannot read '{{.*}}missing.jsonl': No such file or directory

// So is a schedule that does not fit the chip, where it is used.
// RUN: sed 's/16 x 16 x 16/16 x 16 x 32/' %t/schedules.jsonl > %t/misfit.jsonl
// RUN: not conv-opt %t/layers.mlir --conv-select-schedule=database=%t/misfit.jsonl 2>&1 | FileCheck %s --check-prefix=MISFIT
// MISFIT: layers.mlir:5:{{[0-9]+}}: error: unsupported (schedule): expects an atom that gfx942 has for 'f16', but got #conv.atom<mfma 16 x 16 x 32>

//--- schedules.jsonl
{"problem": "convfp16 -n 4 -c 16 -k 32 -H 8 -y 3 -p 1 -u 1 -l 1 -W 8 -x 3 -q 1 -v 1 -j 1 -g 1 -F 1 --in_layout NHWC --fil_layout NHWC --out_layout NHWC", "target": "gfx942", "schedule": "#conv.schedule<algorithm = implicit_gemm, workgroup = [32, 32], subgroup = [32, 32], gemm_k = 32, stages = 2, atom = <mfma 16 x 16 x 16>, main_loop = register_staged, raster = rows>"}

{"problem": "convfp16 -n 4 -c 16 -k 32 -H 8 -y 3 -p 1 -u 1 -l 1 -W 8 -x 3 -q 1 -v 1 -j 1 -g 1 -F 1 --in_layout NHWC --fil_layout NHWC --out_layout NHWC", "target": "gfx942", "schedule": "#conv.schedule<algorithm = implicit_gemm, workgroup = [16, 32], subgroup = [16, 32], gemm_k = 32, stages = 2, atom = <mfma 16 x 16 x 16>, main_loop = register_staged, raster = rows>", "seconds": 1e-05, "note": "of the same problem, the later one"}
{"problem": "convfp16 -n 4 -c 16 -k 32 -H 8 -y 3 -p 1 -u 1 -l 1 -W 8 -x 3 -q 1 -v 1 -j 1 -g 1 -F 1 --in_layout NHWC --fil_layout NHWC --out_layout NHWC", "target": "gfx942", "schedule": "#conv.schedule<algorithm = implicit_gemm, workgroup = [64, 32], subgroup = [32, 32], gemm_k = 32, stages = 2, atom = <mfma 16 x 16 x 16>, main_loop = register_staged, raster = rows>", "seconds": 2e-05, "note": "slower"}
//--- layers.mlir
module attributes {conv.target = #conv.target<"gfx942">} {
// CHECK-LABEL: func.func @measured
// CHECK: schedule = <algorithm = implicit_gemm, workgroup = [16, 32], {{.*}} raster = rows, chosen_by = database>
func.func @measured(%x: tensor<4x8x8x16xf16>, %w: tensor<32x3x3x16xf16>) -> tensor<4x8x8x32xf16> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<4x8x8x16xf16>, tensor<32x3x3x16xf16> -> tensor<4x8x8x32xf16>
  return %y : tensor<4x8x8x32xf16>
}

// CHECK-LABEL: func.func @given
// CHECK: schedule = <algorithm = implicit_gemm, workgroup = [64, 32], {{.*}} raster = columns>
func.func @given(%x: tensor<4x8x8x16xf16>, %w: tensor<32x3x3x16xf16>) -> tensor<4x8x8x32xf16> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      schedule = <algorithm = implicit_gemm, workgroup = [64, 32], subgroup = [32, 32], gemm_k = 32, stages = 2,
                  atom = <mfma 16 x 16 x 16>, main_loop = register_staged, raster = columns>
      : tensor<4x8x8x16xf16>, tensor<32x3x3x16xf16> -> tensor<4x8x8x32xf16>
  return %y : tensor<4x8x8x32xf16>
}

// CHECK-LABEL: func.func @other
// CHECK: chosen_by = heuristic>
func.func @other(%x: tensor<5x8x8x16xf16>, %w: tensor<32x3x3x16xf16>) -> tensor<5x8x8x32xf16> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<5x8x8x16xf16>, tensor<32x3x3x16xf16> -> tensor<5x8x8x32xf16>
  return %y : tensor<5x8x8x32xf16>
}
}
