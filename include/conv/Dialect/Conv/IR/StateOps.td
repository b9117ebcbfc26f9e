//===- StateOps.td - ops on the states of sequences --------*- tablegen -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_STATE_OPS_TD
#define CONV_STATE_OPS_TD

include "conv/Dialect/Conv/IR/DynamicOps.td"
include "conv/Dialect/Conv/IR/StateOpInterface.td"

def Conv_CausalUpdateOp : Conv_Op<"causal_update", [AttrSizedOperandSegments,
    Pure, IsolatedFromAbove, DeclareOpInterfaceMethods<Conv_StateOpInterface>]> {
  let summary = "The next tokens of causal convolutions, and their states after that";
  let description = [{
    Decoding: each of `B` sequences gets `T` more tokens, convolved with one
    filter of `W` taps for each channel. What came before is in a cache of `S`
    states, of `L` tokens each. Sequence `b` has state `s = indices[b]`, or `b`
    without `indices`.

    ```
    token[b, d, t] = input[b, d, t] from t = 0 on, and what the state has before
    acc[b, d, t] = sum over w of weight[d, w] * token[b, d, t + w - (W - 1)]
    output[b, d, t] = epilogue(acc[b, d, t])
    ```

    Without `positions`, a state is the last `L` tokens, and new ones push out
    the oldest:

    ```
    token[b, d, -i] = state[s, d, L - i]
    new_state[s, d, l] = token[b, d, T - L + l]
    ```

    With `positions`, a state is a ring, and `p = positions[b]` counts the tokens
    that the sequence had. Its remainder is not negative:

    ```
    token[b, d, -i] = state[s, d, (p - i) mod L]
    new_state[s, d, (p + t) mod L] = input[b, d, t], for the last min(T, L) of t
    ```

    So a step can be taken back, for speculative decoding: of `T` tokens that
    were guessed, `n` are accepted by counting `p` up by `n`. The next step
    overwrites the others, if `L` is at least `T + W - 1`.

    A sequence whose index is not from 0 to `S - 1` is padding: its output is
    zero, and it has no state. States of no sequence stay what they are. With
    two sequences of one index, what the new state is of them is not defined,
    and nothing else depends on it.

    The function returns `new_state` in place of `state` (`conv.in_place`).
    Sums, products and the epilogue are those of `conv.dynamic_forward`.

    Constraints:
      * (U1) `input` and `output` have one shape, `[B, D, T]`; `weight` is
        `[D, W]`, and `state` is `[S, D, L]`. Sizes are positive, and the bytes of
        each tensor are below 2^63.
      * (U2) `L` is at least `W - 1`.
      * (U3) `input`, `weight` and `state` have one element type: f32, f16, bf16
        or i8.
      * (U4) `positions` and `indices` are vectors of `B` elements of i32
        or i64. Without `indices`, `S` is `B`.
      * (U5) `new_state` has the type of `state`.
      * (U6) Each epilogue operand has the shape of `output`, or is a vector of `D`
        elements. Without a region there is no epilogue operand.
      * (U7) The region's block is as C10 says. Without a region, the output is
        floating if the accumulator is f32, and i32 otherwise.
      * (U8) `B` and `S` may be `?`, as K11 says. Other sizes are static.

    Example: the next token of four of eight sequences.
    ```mlir
    %y, %new = conv.causal_update %x, %w, %state indices(%i : tensor<4xi32>)
        : tensor<4x64x1xbf16>, tensor<64x4xbf16>, tensor<8x64x3xbf16>
          -> tensor<4x64x1xbf16>, tensor<8x64x3xbf16>
    ```
  }];
  let arguments = (ins
    Conv_Tensor:$input, Conv_Tensor:$weight, Conv_Tensor:$state,
    Optional<AnyRankedTensor>:$positions, Optional<AnyRankedTensor>:$indices,
    Variadic<Conv_Tensor>:$epilogueOperands);
  let results = (outs Conv_Tensor:$output, Conv_Tensor:$newState);
  let regions = (region MaxSizedRegion<1>:$epilogue);
  let assemblyFormat = [{
    $input `,` $weight `,` $state
    (`positions` `(` $positions^ `:` type($positions) `)`)?
    (`indices` `(` $indices^ `:` type($indices) `)`)?
    custom<Epilogue>($epilogueOperands, type($epilogueOperands), $epilogue)
    attr-dict `:` type($input) `,` type($weight) `,` type($state)
    `->` type($output) `,` type($newState)
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::conv::UpdateShape getShape();
    ::mlir::Region *getEpilogueRegion() { return &getEpilogue(); }
  }];
}

