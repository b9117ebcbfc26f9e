//===- ConvolutionOps.td - convolutions in three directions -*- tablegen -*-==//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_CONVOLUTION_OPS_TD
#define CONV_CONVOLUTION_OPS_TD

include "conv/Dialect/Conv/IR/ScheduleAttr.td"
include "conv/Dialect/Conv/IR/ConvolutionOpInterface.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Conv_Tensor : RankedTensorOf<[Conv_Number]>;

/// The rules that all directions share. They follow the formula of each op.
defvar Conv_convolutionRules = [{
    Here `g` is the group of `k`, `C` counts the channels of one group, and
    `at(i)` is where the padded input has position `i` of a dimension of size
    `size`, by `padding`:

    | `padding` | outside of `0 <= i < size` |
    | --- | --- |
    | `zeros` | the element is zero, and no gradient goes there |
    | `reflect` | mirrored at the border, which is not repeated: `-1` is `1` |
    | `replicate` | the nearest element: `-1` is `0` |
    | `circular` | `i` modulo `size`: `-1` is `size - 1` |

    This is cross-correlation, as in every deep-learning library. Floating types
    are accumulated in f32, i8 in i32. Products are exact before they are
    accumulated, but for f32 operands and 8-bit floats `arithmetic` says more:

    | `arithmetic` | f32 operands |
    | --- | --- |
    | `f32` | sums are as accurate as those of f32 products, to the same bound; matrix units may multiply parts of operands (docs/numerics.md) |
    | `tf32` | rounded to 11 significant bits, to nearest, which some matrix units multiply much faster |
    | `exact` | products are exact before they are accumulated |

    | `arithmetic` | 8-bit floats |
    | --- | --- |
    | `f32`, `exact` | accumulated in f32 |
    | `promoted` | sums of up to 128 products may have the 14 bits that matrix units give them; they are promoted to f32 and added there |

    Without a region, `epilogue` converts to the element type of the result, rounding
    to nearest even. With a region, the block gets the accumulator and one
    element of each epilogue operand and yields the element of the result; it
    has only `arith` and `math` ops on scalars. An epilogue operand either has
    the shape and layout of the result or is a vector of one element per channel
    of the result.

    Constraints, in which `input`, `filter` and `output` are the tensors in that
    role, gradients or not (see `ConvolutionOpInterface`):
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
      * (C8) The two operands have the same element type, or are 8-bit floats of
        one family: OCP (f8E4M3FN, f8E5M2) or FNUZ (f8E4M3FNUZ, f8E5M2FNUZ). It
        is not i32.
      * (C9) Each epilogue operand has the shape of the result, or is a vector of all
        its channels: `K` of all groups forward, `C` of all groups for
        `grad_input`. A filter has no such vector. Without a region there is no
        epilogue operand.
      * (C10) The region's block has the accumulator (f32, or i32 for i8) and one
        scalar per epilogue operand as arguments, only `arith` and `math` ops on
        scalars, and yields the element type of the result. Without a region,
        the result is floating if the accumulator is f32, and i32 otherwise.
      * (C11) For `reflect`, `low` and `high` are smaller than `input` in each
        spatial dimension.
      * (C12) For `circular`, `low` and `high` are at most `input` in each
        spatial dimension.
      * (C13) For `arithmetic = tf32`, the operands are f32.
      * (C14) For `arithmetic = promoted`, the operands are 8-bit floats.
}];

/// `lhs`, `rhs` and `result` are the names of the tensors. Their roles follow
/// from the direction, so that the op has only one method of its own.
class Conv_ConvolutionOp<string mnemonic, string direction, string lhs,
                         string rhs, string result>
    : Conv_Op<mnemonic, [Pure, IsolatedFromAbove, Conv_ConvolutionOpInterface]> {
  let arguments = !con(
    !dag(ins, [Conv_Tensor, Conv_Tensor], [lhs, rhs]),
    (ins
      Variadic<Conv_Tensor>:$epilogueOperands,
      Conv_WindowAttr:$window,
      Conv_LayoutsAttr:$layouts,
      DefaultValuedAttr<I64Attr, "1">:$groups,
      DefaultValuedAttr<Conv_PaddingModeAttr, "::mlir::conv::PaddingMode::Zeros">:$padding,
      DefaultValuedAttr<Conv_ArithmeticAttr, "::mlir::conv::Arithmetic::F32">:$arithmetic,
      OptionalAttr<Conv_ScheduleAttr>:$schedule));
  let results = !dag(outs, [Conv_Tensor], [result]);
  let regions = (region MaxSizedRegion<1>:$epilogue);
  let assemblyFormat =
    "$" # lhs # " `,` $" # rhs # [{ `window` `=` $window `layouts` `=` $layouts
    (`groups` `=` $groups^)? (`padding` `=` $padding^)?
    (`arithmetic` `=` $arithmetic^)? (`schedule` `=` $schedule^)?
    custom<Epilogue>($epilogueOperands, type($epilogueOperands), $epilogue)
    attr-dict `:` type($}] # lhs # ") `,` type($" # rhs # ") `->` type($" #
    result # ")";
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    static ::mlir::conv::Direction getDirection() {
      return ::mlir::conv::Direction::}] # direction # [{;
    }
  }];
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::verify() {
      return verifyConvolution(*this);
    }
    ::llvm::LogicalResult $cppClass::verifyRegions() {
      return verifyEpilogue(*this);
    }
  }];
}

