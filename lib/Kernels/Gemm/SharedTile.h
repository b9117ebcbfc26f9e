//===- SharedTile.h - an operand's tile in shared memory --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_GEMM_SHAREDTILE_H
#define CONV_LIB_KERNELS_GEMM_SHAREDTILE_H

#include "../Parts/Kernel.h"

namespace mlir::conv {

/// Which elements of a tile follow each other in shared memory.
enum class TileOrder { AlongReduction, AlongRows };

/// `stages` tiles of `rows` rows of `gemmK` elements. What follows each other
/// in shared memory is a line: a row or, in the other order, what all rows have
/// at one place of the reduction. Lines are made of pieces of 16 bytes; a piece
/// is moved within its line by an XOR with bits of the line's number, so that
/// lanes that read or write the same piece of consecutive lines use different
/// banks. Without padding, a stage is as small as its elements.
class SharedTile {
public:
  SharedTile(const Kernel &kernel, int64_t rows, Type element,
             TileOrder order = TileOrder::AlongReduction);

  /// Type of the buffer that holds all stages.
  MemRefType getType() const;
  void setBuffer(Value memory) { buffer = memory; }

  int64_t getRows() const { return rows; }
  TileOrder getOrder() const { return order; }
  int64_t getPiecesPerRow() const;
  int64_t getPiecesPerLine() const;

  /// Reads or writes one piece of a row: a vector of `pieceElements`.
  Value read(Value stage, Value row, Value piece) const;
  void write(Value elements, Value stage, Value row, Value piece) const;

  /// Four elements along the reduction, with all lanes of the subgroup: the one
  /// with the number l gets those of row l % 16 of 16 rows, from lanes that
  /// have its part of four rows and a place of the reduction each
  /// (`amdgpu.transpose_load`). `row` is the first of this lane's four rows.
  Value readTransposed(Value stage, Value place, Value row) const;

  /// Where a piece of a line is, as an index into the buffer.
  Value locate(Value stage, Value line, Value piece) const;
  /// Where the piece is that has a number among all of a stage, as they lie in
  /// memory.
  Value locateNumber(Value stage, Value number) const;
  /// What the number of a piece is changed by, as an XOR, in a line.
  Value getTwist(Value line) const;
  Value getBuffer() const { return buffer; }

private:
  int64_t getLines() const;
  int64_t getLineElements() const;
  Value getTwistAlongRows(Value line) const;

  const Kernel &kernel;
  int64_t rows;
  Type element;
  TileOrder order;
  Value buffer;
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_GEMM_SHAREDTILE_H
