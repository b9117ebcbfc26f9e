//===- PatchedView.cpp - positions that are numbered patch by patch -------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the digits that `PlanOptions::patch` makes of positions `(n, p, q)`:
// an image, two patches, two blocks in a patch, and two places in a block.
//
//===----------------------------------------------------------------------===//

#include "PatchedView.h"

#include "conv/Dialect/Conv/IR/ConvolutionPlan.h"

using namespace mlir;
using namespace mlir::conv;

static constexpr int64_t kBlockSize = PlanOptions::kBlockSize;
static constexpr size_t kPatches = 1, kBlocks = 3, kPlaces = 5, kDigits = 7;

SmallVector<int64_t> mlir::conv::getPatch(ArrayRef<int64_t> digits) {
  if (digits.size() != kDigits || digits[kPlaces] != kBlockSize ||
      digits[kPlaces + 1] != kBlockSize)
    return {};
  return {digits[kBlocks] * kBlockSize, digits[kBlocks + 1] * kBlockSize};
}

/// Whether coefficients of such digits are those of positions, which are the
/// coefficients of places.
static bool countsPositions(ArrayRef<int64_t> coefficients,
                            ArrayRef<int64_t> patch) {
  for (size_t d : {0, 1})
    if (int64_t one = coefficients[kPlaces + d];
        coefficients[kBlocks + d] != one * kBlockSize ||
        coefficients[kPatches + d] != one * patch[d])
      return false;
  return true;
}

ViewAttr mlir::conv::removePatches(ViewAttr view) {
  MLIRContext *context = view.getContext();
  SmallVector<AffineExpr> results;
  SmallVector<ViewAttr::Coordinate> coordinates = view.getCoordinates();
  for (const ViewAttr::Coordinate &coordinate : coordinates)
    results.push_back(getAffineConstantExpr(coordinate.constant, context));
  unsigned next = 0;
  size_t first = 0;
  // The next digit, of which coordinates have the coefficients of digit `from`.
  auto addDigit = [&](size_t from) {
    AffineExpr digit = getAffineDimExpr(next++, context);
    for (auto [result, coordinate] : llvm::zip(results, coordinates))
      result = result + digit * coordinate.coefficients[from];
  };
  std::array<SmallVector<int64_t>, 3> sizes;
  for (auto [digits, list] :
       llvm::zip(std::array{view.getBatch(), view.getRows(), view.getColumns()},
                 sizes)) {
    SmallVector<int64_t> patch = getPatch(digits);
    for (const ViewAttr::Coordinate &coordinate : coordinates)
      if (!patch.empty() &&
          !countsPositions(ArrayRef(coordinate.coefficients).drop_front(first),
                           patch))
        return nullptr;
    for (size_t i = 0; i < (patch.empty() ? digits.size() : kBlocks); ++i) {
      bool isPosition = !patch.empty() && i >= kPatches;
      addDigit(first + i + (isPosition ? kPlaces - kPatches : 0));
      list.push_back(digits[i] * (isPosition ? patch[i - kPatches] : 1));
    }
    first += digits.size();
  }
  return ViewAttr::get(context, sizes[0], sizes[1], sizes[2],
                       AffineMap::get(next, 0, results, context),
                       view.getLimits(), view.getPadding());
}
