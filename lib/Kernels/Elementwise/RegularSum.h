//===- RegularSum.h - sums of many parts of a tensor ------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_ELEMENTWISE_REGULARSUM_H
#define CONV_LIB_KERNELS_ELEMENTWISE_REGULARSUM_H

#include "../Parts/MatrixAccess.h"

namespace mlir::conv {

/// The sum of the first inputs of an epilogue, which are parts of one tensor at
/// equal distances, in the order of the inputs: the sum of a split product.
class RegularSum {
public:
  /// None where the epilogue adds few parts, or does something else first.
  static std::optional<RegularSum> find(const Kernel &kernel);

  size_t getInputs() const { return additions.size() + 1; }
  /// Builds a loop that loads the parts at this offset of the first one and
  /// adds them up in the order of the epilogue.
  Value create(const Kernel &kernel, Value offset, Value guard) const;
  /// Lets the sum stand for what the epilogue's additions compute.
  void map(Value sum, IRMapping &mapping) const;

private:
  RegularSum(SmallVector<Operation *> additions, int64_t distance)
      : additions(std::move(additions)), distance(distance) {}
  /// Adds as many parts from an offset on to a sum.
  Value addParts(const Kernel &kernel, Value offset, Value guard, Value sum,
                 int64_t parts) const;

  SmallVector<Operation *> additions;
  int64_t distance; ///< From one part to the next, in elements.
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_ELEMENTWISE_REGULARSUM_H
