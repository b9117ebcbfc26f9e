//===- TransformSchedules.h - tiles of kernels without products -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies, transforms and element-wise ops are memory bound and have one kernel
// each: their tile follows from the matrices that they write.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_PLAN_TRANSFORMSCHEDULES_H
#define CONV_PLAN_TRANSFORMSCHEDULES_H

#include "conv/Dialect/Conv/IR/Conv.h"

#include <array>

namespace mlir::conv {

/// Work-items of a GPU kernel without a product.
inline constexpr int64_t kElementwiseWorkItems = 256;

/// Rows and columns of the tile of a workgroup that writes matrices of `rows`
/// and `columns`, whose elements have so many bytes.
std::array<int64_t, 2> selectTransformTile(int64_t rows, int64_t columns,
                                           int64_t bytes);

/// The schedule of a kernel that writes the matrices of `result`, a view of a
/// tensor of this type.
TransformScheduleAttr selectTransformSchedule(ViewAttr result,
                                              RankedTensorType type);

} // namespace mlir::conv

#endif // CONV_PLAN_TRANSFORMSCHEDULES_H
