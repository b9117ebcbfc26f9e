//===- CopyShape.h - how tiles of an operand are loaded ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the code of copies depends on besides numbers. It creates no IR, so that
// subproblems can be compared before any of their code is built.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_GEMM_COPYSHAPE_H
#define CONV_LIB_KERNELS_GEMM_COPYSHAPE_H

#include "../Parts/MatrixAccess.h"
#include "SharedTile.h"

namespace mlir::conv {

struct CopyShape {
  /// Aligned groups of `rowRun` rows of the tile are consecutive rows of the
  /// operand.
  CopyShape(const Kernel &kernel, const SharedTile &tile,
            const MatrixAccess &access, MemRefType buffer, int64_t rowRun);

  /// Elements of a load: along a row, or across the rows of one column.
  int64_t width = 1, rowWidth = 1;
  /// Whether blocks of `rowWidth` rows are rows of the operand that follow each
  /// other, whatever rows of the tile these are.
  bool followsOperand = false;
  bool async = false; ///< Whether copies bypass registers.
  /// Whether a step copies at most a sector of each row, and either channels
  /// fill two sectors at most, so that other steps and taps soon copy the rest
  /// of the line, or the operand is small, so that all workgroups share it.
  bool sharesLines = false;
  /// Whether a step stays within one innermost digit of the reduction.
  bool decodesOnce;
  /// Whether loads may be `conv.placed_load`.
  bool hasPlaces;
  /// Whether an address is the sum of a part that a lane keeps for the whole
  /// reduction, and of a part that all lanes share.
  bool fixesPlaces = false;
  /// Whether all lanes of a subgroup load the same element of the reduction,
  /// from rows that are near each other. Each element is a tap then.
  bool sharesElements = false;
  /// The number of taps, if fixed places have different guards in them, after
  /// which guards repeat. A bit of each vector says whether it is outside in a
  /// tap.
  int64_t maskedTaps = 0;
  /// The least part of fixed places that lanes share, in elements, and the
  /// bytes by which the rest may lie before the buffer.
  int64_t leastShared = 0, lead = 0;
  /// The number of reduction elements that move all loads by the same distance,
  /// with the same guards, from a multiple of it; 0 if there is none. Within
  /// such a run, loads keep their places.
  int64_t placeRun;
  /// For each place of a block, the number of loads that share it.
  SmallVector<int64_t> loadsOfPlaces;

  int64_t loadsPerBlock(const Kernel &kernel) const {
    return kernel.vectorElements() / width;
  }
  bool operator==(const CopyShape &) const = default;

private:
  bool canShareElements(const Kernel &kernel, const SharedTile &tile,
                        const MatrixAccess &access) const;
  void fixPlaces(const Kernel &kernel, const SharedTile &tile,
                 const MatrixAccess &access, MemRefType buffer);
  int64_t computePlaceRun(const Kernel &kernel,
                          const MatrixAccess &access) const;
  SmallVector<int64_t> countLoadsOfPlaces(const Kernel &kernel,
                                          const MatrixAccess &access) const;
};

/// Whether rows, and not the reduction, are adjacent in memory.
bool areRowsNeighbours(const MatrixAccess &access);

/// Whether lanes load single elements whose neighbours in memory are in other
/// rows, such as those of a filter whose taps are innermost.
bool areRowsNearer(const Kernel &kernel, const MatrixAccess &access);

/// Whether lanes transpose blocks of rows to a tile of which each of them reads
/// rows: atoms of AMD chips do.
bool arrivesInBlocks(const Kernel &kernel, const MatrixAccess &access);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_GEMM_COPYSHAPE_H
