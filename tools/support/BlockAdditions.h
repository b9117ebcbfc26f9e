//===- BlockAdditions.h - what sums of products round -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An addition rounds a partial sum, which is smaller than the sum of magnitudes
// if products have either sign. In which order products are added is a fact of
// the kernel, which the artifact tells (docs/numerics.md).
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_SUPPORT_BLOCKADDITIONS_H
#define CONV_TOOLS_SUPPORT_BLOCKADDITIONS_H

#include "BlockTransform.h"

#include <vector>

namespace conv::reference {

/// Follows the additions of products to the sums of a block. Of neighbours
/// whose order is not known, any may be added first.
class BlockAdditions {
public:
  /// What `secondOrder` is to `transform`.
  BlockAdditions(const artifact::Roundings &order, double secondOrder,
                 Transformed &sums)
      : order(order), secondOrder(secondOrder), sums(sums),
        raised(sums.values.values.size()), lowered(raised), slice(raised),
        raisedSlices(raised), loweredSlices(raised) {}

  /// A product for each of `count` sums from `first` on: of `left` and `right`,
  /// with a magnitude of at most `leftMagnitude` times `rightMagnitudes`. The
  /// sums have what its operands lost already.
  void add(size_t first, int64_t count, double left, const double *right,
           double leftMagnitude, const double *rightMagnitudes);
  /// All sums have one more product.
  void endProduct();
  /// All sums have all of their products.
  void end();

private:
  bool isKnown() const { return order.unordered > 0; }
  void endNeighbours();
  void endSlice();
  /// What a partial sum of at most this magnitude loses.
  double computeLost(size_t i, double magnitude) const {
    return computeRounding(magnitude + sums.errors.values[i],
                           sums.rounded.values[i] +
                               secondOrder * sums.added.values[i]);
  }

  const artifact::Roundings &order;
  double secondOrder;
  Transformed &sums;
  /// What positive and negative products of the neighbours add up to.
  std::vector<double> raised, lowered;
  std::vector<double> slice; ///< The sum of a slice up to these neighbours.
  std::vector<double> raisedSlices, loweredSlices; ///< The same of slices.
  int64_t neighbours = 0, inSlice = 0, slices = 0;
};

} // namespace conv::reference

#endif // CONV_TOOLS_SUPPORT_BLOCKADDITIONS_H
