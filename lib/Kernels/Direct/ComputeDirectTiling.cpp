//===- ComputeDirectTiling.cpp - tiles of a direct schedule ---------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks the constraints of direct schedules one by one.
//
//===----------------------------------------------------------------------===//

#include "conv/Kernels/Direct/DirectTiling.h"

#include "HostReductionTile.h"
#include "LaneReads.h"

#include "conv/Chip/HostProcessor.h"
#include "conv/Dialect/Conv/IR/TypeBytes.h"
#include "conv/Dialect/Conv/IR/ViewLookup.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;
using llvm::formatv;

/// Registers of a lane that its part of the filter and its sums may take in a
/// matrix main loop.
static constexpr int64_t kMatrixRegisters = 128;
/// The most lines that a subgroup multiplies together: with the blocks of a
/// filter, for blocks of a gradient, and for banded matrices.
static constexpr int64_t kMaxLines = 8, kMaxBlockLines = 4, kMaxBandedLines = 8;

namespace {
/// Tiles one product. `obstacle` is the first property that does not fit.
class TilingBuilder {
public:
  TilingBuilder(ScheduleAttr schedule, const ::conv::ChipInfo &chip,
                const ViewedProduct &product, std::string &obstacle)
      : schedule(schedule), chip(chip), product(product), obstacle(obstacle),
        isShared(cast<DirectAttr>(schedule.getKernel()).getMainLoop() ==
                 DirectLoop::Reduction),
        isMatrix(schedule.hasMatrixInstruction()) {}

  std::optional<DirectTiling> create();

private:
  void computeFilterLines();
  bool computeMatrices();
  void computeBlockLines();
  void computeBandedLines();
  bool computeBandedShares();
  bool computeSpaces();
  bool computeSpace(DigitBox &box, StringRef name, ArrayRef<int64_t> digits,
                    int64_t tile, int64_t run);
  bool checkOperands();
  bool checkReduction();
  bool checkSteps();
  TensorBox computeReadBox(const ViewedTensor &operand,
                           ArrayRef<DigitBox> spaces, bool spreadsRows);
  void computeBoxes(bool spreadsRows);
  bool computeSharedMemory();

  bool refuse(const std::string &expected) {
    obstacle = "expects " + expected;
    return false;
  }

  ScheduleAttr schedule;
  const ::conv::ChipInfo &chip;
  const ViewedProduct &product;
  std::string &obstacle;
  bool isShared;              ///< Work-items share the reduction.
  bool isMatrix;              ///< Matrix instructions multiply.
  bool hasSpreadRows = false; ///< A box has unused vectors.
  DirectTiling tiling{};
};
} // namespace

/// Checks D4. Both operands have the conditions on positions; the right one has
/// one more if groups are merged.
bool TilingBuilder::checkOperands() {
  for (const ViewedTensor *operand : {&product.lhs, &product.rhs})
    if (Type element = operand->type.getElementType();
        !DirectTiling::takes(element))
      return refuse(
          formatv("operands of f16, bf16, f32 or i8 for the algorithm "
                  "direct, but got {0}",
                  element));
  size_t left = product.lhs.view.getLimits().size();
  size_t right = product.rhs.view.getLimits().size();
  return (isClipped(product.lhs) && right <= left) ||
         refuse(formatv("conditions that are bounds of the left operand for "
                        "the algorithm direct, but got {0} on the left and {1} "
                        "on the right operand",
                        left, right));
}

/// Checks D1 for one index space.
bool TilingBuilder::computeSpace(DigitBox &box, StringRef name,
                                 ArrayRef<int64_t> digits, int64_t tile,
                                 int64_t run) {
  std::optional<DigitBox> computed = DigitBox::compute(digits, tile, run);
  if (!computed)
    return refuse(formatv("the {0} of a tile to be a box of the digits "
                          "[{1:$[, ]}] with runs of {2}, but got {3}",
                          name, llvm::make_range(digits.begin(), digits.end()),
                          run, tile));
  box = *computed;
  return true;
}

