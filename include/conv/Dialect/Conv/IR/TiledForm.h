//===- TiledForm.h - a tiled convolution as kernels read it -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A convolution in workgroup tiles is an `scf.forall` over the tiles of a batch
// of matrix products, followed by the `conv.scatter` that stores their
// elements, and possibly those of other nests, into the result. This is the
// contract between tiling and kernels: stages only communicate through IR, and
// this file reads that IR.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_TILEDFORM_H
#define CONV_DIALECT_CONV_IR_TILEDFORM_H

#include "conv/Dialect/Conv/IR/ViewedTensor.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::conv {

/// A tensor outside of the nest, its view as matrices, and the strides of its
/// dimensions in memory.
struct MatrixOperand {
  Value tensor;
  ViewAttr view;
  SmallVector<int64_t> strides; ///< Elements between neighbours.

  RankedTensorType getType() const {
    return cast<RankedTensorType>(tensor.getType());
  }
  Type getElementType() const { return getType().getElementType(); }
  ViewedTensor getViewed() const { return {view, getType(), strides}; }
};

/// Matrices, rows and columns of a tile of a convolution or a transform, by its
/// schedule. `isProduct` is false for transforms and for tensors that are only
/// added up.
std::array<int64_t, 3> getTile(Attribute schedule, bool isProduct,
                               int64_t columns);

/// One tiled convolution: `result = epilogue(lhs * transpose(rhs),
/// epilogueOperands)`, or only an epilogue, `result =
/// epilogue(epilogueOperands)`. A transform is an epilogue that copies its only
/// operand. A block transform is one with several results, one for each place
/// in a block.
struct TiledConvolution {
  scf::ForallOp forall;
  ScatterOp scatter; ///< The kernel has one.
  LaunchAttr launch; ///< Of the kernel; null if it starts after the previous.
  ScheduleAttr schedule;                   ///< Null if it is a transform.
  TransformScheduleAttr transformSchedule; ///< Null if it is not.
  MatrixOperand lhs, rhs;                  ///< Null if there is no product.
  linalg::GenericOp epilogue;
  /// The epilogue's inputs, from the 2nd on if there is a product.
  SmallVector<MatrixOperand> epilogueOperands;
  MatrixOperand result; ///< Its tensor is the result of `scatter`.
  /// Results of the epilogue from the 2nd on, in the same tensor.
  SmallVector<MatrixOperand, 0> otherResults;

  /// Number of matrices, their rows and columns, and the reduction's length.
  int64_t getBatch() const { return result.view.getShape()[0]; }
  int64_t getRows() const { return result.view.getShape()[1]; }
  int64_t getColumns() const { return result.view.getShape()[2]; }
  int64_t getReduction() const {
    return hasProduct() ? lhs.view.getShape()[2] : 0;
  }
  bool hasProduct() const { return lhs.tensor != nullptr; }
  /// Matrices, rows and columns of a tile.
  std::array<int64_t, 3> getTile() const {
    return conv::getTile(getAnySchedule(), hasProduct(), getColumns());
  }
  Attribute getAnySchedule() const {
    return schedule ? Attribute(schedule) : Attribute(transformSchedule);
  }
  /// The order in which neighbouring workgroups compute its tiles.
  Raster getRaster() const {
    return schedule ? schedule.getRaster() : Raster::Columns;
  }
  MLIRContext *getContext() const { return getAnySchedule().getContext(); }
  /// All results of the epilogue, in order.
  SmallVector<MatrixOperand> getResults() const;
  /// The kernel arguments before the result, in order.
  SmallVector<MatrixOperand> getOperands() const;
  /// The tensors of the kernel arguments: the operands, then the result.
  size_t countTensors() const {
    return (hasProduct() ? 2 : 0) + epilogueOperands.size() + 1;
  }
  const MatrixOperand &getTensor(size_t number) const;
  /// The type of `rhs`; `lhs` may be another 8-bit float of the same size.
  Type getOperandType() const { return rhs.getElementType(); }
  Type getResultType() const { return result.getElementType(); }

  /// Reads a nest, or reports an error where it is not as expected.
  static FailureOr<TiledConvolution> match(scf::ForallOp forall);
};

/// The strides of a tensor: those of a function's argument or result, or
/// contiguous ones.
SmallVector<int64_t> getStrides(Value tensor);

/// The tensor that a chain of reshapes views: the same elements in the same
/// order, in a function argument or the result of another op.
Value lookThroughReshapes(Value tensor);

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_TILEDFORM_H
