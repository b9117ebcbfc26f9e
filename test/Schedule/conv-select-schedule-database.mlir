// A schedule of a database wins over the cost model, and one on the op over both.
// DEFINE: %{make} = env PYTHONPATH=%source-root/python CONV_RUNTIME_LIBRARY=%build-root/lib/libconv_runtime.so %python %S/Inputs/database.py
// DEFINE: %{select} = conv-opt %t/layers.mlir --conv-select-schedule
// RUN: rm -rf %t && split-file %s %t
// RUN: %{make} %t/a.db %t/records.jsonl
// RUN: %{select}=database=%t/a.db | FileCheck %s

// Of rows of several compilers, those of this one count. Where there are none, a warning names the others, which are used
// if that is asked for.
// RUN: %{make} %t/compilers.db %t/records.jsonl && %{make} %t/compilers.db %t/other.jsonl
// RUN: %{select}="database=%t/compilers.db compiler=fedcba" 2>&1 | FileCheck %s --check-prefix=OWN
// OWN: workgroup = [64, 32]{{.*}}chosen_by = database
// RUN: %{select}="database=%t/a.db compiler=fedcba" 2>&1 | FileCheck %s --check-prefix=STALE
// STALE: layers.mlir:5:{{[0-9]+}}: warning: the database has this problem measured with another compiler only (0123456789ab), whose code for it is not that of this one: its schedule is not used
// STALE-NOT: chosen_by = database
// RUN: %{select}="database=%t/a.db compiler=fedcba uses-stale" 2>&1 | FileCheck %s --check-prefix=USED
// USED: warning: {{.*}}: its schedule is used
// USED: workgroup = [16, 32]{{.*}}chosen_by = database

// What was measured wins over what was modelled, and the nearest number of compute units over others.
// RUN: %{make} %t/kinds.db %t/records.jsonl kind=modelled && %{make} %t/kinds.db %t/other.jsonl
// RUN: %{select}=database=%t/kinds.db | FileCheck %s --check-prefix=KINDS
// KINDS: workgroup = [64, 32]{{.*}}chosen_by = database
// RUN: %{make} %t/units.db %t/records.jsonl compute_units=228 && %{make} %t/units.db %t/other.jsonl
// RUN: %{select}=database=%t/units.db 2>&1 | FileCheck %s --check-prefix=KINDS --implicit-check-not=warning
// RUN: %{make} %t/slice.db %t/records.jsonl compute_units=228
// RUN: %{select}=database=%t/slice.db 2>&1 | FileCheck %s --check-prefix=SLICE
// SLICE: layers.mlir:5:{{[0-9]+}}: warning: the database has this problem measured on 228 compute units, and not on the 304 of the device: its schedule is used
// SLICE: workgroup = [16, 32]{{.*}}chosen_by = database
// RUN: %{select}="database=%t/units.db compute-units=228" 2>&1 | FileCheck %s --implicit-check-not=warning

// A row that does not fit the chip, or is no schedule, is named, and the next one is taken.
// RUN: sed 's/16 x 16 x 16/16 x 16 x 32/' %t/records.jsonl > %t/misfit.jsonl
// RUN: %{make} %t/misfit.db %t/misfit.jsonl && %{make} %t/misfit.db %t/other.jsonl
// RUN: %{select}=database=%t/misfit.db 2>&1 | FileCheck %s --check-prefix=MISFIT
// MISFIT: layers.mlir:5:{{[0-9]+}}: warning: the database has a schedule that does not fit: #conv.schedule<{{.*}}>: unsupported (schedule): expects an atom that gfx942 has for 'f16', but got #conv.atom<mfma 16 x 16 x 32>
// MISFIT: workgroup = [64, 32]{{.*}}chosen_by = database
// RUN: sed 's/#conv.schedule/#conv.view/' %t/records.jsonl > %t/view.jsonl && %{make} %t/view.db %t/view.jsonl
// RUN: %{select}=database=%t/view.db 2>&1 | FileCheck %s --check-prefix=VIEW
// VIEW: warning: the database has a schedule that does not fit: #conv.view<
// VIEW: chosen_by = heuristic

// A file of version 1, which has no digests of code, is read as it is.
// RUN: cp %t/a.db %t/older.db && %python -c "import sqlite3; c = sqlite3.connect(r'%t/older.db'); c.execute('ALTER TABLE measurements DROP COLUMN code'); c.execute('PRAGMA user_version = 1')"
// RUN: %{select}=database=%t/older.db | FileCheck %s

