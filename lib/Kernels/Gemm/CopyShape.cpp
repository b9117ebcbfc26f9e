//===- CopyShape.cpp - how tiles of an operand are loaded -----------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CopyShape.h"

using namespace mlir;
using namespace mlir::conv;

/// The largest power of two that divides `value`.
static int64_t powerOfTwoIn(int64_t value) { return value & -value; }

bool mlir::conv::areRowsNeighbours(const MatrixAccess &access) {
  return access.getInnermostDistance(MatrixIndex::Column) != 1 &&
         access.getInnermostDistance(MatrixIndex::Row) == 1;
}

bool mlir::conv::areRowsNearer(const Kernel &kernel,
                               const MatrixAccess &access) {
  auto getBytes = [&](MatrixIndex index) {
    return std::abs(access.getInnermostDistance(index)) * kernel.operandBytes();
  };
  int64_t ofRow = getBytes(MatrixIndex::Row);
  return kernel.chip.hasBufferInstructions() &&
         access.getInnermostSize(MatrixIndex::Row) >= kernel.vectorElements() &&
         ofRow > 0 && ofRow < getBytes(MatrixIndex::Column) &&
         ofRow < kernel.chip.cacheLineBytes;
}

bool mlir::conv::arrivesInBlocks(const Kernel &kernel,
                                 const MatrixAccess &access) {
  return kernel.chip.hasBufferInstructions() && areRowsNeighbours(access);
}

/// What stays in the first-level cache beside the tiles of a unit.
static constexpr int64_t kSmallOperandBytes = 32 << 10;

CopyShape::CopyShape(const Kernel &kernel, const SharedTile &tile,
                     const MatrixAccess &access, MemRefType buffer,
                     int64_t rowRun) {
  int64_t vectors = tile.getRows() * tile.getVectorsPerRow() / kernel.workItems;
  bool isAsyncLoop =
      cast<StagedGemmAttr>(kernel.form.schedule.getKernel()).isAsync();
  if (isAsyncLoop && kernel.chip.getLaneCopies()) {
    width = kernel.vectorElements();
    async = true;
  } else if (areRowsNeighbours(access)) {
    int64_t limit =
        std::min<int64_t>(kernel.vectorElements(), powerOfTwoIn(vectors));
    rowWidth = access.getVectorWidth(MatrixIndex::Row, std::min(limit, rowRun));
    int64_t widest = access.getVectorWidth(MatrixIndex::Row, limit);
    followsOperand = arrivesInBlocks(kernel, access) &&
                     kernel.laneGroups() > 1 && widest > rowWidth;
    if (followsOperand)
      rowWidth = widest;
  } else {
    width = access.getVectorWidth(MatrixIndex::Column, kernel.vectorElements());
    async = isAsyncLoop &&
            kernel.chip.copiesWithoutRegisters(width * kernel.operandBytes());
  }
  auto getBytes = [&](int64_t elements) {
    return elements * kernel.operandBytes();
  };
  int64_t innermost = access.getInnermostSize(MatrixIndex::Column);
  sharesLines = async &&
                getBytes(std::min(kernel.gemmK(), innermost)) <=
                    kernel.chip.sectorBytes &&
                (getBytes(innermost) <= 2 * kernel.chip.sectorBytes ||
                 getBytes(buffer.getNumElements()) <= kSmallOperandBytes);
  decodesOnce =
      access.getInnermostSize(MatrixIndex::Column) % kernel.gemmK() == 0;
  hasPlaces =
      kernel.chip.hasBufferInstructions() && !async &&
      buffer.getNumElements() * kernel.operandBytes() < (int64_t(1) << 31);
  loadsOfPlaces = countLoadsOfPlaces(kernel, access);
  fixPlaces(kernel, tile, access, buffer);
  placeRun = computePlaceRun(kernel, access);
}

/// Where taps are innermost, neighbours of the reduction are in different
/// channels, and a lane would find each element of a vector by itself.
/// Gradients of inputs, which read taps backwards, have phases that share code.
bool CopyShape::canShareElements(const Kernel &kernel, const SharedTile &tile,
                                 const MatrixAccess &access) const {
  int64_t rows = tile.getRows();
  int64_t ofRow = access.getInnermostDistance(MatrixIndex::Row);
  return !decodesOnce && width == 1 && rowWidth == 1 &&
         access.getPeriod(MatrixIndex::Column).elements > 1 &&
         rows % kernel.chip.subgroupSize == 0 &&
         (rows % kernel.workItems == 0 || kernel.workItems % rows == 0) &&
         access.getDistanceRange(MatrixIndex::Column).first == 0 && ofRow > 0 &&
         ofRow * kernel.operandBytes() < int64_t(kernel.chip.cacheLineBytes);
}

