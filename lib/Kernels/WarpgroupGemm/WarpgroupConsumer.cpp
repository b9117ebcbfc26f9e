//===- WarpgroupConsumer.cpp - products and epilogues of a consumer -------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matrix instructions and epilogues are most of a kernel's code, and the time
// of an assembler grows with the code. The dgrad phases of a gradient share
// both.
//
//===----------------------------------------------------------------------===//

#include "../Parts/Warpgroup/ClusterSums.h"
#include "../Parts/Warpgroup/WarpgroupEpilogue.h"
#include "../Parts/Warpgroup/Warpgroups.h"
#include "ConvertedLoop.h"
#include "WarpgroupRoles.h"

using namespace mlir;
using namespace mlir::conv;

namespace {

/// A consumer's pipeline states, and its phase of the chunks of the epilogue.
struct Position {
  LoopPosition loop;
  Value phase; ///< Null without chunks.

  SmallVector<Value> carried() const;
};

/// Builds the loops of one consumer over the tiles of all subproblems.
class WarpgroupConsumer {
public:
  WarpgroupConsumer(const WarpgroupRoles &roles,
                    ArrayRef<WarpgroupSubproblem> subproblems, Value consumer,
                    Value workItem);

  void create() const;

private:
  using Subproblem = WarpgroupEpilogue::Subproblem;

  Position getPosition(ValueRange carried) const;
  Subproblem getSubproblem(size_t subproblem) const {
    return {kernels[subproblem], subproblems[subproblem].result};
  }
  /// Whether tiles of both subproblems are multiplied and stored by the same
  /// code: only the number of steps and the places of rows differ.
  bool areAlike(size_t lhs, size_t rhs) const;
  /// The number of subproblems from `first` on that are alike.
  size_t countAlike(size_t first) const;
  /// Builds one loop over the tiles of `count` subproblems that are alike.
  Position createLoop(size_t first, size_t count, const Position &start) const;
  /// How a tile's sums are computed, and the next position in the pipelines.
  using CreateSums = std::function<WarpgroupLoop::Sums(
      const WarpgroupLoop::Runs &, const LoopPosition &)>;
  CreateSums getSums(const WarpgroupSubproblem &subproblem) const;
  /// The origin of this workgroup's share of its cluster's tile.
  SubproblemTile getShare(SubproblemTile origin) const {
    origin.column =
        ptx.math.add(origin.column, ptx.math.mul(roles.rank, share.columns));
    return origin;
  }

  const WarpgroupRoles &roles;
  ArrayRef<WarpgroupSubproblem> subproblems;
  const PtxBuilder &ptx;
  const ::conv::WarpgroupTile &tile;
  ::conv::WarpgroupTile
      share; ///< The part of a tile that this workgroup stores.
  Value consumer, workItem;
  SmallVector<Kernel, 0> kernels; ///< One for each subproblem.
  std::optional<EpilogueChunks> chunks;
};

} // namespace

SmallVector<Value> Position::carried() const {
  SmallVector<Value> values = loop.carried();
  if (phase)
    values.push_back(phase);
  return values;
}

WarpgroupConsumer::WarpgroupConsumer(const WarpgroupRoles &roles,
                                     ArrayRef<WarpgroupSubproblem> subproblems,
                                     Value consumer, Value workItem)
    : roles(roles), subproblems(subproblems), ptx(roles.ptx), tile(roles.tile),
      share(tile.share()), consumer(consumer), workItem(workItem) {
  for (const WarpgroupSubproblem &subproblem : subproblems)
    kernels.push_back(createWarpgroupKernel(ptx.b, *subproblem.form, roles.chip,
                                            roles.getArguments(subproblem),
                                            tile));
  if (tile.isEpilogueCopied)
    chunks.emplace(ptx, tile, roles.rest, consumer);
}

Position WarpgroupConsumer::getPosition(ValueRange carried) const {
  if (!chunks)
    return {LoopPosition::get(carried), Value()};
  return {LoopPosition::get(carried.drop_back()), carried.back()};
}

