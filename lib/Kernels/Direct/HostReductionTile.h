//===- HostReductionTile.h - sums of a thread's registers -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which sums of a weight gradient a thread of the host has in registers:
// vectors of matrices at some columns, or at each column a vector along the
// innermost digit of the reduction, whose elements are added up at the end. The
// model and the kernel read it here.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_DIRECT_HOSTREDUCTIONTILE_H
#define CONV_LIB_KERNELS_DIRECT_HOSTREDUCTIONTILE_H

#include "conv/Kernels/Direct/DirectTiling.h"

namespace mlir::conv {

struct HostReductionTile {
  int64_t lanes;   ///< Elements of a vector.
  int64_t vectors; ///< Vectors of matrices; 1 along the reduction.
  /// Values of the innermost digit of the rows, which share the input of their
  /// columns; 1 along matrices.
  int64_t rows;
  /// The innermost digits of the columns from this one on are together.
  size_t firstColumn;
  int64_t columns; ///< Their values.
  /// Columns in registers, for each row; the last time there may be fewer.
  int64_t run;
  /// Indices of the reduction, or vectors of them, that share their input.
  int64_t neighbours;

  static HostReductionTile get(const DirectTiling &tiling,
                               const ::conv::ChipInfo &chip);

  /// Vectors loaded for one product, if they are along the reduction: runs
  /// share those of rows, and rows those of columns. Most of the latter cross a
  /// cache line, which counts twice.
  double countLoads() const;

  /// The values of a step's innermost digit.
  static int64_t countInLine(const DirectTiling &tiling) {
    return tiling.reduction.sizes[tiling.reduction.innermost];
  }

private:
  /// Sets the columns, given everything else.
  void setColumns(ArrayRef<int64_t> digits, int64_t registers);
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_DIRECT_HOSTREDUCTIONTILE_H
