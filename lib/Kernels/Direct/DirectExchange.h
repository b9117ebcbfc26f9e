//===- DirectExchange.h - sums exchanged between subgroups ------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An atom leaves a lane with a pair of channels at a position, while other
// subgroups have the neighbouring channels. Work-items exchange sums in shared
// memory, so that each gets a vector of channels, and neighbouring work-items
// get vectors that are adjacent in memory.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_DIRECT_DIRECTEXCHANGE_H
#define CONV_LIB_KERNELS_DIRECT_DIRECTEXCHANGE_H

#include "DirectOperands.h"

namespace mlir::conv {

class DirectExchange {
public:
  /// A vector of channels at one position of a slice's unit of work.
  struct Item {
    Value slice, position, vector;
  };

  DirectExchange(const Kernel &kernel, const DirectTiling &tiling);

  /// Type of the buffer through which sums are exchanged.
  MemRefType getType() const;
  void setBuffer(Value memory) { buffer = memory; }

  /// Writes a pair of this lane's sums as pair `pair` of its subgroup's vector
  /// of channels at `position`.
  void write(Value position, Value pair, Value sums) const;
  /// Calls `body` for all items of the first `count` positions, each in one
  /// work-item, with whether this work-item has the item.
  void forEachItem(int64_t count,
                   function_ref<void(const Item &, Value isThere)> body) const;
  /// Calls `body` with the sums in work-items that have an item.
  void read(int64_t count,
            function_ref<void(const Item &, ValueRange sums)> body) const;

private:
  SmallVector<Value> load(const Item &item) const;
  Value createOffset(Value subgroup, Value pair, Value position) const;

  const Kernel &kernel;
  int64_t vectors, positions, subgroups;
  Value buffer;
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_DIRECT_DIRECTEXCHANGE_H
