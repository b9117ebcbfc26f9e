//===- EpilogueBody.h - an epilogue's scalars in a linalg.generic ---------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_PLAN_EPILOGUEBODY_H
#define CONV_LIB_PLAN_EPILOGUEBODY_H

#include "conv/Dialect/Conv/IR/Conv.h"

namespace mlir::conv {

/// What `epilogue` makes of a sum and of an element of each of its operands. An
/// empty one converts the sum to `element`.
Value createEpilogueBody(OpBuilder &builder, Location loc, Region &epilogue,
                         Type element, Value sum, ValueRange operands);

} // namespace mlir::conv

#endif // CONV_LIB_PLAN_EPILOGUEBODY_H
