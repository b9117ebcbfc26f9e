//===- MatrixUnit.h - fragments and matrix instructions of a subgroup -*- C++
//-*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TOGPU_MATRIXUNIT_H
#define CONV_LIB_TOGPU_MATRIXUNIT_H

#include "SharedTile.h"

#include <numeric>

namespace mlir::conv {

/// Computes the tile of a subgroup with the schedule's atom. The filter is the
/// atom's A operand (rows are channels) and the pixels are B (columns), so that
/// a lane's accumulators are channels of one pixel, which are neighbours in
/// memory.
///
/// Which channel each row of the filter tile holds is free, and chosen so that
/// a lane's accumulators, in order, come in runs of `runLength()` consecutive
/// channels, and the runs of lanes with the same pixel lie side by side.
class MatrixUnit {
public:
  MatrixUnit(const Kernel &kernel, const SharedTile &pixels,
             const SharedTile &filter);

  /// Accumulators before the first step: one vector for each atom.
  SmallVector<Value> createZeros() const;

  /// Adds the product of the tiles in one stage of shared memory.
  SmallVector<Value> createStep(ValueRange accumulators, Value stage) const;

  /// Consecutive channels that a lane holds: what one store takes at most.
  int64_t runLength() const;
  /// Runs of each lane for one pixel.
  int64_t numRuns() const;
  /// Pixels of which a lane holds all its runs.
  int64_t numPixels() const { return pixelAtoms() * kernel.atom.accColumns(); }

  /// First channel of a run, within the workgroup's tile.
  Value channelOfRun(int64_t run) const;
  /// One of the lane's pixels, within the workgroup's tile.
  Value getPixel(int64_t index) const;
  /// One accumulator of a run.
  Value element(ValueRange accumulators, int64_t pixel, int64_t run,
                int64_t position) const;
  /// The channel of the workgroup's tile that a row of the filter tile holds.
  Value channelOfRow(Value row) const;
  /// Rows of the filter tile, aligned, whose channels follow each other.
  int64_t channelRun() const {
    return std::gcd(kernel.atom.accRun, runLength());
  }

private:
  using Fragments = SmallVector<Value>;
  int64_t pixelAtoms() const;
  int64_t channelAtoms() const;
  int64_t registersPerAtom() const;
  int64_t channelsPerAtom() const;
  int64_t piecesPerRound() const;
  SmallVector<Value> rowsOfLane(Value origin, int64_t atoms, int64_t atomRows,
                                int64_t rowsPerAtom) const;
  Fragments readRows(const SharedTile &tile, ArrayRef<Value> rows, Value stage,
                     int64_t round) const;
  Value slice(ArrayRef<Value> pieces, int64_t index) const;
  Value join(ArrayRef<Value> parts) const;

  const Kernel &kernel;
  const SharedTile &pixels;
  const SharedTile &filter;
};

} // namespace mlir::conv

#endif // CONV_LIB_TOGPU_MATRIXUNIT_H
