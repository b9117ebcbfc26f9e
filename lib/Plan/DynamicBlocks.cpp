//===- DynamicBlocks.cpp - work-items of dynamic convolutions ---*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers limit the length of a block: a work-item holds the kernels of all
// its positions at a time. Their bytes are also the bytes that it has in
// flight. A work-item that streams has a run of blocks instead, and takes what
// two of them read from one to the next one in registers. The limits are those
// of `Chip/DynamicCalibration`.
//
//===----------------------------------------------------------------------===//

#include "conv/Plan/DynamicBlocks.h"

#include "conv/Chip/Calibration.h"
#include "conv/Dialect/Conv/IR/TypeBytes.h"
#include "conv/Plan/TransformSchedules.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;
using ::conv::kVectorBytes;

static constexpr int64_t kWordBytes = 4;
/// Positions that are whole blocks of any length without runs.
static constexpr int64_t kWholeBlocks = 16;

/// Whether the epilogue reads more than vectors of channels.
static bool hasTensorInEpilogue(DynamicOpInterface op) {
  return llvm::any_of(op.getEpilogueOperands(), [](Value operand) {
    return cast<RankedTensorType>(operand.getType()).getRank() > 1;
  });
}

DynamicFacts DynamicFacts::get(DynamicOpInterface op) {
  return {.shape = op.getShape(),
          .direction = op.getDirection(),
          .order = op.getOrder(),
          .operandBytes = getElementBytes(op.getOperandType()),
          .resultBytes = getElementBytes(op.getResultType()),
          .isNormalized = op.isNormalized(),
          .hasOneKernel = op.hasOneKernel(),
          .isPacked = op.getCuSeqlens() != nullptr,
          .hasState = op.getInitialState() != nullptr,
          .hasTensorInEpilogue = ::hasTensorInEpilogue(op),
          .hasTokenKernel = op.hasTokenKernel()};
}

namespace {
/// Decides the fields of `DynamicBlocks` one after the other.
class BlockPlanner {
public:
  BlockPlanner(const DynamicFacts &facts, const ::conv::ChipInfo &chip)
      : facts(facts), shape(facts.shape), chip(chip),
        limits(chip.calibration->dynamic), stream(limits.stream),
        isGradientOfKernel(facts.direction == Direction::BackwardWeight) {}

  DynamicBlocks plan();

private:
  /// Normalized kernels are long code, and positions multiply it.
  bool isStream() const {
    return stream.positions > 0 && !facts.isNormalized && !facts.hasTokenKernel;
  }
  /// Whether the kernel gradient sums over the channels of groups.
  bool sumsGroups() const { return isGradientOfKernel && shape.perGroup() > 1; }
  bool isShort() const;
  bool isNarrow() const;
  /// Whether work-items that stream load the kernels of groups together, so
  /// that the taps of a work-item need not be whole vectors.
  bool sharesLines() const;
  /// Whether the next run reads kernels again, which are most of what it
  /// reads: the gradient of the input needs some taps of each, which are last.
  bool readsTapsAgain() const;
  /// Least bytes of an access, so that a wave accesses whole lines.
  int64_t countLeastBytes() const {
    return isStream() ? stream.waveBytes / chip.subgroupSize : 0;
  }

  int64_t countKernelsOfVectors(int64_t elements) const;
  int64_t countHeldBytes(int64_t elements) const;
  int64_t limitHeldElements(int64_t most) const;
  int64_t countSummedGroups(int64_t most) const;
  int64_t divideChannels(int64_t most) const;
  /// The most elements of a work-item, and the fewest that make its accesses
  /// whole words, or lines of a wave.
  int64_t computeElements() const;
  int64_t getNarrowElements() const;

  int64_t countSummedPositions() const;
  int64_t countHeldPositions() const;

  /// Products of an element of the result, or of all its taps, at a position.
  int64_t countProducts() const {
    return shape.w * (isGradientOfKernel ? shape.perGroup() : 1);
  }
  /// Bytes that a work-item keeps for the next block for each element.
  int64_t countKeptBytes() const;
  int64_t countTokensOfRun(int64_t share) const;
  void limitCode();
  void planRuns();

  std::array<int64_t, 2> computeTile() const;
  void widen(std::array<int64_t, 2> &tile) const;

