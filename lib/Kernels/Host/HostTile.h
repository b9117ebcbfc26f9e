//===- HostTile.h - register tiles of the host ------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A register tile multiplies a few rows of one operand, which are repeated in
// all lanes, by vectors along the rows of the other: the narrow and the wide
// operand. The model and the kernel decide here which operand is which.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_HOST_HOSTTILE_H
#define CONV_LIB_KERNELS_HOST_HOSTTILE_H

#include "conv/Chip/Chip.h"
#include "conv/Support/IntegerMath.h"

#include <bit>
#include <numeric>

namespace conv {

/// Whether vectors are rows of the left operand: if the result is contiguous
/// along these, unless they are too few for a register tile and columns are
/// more; and also if columns are too few, that is, no more than a vector: the
/// last vectors of a panel may be left out.
inline bool isLeftWide(const MatrixAtom &atom, int64_t rows, int64_t columns,
                       bool isResultAlongRows) {
  constexpr int64_t kWidestVector = 16;
  int64_t few = std::min<int64_t>(atom.m / 2, kWidestVector);
  if (isResultAlongRows)
    return rows > few || rows >= columns;
  return columns <= few && rows > columns;
}

/// Whether runs of results are along the narrow operand: if neighbours there
/// are nearer in memory than those along the wide one, such as in a dgrad
/// phase. Runs that cross all rows of the tile would use a cache line for each
/// element. Distances are 0 where there are no neighbours.
inline bool areResultsAcross(int64_t alongWide, int64_t alongNarrow) {
  return alongNarrow != 0 && (alongWide == 0 || alongNarrow < alongWide);
}

/// Rows of the narrow operand in a register tile: as many as an atom has, or a
/// little fewer if that leaves less of the last register tile empty.
inline int64_t getNarrowRows(const MatrixAtom &atom, int64_t rows) {
  int64_t best = std::min<int64_t>(atom.n, rows);
  for (int64_t fewer = best; 2 * fewer > atom.n; --fewer)
    if (roundUp(rows, fewer) < roundUp(rows, best))
      best = fewer;
  return best;
}

/// Rows of the narrow operand in a register tile that are an equal part of a
/// `line` of so many rows, at most as many as an atom has; 0 if these would be
/// half an atom or less.
inline int64_t getLinePart(const MatrixAtom &atom, int64_t rows, int64_t line) {
  for (int64_t part = std::min<int64_t>(atom.n, rows); 2 * part > atom.n;
       --part)
    if (line % part == 0)
      return part;
  return 0;
}

/// The rows of a register tile of the narrow operand, and how they are read.
struct NarrowTile {
  int64_t rows;
  /// Elements of the reduction that are read where they are in memory, as they
  /// are multiplied; 0 if rows are copied.
  int64_t inPlace;
  bool areTogether; ///< Rows are part of a line.
};

/// How the elements of an operand that are multiplied follow each other.
struct NarrowRuns {
  int64_t line; ///< Rows whose coordinates are evenly spaced.
  /// Neighbours along the reduction that are contiguous in memory, and inside
  /// of the tensor together, or not; 0 if there are none.
  int64_t together = 0, range = 0;
  /// Rows of a panel, in which rows are copied; 0: they are copied one by one.
  int64_t panel = 0;
};

/// For a matrix and a tile of so many rows. Rows are read in place along runs
/// that are long enough; if they are located together, runs may be shorter, and
/// partly outside.
inline NarrowTile getNarrowTile(const MatrixAtom &atom, NumericType stored,
                                int64_t rows, int64_t tile,
                                const NarrowRuns &runs) {
  constexpr int64_t kShortest = 16, kShortestTogether = 8;
  int64_t ofTile = std::min(rows, tile);
  auto isLong = [&](int64_t run, int64_t least) {
    return stored == atom.operand && run >= least && run % atom.k == 0;
  };
  int64_t part = getLinePart(atom, ofTile, std::gcd(runs.line, tile));
  if (part > 1 && isLong(runs.together, kShortestTogether))
    return {part, runs.together, /*areTogether=*/true};
  if (part > 1 && isLong(runs.range, kShortestTogether))
    return {part, runs.range, /*areTogether=*/true};
  if (isLong(runs.together, kShortest))
    return {getNarrowRows(atom, ofTile), runs.together, false};
  // Register tiles are parts of a panel.
  if (runs.panel != 0)
    return {ofTile <= atom.n ? ofTile
                             : int64_t(std::bit_floor(uint64_t(atom.n))),
            0, false};
  return {getNarrowRows(atom, ofTile), 0, false};
}

} // namespace conv

#endif // CONV_LIB_KERNELS_HOST_HOSTTILE_H
