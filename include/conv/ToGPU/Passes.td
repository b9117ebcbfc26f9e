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
  let summary = "Turn each tiled convolution into a kernel and a launch";
  let description = [{
    Each `scf.forall` becomes a `gpu.func` built by the main loop that its
    schedule names. The function around it becomes the list of launches: its
    tensors become buffers in global memory, results become arguments behind the
    operands, and tensors between two convolutions become views of one more
    argument, the workspace (`memref<?xi8>`), which is there only if needed.

    * Input: functions on tensors in the tiled form, `conv.target` on the module.
    * Output: `gpu.module @<function>_kernels` with kernels `<function>_<i>`, and
      functions on `memref` with `memref.view` and `gpu.launch_func`; the
      attribute `conv.workspace_bytes` on functions that have a workspace.
      Kernels use `arith`, `gpu`, `scf`, `vector`, `math` and the `conv` kernel ops.
    * Keeps: argument attributes; result attributes move to the new arguments.
    * Fails: if a nest is not in the tiled form, if a function has no body, or
      arguments or results other than tensors of static shape, or if it does
      anything else with tensors than reshaping and returning them.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::conv::ConvDialect",
    "::mlir::gpu::GPUDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::memref::MemRefDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

#endif // CONV_TOGPU_PASSES_TD