  const DynamicFacts &facts;
  const DynamicShape &shape;
  const ::conv::ChipInfo &chip;
  const ::conv::DynamicCalibration &limits;
  const ::conv::StreamCalibration &stream;
  bool isGradientOfKernel;
  DynamicBlocks blocks = {};
};
} // namespace

/// Whether blocks are short, because a work-item has much else in registers:
/// with one kernel for all tokens, its taps and masks of packed sequences or
/// tensors of the epilogue. A kernel for any number of tokens has more of that,
/// and narrow accesses instead where workgroups are to be many
/// (bench/results/causal_h200.json, bench/results/token_mixing_h100.json).
bool BlockPlanner::isShort() const {
  if (facts.hasTokenKernel)
    return limits.prefersWorkgroups ? facts.isNormalized || facts.isPacked
                                    : facts.hasOneKernel;
  if (limits.prefersWorkgroups)
    return facts.hasOneKernel || (facts.isNormalized && !sumsGroups());
  return facts.hasOneKernel && !isStream() &&
         (facts.isPacked || facts.hasTensorInEpilogue);
}

/// Whether accesses are narrow for the same reason. A mask of packed sequences
/// serves all channels of a work-item.
bool BlockPlanner::isNarrow() const {
  if (!facts.hasOneKernel || isStream())
    return false;
  return facts.hasTokenKernel ? limits.prefersWorkgroups
                              : isShort() || facts.isPacked;
}

bool BlockPlanner::sharesLines() const {
  int64_t elements = kVectorBytes / facts.operandBytes;
  return isStream() && !isGradientOfKernel && shape.perGroup() > 1 &&
         (elements % shape.perGroup() == 0 || shape.perGroup() % elements == 0);
}

bool BlockPlanner::readsTapsAgain() const {
  return facts.direction == Direction::BackwardData &&
         facts.order == KernelOrder::BTGW && !facts.hasOneKernel;
}

/// The fewest kernels of contiguous taps that fill whole vectors of `elements`
/// elements. A work-item has so many, so that neighbouring lanes access
/// neighbouring vectors of kernels, which are most of what is moved.
int64_t BlockPlanner::countKernelsOfVectors(int64_t elements) const {
  return elements / std::gcd(elements, shape.w);
}

/// Groups of a work-item, at most `most`, in a kernel gradient that sums over
/// the channels of a group: as many as make a row of the input one access.
int64_t BlockPlanner::countSummedGroups(int64_t most) const {
  int64_t groups = 1;
  while (2 * groups <= most &&
         (groups * shape.perGroup() * facts.operandBytes < kVectorBytes ||
          groups * shape.w * facts.operandBytes % kWordBytes != 0))
    groups *= 2;
  return groups;
}

/// At most `most` channels or groups that divide those of the tensors. Channels
/// are whole groups, or of one group.
int64_t BlockPlanner::divideChannels(int64_t most) const {
  int64_t perGroup = shape.perGroup();
  if (isGradientOfKernel)
    return std::gcd(std::max<int64_t>(most / perGroup, 1), shape.g);
  if (most % perGroup == 0)
    return std::gcd(most / perGroup, shape.g) * perGroup;
  return std::gcd(most, perGroup);
}

/// Bytes of the values that a work-item with a kernel of its own holds for its
/// tokens, in the type of sums: rows of the input, kernels, and what it reads
/// or writes once for each token.
int64_t BlockPlanner::countHeldBytes(int64_t elements) const {
  int64_t tokens = facts.hasOneKernel ? limits.fewPositions : 1;
  int64_t channels = elements * (isGradientOfKernel ? shape.perGroup() : 1);
  int64_t kernels = std::max<int64_t>(channels / shape.perGroup(), 1);
  int64_t rows = tokens + shape.w - 1 + (isGradientOfKernel ? tokens : 0);
  return kWordBytes * (rows * channels + kernels * shape.w);
}

/// At most `most` elements whose values leave an eighth of the registers for
/// addresses and masks. Each packed sequence may have a state, so all rows and
/// kernels are loaded before they are masked. Only chips with streams of
/// positions have registers so few that this matters.
int64_t BlockPlanner::limitHeldElements(int64_t most) const {
  if (stream.positions == 0)
    return most;
  int64_t room = chip.registersPerLane * kWordBytes * 7 / 8;
  while (most > 1 && countHeldBytes(most) > room)
    most /= 2;
  return most;
}

