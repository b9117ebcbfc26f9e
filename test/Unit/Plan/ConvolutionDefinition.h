//===- ConvolutionDefinition.h - convolutions on integers -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands of any layout, and the result by the definition: one loop over every
// index that adds each product where it belongs.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TEST_UNIT_PLAN_CONVOLUTIONDEFINITION_H
#define CONV_TEST_UNIT_PLAN_CONVOLUTIONDEFINITION_H

#include "conv/Dialect/Conv/IR/ConvShape.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace mlir::conv::test {

/// An index for each letter of the order strings.
using Indices = std::array<int64_t, 128>;

inline const std::string kSpatialLetters[] = {"DHW", "TRS", "ZPQ"};

/// The sizes of a convolution. Channels are the channels of one group.
struct Sizes {
  int64_t n = 1, groups = 1, c = 1, k = 1;
  SmallVector<int64_t> input, filter, strides, dilations, low, high;
  /// Of input, filter and output.
  std::array<std::string, 3> orders;
  PaddingMode padding = PaddingMode::Zeros;

  size_t getRank() const { return input.size(); }
  /// The letter of spatial dimension `d` of an operand.
  char letter(TensorRole role, size_t d) const {
    return kSpatialLetters[size_t(role)][3 - getRank() + d];
  }
  bool hasGroupDimension() const {
    return orders[0].find('G') != std::string::npos;
  }
  int64_t output(size_t d) const {
    return computeOutputSize(
               {input[d], filter[d], strides[d], dilations[d], low[d], high[d]})
        .value_or(0);
  }
  /// Whether the op verifies: the window fits (C6), and padding does not exceed
  /// the limit of its mode (C11, C12).
  bool isValid() const {
    for (size_t d = 0; d < getRank(); ++d) {
      int64_t padded = std::max(low[d], high[d]);
      if (output(d) == 0 ||
          (padding == PaddingMode::Reflect && padded >= input[d]) ||
          (padding == PaddingMode::Circular && padded > input[d]))
        return false;
    }
    return true;
  }
  int64_t size(char letter) const;
};

/// Elements of a shape, the last dimension innermost.
struct Array {
  SmallVector<int64_t> shape;
  std::vector<int64_t> elements;

  explicit Array(ArrayRef<int64_t> shape, int64_t value = 0)
      : shape(shape), elements(llvm::product_of(shape), value) {}
  /// The position of an element, or none for a zero outside of the array.
  std::optional<size_t> find(ArrayRef<int64_t> coordinates,
                             PaddingMode padding = PaddingMode::Zeros) const;
};

/// An operand or the result of a convolution.
struct Tensor : Array {
  TensorRole role;
  const Sizes &sizes;

  Tensor(TensorRole role, const Sizes &sizes, int64_t value = 0)
      : Array(getShape(role, sizes), value), role(role), sizes(sizes) {}
  const std::string &order() const { return sizes.orders[size_t(role)]; }
  size_t findIndices(const Indices &indices) const;
  std::string type() const;
  /// Whether this dimension counts the channels of all groups.
  static bool countsGroups(TensorRole role, const Sizes &sizes, char letter);
  static SmallVector<int64_t> getShape(TensorRole role, const Sizes &sizes);
};

using Tensors = std::array<Tensor, 3>;

/// The result, in `result`'s order, of the other two tensors.
std::vector<int64_t> computeDefinition(const Tensors &tensors,
                                       TensorRole result);

} // namespace mlir::conv::test

#endif // CONV_TEST_UNIT_PLAN_CONVOLUTIONDEFINITION_H
