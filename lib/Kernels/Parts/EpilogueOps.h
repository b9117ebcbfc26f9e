//===- EpilogueOps.h - the element-wise ops after a product -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_EPILOGUEOPS_H
#define CONV_LIB_KERNELS_PARTS_EPILOGUEOPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::conv {

/// Builds the ops of `epilogue` for `inputs`, the accumulator and one value per
/// operand, and returns the result. Either all inputs are scalars, or all are
/// vectors of one shape; in the latter case all ops work on such vectors.
Value createEpilogueOps(OpBuilder &builder, linalg::GenericOp epilogue,
                        ArrayRef<Value> inputs);

/// `createEpilogueOps` for an epilogue of several results.
SmallVector<Value> createEpilogueResults(OpBuilder &builder,
                                         linalg::GenericOp epilogue,
                                         ArrayRef<Value> inputs);

/// Builds the ops on scalars. `getInput` builds the input of a given number
/// when the first op needs it. Ops whose results are in `known` are left out.
SmallVector<Value> createEpilogueResults(OpBuilder &builder,
                                         linalg::GenericOp epilogue,
                                         function_ref<Value(size_t)> getInput,
                                         const IRMapping &known = {});

/// Builds the ops of an epilogue on scalars, as its inputs become known.
class EpilogueStream {
public:
  EpilogueStream(OpBuilder &builder, linalg::GenericOp epilogue)
      : builder(&builder), body(epilogue.getBody()) {}

  void setInput(size_t number, Value input) {
    set(body->getArgument(number), input);
  }
  /// Builds everything that depends only on known inputs, but selections only
  /// where something needs them: a sequence's start makes one of each value
  /// that is kept, for each token of a block, long before the tokens' products.
  void advance();
  /// A result, or null if it depends on inputs that are not known yet.
  Value lookup(size_t result);
  /// The values of the epilogue that are known here, but not in `other`, and
  /// that ops or results need that are not. With these, another stream can go
  /// on like this one.
  SmallVector<Value> listPending(const EpilogueStream &other) const;
  Value get(Value value) const { return mapping.lookup(value); }
  void set(Value value, Value built) { mapping.map(value, built); }
  Value getArgument(size_t input) const { return body->getArgument(input); }

  /// The numbers of the inputs that a result depends on.
  static SmallVector<size_t> listInputs(linalg::GenericOp epilogue,
                                        size_t result);

private:
  /// Whether a value is built, or can be.
  bool isKnown(Value value) const;
  bool areOperandsKnown(Operation &op) const;
  /// Whether an op is built only when a value that depends on it is.
  static bool canWait(Operation &op);
  /// Builds an op of known operands, and those of them that are not built.
  void build(Operation &op);

  OpBuilder *builder;
  Block *body;
  IRMapping mapping;
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_EPILOGUEOPS_H
