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

/// `stages` tiles of `rows` rows of `gemmK` elements. A line is what is
/// contiguous in shared memory: a row or, in the other order, the elements of
/// all rows at one place of the reduction. A line consists of 16-byte pieces.
/// The swizzle XORs the number of a piece with bits of the line's number, so
/// that lanes that access the same piece of consecutive lines use different
/// banks. No padding is needed.
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

  /// Reads four elements along the reduction with all lanes of the subgroup:
  /// lane l gets the elements of row l % 16 of 16 rows. Each lane addresses
  /// four rows at one place of the reduction (`amdgpu.transpose_load`); `row`
  /// is the first of its four rows.
  Value readTransposed(Value stage, Value place, Value row) const;

  /// Index in the buffer of a piece of a line.
  Value locate(Value stage, Value line, Value piece) const;
  /// Index in the buffer of piece `number` of a stage, in the order of
  /// memory.
  Value locateNumber(Value stage, Value number) const;
  /// The swizzle of a line, which is XORed with the number of a piece.
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
