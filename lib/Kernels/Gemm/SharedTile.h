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
/// all rows at one place of the reduction. A line consists of 16-byte vectors.
/// The swizzle XORs the number of a vector with bits of the line's number, so
/// that lanes that access the same vector of consecutive lines use different
/// banks. No padding is needed.
///
/// Lanes that transpose blocks of rows write lines that are a block apart.
/// These lines would be in one part of the banks if they are shorter than all
/// banks, so lines change places with those beside them, too (`getPlace`). If
/// lines have two vectors, which a pass reads both, these lie in different
/// sweeps of all banks (`getSeparatePlace`).
class SharedTile {
public:
  /// `holdsColumns`: rows are columns of the result
  /// (`MatrixUnit::columnOfRow`).
  SharedTile(const Kernel &kernel, int64_t rows, Type element, TileOrder order,
             bool arrivesInBlocks, bool holdsColumns);

  /// Type of the buffer that holds all stages.
  MemRefType getType() const;
  void setBuffer(Value memory) { buffer = memory; }

  int64_t getRows() const { return rows; }
  TileOrder getOrder() const { return order; }
  int64_t getVectorsPerRow() const;
  int64_t getVectorsPerLine() const;

  /// Reads or writes the vector at a position in a row.
  Value read(Value stage, Value row, Value position) const;
  void write(Value elements, Value stage, Value row, Value position) const;

  /// Reads four elements along the reduction with all lanes of the subgroup:
  /// lane l gets the elements of row l % 16 of 16 rows. Each lane addresses
  /// four rows at one place of the reduction (`amdgpu.transpose_load`); `row`
  /// is the first of its four rows.
  Value readTransposed(Value stage, Value place, Value row) const;

  /// Index in the buffer of the vector at a position in a line.
  Value locate(Value stage, Value line, Value position) const;
  /// Index in the buffer of vector `number` of a stage, in the order of
  /// memory.
  Value locateNumber(Value stage, Value number) const;
  /// The swizzle of a line, which is XORed with the number of a vector.
  Value getTwist(Value line) const;
  Value getBuffer() const { return buffer; }

private:
  int64_t getLines() const;
  int64_t getLineElements() const;
  int64_t getVectorsPerSweep() const;
  int64_t getLinesPerSweep() const;
  /// The place of a line among the lines of a stage.
  Value getPlace(Value line) const;
  Value getTwistAlongRows(Value line) const;
  bool permutesBlocks() const;
  Value getTwistOfColumns(Value line) const;
  bool readsBothVectors() const;
  bool separatesVectors() const;
  Value getSeparatePlace(Value line, Value position) const;
  Value locateInStage(Value line, Value position) const;

  const Kernel &kernel;
  int64_t rows;
  Type element;
  TileOrder order;
  bool arrivesInBlocks, holdsColumns;
  Value buffer;
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_GEMM_SHAREDTILE_H
