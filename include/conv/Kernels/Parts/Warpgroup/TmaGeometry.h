//===- TmaGeometry.h - a product as copies of boxes see it ------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NVIDIA's copy engine moves boxes of tensors, and im2col boxes of images. This
// says whether it can move the tiles of a matrix product, and how: asked when a
// schedule is chosen, and again when its kernel is built.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_KERNELS_PARTS_WARPGROUP_TMAGEOMETRY_H
#define CONV_KERNELS_PARTS_WARPGROUP_TMAGEOMETRY_H

#include "conv/Dialect/Conv/IR/TmaTile.h"
#include "conv/Dialect/Conv/IR/ViewedTensor.h"

#include "llvm/Support/MathExtras.h"

namespace mlir::conv {

/// Images with their channels innermost, and a window that moves over them.
struct TmaWindow {
  /// One spatial dimension of images and window.
  struct Dimension {
    int64_t extent;    ///< Of an image.
    int64_t positions; ///< Of the window.
    int64_t taps;      ///< Of the window.
    int64_t stride;    ///< From position to position.
    int64_t dilation;  ///< From tap to tap.
    int64_t low;       ///< Minus the coordinate of the first tap.
    /// Digit `t` of the taps is tap `taps - 1 - t`.
    bool isReversed;
  };
  int64_t images, channels;
  SmallVector<Dimension> dimensions; ///< Outermost first.
  /// Positions of a halo tile in each dimension: then positions come halo tile
  /// by halo tile, and count what the halo tiles have. Of three dimensions, the
  /// outermost one has one position, and each of its taps sees another halo
  /// tile. Empty if positions are in order.
  SmallVector<int64_t> haloTile = {};
  int64_t groups = 1; ///< Of the channels, each as long.
  /// All groups have all channels: the same product with another right operand.
  bool isShared = false;

  size_t rank() const { return dimensions.size(); }
  int64_t channelsOfGroup() const {
    return isShared ? channels : channels / groups;
  }
  /// Whether channels of several groups are next to each other.
  bool hasGroups() const { return groups > 1 && !isShared; }
  SmallVector<int64_t> getTaps() const;
  int64_t countTaps() const;
  /// The dimensions of a halo tile with its halo: the last ones.
  static constexpr size_t kHaloTileRank = 2;
  bool isInHaloTile(size_t dimension) const {
    return dimension + kHaloTileRank >= rank();
  }
  /// Positions of a block along a dimension in which a halo tile has `size`:
  /// one layer of a volume is a block of its own.
  static int64_t getBlockSize(int64_t size) {
    return std::min(size, ::conv::TmaTile::kBlockSize);
  }
  /// Taps that see the same halo tile, and how many halo tiles a window sees.
  int64_t countTapsOfHaloTile() const;
  int64_t countHaloTilesOfWindow() const;
  /// Positions in all images, as digits: the image and one per dimension.
  SmallVector<int64_t> getPositions() const;
  /// Bounds of the positions of the first taps of windows, relative to the
  /// first and to the last element of a dimension.
  int64_t getLowerCorner(size_t dimension) const;
  int64_t getUpperCorner(size_t dimension) const;
};

/// An operand of which each tile is a box: a dimension is counted by one digit.
struct TmaMatrix {
  /// A row of the operand (of the right one, a column of the result), a step of
  /// the inner or of the outer loop over the reduction, or a matrix of a batch.
  enum class Digit { Row, Inner, Outer, Batch };
  struct Dimension {
    Digit digit;
    int64_t size;
    int64_t partStep; ///< From one part of the reduction to the next one.
  };
  SmallVector<Dimension> dimensions; ///< Outermost first, none of one element.

  /// Whether rows are innermost, and not the reduction.
  bool isTransposed() const { return dimensions.back().digit == Digit::Row; }
};

/// Matrix products, one for each group and part. Most have a window on one
/// side. Either the left operand is the window's, its rows are positions, and
/// the reduction is over taps and channels; or the right one is, its rows are
/// taps and channels, and the reduction is over positions: the gradient of a
/// filter. Others are products of plain matrices, whose groups are a batch.
struct TmaGeometry {
  /// A dimension of the filter: coordinate `start + step * index + groupStep *
  /// group`.
  struct Coordinate {
    enum Index { Row, Channel, Tap, Group } index; ///< What is its index.
    size_t dimension; ///< The spatial dimension of a tap's digit.
    int64_t size, step, start;
    int64_t groupStep = 0;
    /// Of a tap, the digit of `phases` that is added.
    std::optional<size_t> phase = std::nullopt;
  };

