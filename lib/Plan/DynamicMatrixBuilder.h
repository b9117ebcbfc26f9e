//===- DynamicMatrixBuilder.h - sums of a dynamic convolution ---*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_PLAN_DYNAMICMATRIXBUILDER_H
#define CONV_LIB_PLAN_DYNAMICMATRIXBUILDER_H

#include "conv/Dialect/Conv/IR/DynamicViews.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

#include "llvm/ADT/MapVector.h"

namespace mlir::conv {

/// Builds an element-wise op of gathered matrices and scatters its results.
class DynamicMatrixBuilder {
public:
  DynamicMatrixBuilder(DynamicOpInterface op, OpBuilder &builder)
      : op(op), b(op.getLoc(), builder),
        accumulator(getAccumulatorType(op.getOperandType())) {}

  /// What `op` computes of its operands.
  Value createProducts();
  /// The result of `op` from partial sums: `sums` of neighbouring groups are
  /// added up.
  Value createSums(Value partial, int64_t sums);

private:
  /// Numbers of gathered matrices, and how far the first is from the result.
  struct Product {
    size_t lhs, rhs;
    std::optional<size_t> state;
    int64_t distance;
  };
  /// The number of a gathered matrix among the inputs.
  size_t gather(Value tensor, ViewAttr view);
  Product gatherFactors(const DynamicFactors &factors);
  /// What `sums` multiply, but for normalised kernels.
  void gatherProducts(ArrayRef<DynamicSum> sums);
  /// The kernels that are normalised, at the positions of `sums` and of what
  /// these see.
  void gatherKernels(const DynamicViews &views, ArrayRef<DynamicSum> sums);
  void gatherEpilogueOperands(ViewAttr result, ViewAttr vector);
  /// The op whose results `body` makes of the elements of inputs.
  Value create(ArrayRef<ViewAttr> results, TransformScheduleAttr schedule,
               function_ref<SmallVector<Value>(ValueRange)> body);
  Value widen(Value element);
  /// An input's element, widened once.
  Value widen(size_t input, ValueRange elements);
  Value multiplyAdd(Value lhs, Value rhs, Value sum);
  Value add(Value lhs, Value rhs);
  /// The normalised taps, or the elements, of the kernel at a position.
  SmallVector<Value> getTaps(int64_t position, ValueRange elements,
                             bool areNormalized);
  Value createSum(const DynamicSum &sum, ArrayRef<Product> factors,
                  Value neighbours, ValueRange elements);
  /// What the sums of one kernel's taps mean for its elements.
  void createGradients(ArrayRef<DynamicSum> sums,
                       MutableArrayRef<Value> computed, ValueRange elements);
  Value applyEpilogue(Value sum, size_t result, ValueRange elements);
  /// How many neighbours each token has on the side that its sums look at; null
  /// if sequences are not packed.
  Value countNeighbours(const DynamicViews &views);
  /// `element` if there are `distance` neighbours, else zero.
  Value mask(Value element, Value neighbours, int64_t distance);

  DynamicOpInterface op;
  ImplicitLocOpBuilder b;
  Type accumulator;
  llvm::MapVector<std::pair<Value, ViewAttr>, Value> inputs;
  SmallVector<SmallVector<Product>> products;      ///< By result.
  SmallVector<SmallVector<size_t>> epilogueInputs; ///< By result.
  /// By position, where the elements of its kernel are among the inputs.
  llvm::MapVector<int64_t, SmallVector<size_t>> kernels;

  // Of the body that is being built.
  SmallVector<Value> wide; ///< By input.
  DenseMap<int64_t, SmallVector<Value>> taps;
};

} // namespace mlir::conv

#endif // CONV_LIB_PLAN_DYNAMICMATRIXBUILDER_H
