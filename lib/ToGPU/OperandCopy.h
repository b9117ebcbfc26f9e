//===- OperandCopy.h - operand tiles from global to shared memory -*- C++
//-*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TOGPU_OPERANDCOPY_H
#define CONV_LIB_TOGPU_OPERANDCOPY_H

#include "SharedTile.h"

namespace mlir::conv {

/// Copies one operand's tile in two halves, so that a main loop can put work
/// between them: global memory to registers, registers to shared memory. Every
/// work-item copies the same number of 16-byte pieces.
class OperandCopy {
public:
  virtual ~OperandCopy() = default;

  /// Loads this work-item's pieces of the tile whose reduction starts at `k`.
  /// What is outside of the operand is zero.
  SmallVector<Value> load(Value k) const;

  /// Writes the pieces of `load` to a stage of shared memory.
  void store(ValueRange pieces, Value stage) const;

protected:
  /// Neighbouring work-items take neighbouring pieces of a row, or of a column.
  enum class Order { AlongRow, AlongColumn };
  OperandCopy(const Kernel &kernel, const SharedTile &tile, Order order);

  /// The elements of one piece: row number `index` of `rows`, reduction
  /// `k + within`, where `k` is the same for all work-items.
  virtual Value loadPiece(size_t index, Value k, Value within) const = 0;

  /// Assembles a piece from loads of `width` elements at `element` = 0,
  /// width...
  Value assemblePiece(int64_t width,
                      function_ref<Value(int64_t element)> load) const;

  const Kernel &kernel;
  const SharedTile &tile;
  SmallVector<Value> rows;   ///< Row in the tile of each of its pieces.
  SmallVector<Value> pieces; ///< Position in the row of each of its pieces.
};

/// The im2col tile of the pixels from `origin`.
std::unique_ptr<OperandCopy>
createPixelCopy(const Kernel &kernel, const SharedTile &tile, Value origin);

/// The filter tile of the channels from `origin`. `channelOfRow` says which
/// channel of the tile each row of shared memory has.
std::unique_ptr<OperandCopy>
createFilterCopy(const Kernel &kernel, const SharedTile &tile, Value origin,
                 function_ref<Value(Value row)> channelOfRow);

} // namespace mlir::conv

#endif // CONV_LIB_TOGPU_OPERANDCOPY_H
