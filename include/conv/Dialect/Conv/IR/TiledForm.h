//===- TiledForm.h - what main loops read of a tiled nest ---*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A convolution cut into workgroup tiles is an `scf.forall` over the tiles of a
// batch of matrix products, followed by the `conv.scatter` that puts their
// elements into the result. This is the contract between tiling and kernels:
// stages meet only in IR, and this reads it.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_TILEDFORM_H
#define CONV_DIALECT_CONV_IR_TILEDFORM_H

#include "conv/Dialect/Conv/IR/Conv.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::conv {

/// A tensor outside of the nest, and how it is seen as matrices.
struct MatrixOperand {
  Value tensor;
  ViewAttr view;

  RankedTensorType getType() const {
    return cast<RankedTensorType>(tensor.getType());
  }
  Type getElementType() const { return getType().getElementType(); }
};

/// One tiled convolution: `result = tail(lhs * transpose(rhs), tailOperands)`.
struct TiledConvolution {
  scf::ForallOp forall;
  ScheduleAttr schedule;
  MatrixOperand lhs, rhs;
  linalg::GenericOp tail;
  SmallVector<MatrixOperand> tailOperands; ///< As the tail's inputs from the 2nd.
  MatrixOperand result; ///< Its tensor is the result of the `conv.scatter`.

  /// Number of matrices, their rows and columns, and the reduction's length.
  int64_t getBatch() const { return result.view.getShape()[0]; }
  int64_t getPixels() const { return result.view.getShape()[1]; }
  int64_t getChannels() const { return result.view.getShape()[2]; }
  int64_t getReduction() const { return lhs.view.getShape()[2]; }
  /// Of `rhs`; that of `lhs` may be another 8-bit float of the same size.
  Type getOperandType() const { return rhs.getElementType(); }
  Type getResultType() const { return result.getElementType(); }

  /// Reads a nest, or says at its location what is not as expected.
  static FailureOr<TiledConvolution> match(scf::ForallOp forall);
};

/// The tensor that a chain of reshapes views: the same elements in the same
/// order, in a function argument or the result of another op.
Value lookThroughReshapes(Value tensor);

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_TILEDFORM_H
