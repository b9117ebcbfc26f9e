//===- RepeatedInputs.cpp - what rows share with each other ---------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rows of a run differ only in the innermost digit of a row.
//
//===----------------------------------------------------------------------===//

#include "RepeatedInputs.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::conv;

/// The view that has the elements of `view` `steps` rows later.
static ViewAttr moveRows(ViewAttr view, int64_t steps) {
  unsigned digit = view.getBatch().size() + view.getRows().size() - 1;
  AffineMap map = view.getMap();
  SmallVector<AffineExpr> digits;
  for (unsigned i = 0; i < map.getNumDims(); ++i)
    digits.push_back(getAffineDimExpr(i, map.getContext()));
  digits[digit] = digits[digit] + steps;
  map = simplifyAffineMap(
      map.replaceDimsAndSymbols(digits, {}, map.getNumDims(), 0));
  return ViewAttr::get(view.getContext(), view.getBatch(), view.getRows(),
                       view.getColumns(), map, view.getLimits(),
                       view.getPadding());
}

/// The view without the constant of its innermost coordinate, by which matrices
/// differ that may be interleaved.
static ViewAttr dropInnermostConstant(ViewAttr view) {
  if (view.getTensorRank() == 0)
    return view;
  unsigned innermost = view.getTensorRank() - 1;
  SmallVector<AffineExpr> results = llvm::to_vector(view.getMap().getResults());
  results[innermost] =
      results[innermost] - view.getCoordinates()[innermost].constant;
  return ViewAttr::get(
      view.getContext(), view.getBatch(), view.getRows(), view.getColumns(),
      AffineMap::get(view.getMap().getNumDims(), 0, results, view.getContext()),
      view.getLimits(), view.getPadding());
}

/// Whether the results of a row are listed from the last token to the first:
/// each view is that of the one before it, moved by a negative constant.
static bool areDescending(const TiledConvolution &form) {
  SmallVector<MatrixOperand> results = form.getResults();
  for (auto [first, last] : llvm::zip(results.front().view.getCoordinates(),
                                      results.back().view.getCoordinates()))
    if (first.constant != last.constant)
      return first.constant > last.constant;
  return false;
}

RepeatedInputs RepeatedInputs::find(const TiledConvolution &form,
                                    bool withExtras) {
  RepeatedInputs repeated;
  repeated.step = ::areDescending(form) ? -1 : 1;
  repeated.inputs = form.epilogueOperands.size();
  llvm::MapVector<std::pair<Value, ViewAttr>, size_t> numbers;
  llvm::DenseSet<std::pair<Value, ViewAttr>> families;
  for (auto [number, matrix] : llvm::enumerate(form.epilogueOperands)) {
    ViewAttr view = moveRows(matrix.view, 0);
    numbers.insert({{matrix.tensor, view}, number});
    families.insert({matrix.tensor, dropInnermostConstant(view)});
  }
  for (auto [number, matrix] : llvm::enumerate(form.epilogueOperands)) {
    ViewAttr view = moveRows(matrix.view, 0),
             moved = moveRows(view, repeated.step);
    const auto *same = numbers.find({matrix.tensor, moved});
    if (same != numbers.end() && same->second == number) {
      repeated.constants.insert(number);
    } else if (same != numbers.end()) {
      repeated.carried.insert(number);
      repeated.next[same->second] = number;
    } else if (int64_t rank = view.getTensorRank();
               withExtras && rank > 0 &&
               view.getMap().getResult(rank - 1) ==
                   moved.getMap().getResult(rank - 1) &&
               families.contains(
                   {matrix.tensor, dropInnermostConstant(moved)})) {
      repeated.carried.insert(number);
      repeated.next[repeated.inputs + repeated.extras.size()] = number;
      repeated.extras.push_back(
          {{matrix.tensor, moved, matrix.strides}, number});
    }
  }
  return repeated;
}

std::optional<size_t> RepeatedInputs::getNext(size_t input) const {
  auto found = next.find(input);
  return found == next.end() ? std::nullopt : std::optional(found->second);
}
