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
  /// The position of a work-item's vector in the matrices.
  struct Place {
    Value row, column;
  };
  Place getPlace(Value vector) const;
  Value isInMatrices(const Place &place) const {
    return math.both(math.below(place.row, kernel.form.getRows()),
                     math.below(place.column, kernel.form.getColumns()));
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
  /// The position of the access `step` elements after a vector's start.
  MatrixAccess::Position locate(const Matrix &matrix, Place place,
                                Value step) const;
  /// Loads the vectors of the operand's members.
  void load(const Matrix &operand, const Place &place, Value guard,
            MutableArrayRef<SmallVector<Value>> loaded) const;
  /// The lines of the operand that a workgroup loads at a time, if it can.
  std::optional<LineExchange::Shape> planLines(const Matrix &operand) const;
  /// Loads this work-item's pieces of those lines.
  SmallVector<Value> loadPieces(const Matrix &operand, Value vector) const;
  /// The vectors of the members, from everyone's pieces.
  void exchangePieces(const Matrix &operand, ArrayRef<Value> pieces,
                      MutableArrayRef<SmallVector<Value>> loaded) const;
  /// Elements of one store, out of those that a work-item has of a result.
  int64_t getStoredElements(const Matrix &result) const {
    return std::gcd(result.width, width * result.period);
  }
  void storeElements(const Matrix &result, const Place &place, Value step,
                     Value guard, Value stored) const;
  /// Stores vector `vector` or, with an exchange, pieces of its neighbours.
  void store(const Matrix &result, Value vector,
             ArrayRef<SmallVector<Value>> computed,
             VectorExchange *exchange) const;
  size_t countSummed() const { return sum ? sum->getInputs() : 0; }
  /// The sum of the first inputs at a place.
  Value createSum(const Place &place, Value guard) const;
  /// For each result, the elements of a vector.
  SmallVector<SmallVector<Value>>
  compute(const Place &place, Value guard,
          ArrayRef<SmallVector<Value>> loaded) const;
  void createVector(Value vector, VectorExchange *exchange) const;
  /// Whether loads, sums and stores of a vector follow each other result by
  /// result, so that a work-item need not hold all operands at a time.
  bool streams() const;
  /// Operands in the order in which results need them.
  SmallVector<const Matrix *> orderOperands() const;
  void createStream(Value vector, VectorExchange *exchange) const;
  /// Stores results from `first` on that are known by now, and returns the
  /// number of the first one that is not.
  size_t storeKnown(size_t first, Value vector,
                    MutableArrayRef<EpilogueStream> columns,
                    VectorExchange *exchange) const;
  /// Whether all work-items of a workgroup have equally many vectors, so that
  /// they all reach the barriers of an exchange.
  bool areTogether() const {
    return countVectors() % (shares * kernel.workItems) == 0;
  }
  /// Vectors in a line of the tile, and in the whole tile.
  int64_t countVectorsOfLine() const {
    return kernel.form.getTile()[1 + (along == MatrixIndex::Column)] / width;
  }
  int64_t countVectors() const {
    return countVectorsOfLine() *
           kernel.form.getTile()[1 + (along == MatrixIndex::Row)];
  }

  const Kernel &kernel;
  const IndexMath &math;
  int64_t shares; ///< Number of workgroups that share a tile.
  TileOrigin origin;
  MatrixIndex along; ///< The index along which vectors lie.
  int64_t width;     ///< Elements of a vector.
  SmallVector<Matrix, 0> operands, results; ///< Operands after the sum.
  std::optional<RegularSum> sum;            ///< The first inputs' sum.
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_ELEMENTWISE_ELEMENTWISETILE_H
