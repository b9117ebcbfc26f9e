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

/// `stages` tiles of `rows` rows of `gemmK` elements. Rows are made of pieces
/// of 16 bytes; a piece is moved within its row by an XOR with bits of the row,
/// so that lanes that read or write the same piece of consecutive rows use
/// different banks. Without padding, a stage is as small as its elements.
class SharedTile {
public:
  SharedTile(const Kernel &kernel, int64_t rows, Type element);

  /// Type of the buffer that holds all stages.
  MemRefType getType() const;
  void setBuffer(Value memory) { buffer = memory; }

  int64_t getRows() const { return rows; }
  int64_t getPiecesPerRow() const;

  /// Reads or writes one piece: a vector of `pieceElements`.
  Value read(Value stage, Value row, Value piece) const;
  void write(Value elements, Value stage, Value row, Value piece) const;

  /// Where a piece is, as an index into the buffer.
  Value locate(Value stage, Value row, Value piece) const;
  Value getBuffer() const { return buffer; }

private:
  const Kernel &kernel;
  int64_t rows;
  Type element;
  Value buffer;
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_GEMM_SHAREDTILE_H
