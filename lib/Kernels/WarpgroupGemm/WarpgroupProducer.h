//===- WarpgroupProducer.h - what can bring the tiles of products ---------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_WARPGROUPGEMM_WARPGROUPPRODUCER_H
#define CONV_LIB_KERNELS_WARPGROUPGEMM_WARPGROUPPRODUCER_H

#include "conv/Dialect/Conv/IR/TiledForm.h"
#include "conv/Kernels/Parts/Warpgroup/TmaGeometry.h"
#include "conv/Kernels/Parts/Warpgroup/WarpgroupFacts.h"

namespace mlir::conv {

ViewedProduct getViewed(const TiledConvolution &form);

/// How lanes copy the operands of all products of a kernel; none if they
/// cannot.
std::optional<::conv::Gather> findGather(ArrayRef<ViewedProduct> products);

/// How lanes load the operands of all products of a kernel; or none, and
/// `obstacle` says what they need.
std::optional<::conv::LoadedOperands>
findLoaded(ArrayRef<ViewedProduct> products, std::string &obstacle);

/// Whether the copy engine can bring the operands of all products, and lanes
/// would need as many steps. Of taps of matrices, lanes were as often faster.
bool haveWholeBoxes(ArrayRef<ViewedProduct> products);

/// The geometry of a product for a producer; or none, and `obstacle` says what
/// the producer needs.
std::optional<TmaGeometry> computeProductGeometry(const ViewedProduct &product,
                                                  ::conv::Producer producer,
                                                  std::string &obstacle);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_WARPGROUPGEMM_WARPGROUPPRODUCER_H
