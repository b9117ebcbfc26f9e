//===- LineKernel.h - kernels of line buffers -------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_LINEBUFFER_LINEKERNEL_H
#define CONV_LIB_KERNELS_LINEBUFFER_LINEKERNEL_H

#include "../Parts/Warpgroup/PtxBuilder.h"
#include "conv/Kernels/BuildKernel.h"
#include "conv/Kernels/LineBuffer/LineGeometry.h"

namespace mlir::conv {

/// Builds the kernel of a subproblem with this geometry, whose buffers fit, for
/// a schedule whose main loop is `line_buffer`. The result is passed as a
/// tensor map if it can be copied; if positions are reduced, the left operand
/// is passed as a tensor map instead. All other tensors are passed as
/// addresses.
BuiltKernel buildLineKernel(const PtxBuilder &ptx,
                            const KernelSubproblem &subproblem,
                            const LineGeometry &geometry,
                            const ::conv::ChipInfo &chip, StringRef name);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_LINEBUFFER_LINEKERNEL_H
