//===- HostTranspose.cpp - squares that are transposed in registers -------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each round makes two rows of two others. In general, it interleaves their
// halves, with rows that are half of the square apart: x86 has instructions for
// it within 128 bits, and AVX-512 for all vectors. Vectors of 8 elements of 32
// bits, which AVX has in two halves, take masks that stay in the halves.
//
//===----------------------------------------------------------------------===//

#include "HostTranspose.h"

#include "conv/Chip/HostProcessor.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::conv;
using ::conv::kHostLanes;

/// A round of a transposition: rows `i` and `i + distance` become two others.
namespace {
struct TransposeRound {
  size_t distance;
  int64_t first[kHostLanes], second[kHostLanes];
};
} // namespace

// Shuffle masks for which x86 has an instruction: unpack of 32 bits, unpack of
// 64 bits, and exchange of the 128-bit halves.
static constexpr TransposeRound kTransposeRounds[] = {
    {1, {0, 8, 1, 9, 4, 12, 5, 13}, {2, 10, 3, 11, 6, 14, 7, 15}},
    {2, {0, 1, 8, 9, 4, 5, 12, 13}, {2, 3, 10, 11, 6, 7, 14, 15}},
    {4, {0, 1, 2, 3, 8, 9, 10, 11}, {4, 5, 6, 7, 12, 13, 14, 15}},
};

/// After the rounds, row `i` is this row of the transpose: unpacking separates
/// neighbouring columns in the order of the bits of their numbers.
static constexpr size_t kTransposedRow[kHostLanes] = {0, 2, 1, 3, 4, 6, 5, 7};

static SmallVector<Value> transposeByHalves(ImplicitLocOpBuilder &b,
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

SmallVector<Value> mlir::conv::transpose(ImplicitLocOpBuilder &b,
                                         SmallVector<Value> rows) {
  auto type = cast<VectorType>(rows.front().getType());
  size_t size = rows.size();
  constexpr unsigned kBits = 32;
  if (size == kHostLanes && type.getElementTypeBitWidth() == kBits)
    return transposeByHalves(b, std::move(rows));
  SmallVector<int64_t> low, high;
  for (size_t i = 0; i < size; ++i) {
    int64_t element = int64_t(i / 2 + i % 2 * size);
    low.push_back(element);
    high.push_back(element + int64_t(size / 2));
  }
  for (size_t round = 1; round < size; round *= 2) {
    SmallVector<Value> next;
    for (size_t i = 0; i < size / 2; ++i)
      for (ArrayRef<int64_t> half : {low, high})
        next.push_back(
            vector::ShuffleOp::create(b, rows[i], rows[i + size / 2], half));
    rows = next;
  }
  return rows;
}
