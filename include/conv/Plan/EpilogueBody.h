//===- EpilogueBody.h - scalar code of an epilogue --------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_PLAN_EPILOGUEBODY_H
#define CONV_PLAN_EPILOGUEBODY_H

#include "conv/Dialect/Conv/IR/Conv.h"

namespace mlir::conv {

/// Creates the computation of `epilogue` on a sum and one element of each of
/// its operands, in the body of a `linalg.generic` or in a kernel. An empty
/// epilogue converts the sum to `element`.
Value createEpilogueBody(OpBuilder &builder, Location loc, Region &epilogue,
                         Type element, Value sum, ValueRange operands);

} // namespace mlir::conv

#endif // CONV_PLAN_EPILOGUEBODY_H