bool WarpgroupConsumer::areAlike(size_t lhs, size_t rhs) const {
  const std::optional<TmaGeometry> &left = subproblems[lhs].geometry,
                                   &right = subproblems[rhs].geometry;
  if (left.has_value() != right.has_value())
    return false;
  // Where taps are in halo tiles depends on the taps of the subproblem.
  if (left && (tile.hasSlots() ||
               left->getMultipliedBytes() != right->getMultipliedBytes() ||
               left->isLeftTransposed() != right->isLeftTransposed() ||
               left->isRightTransposed() != right->isRightTransposed()))
    return false;
  return EpilogueTensors::areAlike(
      share, getSubproblem(lhs), getSubproblem(rhs),
      chunks ? subproblems[lhs].epilogueOperand : std::nullopt);
}

size_t WarpgroupConsumer::countAlike(size_t first) const {
  size_t end = first + 1;
  while (end < subproblems.size() && areAlike(first, end))
    ++end;
  return end - first;
}

WarpgroupConsumer::CreateSums
WarpgroupConsumer::getSums(const WarpgroupSubproblem &subproblem) const {
  Value isReleasing = ptx.equal(ptx.math.rem(workItem, kWarpSize), 0);
  if (tile.isConverted())
    return [=, loop = ConvertedLoop(ptx, *subproblem.geometry, tile,
                                    roles.pipelines, roles.memory, consumer,
                                    workItem)](const WarpgroupLoop::Runs &runs,
                                               const LoopPosition &at) {
      return loop.create(runs.steps, isReleasing, at);
    };
  WgmmaUnit matrix(
      ptx, tile, *subproblem.geometry,
      WgmmaUnit::Types(subproblem.form->lhs.getElementType(),
                       subproblem.form->rhs.getElementType()),
      WgmmaUnit::Operands{ptx.offset(roles.memory, roles.kept.leftOffset()),
                          ptx.offset(roles.memory, roles.kept.rightOffset())},
      consumer);
  return [=, loop = roles.getLoop(subproblem)](const WarpgroupLoop::Runs &runs,
                                               const LoopPosition &at) {
    return loop.createConsumer(matrix, runs, isReleasing, at);
  };
}

Position WarpgroupConsumer::createLoop(size_t first, size_t count,
                                       const Position &start) const {
  ArrayRef<WarpgroupSubproblem> alike = subproblems.slice(first, count);
  SmallVector<Subproblem> stored;
  for (size_t i = first; i < first + count; ++i)
    stored.push_back(getSubproblem(i));
  Value staging = ptx.offset(ptx.offset(roles.rest, tile.stagingOffset()),
                             ptx.math.mul(consumer, tile.stagingBytes()));
  WarpgroupEpilogue epilogue(stored, ptx, share, consumer, workItem, staging);
  if (chunks)
    epilogue.replaceChunks(*chunks, *alike.front().epilogueOperand);
  CreateSums createSums;
  if (alike.front().geometry)
    createSums = getSums(alike.front());
  return getPosition(roles.getScheduler(alike).createLoop(
      start.carried(), [&](const SubproblemTile &whole, ValueRange carried) {
        SubproblemTile origin = getShare(whole);
        Position at = getPosition(carried);
        WarpgroupEpilogue::Loaded loaded = epilogue.load(origin);
        SmallVector<Value> accumulators;
        if (createSums) {
          WarpgroupLoop::Sums sums =
              createSums(roles.countRuns(alike, origin.subproblem), at.loop);
          accumulators = sums.accumulators;
          at.loop = sums.position;
        }
        if (createSums && tile.cluster > 1)
          accumulators = ClusterSums(ptx, tile, roles.memory, roles.rank,
                                     consumer, workItem)
                             .create(accumulators);
        epilogue.create(origin, accumulators, std::move(loaded), at.phase);
        if (chunks)
          at.phase = EpilogueChunks::getNextPhase(ptx, at.phase);
        return at.carried();
      }));
}

void WarpgroupConsumer::create() const {
  Position position{roles.pipelines.getStart(), Value()};
  if (chunks)
    position.phase = EpilogueChunks::getFirstPhase(ptx);
  for (size_t first = 0, count; first < subproblems.size(); first += count) {
    count = countAlike(first);
    position = createLoop(first, count, position);
  }
  // Epilogue warps wait for their own stores.
  if (!chunks)
    WarpgroupEpilogue::finish(ptx, workItem);
}

void mlir::conv::createConsumer(const WarpgroupRoles &roles,
                                ArrayRef<WarpgroupSubproblem> subproblems,
                                Value consumer, Value workItem) {
  WarpgroupConsumer(roles, subproblems, consumer, workItem).create();
}
