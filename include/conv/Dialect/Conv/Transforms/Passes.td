//===- Passes.td - from IR of front ends to conv -*- tablegen -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_TRANSFORMS_PASSES_TD
#define CONV_DIALECT_CONV_TRANSFORMS_PASSES_TD

include "conv/Dialect/Conv/Transforms/RaisePasses.td"

def FuseElementwisePass : Pass<"conv-fuse-elementwise", "::mlir::func::FuncOp"> {
  let summary = "Make one op of each chain of element-wise ops";
  let description = [{
    Element-wise ops that `conv-fuse-epilogue` left are kernels of their own: an
    activation or a conversion in front of a convolution, a gate of two results,
    a sum that several convolutions read, a transpose between two layouts. They
    move each byte of their operands and result once, so a chain whose parts
    nothing else uses becomes one op. Its arithmetic is that of epilogues: in
    f32, rounded once at the end (docs/numerics.md).

    What moves elements and no convolution took in is read likewise: slices,
    flips, repetitions and gathers by constants are operands at linear
    coordinates, and insertions that fill a tensor are one `tensor.concat`.

    * Input: what `conv-fuse-epilogue` leaves.
    * Output: the same values, with fewer `linalg.generic`, which
      `conv-convert-to-products` turns into kernels.
    * Keeps: convolutions, and ops whose scalars kernels do not have.
    * Fails: never.

    Before: `relu` of a scaled tensor, as two ops.
    ```mlir
    %s = linalg.generic {...} ins(%x, %scale : tensor<1x8x8x16xf16>, tensor<16xf16>) ... arith.mulf
    %r = linalg.generic {...} ins(%s : tensor<1x8x8x16xf16>) ... arith.maximumf
    %y = conv.forward %r, %w ...
    ```

    After: one op.
    ```mlir
    %r = linalg.generic {...} ins(%x, %scale : tensor<1x8x8x16xf16>, tensor<16xf16>) {
    ^bb0(%e: f16, %f: f16, %o: f16):
      %0 = arith.extf %e : f16 to f32
      %1 = arith.extf %f : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.maximumf %2, %zero : f32
      %4 = arith.truncf %3 : f32 to f16
      linalg.yield %4 : f16
    }
    %y = conv.forward %r, %w ...
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"
  ];
}

def FuseEpiloguePass : Pass<"conv-fuse-epilogue", "::mlir::func::FuncOp"> {
  let summary = "Move element-wise ops after a convolution into its epilogue";
  let description = [{
    Takes as many element-wise ops as possible after each convolution: the last
    one is the furthest that depends on the convolution only through element-wise
    ops whose results nothing else uses. In between they may branch and join
    (`x * sigmoid(x)`). The last convolution of a function chooses first, so a
    sum of two convolutions is fused into the later, with the earlier as residual.

    Other operands of those ops are followed through element-wise ops, broadcasts
    and constants to what the kernel reads: a tensor of the output's shape, a
    vector of channels, or a scalar constant.

    Transposes and slices count as element-wise. If the last op has the
    dimensions in another order, so has the result; if it leaves out positions
    at the ends of spatial dimensions, the window pads less, or a gradient cuts
    off more. Reshapes around groups and dimensions of size 1 move outward.
    Assertions are left out: a kernel has nobody to tell that one fails.

    The epilogue computes in f32: 16-bit operands are extended when they are
    read, conversions to 16 bits in between are dropped, and the result is
    rounded once, at the end (docs/numerics.md). This holds for epilogues that
    were given with their ops, too, except after sums of integers where no op
    joins them.

    * Input: convolutions, with an epilogue or without; element-wise ops are
      `linalg` of any form with parallel loops only, or `arith` and `math` on
      tensors.
    * Output: the same values, with those ops in epilogues. Ops that nothing
      uses any more are gone.
    * Keeps: element-wise ops that are not fused, as `linalg.generic`, for
      `conv-fuse-elementwise`. Schedules on convolutions.
    * Fails: never.

    Before:
    ```mlir
    %c = conv.forward %x, %w
        window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NPQK">
        : tensor<1x8x8x16xf16>, tensor<32x3x3x16xf16> -> tensor<1x8x8x32xf16>
    %y = linalg.generic {indexing_maps = [#nhwc, #channel, #nhwc], ...}
        ins(%c, %bias : tensor<1x8x8x32xf16>, tensor<32xf16>) outs(...) {
      ^bb0(%e: f16, %b: f16, %o: f16):
        %s = arith.addf %e, %b : f16
        linalg.yield %s : f16
    } -> tensor<1x8x8x32xf16>
    ```

    After:
    ```mlir
    %y = conv.forward %x, %w
        window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NPQK">
        epilogue(%bias : tensor<32xf16>) {
        ^bb0(%acc: f32, %b: f16):
          %0 = arith.extf %b : f16 to f32
          %1 = arith.addf %acc, %0 : f32
          %2 = arith.truncf %1 : f32 to f16
          conv.yield %2 : f16
        } : tensor<1x8x8x16xf16>, tensor<32x3x3x16xf16> -> tensor<1x8x8x32xf16>
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::conv::ConvDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def CheckSupportedPass : Pass<"conv-check-supported", "::mlir::ModuleOp"> {
  let summary = "Refuse what no kernel is made for";
  let description = [{
    Correct input outside of what this version compiles ends here, with one
    diagnostic per op: `unsupported (<code>): expects <predicate>, but got <value>`.
    Codes are those of `Reason` in `conv/Dialect/Conv/IR/Unsupported.h`.

    * Input: a module after the raising passes and `conv-fuse-epilogue`.
    * Output: the same.
    * Keeps: everything.
    * Fails: for the gradient of `replicate` padding of more than 32, for sizes
      beyond 2^40, for 2^60 and more elements of input and padding, with a
      tensor constant as operand, with `conv.strides` of a tensor that is
      reshaped, or with an op in its epilogue that kernels do not
      have (they have arithmetic on f32, f16, bf16, i32, i8 and i1, functions on
      f32, and conversions of these and 8-bit floats); for every other
      op on tensors but reshapes; and for functions without results, with
      arguments or results that are not static tensors of numbers, or that
      return one tensor twice.

    Before:
    ```mlir
    %y = linalg.reduce ...
    ```

    After:
    ```text
    error: unsupported (not-fusable): expects only convolutions, element-wise ops that can be fused into them, and reshapes, but got linalg.reduce
    ```
  }];
}

def FoldConstantsPass : Pass<"conv-fold-constants", "::mlir::ModuleOp"> {
  let summary = "Compute what depends on constants only";
  let description = [{
    Front ends leave arithmetic on weights in the program: a batch normalisation
    starts with `1 / sqrt(variance + epsilon)`. Loops over constant tensors are
    computed here, by the folders of the ops in their bodies, and reshapes and
    transpositions of constants with them. Loads of constant globals become
    constants first. A loop that repeats elements, such as a bias for every
    pixel, stays where a sum starts with its result or an element-wise loop
    reads it, and where the result has more than 2^20 elements.

    An assertion in a body is dropped where its condition is constant and holds.

    * Input: any module.
    * Output: element-wise `linalg` ops, `linalg.transpose`, `tosa.transpose` and
      reshapes whose operands are constants of static shape are constants;
      private globals that nothing uses are gone.
    * Keeps: ops whose bodies have an op that does not fold; every other op.
    * Fails: never.

    Before:
    ```mlir
    %v = arith.constant dense<[1.0, 3.0]> : tensor<2xf32>
    %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%v : tensor<2xf32>) outs(%empty : tensor<2xf32>) {
      ^bb0(%e: f32, %o: f32):
        %0 = arith.addf %e, %one : f32
        %1 = math.sqrt %0 : f32
        linalg.yield %1 : f32
    } -> tensor<2xf32>
    ```

    After:
    ```mlir
    %s = arith.constant dense<[1.41421354, 2.0]> : tensor<2xf32>
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect"
  ];
}

def HoistConstantsPass : Pass<"conv-hoist-constants", "::mlir::func::FuncOp"> {
  let summary = "Make constants that convolutions read arguments";
  let description = [{
    Kernels read buffers. A constant tensor that a convolution reads becomes an
    argument after all others, whose `conv.constant` has the elements: the
    artifact stores them, and callers do not pass them. Constants of one value
    that are in epilogues are scalars already.

    * Input: functions of convolutions, with their epilogues.
    * Output: no operand of a convolution is a constant, or a reshaped one.
    * Keeps: other uses of constants.
    * Fails: never.

    Before:
    ```mlir
    func.func @f(%x: tensor<1x8x8x4xf16>) -> tensor<1x8x8x4xf16> {
      %w = arith.constant dense<"0x..."> : tensor<4x1x1x4xf16>
      %y = conv.forward %x, %w ...
    ```

    After:
    ```mlir
    func.func @f(%x: tensor<1x8x8x4xf16>, %w: tensor<4x1x1x4xf16>
        {conv.constant = dense<"0x..."> : tensor<4x1x1x4xf16>}) -> tensor<1x8x8x4xf16> {
      %y = conv.forward %x, %w ...
    ```
  }];
}

def OutlineConvolutionsPass
    : Pass<"conv-outline-convolutions", "::mlir::ModuleOp"> {
  let summary = "Move each convolution with its epilogue to a function of its own";
  let description = [{
    A program that is more than convolutions is compiled by two compilers: this
    one takes the functions of convolutions, another one takes the rest, which
    calls them. Constants that a convolution reads go with it.

    * Input: functions of convolutions, with their epilogues, and anything else.
    * Output: a convolution of a function with other ops is in a private function
      `@<caller>_conv_<number>`, called where it was. Numbers count from 0 in
      the order of the caller; names that are taken are skipped.
      Convolutions that would be refused stay, each with a remark that has the
      reason; those of this dialect are marked `conv.left`.
    * Keeps: functions that return a convolution's result and have no op but
      convolutions and reshapes; every other op.
    * Fails: never.

    Before:
    ```mlir
    func.func @main(%x: tensor<1x8x8x4xf16>, %w: tensor<4x1x1x4xf16>) -> tensor<1x8x8x4xf16> {
      %c = conv.forward %x, %w ...
      %y = linalg.softmax dimension(3) ins(%c : ...
    ```

    After:
    ```mlir
    func.func @main(%x: tensor<1x8x8x4xf16>, %w: tensor<4x1x1x4xf16>) -> tensor<1x8x8x4xf16> {
      %c = call @main_conv_0(%x, %w) : ...
      %y = linalg.softmax dimension(3) ins(%c : ...
    }
    func.func private @main_conv_0(%x: tensor<1x8x8x4xf16>, %w: tensor<4x1x1x4xf16>) -> tensor<1x8x8x4xf16> {
      %c = conv.forward %x, %w ...
      return %c : tensor<1x8x8x4xf16>
    }
    ```
  }];
  let dependentDialects = ["::mlir::func::FuncDialect"];
  let options = [
    Option<"passConstants", "pass-constants", "bool", "false",
           "Callers keep the constants, and pass them">,
    ListOption<"chips", "chips", "std::string",
               "Chips that all functions will be compiled for">
  ];
}

#endif // CONV_DIALECT_CONV_TRANSFORMS_PASSES_TD
