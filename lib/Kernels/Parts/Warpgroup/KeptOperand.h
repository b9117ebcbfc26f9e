//===- KeptOperand.h - what tiles of a product have in common -------------===//
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

/// The operand that is the same for all matrices of a product that is alone in
/// its kernel, or the filter of each group.
::conv::TmaReuse computeTmaReuse(const ViewedTensor &lhs,
                                 const ViewedTensor &rhs,
                                 const TmaGeometry &geometry);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_WARPGROUP_KEPTOPERAND_H
