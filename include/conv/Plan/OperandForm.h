//===- OperandForm.h - layouts a convolution is computed in -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A convolution is the same sum in every layout. A schedule may therefore
// compute it in other layouts than its tensors have, and with channels padded
// by zeros: `conv.transform` brings the operands into that form and the result
// back. With Winograd's algorithm the form is another convolution, on operands
// that `conv.block_transform` makes (WinogradForm.h).
//
//===----------------------------------------------------------------------===//

#ifndef CONV_PLAN_OPERANDFORM_H
#define CONV_PLAN_OPERANDFORM_H

#include "conv/Dialect/Conv/IR/Conv.h"

namespace mlir::conv {

/// The form in which a convolution reads its operands and writes its result.
struct OperandForm {
  /// Null for the convolution's own layouts. If these layouts have one spatial
  /// dimension, all spatial dimensions of a tensor are collapsed to one.
  LayoutsAttr layouts;
  /// The summed channels (in a weight gradient, all channels) are padded to a
  /// multiple, and groups merged until one has so many input channels.
  int64_t channelMultiple = 1;
  /// The output tile of Winograd's algorithm, which reads the operands in the
  /// form of the other fields; empty for other algorithms.
  SmallVector<int64_t, 2> outputTile = {};
  /// How many of the last spatial dimensions are unfolded: the window elements
  /// along them are channels of an operand.
  int64_t im2col = 0;
  /// How many strips of each image are images of their own.
  int64_t spaceToBatch = 1;
  /// What operands are converted to before they are multiplied; their own type
  /// if null.
  Type operandType = {};

  static OperandForm get(ScheduleAttr schedule) {
    return {schedule.getLayouts(),
            schedule.getChannelMultiple(),
            llvm::to_vector<2>(schedule.getOutputTile()),
            schedule.getIm2col(),
            schedule.getSpaceToBatch(),
            schedule.getOperandType()};
  }
  /// `schedule`, which is about the convolution in this form, about the one
  /// that is transformed.
  ScheduleAttr apply(ScheduleAttr schedule) const {
    return schedule.withForm(layouts, channelMultiple, im2col, spaceToBatch,
                             operandType);
  }
  /// Channels innermost in every tensor, which tensor copies require.
  static OperandForm getChannelsLast(ConvolutionOpInterface op);
  /// Spatial dimensions collapsed to one, after the channels, and a filter of
  /// this order. Transposed products (S20) and weight gradients whose reduction
  /// is innermost read this form.
  static OperandForm getFlat(ConvolutionOpInterface op, StringRef filter);

  /// The element type of the operands in the form.
  Type getOperandType(ConvolutionOpInterface op) const;
  /// How many groups of the convolution become one group in the form.
  int64_t countMergedGroups(ConvolutionOpInterface op) const;
  /// Why the convolution has no such form (S19, S21, S23, S25), or an empty
  /// string.
  std::string findObstacle(ConvolutionOpInterface op) const;
  /// Whether the convolution's tensors are in this form already.
  bool isFormOf(ConvolutionOpInterface op) const;
};

/// The layouts with the dimension order of one tensor replaced.
LayoutsAttr withOrder(LayoutsAttr layouts, TensorRole role, StringRef order);

/// Whether the element-wise kernel that computes an operand can also do the
/// work of its transform (conv-propagate-layouts): only the convolution reads
/// the operand, and the transform only permutes. For transforms of
/// `visitInForm`.
bool isDoneByProducer(Operation *transform);

/// Whether kernels of transforms write operands of a convolution that is in
/// another form. Those of an earlier kernel or call do not count.
bool followsTransforms(ConvolutionOpInterface op);

/// A convolution in another form, next to the one that it stands for.
struct TransformedConvolution {
  SmallVector<Operation *> created; ///< Transforms and reshapes, in order.
  ConvolutionOpInterface op;        ///< Has the schedule of its products.
  Value result;                     ///< In the layout of the original.

  /// Creates the ops before `op`, which does not change. The form must have no
  /// obstacle.
  static TransformedConvolution create(OpBuilder &builder,
                                       ConvolutionOpInterface op,
                                       const OperandForm &form);
  /// The transforms, one kernel each: `conv.transform`, `conv.block_transform`.
  SmallVector<Operation *> getTransforms() const;
  /// Erases all created ops, none of which may have uses.
  void erase();
};

/// The most products that one element of the result sums up, without those with
/// zeros that the form adds: error bounds use this count.
int64_t computeReductionWithoutZeros(ConvolutionOpInterface op);

/// Calls `use` with the convolution that the other fields of `schedule`
/// describe, and with its transforms: `op` itself or, for the duration of the
/// call, `op` in the schedule's form, which must have no obstacle. The schedule
/// of that convolution is `schedule.getProductSchedule()`.
void visitInForm(
    ConvolutionOpInterface op, ScheduleAttr schedule,
    function_ref<void(ConvolutionOpInterface, ArrayRef<Operation *>)> use);

} // namespace mlir::conv

#endif // CONV_PLAN_OPERANDFORM_H