bool TilingBuilder::computeSpaces() {
  AtomAttr atom = schedule.getAtom();
  ViewAttr result = product.result.view;
  auto [matrices, rows, columns] =
      schedule.getTile(/*isProduct=*/true, result.getShape()[2]);
  const std::optional<FilterBlocks> &filter = tiling.filter;
  const std::optional<DirectBlocks> &blocks = tiling.blocks;
  const std::optional<BandedGradient> &banded = tiling.banded;
  tiling.isAlongBatch = isMatrix || atom.getM() > 1;
  return computeSpace(tiling.batch, "matrices", result.getBatch(), matrices,
                      filter   ? filter->getMatrices()
                      : blocks ? blocks->matrices
                      : banded ? BandedGradient::kVector
                               : atom.getM()) &&
         computeSpace(tiling.rows, "rows", result.getRows(), rows,
                      filter || banded ? 1 : atom.getN()) &&
         computeSpace(tiling.columns, "columns", result.getColumns(), columns,
                      /*run=*/1) &&
         computeSpace(tiling.reduction, "reduction",
                      product.lhs.view.getColumns(), schedule.getGemmK(),
                      blocks     ? DirectBlocks::kRun
                      : banded   ? BandedGradient::kRun
                      : isShared ? atom.getK()
                                 : 1);
}

/// Checks D7 to D9, except for the number of subgroups and the runs.
bool TilingBuilder::computeMatrices() {
  if (!isMatrix)
    return true;
  if (!isShared)
    tiling.filter = FilterBlocks::compute(product, obstacle);
  else if (!(tiling.banded = BandedGradient::compute(product)))
    tiling.blocks = DirectBlocks::compute(product, obstacle);
  return tiling.filter || tiling.blocks || tiling.banded;
}

/// Sets the most lines that divide the lines of a step of the reduction.
void TilingBuilder::computeBlockLines() {
  size_t position = tiling.getPosition();
  if (position == 0)
    return;
  int64_t lines = kMaxBlockLines;
  while (tiling.reduction.sizes[position - 1] % lines != 0)
    --lines;
  tiling.lines = lines;
}

/// Sets the lines with the fewest loads and atoms: more lines share more of
/// their windows, but may leave runs that fill only part of an atom.
void TilingBuilder::computeBandedLines() {
  size_t position = tiling.getPosition();
  if (position == 0)
    return;
  int64_t perLine = tiling.banded->lines;
  auto count = [&](int64_t lines) {
    tiling.lines = lines;
    int64_t windows = lines + perLine - 1;
    return tiling.countUnits() * (lines + windows + lines * perLine);
  };
  int64_t best = 1;
  for (int64_t lines = 2; lines <= kMaxBandedLines; ++lines)
    if (tiling.reduction.sizes[position - 1] % lines == 0 &&
        count(lines) < count(best))
      best = lines;
  tiling.lines = best;
}

/// Checks the number of subgroups of D9.
bool TilingBuilder::computeBandedShares() {
  constexpr int64_t kVector = BandedGradient::kVector;
  int64_t subgroups = schedule.getNumSubgroups();
  int64_t vectors = tiling.countVectors();
  tiling.channels = std::max<int64_t>(1, vectors * kVector / subgroups);
  int64_t sums = tiling.banded->countAtoms() * BandedGradient::kSums;
  int64_t ofPlace = tiling.lhs.blocks.vectors;
  if (BoxBlocks::kLine % ofPlace)
    return refuse(formatv("tiles of 1, 2, 4 or 8 vectors of {0} channels for "
                          "{1}, but got {2}",
                          kVector, schedule.getAtom(), ofPlace));
  bool isShared =
      kVector % tiling.channels == 0 && subgroups % tiling.countShares() == 0;
  if (isShared && tiling.channels * sums <= BandedGradient::kMaxSums)
    return true;
  return refuse(formatv(
      "subgroups that share {0} vectors of {1} channels evenly, with at most "
      "{2} sums of a lane and {3} for each channel, but got {4}",
      vectors, kVector, BandedGradient::kMaxSums, sums, subgroups));
}

/// Sets the most lines that fit into registers: two registers per atom for the
/// filter's blocks, and those for the sums of all lines.
void TilingBuilder::computeFilterLines() {
  size_t position = tiling.getPosition();
  if (position == 0)
    return;
  int64_t sums =
      FilterBlocks::kPositions * FilterBlocks::kVector / chip.subgroupSize;
  int64_t most = (kMatrixRegisters - 2 * tiling.countAtoms()) / sums;
  int64_t lines = std::clamp<int64_t>(most, 1, kMaxLines);
  while (tiling.rows.sizes[position - 1] % lines != 0)
    --lines;
  tiling.lines = lines;
}

