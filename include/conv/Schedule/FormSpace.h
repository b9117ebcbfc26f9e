//===- FormSpace.h - in which forms operands are read -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A transform moves each byte of a tensor twice more, and a product may gain
// far more from operands that lie as its copies want them. Both have a
// predicted time, on one scale, so that plans with and without transforms are
// compared.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_FORMSPACE_H
#define CONV_SCHEDULE_FORMSPACE_H

#include "conv/Chip/Chip.h"
#include "conv/Plan/OperandForm.h"

namespace mlir::conv {

/// The forms worth a ranking of their own, without that of the op itself.
SmallVector<OperandForm> enumerateForms(ConvolutionOpInterface op,
                                        const ::conv::ChipInfo &chip);

/// The layouts with another order of one tensor.
LayoutsAttr withOrder(LayoutsAttr layouts, TensorRole role, StringRef order);

/// The bytes of workspace that a supported schedule takes, without gaps.
int64_t computeWorkspaceBytes(ConvolutionOpInterface op, ScheduleAttr schedule);

/// The seconds that the kernel of a `conv.transform` or `conv.block_transform`
/// takes, its launch included.
double predictTransform(Operation *transform, const ::conv::ChipInfo &chip);

/// The seconds that a supported schedule takes, with the transforms of its
/// form.
double predictSeconds(ConvolutionOpInterface op, ScheduleAttr schedule,
                      const ::conv::ChipInfo &chip);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_FORMSPACE_H
