//===- LineOrder.h - the order of groups in a reduction ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Groups of eight elements take windows line by line. This says which element
// of the filter that is.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TOGPU_NVIDIA_LINEORDER_H
#define CONV_LIB_TOGPU_NVIDIA_LINEORDER_H

#include "PtxBuilder.h"

#include "conv/Dialect/Conv/IR/LineTile.h"

namespace mlir::conv {

/// An element of a window: its number, as taps and channels are counted, if it
/// `isUsed`; others only fill their group.
struct LineElement {
  Value number, isUsed;
};

/// Element `i` of a group.
LineElement createLineElement(const PtxBuilder &ptx,
                              const ::conv::LineWindow &window, Value group,
                              Value i);

} // namespace mlir::conv

#endif // CONV_LIB_TOGPU_NVIDIA_LINEORDER_H
