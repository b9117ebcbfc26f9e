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

/// The least part of the last digit in slices of several digits: shorter ones
/// are short runs in memory.
static constexpr int64_t kLeastRun = 16;

/// The digit of merged groups cannot be split, since each sum is of one group.
/// Digits within a halo tile or a channel row cannot be split either.
std::string IndexSpace::getSplittableLetters() const {
  std::string all;
  for (char letter : digits[Reduction])
    if (letter != kLhsGroup && letter != kInRow && !kBlocks.contains(letter) &&
        !kPlaces.contains(letter))
      all += letter;
  return all;
}

/// Images that are innermost continue the positions of a line.
bool IndexSpace::hasWholeRows(char letter, int64_t slices) const {
  int64_t run = 1;
  if (areImagesInnermost() && letter == getNextToInnermost())
    run = getDigitSize(innermost);
  else if (letter != innermost)
    return true;
  return slices == 1 ||
         getDigitSize(letter) * run % (slices * innermostRow) == 0;
}

bool IndexSpace::canHaveSlices(char letter, int64_t slices) const {
  return hasWholeRows(letter, slices) && getDigitSize(letter) % slices == 0;
}

char IndexSpace::selectSplitLetter(int64_t slices) const {
  std::string letters = getSplittableLetters();
  auto getRank = [&](char letter) {
    return std::tuple(canHaveSlices(letter, slices),
                      hasWholeRows(letter, slices) &&
                          getDigitSize(letter) >= slices,
                      getDigitSize(letter));
  };
  // Slices of lines read the same lines of the image at a time, and share them
  // in the cache, where slices of an image have lines of their own, and the
  // lines that windows see beside them.
  if (areImagesInnermost())
    std::reverse(letters.begin(), letters.end());
  return *llvm::max_element(
      letters, [&](char a, char b) { return getRank(a) < getRank(b); });
}

int64_t IndexSpace::getMostAlone() const {
  return hasHaloTileReduction() ? getSplittableSize()
                                : getDigitSize(selectSplitLetter(/*slices=*/1));
}

int64_t IndexSpace::getSplittableSize() const {
  int64_t size = 1;
  for (char letter : getSplittableLetters())
    size *= getDigitSize(letter);
  return size;
}

bool IndexSpace::canSplit(int64_t slices) const {
  if (slices == 1)
    return true;
  return slices <= getMostAlone() ||
         !distributeEvenly(getSplittableLetters(), slices).empty();
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

/// Distributes so many slices over the digits so that a slice is as small as
/// possible; among equal ways, the one that splits the outermost digits wins.
static Distribution distribute(int64_t slices, ArrayRef<int64_t> sizes) {
  if (sizes.size() == 1)
    return {{slices}, int64_t(llvm::divideCeil(sizes.front(), slices))};
  Distribution best{{}, std::numeric_limits<int64_t>::max()};
  for (int64_t count = slices; count > 0; --count) {
    if (slices % count != 0)
      continue;
    Distribution inner = distribute(slices / count, sizes.drop_front());
    int64_t size = inner.size * llvm::divideCeil(sizes.front(), count);
    if (size >= best.size)
      continue;
    best = {{count}, size};
    llvm::append_range(best.counts, inner.counts);
  }
  return best;
}

IndexSpace::Counts IndexSpace::distributeEvenly(StringRef letters,
                                                int64_t slices) const {
  char letter = letters.front();
  if (letters.size() == 1) {
    bool areLong = slices == 1 || getDigitSize(letter) >= slices * kLeastRun;
    return areLong && canHaveSlices(letter, slices) ? Counts{slices} : Counts{};
  }
  auto countSplit = [](ArrayRef<int64_t> counts) {
    return llvm::count_if(counts, [](int64_t count) { return count > 1; });
  };
  Counts best;
  for (int64_t count = slices; count > 0; --count) {
    if (slices % count != 0 || !canHaveSlices(letter, count))
      continue;
    Counts counts = distributeEvenly(letters.drop_front(), slices / count);
    if (counts.empty())
      continue;
    counts.insert(counts.begin(), count);
    if (best.empty() || countSplit(counts) < countSplit(best))
      best = counts;
  }
  return best;
}

IndexSpace::Counts IndexSpace::selectSlices(StringRef letters,
                                            int64_t slices) const {
  if (hasHaloTileReduction())
    return distribute(slices, llvm::map_to_vector(letters,
                                                  [&](char letter) {
                                                    return getDigitSize(letter);
                                                  }))
        .counts;
  char letter = selectSplitLetter(slices);
  if (!canHaveSlices(letter, slices))
    if (Counts even = distributeEvenly(letters, slices); !even.empty())
      return even;
  Counts single(letters.size(), 1);
  single[letters.find(letter)] = slices;
  return single;
}

void IndexSpace::split(int64_t slices) {
  if (slices == 1)
    return;
  splits = slices;
  std::string letters = getSplittableLetters();
  std::string batch, uneven;
  for (auto [letter, count] :
       llvm::zip_equal(letters, selectSlices(letters, slices))) {
    if (count == 1)
      continue;
    int64_t size = getDigitSize(letter);
    char slice = kSlices[batch.size()];
    batch += slice;
    setDigit(slice, {llvm::toLower(letter), DigitPart::Split}, count);
    splitLetters[letter] = {slice, int64_t(llvm::divideCeil(size, count))};
    if (size % count != 0)
      uneven += letter;
  }
  // Slices are outermost, so that matrices of adjacent groups are adjacent.
  digits[Batch] = batch + digits[Batch];
  setIndices();
  // Positions after the last halo tile read zeros anyway.
  if (hasHaloTileReduction())
    return;
  for (char letter : uneven)
    addCondition(getIndex(letter), getSize(letter));
}
