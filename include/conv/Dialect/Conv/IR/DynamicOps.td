//===- DynamicOps.td - convolutions with a kernel per token -*- tablegen -*-==//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DYNAMIC_OPS_TD
#define CONV_DYNAMIC_OPS_TD

include "conv/Dialect/Conv/IR/ConvolutionOps.td"
include "conv/Dialect/Conv/IR/DynamicOpInterface.td"

def Conv_KernelOrder : I32EnumAttr<"KernelOrder", "order of the dimensions of kernels", [
    I32EnumAttrCase<"BTGW", 0>,
    I32EnumAttrCase<"BTWG", 1>
  ]> {
  let cppNamespace = "::mlir::conv";
  let genSpecializedAttr = 0;
}

def Conv_KernelOrderAttr : EnumAttr<Conv_Dialect, Conv_KernelOrder, "kernel_order">;

def Conv_Normalization : I32EnumAttr<"Normalization", "what becomes of kernels before they are used", [
    I32EnumAttrCase<"None", 0, "none">,
    I32EnumAttrCase<"Softmax", 1, "softmax">,
    I32EnumAttrCase<"L2", 2, "l2">
  ]> {
  let cppNamespace = "::mlir::conv";
  let genSpecializedAttr = 0;
}

def Conv_NormalizationAttr : EnumAttr<Conv_Dialect, Conv_Normalization, "normalization">;

/// Kernels are used without normalization by default.
defvar Conv_normalize = (ins DefaultValuedAttr<Conv_NormalizationAttr,
    "::mlir::conv::Normalization::None">:$normalize);

/// The rules that all directions share. They follow the formula of each op.
defvar Conv_dynamicRules = [{
    There is a kernel of `W` taps for each token and each of `G` groups of
    `D / G` neighbouring channels; `group(d) = d / (D / G)`. With `G = D` each
    channel has its own. The last tap is the token itself, so that a position
    sees no later one, and elements outside of a sequence are zero. `order` says
    whether the taps (`BTGW`) or the groups (`BTWG`) of a kernel follow each
    other in memory. The second one is read in whole vectors.

    With `normalize`, sums have the normalised taps `tap[w]` in place of
    `kernel[..., w]`, which are computed in f32 and not rounded to the type of
    kernels:

    ```
    softmax: tap[w] = exp(kernel[w] - max) / sum over v of exp(kernel[v] - max)
    l2:      tap[w] = kernel[w] / sqrt(sum over v of kernel[v]^2 + 10^-6)
    ```

    All `W` taps of a kernel take part, those too that meet no element of the
    sequence: the first tokens of a sequence see taps whose sum is less than that
    of others. Kernels of tokens that are not in the tensor have no effect.

    Floating types are accumulated in f32, i8 in i32. Products of f32 are rounded
    no more than once. `epilogue` is what it is for `conv.forward`: without a region,
    the sum is converted to the element type of the result; with one, the block
    gets the accumulator and one element of each epilogue operand.

    With `cu_seqlens`, the tokens belong to several sequences that follow each
    other: sequence `i` starts at token `cu_seqlens[i]` and ends before
    `cu_seqlens[i + 1]`. Each is computed as if it were alone, and what another
    one has, NaN included, makes no difference. Sequences may be empty. Elements
    start at 0, do not decrease, and do not exceed `T`; tokens from the last one
    on are one more sequence. Kernels do not check that: if it does not hold,
    tokens see neighbours as `conv.count_neighbours` counts them, up to `W - 1`
    away, and nothing outside of the tensors is read or written.

    Constraints, in which `input`, `kernel` and `output` are the tensors in that
    role, gradients or not:
      * (K1) `input` and `output` have one shape, `[B, T, D]`, and `kernel` has
        four dimensions.
      * (K2) Every size is positive, and the bytes of each tensor are below 2^63.
      * (K3) `kernel` has `B` and `T` of `input`. Where it is an operand, it may
        have 1 and 1 instead: all tokens have one kernel.
      * (K4) `G` divides `D`.
      * (K5) The two operands have one element type: f32, f16, bf16 or i8.
      * (K6) Each epilogue operand has the shape of the result, or is a vector of `D`
        elements; `grad_kernel` has no such vector. Without a region there is no
        epilogue operand.
      * (K7) The region's block is as C10 says. Without a region, the result is
        floating if the accumulator is f32, and i32 otherwise.
      * (K8) `cu_seqlens` is a vector of at least two elements of i32 or i64.
      * (K9) With `cu_seqlens`, `B` is 1 and `T` is at most 2^30.
      * (K11) `B`, `T` and the length of `cu_seqlens` may be `?`: callers choose
        them with each run, in the ranges of K2, K8 and K9. All other sizes are
        static. `B` and `T` are `?` in all tensors that have them, or in none.
      * (K12) With `normalize`, the operands are of a floating type.
}];

