//===- HostEpilogue.h - epilogue and result of a host tile ------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Applies the epilogue to the elements of a tile, row by row: in vectors, where
// everything that it reads and writes is contiguous along a row.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_HOST_HOSTEPILOGUE_H
#define CONV_LIB_KERNELS_HOST_HOSTEPILOGUE_H

#include "HostKernel.h"

namespace mlir::conv {

/// Loads `elements` sums of a row of the tile, from column `first` on.
using LoadSums = function_ref<Value(Value row, Value first, int64_t elements)>;

/// Computes the result's elements of a tile. Without `loadSums`, the epilogue
/// has no accumulator.
void createHostEpilogue(const Kernel &kernel, const TileOrigin &origin,
                        const HostBlock &block, LoadSums loadSums);

/// The part of the tile at `origin` that is inside the result.
HostBlock clipToResult(const Kernel &kernel, const TileOrigin &origin);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_HOST_HOSTEPILOGUE_H
