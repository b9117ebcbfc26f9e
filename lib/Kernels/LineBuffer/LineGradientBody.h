//===- LineGradientBody.h - gradients from buffered lines -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel whose reduction is over the positions of a window with few channels.
// A lane copies tiles of the left operand, and the lines that windows are in;
// two warpgroups write windows from these, and one multiplies.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_LINEBUFFER_LINEGRADIENTBODY_H
#define CONV_LIB_KERNELS_LINEBUFFER_LINEGRADIENTBODY_H

#include "../Parts/Warpgroup/PtxBuilder.h"

#include "conv/Kernels/LineBuffer/LineGeometry.h"

namespace mlir::conv {

/// Creates the body of a kernel, at the end of which its builder is. `memory`
/// is its shared memory, `workgroups` how many there are.
void createLineGradientBody(const Kernel &kernel, const PtxBuilder &ptx,
                            const ::conv::LineGradientTile &tile,
                            const TmaGeometry &geometry, int64_t workgroups,
                            Value memory);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_LINEBUFFER_LINEGRADIENTBODY_H
