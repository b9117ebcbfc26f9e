//===- LineTile.h - a workgroup of the line_buffer main loop ----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile of window positions reads few lines of its images, and these lines are
// contiguous in memory for any window and channels. So a line buffer holds
// whole lines, and all taps read them there. This file counts the lines, orders
// the reduction over them, and sizes the shared memory. Plain numbers, nothing
// of the IR.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_KERNELS_LINEBUFFER_LINETILE_H
#define CONV_KERNELS_LINEBUFFER_LINETILE_H

#include "conv/Kernels/Parts/Warpgroup/FilterTile.h"

#include <algorithm>
#include <numeric>

namespace conv {

/// Images with their channels innermost, and a window that moves over them.
///
/// The reduction consists of *runs*: elements of a line that are contiguous in
/// memory, all taps of that line or, with dilation, one tap. A run takes whole
/// *groups* of eight elements; surplus elements are zero in the filter and in
/// fragments of the images.
struct LineWindow {
  static constexpr int64_t kGroupElements = 8;
  /// What copies start and end at a multiple of.
  static constexpr int64_t kAccessBytes = 16;
  /// Groups of the reduction that one instruction multiplies.
  static constexpr int64_t kGroupsPerAtom = 2;
  /// The most groups, since the code for all of them is unrolled.
  static constexpr int64_t kMaxGroups = 64;

  /// As in `TmaWindow`.
  struct Dimension {
    int64_t extent = 1, positions = 1, taps = 1, stride = 1, dilation = 1,
            low = 0;
    bool isReversed = false;

    /// Whether taps of some position lie outside of the image.
    bool leavesImage() const {
      return low > 0 ||
             (positions - 1) * stride - low + (taps - 1) * dilation >= extent;
    }
  };

  int64_t images = 1, channels = 1;
  Dimension vertical, horizontal;

  /// Positions in all images.
  int64_t countPositions() const {
    return images * vertical.positions * horizontal.positions;
  }
  int64_t lineElements() const { return horizontal.extent * channels; }
  int64_t lineBytes() const {
    return lineElements() * WarpgroupTile::kElementBytes;
  }
  int64_t countImageLines() const { return images * vertical.extent; }
  /// Whether every line starts where a copy can.
  bool hasAlignedLines() const { return lineBytes() % kAccessBytes == 0; }
  /// Bytes after the last whole access of the tensor.
  int64_t tailBytes() const {
    return countImageLines() * lineBytes() % kAccessBytes;
  }
  /// Lines that have some of these bytes: a line may be shorter than an access.
  int64_t countTailLines() const {
    int64_t whole = countImageLines() * lineBytes() - tailBytes();
    return countImageLines() - whole / lineBytes();
  }
  /// Shared memory for so many lines, of which the first may start, and the
  /// last end, anywhere in an access.
  int64_t bufferBytes(int64_t lines) const {
    int64_t bytes = lines * lineBytes();
    return hasAlignedLines()
               ? bytes
               : roundUp(bytes + kAccessBytes - WarpgroupTile::kElementBytes,
                         kAccessBytes);
  }
  /// Lines from the first line of the last position in an image to the first
  /// line of the first position in the next image.
  int64_t linesToNextImage() const {
    return vertical.extent - (vertical.positions - 1) * vertical.stride;
  }

  int64_t runsPerLine() const {
    return horizontal.dilation == 1 ? 1 : horizontal.taps;
  }
  int64_t countRuns() const { return vertical.taps * runsPerLine(); }
  int64_t runElements() const {
    return channels * horizontal.taps / runsPerLine();
  }
  /// Whether all positions start at even elements of the buffer, or all at odd
  /// elements, in each run: one load then reads two elements.
  bool hasPairs() const {
    return lineElements() % 2 == 0 && horizontal.stride * channels % 2 == 0 &&
           (runsPerLine() == 1 || horizontal.dilation * channels % 2 == 0);
  }
  /// Elements before a run, so that pairs start at even elements.
  int64_t lead() const {
    return hasPairs() ? horizontal.low * channels % 2 : 0;
  }
  int64_t groupsPerRun() const {
    return ceilDiv(lead() + runElements(), kGroupElements);
  }
  /// Includes one more group for the last instruction if necessary.
  int64_t countGroups() const {
    return roundUp(countRuns() * groupsPerRun(), kGroupsPerAtom);
  }
  bool hasFewGroups() const { return countGroups() <= kMaxGroups; }

  /// The most lines that the windows of `rows` consecutive positions see, if
  /// the positions start at a multiple of `alignment`, which divides `rows`.
  int64_t countLines(int64_t rows, int64_t alignment) const {
    int64_t across = horizontal.positions;
    int64_t spanned =
        (across - std::gcd(alignment, across) + rows - 1) / across + 1;
    spanned = std::min(spanned, images * vertical.positions);
    bool staysInImage =
        images == 1 ||
        (alignment == rows && across * vertical.positions % rows == 0);
    int64_t jumps = staysInImage ? 0 : ceilDiv(spanned - 1, vertical.positions);
    return (spanned - 1 - jumps) * vertical.stride +
           jumps * std::max(vertical.stride, linesToNextImage()) +
           (vertical.taps - 1) * vertical.dilation + 1;
  }

  /// The lines of `rows` positions that start at a multiple of `rows`.
  int64_t countLines(int64_t rows) const { return countLines(rows, rows); }

  /// Bytes before and after the lines that fragments read without using them.
  int64_t reachBytes() const {
    const Dimension &d = horizontal;
    int64_t behind =
        (d.positions - 1) * d.stride - d.low + d.taps * d.dilation - d.extent;
    return (std::max<int64_t>({d.low, behind, 0}) * channels +
            2 * kGroupElements) *
           WarpgroupTile::kElementBytes;
  }
};

/// Each buffer has the lines that the windows of a tile see.
struct LineTile : FilterTile {
  LineWindow window;

  LineTile(WarpgroupTile tile, const LineWindow &window)
      : FilterTile{tile,
                   ceilDiv(window.countGroups(), FilterTile::kVectorsPerRow),
                   window.bufferBytes(window.countLines(tile.rows))},
        window(window) {}

  /// The most bytes beside the lines that fragments may read: other parts of
  /// the shared memory.
  int64_t maxReachBytes() const {
    return std::min(filterBytes(), tile.stagingBytes());
  }
  /// The first limit that a tile of an operand with so many columns exceeds.
  std::optional<TileLimit> findExceeded(int64_t columns,
                                        int64_t sharedMemoryBytes) const {
    if (!window.hasFewGroups())
      return TileLimit::Groups;
    if (window.reachBytes() > maxReachBytes())
      return TileLimit::Reach;
    return FilterTile::findExceeded(columns, sharedMemoryBytes);
  }
};

} // namespace conv

#endif // CONV_KERNELS_LINEBUFFER_LINETILE_H
