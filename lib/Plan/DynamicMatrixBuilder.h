//===- DynamicMatrixBuilder.h - sums of a dynamic convolution ---*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_PLAN_DYNAMICMATRIXBUILDER_H
#define CONV_LIB_PLAN_DYNAMICMATRIXBUILDER_H

#include "conv/Plan/DynamicViews.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

#include "llvm/ADT/MapVector.h"

namespace mlir::conv {

/// Builds an element-wise op on gathered matrices and scatters its results.
class DynamicMatrixBuilder {
public:
  DynamicMatrixBuilder(DynamicOpInterface op, OpBuilder &builder)
      : op(op), blocks(DynamicBlocks::compute(op)), views(op, blocks),
        b(op.getLoc(), builder),
        accumulator(getAccumulatorType(op.getOperandType())) {}

  /// Creates the computation of `op` on its operands.
  Value createProducts();
  /// Creates the result of `op` from partial sums: the `sums` partial sums of
  /// each group are added up.
  Value createSums(Value partial, int64_t sums);

private:
  /// Input numbers of the factors; distance of the first from the result.
  struct Product {
    size_t lhs, rhs;
    std::optional<size_t> state;
    int64_t distance;
  };
  /// The input number of a gathered matrix, which is added if it is new.
  size_t gather(Value tensor, ViewAttr view);
  Product gatherFactors(const DynamicFactors &factors);
  /// Gathers the factors of `sums`, except normalized kernels.
  void gatherProducts(ArrayRef<DynamicSum> sums);
  /// Gathers the kernels to normalize, at the positions of `sums` and of the
  /// positions that these read.
  void gatherKernels(ArrayRef<DynamicSum> sums);
  void gatherEpilogueOperands(ViewAttr result, ViewAttr vector);
  /// Creates the op whose results `body` computes from its input elements.
  Value create(ArrayRef<ViewAttr> results, TransformScheduleAttr schedule,
               function_ref<SmallVector<Value>(ValueRange)> body);
  Value widen(Value element);
  /// Converts an input element to the accumulator type once.
  Value widen(size_t input, ValueRange elements);
  Value multiplyAdd(Value lhs, Value rhs, Value sum);
  Value add(Value lhs, Value rhs);
  /// The normalized taps, or the raw elements, of the kernel at a position.
  SmallVector<Value> getTaps(int64_t position, ValueRange elements,
                             bool areNormalized);
  /// Gathers the neighbours of the tokens that mask the products of `sums`.
  void gatherNeighbours(ArrayRef<DynamicSum> sums);
  /// `value`, or zero if the token at `position` is the first of a sequence.
  Value forget(Value value, int64_t position, ValueRange elements);
  /// The left factor of a product, as the token at `position` sees it: zero if
  /// it is not of the token's sequence.
  Value see(const Product &factor, int64_t position, ValueRange elements);
  Value createSum(const DynamicSum &sum, ArrayRef<Product> factors,
                  ValueRange elements);
  /// Replaces the gradients of normalized taps by gradients of the elements.
  void createGradients(ArrayRef<DynamicSum> sums,
                       MutableArrayRef<Value> computed, ValueRange elements);
  Value applyEpilogue(Value sum, size_t result, ValueRange elements);
  /// Counts each token's neighbours on the side that its sums read; null if
  /// sequences are not packed.
  Value countNeighbours();
  /// `element` if there are at least `distance` neighbours, else zero.
  Value mask(Value element, Value neighbours, int64_t distance);

  DynamicOpInterface op;
  DynamicBlocks blocks;
  DynamicViews views;
  ImplicitLocOpBuilder b;
  Type accumulator;
  llvm::MapVector<std::pair<Value, ViewAttr>, Value> inputs;
  SmallVector<SmallVector<Product>> products;      ///< By result.
  SmallVector<SmallVector<size_t>> epilogueInputs; ///< By result.
  /// The input numbers of the neighbours of packed tokens, by position.
  DenseMap<int64_t, size_t> neighbours;
  /// The input numbers of a kernel's elements, by position.
  llvm::MapVector<int64_t, SmallVector<size_t>> kernels;

  // State of the body that is being built.
  SmallVector<Value> wide; ///< By input.
  /// By input, and the position that sees it.
  DenseMap<std::pair<size_t, int64_t>, Value> seen;
  DenseMap<int64_t, SmallVector<Value>> taps;
};

} // namespace mlir::conv

#endif // CONV_LIB_PLAN_DYNAMICMATRIXBUILDER_H