/// Checks D2, D5, D8 and D9, except for the number of work-items.
bool TilingBuilder::checkReduction() {
  const DigitBox &reduction = tiling.reduction;
  int64_t gemmK = schedule.getGemmK();
  // D2.
  if (!isShared)
    return reduction.getNumTiles() == 1 ||
           refuse(formatv("gemm_k to be at least the reduction of {0} for a "
                          "direct main loop, but got {1}",
                          llvm::product_of(reduction.digits), gemmK));
  // D5, D8, D9.
  if (tiling.rows.getNumTiles() != 1)
    return refuse(formatv("a tile of all {0} rows for a direct_reduction main "
                          "loop, but got {1}",
                          llvm::product_of(tiling.rows.digits),
                          schedule.getWorkgroup()[0]));
  return checkSteps();
}

/// Checks the steps and runs of D5, D8 and D9.
bool TilingBuilder::checkSteps() {
  const DigitBox &reduction = tiling.reduction;
  ArrayRef<DigitRole> roles = product.lhs.view.getColumnRoles();
  for (size_t d = 0; d < reduction.getRank(); ++d) {
    // Only the last run of a digit may go beyond what a step has of it.
    bool hasRuns = reduction.getTiles(d) == 1 ||
                   reduction.sizes[d] % reduction.getRun(d) == 0;
    if (reduction.digits[d] % reduction.sizes[d] || !hasRuns)
      return refuse(formatv(
          "gemm_k to divide the digits [{0:$[, ]}], with runs of {1} of the "
          "innermost one, for {2}, but got {3}",
          llvm::make_range(reduction.digits.begin(), reduction.digits.end()),
          reduction.run, schedule.getAtom(), schedule.getGemmK()));
    if (reduction.mayExceed(d) && !isZeroBeyond(product.lhs, roles[d]))
      return refuse(
          formatv("runs that divide the {0} values of the innermost digit, "
                  "after which the left operand is not zero, for {1}, but got "
                  "{2}",
                  reduction.digits[d], schedule.getAtom(), reduction.run));
  }
  return true;
}

/// Checks D3, and the number of work-items of D5 and D7 to D9.
bool TilingBuilder::computeSharedMemory() {
  // The host keeps widened operands, and the sums of the whole tile.
  bool isHost = chip.isProcessor();
  auto getBytes = [&](const TensorBox &box, const ViewedTensor &operand) {
    return box.numElements *
           (isHost ? int64_t(sizeof(float)) : getElementBytes(operand.type));
  };
  int64_t stageBytes =
      getBytes(tiling.lhs, product.lhs) + getBytes(tiling.rhs, product.rhs);
  // Along the reduction, each sum is a vector.
  int64_t lanes = isHost && isShared && !tiling.isAlongBatch
                      ? HostReductionTile::get(tiling, chip).lanes
                      : 1;
  if (isHost)
    stageBytes += tiling.countSums() * lanes * int64_t(sizeof(float));
  if (schedule.getStages() >
      chip.sharedMemoryBytes) // A stage has at least a byte.
    return refuse(formatv("the parts of both operands that a tile reads to fit "
                          "{0} bytes of shared memory, but got {1} stages of "
                          "{2} bytes",
                          chip.sharedMemoryBytes, schedule.getStages(),
                          stageBytes));
  tiling.sharedBytes = schedule.getStages() * stageBytes;
  int64_t subgroups = schedule.getNumSubgroups();
  if (tiling.banded && !computeBandedShares())
    return false;
  if (isMatrix && !tiling.banded && subgroups % tiling.countVectors())
    return refuse(formatv("a multiple of {0} subgroups, one for each vector of "
                          "{1} channels, but got {2}",
                          tiling.countVectors(), FilterBlocks::kVector,
                          subgroups));
  if (tiling.filter)
    tiling.sharedBytes +=
        subgroups * int64_t(sizeof(float)) *
        FilterBlocks::getExchangedSums(tiling.countExchangedPositions(),
                                       tiling.countVectors());
  if (isShared && !isHost) {
    int64_t workItems = subgroups * chip.subgroupSize;
    int64_t boxes = isMatrix ? 0 : tiling.countSharedBoxes();
    if (boxes > workItems)
      return refuse(formatv("a work-item for each of {0} boxes of elements, "
                            "but got {1}",
                            boxes, workItems));
    tiling.sharedBytes += DirectTiling::kPartials * sizeof(float) * workItems;
  }
  // Kernels that request memory at launch declare one byte of it.
  int64_t declared = tiling.sharedBytes > chip.staticSharedMemory ? 1 : 0;
  return tiling.sharedBytes + declared <= chip.sharedMemoryBytes ||
         refuse(formatv("what a tile reads, exchanges and adds up to fit "
                        "{0} bytes of shared memory, but got {1}",
                        chip.sharedMemoryBytes, tiling.sharedBytes));
}

