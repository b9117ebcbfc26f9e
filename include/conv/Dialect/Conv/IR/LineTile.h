//===- LineTile.h - a workgroup of the line_buffer main loop -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile of positions of a window reads few lines of its images, and these are
// one piece of memory, whatever the window and the channels are. So a line
// buffer holds whole lines, and all taps read them there. This says how many
// lines that are, in which order the reduction goes over them, and what of
// shared memory it takes. Plain numbers, nothing of the IR.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_LINETILE_H
#define CONV_DIALECT_CONV_IR_LINETILE_H

#include "conv/Dialect/Conv/IR/TmaTile.h"
#include "conv/Support/IntegerMath.h"

#include <algorithm>
#include <numeric>

namespace conv {

/// Images with their channels innermost, and a window that moves over them.
///
/// The reduction is made of *runs*: elements of a line that follow each other
/// in memory, all taps of that line or, with dilation, one of them. A run takes
/// whole *groups* of eight elements; what is too much is zero in the filter and
/// in fragments of the images.
struct LineWindow {
  static constexpr int64_t kGroupElements = 8;
  /// What lines are multiples of, in bytes: the granule of a copy.
  static constexpr int64_t kGranuleBytes = 16;
  /// Groups of the reduction that one instruction multiplies.
  static constexpr int64_t kGroupsPerAtom = 2;

  /// As in `TmaWindow`.
  struct Dimension {
    int64_t extent = 1, positions = 1, taps = 1, stride = 1, dilation = 1,
            low = 0;
    bool isReversed = false;

    /// Whether taps of some position are outside of the image.
    bool leavesImage() const {
      return low > 0 ||
             (positions - 1) * stride - low + (taps - 1) * dilation >= extent;
    }
  };

  int64_t images = 1, channels = 1;
  Dimension vertical, horizontal;

  int64_t lineElements() const { return horizontal.extent * channels; }
  int64_t lineBytes() const { return lineElements() * TmaTile::kElementBytes; }
  /// Lines from the first of the last position in an image to the first of the
  /// first position in the next one.
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
  /// Whether all positions start at even elements of a line, or all at odd
  /// ones, in each run: two elements are then one load.
  bool hasPairs() const {
    return horizontal.stride * channels % 2 == 0 &&
           (runsPerLine() == 1 || horizontal.dilation * channels % 2 == 0);
  }
  /// Elements before a run, so that pairs start at even elements.
  int64_t lead() const {
    return hasPairs() ? horizontal.low * channels % 2 : 0;
  }
  int64_t groupsPerRun() const {
    return ceilDiv(lead() + runElements(), kGroupElements);
  }
  /// With one more for the last instruction, if need be.
  int64_t countGroups() const {
    return roundUp(countRuns() * groupsPerRun(), kGroupsPerAtom);
  }

  /// Most lines that the windows of `rows` consecutive positions see, if they
  /// start at a multiple of `rows`.
  int64_t countLines(int64_t rows) const {
    int64_t across = horizontal.positions;
    int64_t spanned = (across - std::gcd(rows, across) + rows - 1) / across + 1;
    spanned = std::min(spanned, images * vertical.positions);
    bool staysInImage = images == 1 || across * vertical.positions % rows == 0;
    int64_t jumps = staysInImage ? 0 : ceilDiv(spanned - 1, vertical.positions);
    return (spanned - 1 - jumps) * vertical.stride +
           jumps * std::max(vertical.stride, linesToNextImage()) +
           (vertical.taps - 1) * vertical.dilation + 1;
  }

  /// Bytes before and behind lines that fragments read, and do not use.
  int64_t reachBytes() const {
    const Dimension &d = horizontal;
    int64_t behind =
        (d.positions - 1) * d.stride - d.low + d.taps * d.dilation - d.extent;
    return (std::max<int64_t>({d.low, behind, 0}) * channels +
            2 * kGroupElements) *
           TmaTile::kElementBytes;
  }
};

/// A ring of line buffers that one warpgroup fills. The others multiply them
/// with a filter that stays in shared memory: rows of 128 swizzled bytes, all
/// columns of the first 64 elements of the reduction, then of the next ones.
struct LineTile {
  TmaTile tile; ///< Rows, columns, warpgroups and their registers.
  LineWindow window;

  int64_t filterBytes() const {
    constexpr int64_t kGroupsPerRow =
        TmaTile::kRowElements / LineWindow::kGroupElements;
    return ceilDiv(window.countGroups(), kGroupsPerRow) * tile.columns *
           TmaTile::kRowBytes;
  }
  int64_t stageBytes() const {
    return window.countLines(tile.rows) * window.lineBytes();
  }
  int64_t ringOffset() const { return filterBytes(); }
  int64_t stagingOffset() const {
    return roundUp(ringOffset() + tile.stages * stageBytes(),
                   TmaTile::kAlignment);
  }
  int64_t barrierOffset() const {
    return stagingOffset() + tile.consumers * tile.stagingBytes();
  }
  int64_t sharedBytes() const {
    return barrierOffset() + 2 * tile.stages * TmaTile::kBarrierBytes;
  }
};

} // namespace conv

#endif // CONV_DIALECT_CONV_IR_LINETILE_H
