//===- Im2col.h - window elements as channels -------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Im2col makes the elements of a window channels of the operand that the window
// moves over. With 3 channels and a 3 x 3 window, matrix units then see 27
// channels and a window of one element. If the tensor with few channels is the
// result, its channels are unfolded instead: a product writes the terms of each
// window, and col2im adds those that meet in one element. Of windows with one
// tap, the input is copied without the positions that they leave out.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_PLAN_IM2COL_H
#define CONV_PLAN_IM2COL_H

#include "conv/Dialect/Conv/IR/Conv.h"

namespace mlir::conv {

/// A tensor and the order of its dimensions.
struct OrderedTensor {
  RankedTensorType type;
  StringRef order;
};

/// How a convolution is unfolded along its last spatial dimensions.
class Im2col {
public:
  /// The coordinates of dimensions, which letters name.
  using Places = llvm::SmallDenseMap<char, AffineExpr>;

  Im2col(ConvolutionOpInterface op, int64_t dims);

  /// The tensor that is unfolded: an operand, whose elements are written once
  /// per window, or the result, whose elements are sums over windows.
  TensorRole getRole() const { return role; }
  /// Whether the result is unfolded, so that `createFolded` makes it.
  bool unfoldsResult() const;
  /// Whether unfolding changes nothing: the window has one element and stride
  /// 1, or no dimension is unfolded.
  bool isTrivial() const;
  /// Whether a letter names the channels of the unfolded tensor.
  bool isChannel(char letter) const { return letter == channel; }
  /// Whether all dimensions are unfolded: what remains is a window of one
  /// element that moves by 1.
  bool isComplete() const { return getFirst() == 0; }
  /// Channels of the unfolded tensor: those of all window elements, followed by
  /// zeros up to a multiple.
  int64_t countChannels(int64_t multiple) const;
  /// Whether zeros follow the channels of all window elements.
  bool isPadded(int64_t multiple) const;
  /// Elements of the whole unfolded tensor.
  double countElements(int64_t multiple) const;
  /// Window elements that become channels.
  int64_t countTaps() const;
  /// The most terms of an element of the result that `createFolded` adds.
  int64_t countTerms() const;
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
  /// Creates the unfolded tensor with role `of`, which is the filter or the
  /// operand that is unfolded.
  Value createUnfolded(OpBuilder &builder, TensorRole of, Value source,
                       StringRef from, const OrderedTensor &result) const;
  /// Creates the filter out of an unfolded one.
  Value createFilter(OpBuilder &builder, Value unfolded, StringRef from,
                     const OrderedTensor &result) const;
  /// Creates the convolution's result, with its epilogue, out of the unfolded
  /// one.
  Value createFolded(OpBuilder &builder, Value unfolded, StringRef from) const;

private:
  /// Creates what `createUnfolded` does of a tensor whose windows have one tap:
  /// the positions that they read.
  Value createSelected(OpBuilder &builder, Value source, StringRef from,
                       const OrderedTensor &result) const;
  struct Digits;
  Digits createDigits(TensorRole of, const OrderedTensor &unfolded) const;
  /// Why `createFolded` cannot add the terms, or an empty string.
  std::string findFoldObstacle() const;
  /// The number of the spatial dimension that a letter names, if this dimension
  /// is unfolded.
  std::optional<int64_t> findUnfolded(char letter) const;
  /// The number of the first unfolded dimension.
  int64_t getFirst() const;

  ConvolutionOpInterface op;
  int64_t dims;
  TensorRole role;
  char channel;
};

} // namespace mlir::conv

#endif // CONV_PLAN_IM2COL_H
