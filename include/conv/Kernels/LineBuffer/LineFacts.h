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

/// What line buffers make of a problem, if they can compute it: the window,
/// and, if its positions are reduced, how many follow each other, and how
/// often.
struct LineFacts {
  LineWindow window;
  int64_t segmentPositions = 0, segments = 0;
};

} // namespace conv

#endif // CONV_KERNELS_LINEBUFFER_LINEFACTS_H
