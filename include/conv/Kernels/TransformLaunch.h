//===- TransformLaunch.h - the launch of a transform ------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_KERNELS_TRANSFORMLAUNCH_H
#define CONV_KERNELS_TRANSFORMLAUNCH_H

#include "conv/Chip/Chip.h"
#include "conv/Dialect/Conv/IR/Conv.h"

namespace mlir::conv {

/// Why one launch cannot have as many workgroups as the kernel of a
/// `conv.transform` or `conv.block_transform` needs, or an empty string.
std::string findLaunchObstacle(Operation *transform,
                               const ::conv::ChipInfo &chip);

/// The share of the source that a copy does not read which transposes tiles of
/// every second, third or fourth element of some lines: the other lines.
double computeSkippedShare(BlockTransformOp transform,
                           const ::conv::ChipInfo &chip);

} // namespace mlir::conv

#endif // CONV_KERNELS_TRANSFORMLAUNCH_H
