//===- PrepackOps.td - filters that callers pack ------------*- tablegen -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_PREPACK_OPS_TD
#define CONV_PREPACK_OPS_TD

include "conv/Dialect/Conv/IR/ConvDialect.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Conv_UnpackOp : Conv_Op<"unpack", [Pure]> {
  let summary = "The filter that a packed argument was made from";
  let description = [{
    `conv.prepack` on an argument asks for a function that brings this filter
    into the form in which the plan reads it, so that callers do that once.
    `conv-prepack-filter` creates that function, and says in `conv.packed_by`
    which one packs the argument:

    ```mlir
    func.func @f(%x: tensor<1x8x8x4xf32>, %w: tensor<8x3x3x4xf32> {conv.prepack}) -> ...
    func.func @f(%x: tensor<1x8x8x4xf32>, %p: tensor<16x8x1x4xf32> {conv.packed_by = @f.prepack}) -> ...
    ```

      * (N9) `conv.prepack` has no value. The argument is a tensor that callers
        pass, and no result is in its place.
      * (N10) `conv.packed_by` is a symbol. The n-th argument that a function
        packs is its n-th result, for its n-th argument.

    This op stands for the filter in the function that reads `packed`, so that
    the convolution, its schedule and what is recorded of them stay as they were.
    It is never computed: when the plan is made, the convolution's transformed
    filter is `packed`, and nothing reads the result of this op any more.

    Example: the filter of F(2 x 2, 3 x 3).
    ```mlir
    %w = conv.unpack %packed : tensor<16x8x1x4xf32> -> tensor<8x3x3x4xf32>
    ```
  }];
  let arguments = (ins AnyStaticShapeTensor:$packed);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = [{
    $packed attr-dict `:` type($packed) `->` type($result)
  }];
}

#endif // CONV_PREPACK_OPS_TD
