//===- LineFilter.h - a filter that stays in shared memory ------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TOGPU_NVIDIA_LINEFILTER_H
#define CONV_LIB_TOGPU_NVIDIA_LINEFILTER_H

#include "PtxBuilder.h"

#include "conv/Dialect/Conv/IR/LineTile.h"

namespace mlir::conv {

/// Brings the kernel's right operand to `memory`, as `LineTile` describes it.
/// All work-items take part; a barrier has to follow.
void createLineFilter(const Kernel &kernel, const PtxBuilder &ptx,
                      const ::conv::LineTile &tile, Value memory);

} // namespace mlir::conv

#endif // CONV_LIB_TOGPU_NVIDIA_LINEFILTER_H
