//===- ForwardOp.td - the forward convolution -------------*- tablegen -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_FORWARD_OP_TD
#define CONV_FORWARD_OP_TD

include "conv/Dialect/Conv/IR/ConvAttrs.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Conv_FloatOrInt : AnyTypeOf<[F32, F16, BF16, I8, I32, F8E4M3FN, F8E5M2, F8E4M3FNUZ, F8E5M2FNUZ]>;
def Conv_Tensor : RankedTensorOf<[Conv_FloatOrInt]>;

def Conv_ForwardOp : Conv_Op<"forward", [Pure, IsolatedFromAbove]> {
  let summary = "Convolution of an input with a filter, and its element-wise tail";
  let description = [{
    For every output position `(n, p, q, k)` (2-D; `g` is the group of `k`):

    ```
    acc[n, p, q, k] = sum over r, s, c of
        input[n, p * strides[0] + r * dilations[0] - low[0],
                 q * strides[1] + s * dilations[1] - low[1], g * C/groups + c]
        * filter[k, r, s, c]
    output[n, p, q, k] = tail(acc[n, p, q, k])
    ```

    This is cross-correlation, as in every deep-learning library. Reads outside
    `input` contribute zero. Floating types are accumulated in f32, i8 in i32.

    Without a region, `tail` converts to the element type of `output`, rounding
    to nearest even. With a region, the block gets the accumulator and one
    element of each tail operand and yields the element of `output`; it has only
    `arith` and `math` ops on scalars. A tail operand either has the shape and
    layout of `output` or is a vector of one element per output channel.

    Constraints:
      * (C1) `input`, `filter` and `output` are static and their ranks equal the
        lengths of their order strings in `layouts`.
      * (C2) `window` has as many dimensions as `layouts` has spatial ones.
      * (C3) Every size is positive, and the bytes of each tensor are below 2^63.
      * (C4) `groups` is positive and divides the input channels and `K`; the
        filter's `C` is the input channels of one group. If the layouts have
        `G`, its size is `groups` in all three.
      * (C5) `input` and `output` agree on `N`; `filter` and `output` agree on `K`.
      * (C6) With `span = dilation * (filter - 1) + 1`, the window fits:
        `span <= low + input + high` in each spatial dimension.
      * (C7) Each spatial size of `output` is
        `(low + input + high - span) / stride + 1`.
      * (C8) `input` and `filter` have the same element type, or are 8-bit
        floats of one family: OCP (f8E4M3FN, f8E5M2) or FNUZ (f8E4M3FNUZ,
        f8E5M2FNUZ). It is not i32.
      * (C9) Each tail operand has the shape of `output`, or is a vector of all
        its channels. Without a region there is none.
      * (C10) The region's block has the accumulator (f32, or i32 for i8) and one
        scalar per tail operand as arguments, only `arith` and `math` ops on
        scalars, and yields the element type of `output`. Without a region,
        `output` is floating if the accumulator is f32, and i32 otherwise.

    Example:
    ```mlir
    %y = conv.forward %x, %w
        window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NPQK">
        tail(%bias : tensor<64xf16>) {
        ^bb0(%acc: f32, %b: f16):
          %b32 = arith.extf %b : f16 to f32
          %sum = arith.addf %acc, %b32 : f32
          %out = arith.truncf %sum : f32 to f16
          conv.yield %out : f16
        } : tensor<1x56x56x64xf16>, tensor<64x3x3x64xf16> -> tensor<1x56x56x64xf16>
    ```
  }];

  let arguments = (ins
    Conv_Tensor:$input,
    Conv_Tensor:$filter,
    Variadic<Conv_Tensor>:$tailOperands,
    Conv_WindowAttr:$window,
    Conv_LayoutsAttr:$layouts,
    DefaultValuedAttr<I64Attr, "1">:$groups,
    OptionalAttr<Conv_ScheduleAttr>:$schedule
  );
  let results = (outs Conv_Tensor:$output);
  let regions = (region MaxSizedRegion<1>:$tail);
  let assemblyFormat = [{
    $input `,` $filter `window` `=` $window `layouts` `=` $layouts
    (`groups` `=` $groups^)? (`schedule` `=` $schedule^)?
    custom<Tail>($tailOperands, type($tailOperands), $tail) attr-dict
    `:` type($input) `,` type($filter) `->` type($output)
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Conv_YieldOp : Conv_Op<"yield", [Pure, Terminator, ReturnLike, HasParent<"ForwardOp">]> {
  let summary = "The element that a tail computes";
  let arguments = (ins AnyType:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

#endif // CONV_FORWARD_OP_TD