/// The meaning of `initial_state`, for ops that have one.
defvar Conv_initialStateRules = [{
    `initial_state` has the `W - 1` tokens before the first one, which are zero
    without it: `input[b, -i, d]` is `initial_state[b, W - 1 - i, d]`. So a
    sequence can be computed chunk by chunk, or token by token: the state of the
    next chunk is `conv.final_state` of this one. With `cu_seqlens`, there is one
    for each of the `N` sequences that it starts, and `-i` is `i` tokens before
    the first one of sequence `b`. Tokens of no such sequence have no state: they
    see zeros.
    One more constraint:
      * (K10) `initial_state` has the shape `[B, W - 1, D]`, or `[N, W - 1, D]` with
        a `cu_seqlens` of `N + 1` elements, whose length is static. Its sizes are
        positive, and its element type is that of `input`.
}];
defvar Conv_initialState = (ins Optional<Conv_Tensor>:$initialState);
defvar Conv_initialStateFormat =
  "(`initial_state` `(` $initialState^ `:` type($initialState) `)`)?";

defvar Conv_givenKernelFormat =
  "(`kernel` `(` $givenKernel^ `:` type($givenKernel) `)`)?";

/// `lhs`, `rhs` and `result` are the names of the tensors; `more` are optional
/// operands of this op alone, and `format` is their assembly format.
class Conv_DynamicOp<string mnemonic, string direction, string lhs, string rhs,
                     string result, dag more = (ins), string format = "">
    : Conv_Op<mnemonic, [AttrSizedOperandSegments, Pure, IsolatedFromAbove,
                         Conv_DynamicOpInterface]> {
  let arguments = !con(
    !dag(ins, [Conv_Tensor, Conv_Tensor], [lhs, rhs]),
    (ins Optional<AnyRankedTensor>:$cuSeqlens),
    more,
    (ins
      Variadic<Conv_Tensor>:$epilogueOperands,
      Conv_KernelOrderAttr:$order),
    Conv_normalize);
  let results = !dag(outs, [Conv_Tensor], [result]);
  let regions = (region MaxSizedRegion<1>:$epilogue);
  let assemblyFormat =
    "$" # lhs # " `,` $" # rhs # [{
    (`cu_seqlens` `(` $cuSeqlens^ `:` type($cuSeqlens) `)`)?
    }] # format # [{
    `order` `=` $order (`normalize` `=` $normalize^)?
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
      return verifyDynamic(*this);
    }
    ::llvm::LogicalResult $cppClass::verifyRegions() {
      return verifyDynamicEpilogue(*this);
    }
  }];
}

