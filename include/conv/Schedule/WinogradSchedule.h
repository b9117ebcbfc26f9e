//===- WinogradSchedule.h - forms of Winograd's algorithm -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Winograd's algorithm multiplies less and moves more. Whether that is faster
// is a matter of the same time scale as all other forms: the predicted times of
// its transforms and products are added up.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_WINOGRADSCHEDULE_H
#define CONV_SCHEDULE_WINOGRADSCHEDULE_H

#include "conv/Chip/Chip.h"
#include "conv/Plan/OperandForm.h"

namespace mlir::conv {

/// The forms worth a ranking, in the op's own layouts and in others.
SmallVector<OperandForm> enumerateWinogradForms(ConvolutionOpInterface op,
                                                const ::conv::ChipInfo &chip);

/// Why there are none, or an empty string.
std::string findWinogradObstacle(ConvolutionOpInterface op);

/// The schedule, by Winograd's algorithm in a form, whose product is predicted
/// to be the fastest; null if there is none.
ScheduleAttr selectInWinogradForm(
    ConvolutionOpInterface op, const OperandForm &form,
    function_ref<ScheduleAttr(ConvolutionOpInterface)> selectProduct);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_WINOGRADSCHEDULE_H
