//===- ConvShape.h - sizes of a convolution by letter -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sizes of a convolution, independent of its dimension orders, and the line
// that describes it in the grammar of MIOpenDriver.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_CONVSHAPE_H
#define CONV_DIALECT_CONV_IR_CONVSHAPE_H

#include "conv/Dialect/Conv/IR/Conv.h"

#include <string>

namespace mlir::conv {

/// The size of the dimension `letter` in `order`, or 1 if there is no such
/// dimension.
int64_t getSize(StringRef order, ArrayRef<int64_t> shape, char letter);

/// The sizes of the spatial dimensions in `order`, outermost first. `letters`
/// are all three letters of the operand: `DHW`, `TRS` or `ZPQ`.
SmallVector<int64_t, 3>
getSpatialSizes(StringRef order, ArrayRef<int64_t> shape, StringRef letters);

/// One spatial dimension of a convolution, without its output.
struct SpatialDimension {
  int64_t input, filter, stride, dilation, low, high;
};

/// The output's size (C6, C7), or none if the window does not fit or a sum
/// overflows. All sizes, strides and dilations must be positive.
std::optional<int64_t> computeOutputSize(const SpatialDimension &dimension);

/// Sizes of a convolution by role, the same in every direction. Channel sizes
/// count the channels of all groups.
struct ConvolutionShape {
  int64_t n = 0, c = 0, k = 0, groups = 1;
  SmallVector<int64_t, 3> input, filter, output; ///< Spatial, outermost first.
  SmallVector<int64_t, 3> strides, dilations, low, high;

  /// The sizes of a verified op.
  static ConvolutionShape get(ConvolutionOpInterface op);

  int64_t getRank() const { return input.size(); }
  /// Rows of the output as a matrix: `N*P*Q`. C3 bounds it.
  int64_t computePixels() const;
  /// Floating-point operations of the convolution without its epilogue.
  double computeFlops() const;
};

/// The most products summed up in one element of the result: `R*S*C` of one
/// group forward; `R*S*K` of one group for backward data, times the number of
/// positions that padding copies from one element; `N*P*Q` for backward weight.
/// At most 2^63 - 1.
int64_t computeReduction(ConvolutionOpInterface op);

/// The channels of the result, of all groups, or none for a filter.
std::optional<int64_t> computeResultChannels(ConvolutionOpInterface op);

/// The element type of the operands; if they differ, of the first operand.
Type getOperandElementType(ConvolutionOpInterface op);

/// The operand type of the matrix unit: tf32 if the arithmetic asks for it.
::conv::NumericType getOperandNumericType(ConvolutionOpInterface op);

/// The element type of the sum before the epilogue: i32 for i8, else f32.
Type getAccumulatorType(ConvolutionOpInterface op);

/// The convolution as an argument line of MIOpenDriver, which `conv-gen` reads:
/// `convfp16 -n 1 -c 64 -H 56 ...`. It does not include the epilogue.
std::string formatProblem(ConvolutionOpInterface op);

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_CONVSHAPE_H
