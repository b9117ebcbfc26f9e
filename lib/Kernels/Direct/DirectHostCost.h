//===- DirectHostCost.h - the cost of direct kernels on the host *- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_DIRECT_DIRECTHOSTCOST_H
#define CONV_LIB_KERNELS_DIRECT_DIRECTHOSTCOST_H

#include "DirectModel.h"

namespace mlir::conv {

/// Adds one product to the cost: instructions of copies, products and results.
/// `isReduction`: of the main loop `direct_reduction`.
void addHostProduct(const DirectTiling &tiling, const ViewedProduct &product,
                    bool isReduction, const ::conv::ChipInfo &chip,
                    DirectCost &cost);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_DIRECT_DIRECTHOSTCOST_H
