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

using Tile = ::conv::WarpgroupTile;

static constexpr int64_t kElementBytes = Tile::kConvertedBytes;
static constexpr int64_t kVectorElements = kVectorBytes / kElementBytes;
/// Elements of the reduction that an instruction multiplies, and their vectors.
static constexpr int64_t kAtomElements = Tile::kAtomBytes / kElementBytes;
static constexpr int64_t kAtomVectors = kAtomElements / kVectorElements;

/// The place of vector `position` of a line. Copies and instructions exchange
/// the vectors of a line by the last three bits of its number. `offset` has
/// these as its vector, so that one instruction computes a place: tiles start
/// at multiples of eight lines. Exchanging is symmetric, so `offset` may as
/// well have a vector, and `position` may be the bits.
static Value locate(const IndexMath &math, Value offset, int64_t position) {
  return math.bitXor(offset, math.constant(position * kVectorBytes));
}

Value RightConverter::createLine(Value offset) const {
  const IndexMath &math = ptx.math;
  Value line = math.rem(lane, kWarpSize);
  return math.add(offset, math.add(math.mul(line, Tile::kRowBytes),
                                   math.mul(math.rem(line, 8), kVectorBytes)));
}

SmallVector<Value> RightConverter::load(Value offset, const Task &task) const {
  const IndexMath &math = ptx.math;
  SmallVector<Value> elements;
  auto load = [&](Type type, Value place, int64_t bytes, int64_t alignment) {
    return LLVM::LoadOp::create(
        ptx.b, type, ptx.offset(ptx.offset(memory, place), bytes), alignment);
  };
  if (!geometry.isRightTransposed()) {
    auto type = VectorType::get({kVectorElements}, ptx.b.getF32Type());
    for (int64_t i = 0; i < kAtomVectors; ++i) {
      Value loaded =
          load(type, locate(math, offset, task.step * kAtomVectors + i),
               task.column * Tile::kRowBytes, kVectorBytes);
      for (int64_t j = 0; j < kVectorElements; ++j)
        elements.push_back(vector::ExtractOp::create(ptx.b, loaded, j));
    }
  } else {
    // A box has the columns of a task: lines of one element of the reduction.
    for (int64_t i = 0; i < kAtomElements; ++i)
      elements.push_back(
          load(ptx.b.getF32Type(), locate(math, offset, i),
               (task.column + task.step * kAtomElements + i) * Tile::kRowBytes,
               kElementBytes));
  }
  SmallVector<Value> ordered;
  for (int64_t i = 0; i < kAtomElements; ++i)
    ordered.push_back(
        elements[getReductionElement(i, geometry.isLeftTransposed())]);
  return ordered;
}

void RightConverter::store(Value offset, const Task &task,
                           ArrayRef<Value> elements) const {
  SmallVector<SmallVector<Value>> converted(tile.convertedParts);
  for (Value element : elements)
    for (auto [list, part] : llvm::zip(
             converted, createTF32Parts(ptx, element, tile.convertedParts)))
      list.push_back(part);
  auto type = VectorType::get({kVectorElements}, ptx.b.getI32Type());
  for (auto [number, list] : llvm::enumerate(converted))
    for (int64_t i = 0; i < kAtomVectors; ++i) {
      Value stored = vector::FromElementsOp::create(
          ptx.b, type,
          ValueRange(list).slice(i * kVectorElements, kVectorElements));
      Value place = locate(ptx.math, offset, task.step * kAtomVectors + i);
      int64_t bytes = task.column * Tile::kRowBytes +
                      static_cast<int64_t>(number) * tile.convertedPartBytes();
      LLVM::StoreOp::create(ptx.b, stored,
                            ptx.offset(ptx.offset(memory, place), bytes),
                            kVectorBytes);
    }
}

/// Converts a tile. A lane has registers for the loads of four tasks, or of two
/// that it splits.
void RightConverter::convertTile(Value right, Value parts) const {
  int64_t together = 4 / tile.convertedParts;
  int64_t steps = geometry.getMultipliedBytes() / Tile::kAtomBytes;
  int64_t tasks = tile.columns / kWarpSize * steps;
  Value from =
      geometry.isRightTransposed()
          ? ptx.math.add(right, ptx.math.mul(ptx.math.rem(lane, kWarpSize),
                                             kElementBytes))
          : createLine(right);
  Value to = createLine(parts);
  for (int64_t first = 0; first < tasks; first += together) {
    SmallVector<Task> own;
    SmallVector<SmallVector<Value>> loaded;
    for (int64_t i = first; i < std::min(first + together, tasks); ++i) {
      own.push_back({i / steps * kWarpSize, i % steps});
      loaded.push_back(load(from, own.back()));
    }
    for (auto [task, elements] : llvm::zip(own, loaded))
      store(to, task, elements);
  }
}

LoopPosition RightConverter::create(Value steps, LoopPosition position) const {
  const IndexMath &math = ptx.math;
  Value warp = ptx.uniform(math.div(lane, kWarpSize));
  SmallVector<Value> end = ptx.createFor(
      math.constant(0), steps, 1, position.carried(),
      [&](Value, ValueRange carried) {
        LoopPosition at = LoopPosition::get(carried);
        ptx.createIf(ptx.equal(math.sub(at.second->stage, warp), 0), [&] {
          pipelines.converted->waitForEmpty(*at.second);
          pipelines.stages.wait(at.stage);
          Value right = math.add(math.mul(at.stage.stage, tile.stageBytes()),
                                 tile.rightOffset());
          Value parts =
              math.add(math.mul(at.second->stage, tile.convertedBytes()),
                       tile.convertedOffset());
          convertTile(right, parts);
          // Instructions read these stores through the async proxy, as copies
          // do.
          ptx.fenceSharedForCopies();
          ptx.synchronizeWarp();
          ptx.createIf(ptx.equal(math.rem(lane, kWarpSize), 0), [&] {
            pipelines.converted->fill(at.second->stage);
            pipelines.stages.release(at.stage.stage);
          });
        });
        return LoopPosition{pipelines.stages.getNext(at.stage),
                            pipelines.converted->getNext(*at.second)}
            .carried();
      });
  return LoopPosition::get(end);
}
