//===- Im2col.h - window elements as channels -------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Im2col makes the elements of a window channels of the operand that the window
// moves over. With 3 channels and a 3 x 3 window, matrix units then see 27
// channels and a window of one element.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_PLAN_IM2COL_H
#define CONV_PLAN_IM2COL_H

#include "conv/Dialect/Conv/IR/Conv.h"

namespace mlir::conv {

/// How a convolution is unfolded along its last spatial dimensions.
class Im2col {
public:
  Im2col(ConvolutionOpInterface op, int64_t dims);

  /// The operand that is unfolded: its elements are written once per window.
  TensorRole getRole() const { return role; }
  /// Whether unfolding changes nothing: the window has one element and stride
  /// 1, or no dimension is unfolded.
  bool isTrivial() const;
  /// Whether a letter names the operand's channels.
  bool isChannel(char letter) const { return letter == channel; }
  /// Channels of the unfolded operand: the operand's channels are padded until
  /// the channels of the whole window are a multiple of `multiple`.
  int64_t computeChannels(int64_t multiple) const;
  /// Elements of the whole unfolded operand.
  double countElements(int64_t multiple) const;
  /// Window elements that become channels.
  int64_t countTaps() const;
  /// The size of the dimension `letter` of the tensor with role `of` in this
  /// form, if it is `size` in the convolution's own form.
  int64_t getSize(TensorRole of, char letter, int64_t size,
                  int64_t multiple) const;
  /// The dimension order that the filter needs before it is reshaped to the
  /// order `filter`: unfolded elements come right before the channels.
  std::string getFilterOrder(StringRef filter) const;
  /// The window that remains after unfolding.
  WindowAttr getWindow() const;

  /// Why the convolution has no im2col form with operands of type `element`, or
  /// an empty string.
  static std::string findObstacle(ConvolutionOpInterface op,
                                  LayoutsAttr layouts, int64_t dims,
                                  Type element);
  /// Creates the unfolded operand: `source` has the dimension order `from`,
  /// `result` the order `to`.
  Value create(OpBuilder &builder, Value source, StringRef from,
               RankedTensorType result, StringRef to, int64_t multiple) const;

private:
  /// The number of the spatial dimension that a letter names, if this dimension
  /// is unfolded.
  std::optional<int64_t> findUnfolded(char letter) const;

  ConvolutionOpInterface op;
  int64_t dims;
  TensorRole role;
  char channel;
};

} // namespace mlir::conv

#endif // CONV_PLAN_IM2COL_H
