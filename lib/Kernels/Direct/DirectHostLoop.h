//===- DirectHostLoop.h - small groups on a thread of the host --*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread copies the boxes of both operands that its tile reads, multiplies
// one register tile after another, and applies the epilogue to the sums of the
// whole tile. Vectors are neighbouring matrices if these are adjacent in
// memory, and neighbouring rows otherwise.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_DIRECT_DIRECTHOSTLOOP_H
#define CONV_LIB_KERNELS_DIRECT_DIRECTHOSTLOOP_H

#include "../Parts/Host/HostEpilogue.h"
#include "DirectOperands.h"
#include "HostBox.h"

#include <optional>

namespace mlir::conv {

class DirectHostLoop {
public:
  DirectHostLoop(Kernel &kernel, gpu::GPUFuncOp function,
                 const DirectTiling &tiling);
  void create();

private:
  using Digits = SmallVector<Value>;
  /// A digit of the result: of batch, rows or columns.
  struct Digit {
    int64_t size, tile; ///< Of the whole space, and of a tile.
    int64_t run, count; ///< Values of a register tile, and register tiles.
    int64_t sums;       ///< Distance of neighbours in the sums.
    int64_t lhs, rhs;   ///< And in the operands.
    int64_t index;      ///< And in their index of the result.
    bool isClipped;     ///< Whether the last tile has fewer values.
  };
  /// Distances in the indices of the result.
  struct TileIndices {
    int64_t batch = 0, row = 0, column = 0;
  };
  /// A vector of a register tile: its place in the operands and in the sums.
  struct Vector {
    int64_t lhs, rhs, sums;
    int64_t along;      ///< The part of `lhs` along the vectors.
    TileIndices result; ///< And in the result.
  };

  void addDigits(const DigitBox &space, bool isLhs, bool isRhs);
  void placeSums();
  void joinLines();
  SmallVector<Vector> listVectors() const;
  Value locate(ArrayRef<Value> digits, int64_t Digit::*distance) const;
  /// Loops over register tiles.
  void createTiles();
  void createTile(ArrayRef<Value> digits);
  /// The products of a register tile (DirectHostProducts.cpp).
  SmallVector<Value> createLine(Value lhsPlace, Value rhsPlace, int64_t taps,
                                ValueRange sums) const;
  SmallVector<Value> createRuns(Value lhsPlace, Value rhsPlace,
                                ValueRange sums) const;
  SmallVector<Value> createSharedLines(Value lhsPlace, Value rhsPlace,
                                       ValueRange sums) const;
  SmallVector<Value> createSums(ArrayRef<Value> digits) const;
  /// Whether register tiles are whole vectors of results, which then do not
  /// pass through memory as sums.
  bool canStoreTiles() const;
  void storeTile(ArrayRef<Value> digits);
  /// Loops over runs of results.
  void createResults();
  void createRuns(Value outermost);
  Value countValues(size_t number) const;
  TileOrigin getElement(ArrayRef<Value> digits) const;

  Kernel &kernel;
  const IndexMath &math;
  HostCode code;
  const DirectTiling &tiling;
  SmallVector<Digit> digits;
  size_t along; ///< The digit of vectors.
  /// The first digit of runs of the epilogue, and its values and those of the
  /// digits up to `along` together.
  size_t firstOfRun;
  int64_t runBlock;
  int64_t lanes;
  int64_t lines; ///< Of a register tile.
  int64_t numSums = 0;
  SmallVector<Vector> vectors;
  Digits first; ///< The digits of the tile.
  TileOrigin origin;
  std::optional<HostBox> lhs, rhs;
  std::optional<HostEpilogue> epilogue;
  Value sums; ///< Null if tiles are stored from registers.
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_DIRECT_DIRECTHOSTLOOP_H
