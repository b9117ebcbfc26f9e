//===- Im2col.h - windows as channels ---------------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The elements of a window as channels of the operand that it moves over: of
// two or three channels and 3 x 3 elements, matrix units then see 27 channels
// and a window of one element.
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

  /// The operand whose elements are written once for each window.
  TensorRole getRole() const { return role; }
  /// Whether nothing changes: the window has one element that moves by 1, or no
  /// dimension is unfolded.
  bool isTrivial() const;
  /// Whether a letter is that of the operand's channels.
  bool isChannel(char letter) const { return letter == channel; }
  /// Channels of the operand, padded until those of all elements of the window
  /// are a multiple.
  int64_t computeChannels(int64_t multiple) const;
  /// Elements of the whole operand in its form.
  double countElements(int64_t multiple) const;
  /// Elements of the window that become channels.
  int64_t countTaps() const;
  /// The size of the dimension that a letter names, of a tensor of a role,
  /// where it is `size` large in the convolution's own form.
  int64_t getSize(TensorRole of, char letter, int64_t size,
                  int64_t multiple) const;
  /// The order of the filter whose reshape has the order `filter`: unfolded
  /// elements come right before the channels.
  std::string getFilterOrder(StringRef filter) const;
  /// The window of what is left.
  WindowAttr getWindow() const;

  /// Why the convolution has no such form, or an empty string.
  static std::string findObstacle(ConvolutionOpInterface op,
                                  LayoutsAttr layouts, int64_t dims);
  /// The operand unfolded: `source` has the order `from`, `result` the order
  /// `to`.
  Value create(OpBuilder &builder, Value source, StringRef from,
               RankedTensorType result, StringRef to, int64_t multiple) const;

private:
  /// The number of the spatial dimension that a letter names, if it is
  /// unfolded.
  std::optional<int64_t> findUnfolded(char letter) const;

  ConvolutionOpInterface op;
  int64_t dims;
  TensorRole role;
  char channel;
};

} // namespace mlir::conv

#endif // CONV_PLAN_IM2COL_H
