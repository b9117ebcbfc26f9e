//===- EpilogueBuilder.h - computing one element of an epilogue -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns element-wise ops on tensors into scalar ops in the epilogue of a
// convolution, from the last op back to what the kernel reads.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_DIALECT_CONV_TRANSFORMS_EPILOGUEBUILDER_H
#define CONV_LIB_DIALECT_CONV_TRANSFORMS_EPILOGUEBUILDER_H

#include "ElementwiseLoops.h"
#include "EpilogueOutput.h"
#include "ScalarBuilder.h"

namespace mlir::conv {

/// Builds the epilogue of `convolution` with the ops after it.
class EpilogueBuilder : private ScalarBuilder {
public:
  /// Elements that no epilogue can have whose positions are mapped to those of
  /// the convolution's result in this way. Builders share them, so that trying
  /// one `last` after another takes no longer than the first.
  struct Failures {
    AffineMap access;
    DenseSet<std::pair<Value, AffineMap>> elements;
  };

  /// `dependents` are all ops that `convolution` must come before.
  EpilogueBuilder(ConvolutionOpInterface convolution,
                  const DenseSet<Operation *> &dependents, Failures &failures);

  /// Creates `convolution` with an epilogue that computes the result of `last`,
  /// in front of `last`. The result's dimensions are in the order of `last`,
  /// which may transpose them, and leave out some at their ends. Fails, and
  /// changes nothing, if the kernel could not read an operand.
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
  /// Whether kernels have every op that was built; else remembers what fails.
  bool hasKernelOps();

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
  /// is read instead, leaves no op and no operand.
  void rollBack(const Checkpoint &checkpoint);

  ConvolutionOpInterface convolution;
  const DenseSet<Operation *> &dependents;
  Failures &failures;
  int64_t depth = 0; ///< Of `createElement`, which follows operands.
  EpilogueOutput output;
  Region region;
  Block *block; ///< What `builder` inserts into.
  SmallVector<Operand> operands;
  Value accumulator; ///< What `convolution` computes without the ops after it.
  DenseMap<std::pair<Value, AffineMap>, Value> elements;
  /// Which element the ops of a loop's body were copied for.
  DenseMap<Operation *, std::pair<Value, AffineMap>> origins;
};

} // namespace mlir::conv

#endif // CONV_LIB_DIALECT_CONV_TRANSFORMS_EPILOGUEBUILDER_H
