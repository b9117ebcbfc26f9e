//===- Im2colOp.td - the gather of implicit GEMM ----------*- tablegen -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_IM2COL_OP_TD
#define CONV_IM2COL_OP_TD

include "conv/Dialect/Conv/IR/ConvAttrs.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/TilingInterface.td"

def Conv_Im2colOp : Conv_Op<"im2col", [Pure,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, [
      "reifyResultShapes"]>,
    DeclareOpInterfaceMethods<TilingInterface, [
      "getLoopIteratorTypes", "getIterationDomain", "getTiledImplementation",
      "getResultTilePosition", "generateResultTileValue"]>]> {
  let summary = "A tile of the matrix whose rows are the windows of an input";
  let description = [{
    The whole matrix has one row per output pixel, in the order `(n, p, q)`, and
    one column per filter element, in the order `(r, s, c)`:

    ```
    matrix[(n*P + p)*Q + q][(r*S + s)*C + c] =
        input[n, p * strides[0] + r * dilations[0] - low[0],
                 q * strides[1] + s * dilations[1] - low[1], c]
    ```

    and zero where that is outside of `input`. The result is the tile that
    starts at `[row, column]`; `sizes` are those of its dimensions that are
    dynamic. It need not be aligned to anything: every tile
    carries the geometry it takes to decode its own rows and columns, which a
    `linalg.generic` with a floordiv/mod map loses when it is tiled.

    Constraints:
      * (I1) `input` has `N`, the spatial dimensions and `C`, in the order
        `N ... C`.
      * (I2) `window`, `filter` and `output` have one entry per spatial
        dimension; those of `filter` and `output` are positive.
      * (I3) `input` and the result have the same element type.
      * (I4) The result is no larger than the whole matrix.
      * (I5) There is one size for each dynamic dimension of the result.

    Example:
    ```mlir
    %a = conv.im2col %x[%m, %k]
        window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        filter = [3, 3] output = [56, 56]
        : tensor<1x56x56x64xf16> -> tensor<128x32xf16>
    %b = conv.im2col %x[%m, %k] sizes(%rest)
        window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        filter = [3, 3] output = [56, 56]
        : tensor<1x56x56x64xf16> -> tensor<128x?xf16>
    ```
  }];
  let arguments = (ins
    AnyRankedTensor:$input,
    Index:$row,
    Index:$column,
    Variadic<Index>:$sizes,
    Conv_WindowAttr:$window,
    DenseI64ArrayAttr:$filter,
    DenseI64ArrayAttr:$output
  );
  let results = (outs 2DTensorOf<[AnyType]>:$result);
  let assemblyFormat = [{
    $input `[` $row `,` $column `]` (`sizes` `(` $sizes^ `)`)? `window` `=` $window `filter` `=` $filter
    `output` `=` $output attr-dict `:` type($input) `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Rows of the whole matrix: N times the output's spatial sizes.
    int64_t getNumRows();
    /// Columns of the whole matrix: the filter's spatial sizes times C.
    int64_t getNumColumns();
  }];
}

#endif // CONV_IM2COL_OP_TD
