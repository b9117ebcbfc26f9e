//===- RaisePasses.td - from loops and other dialects to conv -*- tablegen -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_TRANSFORMS_RAISEPASSES_TD
#define CONV_DIALECT_CONV_TRANSFORMS_RAISEPASSES_TD

include "mlir/Pass/PassBase.td"

def RaiseLinalgPass : Pass<"conv-raise-linalg", "::mlir::func::FuncOp"> {
  let summary = "Rewrite linalg loops that are a convolution as conv.forward";
  let description = [{
    Named ops and generics are read in the same way: by which tensors each loop
    indexes. A sum of products is a convolution if one tensor is indexed by
    `stride * p + dilation * r`, where `p` runs over the output and `r` over the
    filter. What it adds up is a `conv.forward`; what it adds that to is an
    element-wise op after it, unless that is zero. Layouts stay as they are: an
    `hwcf` filter has the order `RSCK`. Dimensions that a tensor lacks are added
    with size 1; groups of one channel (depthwise) need none. Sums are accumulated
    in f32 even where linalg would accumulate in 16 bits. Constant zero points
    stay out of the products (`conv-raise-tosa`); a pad by that of the input
    becomes padding of the window.

    What moves elements in front of a convolution, also of one that was there
    before, is read as a list of positions for each dimension, whichever ops
    wrote it: pads, slices, insertions, reshapes, transposes, flips and gathers
    by constants. Permuted dimensions become the layout; zeros, mirrored,
    repeated or wrapped positions around an input become padding of that mode;
    and a forward convolution of an input that is spread among zeros with a
    flipped filter is a `conv.backward_data`.

    * Input: `linalg.conv_*`, `linalg.depthwise_conv_*` and `linalg.generic` on
      tensors.
    * Output: those of static shape with element types of `conv.forward` are
      `conv.forward`, followed by a `linalg.generic` if the init is not zero.
    * Keeps: every other op.
    * Fails: never. A convolution that does not match is left alone.

    Before:
    ```mlir
    %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] { ... yield zero ... }
        : tensor<1x8x8x16xf16> to tensor<1x10x10x16xf16>
    %c = linalg.conv_2d_nhwc_hwcf ins(%p, %w : tensor<1x10x10x16xf16>, tensor<3x3x16x32xf16>)
        outs(%zero : tensor<1x8x8x32xf32>) -> tensor<1x8x8x32xf32>
    ```

    After:
    ```mlir
    %c = conv.forward %x, %w
        window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "RSCK", "NPQK">
        : tensor<1x8x8x16xf16>, tensor<3x3x16x32xf16> -> tensor<1x8x8x32xf32>
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::conv::ConvDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
}

def RaiseSumsPass : Pass<"conv-raise-sums", "::mlir::func::FuncOp"> {
  let summary = "Rewrite sums beside convolutions as conv.forward with ones";
  let description = [{
    Pooling by sums, sums over whole dimensions, and what front ends make of
    averages are convolutions whose filter is one everywhere. In a function that
    has a convolution they become such ones: dimensions that stay are the batch,
    or channels of a depthwise convolution where a window moves over others; a
    dimension that is summed up is one of input channels, or spatial with a
    window over all of it. What is after them then fuses as after any other.
    Sums are accumulated in f32.

    * Input: `linalg.pooling_*_sum`, `linalg.reduce` and `linalg.generic` that
      add up elements of one floating tensor.
    * Output: `conv.forward`, and a constant for each filter.
    * Keeps: every other op, and sums in functions without convolutions.
    * Fails: never.

    Before: the mean over the pixels of an image, without its division.
    ```mlir
    %s = linalg.reduce ins(%x : tensor<2x8x14x11xf32>) outs(%zero : tensor<2x8xf32>)
        dimensions = [2, 3] ... arith.addf
    ```

    After: 14 input channels, and a window of 11.
    ```mlir
    %s = conv.forward %x, %ones
        window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
        layouts = <"NHCW", "KCRS", "NPQK">
        : tensor<2x8x14x11xf32>, tensor<1x14x1x11xf32> -> tensor<2x8x1x1xf32>
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::conv::ConvDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
}

def RaiseTosaPass : Pass<"conv-raise-tosa", "::mlir::func::FuncOp"> {
  let summary = "Rewrite TOSA convolutions as ops of conv";
  let description = [{
    The bias becomes an element-wise op after the convolution and is left out
    where it is a constant zero. Element-wise TOSA ops become `linalg` through
    upstream's patterns, so that they can be fused; constants, reshapes and pads
    become those of `arith` and `tensor`.

    The channels of a depthwise weight become one dimension with its multiplier.
    A transposed convolution is a `conv.backward_data` whose padding is what
    `out_pad` cuts off; `out_pad` that adds elements in front is left alone.

    Zero points stay out of the products: with `x - a` and `w - b` for elements
    `x` and `w`, `b * sum x` and `a * sum (w - b)` are subtracted from their sum,
    over the elements that padding leaves. Sums of a constant filter are computed
    here, others by a convolution with ones. `tosa.rescale` becomes arithmetic of
    64 bits.

    One `tosa.conv2d` for each group, of slices and with results concatenated,
    is one convolution with groups.

    * Input: `tosa.conv2d`, `conv3d`, `depthwise_conv2d` and `transpose_conv2d` of
      static shape with constant zero points; `tosa.rescale` of i8 and i32 with
      constant multipliers.
    * Output: `conv.forward` or `conv.backward_data`, and `linalg` for the ops
      around it.
    * Keeps: every other op.
    * Fails: never. An op that does not match is left alone.

    Before:
    ```mlir
    %c = tosa.conv2d %x, %w, %bias, %zp, %zp {acc_type = f32, dilation = array<i64: 1, 1>,
        pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>}
        : (tensor<1x8x8x16xf16>, tensor<32x3x3x16xf16>, tensor<32xf16>, tensor<1xf16>, tensor<1xf16>)
        -> tensor<1x8x8x32xf16>
    ```

    After:
    ```mlir
    %s = conv.forward %x, %w
        window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NPQK">
        : tensor<1x8x8x16xf16>, tensor<32x3x3x16xf16> -> tensor<1x8x8x32xf32>
    %c = linalg.generic ... ins(%s, %bias : tensor<1x8x8x32xf32>, tensor<32xf16>) ...
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::conv::ConvDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

#endif // CONV_DIALECT_CONV_TRANSFORMS_RAISEPASSES_TD
