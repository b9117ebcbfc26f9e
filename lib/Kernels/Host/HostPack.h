//===- HostPack.h - operands of a host tile ---------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tiles of both operands of a matrix product, in the type that is
// multiplied, in scratch buffers.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_HOST_HOSTPACK_H
#define CONV_LIB_KERNELS_HOST_HOSTPACK_H

#include "../Parts/Host/HostCode.h"

namespace mlir::conv {

/// One operand of a product, and where a scratch buffer has its tile: in panels
/// of so many rows with the reduction outermost, or row after row. Where pairs
/// are multiplied, two neighbours of the reduction are adjacent in panels, too:
/// an odd reduction ends with a zero.
struct HostOperand {
  MatrixOperand operand;
  Value argument, scratch;
  int64_t rows;  ///< Of the whole matrix.
  int64_t tile;  ///< Rows of a tile.
  int64_t step;  ///< Rows of a register tile.
  int64_t panel; ///< Rows of a panel; 1: row after row.
  int64_t gemmK;
  int64_t pairs; ///< Neighbours of the reduction that are multiplied at once.
  /// Neighbours of the reduction that are read from memory; 0: none is. The
  /// scratch buffer has only what is partly outside of the tensor.
  int64_t inPlace = 0;

  /// Offsets from a row to the next one in its register tile, and from what is
  /// multiplied at once to what is next.
  int64_t getRowDistance() const { return panel == 1 ? gemmK : pairs; }
  int64_t getReductionDistance() const { return panel * pairs; }
  /// The offset of a row's first element.
  Value locate(const IndexMath &math, Value row) const {
    return locate(math, row, pairs);
  }
  /// The same, before elements become pairs.
  Value locateSingle(const IndexMath &math, Value row) const {
    return locate(math, row, 1);
  }

  /// The operand that vectors are rows of, in panels of a register tile.
  static HostOperand getWide(const Kernel &kernel, bool isLeft);
  /// The other operand: row after row if the reduction is contiguous in memory,
  /// or if nothing is. Long runs are read in place.
  static HostOperand getNarrow(const Kernel &kernel, bool isLeft);

private:
  Value locate(const IndexMath &math, Value row, int64_t distance) const;
};

/// Copies to the scratch buffer. Rows after the matrix' last one, up to a whole
/// register tile, repeat that row or are zeros; pairs of them have any value.
class HostPack {
public:
  HostPack(const Kernel &kernel, const HostBlock &block,
           const HostOperand &operand, Value origin);

  using Position = MatrixAccess::Position;

  /// Copies the first `count` rows of the tile.
  void create(Value count) const;
  /// Copies a run of the reduction of each row that has a position, to the
  /// beginning of the scratch buffer, so far apart.
  void copyRuns(ArrayRef<Position> starts, Value column, Value length,
                int64_t distance) const;

private:
  using Positions = SmallVector<Position>;

  // Row after row.
  void packRow(Value row) const;
  void copyElements(const Position &start, Value length, Value target) const;
  bool hasMaskedRuns() const;
  void copyRun(const Position &start, Value column, Value length,
               Value target) const;

  // Panels.
  void packPanels(Value count) const;
  void clearRest(Value count, int64_t lanes) const;
  bool isTransposed() const;
  bool hasPairs() const;
  void transposeRun(const Positions &starts, Value target, Value column,
                    Value length, bool areInside) const;
  void packTransposed(const Positions &starts, Value target) const;
  bool isTransposedWithMasks() const;
  void packWithMasks(const Positions &starts, Value target) const;
  Value loadWithMask(Value offset, Value first, Value last,
                     int64_t elements) const;
  void createPairs(Value count) const;
  void clearOdd(Value target) const;
  int64_t getVectorLanes() const;
  void packAdjacent(const Position &start, int64_t lanes, Value target) const;
  void packVectors(Value row, int64_t lanes, Value target) const;
  void packSelected(Value row, int64_t lanes, Value target) const;
  /// Whether parts of so many rows, and tiles, consist of whole vectors, so
  /// that no vector has elements of two parts.
  bool hasWholeVectors(int64_t part, int64_t lanes) const {
    return part % lanes == 0 && operand.tile % lanes == 0;
  }
  /// The evenly spaced elements that a vector of rows consists of.
  struct Runs {
    Value haveAll; ///< Whether no element is in neither; null: none ever is.
    Value isOne;   ///< Whether all elements are in the first run.
    Value isFirst; ///< The elements of the first run.
    /// Where the vector would begin if all of it were in the run; null: there
    /// is no second one.
    Value first, second;
  };
  Runs createRuns(ArrayRef<Value> rows, const Positions &starts) const;
  Value loadRuns(const Position &column, const Runs &runs, int64_t lanes,
                 function_ref<Value()> loadEach) const;
  Value createDistances(const Positions &starts) const;
  Value loadSelected(const Position &column, Value guard, const Runs &runs,
                     const Positions &starts, Value distances) const;
  void forEachVector(
      const Positions &starts, Value target,
      function_ref<Value(const Position &column, Value guard)> load) const;

  /// The contribution of a row of the tile to the position of its elements.
  Position startOf(Value row) const;
  /// A row of the tile, or the matrix' last row if that comes before it.
  Value clamp(Value row, int64_t last) const {
    return math.minimum(math.add(origin, row), math.constant(last));
  }
  SmallVector<Value> listRows(Value row, int64_t count) const;
  Positions listStarts(ArrayRef<Value> rows) const {
    return llvm::map_to_vector(rows, [&](Value row) { return startOf(row); });
  }
  /// Loops over the parts of the block's reduction between multiples of `size`.
  /// They have a known length if blocks start at such multiples.
  void forEachRun(int64_t size,
                  function_ref<void(Value first, Value length)> body) const;
  /// Loops over the block's reduction, with the positions of its indices.
  void forEachIndex(function_ref<void(Value, const Position &)> body) const;

  const Kernel &kernel;
  const IndexMath &math;
  const HostBlock &block;
  const HostOperand &operand;
  HostCode code;
  MatrixAccess access;
  Value source, scratch, origin;
};

/// Whether the element of a column is inside of the tensor in all of the rows
/// that have these starts.
Value areAllInside(const HostCode &code, const MatrixAccess &access,
                   ArrayRef<MatrixAccess::Position> starts,
                   const MatrixAccess::Position &column);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_HOST_HOSTPACK_H