  /// A loop of the main loop: from 0 to `extent`.
  struct Loop {
    int64_t extent, step;
    int64_t count() const { return llvm::divideCeil(extent, step); }
  };

  TmaWindow window;
  bool reducesPositions;
  /// The batch is parts of the reduction, and in each of them the groups of the
  /// window's channels.
  int64_t parts;
  /// Of the operands: 2, or 4 of f32, which is multiplied in tf32, or 1 of i8.
  int64_t elementBytes;
  int64_t resultBytes; ///< Of an element.

  /// If the reduction is over taps and channels: the right operand's
  /// dimensions, outermost first, and the channels of a part.
  SmallVector<Coordinate> filter;
  int64_t channelsOfPart;
  /// Digits of the columns that are joined dgrad phases, outermost first, and
  /// the columns of each: the index of a row of the filter is among those.
  SmallVector<int64_t> phases;
  int64_t columnsOfPhase;

  /// If it is over positions: the shape of the left operand, channels
  /// innermost, whose positions are `segments` times `parts` runs of
  /// `segmentPositions`.
  SmallVector<int64_t> leftShape;
  int64_t segments, segmentPositions;
  /// Whether taps and channels are rows and not columns: then the window is the
  /// left operand's, and `leftShape` is that of the right one.
  bool areTapsRows = false;

  /// Of a product of plain matrices, both operands; their reduction has
  /// `segments` runs of `segmentPositions` in each part.
  std::optional<TmaMatrix> leftMatrix = std::nullopt,
                           rightMatrix = std::nullopt;
  /// Columns of a tap: its channels, to the end of the last row if they are in
  /// rows.
  int64_t columnsOfTap;
  /// Of halo tiles, parts are boxes, and a part is one segment: into how many
  /// each dimension of the left operand but the channels is split, and how many
  /// of its positions a part has.
  SmallVector<int64_t> partCounts, partPositions;

  /// The main loop's steps are two nested loops: over taps and over rows of
  /// channels; over halo tiles of the window and of rows of channels, and over
  /// taps, which share one; or over segments, and over their positions, in
  /// order or halo tile by halo tile.
  Loop getOuterLoop() const;
  Loop getInnerLoop() const;
  /// Whether the inner loop is over taps. All of a row of channels are then
  /// read one after another: what the chip reads between two taps of a pixel is
  /// this row of all its tiles, and stays in the cache.
  bool hasInnerTaps() const {
    return hasHaloTiles() || channelsOfPart > getRowElements();
  }
  int64_t countSteps() const {
    return getOuterLoop().count() * getInnerLoop().count();
  }
  /// Whether so many workgroups share the steps of the outer loop, or the steps
  /// of the inner one: of those with a step for each, the one of which the
  /// longest part is shorter. Halo tiles that steps of the inner loop share are
  /// not copied by several.
  bool sharesOuterLoop(int64_t workgroups) const;
  /// So many workgroups can share the steps at most.
  int64_t getMostWorkgroups() const;

  /// Elements of the reduction in a row of a tile.
  int64_t getRowElements() const {
    return ::conv::TmaTile::kRowBytes / elementBytes;
  }

  /// Elements of a row that instructions multiply, and their bytes: fewer than
  /// a row has if channels would not fill it.
  int64_t getMultipliedElements() const;
  int64_t getMultipliedBytes() const {
    return getMultipliedElements() * elementBytes;
  }

  /// Lines of memory that a row of the left operand lies in on average, and one
  /// of the right one; and whether such lines of the left one have channels of
  /// two groups, of which tiles are best computed side by side.
  double getLeftLines() const;
  double getRightLines() const;
  bool haveGroupsSharedLines() const;

