//===- DirectStep.h - products of a step of a reduction ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_DIRECT_DIRECTSTEP_H
#define CONV_LIB_KERNELS_DIRECT_DIRECTSTEP_H

#include "DirectOperands.h"

#include <memory>

namespace mlir::conv {

/// How the work-items of a workgroup multiply a step of a reduction: what is in
/// shared memory at a time, `gemm_k` elements. A *unit* is the set of elements
/// that a work-item sums up. Work-items with the same unit are its *slices*,
/// and divide its reduction.
class DirectStep {
public:
  DirectStep(int64_t numUnits, Value number)
      : numUnits(numUnits), number(number) {}
  virtual ~DirectStep() = default;

  /// The work-item with number i has unit `i % numUnits` and is its slice `i /
  /// numUnits`.
  const int64_t numUnits;
  const Value number;

  /// The sums before the first step.
  virtual SmallVector<Value> createZeros() const = 0;
  /// Adds the work-item's products of a step.
  virtual SmallVector<Value> create(ValueRange sums) const = 0;
  /// The sums as single elements.
  virtual SmallVector<Value> getElements(ValueRange sums) const = 0;

  /// Digits of batch, rows and columns, relative to the tile, and whether the
  /// element exists.
  struct Place {
    SmallVector<Value> digits;
    Value guard;
  };
  /// The place of element `element` of a unit.
  virtual Place locate(Value unit, Value element) const = 0;
};

/// Each work-item multiplies the elements of a few matrices.
std::unique_ptr<DirectStep> createFmaStep(const Kernel &kernel,
                                          const DirectOperands &operands);
/// Each subgroup multiplies a channel vector with matrix instructions.
std::unique_ptr<DirectStep> createBlockStep(const Kernel &kernel,
                                            const DirectOperands &operands);
/// Each subgroup multiplies some channels, each of which is a matrix, with
/// matrix instructions.
std::unique_ptr<DirectStep> createBandedStep(const Kernel &kernel,
                                             const DirectOperands &operands);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_DIRECT_DIRECTSTEP_H
