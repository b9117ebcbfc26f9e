//===- Passes.td - passes that choose schedules ------------*- tablegen -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_PASSES_TD
#define CONV_SCHEDULE_PASSES_TD

include "mlir/Pass/PassBase.td"

def SelectSchedulePass : Pass<"conv-select-schedule"> {
  let summary = "Decide how each convolution is computed";
  let description = [{
    Writes a `#conv.schedule` on every convolution, for the chip of the
    enclosing `conv.target`. The `schedule` option wins over the schedule that is
    already there, that over the one that the file of the `database` option has
    for the problem and the chip (`conv/Schedule/Database.h`), and that over the
    best candidate of the cost model (`conv/Schedule/ScheduleSpace.h`) that the
    `exclude` and `step-elements` options leave: the compiler excludes what it
    found to spill registers or to have too large code. Remarks in the category
    `conv-select-schedule` say who decided, what is predicted, and what was
    rejected and why; `conv-compile --explain` prints the same as a table.

    * Input: convolutions under a `conv.target`.
    * Output: every convolution has a schedule that its chip can run.
    * Keeps: a schedule that is already there, unless the option gives another;
      every other op.
    * Fails: without a target; `unsupported (element-type)` if the chip has no
      atom for the operands; `unsupported (schedule)` if a given schedule does
      not fit the chip; `unsupported (problem-size)` if it takes more than
      2^31 - 1 workgroups; if the database cannot be read. A row of it that was
      measured with another compiler, or does not fit, is named in a warning.

    Before:
    ```mlir
    %y = conv.forward %x, %w
        window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NPQK">
        : tensor<64x56x56x64xf16>, tensor<64x3x3x64xf16> -> tensor<64x56x56x64xf16>
    ```

    After, for gfx942:
    ```mlir
    %y = conv.forward %x, %w
        window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NPQK">
        schedule = <kernel = #conv.staged_gemm<workgroup = [256, 64], subgroup = [64, 64],
                    gemm_k = 32, stages = 2, atom = <mfma 32 x 32 x 8>,
                    main_loop = register_staged, raster = columns>, chosen_by = heuristic>
        : tensor<64x56x56x64xf16>, tensor<64x3x3x64xf16> -> tensor<64x56x56x64xf16>
    ```
  }];
  let options = [
    Option<"schedule", "schedule", "std::string", /*default=*/"\"\"",
           "A #conv.schedule<...> for every convolution, in place of the compiler's "
           "choice and of a schedule that the operation has">,
    Option<"algorithm", "algorithm", "std::string", /*default=*/"\"\"",
           "Consider only this algorithm (implicit_gemm, direct, winograd); default: "
           "the first two, and the third within max-error">,
    Option<"maxError", "max-error", "double", /*default=*/"0",
           "Consider Winograd's algorithm where the bound on its error, for operands of "
           "one magnitude, is at most this many times that of a sum of products; "
           "default: only if it is asked for, with any error">,
    Option<"maxWorkspace", "max-workspace", "int64_t", /*default=*/"-1",
           "The most bytes that the workspace of a schedule that is chosen may have; "
           "default: any number">,
    Option<"database", "database", "std::string", /*default=*/"\"\"",
           "A tuning database (docs/tuning.md); default: none">,
    Option<"compiler", "compiler", "std::string", /*default=*/"\"\"",
           "The fingerprint of the compiler whose rows of the database count; "
           "default: any">,
    Option<"usesStale", "uses-stale", "bool", /*default=*/"false",
           "Take rows of other compilers where there are none of this one">,
    Option<"computeUnits", "compute-units", "int64_t", /*default=*/"0",
           "Of the device, for which rows of the database with as many come first, and "
           "schedules of the host are ranked; default: those of the chip">,
    ListOption<"exclude", "exclude", "std::string",
               "Schedules that the cost model may not choose: those whose code "
               "was found to spill registers">,
    Option<"stepElements", "step-elements", "int64_t", /*default=*/"0",
           "The cost model chooses no schedule whose steps have at least so many "
           "elements (`KernelFamily::countStepElements`): its code would be too "
           "large (default: any number)">
  ];
  let dependentDialects = ["::mlir::conv::ConvDialect", "::mlir::tensor::TensorDialect"];
}

def SelectLaunchesPass : Pass<"conv-select-launches", "::mlir::func::FuncOp"> {
  let summary = "Decide how each kernel overlaps with its neighbours on a stream";
  let description = [{
    Writes `conv.launch`, a `#conv.launch`, on each op of a tiled function that
    becomes a kernel which starts before the previous kernel has ended, on chips
    with programmatic dependent launch. The family of a product's schedule, or
    the folder of the kernel, selects it (`KernelFamily::selectLaunch`); which
    kernels gain was measured (`lib/Kernels/WarpgroupGemm/README.md`).
    `conv-compile --explain` prints it.

    * Input: the tiled form, under a `conv.target`.
    * Output: `conv.launch` on kernels that overlap with others.
    * Keeps: a `conv.launch` that is already there; functions for other chips;
      everything else.
    * Fails: if a nest is not in the tiled form, or if the family of its schedule
      cannot build its kernel.

    Before:
    ```mlir
    %t = scf.forall (%g, %m, %n) = (0, 0, 0) to (1, 64, 32) step (1, 64, 32) ... {conv.schedule = #schedule}
    %y = conv.scatter %t into %result view = #result : tensor<1x64x32xf16> into tensor<1x8x8x32xf16>
    ```

    After:
    ```mlir
    %t = scf.forall (%g, %m, %n) = (0, 0, 0) to (1, 64, 32) step (1, 64, 32) ... {conv.schedule = #schedule}
    %y = conv.scatter %t into %result view = #result {conv.launch = #conv.launch<next = at_once, prefetches = true>}
        : tensor<1x64x32xf16> into tensor<1x8x8x32xf16>
    ```
  }];
  let dependentDialects = ["::mlir::conv::ConvDialect"];
}

#endif // CONV_SCHEDULE_PASSES_TD