def Conv_ForwardOp : Conv_ConvolutionOp<"forward", "Forward", "input", "filter", "output"> {
  let summary = "Convolution of an input with a filter, and its element-wise epilogue";
  let description = [{
    For every output position `(n, p, q, k)` (2-D):

    ```
    acc[n, p, q, k] = sum over r, s, c of
        input[n, at(p * strides[0] + r * dilations[0] - low[0]),
                 at(q * strides[1] + s * dilations[1] - low[1]), g * C + c]
        * filter[k, r, s, c]
    output[n, p, q, k] = epilogue(acc[n, p, q, k])
    ```
  }] # "\n" # Conv_convolutionRules # [{
    Example:
    ```mlir
    %y = conv.forward %x, %w
        window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NPQK">
        epilogue(%bias : tensor<64xf16>) {
        ^bb0(%acc: f32, %b: f16):
          %b32 = arith.extf %b : f16 to f32
          %sum = arith.addf %acc, %b32 : f32
          %out = arith.truncf %sum : f32 to f16
          conv.yield %out : f16
        } : tensor<1x56x56x64xf16>, tensor<64x3x3x64xf16> -> tensor<1x56x56x64xf16>
    ```
  }];
}

def Conv_BackwardDataOp : Conv_ConvolutionOp<"backward_data", "BackwardData",
                                             "grad_output", "filter", "grad_input"> {
  let summary = "Gradient of a convolution with respect to its input; transposed convolution";
  let description = [{
    For every input position `(n, h, w, g * C + c)` (2-D):

    ```
    acc[n, h, w, g * C + c] = sum over k, and over all p, q, r, s with
        at(p * strides[0] + r * dilations[0] - low[0]) = h and
        at(q * strides[1] + s * dilations[1] - low[1]) = w, of
        grad_output[n, p, q, k] * filter[k, r, s, c]
    grad_input[n, h, w, g * C + c] = epilogue(acc[n, h, w, g * C + c])
    ```

    An input position that no window touches gets `epilogue(0)`.

    This is also the transposed convolution: what frameworks call its input is
    `grad_output`, its input channels are `K`, and its output is `grad_input`.
    Output padding needs no attribute. It is in the size of `grad_input`, of
    which C7 admits `stride` different ones for a size of `grad_output`.
  }] # "\n" # Conv_convolutionRules # [{
    Example: the transposed convolution with stride 2, padding 1 and output
    padding 1, which doubles an image of 8 x 8.
    ```mlir
    %y = conv.backward_data %x, %w
        window = <strides = [2, 2], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NPQK">
        : tensor<1x8x8x32xf16>, tensor<32x3x3x16xf16> -> tensor<1x16x16x16xf16>
    ```
  }];
}

def Conv_BackwardWeightOp : Conv_ConvolutionOp<"backward_weight", "BackwardWeight",
                                               "input", "grad_output", "grad_filter"> {
  let summary = "Gradient of a convolution with respect to its filter";
  let description = [{
    For every filter position `(k, r, s, c)` (2-D):

    ```
    acc[k, r, s, c] = sum over n, p, q of
        input[n, at(p * strides[0] + r * dilations[0] - low[0]),
                 at(q * strides[1] + s * dilations[1] - low[1]), g * C + c]
        * grad_output[n, p, q, k]
    grad_filter[k, r, s, c] = epilogue(acc[k, r, s, c])
    ```
  }] # "\n" # Conv_convolutionRules # [{
    Example: a gradient that is added to one that is there already.
    ```mlir
    %dw = conv.backward_weight %x, %dy
        window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NPQK">
        epilogue(%before : tensor<64x3x3x32xf32>) {
        ^bb0(%acc: f32, %b: f32):
          %sum = arith.addf %acc, %b : f32
          conv.yield %sum : f32
        } : tensor<1x56x56x32xf16>, tensor<1x56x56x64xf16> -> tensor<64x3x3x32xf32>
    ```
  }];
}

def Conv_YieldOp : Conv_Op<"yield", [Pure, Terminator, ReturnLike,
    ParentOneOf<["BackwardDataOp", "BackwardWeightOp", "BlockTransformOp",
                 "CausalUpdateOp", "DynamicBackwardInputOp", "DynamicBackwardKernelOp",
                 "DynamicForwardOp", "ForwardOp"]>]> {
  let summary = "The element that an epilogue computes";
  let arguments = (ins AnyType:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

#endif // CONV_CONVOLUTION_OPS_TD
