//===- EpilogueBuilder.h - element-wise ops to an epilogue ------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns element-wise ops on tensors into scalar ops in the epilogue of a
// convolution, from the last op back to the tensors that the kernel reads.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_DIALECT_CONV_TRANSFORMS_EPILOGUEBUILDER_H
#define CONV_LIB_DIALECT_CONV_TRANSFORMS_EPILOGUEBUILDER_H

#include "ElementwiseLoops.h"
#include "EpilogueOutput.h"
#include "ScalarBuilder.h"

namespace mlir::conv {

/// Builds the epilogue of `convolution` from the ops after it.
class EpilogueBuilder : private ScalarBuilder {
public:
  /// Elements that cannot be in an epilogue, for one map from its positions to
  /// those of the convolution's result. Builders share them, so that trying one
  /// `last` after another takes no longer than the first try.
  struct Failures {
    AffineMap access;
    DenseSet<std::pair<Value, AffineMap>> elements;
  };

  /// `dependents` are all ops that `convolution` must come before.
  EpilogueBuilder(ConvolutionOpInterface convolution,
                  const DenseSet<Operation *> &dependents, Failures &failures);

  /// Creates `convolution` with an epilogue that computes the result of `last`,
  /// in front of `last`. The result has the dimension order of `last`, which
  /// may transpose it and crop its ends. Fails, and changes nothing, if the
  /// kernel could not read an operand.
  FailureOr<ConvolutionOpInterface> fuse(RewriterBase &rewriter,
                                         linalg::GenericOp last);

private:
  LogicalResult setOutput(linalg::GenericOp last);
  bool isConversion();
  LogicalResult createAccumulator();
  FailureOr<Value> createElement(Value tensor, AffineMap map);
  bool endsOtherEpilogue(linalg::GenericOp op);
  FailureOr<Value> createUncached(Value tensor, AffineMap map);
  FailureOr<Value> createComputed(Operation *op, AffineMap map);
  FailureOr<Value> createInlined(linalg::GenericOp op, AffineMap map);
  FailureOr<Value> createRead(Value tensor, AffineMap map);
  bool isChannelVector(ArrayRef<int64_t> shape, AffineMap map);
  Value createOperand(Value tensor);
  void eraseUnused();
  /// Whether kernels support all built ops; otherwise records the failure.
  bool hasKernelOps();

  /// `map` with 0 for positions in dimensions of size 1.
  AffineMap canonicalize(AffineMap map);

  /// A tensor that the kernel reads; with `perChannel`, as a vector.
  struct Operand {
    Value tensor;
    bool perChannel;
  };

  /// The state of the build at some time.
  struct Checkpoint {
    Operation *last; ///< Of `block`, or null.
    size_t operands;
    DenseMap<std::pair<Value, AffineMap>, Value> elements;
  };
  Checkpoint takeCheckpoint();
  /// Removes everything built since: an element that cannot be computed, and is
  /// read instead, leaves no op and no operand.
  void rollBack(const Checkpoint &checkpoint);

  ConvolutionOpInterface convolution;
  const DenseSet<Operation *> &dependents;
  Failures &failures;
  int64_t depth = 0; ///< Of recursion in `createElement`.
  EpilogueOutput output;
  Region region;
  Block *block; ///< Where `builder` inserts.
  SmallVector<Operand> operands;
  Value accumulator; ///< The result of `convolution` before later ops.
  DenseMap<std::pair<Value, AffineMap>, Value> elements;
  /// The element for which each op of a loop's body was copied.
  DenseMap<Operation *, std::pair<Value, AffineMap>> origins;
};

} // namespace mlir::conv

#endif // CONV_LIB_DIALECT_CONV_TRANSFORMS_EPILOGUEBUILDER_H
