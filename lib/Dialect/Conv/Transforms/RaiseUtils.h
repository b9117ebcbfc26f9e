//===- RaiseUtils.h - helpers of the raising passes -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Creates the ops of this dialect from convolutions of other dialects.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_DIALECT_CONV_TRANSFORMS_RAISEUTILS_H
#define CONV_LIB_DIALECT_CONV_TRANSFORMS_RAISEUTILS_H

#include "conv/Dialect/Conv/IR/Conv.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::conv {

/// A convolution of another dialect, without its operands.
struct RaisedConvolution {
  Direction direction = Direction::Forward;
  /// By role; null where a type is not a ranked tensor.
  std::array<RankedTensorType, 3> types;
  WindowAttr window;
  LayoutsAttr layouts;
  int64_t groups = 1;
  /// Subtracted from each element of an operand before the product.
  int64_t lhsZeroPoint = 0, rhsZeroPoint = 0;

  RankedTensorType getType(TensorRole role) const {
    return types[static_cast<size_t>(role)];
  }
  RankedTensorType getResultType() const {
    return getType(getResultRole(direction));
  }
};

/// True if an op of this dialect supports its element types and sizes.
bool isRaisable(const RaisedConvolution &convolution);

/// A tensor that is added `factor` times to a convolution's result: `map` maps
/// positions of the result to elements of `tensor`. If `tensor` is null,
/// nothing is added.
struct Addend {
  Value tensor;
  AffineMap map;
  int64_t factor = 1; ///< Other than 1 for integers only.
};

/// Creates `convolution + addend`, rounded once. With an addend or a zero
/// point, it is a convolution in the accumulator's type and an element-wise
/// op.
Value createRaised(OpBuilder &builder, Location loc,
                   const RaisedConvolution &convolution, Value lhs, Value rhs,
                   Addend addend);

/// A reshape that appends dimensions of size 1 to a tensor, for the letters
/// that its order does not have.
struct UnitDimensions {
  std::string order; ///< Complete.
  RankedTensorType type;
  SmallVector<ReassociationIndices> reassociation;

  UnitDimensions(RankedTensorType type, StringRef order, StringRef all);
  Value expand(OpBuilder &builder, Value tensor) const;
  Value collapse(OpBuilder &builder, Value tensor) const;
};

/// The layouts with another order for the tensor in `role`.
LayoutsAttr replaceOrder(LayoutsAttr layouts, TensorRole role, StringRef order);

/// True for a constant, scalar or tensor, of zeros of either sign.
bool isZeroConstant(Value value);

/// True if every element of `tensor` is zero, of either sign: a constant, or
/// the result of a fill.
bool isZeroTensor(Value tensor);

/// Patterns that fold data movement before convolutions of this dialect
/// (DataMovement.h).
void populateFoldDataMovementPatterns(RewritePatternSet &patterns);

/// A pattern that turns `tosa.avg_pool2d` beside convolutions into a depthwise
/// convolution with ones, and a division.
void populateAverageToDepthwisePatterns(RewritePatternSet &patterns);

/// Whether a function has an op of this dialect that becomes a kernel. Only
/// then is other work in it worth kernels of its own.
bool hasKernels(func::FuncOp function);

/// Applies patterns until none matches, without folding and without merging
/// constants, which would rewrite other ops.
LogicalResult applyWithoutFolding(Operation *root, RewritePatternSet patterns);

/// Erases every op below `root` whose results are all unused.
void eraseDeadOps(Operation *root);

} // namespace mlir::conv

#endif // CONV_LIB_DIALECT_CONV_TRANSFORMS_RAISEUTILS_H
