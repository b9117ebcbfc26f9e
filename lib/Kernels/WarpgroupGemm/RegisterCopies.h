//===- RegisterCopies.h - tiles that lanes load -----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lanes of a warpgroup load an operand's tile of one step to registers, a
// few bytes at a time, and store vectors of 16 bytes to where the copy engine
// would put them: rows of 128 swizzled bytes along the reduction. On the way,
// f32 becomes tf32, or the parts into which it is split.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_WARPGROUPGEMM_REGISTERCOPIES_H
#define CONV_LIB_KERNELS_WARPGROUPGEMM_REGISTERCOPIES_H

#include "../Parts/Warpgroup/OperandPositions.h"

#include "conv/Kernels/Parts/Warpgroup/LoadedOperands.h"

namespace mlir::conv {

class RegisterCopies {
public:
  /// What is stored: elements as they are, or f32 as one or two tf32 parts,
  /// each a tile, `partBytes` apart.
  struct Form {
    int64_t parts = 0;
    int64_t partBytes = 0;
  };

  /// Loads tiles of `rows` rows from `buffer`; `lane` is the number of the lane
  /// in its warpgroup.
  RegisterCopies(const PtxBuilder &ptx, const MatrixOperand &operand,
                 const ::conv::LoadedOperand &loaded, Value buffer,
                 int64_t rows, Form form, Value lane);

  /// What all steps of a tile share: where the rows are that this lane loads.
  using Rows = SmallVector<MatrixAccess::Position>;
  Rows createRows(Value batch, Value origin) const;

  /// What all rows of a step share: where the elements of vector `number` are,
  /// of those that this lane loads of each row, load by load; computed after
  /// `stored` is known, if it is given, as are addresses: computed earlier,
  /// they would take too many registers.
  using Reduced = SmallVector<MatrixAccess::Position>;
  Reduced createReduced(Value k, int64_t number, Value stored) const;

  int64_t vectorsOfLane() const { return loaded.vectorsOfLane(); }
  /// Starts the loads of a vector.
  SmallVector<Value> load(const MatrixAccess::Position &row,
                          const Reduced &reduced, Value stored) const;
  /// Stores what was loaded of vector `number` of row `row` to a tile, or to
  /// the first of a tile's parts. Returns a word of it.
  Value store(int64_t row, int64_t number, ValueRange loads,
              Value destination) const;

private:
  using Position = MatrixAccess::Position;

  /// The number of vector `number` of those that a lane loads of each row.
  Value createVectorNumber(int64_t number) const;
  /// One or more tiles' 16 bytes, from the elements that were loaded.
  SmallVector<Value> createStored(ValueRange loads) const;

  const PtxBuilder &ptx;
  ::conv::LoadedOperand loaded;
  Value source; ///< Address of the operand.
  Type element;
  int64_t elementBytes, tileRows;
  OperandPositions positions;
  Form form;
  Value row;   ///< The first row that this lane loads.
  Value inRow; ///< The number of its first vector in its rows.
};

/// The tile of an operand: where its rows are, and where it is stored.
struct LoadedTile {
  const RegisterCopies &copies;
  const RegisterCopies::Rows &rows;
  Value destination;
};

/// Loads and stores the tiles of the step from element `k` of the reduction on.
/// The loads of a round start before what the previous round loaded is stored;
/// `waitForEmpty` is called before anything is.
void createLoadedTiles(const PtxBuilder &ptx, ArrayRef<LoadedTile> tiles,
                       Value k, function_ref<void()> waitForEmpty);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_WARPGROUPGEMM_REGISTERCOPIES_H
