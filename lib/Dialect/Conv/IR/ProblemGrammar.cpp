//===- ProblemGrammar.cpp - the dialect in MIOpenDriver's words -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/ProblemGrammar.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::conv;

::conv::ConvolutionDirection
mlir::conv::getProblemDirection(Direction direction) {
  switch (direction) {
  case Direction::Forward:
    return ::conv::ConvolutionDirection::Forward;
  case Direction::BackwardData:
    return ::conv::ConvolutionDirection::BackwardData;
  case Direction::BackwardWeight:
    return ::conv::ConvolutionDirection::BackwardWeight;
  }
  llvm_unreachable("every direction is known");
}

std::optional<::conv::ElementType>
mlir::conv::getProblemType(Type elementType) {
  std::string name;
  llvm::raw_string_ostream(name) << elementType;
  return ::conv::lookupElementType(name);
}
