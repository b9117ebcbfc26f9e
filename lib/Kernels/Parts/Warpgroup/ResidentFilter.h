//===- ResidentFilter.h - the filter of a workgroup -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Work-items load a filter of any layout once, and arrange it in the order in
// which a main loop runs over the reduction.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_WARPGROUP_RESIDENTFILTER_H
#define CONV_LIB_KERNELS_PARTS_WARPGROUP_RESIDENTFILTER_H

#include "PtxBuilder.h"

#include "conv/Kernels/Parts/Warpgroup/FilterTile.h"

namespace mlir::conv {

/// An element of the reduction: its number in the product, and whether the
/// product has it.
struct ReductionElement {
  Value number, isUsed;
};

/// The order of the reduction in a filter's rows.
struct FilterOrder {
  /// Groups of eight elements of a column that are multiplied.
  int64_t vectors;
  /// Elements of a vector with consecutive numbers, starting at a multiple of
  /// `run` in the vector: a divisor of eight.
  int64_t run;
  /// Element `i` of a vector.
  std::function<ReductionElement(Value vector, Value i)> getElement;
};

/// Brings the kernel's right operand to `memory`, in the layout of
/// `FilterTile`. All consumers do this together and wait for each other;
/// meanwhile, the producer copies. `workItem` is a number in `consumer`.
void createFilter(const Kernel &kernel, const PtxBuilder &ptx,
                  const ::conv::FilterTile &tile, const FilterOrder &order,
                  Value consumer, Value workItem, Value memory);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_WARPGROUP_RESIDENTFILTER_H
