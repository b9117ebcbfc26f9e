//===- WeightStationaryKernel.h - few output channels ---------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_WEIGHTSTATIONARY_WEIGHTSTATIONARYKERNEL_H
#define CONV_LIB_KERNELS_WEIGHTSTATIONARY_WEIGHTSTATIONARYKERNEL_H

#include "../Parts/Warpgroup/PtxBuilder.h"
#include "conv/Kernels/BuildKernel.h"
#include "conv/Kernels/WeightStationary/WeightStationaryGeometry.h"

namespace mlir::conv {

/// Builds the kernel of a subproblem with this geometry, whose buffers fit, for
/// a schedule whose main loop is `weight_stationary`. The images are passed as
/// a tensor map, the filter as an address; so the copy engine must be able to
/// move the images.
BuiltKernel
buildWeightStationaryKernel(const PtxBuilder &ptx,
                            const KernelSubproblem &subproblem,
                            const WeightStationaryGeometry &geometry,
                            const ::conv::ChipInfo &chip, StringRef name);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_WEIGHTSTATIONARY_WEIGHTSTATIONARYKERNEL_H
