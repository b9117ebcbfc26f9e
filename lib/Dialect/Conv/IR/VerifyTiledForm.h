//===- VerifyTiledForm.h - checks of a tiled nest ---------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_DIALECT_CONV_IR_VERIFYTILEDFORM_H
#define CONV_LIB_DIALECT_CONV_IR_VERIFYTILEDFORM_H

#include "conv/Dialect/Conv/IR/TiledForm.h"

namespace mlir::conv {

/// Checks all of a nest that kernels are not built from.
LogicalResult verifyTiledForm(TiledConvolution &form);

} // namespace mlir::conv

#endif // CONV_LIB_DIALECT_CONV_IR_VERIFYTILEDFORM_H
