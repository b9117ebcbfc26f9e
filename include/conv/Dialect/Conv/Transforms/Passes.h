//===- Passes.h - passes from IR of front ends to conv ----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_TRANSFORMS_PASSES_H
#define CONV_DIALECT_CONV_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::conv {
#define GEN_PASS_DECL
#include "conv/Dialect/Conv/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "conv/Dialect/Conv/Transforms/Passes.h.inc"

/// Attribute of convolutions that outlining leaves in their function.
inline constexpr llvm::StringLiteral kLeftName = "conv.left";
} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_TRANSFORMS_PASSES_H
