//===- BlockTransformOp.td - conv.block_transform ----------*- tablegen -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_BLOCK_TRANSFORM_OP_TD
#define CONV_BLOCK_TRANSFORM_OP_TD

include "conv/Dialect/Conv/IR/ViewAttr.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Conv_BlockTransformOp : Conv_Op<"block_transform", [Pure, IsolatedFromAbove]> {
  let summary = "Small linear transforms of the blocks of a tensor";
  let description = [{
    The memory-bound kernel of a plan that turns each block of the source into
    one of the result by a matrix in each of its dimensions: the transforms of
    the input, the filter and the result of Winograd's algorithm.

    Blocks are seen through two views: the matrix of a batch is the place in the
    block, of which each digit of `batch` is a dimension; rows and columns say
    which block it is. With one dimension and two,

    ```
    to[i][row][column] = epilogue(sum over k of m_0[i, k] * from[k][row][column])
    to[i, j][row][column] = epilogue(sum over k, l of
                                 m_0[i, k] * m_1[j, l] * from[k, l][row][column])
    ```

    A block is held in registers, and computed in f32, dimension by dimension.
    Elements outside of the source are zero; those that conditions of `to`
    exclude are not written, and those of the result that nothing writes are
    undefined. Without a region, `epilogue` converts to the result's element type. Operands of
    the epilogue are read through `views`, at the place of the result's element.

    Constraints:
      * (B1) `source`, the result and the operands of the epilogue have the
        ranks of their views, of which there is one for each operand.
      * (B2) `matrices` has a matrix of f32 for each digit of `batch`, 1 to 8
        rows and columns each: as many columns as `from` has values of that
        digit, and as many rows as `to` and `views` have.
      * (B3) All views have the same `rows` and `columns`.
      * (B4) All elements are f32, f16 or bf16, those of `source` may be 8-bit
        floats, and padding is zeros.
      * (B5) The epilogue has an f32 and one scalar per operand as arguments,
        only `arith` and `math` ops on scalars, and yields the element type of
        the result. Without a region there are no operands.
      * (B6) For each place in a block, `to` obeys O3 to O5 of `conv.scatter`.

    Example: results of F(2, 3) in one dimension, with a bias.
    ```mlir
    %y = conv.block_transform %m
        from = <batch = [4], rows = [1, 7], columns = [16],
          map = affine_map<(i, n, t, k) -> (i, n * 7 + t, k)>>
        matrices = [dense<[[1.0, 1.0, 1.0, 0.0], [0.0, 1.0, -1.0, 1.0]]> : tensor<2x4xf32>]
        to = <batch = [2], rows = [1, 7], columns = [16],
          map = affine_map<(i, n, t, k) -> (n, t * 2 + i, k)>>
        epilogue(%bias : tensor<16xf32>) {
        ^bb0(%sum: f32, %b: f32):
          %out = arith.addf %sum, %b : f32
          conv.yield %out : f32
        } views = <batch = [2], rows = [1, 7], columns = [16],
          map = affine_map<(i, n, t, k) -> (k)>>
        : tensor<4x7x16xf32> -> tensor<1x14x16xf32>
    ```
  }];
  let arguments = (ins
    AnyStaticShapeTensor:$source,
    Variadic<AnyStaticShapeTensor>:$epilogueOperands,
    Conv_ViewAttr:$from,
    ArrayAttr:$matrices,
    Conv_ViewAttr:$to,
    TypedArrayAttrBase<Conv_ViewAttr, "views">:$views
  );
  let results = (outs AnyStaticShapeTensor:$result);
  let regions = (region MaxSizedRegion<1>:$epilogue);
  let assemblyFormat = [{
    $source `from` `=` $from `matrices` `=` $matrices `to` `=` $to
    custom<Epilogue>($epilogueOperands, type($epilogueOperands), $epilogue)
    custom<EpilogueViews>($views) attr-dict
    `:` type($source) `->` type($result)
  }];
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getSourceType() {
      return ::mlir::cast<::mlir::RankedTensorType>(getSource().getType());
    }
    ::mlir::RankedTensorType getResultType() {
      return ::mlir::cast<::mlir::RankedTensorType>(getResult().getType());
    }
    ::mlir::DenseElementsAttr getMatrix(size_t dimension) {
      return ::mlir::cast<::mlir::DenseElementsAttr>(getMatrices()[dimension]);
    }
    ::mlir::conv::ViewAttr getOperandView(size_t index) {
      return ::mlir::cast<::mlir::conv::ViewAttr>(getViews()[index]);
    }
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

#endif // CONV_BLOCK_TRANSFORM_OP_TD
