//===- Prepack.h - filters that callers pack --------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_PREPACK_H
#define CONV_DIALECT_CONV_IR_PREPACK_H

#include "conv/Dialect/Conv/IR/Conv.h"

#define GET_OP_CLASSES
#include "conv/Dialect/Conv/IR/PrepackOps.h.inc"

namespace mlir::conv {

/// Attribute of a filter that callers want to pack once.
inline constexpr llvm::StringLiteral kPrepackAttr = "conv.prepack";
/// Attribute of an argument that the function it names has packed.
inline constexpr llvm::StringLiteral kPackedByAttr = "conv.packed_by";

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_PREPACK_H
