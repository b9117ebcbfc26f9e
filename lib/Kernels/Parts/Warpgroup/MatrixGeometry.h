//===- MatrixGeometry.h - operands whose tiles are boxes --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_WARPGROUP_MATRIXGEOMETRY_H
#define CONV_LIB_KERNELS_PARTS_WARPGROUP_MATRIXGEOMETRY_H

#include "conv/Kernels/Parts/Warpgroup/TmaGeometry.h"

namespace mlir::conv {

/// Whether conditions exclude only elements that are zeros anyway: those
/// outside of the tensor, and, of the right operand of a gradient of a filter,
/// those that the same condition excludes of the left one.
bool areConditionsMet(const ViewedTensor &lhs, const ViewedTensor &rhs,
                      bool isFilterGradient);

/// Fills in both matrices of a geometry whose elements are known. Returns false
/// if the tiles of an operand are not boxes.
bool readMatrices(const ViewedTensor &lhs, const ViewedTensor &rhs,
                  TmaGeometry &geometry);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_WARPGROUP_MATRIXGEOMETRY_H
