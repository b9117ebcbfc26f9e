//===- TakeRest.h - a program without its convolutions ----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_PIPELINE_TAKEREST_H
#define CONV_PIPELINE_TAKEREST_H

#include "conv/Pipeline/Compile.h"

#include "mlir/IR/BuiltinOps.h"

namespace mlir::conv {

/// Removes everything except the functions of convolutions from an outlined
/// module and returns it as text, with declarations of the functions it calls.
std::string takeRest(ModuleOp module);

/// The functions of a module, and where their convolutions were.
std::vector<OutlinedFunction> listOutlined(ModuleOp module);

} // namespace mlir::conv

#endif // CONV_PIPELINE_TAKEREST_H
