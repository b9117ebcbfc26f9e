//===- LineCopy.h - copies of image lines -----------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The image lines that the windows of a tile see are contiguous in memory. One
// lane copies them.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_LINEBUFFER_LINECOPY_H
#define CONV_LIB_KERNELS_LINEBUFFER_LINECOPY_H

#include "../Parts/Warpgroup/PtxBuilder.h"

#include "conv/Kernels/LineBuffer/LineTile.h"

namespace mlir::conv {

/// The existing lines among `count` lines of all images from `firstLine` on.
class LineCopy {
public:
  LineCopy(const PtxBuilder &ptx, const ::conv::LineWindow &window,
           Value firstLine, int64_t count);

  Value getBytes() const { return bytes; }

  /// Starts the copy. `lines` is the destination of line `firstLine`; `barrier`
  /// counts the bytes.
  void create(Value images, Value lines, Value barrier) const;

private:
  const PtxBuilder &ptx;
  int64_t lineBytes;
  Value firstLine, begin;
  Value bytes, isAny;
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_LINEBUFFER_LINECOPY_H
