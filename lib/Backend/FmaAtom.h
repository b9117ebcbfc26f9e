//===- FmaAtom.h - multiply-adds as a matrix atom ---------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_BACKEND_FMAATOM_H
#define CONV_LIB_BACKEND_FMAATOM_H

#include "conv/Dialect/Conv/IR/Conv.h"

namespace mlir::conv {

/// The result of `op`, whose atom is of kind `fma`, as multiply-adds of
/// vectors, one for each k.
Value createFmaAtom(OpBuilder &builder, MmaOp op);

} // namespace mlir::conv

#endif // CONV_LIB_BACKEND_FMAATOM_H