def Conv_FinalStateOp : Conv_Op<"final_state", [AttrSizedOperandSegments, Pure,
                                                DeclareOpInterfaceMethods<Conv_StateOpInterface>]> {
  let summary = "The last tokens of sequences, which the next ones see";
  let description = [{
    Of each of `N` sequences, the last `P` tokens: what the first tokens of its
    continuation see, if kernels have `P + 1` taps. A sequence is one of the batch,
    with `N = B`, `first = 0` and `end = T`; or, with `cu_seqlens`, it has the
    tokens from `first = cu_seqlens[n]` to before `end = cu_seqlens[n + 1]`.

    ```
    final[n, j, d], with t = end - P + j, is
        input[n, t, d]                          if first <= t and 0 <= t < T,
        initial_state[n, P + t - first, d]      if t < first and P + t >= first,
        0                                       otherwise.
    ```

    With `cache`, the result is the cache, in which row `indices[n]` becomes that
    of sequence `n`, and others stay what they are; a sequence whose index is not
    one of a row goes nowhere. That is how a prompt fills the cache that
    `conv.causal_update` goes on with. Of two sequences with one index, it is not
    defined which of their elements the row gets.

    The function returns such a result in place of `cache` (`conv.in_place`).

    Constraints:
      * (E1) `input` is `[B, T, D]` and the result `[N, P, D]`,
        or `[S, P, D]` with a cache, of positive sizes, fewer than 2^63 bytes and
        one element type.
      * (E2) `cu_seqlens` is a static vector of `N + 1` elements of i32 or i64,
        and `B` is 1 with it; without it, `N` is `B`.
      * (E3) `initial_state` is of type `[N, P, D]`.
      * (E4) `cache` and `indices` come together: the result has the type of
        `cache`, and `indices` is a vector of `N` elements of i32 or i64.
      * (E5) Without `cu_seqlens`, `B`, `T` and `S` may be `?`, as K11 says. Other
        sizes are static.

    Example: the states of four packed sequences.
    ```mlir
    %s = conv.final_state %x cu_seqlens(%starts : tensor<5xi32>)
        : tensor<1x200x64xbf16> -> tensor<4x3x64xbf16>
    ```
  }];
  let arguments = (ins
    Conv_Tensor:$input, Optional<AnyRankedTensor>:$cuSeqlens,
    Optional<Conv_Tensor>:$initialState, Optional<Conv_Tensor>:$cache,
    Optional<AnyRankedTensor>:$indices);
  let results = (outs Conv_Tensor:$result);
  let assemblyFormat = [{
    $input (`cu_seqlens` `(` $cuSeqlens^ `:` type($cuSeqlens) `)`)?
    (`initial_state` `(` $initialState^ `:` type($initialState) `)`)?
    (`into` `(` $cache^ `:` type($cache) `)`)?
    (`indices` `(` $indices^ `:` type($indices) `)`)?
    attr-dict `:` type($input) `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The number of sequences.
    int64_t countSequences();
  }];
}

def Conv_DynamicBackwardStateOp : Conv_Op<"dynamic_backward_state",
                                          [Pure, DeclareOpInterfaceMethods<Conv_StateOpInterface>]> {
  let summary = "Gradient of a dynamic convolution with respect to its initial state";
  let description = [{
    ```
    grad_state[b, j, d] = sum over w from 0 to j, with t = j - w and t < T, of
        kernel[b, t, group(d), w] * grad_output[b, t, d]
    ```

    `group`, `order` and `normalize` are those of `conv.dynamic_forward`. With
    `cu_seqlens`, `b` is one of `N` sequences, `t` counts the tokens from
    `cu_seqlens[b]` on, and `T` is the number of them up to `cu_seqlens[b + 1]`.
    Tokens outside of the tensors have no effect.

    Constraints:
      * (L1) `grad_output` is `[B, T, D]` and `kernel` a tensor of four
        dimensions with `B` and `T`, or 1 and 1, and `G` that divides `D`.
        Both have one element type: f32, f16 or bf16.
      * (L2) `grad_state` is `[B, W - 1, D]` of a floating type.
      * (L3) Sizes are positive, and the bytes of each tensor are below 2^63.
      * (L4) `B` and `T` may be `?`, as K11 says. Other sizes are static.
      * (L5) `cu_seqlens` is a static vector of `N + 1` elements of i32 or i64.
        With it, `B` is 1, and `grad_state` is `[N, W - 1, D]`.

    Example:
    ```mlir
    %ds = conv.dynamic_backward_state %dy, %k order = BTGW
        : tensor<2x100x64xbf16>, tensor<2x100x64x4xbf16> -> tensor<2x3x64xbf16>
    ```
  }];
  let arguments = !con((ins Conv_Tensor:$gradOutput, Conv_Tensor:$kernel,
                            Optional<AnyRankedTensor>:$cuSeqlens,
                            Conv_KernelOrderAttr:$order),
                       Conv_normalize);
  let results = (outs Conv_Tensor:$gradState);
  let assemblyFormat = [{
    $gradOutput `,` $kernel
    (`cu_seqlens` `(` $cuSeqlens^ `:` type($cuSeqlens) `)`)?
    `order` `=` $order (`normalize` `=` $normalize^)? attr-dict
    `:` type($gradOutput) `,` type($kernel) `->` type($gradState)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::conv::DynamicShape getShape();
    /// The number of sequences.
    int64_t countSequences();
  }];
}

#endif // CONV_STATE_OPS_TD
