//===- FilterTile.cpp - limits of tiles whose filter stays ----------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Kernels/Parts/Warpgroup/FilterTile.h"

#include "llvm/Support/FormatVariadic.h"

using namespace conv;
using llvm::formatv;

std::string conv::explainExceeded(const FilterTile &tile, TileLimit limit,
                                  int64_t columns, int64_t sharedMemoryBytes) {
  if (limit == TileLimit::Columns)
    return formatv("expects one tile of all {0} columns, but got {1}", columns,
                   tile.tile.columns);
  return formatv("expects {0} stages of {1} bytes, {2} bytes of filter and "
                 "{3} bytes for each of {4} warpgroups to fit {5} bytes of "
                 "shared memory, but got more",
                 tile.tile.stages, tile.stageBytes, tile.filterBytes(),
                 tile.tile.stagingBytes(), tile.tile.consumers,
                 sharedMemoryBytes);
}
