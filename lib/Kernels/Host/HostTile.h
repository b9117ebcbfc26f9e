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
  for (int64_t fewer = best; fewer > atom.n / 2; --fewer)
    if (roundUp(rows, fewer) < roundUp(rows, best))
      best = fewer;
  return best;
}

/// Whether products read the narrow operand where it is in memory: as it is
/// multiplied, along runs of the reduction that are long enough.
inline bool isReadInPlace(NumericType stored, const MatrixAtom &atom,
                          int64_t run) {
  constexpr int64_t kShortest = 16;
  return stored == atom.operand && run >= kShortest && run % atom.k == 0;
}

} // namespace conv

#endif // CONV_LIB_KERNELS_HOST_HOSTTILE_H
