//===- WarpgroupTiles.h - tiles of one to three warpgroups ------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The schedule space that the main loops of warpgroups have in common.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_WARPGROUP_WARPGROUPTILES_H
#define CONV_LIB_KERNELS_PARTS_WARPGROUP_WARPGROUPTILES_H

#include "conv/Dialect/Conv/IR/WarpgroupTile.h"
#include "conv/Kernels/Candidate.h"
#include "conv/Kernels/Parts/Warpgroup/WarpgroupFacts.h"

#include <algorithm>
#include <string>

namespace conv {

/// Calls `visit` with every tile of this atom, as a candidate without stages,
/// with at most `mostAtoms` atoms per consumer.
template <typename Visit>
void forEachWarpgroupTile(const MatrixAtom &atom, Visit visit,
                          int64_t mostAtoms = 4) {
  for (int64_t consumers = 1; consumers <= WarpgroupTile::kMaxConsumers;
       ++consumers)
    for (int64_t atoms = 1; atoms <= mostAtoms; ++atoms) {
      int64_t rows = atoms * WarpgroupTile::kAtomRows;
      visit(Candidate{.atom = &atom,
                      .workgroup = {consumers * rows, atom.n},
                      .subgroup = {rows, atom.n},
                      .gemmK = WarpgroupTile::kAtomsPerRow * atom.k});
    }
}

/// Why no tile has all columns of a problem, as kernels that keep the filter
/// need it; empty if one has.
inline std::string explainColumns(const Problem &problem,
                                  const ChipInfo &chip) {
  int64_t most = 0;
  for (const MatrixAtom &atom : chip.atoms)
    if (atom.kind == AtomKind::WGMMA && atom.operand == problem.operand)
      forEachWarpgroupTile(atom, [&](const Candidate &candidate) {
        if (getWarpgroupTile(problem, candidate).fitsWorkgroup())
          most = std::max<int64_t>(most, atom.n);
      });
  if (problem.columns <= most)
    return "";
  return "a tile has all columns of the filter, at most " +
         std::to_string(most) + ", and there are " +
         std::to_string(problem.columns);
}

/// Appends the candidate with the most stages that fits, if any: at most
/// `most`, or that less a multiple of `step`, and at least two.
template <typename Fits>
void addWithStages(std::vector<Candidate> &candidates, Candidate candidate,
                   int64_t most, Fits fits, int64_t step = 1) {
  for (candidate.stages = most; candidate.stages >= 2; candidate.stages -= step)
    if (fits(candidate))
      return candidates.push_back(candidate);
}

} // namespace conv

#endif // CONV_LIB_KERNELS_PARTS_WARPGROUP_WARPGROUPTILES_H
