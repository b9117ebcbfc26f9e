//===- DirectExchange.h - sums of channels, side by side --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An atom leaves a lane with a pair of channels of a position, and neighbouring
// channels are sums of other subgroups. Work-items exchange them in shared
// memory, so that each then has a vector of channels, and its neighbours have
// those next to it in memory.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_DIRECT_DIRECTEXCHANGE_H
#define CONV_LIB_KERNELS_DIRECT_DIRECTEXCHANGE_H

#include "DirectOperands.h"

namespace mlir::conv {

class DirectExchange {
public:
  /// A vector of channels at one position of a slice's unit.
  struct Item {
    Value slice, position, vector;
  };

  DirectExchange(const Kernel &kernel, const DirectTiling &tiling);

  /// Type of the buffer in which sums are exchanged.
  MemRefType getType() const;
  void setBuffer(Value memory) { buffer = memory; }

  /// Writes a pair of sums of this lane's subgroup: number `pair` of the vector
  /// of channels, at `position`.
  void write(Value position, Value pair, Value sums) const;
  /// Makes `body` see all items of the first `count` positions, each in one
  /// work-item, and whether this one has it.
  void forEachItem(int64_t count,
                   function_ref<void(const Item &, Value isThere)> body) const;
  /// Calls `body` in work-items that have an item, with the sums.
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
