//===- Passes.td - what holds between stages -*- tablegen -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_PIPELINE_PASSES_TD
#define CONV_PIPELINE_PASSES_TD

include "mlir/Pass/PassBase.td"

def RunBackendPass : Pass<"conv-run-backend", "::mlir::ModuleOp"> {
  let summary = "Lower kernels as the target's back end does";
  let description = [{
    Runs the part of compilation that depends on the target: the pipeline that the
    table in `BackendPipelines.cpp` has for the back end of `conv.target`. So
    nobody but the module says what it is compiled for.

    | stage | from | to |
    | --- | --- | --- |
    | `llvm` | kernels of the gpu stage | kernels in LLVM dialects |
    | `binary` | kernels in LLVM dialects | `gpu.binary` |

    * Input: the module of the stage before, with `conv.target`.
    * Output: that of `stage`.
    * Keeps: functions and their launches.
    * Fails: without a `conv.target`, or if a pass of the back end does.

    Before, with `stage=llvm`:
    ```mlir
    module attributes {conv.target = #conv.target<"gfx942">} {
      gpu.module @kernels { gpu.func @f_0() kernel { gpu.return } }
    }
    ```

    After:
    ```mlir
    module attributes {conv.target = #conv.target<"gfx942">} {
      gpu.module @kernels {
        llvm.func @f_0() attributes {gpu.kernel, rocdl.kernel} { llvm.return }
      }
    }
    ```
  }];
  let options = [
    Option<"stage", "stage", "std::string", "\"\"", "llvm or binary">,
    Option<"deviceLibraries", "device-libraries", "std::string", "\"\"",
           "Folder with amdgcn/bitcode of the ROCm device libraries "
           "(default: where the build found them)">
  ];
}

def SetTargetPass : Pass<"conv-set-target", "::mlir::ModuleOp"> {
  let summary = "Say which chip a module is compiled for";
  let description = [{
    Every pipeline begins with it, so that a target can be an option of it.

    * Input: any module.
    * Output: the module with `conv.target`: that of the option, else the one
      it has, else `host`, with a remark.
    * Keeps: everything in it.
    * Fails: if the option names no chip.

    Before, with `target=gfx942`:
    ```mlir
    module {}
    ```

    After:
    ```mlir
    module attributes {conv.target = #conv.target<"gfx942">} {}
    ```
  }];
  let options = [
    Option<"target", "target", "std::string", "\"\"",
           "The chip (default: that of the module, else host)">
  ];
  let dependentDialects = ["::mlir::conv::ConvDialect"];
}

def VerifyStagePass : Pass<"conv-verify-stage", "::mlir::ModuleOp"> {
  let summary = "Check that a stage left what the next one relies on";
  let description = [{
    Every pipeline ends with it, so that a broken promise is reported where it
    was broken.

    | stage | what holds |
    | --- | --- |
    | `conv` | `conv.target` is set; every convolution has a schedule |
    | `linalg` | no `conv` op but `conv.gather`, `conv.scatter`, `conv.count_neighbours` and ops on states; every epilogue has a schedule |
    | `tiled` | every `scf.forall` is a `TiledConvolution`; no `linalg` op outside of one |
    | `gpu` | functions have only `gpu.launch_func` and what it takes (`memref.view`, `conv.tensor_map`, constants); no tensors |
    | `llvm` | kernels have only ops of LLVM dialects |
    | `binary` | no `gpu.module` is left |

    At no stage is there a `builtin.unrealized_conversion_cast`.

    Kernels are built from the views, the schedule and the epilogue of a
    `TiledConvolution`; the rest of its nest says the same:
      * (T1) The loops go from 0 to the sizes of the result, tile by tile.
      * (T2) Views have the result's matrices, rows and columns, and those of
        the product the same reduction.
      * (T3) Tiles start where the loops around them are.
      * (T4) The sum starts with zeros and goes through the whole reduction in
        steps of `gemm_k`.
      * (T5) Each step adds lhs * transpose(rhs) to the sum.
      * (T6) The epilogue, which reads nothing of what it overwrites, is
        inserted where the loops are.
      * (T7) Digits of one role have one size in both operands of the product
        and in its result.
      * (T8) Tiles have the sizes of the loops' steps, and those at the end of
        a loop what is left of the result or of the reduction.
      * (T9) Nests of products whose results one `conv.scatter` stores have one
        schedule.

    * Input: any.
    * Output: the input.
    * Keeps: everything.
    * Fails: at the first op that breaks the contract of `stage`.

    Before, with `stage=binary`:
    ```mlir
    module { gpu.module @kernels {} }
    ```

    After:
    ```text
    error: 'gpu.module' op is left after the binary stage
    ```
  }];
  let options = [
    Option<"stage", "stage", "std::string", "\"\"",
           "conv, linalg, tiled, gpu, llvm or binary">
  ];
}

#endif // CONV_PIPELINE_PASSES_TD
