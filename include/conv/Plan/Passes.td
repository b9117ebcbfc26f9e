//===- Passes.td - conv to linalg -*- tablegen -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_PLAN_PASSES_TD
#define CONV_PLAN_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertToProductsPass : Pass<"conv-convert-to-products", "::mlir::func::FuncOp"> {
  let summary = "Rewrite convolutions as batches of matrix products with an epilogue";
  let description = [{
    Each step of the convolution's `ConvolutionPlan` (one for most of them)
    becomes a `linalg.batch_matmul` of two views of the operands, and an
    epilogue whose elements are written through a view of the result. Steps that
    only add up what others computed have no product. Nothing is materialised:
    tiling later computes each tile of the views where it is needed.

    A filter that was packed before (`conv.unpack`) takes the place of the
    transformed one.

    * Input: convolutions with a `schedule`, of any algorithm.
    * Output: `conv.gather`, `linalg.fill`, `linalg.batch_matmul`, one
      `linalg.generic`, the epilogue, which carries the schedule as
      `conv.schedule`, and a `conv.scatter`. The epilogue is there even if it
      only copies: it is the root of tiling.
    * Keeps: every other op.
    * Fails: never. A convolution without a schedule is left alone.

    Before:
    ```mlir
    %y = conv.forward %x, %w
        window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
        : tensor<1x8x8x16xf16>, tensor<32x3x3x16xf16> -> tensor<1x8x8x32xf32>
    ```

    After:
    ```mlir
    %a = conv.gather %x[%c0, %c0, %c0] view = <
          batch = [g = 1], rows = [n = 1, p = 8, q = 8], columns = [r = 3, s = 3, c = 16],
          map = affine_map<(g, n, p, q, r, s, c) -> (n, p + r - 1, q + s - 1, g * 16 + c)>>
        : tensor<1x8x8x16xf16> -> tensor<1x64x144xf16>
    %b = conv.gather %w[%c0, %c0, %c0] view = <
          batch = [g = 1], rows = [k = 32], columns = [r = 3, s = 3, c = 16],
          map = affine_map<(g, k, r, s, c) -> (g * 32 + k, r, s, c)>>
        : tensor<32x3x3x16xf16> -> tensor<1x32x144xf16>
    %c = linalg.batch_matmul indexing_maps = [(b, m, n, k) -> (b, m, k), (b, n, k), (b, m, n)]
        ins(%a, %b) outs(%zero) -> tensor<1x64x32xf32>
    %t = linalg.generic ins(%c) outs(%empty) {conv.schedule = #schedule} ...
    %y = conv.scatter %t into %result view = <
          batch = [g = 1], rows = [n = 1, p = 8, q = 8], columns = [k = 32],
          map = affine_map<(g, n, p, q, k) -> (n, p, q, g * 32 + k)>>
        : tensor<1x64x32xf32> into tensor<1x8x8x32xf32>
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def PrepackFilterPass : Pass<"conv-prepack-filter", "::mlir::ModuleOp"> {
  let summary = "Move the steps of plans that read only a filter to functions of their own";
  let description = [{
    The filter of a trained network does not change between runs, so callers who
    ask for it (`conv.prepack` on the argument) bring it once into the form in
    which the plan's product reads it. The steps of the plan that read only this
    argument, whether they are transforms of layout, type, groups or Winograd's
    algorithm, become a function `NAME.prepack`, and the argument becomes what
    they compute. `conv.unpack` stands for the filter until the plan is made.

    * Input: convolutions with a `schedule`.
    * Output: the same convolutions; for each function with a `conv.prepack`, a
      function with the steps of all its marked filters.
    * Keeps: functions without `conv.prepack`.
    * Fails: `unsupported (prepack)` if the argument is not the filter of one
      convolution, or its schedule has no such step.

    Before:
    ```mlir
    func.func @f(%x: tensor<1x8x8x4xf32>, %w: tensor<8x3x3x4xf32> {conv.prepack}) -> tensor<1x8x8x8xf32> {
      %y = conv.forward %x, %w window = #same layouts = <"NHWC", "KRSC", "NPQK">
          schedule = <..., output_tile = [2, 2]>
          : tensor<1x8x8x4xf32>, tensor<8x3x3x4xf32> -> tensor<1x8x8x8xf32>
      return %y : tensor<1x8x8x8xf32>
    }
    ```

    After:
    ```mlir
    func.func @f(%x: tensor<1x8x8x4xf32>, %p: tensor<16x8x1x4xf32> {conv.packed_by = @f.prepack}) -> tensor<1x8x8x8xf32> {
      %w = conv.unpack %p : tensor<16x8x1x4xf32> -> tensor<8x3x3x4xf32>
      %y = conv.forward %x, %w window = #same layouts = <"NHWC", "KRSC", "NPQK">
          schedule = <..., output_tile = [2, 2]>
          : tensor<1x8x8x4xf32>, tensor<8x3x3x4xf32> -> tensor<1x8x8x8xf32>
      return %y : tensor<1x8x8x8xf32>
    }
    func.func @f.prepack(%w: tensor<8x3x3x4xf32>) -> tensor<16x8x1x4xf32> {
      %p = conv.block_transform %w ... : tensor<8x3x3x4xf32> -> tensor<16x8x1x4xf32>
      return %p : tensor<16x8x1x4xf32>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::conv::ConvDialect", "::mlir::tensor::TensorDialect"
  ];
}

def PropagateLayoutsPass : Pass<"conv-propagate-layouts", "::mlir::func::FuncOp"> {
  let summary = "Let element-wise kernels write operands in the schedule's layout";
  let description = [{
    A schedule may read an operand in another layout than the tensor has, and
    then a transform copies it. If an element-wise kernel of the same function
    computes that operand, for example a pre-activation or a cast, and nothing
    else reads it, the kernel writes it in the schedule's layout instead.

    * Input: convolutions with a `schedule`; element-wise ops.
    * Output: the same ops; the result of an element-wise op and the layout of
      the operand have the order of the schedule's layouts.
    * Keeps: operands whose form has other sizes (padded channels, windows as
      channels), and those with several uses.
    * Fails: never.

    Before:
    ```mlir
    %a = linalg.generic {indexing_maps = [(n, c, h, w) -> (n, c, h, w), (n, c, h, w) -> (n, c, h, w)]}
        ins(%x : tensor<1x16x8x8xf16>) ...
    %y = conv.forward %a, %w layouts = <"NCHW", "KRSC", "NPQK">
        schedule = <..., layouts = <"NHWC", "KRSC", "NPQK">>
    ```

    After:
    ```mlir
    %a = linalg.generic {indexing_maps = [(n, h, w, c) -> (n, c, h, w), (n, h, w, c) -> (n, h, w, c)]}
        ins(%x : tensor<1x16x8x8xf16>) ...
    %y = conv.forward %a, %w layouts = <"NHWC", "KRSC", "NPQK">
        schedule = <..., layouts = <"NHWC", "KRSC", "NPQK">>
    ```
  }];
  let dependentDialects = [
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
}

#endif // CONV_PLAN_PASSES_TD
