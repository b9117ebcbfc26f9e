//===- DynamicViews.cpp - views of dynamic convolutions ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers limit the length of a block: a work-item holds the kernels of all
// its positions at a time. Their bytes are also the bytes that it has in
// flight. A work-item that streams has a run of blocks, and takes what two of
// them read from one to the next one in registers.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/DynamicViews.h"

#include "conv/Dialect/Conv/IR/MatrixDimensions.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;

/// Bytes of one access; bytes of a work-item's registers for kernels.
static constexpr int64_t kAccessBytes = 16;
static constexpr int64_t kKernelBytes = 512;
/// Bytes of a work-item's registers for sums over the channels of groups.
static constexpr int64_t kSummedBytes = 300;
/// The most positions of a block: a longer block would save less than a tenth
/// of the input reads.
static constexpr int64_t kMostPositions = 8;
/// The positions of a block whose work-item streams (`streams`), and of all
/// blocks of its run, if there are enough work-items; and how many times what
/// two runs read what they move.
static constexpr int64_t kStreamed = 16, kMostOfRun = 512;
static constexpr int64_t kIdealShare = 40, kLeastShare = 20;
/// The most products of a block that streams. Each has about ten bytes of code,
/// which caches of instructions hold (32 KiB at least).
static constexpr int64_t kMostProducts = 1800;
/// Bytes of a work-item's registers for one kernel of all tokens, as f32.
static constexpr int64_t kFilterBytes = 192;
/// Bytes of the sums, or inputs, that a work-item keeps for its next block:
/// beside kernels of each channel, and of groups, which have fewer kernels.
static constexpr int64_t kKeptBytes = 64, kKeptOfGroups = 192;
/// The divisor of the part of its registers that a work-item keeps at most, of
/// groups, too, even if its accesses are not whole words then.
static constexpr int64_t kPartOfRegisters = 10;
static constexpr int64_t kWordBytes = 4;
/// Bytes that a wave accesses at least.
static constexpr int64_t kLineBytes = 128;
/// Kernels of a line of a tile on AMD's GPUs, so that their taps are whole
/// cache lines, and columns that are enough in any case.
static constexpr int64_t kKernelsOfLine = 64, kMostColumns = 512;
/// The most positions of a short block, and the bytes of one access of a short
/// block with one kernel for all tokens.
static constexpr int64_t kFewPositions = 4, kNarrowBytes = 8;

int64_t mlir::conv::computeMembersOfSum(int64_t perGroup) {
  for (int64_t members = std::min(kMostMembers, perGroup); members > 0;
       --members)
    if (perGroup % members == 0)
      return perGroup / members <= kMostPartialSums ? members : 0;
  return 0;
}

bool mlir::conv::normalizesManyKernels(DynamicOpInterface op) {
  // The code of more taps, of all kernels together, takes seconds to compile.
  constexpr int64_t kMaxUnrolledTaps = 128;
  int64_t taps = op.getShape().w;
  return op.getDirection() == Direction::BackwardData && op.isNormalized() &&
         !op.hasOneKernel() && taps * taps > kMaxUnrolledTaps;
}

int64_t mlir::conv::countKernelsOfVectors(int64_t elements, int64_t taps) {
  return elements / std::gcd(elements, taps);
}

int64_t mlir::conv::countNormalizedChannels(const DynamicShape &shape,
                                            Direction direction) {
  constexpr int64_t kMostGroups = 2;
  bool areGroups = direction == Direction::BackwardWeight;
  return areGroups ? kMostGroups : kMostGroups * shape.perGroup();
}

int64_t mlir::conv::countSummedGroups(const DynamicShape &shape,
                                      int64_t operandBytes, int64_t most) {
  int64_t groups = 1;
  while (2 * groups <= most &&
         (groups * shape.perGroup() * operandBytes < kAccessBytes ||
          groups * shape.w * operandBytes % kWordBytes != 0))
    groups *= 2;
  return groups;
}

int64_t mlir::conv::countSummedPositions(const DynamicShape &shape,
                                         int64_t operandBytes, int64_t groups) {
  constexpr int64_t kSumBytes = 4;
  auto countBytes = [&](int64_t positions) {
    int64_t rows = 2 * positions + shape.w - 1;
    return groups * (rows * shape.perGroup() * operandBytes +
                     positions * shape.w * kSumBytes);
  };
  int64_t positions = kMostPositions;
  while (positions > 1 && countBytes(positions) > kSummedBytes)
    positions /= 2;
  return positions;
}

