//===- TiledForm.h - what the tiled stage leaves -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The contract between Tile and the main loops: a reader for the `scf.forall`
// nests that `conv-tile-to-workgroups` makes. Kernels for a GPU and for the
// host are built from the same description.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_TILEDFORM_H
#define CONV_DIALECT_CONV_IR_TILEDFORM_H

#include "conv/Dialect/Conv/IR/Conv.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::conv {

/// An operand of the tail other than the accumulator.
struct TailOperand {
  Value source;    ///< Outside of the nest: a matrix of pixels by channels,
                   ///< or a vector of channels.
  bool perChannel; ///< It is a vector.
};

/// One tiled convolution. Values are outside of the nest.
struct TiledConvolution {
  scf::ForallOp forall;
  ScheduleAttr schedule;
  Im2colOp im2col;     ///< Input, window, filter and output sizes.
  Value filter;        ///< A matrix: channels by reduction, or the transpose.
  bool reductionFirst; ///< `filter` is the transpose.
  linalg::GenericOp tail;
  SmallVector<TailOperand>
      tailOperands; ///< As the tail's inputs, from the 2nd.

  Value getInput() const;
  /// Elements of the result: rows and columns of the matrix product.
  int64_t getPixels() const;
  int64_t getChannels() const;
  int64_t getReduction() const;
  Type getOperandType() const;
  Type getResultType() const;

  /// Reads a nest, or says at its location what is not as expected.
  static FailureOr<TiledConvolution> match(scf::ForallOp forall);
};

/// The tensor that a chain of reshapes views: the same elements in the same
/// order, in a function argument or the result of another op.
Value lookThroughReshapes(Value tensor);

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_TILEDFORM_H
