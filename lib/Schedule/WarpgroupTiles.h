//===- WarpgroupTiles.h - tiles of one to three warpgroups ------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The space of schedules that main loops of warpgroups have in common.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_SCHEDULE_WARPGROUPTILES_H
#define CONV_LIB_SCHEDULE_WARPGROUPTILES_H

#include "conv/Dialect/Conv/IR/TmaTile.h"
#include "conv/Schedule/CostModel.h"

namespace conv {

/// Makes `visit` see every tile with this atom, as a candidate without stages.
template <typename Visit>
void forEachWarpgroupTile(const MatrixAtom &atom, LoopKind loop, Visit visit) {
  for (int64_t consumers = 1; consumers <= TmaTile::kMaxConsumers; ++consumers)
    for (int64_t atoms = 1; atoms <= 4; ++atoms) {
      int64_t rows = atoms * TmaTile::kAtomRows;
      visit(Candidate{.atom = &atom,
                      .workgroup = {consumers * rows, atom.n},
                      .subgroup = {rows, atom.n},
                      .gemmK = TmaTile::kAtomsPerRow * atom.k,
                      .loop = loop});
    }
}

/// Whether a workgroup can have the tile (S10).
inline bool fitsWorkgroup(const TmaTile &tile) {
  return tile.rows <= 256 && tile.columns <= tile.maxColumns() &&
         tile.accumulators() <= tile.maxAccumulators();
}

/// The most stages, `most` or less by multiples of `granule`, of which
/// `sharedBytes(stages)` fit; 0 if there is no ring.
template <typename SharedBytes>
int64_t findStages(int64_t most, int64_t granule, int64_t available,
                   SharedBytes sharedBytes) {
  for (int64_t stages = most; stages >= 2; stages -= granule)
    if (sharedBytes(stages) <= available)
      return stages;
  return 0;
}

} // namespace conv

#endif // CONV_LIB_SCHEDULE_WARPGROUPTILES_H