/// Whether a work-item loads, computes and stores position by position, so that
/// registers do not limit the length of its block. AMD's caches deliver what
/// the next block reads again hardly faster than the memory does
/// (`conv-clock`). Normalised kernels are long code, and positions multiply it.
static bool streams(DynamicOpInterface op) {
  TargetAttr target = TargetAttr::lookup(op);
  return target && target.getInfo().backend == ::conv::Backend::AMDGPU &&
         !op.isNormalized();
}

/// Whether the epilogue reads more than vectors of channels.
static bool hasTensorInEpilogue(DynamicOpInterface op) {
  return llvm::any_of(op.getEpilogueOperands(), [](Value operand) {
    return cast<RankedTensorType>(operand.getType()).getRank() > 1;
  });
}

/// Whether blocks are short, because a work-item has much else in registers:
/// with one kernel for all tokens, its taps and masks of packed sequences or
/// tensors of the epilogue. On NVIDIA's GPUs, whose L2 cache has what
/// neighbouring blocks read again, those with taps are shorter in any case, so
/// that more workgroups fit into a unit (bench/results/token_mixing_h100.json).
static bool areBlocksShort(DynamicOpInterface op) {
  TargetAttr target = TargetAttr::lookup(op);
  if (target && target.getInfo().backend == ::conv::Backend::NVPTX)
    return op.hasOneKernel() || op.isNormalized();
  return op.hasOneKernel() && !streams(op) &&
         (op.getCuSeqlens() || hasTensorInEpilogue(op));
}

DynamicViews::DynamicViews(DynamicOpInterface op)
    : shape(op.getShape()), order(op.getOrder()), direction(op.getDirection()),
      operandBytes(op.getOperandType().getIntOrFloatBitWidth() / 8),
      hasState(op.getInitialState() != nullptr), isShort(areBlocksShort(op)),
      isNormalized(op.isNormalized()), hasOneKernel(op.hasOneKernel()),
      isPacked(op.getCuSeqlens() != nullptr), isStreamed(streams(op)) {
  TargetAttr target = TargetAttr::lookup(op);
  hasRuns = target && target.getInfo().backend == ::conv::Backend::AMDGPU;
  if (isStreamed)
    leastBytes = kLineBytes / target.getInfo().subgroupSize;
  elements = computeElements();
  if (isStreamed)
    planStream(target.getInfo());
  else
    positions = countHeld();
  positions = std::min<int64_t>(positions, llvm::PowerOf2Ceil(shape.t));
  AffineExpr matrix;
  bindDims(op.getContext(), matrix, sequence, block, group, member);
}

int64_t DynamicViews::countHeld() const {
  // Normalised kernels take more registers than the bytes of their taps.
  int64_t tapBytes = isNormalized
                         ? kAccessBytes
                         : std::min(kAccessBytes, elements * operandBytes);
  int64_t room = kKernelBytes / (shape.w * tapBytes);
  if (hasOneKernel)
    room = kMostPositions;
  if (isShort)
    room = std::min(room, kFewPositions);
  if (direction == Direction::BackwardWeight && shape.perGroup() > 1)
    room = countSummedPositions(shape, operandBytes, elements);
  return std::min(kMostPositions, int64_t(llvm::bit_floor<uint64_t>(
                                      std::max<int64_t>(room, 1))));
}

bool DynamicViews::readsTapsAgain() const {
  return direction == Direction::BackwardData && order == KernelOrder::BTGW &&
         !hasOneKernel;
}

int64_t DynamicViews::countProducts() const {
  return shape.w *
         (direction == Direction::BackwardWeight ? shape.perGroup() : 1);
}

int64_t DynamicViews::countTokensOfRun(int64_t share) const {
  // Elements that are moved for a group at a position, and that the next run
  // reads again in all.
  int64_t taps = hasOneKernel ? 0 : shape.w;
  int64_t moved = 2 * shape.perGroup() + taps;
  int64_t again =
      (shape.w - 1) * (shape.perGroup() + (readsTapsAgain() ? taps : 0)) +
      (hasOneKernel ? shape.w * shape.perGroup() : 0);
  int64_t wanted = again * share / moved;
  return std::clamp<int64_t>(llvm::PowerOf2Ceil(wanted), kStreamed, kMostOfRun);
}

