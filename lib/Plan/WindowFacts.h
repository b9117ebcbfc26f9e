//===- WindowFacts.h - windows, for several plans -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_PLAN_WINDOWFACTS_H
#define CONV_LIB_PLAN_WINDOWFACTS_H

#include "conv/Dialect/Conv/IR/ConvShape.h"

#include <string>

namespace mlir::conv {

/// Whether each output position reads the input position of the same index.
bool isPointwise(const ConvolutionShape &shape);

/// "[3, 3]".
std::string printSizes(ArrayRef<int64_t> sizes);

/// "a filter of [3, 3], strides [1, 1], low [1, 1] and high [1, 1]".
std::string describeWindow(const ConvolutionShape &shape);

} // namespace mlir::conv

#endif // CONV_LIB_PLAN_WINDOWFACTS_H
