//===- WinogradSchedule.h - Winograd forms worth ranking --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Winograd's algorithm multiplies less and moves more data. It competes with
// all other forms on one time scale: its predicted time is the sum of the times
// of its transforms and products.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_WINOGRADSCHEDULE_H
#define CONV_SCHEDULE_WINOGRADSCHEDULE_H

#include "conv/Chip/Chip.h"
#include "conv/Plan/OperandForm.h"

namespace mlir::conv {

/// The forms that are worth ranking, in the op's own and in other layouts.
SmallVector<OperandForm> enumerateWinogradForms(ConvolutionOpInterface op,
                                                const ::conv::ChipInfo &chip);

/// Why there are no such forms, or an empty string.
std::string findWinogradObstacle(ConvolutionOpInterface op);

/// The schedule of Winograd's algorithm in a form whose product has the
/// shortest predicted time; null if there is none.
ScheduleAttr selectInWinogradForm(
    ConvolutionOpInterface op, const OperandForm &form,
    function_ref<ScheduleAttr(ConvolutionOpInterface)> selectProduct);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_WINOGRADSCHEDULE_H
