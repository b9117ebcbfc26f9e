//===- DirectCycles.h - how long a unit multiplies directly -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cycles in which one compute unit computes its workgroups of a product,
// and what they depend on: the steps of a workgroup, its waits for memory, and
// the other workgroups of the unit.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_DIRECT_DIRECTCYCLES_H
#define CONV_LIB_KERNELS_DIRECT_DIRECTCYCLES_H

#include "DirectWork.h"

#include "conv/Chip/Chip.h"

namespace mlir::conv {

/// Factor of the time for runs of `runBytes`, if each halving costs `cost`.
double getShortRunCost(double runBytes, double cost,
                       const ::conv::ChipInfo &chip);

/// What a workgroup does for a product: the cycles of a step, the times that it
/// waits for an operand, and how many workgroups share a compute unit.
struct ProductCycles {
  double shared, products, copies;
  double totals = 0; ///< After the last step.
  int64_t lhsWaits, rhsWaits;
  int64_t subgroups, resident, perUnit;
};

/// Counts the cycles of a product of `workgroups`.
ProductCycles computeCycles(const DirectTiling &tiling, const DirectWork &work,
                            const ViewedProduct &product, int64_t workgroups,
                            int64_t workItems, const ::conv::ChipInfo &chip);

/// Corrects the counted cycles of lanes that reduce.
void addLaneCosts(const DirectTiling &tiling, const ::conv::ChipInfo &chip,
                  ProductCycles &cycles);

/// Cycles in which a workgroup on an AMD unit adds up the sums of its
/// work-items.
double getTotalCycles(const DirectTiling &tiling, int64_t workItems,
                      const ::conv::ChipInfo &chip);

/// Cycles of a unit whose workgroups take turns: while one waits, others can
/// work.
double getTurnCycles(const DirectTiling &tiling, const DirectWork &work,
                     const ProductCycles &own, double runBytes,
                     const ::conv::ChipInfo &chip);

/// Cycles of a unit whose workgroups queue for memory and for the unit. Queues
/// were fitted to kernels that wait once for a filter that they copy through
/// registers, but not for their left operands.
double getQueuedCycles(const DirectTiling &tiling, const DirectWork &work,
                       const ViewedProduct &product, int64_t workgroups,
                       const ProductCycles &own, const ::conv::ChipInfo &chip);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_DIRECT_DIRECTCYCLES_H
