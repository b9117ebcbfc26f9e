//===- Passes.h - passes of the Pipeline folder -----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_PIPELINE_PASSES_H
#define CONV_PIPELINE_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::conv {
#define GEN_PASS_DECL
#include "conv/Pipeline/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "conv/Pipeline/Passes.h.inc"
} // namespace mlir::conv

#endif // CONV_PIPELINE_PASSES_H
