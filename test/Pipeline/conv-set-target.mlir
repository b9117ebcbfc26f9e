// The target is an option of every pipeline; it wins over that of the module.
// RUN: conv-opt %s --conv-set-target=target=gfx942 | FileCheck %s --check-prefix=GFX942
// RUN: conv-opt %s --conv-lower-to-conv=target=gfx90a | FileCheck %s --check-prefix=GFX90A
// RUN: conv-opt %s --conv-lower-to-conv=target=gfx90a --conv-lower-to-linalg=target=gfx942 | FileCheck %s --check-prefix=GFX942
// RUN: conv-opt %s --conv-lower-to-conv=target=gfx942 --conv-lower-to-linalg --conv-lower-to-tiled --conv-lower-to-gpu --conv-lower-to-llvm | FileCheck %s --check-prefix=GFX942
// GFX942: conv.target = #conv.target<"gfx942">
// GFX90A: conv.target = #conv.target<"gfx90a">

// Without one it is the host, through all stages, and a remark says so; once.
// RUN: conv-opt %s --conv-lower-to-conv 2>%t.err | FileCheck %s --check-prefix=HOST
// RUN: FileCheck %s --check-prefix=REMARK < %t.err
// RUN: conv-opt %s --conv-lower-to-conv --conv-lower-to-linalg --conv-lower-to-tiled --conv-lower-to-gpu --conv-lower-to-llvm --conv-lower-to-binary 2>%t.err | FileCheck %s --check-prefix=HOST
// RUN: FileCheck %s --check-prefix=REMARK < %t.err
// HOST: conv.target = #conv.target<"host">
// REMARK: conv-set-target.mlir:{{.*}} remark: the target is host, since neither the option, as target=gfx942, nor conv.target of the module names one
// REMARK-NOT: remark

// A name that is none ends in one line.
// RUN: not conv-opt %s --conv-lower-to-gpu=target=sm_86 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: expects a target of {{.*}}, but got sm_86, which runs the code of sm_80
// RUN: not conv-opt %s --conv-set-target=target=sim:gfx942 2>&1 | FileCheck %s --check-prefix=SIMULATED
// SIMULATED: error: expects a chip, whose kernels its simulator runs too, but got sim:gfx942

func.func @layer(%x: tensor<1x8x8x16xf16>, %w: tensor<32x3x3x16xf16>) -> tensor<1x8x8x32xf32> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<1x8x8x16xf16>, tensor<32x3x3x16xf16> -> tensor<1x8x8x32xf32>
  return %y : tensor<1x8x8x32xf32>
}
