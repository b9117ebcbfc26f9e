//===- KernelBody.h - the body of a subproblem's kernel ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A family whose kernels take plain addresses builds everything between the
// arguments and the return of a kernel, for one of the kernel's subproblems.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_KERNELBODY_H
#define CONV_LIB_KERNELS_PARTS_KERNELBODY_H

#include "Kernel.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::conv {

/// Builds, at the insertion point, the code of a workgroup of `function` for
/// the kernel's form. Fails with a diagnostic if this family cannot do what the
/// schedule asks for.
using KernelBodyBuilder = LogicalResult (*)(Kernel &kernel,
                                            gpu::GPUFuncOp function);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_KERNELBODY_H
