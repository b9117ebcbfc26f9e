//===- ConvShape.h - sizes of a convolution by letter -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A convolution's sizes, whatever the order of its dimensions is, and the line
// that describes it in the grammar of MIOpenDriver.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_CONVSHAPE_H
#define CONV_DIALECT_CONV_IR_CONVSHAPE_H

#include "conv/Dialect/Conv/IR/Conv.h"

#include <string>

namespace mlir::conv {

/// The size of the dimension that `letter` names in `order`, or 1 if it has
/// none.
int64_t getSize(StringRef order, ArrayRef<int64_t> shape, char letter);

/// The sizes of the spatial dimensions in `order`, outermost first. `letters`
/// are all three of the operand: `DHW`, `TRS` or `ZPQ`.
SmallVector<int64_t, 3>
getSpatialSizes(StringRef order, ArrayRef<int64_t> shape, StringRef letters);

/// One spatial dimension of a convolution, without its output.
struct SpatialDimension {
  int64_t input, filter, stride, dilation, low, high;
};

/// The output's size (C6, C7), or none if the window does not fit or a sum
/// overflows. All sizes, strides and dilations are positive.
std::optional<int64_t> computeOutputSize(const SpatialDimension &dimension);

/// Sizes of a convolution by role, the same in every direction. Channels count
/// all groups.
struct ConvolutionShape {
  int64_t n = 0, c = 0, k = 0, groups = 1;
  SmallVector<int64_t, 3> input, filter, output; ///< Spatial, outermost first.
  SmallVector<int64_t, 3> strides, dilations, low, high;

  /// The sizes of an op that verifies.
  static ConvolutionShape get(ConvolutionOpInterface op);

  int64_t getRank() const { return input.size(); }
  /// Rows of the output seen as a matrix: `N*P*Q`. C3 bounds it.
  int64_t computePixels() const;
  /// Floating-point operations of the convolution without its epilogue.
  double computeFlops() const;
};

/// The most products summed up in one element of the result: `R*S*C` of one
/// group forward, `R*S*K` of one group for backward data, times the positions
/// that padding takes from one element, and `N*P*Q` for backward weight. At
/// most 2^63 - 1.
int64_t computeReduction(ConvolutionOpInterface op);

/// The channels of the result, of all groups, or none for a filter.
std::optional<int64_t> computeResultChannels(ConvolutionOpInterface op);

/// The element type of the operands, of the first where they differ.
Type getOperandElementType(ConvolutionOpInterface op);

/// What that is to a matrix unit: tf32 where the arithmetic asks for it.
::conv::NumericType getOperandNumericType(ConvolutionOpInterface op);

/// The element type of the sum before the epilogue: i32 for i8, else f32.
Type getAccumulatorType(ConvolutionOpInterface op);

/// The convolution as an argument line of MIOpenDriver, which `conv-gen` reads:
/// `convfp16 -n 1 -c 64 -H 56 ...`. The epilogue is not part of it.
std::string formatProblem(ConvolutionOpInterface op);

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_CONVSHAPE_H