/// The box from which work-items read windows one by one: with unused vectors
/// where neighbours have fewer bank conflicts then. By the clock of AMD chips
/// such conflicts hardly count.
TensorBox TilingBuilder::computeReadBox(const ViewedTensor &operand,
                                        ArrayRef<DigitBox> spaces,
                                        bool spreadsRows) {
  auto compute = [&](VectorOrder order) {
    return TensorBox::compute(operand, spaces, tiling.isAlongBatch, order);
  };
  TensorBox together = compute(VectorOrder::Together);
  if (tiling.isAlongBatch || chip.isProcessor() || chip.isClocked() ||
      !spreadsRows)
    return together;
  int64_t bytes = getElementBytes(operand.type);
  auto countPasses = [&](const TensorBox &box) {
    return (isShared ? getReductionReads(tiling, box, bytes)
                     : getRowReads(tiling, box, bytes))
        .countPasses();
  };
  int64_t passes = countPasses(together);
  if (passes == 1)
    return together;
  TensorBox odd = compute(VectorOrder::Odd);
  hasSpreadRows = countPasses(odd) < passes;
  return hasSpreadRows ? odd : together;
}

/// With unused vectors in rows only if `spreadsRows`: tiles that fill shared
/// memory have no room for them.
void TilingBuilder::computeBoxes(bool spreadsRows) {
  SmallVector<DigitBox> lhs = {tiling.batch, tiling.rows, tiling.reduction};
  SmallVector<DigitBox> rhs = {tiling.batch, tiling.columns, tiling.reduction};
  if (!isMatrix) {
    // The windows are in the left operand, or in the right one of a reduction.
    // Factors of the other operand are the same for most neighbours.
    auto compute = [&](const ViewedTensor &operand, ArrayRef<DigitBox> spaces,
                       bool hasWindows) {
      return hasWindows
                 ? computeReadBox(operand, spaces, spreadsRows)
                 : TensorBox::compute(operand, spaces, tiling.isAlongBatch,
                                      VectorOrder::Together);
    };
    tiling.lhs = compute(product.lhs, lhs, !isShared);
    tiling.rhs = compute(product.rhs, rhs, isShared);
    return;
  }
  const std::optional<BandedGradient> &banded = tiling.banded;
  tiling.lhs =
      TensorBox::compute(product.lhs, lhs, tiling.isAlongBatch,
                         banded ? VectorOrder::Together : VectorOrder::Odd,
                         banded ? BandedGradient::kRun : 0);
  // Each element of a filter's blocks is read once, so only copies matter: with
  // several channels, consecutive channels are copied together.
  bool hasRuns = tiling.filter && tiling.filter->channels > 1;
  tiling.rhs = TensorBox::compute(
      product.rhs, rhs, tiling.isAlongBatch && !hasRuns,
      tiling.blocks ? VectorOrder::Odd : VectorOrder::Together,
      banded ? banded->getBlock() : 0);
}

std::optional<DirectTiling> TilingBuilder::create() {
  if (!checkOperands() || !computeMatrices() || !computeSpaces() ||
      !checkReduction())
    return std::nullopt;
  for (bool spreadsRows : {true, false}) {
    computeBoxes(spreadsRows);
    // The right operand is copied once for every tile of the rows.
    tiling.rhs.copied *= double(tiling.rows.getNumTiles());
    if (tiling.filter)
      computeFilterLines();
    if (tiling.blocks)
      computeBlockLines();
    if (tiling.banded)
      computeBandedLines();
    if (computeSharedMemory())
      return tiling;
    if (!hasSpreadRows)
      break;
  }
  return std::nullopt;
}

std::optional<DirectTiling> DirectTiling::compute(ScheduleAttr schedule,
                                                  const ::conv::ChipInfo &chip,
                                                  const ViewedProduct &product,
                                                  std::string &obstacle) {
  return TilingBuilder(schedule, chip, product, obstacle).create();
}
