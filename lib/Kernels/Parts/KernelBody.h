//===- KernelBody.h - what a family makes of a part of a kernel -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A family whose kernels take addresses builds everything between a kernel's
// arguments and its return, for one of its parts.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_KERNELBODY_H
#define CONV_LIB_KERNELS_PARTS_KERNELBODY_H

#include "Kernel.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::conv {

/// Builds what a workgroup of `function` does for the kernel's form, at the
/// insertion point. Fails with a diagnostic if the schedule asks for what this
/// family cannot do.
using KernelBodyBuilder = LogicalResult (*)(Kernel &kernel,
                                            gpu::GPUFuncOp function);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_KERNELBODY_H
