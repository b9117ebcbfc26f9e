//===- TmaFacts.cpp - facts about copies of boxes -------------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Kernels/Parts/Warpgroup/TmaFacts.h"

using namespace conv;

const TmaFacts &conv::getTmaFacts(const Problem &problem) {
  static const TmaFacts kNone;
  const auto *facts = problem.facts.get<TmaFacts>();
  return facts ? *facts : kNone;
}

TmaTile conv::getTmaTile(const Problem &problem, const Candidate &candidate) {
  const TmaFacts &facts = getTmaFacts(problem);
  TmaTile tile{.rows = candidate.workgroup[0],
               .columns = candidate.workgroup[1],
               .stages = candidate.stages,
               .consumers = candidate.subgroups(),
               .isStaged = problem.splits == 1,
               .resultBytes = byteSize(problem.result),
               .isRightTransposed = facts.isRightTransposed,
               .cluster = candidate.cluster,
               .promotion = candidate.promotion};
  bool isTransposed = facts.isLeftTransposed || facts.isRightTransposed;
  tile.convertedParts = TmaTile::countConvertedParts(
      candidate.atom->kind == AtomKind::WGMMA3xTF32, byteSize(problem.operand),
      isTransposed);
  if (facts.haloTile && facts.haloTile->tapRows.areRows())
    tile.leftHaloTileBytes = facts.haloTile->tapRows.bytes(tile.rows);
  else if (facts.haloTile && facts.haloTile->isReduced())
    tile.rightHaloTileBytes = facts.haloTile->bytes;
  else if (facts.haloTile)
    tile.haloTileBytes =
        tile.rows / facts.haloTile->rows * facts.haloTile->bytes;
  return tile;
}