int64_t BlockPlanner::computeElements() const {
  int64_t most =
      (isNarrow() ? limits.narrowBytes : kVectorBytes) / facts.operandBytes;
  if (facts.order == KernelOrder::BTGW && !facts.hasOneKernel && !sharesLines())
    most = std::max(countKernelsOfVectors(most),
                    countLeastBytes() / facts.operandBytes);
  if (facts.isNormalized)
    most = std::min(most, limits.normalizedGroups *
                              (isGradientOfKernel ? 1 : shape.perGroup()));
  if (facts.hasTokenKernel)
    return divideChannels(limitHeldElements(most));
  if (sumsGroups())
    return countSummedGroups(most);
  if (isStream() && facts.hasOneKernel)
    return std::min<int64_t>(
        most, llvm::bit_floor<uint64_t>(std::max<int64_t>(
                  stream.filterBytes / (kWordBytes * shape.w), 1)));
  return most;
}

int64_t BlockPlanner::getNarrowElements() const {
  int64_t bytes = readsTapsAgain()
                      ? std::max(countLeastBytes(), facts.operandBytes)
                      : kWordBytes;
  return std::min(blocks.elements,
                  std::max<int64_t>(bytes / facts.operandBytes, 1));
}

/// Positions of a work-item that sums over the channels of groups: operands and
/// sums are in registers, and longer blocks reread less of the input.
int64_t BlockPlanner::countSummedPositions() const {
  constexpr int64_t kSumBytes = 4;
  auto countBytes = [&](int64_t positions) {
    int64_t rows = 2 * positions + shape.w - 1;
    return blocks.elements * (rows * shape.perGroup() * facts.operandBytes +
                              positions * shape.w * kSumBytes);
  };
  int64_t positions = limits.positions;
  while (positions > 1 && countBytes(positions) > limits.sumBytes)
    positions /= 2;
  return positions;
}

/// Positions of a block that holds all that it reads in registers.
int64_t BlockPlanner::countHeldPositions() const {
  int64_t room = limits.positions;
  if (sumsGroups()) {
    room = countSummedPositions();
  } else if (!facts.hasOneKernel) {
    // Normalized kernels take more registers than the bytes of their taps.
    int64_t tapBytes =
        facts.isNormalized
            ? kVectorBytes
            : std::min(kVectorBytes, blocks.elements * facts.operandBytes);
    room = limits.kernelBytes / (shape.w * tapBytes);
  }
  // States of packed sequences take as many registers as kernels. Without this,
  // LLVM 22 crashes on gfx1100 for i8 with 7 taps.
  if (facts.isPacked && facts.hasState && !facts.hasOneKernel)
    room /= 2;
  if (isShort())
    room = std::min(room, limits.fewPositions);
  return std::min<int64_t>(
      limits.positions, llvm::bit_floor<uint64_t>(std::max<int64_t>(room, 1)));
}

/// Positions of a run that moves `share` times what the next run reads again.
int64_t BlockPlanner::countTokensOfRun(int64_t share) const {
  // Elements that are moved for a group at a position, and that the next run
  // reads again in all.
  int64_t taps = facts.hasOneKernel ? 0 : shape.w;
  int64_t moved = 2 * shape.perGroup() + taps;
  int64_t again =
      (shape.w - 1) * (shape.perGroup() + (readsTapsAgain() ? taps : 0)) +
      (facts.hasOneKernel ? shape.w * shape.perGroup() : 0);
  int64_t wanted = again * share / moved;
  return std::clamp<int64_t>(llvm::PowerOf2Ceil(wanted), stream.positions,
                             stream.runPositions);
}

int64_t BlockPlanner::countKeptBytes() const {
  bool mayKeepMuch =
      facts.hasOneKernel ||
      (isGradientOfKernel && (shape.perGroup() > 1 || !facts.isPacked));
  return mayKeepMuch ? 0 : kWordBytes * (shape.w - 1);
}

