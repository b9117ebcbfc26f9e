//===- ViewOps.td - reading and writing matrices of a view -*- tablegen -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_VIEW_OPS_TD
#define CONV_VIEW_OPS_TD

include "conv/Dialect/Conv/IR/ViewAttr.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/TilingInterface.td"

def Conv_GatherOp : Conv_Op<"gather", [Pure,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, [
      "reifyResultShapes"]>,
    DeclareOpInterfaceMethods<TilingInterface, [
      "getLoopIteratorTypes", "getIterationDomain", "getTiledImplementation",
      "getResultTilePosition", "generateResultTileValue"]>]> {
  let summary = "A tile of the matrices of a view";
  let description = [{
    The tile starts at matrix `batch`, row `row` and column `column`; `sizes`
    are those of its dimensions that are dynamic. It need not be aligned to
    anything.

    Constraints:
      * (I1) `source` is static and has the rank of the view.
      * (I2) `source` and the result have the same element type.
      * (I3) The result is no larger than the view.
      * (I4) There is one size for each dynamic dimension of the result.

    Example:
    ```mlir
    %a = conv.gather %x[%g, %m, %k]
        view = <batch = [g = 1], rows = [n = 1, p = 56, q = 56],
          columns = [r = 3, s = 3, c = 64],
          map = affine_map<(g, n, p, q, r, s, c) -> (n, p + r - 1, q + s - 1, g * 64 + c)>>
        : tensor<1x56x56x64xf16> -> tensor<1x128x32xf16>
    %b = conv.gather %w[%g, %n, %k] sizes(%rest)
        view = <batch = [g = 1], rows = [k = 32], columns = [r = 3, s = 3, c = 64],
          map = affine_map<(g, k, r, s, c) -> (g * 32 + k, r, s, c)>>
        : tensor<32x3x3x64xf16> -> tensor<1x32x?xf16>
    ```
  }];
  let arguments = (ins
    AnyRankedTensor:$source,
    Index:$batch,
    Index:$row,
    Index:$column,
    Variadic<Index>:$sizes,
    Conv_ViewAttr:$view
  );
  let results = (outs 3DTensorOf<[AnyType]>:$result);
  let assemblyFormat = [{
    $source `[` $batch `,` $row `,` $column `]` (`sizes` `(` $sizes^ `)`)?
    `view` `=` $view attr-dict `:` type($source) `->` type($result)
  }];
  let builders = [
    /// Gathers all matrices of the view.
    OpBuilder<(ins "Value":$source, "ViewAttr":$view)>
  ];
  let hasVerifier = 1;
}

def Conv_ScatterOp : Conv_Op<"scatter", [Pure,
    AllTypesMatch<["destination", "result"]>]> {
  let summary = "Writes all matrices of views into a tensor";
  let description = [{
    The result is `destination` with the elements of the views replaced, each by
    those of the matrices in its place. What several matrices are computed from
    is independent of each other: one kernel computes all that one op scatters.

    Constraints:
      * (O1) `destination` is static and has the rank of the views, of which
        there is one for each of `matrices`.
      * (O2) Each of `matrices` has the element type of `destination` and its
        view's sizes.
      * (O3) Every coordinate of an element that no condition of its view
        excludes is inside `destination`. The others are not written.
      * (O4) No two elements that are written have the same place. Without
        conditions: with digits of more than one value sorted by their distance
        in `destination`, each distance is larger than the sum of all the smaller
        ones times the digits' largest values.
      * (O5) Any two views differ in a coordinate: no value of one of them is
        one of the other, since their ranges or their remainders by the common
        divisor of all coefficients differ.

    Examples: the pixels of an image, by channels; and the rows of a matrix, the
    even ones from one place and the odd ones from another.
    ```mlir
    %y = conv.scatter %tiles into %empty view =
        <batch = [g = 1], rows = [n = 1, p = 56, q = 56], columns = [k = 64],
          map = affine_map<(g, n, p, q, k) -> (n, k + g * 64, p, q)>>
        : tensor<1x3136x64xf16> into tensor<1x64x56x56xf16>
    %z = conv.scatter %even, %odd into %empty view =
        <batch = [1], rows = [4], columns = [8], map = affine_map<(g, m, n) -> (m * 2, n)>>,
        <batch = [1], rows = [3], columns = [8], map = affine_map<(g, m, n) -> (m * 2 + 1, n)>>
        : tensor<1x4x8xf16>, tensor<1x3x8xf16> into tensor<7x8xf16>
    ```
  }];
  let arguments = (ins
    AnyRankedTensor:$destination,
    Variadic<3DTensorOf<[AnyType]>>:$matrices,
    TypedArrayAttrBase<Conv_ViewAttr, "views">:$views
  );
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $matrices `into` $destination `view` `=` custom<Views>($views) attr-dict
    `:` type($matrices) `into` type($destination)
  }];
  let extraClassDeclaration = [{
    ViewAttr getView(size_t index) {
      return ::mlir::cast<ViewAttr>(getViews()[index]);
    }
  }];
  let hasVerifier = 1;
}

#endif // CONV_VIEW_OPS_TD
