//===- WindowFacts.cpp - windows, for several plans ----------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WindowFacts.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::conv;

bool mlir::conv::isPointwise(const ConvolutionShape &shape) {
  auto areAll = [](ArrayRef<int64_t> values, int64_t expected) {
    return llvm::all_of(values, [=](int64_t each) { return each == expected; });
  };
  return areAll(shape.filter, 1) && areAll(shape.strides, 1) &&
         areAll(shape.low, 0) && areAll(shape.high, 0);
}

std::string mlir::conv::printSizes(ArrayRef<int64_t> sizes) {
  auto texts =
      llvm::map_range(sizes, [](int64_t size) { return std::to_string(size); });
  return "[" + llvm::join(texts, ", ") + "]";
}

std::string mlir::conv::describeWindow(const ConvolutionShape &shape) {
  return llvm::formatv("a filter of {0}, strides {1}, low {2} and high {3}",
                       printSizes(shape.filter), printSizes(shape.strides),
                       printSizes(shape.low), printSizes(shape.high));
}
