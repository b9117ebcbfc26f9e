//===- ProblemGrammar.h - the dialect in MIOpenDriver's words ---*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_PROBLEMGRAMMAR_H
#define CONV_DIALECT_CONV_IR_PROBLEMGRAMMAR_H

#include "conv/Dialect/Conv/IR/Conv.h"
#include "conv/Support/DriverGrammar.h"

namespace mlir::conv {

/// The direction of a problem.
::conv::ConvolutionDirection getProblemDirection(Direction direction);

/// The element type with the same name; none for types that no tensor in memory
/// has.
std::optional<::conv::ElementType> getProblemType(Type elementType);

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_PROBLEMGRAMMAR_H
