//===- FormLayouts.cpp - dimension orders of a form -----------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dimensions are looked up by letter, so that one code path covers all tensors
// and directions.
//
//===----------------------------------------------------------------------===//

#include "FormLayouts.h"

#include "conv/Dialect/Conv/IR/ArgumentAttrs.h"
#include "conv/Dialect/Conv/IR/TiledForm.h"

using namespace mlir;
using namespace mlir::conv;

StringRef mlir::conv::getPaddedLetters(Direction direction) {
  switch (direction) {
  case Direction::Forward:
    return "C";
  case Direction::BackwardData:
    return "K";
  case Direction::BackwardWeight:
    return "CK";
  }
  llvm_unreachable("every direction has channels that are summed up or copied");
}

StringRef mlir::conv::getSpatialLetters(TensorRole role) {
  switch (role) {
  case TensorRole::Input:
    return "DHW";
  case TensorRole::Filter:
    return "TRS";
  case TensorRole::Output:
    return "ZPQ";
  }
  llvm_unreachable("every role has spatial dimensions");
}

/// Letters of the spatial dimensions of all tensors, outermost first.
static constexpr StringLiteral kSpatialLetters = "DTZHRPWSQ";
/// The letter that each tensor keeps when its spatial dimensions are collapsed.
static constexpr StringLiteral kLastSpatialLetters = "WSQ";

static std::string flattenOrder(StringRef order) {
  std::string flat;
  for (char letter : order)
    if (!kSpatialLetters.contains(letter) ||
        kLastSpatialLetters.contains(letter))
      flat += letter;
  return flat;
}

LayoutsAttr mlir::conv::flattenLayouts(LayoutsAttr layouts) {
  return LayoutsAttr::get(
      layouts.getContext(), flattenOrder(layouts.getInput()),
      flattenOrder(layouts.getFilter()), flattenOrder(layouts.getOutput()));
}

std::optional<SmallVector<ReassociationIndices>>
mlir::conv::groupSpatial(StringRef order) {
  SmallVector<ReassociationIndices> groups;
  size_t last = 0; // Among the letters.
  for (auto [i, letter] : llvm::enumerate(order)) {
    size_t place = kSpatialLetters.find(letter);
    bool follows = i > 0 && place != StringRef::npos &&
                   kSpatialLetters.contains(order[i - 1]);
    if (follows && place < last)
      return std::nullopt;
    if (follows)
      groups.back().push_back(i);
    else
      groups.push_back({static_cast<int64_t>(i)});
    if (place != StringRef::npos)
      last = place;
  }
  return groups.size() == flattenOrder(order).size()
             ? std::optional(std::move(groups))
             : std::nullopt;
}

bool mlir::conv::flattens(const OperandForm &form, ConvolutionOpInterface op) {
  return form.layouts &&
         form.layouts.getInput().size() < op.getLayouts().getInput().size() &&
         form.layouts.getInput().size() ==
             flattenOrder(op.getLayouts().getInput()).size();
}

bool mlir::conv::haveGaps(ConvolutionOpInterface op) {
  auto hasGaps = [](Value tensor) {
    auto type = cast<RankedTensorType>(tensor.getType());
    return getStrides(tensor) != computeContiguousStrides(type.getShape());
  };
  return llvm::any_of(op->getOperands(), hasGaps) ||
         hasGaps(op.getResultTensor());
}
