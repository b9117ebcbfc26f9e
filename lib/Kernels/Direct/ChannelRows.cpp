//===- ChannelRows.cpp - runs of one channel in shared memory -------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChannelRows.h"

#include "../Parts/LoopUnrolling.h"
#include "ChannelFragments.h"

#include "conv/Dialect/Conv/IR/TypeBytes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::conv;

/// Calls `body` for all numbers below `count`, up to `together` at a time, each
/// in one subgroup. The loop is not unrolled: otherwise the addresses of all
/// its iterations would take registers that the sums need.
static void forEachInTurn(const Kernel &kernel, int64_t count, int64_t together,
                          function_ref<void(ArrayRef<Value>)> body) {
  ImplicitLocOpBuilder &b = kernel.b;
  const IndexMath &math = kernel.math;
  int64_t subgroups = kernel.workItems / kernel.chip.subgroupSize;
  auto visit = [&](Value first, int64_t numbers) {
    SmallVector<Value> items;
    for (int64_t i = 0; i < numbers; ++i)
      items.push_back(math.add(first, i * subgroups));
    if (!items.empty())
      body(items);
  };
  int64_t step = together * subgroups;
  int64_t whole = count / step * step;
  if (whole > 0)
    disableUnrolling(scf::ForOp::create(
        b, math.constant(0), math.constant(whole), math.constant(step),
        ValueRange{}, [&](OpBuilder &, Location, Value first, ValueRange) {
          visit(math.add(first, kernel.subgroup), together);
          scf::YieldOp::create(b);
        }));
  int64_t rounds = (count - whole) / subgroups;
  visit(math.add(kernel.subgroup, whole), rounds);
  int64_t done = whole + rounds * subgroups;
  if (done == count)
    return;
  scf::IfOp::create(b, math.below(kernel.subgroup, count - done),
                    [&](OpBuilder &, Location) {
                      visit(math.add(kernel.subgroup, done), 1);
                      scf::YieldOp::create(b);
                    });
}

SmallVector<Value> ChannelRows::load(const SharedBox &box, Value place,
                                     int64_t count) const {
  SmallVector<Value> words(count);
  loadBlocks(kernel, box, place, PairOf::Positions, words);
  return words;
}

// Transposes four vectors at a time, of one block or of neighbouring blocks.
void ChannelRows::transpose(const SharedBox &shared, int64_t step,
                            int64_t classes) const {
  constexpr int64_t kVector = BandedGradient::kVector,
                    kPair = BandedGradient::kPair, kLoaded = 4, kTogether = 2;
  const TensorBox &box = shared.getBox();
  const BoxBlocks &blocks = box.blocks;
  int64_t neighbours = blocks.countTogether(), perBlock = kLoaded / neighbours;
  int64_t perRow = kVector / kPair;
  int64_t ofLine = llvm::divideCeil(box.sizes[blocks.dimension], blocks.size);
  auto pair = VectorType::get({kPair}, element);
  auto word = VectorType::get({1}, b.getI32Type());
  SmallVector<int64_t> counts = {blocks.count / neighbours, classes,
                                 blocks.vectors / perBlock};
  // The place of a row: of positions before, of a channel after transposing.
  auto getPlace = [&](ArrayRef<Value> digits, Value which, Value row,
                      bool isChannel) {
    Value block =
        math.add(math.mul(digits[0], neighbours), math.div(which, perBlock));
    Value vector =
        math.add(math.mul(digits[2], perBlock), math.rem(which, perBlock));
    if (isChannel)
      row = getRow(row, math.rem(block, ofLine));
    Value position = math.add(math.mul(row, step), getRemainder(digits[1]));
    return math.add(math.mul(block, blocks.distance),
                    shared.getBlockOffset(position, vector));
  };
  Value loadedRow = math.rem(kernel.lane, kVector);
  Value storedRow = math.div(kernel.lane, perRow);
  Value storedPair = math.mul(math.rem(kernel.lane, perRow), kPair);
  forEachInTurn(
      kernel, llvm::product_of(counts), kTogether,
      [&](ArrayRef<Value> numbers) {
        SmallVector<std::pair<SmallVector<Value>, SmallVector<Value>>> all;
        for (Value number : numbers) {
          SmallVector<Value> digits = math.split(number, counts);
          Value place =
              getPlace(digits, math.div(kernel.lane, kVector), loadedRow,
                       /*isChannel=*/false);
          all.emplace_back(digits, load(shared, place, kLoaded));
        }
        // A lane overwrites what other lanes have loaded.
        synchronizeSubgroup(kernel);
        for (const auto &[digits, words] : all)
          for (auto [i, each] : llvm::enumerate(words)) {
            Value row = vector::FromElementsOp::create(b, word, each);
            Value place = math.add(getPlace(digits, math.constant(i), storedRow,
                                            /*isChannel=*/true),
                                   storedPair);
            vector::StoreOp::create(b, vector::BitCastOp::create(b, pair, row),
                                    shared.getBuffer(), shared.getIndex(place))
                .setAlignment(getElementBytes(word));
          }
      });
}

// The same channel of eight blocks is in different rows, so there are no bank
// conflicts.
Value ChannelRows::getRow(Value channel, Value block) const {
  return math.bitXor(channel, math.rem(block, BandedGradient::kVector));
}

Value ChannelRows::getRemainder(Value index) const {
  Value remainder = math.constant(0);
  for (int64_t i = 1; i < banded.countClasses(); ++i)
    remainder = b.createOrFold<arith::SelectOp>(
        math.below(index, i), remainder, math.constant(banded.getRemainder(i)));
  return remainder;
}
