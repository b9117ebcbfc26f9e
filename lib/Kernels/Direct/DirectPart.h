//===- DirectPart.h - products of a part of a reduction ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_DIRECT_DIRECTPART_H
#define CONV_LIB_KERNELS_DIRECT_DIRECTPART_H

#include "DirectOperands.h"

#include <memory>

namespace mlir::conv {

/// How the work-items of a workgroup multiply the part of a reduction that is
/// in shared memory. A *unit* is what one of them has sums of; those that have
/// the same one are *slices*, and share its reduction.
class DirectPart {
public:
  explicit DirectPart(int64_t numUnits) : numUnits(numUnits) {}
  virtual ~DirectPart() = default;

  /// Work-item i has unit `i % numUnits`, and is slice `i / numUnits` of it.
  const int64_t numUnits;

  /// Sums before the first part.
  virtual SmallVector<Value> createZeros() const = 0;
  /// Adds what the work-item has of the products of a part.
  virtual SmallVector<Value> create(ValueRange sums) const = 0;
  /// The sums as single elements.
  virtual SmallVector<Value> getElements(ValueRange sums) const = 0;

  /// Digits of batch, rows and columns, from the start of the tile, and whether
  /// there is such an element.
  struct Place {
    SmallVector<Value> digits;
    Value guard;
  };
  /// Where the element of this number of a unit is.
  virtual Place locate(Value unit, Value element) const = 0;
};

/// Each work-item multiplies the elements of a few matrices.
std::unique_ptr<DirectPart> createFmaPart(const Kernel &kernel,
                                          const DirectOperands &operands);
/// Each subgroup multiplies a vector of channels, by matrix instructions.
std::unique_ptr<DirectPart> createBlockPart(const Kernel &kernel,
                                            const DirectOperands &operands);
/// Each subgroup multiplies some channels, which are matrices of their own, by
/// matrix instructions.
std::unique_ptr<DirectPart> createDiagonalPart(const Kernel &kernel,
                                               const DirectOperands &operands);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_DIRECT_DIRECTPART_H