def Conv_DynamicForwardOp : Conv_DynamicOp<"dynamic_forward", "Forward", "input",
                                           "kernel", "output", Conv_initialState,
                                           Conv_initialStateFormat> {
  let summary = "Causal convolution of a sequence with a kernel for each token";
  let description = [{
    ```
    acc[b, t, d] = sum over w of
        kernel[b, t, group(d), w] * input[b, t + w - (W - 1), d]
    output[b, t, d] = epilogue(acc[b, t, d])
    ```
  }] # "\n" # Conv_initialStateRules # "\n" # Conv_dynamicRules # [{
    Examples: two sequences of 100 tokens, four of any lengths, and the next token
    of each of eight.
    ```mlir
    %y = conv.dynamic_forward %x, %k order = BTGW
        : tensor<2x100x64xbf16>, tensor<2x100x64x4xbf16> -> tensor<2x100x64xbf16>
    %z = conv.dynamic_forward %p, %q cu_seqlens(%starts : tensor<5xi32>) order = BTGW
        : tensor<1x200x64xbf16>, tensor<1x200x64x4xbf16> -> tensor<1x200x64xbf16>
    %n = conv.dynamic_forward %t, %l initial_state(%state : tensor<8x3x64xbf16>) order = BTGW
        : tensor<8x1x64xbf16>, tensor<8x1x64x4xbf16> -> tensor<8x1x64xbf16>
    ```
  }];
}

def Conv_DynamicBackwardInputOp
    : Conv_DynamicOp<"dynamic_backward_input", "BackwardData", "grad_output",
                     "kernel", "grad_input"> {
  let summary = "Gradient of a dynamic convolution with respect to its input";
  let description = [{
    ```
    acc[b, t, d] = sum over w, with s = t + (W - 1) - w and s < T, of
        kernel[b, s, group(d), w] * grad_output[b, s, d]
    grad_input[b, t, d] = epilogue(acc[b, t, d])
    ```
  }] # "\n" # Conv_dynamicRules # [{
    Example:
    ```mlir
    %dx = conv.dynamic_backward_input %dy, %k order = BTWG
        : tensor<2x100x64xf16>, tensor<2x100x4x64xf16> -> tensor<2x100x64xf16>
    ```
  }];
}

def Conv_DynamicBackwardKernelOp
    : Conv_DynamicOp<"dynamic_backward_kernel", "BackwardWeight", "input",
                     "grad_output", "grad_kernel",
                     !con(Conv_initialState,
                          (ins Optional<Conv_Tensor>:$givenKernel)),
                     !strconcat(Conv_initialStateFormat,
                                Conv_givenKernelFormat)> {
  let summary = "Gradient of a dynamic convolution with respect to its kernels";
  let description = [{
    ```
    sum[b, t, g, w] = sum over d with group(d) = g of
        grad_output[b, t, d] * input[b, t + w - (W - 1), d]
    acc[b, t, g, w] = sum[b, t, g, w] without `normalize`, else, of that kernel,
        softmax: tap[w] * (sum[w] - sum over v of tap[v] * sum[v])
        l2:      (sum[w] - tap[w] * (sum over v of tap[v] * sum[v])) / norm
    grad_kernel[b, t, g, w] = epilogue(acc[b, t, g, w])
    ```

    With `normalize`, it is the gradient with respect to what `kernel` has, from
    which `tap` and `norm`, the square root, are computed again.
    One more constraint:
      * (K13) There is a `kernel` if `normalize` is not `none`, and only then. It
        has the shape of `grad_kernel` and the element type of `input`.
  }] # "\n" # Conv_initialStateRules # "\n" # Conv_dynamicRules # [{
    Example: kernels for 8 groups of 8 channels.
    ```mlir
    %dk = conv.dynamic_backward_kernel %x, %dy order = BTGW
        : tensor<2x100x64xf16>, tensor<2x100x64xf16> -> tensor<2x100x8x4xf32>
    %dl = conv.dynamic_backward_kernel %x, %dy kernel(%l : tensor<2x100x8x4xf16>)
        order = BTGW normalize = softmax
        : tensor<2x100x64xf16>, tensor<2x100x64xf16> -> tensor<2x100x8x4xf16>
    ```
  }];
}

#endif // CONV_DYNAMIC_OPS_TD