/// Selects positions and elements whose code fits into caches of instructions
/// and that leave registers for loads.
void BlockPlanner::limitCode() {
  int64_t &positions = blocks.positions, &elements = blocks.elements;
  positions = stream.positions;
  int64_t narrow = getNarrowElements();
  while (positions > 1 &&
         positions * narrow * countProducts() > stream.products)
    positions /= 2;
  int64_t kept = countKeptBytes();
  while (elements > narrow &&
         (positions * elements * countProducts() > stream.products ||
          elements * kept >
              (sharesLines() ? stream.keptOfGroups : stream.keptBytes)))
    elements /= 2;
  // What is kept of many taps leaves no registers for loads otherwise.
  int64_t most = chip.registersPerLane * kWordBytes / stream.keptPart;
  while (elements > 1 && elements * kept > most)
    elements /= 2;
}

/// Selects runs, which are long if there are enough work-items.
void BlockPlanner::planRuns() {
  int64_t &positions = blocks.positions, &elements = blocks.elements;
  int64_t narrow = getNarrowElements();
  int64_t tokens = std::max(countTokensOfRun(stream.idealShare), positions),
          least = countTokensOfRun(stream.leastShare);
  auto hasFew = [&] {
    int64_t channels = elements * (isGradientOfKernel ? shape.perGroup() : 1);
    int64_t runs = llvm::divideCeil(shape.t, tokens);
    return shape.b * runs * shape.d / channels <
           chip.computeUnits * stream.itemsPerUnit;
  };
  while (tokens > least && hasFew())
    tokens /= 2;
  // Where two runs read much of what they move, short ones are dearer than
  // narrow accesses.
  bool mayBeNarrow = facts.hasOneKernel || readsTapsAgain() || sharesLines();
  while (mayBeNarrow && elements > narrow && hasFew())
    elements /= 2;
  while (tokens > limits.positions && hasFew())
    tokens /= 2;
  positions = std::min(positions, tokens);
  blocks.run = std::min<int64_t>(
      tokens / positions,
      llvm::PowerOf2Ceil(llvm::divideCeil(shape.t, positions)));
}

/// Makes lines of a tile longer, so that they have enough kernels.
void BlockPlanner::widen(std::array<int64_t, 2> &tile) const {
  int64_t columns =
      std::min<int64_t>(llvm::PowerOf2Ceil(shape.d), stream.columns);
  while (
      tile[0] > 1 && tile[1] < columns &&
      (facts.isPacked || tile[1] / shape.perGroup() < stream.kernelsOfLine)) {
    tile[0] /= 2;
    tile[1] *= 2;
  }
}

std::array<int64_t, 2> BlockPlanner::computeTile() const {
  std::array<int64_t, 2> tile = selectTransformTile(
      shape.b * blocks.countBlocks(shape.t),
      isGradientOfKernel ? shape.g : shape.d, facts.resultBytes);
  bool readsLines = facts.order == KernelOrder::BTGW && !isGradientOfKernel;
  if (isStream() && (facts.isPacked || (readsLines && !facts.hasOneKernel)))
    widen(tile);
  // Each work-item has one run of blocks, perhaps of one.
  if (stream.positions > 0) {
    int64_t ofWorkgroup = kElementwiseWorkItems * blocks.elements;
    tile[1] = std::min(tile[1], ofWorkgroup);
    tile[0] = ofWorkgroup / tile[1] * blocks.run;
  }
  return tile;
}

DynamicBlocks BlockPlanner::plan() {
  blocks.isStream = isStream();
  blocks.wholeRuns = isStream() ? stream.runPositions : kWholeBlocks;
  blocks.elements = computeElements();
  if (isStream()) {
    limitCode();
    planRuns();
  } else {
    blocks.positions = countHeldPositions();
  }
  if (!ShapedType::isDynamic(shape.t))
    blocks.positions =
        std::min<int64_t>(blocks.positions, llvm::PowerOf2Ceil(shape.t));
  if (!facts.hasTokenKernel)
    blocks.tile = computeTile();
  return blocks;
}

DynamicBlocks DynamicBlocks::compute(const DynamicFacts &facts,
                                     const ::conv::ChipInfo &chip) {
  return BlockPlanner(facts, chip).plan();
}

DynamicBlocks DynamicBlocks::compute(DynamicOpInterface op) {
  TargetAttr target = TargetAttr::lookup(op);
  return compute(DynamicFacts::get(op),
                 target ? target.getInfo() : *::conv::lookupChip("host"));
}