  bool hasHaloTiles() const { return !window.haloTile.empty(); }
  bool hasMatrices() const { return leftMatrix.has_value(); }
  /// Positions of a halo tile, which all taps share; and the columns of a line
  /// of taps and a row of channels, which share one of a reduction.
  int64_t getHaloTilePositions() const {
    return llvm::product_of(window.haloTile);
  }
  int64_t getHaloTileColumns() const {
    return window.dimensions.back().taps * ::conv::TmaTile::kRowElements;
  }
  /// Elements of a halo tile with its halo along a dimension; between
  /// neighbours along it; the bytes of all that are copied; and those up to
  /// where the next halo tile can start.
  int64_t getHaloTileExtent(size_t dimension) const;
  int64_t getHaloTilePitch(size_t dimension) const;
  /// From one line of a halo tile to the next one.
  int64_t getHaloTileLineBytes() const {
    return getHaloTileExtent(window.rank() - 1) * ::conv::TmaTile::kRowBytes;
  }
  /// Channels that the outer loop over halo tiles counts for each of a window.
  int64_t getChannelsOfHaloTiles() const {
    return llvm::alignTo(channelsOfPart, getMultipliedElements());
  }
  int64_t getHaloTileCopyBytes() const;
  /// If taps are rows, how tiles have them.
  ::conv::TapRows getTapRows() const;
  /// The bytes of a stage that copies do not write.
  int64_t getStageGap(const ::conv::TmaTile &tile) const;
  int64_t getHaloTileBytes() const;
  /// The bytes that are copied for all halo tiles of a tile.
  int64_t getSlotCopyBytes(const ::conv::TmaTile &tile) const {
    return tile.rows / getHaloTilePositions() * getHaloTileCopyBytes();
  }
  /// A row of 64 columns is one tap's, or one dgrad phase's.
  bool hasRowsOfColumns() const {
    return (reducesPositions && !areTapsRows) || !phases.empty();
  }
  /// Tiles of an operand have rows of the result's channels, not of the
  /// reduction.
  bool isLeftTransposed() const {
    return reducesPositions || (leftMatrix && leftMatrix->isTransposed());
  }
  bool isRightTransposed() const {
    return reducesPositions || (rightMatrix && rightMatrix->isTransposed()) ||
           (!filter.empty() && filter.back().index == Coordinate::Row);
  }
};

/// How rows of a result get to memory.
struct TmaResult {
  enum class Form {
    Lanes,     ///< Each lane stores what it has.
    Matrix,    ///< Copies of rows that follow each other.
    Positions, ///< Copies of rows that are the positions of a window: pixels.
    HaloTiles, ///< Copies of the blocks of a halo tile.
  } form = Form::Lanes;
  int64_t rows, columns;
  TmaWindow window; ///< Of one tap, if rows are its positions.
  /// The batch: rows of a matrix have the columns of all groups after each
  /// other, or each group has rows of its own.
  int64_t groups = 1;
  bool hasRowsOfGroups = false;

  /// Whether copies find rows as they find the positions of a window.
  bool isIm2col() const { return form == Form::Positions; }
  /// Whether copies can leave out what is beyond a group. Those of positions go
  /// on with the channels of the next one.
  bool clipsGroups() const { return groups == 1 || !isIm2col(); }
  /// Whether copies take tiles to it, rather than lanes.
  bool isCopied(const ::conv::TmaTile &tile) const {
    return form != Form::Lanes && tile.hasChunks() &&
           (clipsGroups() || columns % tile.chunkColumns() == 0);
  }
};

/// Why the copy engine cannot go over the window; empty if it can.
std::string checkTmaWindow(const TmaWindow &window);

/// The same for halo tiles of a product's window.
std::string checkTmaHaloTiles(const TmaGeometry &geometry);

/// The geometry of `result = lhs * transpose(rhs)`; or none, and in `obstacle`
/// what the copy engine needs, as "expects ..., but got ...".
std::optional<TmaGeometry> computeTmaGeometry(const ViewedTensor &lhs,
                                              const ViewedTensor &rhs,
                                              const ViewedTensor &result,
                                              std::string &obstacle);

/// The same, whoever brings the operands, of 16 bits: without the filter and
/// without what the copy engine needs.
std::optional<TmaGeometry> computeWindowGeometry(const ViewedTensor &lhs,
                                                 const ViewedTensor &rhs,
                                                 const ViewedTensor &result,
                                                 std::string &obstacle);

/// Every result has a form, but elements of other sizes and other layouts than
/// channels innermost are left to the lanes.
TmaResult computeTmaResult(const ViewedTensor &result);

/// Whether copies of a result's boxes would find the same elements of the
/// operand of an epilogue. Lanes load those of groups.
bool hasBoxesOf(const ViewedTensor &operand, const ViewedTensor &result);

/// The tile of a schedule whose main loop is `tma`, with its halo tiles and
/// their halos.
::conv::TmaTile getTmaTile(ScheduleAttr schedule, const TmaGeometry &geometry);

/// Why the chip's shared memory does not have room for a tile (S6); empty
/// if it has.
std::string checkTmaMemory(const ::conv::TmaTile &tile,
                           const ::conv::ChipInfo &chip);

/// Why tiles of that schedule cannot be copied; empty if they can.
std::string checkTmaTile(const TmaGeometry &geometry, ScheduleAttr schedule);

} // namespace mlir::conv

#endif // CONV_KERNELS_PARTS_WARPGROUP_TMAGEOMETRY_H
