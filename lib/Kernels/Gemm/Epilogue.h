//===- Epilogue.h - from accumulators to the result -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_GEMM_EPILOGUE_H
#define CONV_LIB_KERNELS_GEMM_EPILOGUE_H

#include "MatrixUnit.h"

namespace mlir::conv {

/// Applies the epilogue to the accumulators and stores the result directly from
/// registers. Runs of columns make the accesses as wide as the layout of the
/// result allows.
void createRegisterEpilogue(const Kernel &kernel, const MatrixUnit &matrix,
                            const TileOrigin &origin, ValueRange accumulators);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_GEMM_EPILOGUE_H
