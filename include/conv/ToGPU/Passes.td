//===- Passes.td - tiles to kernels -*- tablegen -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOGPU_PASSES_TD
#define CONV_TOGPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertTilesToKernelsPass : Pass<"conv-convert-tiles-to-kernels", "::mlir::ModuleOp"> {
  let summary = "Turn tiled convolutions into kernels and launches";
  let description = [{
    The `scf.forall` that a `conv.scatter` puts together become one `gpu.func`,
    each built by the main loop that its schedule names. The function around them becomes the list of launches: its
    tensors become buffers in global memory, results become arguments after the
    operands, and tensors between two convolutions become views of one more
    argument, the workspace (`memref<?xi8>`), which is there only if needed.

    * Input: functions on tensors in the tiled form, `conv.target` on the module.
    * Output: `gpu.module @<function>_kernels` with kernels `<function>_<i>`, and
      functions on `memref` with `memref.view` and `gpu.launch_func`; the
      attribute `conv.workspace_bytes` on functions that have a workspace, and
      `conv.resident_workgroups` on kernels that limit their registers. Kernels
      use `arith`, `gpu`, `scf`, `vector`, `math` and the `conv` kernel ops; those
      of main loops that only NVIDIA chips have, `nvgpu`, `nvvm` and `llvm` too,
      those whose copies are in lane order, `amdgpu`, `rocdl` and `llvm`, and
      those of processors that multiply pairs of bf16, `x86vector`.
    * Keeps: argument attributes; result attributes move to the new arguments.
    * Fails: if a nest is not in the tiled form, if a function has no body, or
      arguments or results other than tensors of static shape, or if it does
      anything else with tensors than reshaping and returning them.

    Before:
    ```mlir
    func.func @one(%x: tensor<1x8x8x16xf16> {conv.name = "input"}, %w: tensor<144x3x3x16xf16>)
        -> (tensor<1x8x8x144xf32> {conv.name = "output"}) {
      %t = scf.forall (%g, %m, %n) = (0, 0, 0) to (1, 64, 144) step (1, 64, 64) ... {conv.schedule = #schedule}
      %y = conv.scatter %t into %empty ...
      return ...
    }
    ```

    After:
    ```mlir
    gpu.module @one_kernels {
      gpu.func @one_0(%x: memref<1x8x8x16xf16, ...>, %w: memref<144x3x3x16xf16, ...>,
                      %y: memref<1x8x8x144xf32, ...>) workgroup(...) kernel { ... }
    }
    func.func @one(%x: memref<1x8x8x16xf16, ...> {conv.name = "input"}, %w: memref<...>,
                   %y: memref<1x8x8x144xf32, ...> {conv.name = "output"}) {
      gpu.launch_func @one_kernels::@one_0 blocks in (%c3, %c1, %c1) threads in (%c256, %c1, %c1) args(...)
      return
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::amdgpu::AMDGPUDialect", "::mlir::arith::ArithDialect",
    "::mlir::conv::ConvDialect", "::mlir::gpu::GPUDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::nvgpu::NVGPUDialect",
    "::mlir::NVVM::NVVMDialect", "::mlir::ROCDL::ROCDLDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect",
    "::mlir::x86vector::X86VectorDialect"
  ];
}

#endif // CONV_TOGPU_PASSES_TD
