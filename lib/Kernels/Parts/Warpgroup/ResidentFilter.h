//===- ResidentFilter.h - the filter of a workgroup -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Work-items load a filter of any layout once, in the order in which a main
// loop goes over the reduction.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_WARPGROUP_RESIDENTFILTER_H
#define CONV_LIB_KERNELS_PARTS_WARPGROUP_RESIDENTFILTER_H

#include "PtxBuilder.h"

#include "conv/Kernels/Parts/Warpgroup/FilterTile.h"

namespace mlir::conv {

/// An element of the reduction: its number in the product, and whether there is
/// one.
struct ReductionElement {
  Value number, isUsed;
};

/// The order in which a filter's rows have the reduction.
struct FilterOrder {
  /// Eights of a column that are multiplied.
  int64_t pieces;
  /// Elements, from a multiple of this in a piece on, whose numbers follow each
  /// other: 1 or all.
  int64_t run;
  /// The element `i` of a piece.
  std::function<ReductionElement(Value piece, Value i)> getElement;
};

/// Brings the kernel's right operand to `memory`, as `FilterTile` describes it.
/// All consumers do it together, and wait for each other; meanwhile the
/// producer copies. `workItem` is a number in `consumer`.
void createFilter(const Kernel &kernel, const PtxBuilder &ptx,
                  const ::conv::FilterTile &tile, const FilterOrder &order,
                  Value consumer, Value workItem, Value memory);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_WARPGROUP_RESIDENTFILTER_H
