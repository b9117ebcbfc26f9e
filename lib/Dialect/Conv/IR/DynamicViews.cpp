//===- DynamicViews.cpp - views of dynamic convolutions ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers limit the length of a block: a work-item holds the kernels of all
// its positions at a time. Their bytes are also the bytes that it has in
// flight.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/DynamicViews.h"

#include "MatrixDimensions.h"

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
/// The most positions of a block on AMD's GPUs, whose caches deliver what the
/// next block reads again hardly faster than the memory does (`conv-clock`).
static constexpr int64_t kMostPositionsOnAMD = 16;
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
  constexpr int64_t kWordBytes = 4;
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

/// Normalised kernels are long code, and positions multiply it.
static int64_t countMostPositions(DynamicOpInterface op) {
  TargetAttr target = TargetAttr::lookup(op);
  bool isAMD = target && target.getInfo().backend == ::conv::Backend::AMDGPU;
  return isAMD && !op.isNormalized() ? kMostPositionsOnAMD : kMostPositions;
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
  return op.hasOneKernel() && (op.getCuSeqlens() || hasTensorInEpilogue(op));
}

DynamicViews::DynamicViews(DynamicOpInterface op)
    : shape(op.getShape()), order(op.getOrder()), direction(op.getDirection()),
      operandBytes(op.getOperandType().getIntOrFloatBitWidth() / 8),
      hasState(op.getInitialState() != nullptr), isShort(areBlocksShort(op)),
      isNormalized(op.isNormalized()), hasOneKernel(op.hasOneKernel()) {
  // Normalised kernels take more registers than the bytes of their taps.
  int64_t tapBytes =
      isNormalized ? kAccessBytes
                   : std::min(kAccessBytes, countElements() * operandBytes);
  int64_t room = kKernelBytes / (shape.w * tapBytes);
  int64_t most = countMostPositions(op);
  if (hasOneKernel)
    room = most;
  if (isShort)
    room = std::min(room, kFewPositions);
  if (direction == Direction::BackwardWeight && shape.perGroup() > 1)
    room = countSummedPositions(shape, operandBytes, countElements());
  positions = std::min<int64_t>(
      {most, int64_t(llvm::bit_floor<uint64_t>(std::max<int64_t>(room, 1))),
       int64_t(llvm::PowerOf2Ceil(shape.t))});
  AffineExpr matrix;
  bindDims(op.getContext(), matrix, sequence, block, group, member);
}

ViewAttr DynamicViews::createView(ArrayRef<AffineExpr> coordinates) const {
  MLIRContext *context = sequence.getContext();
  int64_t blocks = llvm::divideCeil(shape.t, positions);
  int64_t members =
      direction == Direction::BackwardWeight ? 1 : shape.perGroup();
  return ViewAttr::get(context, {1}, {shape.b, blocks}, {shape.g, members},
                       AffineMap::get(5, 0, coordinates, context), {},
                       PaddingMode::Zeros);
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
  return sums;
}

ViewAttr DynamicViews::getVector() const {
  return createView({group * shape.perGroup() + member});
}

ViewAttr DynamicViews::getPosition(int64_t position) const {
  return createView({block * positions + position});
}

int64_t DynamicViews::countTokens() const {
  return llvm::alignTo(shape.t, kMostPositionsOnAMD);
}

ViewAttr DynamicViews::getWritten(ViewAttr view) const {
  if (shape.t % positions == 0)
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

int64_t DynamicViews::countElements() const {
  int64_t elements =
      (hasOneKernel && isShort ? kNarrowBytes : kAccessBytes) / operandBytes;
  if (order == KernelOrder::BTGW && !hasOneKernel)
    elements = countKernelsOfVectors(elements, shape.w);
  if (isNormalized)
    elements = std::min(elements, countNormalizedChannels(shape, direction));
  if (direction == Direction::BackwardWeight && shape.perGroup() > 1)
    elements = countSummedGroups(shape, operandBytes, elements);
  return elements;
}

TransformScheduleAttr
DynamicViews::selectSchedule(RankedTensorType type) const {
  TransformScheduleAttr transform =
      selectTransformSchedule(createView({sequence, block, group}), type);
  return TransformScheduleAttr::get(type.getContext(), transform.getTile(),
                                    countElements());
}
