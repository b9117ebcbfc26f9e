//===- SequenceOp.td - where tokens are in their sequence --*- tablegen -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SEQUENCE_OP_TD
#define CONV_SEQUENCE_OP_TD

include "conv/Dialect/Conv/IR/ConvAttrs.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Conv_Side : I32EnumAttr<"Side", "which neighbours of a token", [
    I32EnumAttrCase<"Before", 0, "before">,
    I32EnumAttrCase<"After", 1, "after">
  ]> {
  let cppNamespace = "::mlir::conv";
  let genSpecializedAttr = 0;
}

def Conv_SideAttr : EnumAttr<Conv_Dialect, Conv_Side, "side">;

def Conv_CountNeighboursOp : Conv_Op<"count_neighbours", [Pure]> {
  let summary = "How many tokens of its sequence are before or after each token";
  let description = [{
    Packed sequences follow each other: sequence `i` has the tokens from
    `cu_seqlens[i]` to `cu_seqlens[i + 1] - 1`. With `T` tokens, for each token
    `t`:

    ```
    first = the largest element of cu_seqlens that is at most t, or 0
    end   = the smallest element of cu_seqlens that is larger than t, or T
    before: result[t] = min(limit, t - first)
    after:  result[t] = min(limit, end - 1 - t)
    ```

    So what is before `cu_seqlens[0]`, or from the last element on, is a sequence
    as well. If elements decrease, both are what this bisection of the `n`
    elements finds, which reads nothing outside of them, whatever they are; each
    result is from 0 to `limit` then, too:

    ```
    low = 0, high = n + 1, first = 0, end = T
    while high - low > 1:
      middle = (low + high) / 2, start = cu_seqlens[middle - 1]
      if start <= t: low = middle, first = max(start, 0)
      else: high = middle, end = start
    ```

    Constraints:
      * (Q1) `cu_seqlens` is a static vector of i32 or i64, and the result one of
        i8 or i32.
      * (Q2) `limit` is from 0 to 2^30, or 127 if the result is of i8, and the
        result has at most 2^30 elements.

    Example: three tokens are enough for kernels of four taps.
    ```mlir
    %n = conv.count_neighbours before %cu_seqlens limit = 3
        : tensor<5xi32> -> tensor<104xi32>
    ```
  }];
  let arguments = (ins Conv_SideAttr:$side, AnyStaticShapeTensor:$cuSeqlens,
                       I64Attr:$limit);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = [{
    $side $cuSeqlens `limit` `=` $limit attr-dict
    `:` type($cuSeqlens) `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif // CONV_SEQUENCE_OP_TD