void DynamicViews::planStream(const ::conv::ChipInfo &chip) {
  positions = kStreamed;
  int64_t narrow = getNarrowElements();
  while (positions > 1 && positions * narrow * countProducts() > kMostProducts)
    positions /= 2;
  bool mayKeepMuch = hasOneKernel || (direction == Direction::BackwardWeight &&
                                      (shape.perGroup() > 1 || !isPacked));
  int64_t kept = mayKeepMuch ? 0 : kWordBytes * (shape.w - 1);
  while (elements > narrow &&
         (positions * elements * countProducts() > kMostProducts ||
          elements * kept > (sharesLines() ? kKeptOfGroups : kKeptBytes)))
    elements /= 2;
  // What is kept of many taps leaves no registers for loads otherwise.
  int64_t most = chip.registersPerLane * kWordBytes / kPartOfRegisters;
  while (elements > 1 && elements * kept > most)
    elements /= 2;
  int64_t tokens = std::max(countTokensOfRun(kIdealShare), positions),
          least = countTokensOfRun(kLeastShare);
  auto hasFew = [&] {
    int64_t channels =
        elements *
        (direction == Direction::BackwardWeight ? shape.perGroup() : 1);
    int64_t runs = llvm::divideCeil(shape.t, tokens);
    return shape.b * runs * shape.d / channels <
           chip.computeUnits * chip.calibration->state.streamItemsPerUnit;
  };
  while (tokens > least && hasFew())
    tokens /= 2;
  // Where two runs read much of what they move, short ones are dearer than
  // narrow accesses.
  bool mayBeNarrow = hasOneKernel || readsTapsAgain() || sharesLines();
  while (mayBeNarrow && elements > narrow && hasFew())
    elements /= 2;
  while (tokens > kMostPositions && hasFew())
    tokens /= 2;
  positions = std::min(positions, tokens);
  run = std::min<int64_t>(
      tokens / positions,
      llvm::PowerOf2Ceil(llvm::divideCeil(shape.t, positions)));
}

ViewAttr DynamicViews::createView(ArrayRef<AffineExpr> coordinates) const {
  MLIRContext *context = sequence.getContext();
  int64_t members =
      direction == Direction::BackwardWeight ? 1 : shape.perGroup();
  return ViewAttr::get(
      context, {1}, {shape.b, countBlocks()}, {shape.g, members},
      AffineMap::get(5, 0, coordinates, context), {}, PaddingMode::Zeros);
}

ViewAttr DynamicViews::getToken(int64_t position, int64_t channel) const {
  return createView({sequence, block * positions + position,
                     group * shape.perGroup() + member + channel});
}

ViewAttr DynamicViews::getKernel(int64_t position, int64_t tap) const {
  AffineExpr zero = getAffineConstantExpr(0, sequence.getContext());
  AffineExpr first = hasOneKernel ? zero : sequence;
  AffineExpr token = hasOneKernel ? zero : block * positions + position;
  AffineExpr taps = zero + tap;
  if (order == KernelOrder::BTGW)
    return createView({first, token, group, taps});
  return createView({first, token, taps, group});
}

SmallVector<ViewAttr> DynamicViews::getTaps(int64_t position) const {
  SmallVector<ViewAttr> taps;
  for (int64_t tap = 0; tap < shape.w; ++tap)
    taps.push_back(getKernel(position, tap));
  return taps;
}

ViewAttr DynamicViews::getState(int64_t position, int64_t channel) const {
  if (!hasState || position >= 0)
    return nullptr;
  return createView({sequence, block * positions + position + (shape.w - 1),
                     group * shape.perGroup() + member + channel});
}

DynamicSum DynamicViews::getForwardSum(int64_t position) const {
  DynamicSum sum{position, getToken(position), {}};
  for (int64_t tap = 0; tap < shape.w; ++tap) {
    int64_t distance = (shape.w - 1) - tap;
    int64_t from = position - distance;
    sum.factors.push_back(
        {getToken(from), getKernel(position, tap), getState(from), distance});
  }
  return sum;
}

DynamicSum DynamicViews::getInputSum(int64_t position) const {
  DynamicSum sum{position, getToken(position), {}};
  for (int64_t tap = 0; tap < shape.w; ++tap) {
    int64_t distance = (shape.w - 1) - tap;
    int64_t from = position + distance;
    sum.factors.push_back({getToken(from), getKernel(from, tap),
                           /*state=*/nullptr, distance});
  }
  return sum;
}

DynamicSum DynamicViews::getKernelSum(int64_t position, int64_t tap) const {
  DynamicSum sum{position, getKernel(position, tap), {}};
  int64_t distance = (shape.w - 1) - tap;
  for (int64_t channel = 0; channel < shape.perGroup(); ++channel)
    sum.factors.push_back({getToken(position - distance, channel),
                           getToken(position, channel),
                           getState(position - distance, channel), distance});
  return sum;
}

