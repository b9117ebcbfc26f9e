//===- HostFilterPack.cpp - packing filter tiles for the host -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A filter of channels by reduction is turned in blocks of 8 by 8, in
// registers; its transpose is copied.
//
//===----------------------------------------------------------------------===//

#include "HostKernel.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::conv;

/// One round of a transposition: rows `i` and `i + distance` become two rows.
namespace {
struct TransposeRound {
  size_t distance;
  int64_t first[kHostLanes], second[kHostLanes];
};
} // namespace

// Masks that x86 has an instruction for: unpack of 32 bits, unpack of 64 bits,
// and exchange of the 128-bit halves.
static constexpr TransposeRound kTransposeRounds[] = {
    {1, {0, 8, 1, 9, 4, 12, 5, 13}, {2, 10, 3, 11, 6, 14, 7, 15}},
    {2, {0, 1, 8, 9, 4, 5, 12, 13}, {2, 3, 10, 11, 6, 7, 14, 15}},
    {4, {0, 1, 2, 3, 8, 9, 10, 11}, {4, 5, 6, 7, 12, 13, 14, 15}},
};

/// Row `i` of what the rounds leave is this row of the transpose: unpacking
/// takes neighbouring columns apart in the order of their bits.
static constexpr size_t kTransposedRow[kHostLanes] = {0, 2, 1, 3, 4, 6, 5, 7};

static SmallVector<Value> transpose(ImplicitLocOpBuilder &b,
                                    SmallVector<Value> rows) {
  for (const TransposeRound &round : kTransposeRounds) {
    SmallVector<Value> next(rows.size());
    for (size_t i = 0; i < rows.size(); ++i) {
      if (i & round.distance)
        continue;
      size_t j = i + round.distance;
      next[i] = vector::ShuffleOp::create(b, rows[i], rows[j], round.first);
      next[j] = vector::ShuffleOp::create(b, rows[i], rows[j], round.second);
    }
    rows = next;
  }
  SmallVector<Value> ordered(rows.size());
  for (auto [i, row] : llvm::enumerate(rows))
    ordered[kTransposedRow[i]] = row;
  return ordered;
}

namespace {
/// Packs groups of `kHostLanes` channels, one after another.
class FilterPack {
public:
  FilterPack(const Kernel &kernel, const HostBlock &block, Value scratch)
      : kernel(kernel), math(kernel.math), block(block), code(kernel),
        filter(code.flatten(kernel.arguments[1])), scratch(scratch) {}

  /// Packs the channels from `channel`, which is number `inTile` of the tile.
  void packGroup(Value channel, Value inTile) const;

private:
  void packRows(Value channel, Value panel) const;
  void packColumns(Value channel, Value panel) const;
  /// Filter offset of a channel that exists: at most the last one.
  SmallVector<Value> existingChannels(Value channel) const;
  /// Where the panel has reduction index `k` of the block.
  Value target(Value panel, Value k) const {
    return math.add(panel, math.mul(k, kernel.atom.m));
  }
  /// A vector of single elements at `offsets`.
  Value gather(ArrayRef<Value> offsets) const;

  const Kernel &kernel;
  const IndexMath &math;
  const HostBlock &block;
  HostCode code;
  Value filter, scratch;
};
} // namespace

SmallVector<Value> FilterPack::existingChannels(Value channel) const {
  Value last = math.constant(kernel.form.getChannels() - 1);
  SmallVector<Value> channels;
  for (int64_t i = 0; i < kHostLanes; ++i)
    channels.push_back(code.minimum(math.add(channel, i), last));
  return channels;
}

Value FilterPack::gather(ArrayRef<Value> offsets) const {
  SmallVector<Value> elements;
  for (Value offset : offsets)
    elements.push_back(
        vector::ExtractOp::create(code.b, code.loadWide(filter, offset, 1), 0));
  auto type = VectorType::get({kHostLanes}, code.wide);
  return vector::FromElementsOp::create(code.b, type, elements);
}

/// Packs from a filter of channels by reduction.
void FilterPack::packRows(Value channel, Value panel) const {
  SmallVector<Value> rows;
  for (Value existing : existingChannels(channel))
    rows.push_back(
        math.add(math.mul(existing, kernel.form.getReduction()), block.k));
  code.forEachVector(
      math.constant(0), block.length, [&](Value k, int64_t elements) {
        SmallVector<Value> offsets;
        for (Value row : rows)
          offsets.push_back(math.add(row, k));
        if (elements == 1)
          return code.store(gather(offsets), scratch, target(panel, k));
        SmallVector<Value> loaded;
        for (Value offset : offsets)
          loaded.push_back(code.loadWide(filter, offset, elements));
        for (auto [i, row] : llvm::enumerate(transpose(code.b, loaded)))
          code.store(row, scratch, target(panel, math.add(k, i)));
      });
}

/// Packs from a filter of reduction by channels.
void FilterPack::packColumns(Value channel, Value panel) const {
  int64_t channels = kernel.form.getChannels();
  Value isWhole =
      arith::CmpIOp::create(code.b, arith::CmpIPredicate::sle, channel,
                            math.constant(channels - kHostLanes));
  auto packFrom = [&](function_ref<Value(Value row)> load) {
    code.forEach(math.constant(0), block.length, 1, [&](Value k) {
      Value row = math.mul(math.add(block.k, k), channels);
      code.store(load(row), scratch, target(panel, k));
    });
    scf::YieldOp::create(code.b);
  };
  scf::IfOp::create(
      code.b, isWhole,
      [&](OpBuilder &, Location) {
        packFrom([&](Value row) {
          return code.loadWide(filter, math.add(row, channel), kHostLanes);
        });
      },
      [&](OpBuilder &, Location) {
        SmallVector<Value> existing = existingChannels(channel);
        packFrom([&](Value row) {
          SmallVector<Value> offsets;
          for (Value one : existing)
            offsets.push_back(math.add(row, one));
          return gather(offsets);
        });
      });
}

void FilterPack::packGroup(Value channel, Value inTile) const {
  int64_t panelElements = kernel.gemmK() * kernel.atom.m;
  Value panel =
      math.add(math.mul(math.div(inTile, kernel.atom.m), panelElements),
               math.rem(inTile, kernel.atom.m));
  if (kernel.form.reductionFirst)
    packColumns(channel, panel);
  else
    packRows(channel, panel);
}

void mlir::conv::packHostFilter(const Kernel &kernel, const HostBlock &block,
                                Value origin, Value scratch) {
  assert(kernel.atom.m % kHostLanes == 0 && "a panel has whole vectors");
  HostCode code(kernel);
  FilterPack pack(kernel, block, scratch);
  const IndexMath &math = kernel.math;
  Value columns = math.mul(
      math.div(math.add(block.channels, kernel.atom.m - 1), kernel.atom.m),
      kernel.atom.m);
  code.forEach(math.constant(0), columns, kHostLanes, [&](Value inTile) {
    pack.packGroup(math.add(origin, inTile), inTile);
  });
}
