//===- LaneReads.cpp - simultaneous reads of shared memory ----------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaneReads.h"

#include "conv/Chip/Banks.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;

static constexpr int64_t kBanks = 32, kBankBytes = 4;

int64_t LaneReads::countPasses() const {
  int64_t width = ::conv::kVectorBytes;
  for (auto [count, distance] : llvm::zip_equal(counts, distances))
    width = count > 1 ? std::gcd(width, distance) : width;
  int64_t lanes = std::min(kBanks * kBankBytes / std::max(width, kBankBytes),
                           llvm::product_of(counts));
  std::vector<::conv::LdsAccess> accesses;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    int64_t place = 0, rest = lane;
    for (auto [count, distance] :
         llvm::reverse(llvm::zip_equal(counts, distances))) {
      place += rest % count * distance;
      rest /= count;
    }
    accesses.push_back({uint32_t(lane), uint32_t(place)});
  }
  // Groups of consecutive lanes, as only stores have them on AMD chips.
  return int64_t(::conv::computeBankCost(accesses, uint32_t(width), kBanks,
                                         /*isStore=*/true)
                     .cycles);
}

LaneReads mlir::conv::getRowReads(const DirectTiling &tiling,
                                  const TensorBox &lhs, int64_t elementBytes) {
  LaneReads reads;
  size_t digit = 0;
  for (const DigitBox *space : {&tiling.batch, &tiling.rows})
    for (size_t d = 0; d < space->getRank(); ++d) {
      reads.counts.push_back(space->countRuns(d));
      reads.distances.push_back(lhs.distances[digit++] * space->getRun(d) *
                                elementBytes);
    }
  return reads;
}

LaneReads mlir::conv::getReductionReads(const DirectTiling &tiling,
                                        const TensorBox &rhs,
                                        int64_t elementBytes) {
  LaneReads reads;
  auto add = [&](int64_t count, int64_t distance) {
    reads.counts.push_back(count);
    reads.distances.push_back(distance * elementBytes);
  };
  const DigitBox &reduction = tiling.reduction, &columns = tiling.columns,
                 &batch = tiling.batch;
  size_t firstColumn = batch.getRank();
  size_t firstTerm = firstColumn + columns.getRank();
  for (size_t d = 0; d < reduction.getRank(); ++d)
    add(reduction.countRuns(d),
        rhs.distances[firstTerm + d] * reduction.getRun(d));
  for (size_t d = 0; d < columns.getRank(); ++d)
    add(d == columns.innermost ? 1 : columns.digits[d],
        rhs.distances[firstColumn + d]);
  for (size_t d = 0; d < batch.getRank(); ++d)
    add(batch.countRuns(d), rhs.distances[d] * batch.getRun(d));
  return reads;
}
