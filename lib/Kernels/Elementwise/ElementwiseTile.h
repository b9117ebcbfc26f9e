//===- ElementwiseTile.h - tiles of kernels without a product ---*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_ELEMENTWISE_ELEMENTWISETILE_H
#define CONV_LIB_KERNELS_ELEMENTWISE_ELEMENTWISETILE_H

#include "../Parts/EpilogueOps.h"
#include "../Parts/MatrixAccess.h"
#include "../Parts/VectorExchange.h"
#include "InterleavedMatrices.h"
#include "LineExchange.h"
#include "RegularSum.h"
#include "RepeatedInputs.h"

#include <numeric>

namespace mlir::conv {

/// The code of a workgroup for its tile, or its share of one.
class ElementwiseTile {
public:
  explicit ElementwiseTile(const Kernel &kernel);
  /// The exchange of results between work-items, if it makes the stores of
  /// neighbouring work-items adjacent.
  std::optional<VectorExchange> planExchange() const;
  /// Lets work-items load lines of operands together where each would load
  /// them in several accesses.
  void shareLines(gpu::GPUFuncOp function);
  void create(VectorExchange *exchange) const;

private:
  friend class ElementwiseStream;
  /// What a work-item has at a time: a row of a run.
  struct Item {
    Value run;               ///< Its number, in the tile.
    Value row;               ///< Counted from the first one of the run.
    Value isThere = nullptr; ///< Whether the run has it; null if it has.
  };
  /// The position of a work-item's vector in the matrices.
  struct Place {
    Value row, column;
  };
  Place getPlace(Item item) const;
  Value isInMatrices(const Place &place) const {
    return math.both(math.below(place.row, kernel.form.getRows()),
                     math.below(place.column, kernel.form.getColumns()));
  }
  Value restrict(Value guard, Item item) const {
    return item.isThere ? math.both(guard, item.isThere) : guard;
  }
  /// One matrix, or several that are interleaved.
  struct Matrix {
    Value buffer;
    MatrixAccess access;
    SmallVector<InterleavedMatrices::Member> members;
    int64_t period;
    bool isRepeated; ///< All elements of a vector are the same one.
    int64_t width;   ///< Elements of one access.
    Type element;
    std::optional<MatrixAccess> compact; ///< See `InterleavedMatrices`.
    int64_t repeat;
    std::optional<LineExchange> exchange = std::nullopt;

    /// Different elements in `width` columns.
    int64_t countElements(int64_t width) const {
      return std::max<int64_t>(width / repeat, 1) * period;
    }
  };
  Matrix createMatrix(const InterleavedMatrices &matrices,
                      const MatrixOperand &first, Value buffer,
                      int64_t limit) const;
  /// Joins matrices that are interleaved along columns, if vectors are, too.
  SmallVector<InterleavedMatrices, 0> join(ArrayRef<MatrixOperand> matrices,
                                           bool withGaps) const;
  /// Inputs, and what a row reads beside them for the next one.
  size_t countInputs() const {
    return kernel.form.epilogueOperands.size() + repeated.getExtras().size();
  }
  /// The position of the access `step` elements after a vector's start.
  MatrixAccess::Position locate(const Matrix &matrix, Place place,
                                Value step) const;
  /// Loads this work-item's vectors of the operand in a row, or its part of
  /// the lines that the workgroup loads.
  SmallVector<Value> load(const Matrix &operand, Item item) const;
  /// The elements of the members, from what has been loaded.
  void finish(const Matrix &operand, ArrayRef<Value> parts,
              MutableArrayRef<SmallVector<Value>> loaded) const;
  /// The lines of the operand that a workgroup loads at a time, if it can.
  std::optional<LineExchange::Shape> planLines(const Matrix &operand) const;
  SmallVector<Value> loadVectors(const Matrix &operand, Item item,
                                 function_ref<void(Value)> take) const;
  void extract(const Matrix &operand, Value part,
               SmallVectorImpl<Value> &elements) const;
  void distribute(const Matrix &operand, ArrayRef<Value> elements,
                  MutableArrayRef<SmallVector<Value>> loaded) const;
  /// Loads vectors, and takes the elements of each at once.
  void loadElements(const Matrix &operand, Item item,
                    MutableArrayRef<SmallVector<Value>> loaded) const;
  SmallVector<Value> loadLines(const Matrix &operand, Item item) const;
  void exchangeLines(const Matrix &operand, ArrayRef<Value> vectors,
                     MutableArrayRef<SmallVector<Value>> loaded) const;
  /// Elements of one store, out of those that a work-item has of a result.
  int64_t getStoredElements(const Matrix &result) const {
    return std::gcd(result.width, width * result.period);
  }
  void storeElements(const Matrix &result, const Place &place, Value step,
                     Value guard, Value stored) const;
  /// Stores the vector of an item or, with an exchange, vectors of its
  /// neighbours.
  void store(const Matrix &result, Item item,
             ArrayRef<SmallVector<Value>> computed,
             VectorExchange *exchange) const;
  size_t countSummed() const { return sum ? sum->getInputs() : 0; }
  /// The sum of the first inputs at a place.
  Value createSum(const Place &place, Value guard) const;
  /// For each result, the elements of a vector.
  SmallVector<SmallVector<Value>>
  compute(const Place &place, Value guard,
          ArrayRef<SmallVector<Value>> loaded) const;
  void createVector(Item item, VectorExchange *exchange) const;
  /// Whether all work-items of a workgroup have equally many vectors, so that
  /// they all reach the barriers of an exchange.
  bool areTogether() const {
    return countRuns() % (shares * kernel.workItems) == 0;
  }
  /// Vectors in a line of the tile, and runs of them in the whole tile.
  int64_t countVectorsOfLine() const {
    return kernel.form.getTile()[1 + (along == MatrixIndex::Column)] / width;
  }
  int64_t countRuns() const {
    return countVectorsOfLine() *
           kernel.form.getTile()[1 + (along == MatrixIndex::Row)] / run;
  }

  const Kernel &kernel;
  const IndexMath &math;
  bool isStream;  ///< Work-items are `ElementwiseStream`s.
  int64_t shares; ///< Number of workgroups that share a tile.
  TileOrigin origin;
  MatrixIndex along; ///< The index along which vectors lie.
  int64_t run;       ///< Rows that a work-item has one after the other.
  int64_t width;     ///< Elements of a vector.
  SmallVector<Matrix, 0> operands, results; ///< Operands after the sum.
  RepeatedInputs repeated;                  ///< Of a stream.
  std::optional<RegularSum> sum;            ///< The first inputs' sum.
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_ELEMENTWISE_ELEMENTWISETILE_H
