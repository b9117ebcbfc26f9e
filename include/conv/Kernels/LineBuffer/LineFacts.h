//===- LineFacts.h - what line buffers make of a problem --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_KERNELS_LINEBUFFER_LINEFACTS_H
#define CONV_KERNELS_LINEBUFFER_LINEFACTS_H

#include "conv/Kernels/LineBuffer/LineTile.h"

namespace conv {

/// The facts of a problem that line buffers can compute: the window and, if its
/// positions are reduced, how many positions are contiguous and how many such
/// segments there are.
struct LineFacts {
  LineWindow window;
  int64_t segmentPositions = 0, segments = 0;
  bool areStoredByLanes = false; ///< Results, which copies cannot store.
};

} // namespace conv

#endif // CONV_KERNELS_LINEBUFFER_LINEFACTS_H
