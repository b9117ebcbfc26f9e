//===- ErrorHandlers.h - errors that end the process ------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_PIPELINE_ERRORHANDLERS_H
#define CONV_LIB_PIPELINE_ERRORHANDLERS_H

namespace mlir::conv {

/// Turns LLVM's fatal errors into a line and an exit code, once per process.
void installErrorHandlers();

} // namespace mlir::conv

#endif // CONV_LIB_PIPELINE_ERRORHANDLERS_H
