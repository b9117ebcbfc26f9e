//===- FormSpace.h - operand forms that are worth ranking -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A transform reads and writes each byte of a tensor once more, but a product
// may gain far more from operands in the layout that its copies need.
// Transforms and products have predicted times on one scale, so that plans with
// and without transforms can be compared.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_FORMSPACE_H
#define CONV_SCHEDULE_FORMSPACE_H

#include "conv/Chip/Chip.h"
#include "conv/Plan/OperandForm.h"

namespace mlir::conv {

/// The forms that are worth ranking, without the op's own form.
SmallVector<OperandForm> enumerateForms(ConvolutionOpInterface op,
                                        const ::conv::ChipInfo &chip);

/// Why no other form is worth ranking.
std::string explainNoForms(ConvolutionOpInterface op,
                           const ::conv::ChipInfo &chip);

/// The workspace bytes of a supported schedule, without alignment gaps.
int64_t computeWorkspaceBytes(ConvolutionOpInterface op, ScheduleAttr schedule);

/// The predicted seconds of the kernel of a `conv.transform` or
/// `conv.block_transform`, including its launch.
double predictTransform(Operation *transform, const ::conv::ChipInfo &chip);

/// The predicted seconds of a supported schedule, including the transforms of
/// its form.
double predictSeconds(ConvolutionOpInterface op, ScheduleAttr schedule,
                      const ::conv::ChipInfo &chip);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_FORMSPACE_H
