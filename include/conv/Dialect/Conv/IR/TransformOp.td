//===- TransformOp.td - conv.transform ---------------------*- tablegen -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TRANSFORM_OP_TD
#define CONV_TRANSFORM_OP_TD

include "conv/Dialect/Conv/IR/ConvAttrs.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Conv_TransformOp : Conv_Op<"transform", [Pure]> {
  let summary = "A tensor with its dimensions in another order and of other sizes";
  let description = [{
    The memory-bound kernel of a plan: it brings an operand into the layout in
    which a product reads it at full speed, or a result into the layout in which
    the caller wants it.

    ```
    result[i_0, ..., i_n] = source[j_0, ..., j_n]   with j_permutation[d] = i_d
    ```

    Dimension `d` of the result is dimension `permutation[d]` of the source, as in
    `linalg.transpose`. Its size may differ: elements beyond the source are zero,
    which pads channels to a multiple that copies need, and elements beyond the
    result are left out. Elements may be converted to a type that has all of
    their values.

    Constraints:
      * (F1) `source` and the result are static and have the same rank. They have
        the same element type, or 8-bit floats become f16.
      * (F2) `permutation` has each dimension of `source` once.

    Example: `NCHW` to `NHWC`, with 3 channels padded to 8.
    ```mlir
    %y = conv.transform %x permutation = [0, 2, 3, 1]
        : tensor<64x3x224x224xbf16> -> tensor<64x224x224x8xbf16>
    ```
  }];
  let arguments = (ins AnyStaticShapeTensor:$source,
                       DenseI64ArrayAttr:$permutation);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = [{
    $source `permutation` `=` $permutation attr-dict
    `:` type($source) `->` type($result)
  }];
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getSourceType() {
      return ::mlir::cast<::mlir::RankedTensorType>(getSource().getType());
    }
    ::mlir::RankedTensorType getResultType() {
      return ::mlir::cast<::mlir::RankedTensorType>(getResult().getType());
    }
  }];
  let hasVerifier = 1;
}

#endif // CONV_TRANSFORM_OP_TD
