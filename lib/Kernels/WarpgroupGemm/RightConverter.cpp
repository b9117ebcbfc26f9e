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
static constexpr int64_t kVectorElements = kVectorBytes / kElementBytes;
/// Elements of the reduction that an instruction multiplies, and their vectors.
static constexpr int64_t kAtomElements = Tile::kAtomBytes / kElementBytes;
static constexpr int64_t kAtomVectors = kAtomElements / kVectorElements;

/// The byte offset of the vector at a position in a line.
static Value locate(const IndexMath &math, Value line, Value position) {
  return math.add(
      math.mul(line, Tile::kRowBytes),
      math.mul(math.bitXor(position, math.rem(line, 8)), kVectorBytes));
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
    auto type = VectorType::get({kVectorElements}, ptx.b.getF32Type());
    for (int64_t i = 0; i < kAtomVectors; ++i) {
      Value position = math.add(math.mul(step, kAtomVectors), i);
      Value loaded = LLVM::LoadOp::create(
          ptx.b, type, ptx.offset(right, locate(math, column, position)),
          kVectorBytes);
      for (int64_t j = 0; j < kVectorElements; ++j)
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
          locate(math, math.add(first, i), math.div(inBox, kVectorElements)),
          math.mul(math.rem(inBox, kVectorElements), kElementBytes));
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
  auto type = VectorType::get({kVectorElements}, ptx.b.getI32Type());
  for (auto [number, list] : llvm::enumerate(converted))
    for (int64_t i = 0; i < kAtomVectors; ++i) {
      Value position = math.add(math.mul(step, kAtomVectors), i);
      Value stored = vector::FromElementsOp::create(
          ptx.b, type,
          ValueRange(list).slice(i * kVectorElements, kVectorElements));
      Value place =
          ptx.offset(ptx.offset(parts, locate(math, column, position)),
                     static_cast<int64_t>(number) * tile.convertedPartBytes());
      LLVM::StoreOp::create(ptx.b, stored, place, kVectorBytes);
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
