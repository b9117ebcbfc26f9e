//===- MovedWindow.cpp - movement of spatial dimensions ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MovedWindow.h"

using namespace mlir;
using namespace mlir::conv;

std::string mlir::conv::getSpatialLetters(StringRef order, StringRef letters) {
  std::string result;
  for (char letter : letters)
    if (order.contains(letter))
      result += letter;
  return result;
}

PaddedPositions mlir::conv::getPositions(const MovedOperand &input, char letter,
                                         WindowAttr window, size_t index) {
  return {input.getDimension(letter), input.getSourceSize(letter),
          window.getLow()[index], window.getHigh()[index]};
}

bool mlir::conv::isPlainBut(const MovedOperand &operand, StringRef order,
                            StringRef letters) {
  return llvm::all_of(order, [&](char letter) {
    return letters.contains(letter) || operand.isPlain(letter);
  });
}

LogicalResult mlir::conv::foldMovement(
    Value tensor, StringRef order,
    function_ref<LogicalResult(const MovedOperand &)> fold) {
  for (int maxOps = kMaxMovementOps; maxOps > 0;) {
    MovedOperand operand(tensor, order, maxOps);
    maxOps = std::min(maxOps, operand.getMovement().numOps) - 1;
    if (operand.isUsable() && succeeded(fold(operand)))
      return success();
  }
  return failure();
}
