//===- SplitReduction.cpp - split-K of an index space ---------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DigitLetters.h"
#include "IndexSpace.h"

#include "conv/Plan/ConvolutionPlan.h"

#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;
using namespace mlir::conv;

static constexpr int64_t kRowSize = PlanOptions::kRowSize;

/// The digit of merged groups cannot be split, since each sum is of one group.
/// Digits within a halo tile cannot be split either.
std::string IndexSpace::getSplittableLetters() const {
  std::string all;
  for (char letter : digits[Reduction])
    if (letter != kLhsGroup && !kBlocks.contains(letter) &&
        !kPlaces.contains(letter))
      all += letter;
  return all;
}

char IndexSpace::selectSplitLetter(int64_t parts) const {
  std::string letters = getSplittableLetters();
  auto getRank = [&](char letter) {
    int64_t size = getDigitSize(letter);
    bool hasWholeRows =
        letter != innermost || parts == 1 || size % (parts * kRowSize) == 0;
    return std::tuple(hasWholeRows && size % parts == 0,
                      hasWholeRows && size >= parts, size);
  };
  return *llvm::max_element(
      letters, [&](char a, char b) { return getRank(a) < getRank(b); });
}

int64_t IndexSpace::getSplittableSize() const {
  if (!hasHaloTileReduction())
    return getDigitSize(selectSplitLetter(/*parts=*/1));
  int64_t size = 1;
  for (char letter : getSplittableLetters())
    size *= getDigitSize(letter);
  return size;
}

int64_t IndexSpace::getReductionSize() const {
  int64_t size = 1;
  for (char letter : digits[Reduction])
    size *= getDigitSize(letter);
  return size;
}

namespace {
/// The number of slices of each of several digits, and the size of a slice.
struct Distribution {
  SmallVector<int64_t> counts;
  int64_t size;
};
} // namespace

/// Distributes `parts` slices over the digits so that a slice is as small as
/// possible; among equal ways, the one that splits the outermost digits wins.
static Distribution distribute(int64_t parts, ArrayRef<int64_t> sizes) {
  if (sizes.size() == 1)
    return {{parts}, int64_t(llvm::divideCeil(sizes.front(), parts))};
  Distribution best{{}, std::numeric_limits<int64_t>::max()};
  for (int64_t count = parts; count > 0; --count) {
    if (parts % count != 0)
      continue;
    Distribution inner = distribute(parts / count, sizes.drop_front());
    int64_t size = inner.size * llvm::divideCeil(sizes.front(), count);
    if (size >= best.size)
      continue;
    best = {{count}, size};
    llvm::append_range(best.counts, inner.counts);
  }
  return best;
}

void IndexSpace::split(int64_t parts) {
  if (parts == 1)
    return;
  splits = parts;
  std::string letters = hasHaloTileReduction()
                            ? getSplittableLetters()
                            : std::string(1, selectSplitLetter(parts));
  SmallVector<int64_t> lengths = llvm::map_to_vector(
      letters, [&](char letter) { return getDigitSize(letter); });
  std::string batch;
  for (auto [letter, length, count, part] : llvm::zip(
           letters, lengths, distribute(parts, lengths).counts, kSlices)) {
    if (count == 1)
      continue;
    batch += part;
    setDigit(part, {llvm::toLower(letter), DigitPart::Split}, count);
    splitLetters[letter] = {part, int64_t(llvm::divideCeil(length, count))};
  }
  // Slices are outermost, so that matrices of adjacent groups are adjacent.
  digits[Batch] = batch + digits[Batch];
  setIndices();
  // Positions after the last halo tile read zeros anyway.
  if (hasHaloTileReduction())
    return;
  auto [part, length] = splitLetters.lookup(letters.front());
  if (length * parts != lengths.front())
    addCondition(getDigit(part) * length + getDigit(letters.front()),
                 lengths.front());
}
