//===- LineCopy.h - copies of image lines -----------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The image lines that the windows of a tile see are contiguous in memory. One
// lane copies them. A copy starts and ends at multiples of 16 bytes, which
// lines need not: it then has some bytes of the lines before and after.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_LINEBUFFER_LINECOPY_H
#define CONV_LIB_KERNELS_LINEBUFFER_LINECOPY_H

#include "../Parts/Warpgroup/PtxBuilder.h"

#include "conv/Kernels/LineBuffer/LineTile.h"

namespace mlir::conv {

/// How many bytes lie between the multiple of 16 bytes before a line and the
/// line, in memory and in its buffer. The line, counted over all images, may be
/// up to `vertical.low` before the first.
Value createLead(const PtxBuilder &ptx, const ::conv::LineWindow &window,
                 Value line);

/// The existing lines among `count` lines of all images from `firstLine` on.
class LineCopy {
public:
  LineCopy(const PtxBuilder &ptx, const ::conv::LineWindow &window,
           Value firstLine, int64_t count);

  /// Bytes of the copy that the barrier counts.
  Value getBytes() const { return bytes; }

  /// Copies the last bytes of the tensor, before the barrier is told of the
  /// copy, so that it also tells of these.
  void createTail(Value images, Value lines) const;

  /// Starts the copy. Line `firstLine` comes after its lead in the buffer
  /// `lines`; `barrier` counts the bytes.
  void create(Value images, Value lines, Value barrier) const;

private:
  /// Where a line is in the buffer.
  Value createOffset(Value line) const;

  const PtxBuilder &ptx;
  const ::conv::LineWindow &window;
  Value firstLine, begin;
  Value bytes, isAny;
  Value hasTail; ///< Null if the tensor ends with a whole access.
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_LINEBUFFER_LINECOPY_H
