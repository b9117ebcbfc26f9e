//===- LineGradientBody.h - gradients from image lines ----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel whose reduction is over the positions of a window with few channels.
// One lane copies tiles of the left operand and the image lines of the windows;
// two warpgroups write windows from these lines, and one warpgroup multiplies.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_LINEBUFFER_LINEGRADIENTBODY_H
#define CONV_LIB_KERNELS_LINEBUFFER_LINEGRADIENTBODY_H

#include "../Parts/Warpgroup/PtxBuilder.h"

#include "conv/Kernels/LineBuffer/LineGeometry.h"

namespace mlir::conv {

/// Creates the body of a kernel at the builder's insertion point. `memory` is
/// its shared memory, `workgroups` the number of workgroups.
void createLineGradientBody(const Kernel &kernel, const PtxBuilder &ptx,
                            const ::conv::LineGradientTile &tile,
                            const TmaGeometry &geometry, int64_t workgroups,
                            Value memory);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_LINEBUFFER_LINEGRADIENTBODY_H
