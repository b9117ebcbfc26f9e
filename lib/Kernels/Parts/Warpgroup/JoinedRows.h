//===- JoinedRows.h - rows joined to one dimension --------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_WARPGROUP_JOINEDROWS_H
#define CONV_LIB_KERNELS_PARTS_WARPGROUP_JOINEDROWS_H

#include "conv/Dialect/Conv/IR/ViewedTensor.h"

namespace mlir::conv {

/// A view of fewer dimensions with the elements of a dense tensor: row
/// digits that count neighbouring dimensions become one digit of one dimension.
/// Returns `tensor` itself if it has no such digits.
ViewedTensor joinRows(const ViewedTensor &tensor);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_WARPGROUP_JOINEDROWS_H
