//===- TailBuilder.h - computing one element of a tail -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns element-wise ops on tensors into scalar ops in the tail of a
// convolution, from the last op back to what the kernel reads.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_DIALECT_CONV_TRANSFORMS_TAILBUILDER_H
#define CONV_LIB_DIALECT_CONV_TRANSFORMS_TAILBUILDER_H

#include "conv/Dialect/Conv/IR/Conv.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::conv {

/// True if every element of the result depends on single elements of the
/// operands: parallel loops over a static tensor, `arith` and `math` in the
/// body.
bool isElementwise(linalg::GenericOp op);

/// Builds the tail of `convolution` with the ops behind it.
class TailBuilder {
public:
  /// `dependents` are all ops that `convolution` must come before.
  TailBuilder(ConvolutionOpInterface convolution,
              const DenseSet<Operation *> &dependents);

  /// Creates `convolution` with a tail that computes the result of `last`, in
  /// front of `last`. Fails, and changes nothing, if the kernel could not read
  /// an operand.
  FailureOr<ConvolutionOpInterface> fuse(RewriterBase &rewriter,
                                         linalg::GenericOp last);

private:
  LogicalResult createAccumulator();
  FailureOr<Value> createElement(Value tensor, AffineMap map);
  bool endsOtherTail(linalg::GenericOp op);
  FailureOr<Value> createUncached(Value tensor, AffineMap map);
  FailureOr<Value> createInlined(linalg::GenericOp op, AffineMap map);
  FailureOr<Value> createThroughReshape(Operation *reshape, AffineMap map);
  FailureOr<Value> createRead(Value tensor, AffineMap map);
  bool isChannelVector(ArrayRef<int64_t> shape, AffineMap map);
  Value createOperand(Value tensor);
  FailureOr<Value> createConstant(Value constant);
  Value createConversion(Value value, Type type);
  LogicalResult cloneWidened(Operation &op, IRMapping &mapping);

  /// The type in which the tail holds an element: f32 instead of 16 bits.
  Type widen(Type type);
  /// `map` with 0 for positions in dimensions of size 1.
  AffineMap canonicalize(AffineMap map);

  /// A tensor that the kernel reads; with `perChannel`, as a vector.
  struct Operand {
    Value tensor;
    bool perChannel;
  };

  /// What was built at some time.
  struct Checkpoint {
    Operation *last; ///< Of `block`, or null.
    size_t operands;
    DenseMap<std::pair<Value, AffineMap>, Value> elements;
  };
  Checkpoint takeCheckpoint();
  /// Takes back what was built since: an element that cannot be computed, and
  /// is read instead, leaves nothing behind.
  void rollBack(const Checkpoint &checkpoint);

  ConvolutionOpInterface convolution;
  const DenseSet<Operation *> &dependents;
  SmallVector<int64_t> outputShape;
  Region region;
  Block *block;
  OpBuilder builder; ///< Inserts into `block`.
  SmallVector<Operand> operands;
  Value accumulator; ///< What `convolution` computes without the ops behind it.
  DenseMap<std::pair<Value, AffineMap>, Value> elements;
};

} // namespace mlir::conv

#endif // CONV_LIB_DIALECT_CONV_TRANSFORMS_TAILBUILDER_H
