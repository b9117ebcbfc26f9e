//===- HostTranspose.h - squares transposed in registers --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_HOST_HOSTTRANSPOSE_H
#define CONV_LIB_KERNELS_PARTS_HOST_HOSTTRANSPOSE_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::conv {

/// The columns of a square, given its rows: a power of two of vectors with as
/// many elements of any type.
SmallVector<Value> transpose(ImplicitLocOpBuilder &b, SmallVector<Value> rows);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_HOST_HOSTTRANSPOSE_H
