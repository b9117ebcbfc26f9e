//===- ViewAttr.td - tensors seen as matrices -------------*- tablegen -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_VIEW_ATTR_TD
#define CONV_VIEW_ATTR_TD

include "conv/Dialect/Conv/IR/ConvAttrs.td"

def Conv_ViewAttr : Conv_Attr<"View", "view"> {
  let summary = "A tensor seen as a batch of matrices";
  let description = [{
    Every operand and result of a convolution, in every direction and layout,
    is a batch of matrices in which the convolution is a matrix product. A view
    says where the elements of those matrices are in the tensor.

    The index of a matrix is a number in the mixed radix `batch`, outermost
    digit first; so are the index of a row in `rows` and of a column in
    `columns`. `map` takes all digits, in this order, to the coordinates of the
    element in the tensor:

    ```
    matrices[b][row][column] = tensor[map(digits(b), digits(row), digits(column))]
    ```

    Where a coordinate is outside of the tensor, `padding` says what the element
    is: zero, or the element at another coordinate (see `conv.forward`). A view
    therefore needs no copy and no padded tensor, and any tile of it can be
    computed: it carries the geometry, which a `linalg.generic` with a
    floordiv/mod map loses when it is tiled.

    `map` may have more results than the tensor has dimensions. The additional
    ones are conditions, one for each entry of `limits`: the matrix has the
    element only where condition `i` is from 0 to `limits[i] - 1`, and is zero
    elsewhere. The matrix of a filter with several groups side by side has zeros
    for two different groups, for example.

    Constraints:
      * (V1) The entries of `batch`, `rows` and `columns` are positive, and the
        product of all is below 2^63.
      * (V2) `map` has one dimension per entry and no symbols, and each of its
        results is a sum of multiples of dimensions and a constant.
      * (V3) Every coordinate is between -2^62 and 2^62.
      * (V4) `limits` are positive, and `map` has at least as many results.

    Example: the windows of a 3x3 filter with padding 1 over an `NHWC` tensor of
    8 images of 56x56 and 64 channels.
    ```mlir
    #conv.view<batch = [1], rows = [8, 56, 56], columns = [3, 3, 64],
      map = affine_map<(g, n, p, q, r, s, c) -> (n, p + r - 1, q + s - 1, g * 64 + c)>>
    ```
  }];
  let parameters = (ins
    OptionalArrayRefParameter<"int64_t">:$batch,
    OptionalArrayRefParameter<"int64_t">:$rows,
    OptionalArrayRefParameter<"int64_t">:$columns,
    "AffineMap":$map,
    OptionalArrayRefParameter<"int64_t">:$limits,
    DefaultValuedParameter<"PaddingMode", "PaddingMode::Zeros">:$padding
  );
  let assemblyFormat = [{
    `<` `batch` `=` `[` (`]`) : ($batch^ `]`)? `,`
        `rows` `=` `[` (`]`) : ($rows^ `]`)? `,`
        `columns` `=` `[` (`]`) : ($columns^ `]`)? `,`
        `map` `=` `affine_map` `<` $map `>`
        `` custom<ViewOptions>($limits, $padding) `>`
  }];
  let extraClassDeclaration = [{
    /// A coordinate: `constant` plus the sum of digits times `coefficients`,
    /// which are in the order of the map's dimensions.
    struct Coordinate {
      ::llvm::SmallVector<int64_t> coefficients;
      int64_t constant;
    };
    /// The coordinates, in the order of the tensor's dimensions, and after them
    /// the conditions.
    ::llvm::SmallVector<Coordinate> getCoordinates() const;
    /// Dimensions of the tensor.
    unsigned getTensorRank() const {
      return getMap().getNumResults() - getLimits().size();
    }
    /// All digits' sizes, in the order of the map's dimensions.
    ::llvm::SmallVector<int64_t> getDigitSizes() const;
    /// Number of matrices, of rows and of columns.
    ::std::array<int64_t, 3> getShape() const;
    /// The smallest and the largest value of a coordinate.
    ::std::pair<int64_t, int64_t> getRange(const Coordinate &coordinate) const;
  }];
}

#endif // CONV_VIEW_ATTR_TD
