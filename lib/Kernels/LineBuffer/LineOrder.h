//===- LineOrder.h - the order of groups in a reduction ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Groups of eight elements traverse windows line by line. These functions map
// an element of a group to an element of the filter.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_LINEBUFFER_LINEORDER_H
#define CONV_LIB_KERNELS_LINEBUFFER_LINEORDER_H

#include "../Parts/Warpgroup/ResidentFilter.h"

#include "conv/Kernels/LineBuffer/LineTile.h"

namespace mlir::conv {

/// Element `i` of a group. Elements outside windows only fill their group.
ReductionElement createLineElement(const PtxBuilder &ptx,
                                   const ::conv::LineWindow &window,
                                   Value group, Value i);

/// The order of a filter that is multiplied with windows: group by group. With
/// an even number of channels, nothing leads a run, so that factors that the
/// channels share with a group are not cut.
FilterOrder getLineOrder(const PtxBuilder &ptx,
                         const ::conv::LineWindow &window);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_LINEBUFFER_LINEORDER_H
