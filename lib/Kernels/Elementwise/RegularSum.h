//===- RegularSum.h - sums of split-K slices --------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_ELEMENTWISE_REGULARSUM_H
#define CONV_LIB_KERNELS_ELEMENTWISE_REGULARSUM_H

#include "../Parts/MatrixAccess.h"

namespace mlir::conv {

/// The sum of the first inputs of an epilogue, in their order, if these are at
/// equal distances in one tensor, as for a split-K combine.
class RegularSum {
public:
  /// None if the epilogue adds few inputs, or does something else first.
  static std::optional<RegularSum> find(const Kernel &kernel);

  size_t getInputs() const { return additions.size() + 1; }
  /// Builds a loop that loads all slices, the first one at `offset`, and adds
  /// them up in the order of the epilogue.
  Value create(const Kernel &kernel, Value offset, Value guard) const;
  /// Maps the results of the epilogue's additions to the sum.
  void map(Value sum, IRMapping &mapping) const;

private:
  RegularSum(SmallVector<Operation *> additions, int64_t distance)
      : additions(std::move(additions)), distance(distance) {}
  /// Adds `parts` slices, starting at an offset, to a sum.
  Value addParts(const Kernel &kernel, Value offset, Value sum,
                 int64_t parts) const;

  SmallVector<Operation *> additions;
  int64_t distance; ///< Between slices, in elements.
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_ELEMENTWISE_REGULARSUM_H