// What is no database, or not one that this version reads, is one line.
// RUN: not %{select}=database=%t/missing.db 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error: cannot read '{{.*}}missing.db': No such file or directory
// RUN: not %{select}=database=%t/records.jsonl 2>&1 | FileCheck %s --check-prefix=TEXT
// TEXT: error: cannot read the database '{{.*}}records.jsonl': file is not a database
// RUN: %python -c "import sqlite3; sqlite3.connect(r'%t/foreign.db').execute('CREATE TABLE a (b)')"
// RUN: not %{select}=database=%t/foreign.db 2>&1 | FileCheck %s --check-prefix=FOREIGN
// FOREIGN: error: expects a database that conv-tune wrote, but got '{{.*}}foreign.db'
// RUN: cp %t/a.db %t/newer.db && %python -c "import sqlite3; sqlite3.connect(r'%t/newer.db').execute('PRAGMA user_version = 3')"
// RUN: not %{select}=database=%t/newer.db 2>&1 | FileCheck %s --check-prefix=NEWER
// NEWER: error: expects a database of version 2, but '{{.*}}newer.db' has version 3: a newer conv wrote it
// RUN: %python -c "import os; os.truncate(r'%t/kinds.db', 9000)"
// RUN: not %{select}=database=%t/kinds.db 2>&1 | FileCheck %s --check-prefix=CUT
// CUT: error: cannot read the database '{{.*}}kinds.db': database disk image is malformed

//--- records.jsonl
{"problem": "convfp16 -n 4 -c 16 -k 32 -H 8 -y 3 -p 1 -u 1 -l 1 -W 8 -x 3 -q 1 -v 1 -j 1 -g 1 -F 1 --in_layout NHWC --fil_layout NHWC --out_layout NHWC", "target": "gfx942", "schedule": "#conv.schedule<kernel = #conv.staged_gemm<workgroup = [32, 32], subgroup = [32, 32], gemm_k = 32, stages = 2, atom = <mfma 16 x 16 x 16>, main_loop = register_staged, raster = rows>>", "seconds": 3e-05}
{"problem": "convfp16 -n 4 -c 16 -k 32 -H 8 -y 3 -p 1 -u 1 -l 1 -W 8 -x 3 -q 1 -v 1 -j 1 -g 1 -F 1 --in_layout NHWC --fil_layout NHWC --out_layout NHWC", "target": "gfx942", "schedule": "#conv.schedule<kernel = #conv.staged_gemm<workgroup = [16, 32], subgroup = [16, 32], gemm_k = 32, stages = 2, atom = <mfma 16 x 16 x 16>, main_loop = register_staged, raster = rows>>", "seconds": 1e-05}
//--- other.jsonl
{"problem": "convfp16 -n 4 -c 16 -k 32 -H 8 -y 3 -p 1 -u 1 -l 1 -W 8 -x 3 -q 1 -v 1 -j 1 -g 1 -F 1 --in_layout NHWC --fil_layout NHWC --out_layout NHWC", "target": "gfx942", "schedule": "#conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 32], subgroup = [32, 32], gemm_k = 32, stages = 2, atom = <mfma 16 x 16 x 16>, main_loop = register_staged, raster = rows>>", "seconds": 2e-05, "compiler": "fedcba"}
//--- layers.mlir
module attributes {conv.target = #conv.target<"gfx942">} {
// CHECK-LABEL: func.func @measured
// CHECK: schedule = <kernel = #conv.staged_gemm<workgroup = [16, 32], {{.*}} raster = rows>, chosen_by = database>
func.func @measured(%x: tensor<4x8x8x16xf16>, %w: tensor<32x3x3x16xf16>) -> tensor<4x8x8x32xf16> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<4x8x8x16xf16>, tensor<32x3x3x16xf16> -> tensor<4x8x8x32xf16>
  return %y : tensor<4x8x8x32xf16>
}

// CHECK-LABEL: func.func @given
// CHECK: schedule = <kernel = #conv.staged_gemm<workgroup = [64, 32], {{.*}} raster = columns>>
func.func @given(%x: tensor<4x8x8x16xf16>, %w: tensor<32x3x3x16xf16>) -> tensor<4x8x8x32xf16> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      schedule = <kernel = #conv.staged_gemm<workgroup = [64, 32], subgroup = [32, 32], gemm_k = 32, stages = 2,
                  atom = <mfma 16 x 16 x 16>, main_loop = register_staged, raster = columns>>
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
