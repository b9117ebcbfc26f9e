//===- KeptOperand.h - operands kept in shared memory ---------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_WARPGROUP_KEPTOPERAND_H
#define CONV_LIB_KERNELS_PARTS_WARPGROUP_KEPTOPERAND_H

#include "conv/Kernels/Parts/Warpgroup/KeptTile.h"
#include "conv/Kernels/Parts/Warpgroup/TmaGeometry.h"

namespace mlir::conv {

/// The operand that all matrices of a product share, or the filter of each
/// group, if the product is the only one of its kernel.
::conv::TmaReuse computeTmaReuse(const ViewedTensor &lhs,
                                 const ViewedTensor &rhs,
                                 const TmaGeometry &geometry);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_WARPGROUP_KEPTOPERAND_H