/// A step stays within one tap, whose place lanes share, and all elements that
/// a lane loads in it are there, or none of them; or lanes share each element.
/// Subproblems that share code would have to divide by numbers of their own to
/// find their taps.
void CopyShape::fixPlaces(const Kernel &kernel, const SharedTile &tile,
                          const MatrixAccess &access, MemRefType buffer) {
  constexpr int64_t kMaskBits = 32;
  if (!hasPlaces || !kernel.subproblems.empty() || !access.hasLinearOffsets())
    return;
  bool sharesTaps = decodesOnce && loadsOfPlaces.size() == 1 &&
                    access.isCheckedTogether(MatrixIndex::Column) &&
                    access.getInnermostDistance(MatrixIndex::Column) >= 0;
  bool isShared = canShareElements(kernel, tile, access);
  if (!sharesTaps && !isShared)
    return;
  int64_t taps = isShared ? access.getPeriod(MatrixIndex::Column).elements
                          : access.countTapGuards(MatrixIndex::Column);
  bool needsMask = access.isGuarded() && taps > 1;
  // A step of shared elements rotates masks by up to all taps, and keeps a
  // distance for each of them in a scalar register.
  if (isShared ? taps >= kMaskBits : needsMask && taps > kMaskBits)
    return;
  auto [low, high] = access.getDistanceRange(MatrixIndex::Column);
  int64_t least = access.getDistanceRange(MatrixIndex::Batch).first +
                  access.getDistanceRange(MatrixIndex::Row).first + low;
  int64_t before = std::max<int64_t>(0, -least) * kernel.operandBytes();
  // Places that are outside may be after the end of the buffer, too.
  int64_t bytes =
      (buffer.getNumElements() + high - low) * kernel.operandBytes();
  if (bytes + before >= (int64_t(1) << 31))
    return;
  fixesPlaces = true;
  sharesElements = isShared;
  maskedTaps = needsMask ? taps : 0;
  leastShared = low;
  lead = before;
}

/// MFMA hides vector instructions that are spread over a step. New places at
/// the start of a step, which runs shorter than the reduction need, cost more
/// in conv-clock, unless the loads are joined in a loop with one stage: they
/// all start after a fence, between two barriers.
int64_t CopyShape::computePlaceRun(const Kernel &kernel,
                                   const MatrixAccess &access) const {
  if (!hasPlaces)
    return 0;
  if (sharesElements)
    return 0;
  if (fixesPlaces && maskedTaps == 0)
    return kernel.getReduction().getUniform();
  int64_t run = access.getInnermostSize(MatrixIndex::Column);
  bool moves = decodesOnce && access.isCheckedTogether(MatrixIndex::Column);
  bool isShort = run < kernel.getReduction().maximum();
  bool hidesVectors = kernel.atom.kind == ::conv::AtomKind::MFMA;
  if (moves && !(isShort && hidesVectors))
    return run;
  bool startsAfterFence = hidesVectors && loadsPerBlock(kernel) > 1 &&
                          kernel.form.schedule.getStages() == 1;
  return startsAfterFence ? kernel.gemmK() : 0;
}

/// Loads with one guard share the place of the first of them, unless they are
/// before it in memory (`conv.placed_load`): gradients read taps backwards.
SmallVector<int64_t>
CopyShape::countLoadsOfPlaces(const Kernel &kernel,
                              const MatrixAccess &access) const {
  int64_t length = kernel.vectorElements();
  bool goesForward = access.getInnermostDistance(MatrixIndex::Column) >= 0;
  // Rows that end within a vector, each subproblem's elsewhere, would keep
  // subproblems from sharing code (`countAlikeSubproblems`).
  bool sharesPlaces =
      goesForward &&
      (kernel.subproblems.empty() ||
       access.getInnermostSize(MatrixIndex::Column) % length == 0);
  auto known = [&](int64_t element) {
    return MatrixAccess::Congruence{MatrixIndex::Column, element, length,
                                    /*ofDivisors=*/true};
  };
  SmallVector<int64_t> counts = {1};
  int64_t first = 0;
  for (int64_t step = width; step < length; step += width) {
    if (sharesPlaces && access.areGuardedAlike(known(first), known(step))) {
      ++counts.back();
    } else {
      counts.push_back(1);
      first = step;
    }
  }
  return counts;
}