SmallVector<DynamicSum> DynamicViews::getSums() const {
  SmallVector<DynamicSum> sums;
  for (int64_t position = 0; position < positions; ++position)
    switch (direction) {
    case Direction::Forward:
      sums.push_back(getForwardSum(position));
      break;
    case Direction::BackwardData:
      sums.push_back(getInputSum(position));
      break;
    case Direction::BackwardWeight:
      for (int64_t tap = 0; tap < shape.w; ++tap)
        sums.push_back(getKernelSum(position, tap));
      break;
    }
  // A stream takes the gradient of the input from the end on, so that the
  // products of a sum arrive in its order and no kernel is held.
  if (isStreamed && direction == Direction::BackwardData)
    std::reverse(sums.begin(), sums.end());
  return sums;
}

ViewAttr DynamicViews::getVector() const {
  return createView({group * shape.perGroup() + member});
}

ViewAttr DynamicViews::getPosition(int64_t position) const {
  return createView({block * positions + position});
}

int64_t DynamicViews::countTokens() const {
  return llvm::alignTo(shape.t, isStreamed ? kMostOfRun : kStreamed);
}

ViewAttr DynamicViews::getWritten(ViewAttr view) const {
  if (shape.t == countBlocks() * positions)
    return view;
  AffineMap map = view.getMap();
  SmallVector<AffineExpr> results = llvm::to_vector(map.getResults());
  constexpr unsigned kToken = 1;
  results.push_back(results[kToken]);
  return ViewAttr::get(
      view.getContext(), view.getBatch(), view.getRows(), view.getColumns(),
      AffineMap::get(map.getNumDims(), 0, results, view.getContext()),
      {shape.t}, view.getPadding());
}

bool DynamicViews::sharesLines() const {
  int64_t elements = kAccessBytes / operandBytes;
  return isStreamed && direction != Direction::BackwardWeight &&
         shape.perGroup() > 1 &&
         (elements % shape.perGroup() == 0 || shape.perGroup() % elements == 0);
}

void DynamicViews::widen(std::array<int64_t, 2> &tile) const {
  int64_t columns =
      std::min<int64_t>(llvm::PowerOf2Ceil(shape.d), kMostColumns);
  while (tile[0] > 1 && tile[1] < columns &&
         (isPacked || tile[1] / shape.perGroup() < kKernelsOfLine)) {
    tile[0] /= 2;
    tile[1] *= 2;
  }
}

int64_t DynamicViews::computeElements() const {
  // A mask of packed sequences serves all channels of a work-item.
  bool isNarrow = hasOneKernel && !isStreamed && (isShort || isPacked);
  int64_t most = (isNarrow ? kNarrowBytes : kAccessBytes) / operandBytes;
  if (order == KernelOrder::BTGW && !hasOneKernel && !sharesLines())
    most = std::max(countKernelsOfVectors(most, shape.w),
                    leastBytes / operandBytes);
  if (isNormalized)
    most = std::min(most, countNormalizedChannels(shape, direction));
  if (direction == Direction::BackwardWeight && shape.perGroup() > 1)
    most = countSummedGroups(shape, operandBytes, most);
  if (isStreamed && hasOneKernel)
    most =
        std::min<int64_t>(most, llvm::bit_floor<uint64_t>(std::max<int64_t>(
                                    kFilterBytes / (kWordBytes * shape.w), 1)));
  return most;
}

int64_t DynamicViews::getNarrowElements() const {
  int64_t bytes =
      readsTapsAgain() ? std::max(leastBytes, operandBytes) : kWordBytes;
  return std::min(elements, std::max<int64_t>(bytes / operandBytes, 1));
}

TransformScheduleAttr
DynamicViews::selectSchedule(RankedTensorType type) const {
  TransformScheduleAttr transform =
      selectTransformSchedule(createView({sequence, block, group}), type);
  std::array<int64_t, 2> tile{transform.getTile()[0], transform.getTile()[1]};
  bool readsLines =
      order == KernelOrder::BTGW && direction != Direction::BackwardWeight;
  if (isStreamed && (isPacked || (readsLines && !hasOneKernel)))
    widen(tile);
  if (hasRuns) {
    int64_t ofWorkgroup = kElementwiseWorkItems * elements;
    tile[1] = std::min(tile[1], ofWorkgroup);
    tile[0] = ofWorkgroup / tile[1] * run;
  }
  return TransformScheduleAttr::get(type.getContext(), tile, elements);
}
