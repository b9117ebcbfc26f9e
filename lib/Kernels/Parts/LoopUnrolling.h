//===- LoopUnrolling.h - loops that are not unrolled ------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_LOOPUNROLLING_H
#define CONV_LIB_KERNELS_PARTS_LOOPUNROLLING_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::conv {

/// Prevents the unrolling of a loop whose body is a whole tile. Unrolling it
/// would only cost compile time and instruction cache.
void disableUnrolling(scf::ForOp loop);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_LOOPUNROLLING_H
