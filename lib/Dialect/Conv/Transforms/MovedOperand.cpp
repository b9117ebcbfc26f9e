//===- MovedOperand.cpp - a convolution's operand and its movement --------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A layout may have any order, so a transpose costs nothing: each dimension of
// the source gets the letter of the dimension that moves from it. Dimensions of
// size 1 that only one of the two tensors has are matched, or added.
//
//===----------------------------------------------------------------------===//

#include "MovedOperand.h"

#include "RaiseUtils.h"

using namespace mlir;
using namespace mlir::conv;

MovedOperand::MovedOperand(Value tensor, StringRef order, int maxOps)
    : order(order), movement(readMovement(tensor, maxOps)) {
  if (movement.source)
    nameSource();
}

void MovedOperand::nameSource() {
  std::string names(movement.getSourceSizes().size(), 0);
  std::string unused; // Letters without a dimension of the source.
  for (auto [letter, dimension] : llvm::zip(order, movement.dimensions)) {
    if (!dimension.source) {
      if (dimension.size == 1 && dimension.getPosition(0) == 0)
        unused += letter;
      continue;
    }
    if (names[*dimension.source])
      return;
    names[*dimension.source] = letter;
  }
  // Dimensions without a letter have size 1: others cannot be left out.
  for (char &name : names) {
    if (name)
      continue;
    if (unused.empty())
      return;
    name = unused.front();
    unused.erase(0, 1);
  }
  sourceOrder = names;
}

bool MovedOperand::isReshape() const {
  unsigned next = 0;
  for (const MovedDimension &dimension : movement.dimensions) {
    if (!dimension.isIdentity())
      return false;
    if (dimension.source && *dimension.source != next++)
      return false;
  }
  return next == movement.getSourceSizes().size();
}

const MovedDimension &MovedOperand::getDimension(char letter) const {
  size_t position = order.find(letter);
  assert(position != std::string::npos && "expects a letter of the order");
  return movement.dimensions[position];
}

bool MovedOperand::isPlain(char letter) const {
  return getDimension(letter).isIdentity() &&
         getDimension(letter).size == getSourceSize(letter);
}

int64_t MovedOperand::getSourceSize(char letter) const {
  const MovedDimension &dimension = getDimension(letter);
  return dimension.source ? movement.getSourceSizes()[*dimension.source] : 1;
}

std::pair<Value, std::string> MovedOperand::create(OpBuilder &builder) const {
  Value source = movement.createSource(builder);
  UnitDimensions complete(cast<RankedTensorType>(source.getType()), sourceOrder,
                          order);
  return {complete.expand(builder, source), complete.order};
}
