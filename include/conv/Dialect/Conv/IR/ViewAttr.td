//===- ViewAttr.td - tensors viewed as matrices ------------*- tablegen -*-===//
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

    A digit can have a name, its role: the index of the convolution that it
    counts, in the letters of layouts, but lower-case.

    | role | counts |
    | --- | --- |
    | `g` | groups |
    | `n` | images |
    | `c`, `k` | input and output channels of a group |
    | `d`, `h`, `w` | positions of the input |
    | `z`, `p`, `q` | positions of the output |
    | `t`, `r`, `s` | elements of the filter |

    Where several digits count one index, the name of each says which part of it
    it is:

    | role | counts |
    | --- | --- |
    | `p.split` | split-K slices, of any index but `g` that is summed up |
    | `p.tile`, `p.block`, `p.in` | halo tiles of positions, blocks of a halo tile, and positions of a block |
    | `c.tile`, `c.in` | rows of channels, and channels of a row |
    | `h.phase`, `h.gap` | dgrad phases that are joined, and gaps that no element of the filter meets, of positions of the input |
    | `g.left`, `g.right` | merged groups, on both sides of the product |

    Roles make geometry a lookup. Of the coordinate `h` of an input, for
    example, the coefficient of `p` is the stride of the window, that of `r` its
    dilation, and the constant minus the low padding. Matrices of other tensors
    than those of a convolution have digits without roles.

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
      * (V5) There are as many roles as digits, or none at all.
      * (V6) At most one digit has a role: a role names it in all of the view.

    Example: the windows of a 3x3 filter with padding 1 over an `NHWC` tensor of
    8 images of 56x56 and 64 channels.
    ```mlir
    #conv.view<batch = [g = 1], rows = [n = 8, p = 56, q = 56],
      columns = [r = 3, s = 3, c = 64],
      map = affine_map<(g, n, p, q, r, s, c) -> (n, p + r - 1, q + s - 1, g * 64 + c)>>
    ```
  }];
  let parameters = (ins
    OptionalArrayRefParameter<"int64_t">:$batch,
    OptionalArrayRefParameter<"int64_t">:$rows,
    OptionalArrayRefParameter<"int64_t">:$columns,
    OptionalArrayRefParameter<"DigitRole",
      "of all digits, in the order of the map's dimensions, or empty">:$roles,
    "AffineMap":$map,
    OptionalArrayRefParameter<"int64_t">:$limits,
    DefaultValuedParameter<"PaddingMode", "PaddingMode::Zeros">:$padding
  );
  let assemblyFormat = [{
    `<` custom<Digits>($batch, $rows, $columns, $roles) `,`
        `map` `=` `affine_map` `<` $map `>`
        `` custom<ViewOptions>($limits, $padding) `>`
  }];
  let builders = [
    AttrBuilder<(ins "ArrayRef<int64_t>":$batch, "ArrayRef<int64_t>":$rows,
                     "ArrayRef<int64_t>":$columns, "AffineMap":$map,
                     "ArrayRef<int64_t>":$limits, "PaddingMode":$padding),
      [{
        // Digits without roles.
        return $_get($_ctxt, batch, rows, columns, ArrayRef<DigitRole>(), map,
                     limits, padding);
      }]>
  ];
  let extraClassDeclaration = [{
    /// A coordinate: `constant` plus the sum of digits times `coefficients`,
    /// which are in the order of the map's dimensions.
    struct Coordinate {
      ::llvm::SmallVector<int64_t> coefficients;
      int64_t constant;
    };
    /// The coordinates, in the order of the tensor's dimensions, followed by
    /// the conditions.
    ::llvm::SmallVector<Coordinate> getCoordinates() const;
    /// Number of the tensor's dimensions.
    unsigned getTensorRank() const {
      return getMap().getNumResults() - getLimits().size();
    }
    /// The sizes of all digits, in the order of the map's dimensions.
    ::llvm::SmallVector<int64_t> getDigitSizes() const;
    /// Number of matrices, of rows and of columns.
    ::std::array<int64_t, 3> getShape() const;
    /// The smallest and the largest value of a coordinate.
    ::std::pair<int64_t, int64_t> getRange(const Coordinate &coordinate) const;

    /// The roles of the digits of one index, one per digit, or none if no digit
    /// of the view has a role.
    ::llvm::ArrayRef<DigitRole> getBatchRoles() const {
      return getRoles().take_front(getBatch().size());
    }
    ::llvm::ArrayRef<DigitRole> getRowRoles() const {
      return getRoles().drop_front(getBatchRoles().size())
                       .take_front(getRows().size());
    }
    ::llvm::ArrayRef<DigitRole> getColumnRoles() const {
      return getRoles().take_back(getColumns().size());
    }
    /// The number of the digit with a role, in the order of the map's
    /// dimensions, or none if the view does not have it.
    ::std::optional<unsigned> find(DigitRole role) const;
    /// The size of the digit with a role: 1 if the view does not have it.
    int64_t getSize(DigitRole role) const;
    /// The change of a coordinate from one value of the digit with a role to
    /// the next: 0 if the view does not have the digit.
    int64_t getCoefficient(const Coordinate &coordinate, DigitRole role) const;
    /// Whether only digits with these roles change a coordinate.
    bool isOnlyMovedBy(const Coordinate &coordinate,
                       ::llvm::ArrayRef<DigitRole> roles) const;

    /// A window along a spatial dimension: the coordinate is `stride * position
    /// + dilation * tap - low`. A coefficient is 0 if the view does not have its
    /// digit.
    struct Window {
      DigitRole position, tap;
      int64_t stride, dilation, low;
    };
    /// The window in a coordinate of dimension `axis` (`DigitRole::getAxis`).
    Window getWindow(const Coordinate &coordinate, unsigned axis) const;
  }];
}

#endif // CONV_VIEW_ATTR_TD
