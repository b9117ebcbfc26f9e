//===- RightConverter.cpp - right tiles as tf32 parts ---------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RightConverter.h"

#include "TF32Parts.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::conv;

using Tile = ::conv::TmaTile;

static constexpr int64_t kElementBytes = Tile::kConvertedBytes;
static constexpr int64_t kRowElements = Tile::kRowBytes / kElementBytes;
static constexpr int64_t kPieceElements = kPieceBytes / kElementBytes;
/// Elements of the reduction that an instruction multiplies, and their pieces.
static constexpr int64_t kAtomElements = Tile::kAtomBytes / kElementBytes;
static constexpr int64_t kAtomPieces = kAtomElements / kPieceElements;

/// The byte offset of piece `piece` of line `line`.
static Value locate(const IndexMath &math, Value line, Value piece) {
  return math.add(math.mul(line, Tile::kRowBytes),
                  math.mul(math.bitXor(piece, math.rem(line, 8)), kPieceBytes));
}

RightConverter::Task RightConverter::getTask(Value number) const {
  const IndexMath &math = ptx.math;
  int64_t steps = geometry.getMultipliedBytes() / Tile::kAtomBytes;
  Value block = math.mul(math.div(number, steps), kWarpSize);
  return {math.add(block, math.rem(lane, kWarpSize)), math.rem(number, steps)};
}

SmallVector<Value> RightConverter::load(Value right, const Task &task) const {
  const IndexMath &math = ptx.math;
  auto [column, step] = task;
  SmallVector<Value> elements;
  if (!geometry.isRightTransposed()) {
    auto type = VectorType::get({kPieceElements}, ptx.b.getF32Type());
    for (int64_t i = 0; i < kAtomPieces; ++i) {
      Value piece = math.add(math.mul(step, kAtomPieces), i);
      Value loaded = LLVM::LoadOp::create(
          ptx.b, type, ptx.offset(right, locate(math, column, piece)),
          kPieceBytes);
      for (int64_t j = 0; j < kPieceElements; ++j)
        elements.push_back(vector::ExtractOp::create(ptx.b, loaded, j));
    }
  } else {
    // A line has the columns of a box.
    Value box = math.div(column, kRowElements);
    Value inBox = math.rem(column, kRowElements);
    Value first =
        math.add(math.mul(box, kRowElements), math.mul(step, kAtomElements));
    for (int64_t i = 0; i < kAtomElements; ++i) {
      Value bytes = math.add(
          locate(math, math.add(first, i), math.div(inBox, kPieceElements)),
          math.mul(math.rem(inBox, kPieceElements), kElementBytes));
      elements.push_back(LLVM::LoadOp::create(
          ptx.b, ptx.b.getF32Type(), ptx.offset(right, bytes), kElementBytes));
    }
  }
  SmallVector<Value> ordered;
  for (int64_t i = 0; i < kAtomElements; ++i)
    ordered.push_back(
        elements[getReductionElement(i, geometry.isLeftTransposed())]);
  return ordered;
}

void RightConverter::store(Value parts, const Task &task,
                           ArrayRef<Value> elements) const {
  const IndexMath &math = ptx.math;
  auto [column, step] = task;
  SmallVector<SmallVector<Value>> converted(tile.convertedParts);
  for (Value element : elements)
    for (auto [list, part] : llvm::zip(
             converted, createTF32Parts(ptx, element, tile.convertedParts)))
      list.push_back(part);
  auto type = VectorType::get({kPieceElements}, ptx.b.getI32Type());
  for (auto [number, list] : llvm::enumerate(converted))
    for (int64_t i = 0; i < kAtomPieces; ++i) {
      Value piece = math.add(math.mul(step, kAtomPieces), i);
      Value stored = vector::FromElementsOp::create(
          ptx.b, type,
          ValueRange(list).slice(i * kPieceElements, kPieceElements));
      Value place =
          ptx.offset(ptx.offset(parts, locate(math, column, piece)),
                     static_cast<int64_t>(number) * tile.convertedPartBytes());
      LLVM::StoreOp::create(ptx.b, stored, place, kPieceBytes);
    }
}

/// A warp has every `kWarps`-th task, with the loads of two tasks in flight.
void RightConverter::convertTile(Value right, Value parts) const {
  const IndexMath &math = ptx.math;
  constexpr int64_t kTogether = 2;
  int64_t steps = geometry.getMultipliedBytes() / Tile::kAtomBytes;
  int64_t tasks = tile.columns / kWarpSize * steps;
  int64_t rounds = tasks / kWarps;
  Value warp = ptx.uniform(math.div(lane, kWarpSize));
  auto convert = [&](int64_t first, int64_t count) {
    SmallVector<Task> own;
    SmallVector<SmallVector<Value>> loaded;
    for (int64_t i = first; i < first + count; ++i) {
      own.push_back(getTask(math.add(warp, i * kWarps)));
      loaded.push_back(load(right, own.back()));
    }
    for (auto [task, elements] : llvm::zip(own, loaded))
      store(parts, task, elements);
  };
  for (int64_t first = 0; first < rounds; first += kTogether)
    convert(first, std::min(kTogether, rounds - first));
  if (tasks % kWarps)
    ptx.createIf(math.below(warp, tasks % kWarps), [&] { convert(rounds, 1); });
}

LoopPosition RightConverter::create(Value steps, LoopPosition position) const {
  const IndexMath &math = ptx.math;
  SmallVector<Value> end = ptx.createFor(
      math.constant(0), steps, 1, position.carried(),
      [&](Value, ValueRange carried) {
        LoopPosition at = LoopPosition::get(carried);
        pipelines.stages.wait(at.stage);
        pipelines.converted->waitForEmpty(*at.second);
        Value right = ptx.offset(ptx.offset(memory, tile.rightOffset()),
                                 math.mul(at.stage.stage, tile.stageBytes()));
        Value parts =
            ptx.offset(ptx.offset(memory, tile.convertedOffset()),
                       math.mul(at.second->stage, tile.convertedBytes()));
        convertTile(right, parts);
        // Instructions read these stores through the async proxy, as copies do.
        ptx.fenceSharedForCopies();
        ptx.synchronizeWarp();
        ptx.createIf(ptx.equal(math.rem(lane, kWarpSize), 0), [&] {
          pipelines.converted->fill(at.second->stage);
          pipelines.stages.release(at.stage.stage);
        });
        return LoopPosition{pipelines.stages.getNext(at.stage),
                            pipelines.converted->getNext(*at.second)}
            .carried();
      });
  return LoopPosition::get(end);
}
