//===- JoinBytes.h - vectors of bytes from short loads ----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shuffles of vectors of four bytes, each of which is an instruction of AMD
// chips, join what lanes load in short vectors. Four rows of four bytes are
// transposed by eight of them.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_GEMM_JOINBYTES_H
#define CONV_LIB_KERNELS_GEMM_JOINBYTES_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::conv {

/// One vector of the elements of all `loads`, which are vectors of 1, 2, 4 or 8
/// bytes. Their number is a multiple of four where they are shorter than four
/// bytes.
Value joinBytes(ImplicitLocOpBuilder &b, ValueRange loads);

/// For each element of a load, the vector of this element of all `loads`, whose
/// number is a multiple of four. They are vectors of 1, 2, 4, 8 or 16 bytes.
SmallVector<Value> joinBytesOfRows(ImplicitLocOpBuilder &b, ValueRange loads);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_GEMM_JOINBYTES_H
