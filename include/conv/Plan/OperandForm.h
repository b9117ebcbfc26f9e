//===- OperandForm.h - convolutions of transformed operands -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A convolution is the same sum in every layout. So a schedule may say that it
// is computed in other layouts than its tensors have, and with channels padded
// by zeros: `conv.transform` brings the operands there, and the result back. By
// Winograd's algorithm it is another convolution, of operands that
// `conv.block_transform` makes (WinogradForm.h).
//
//===----------------------------------------------------------------------===//

#ifndef CONV_PLAN_OPERANDFORM_H
#define CONV_PLAN_OPERANDFORM_H

#include "conv/Dialect/Conv/IR/Conv.h"

namespace mlir::conv {

/// The form in which a convolution reads its operands and writes its result.
struct OperandForm {
  /// The convolution's own if null. If it has one spatial dimension and the
  /// convolution more, these are one in each tensor.
  LayoutsAttr layouts;
  /// Of the channels that are summed up, or, for the gradient of a filter, of
  /// all. Groups are merged until they have so many input channels.
  int64_t channelMultiple = 1;
  /// Results of a tile of Winograd's algorithm, which reads the operands in the
  /// form that the others say; empty for others.
  SmallVector<int64_t, 2> outputTile = {};
  /// The last spatial dimensions, so many, along which the window's elements
  /// are channels of an operand.
  int64_t im2col = 0;

  static OperandForm get(ScheduleAttr schedule) {
    return {schedule.getLayouts(), schedule.getChannelMultiple(),
            llvm::to_vector<2>(schedule.getOutputTile()), schedule.getIm2col()};
  }
  /// Channels innermost in every tensor: what copies of boxes bring.
  static OperandForm getChannelsLast(ConvolutionOpInterface op);
  /// Spatial dimensions as one, after the channels, and a filter of this order:
  /// what transposed products read (S20), and gradients of filters whose
  /// reduction is innermost.
  static OperandForm getFlat(ConvolutionOpInterface op, StringRef filter);

  /// How many groups of the convolution are one in the form.
  int64_t countMergedGroups(ConvolutionOpInterface op) const;
  /// Why the convolution has no such form (S19, S21), or an empty string.
  std::string findObstacle(ConvolutionOpInterface op) const;
  /// Whether the convolution's tensors are in this form already.
  bool isFormOf(ConvolutionOpInterface op) const;
};

/// A convolution in another form, next to the one that it stands for.
struct TransformedConvolution {
  SmallVector<Operation *> created; ///< In order: transforms and reshapes too.
  ConvolutionOpInterface op; ///< With what its schedule says about products.
  Value result;              ///< In the layout of the original.

  /// Creates it in front of `op`, which it leaves alone. `form` has no
  /// obstacle.
  static TransformedConvolution create(OpBuilder &builder,
                                       ConvolutionOpInterface op,
                                       const OperandForm &form);
  /// The transforms, a kernel each: `conv.transform`, `conv.block_transform`.
  SmallVector<Operation *> getTransforms() const;
  /// Erases all that was created, of which nothing may be used.
  void erase();
};

/// The most products of one element of the result without those by zeros that
/// its form adds: the bound of a sum counts no others.
int64_t computeReductionWithoutZeros(ConvolutionOpInterface op);

/// Calls `use` with the convolution that the other fields of `schedule` are
/// about: `op`, or, while the call lasts, what it becomes in the schedule's
/// form, which has no obstacle, and its transforms. Its schedule is then
/// `schedule.getProductSchedule()`.
void visitInForm(
    ConvolutionOpInterface op, ScheduleAttr schedule,
    function_ref<void(ConvolutionOpInterface, ArrayRef<Operation *>)> use);

} // namespace mlir::conv

#endif // CONV_PLAN_OPERANDFORM_H
