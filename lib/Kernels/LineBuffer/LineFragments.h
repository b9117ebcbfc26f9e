//===- LineFragments.h - fragments from image lines -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_LINEBUFFER_LINEFRAGMENTS_H
#define CONV_LIB_KERNELS_LINEBUFFER_LINEFRAGMENTS_H

#include "../Parts/Warpgroup/PtxBuilder.h"

#include "conv/Kernels/LineBuffer/LineTile.h"

namespace mlir::conv {

/// Loads a lane's fragments of the left operand in the layout of
/// `WgmmaFragmentUnit`: elements of windows, with zeros outside the image and
/// between runs.
class LineFragments {
public:
  /// `workItem` is the number of the work-item in its warpgroup.
  LineFragments(const PtxBuilder &ptx, const ::conv::LineWindow &window,
                Value workItem);

  /// A lane's row of the left operand in one half of a fragment.
  struct Row {
    Value address; ///< The lane's elements of the first run.
    /// Masks of the elements that the window has: one per vertical tap, and one
    /// per group of a line. Null if the window has all elements.
    SmallVector<Value> lineMasks, groupMasks;
  };

  /// The lane's rows of the atom whose first row is `row`. Line `firstLine` of
  /// all images comes after its lead in the buffer `lines` (`LineCopy`).
  SmallVector<Row> createRows(Value row, Value firstLine, Value lines) const;

  /// The fragment of the elements from 16 * `step` on.
  SmallVector<Value> load(ArrayRef<Row> rows, int64_t step) const;

  /// The line, counted over all images, in which the window of the row starts.
  /// It may be outside the image.
  Value createFirstLine(Value row) const;

private:
  Value loadPair(const Row &row, int64_t group) const;
  Value createLineMask(Value line, int64_t tap) const;
  Value createGroupMask(Value element, int64_t group) const;
  Value isInRun(int64_t first) const;

  const PtxBuilder &ptx;
  const ::conv::LineWindow &window;
  Value lane, rowInAtom;
  Value pair; ///< The lane's first element in a group.
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_LINEBUFFER_LINEFRAGMENTS_H
