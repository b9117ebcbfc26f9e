//===- DirectBands.h - fragments of bands and of windows ----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TOGPU_DIRECTBANDS_H
#define CONV_LIB_TOGPU_DIRECTBANDS_H

#include "DirectOperands.h"

#include <map>

namespace mlir::conv {

/// A part of the reduction, half of what an atom takes: a pair of channels of a
/// block, at four positions of the window.
struct BandTerm {
  SmallVector<int64_t> digits; ///< Of the reduction: neither tap nor channel.
  int64_t four, pair;
};

/// All of them, in the order in which atoms take them.
SmallVector<BandTerm> enumerateTerms(const DirectTiling &tiling);

/// The lane's place among the positions of a window that an atom takes.
Value getWindowLane(const Kernel &kernel);
/// The rest of its number: of a run in half of an atom, or of a column.
Value getRunLane(const Kernel &kernel);

/// The lane's part of a vector's filters, as bands, in registers.
class BandFilter {
public:
  /// `batch` is the first matrix of the vector, from the start of the tile.
  BandFilter(const Kernel &kernel, const DirectOperands &operands,
             ArrayRef<Value> batch);

  /// What the atom number `atom` of a block takes: two terms.
  Value getFragment(int64_t block, int64_t atom) const {
    return fragments[block * numAtoms + atom];
  }
  int64_t countAtoms() const { return numAtoms; }

private:
  Value createElement(int64_t block, const BandTerm &term,
                      int64_t channel) const;

  const Kernel &kernel;
  const DirectOperands &operands;
  const DirectBand &band;
  SmallVector<Value> batch;
  int64_t numAtoms;
  SmallVector<Value> fragments;
};

/// The lane's parts of the windows of one unit of work.
class BandWindows {
public:
  /// `rows` are the first digits of the run of each half of an atom.
  BandWindows(const Kernel &kernel, const DirectOperands &operands,
              ArrayRef<Value> batch, std::array<ArrayRef<Value>, 2> rows);

  /// What an atom takes: two terms, or one and nothing, of a line's runs.
  Value createFragment(int64_t block, int64_t line, ArrayRef<BandTerm> terms);

private:
  Value createBase(ArrayRef<Value> batch, ArrayRef<Value> rows) const;
  /// A pair of channels of one half, in 32 bits.
  Value createPair(int64_t half, int64_t block, int64_t line,
                   const BandTerm &term);

  const Kernel &kernel;
  const DirectOperands &operands;
  const DirectBand &band;
  int64_t unitDistance; ///< In shared memory.
  std::array<Value, 2> bases;
  /// The same for the last four positions, of which some may be beyond the
  /// window: lanes read another one instead, and the filter is zero.
  std::array<Value, 2> lastBases;
  std::map<std::pair<int64_t, int64_t>, Value> vectors; ///< By half, distance.
};

} // namespace mlir::conv

#endif // CONV_LIB_TOGPU_DIRECTBANDS_H
