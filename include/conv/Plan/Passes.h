//===- Passes.h - passes of the Plan folder ---------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_PLAN_PASSES_H
#define CONV_PLAN_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::conv {
#define GEN_PASS_DECL
#include "conv/Plan/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "conv/Plan/Passes.h.inc"
} // namespace mlir::conv

#endif // CONV_PLAN_PASSES_H
