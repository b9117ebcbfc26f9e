//===- TmaGeometry.h - a product as copies of boxes see it ------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NVIDIA's copy engine moves boxes of tensors, and im2col boxes of images. This
// file says whether it can move the tiles of a matrix product, and how: asked
// when a schedule is chosen, and again when its kernel is built.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_KERNELS_PARTS_WARPGROUP_TMAGEOMETRY_H
#define CONV_KERNELS_PARTS_WARPGROUP_TMAGEOMETRY_H

#include "conv/Dialect/Conv/IR/ViewedTensor.h"
#include "conv/Dialect/Conv/IR/WarpgroupTile.h"
#include "conv/Kernels/Parts/Warpgroup/Gather.h"
#include "conv/Kernels/Parts/Warpgroup/LoadedOperands.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

namespace mlir::conv {

/// Images with their channels innermost, and a window that moves over them.
struct TmaWindow {
  /// One spatial dimension of images and window.
  struct Dimension {
    int64_t extent;    ///< Size of the image.
    int64_t positions; ///< Positions of the window.
    int64_t taps;      ///< Taps of the window.
    int64_t stride;    ///< Elements between positions.
    int64_t dilation;  ///< Elements between taps.
    int64_t low;       ///< Minus the first tap's coordinate.
    /// Digit `t` of the taps is tap `taps - 1 - t`.
    bool isReversed;
  };
  int64_t images, channels;
  SmallVector<Dimension> dimensions; ///< Outermost first.
  /// Positions of a halo tile in each dimension. Positions then come halo tile
  /// by halo tile, padded to whole halo tiles. In three dimensions, the
  /// outermost dimension has one position, and each of its taps sees another
  /// halo tile. Empty if positions are in order.
  SmallVector<int64_t> haloTile = {};
  int64_t groups = 1; ///< Groups of channels, of equal size.
  /// All groups see all channels: products with different right operands.
  bool isShared = false;

  size_t rank() const { return dimensions.size(); }
  int64_t channelsOfGroup() const {
    return isShared ? channels : channels / groups;
  }
  /// Whether channels of several groups are adjacent.
  bool hasGroups() const { return groups > 1 && !isShared; }
  SmallVector<int64_t> getTaps() const;
  int64_t countTaps() const;
  /// The number of dimensions of a halo tile with its halo: the last ones.
  static constexpr size_t kHaloTileRank = 2;
  bool isInHaloTile(size_t dimension) const {
    return dimension + kHaloTileRank >= rank();
  }
  /// Positions of a block along a dimension in which a halo tile has `size`
  /// positions: one layer of a volume is a block of its own.
  static int64_t getBlockSize(int64_t size) {
    return std::min(size, ::conv::WarpgroupTile::kBlockSize);
  }
  /// Taps that see the same halo tile, and how many halo tiles a window sees.
  int64_t countTapsOfHaloTile() const;
  int64_t countHaloTilesOfWindow() const;
  /// Positions in all images as digits: the image, then one per dimension.
  SmallVector<int64_t> getPositions() const;
  /// Bounds of the positions of the first taps of windows, relative to the
  /// first and to the last element of a dimension.
  int64_t getLowerCorner(size_t dimension) const;
  int64_t getUpperCorner(size_t dimension) const;
};

/// The largest coordinate in a tensor: kernels count in 32 bits, with what a
/// tile has beyond the end.
inline constexpr int64_t kMostCoordinate =
    (int64_t(1) << 31) - (int64_t(1) << 16);

/// An operand whose tiles are boxes: a box extends along one dimension by rows,
/// along another one by the reduction, and has one element of each other
/// dimension. Digits of the view say where it starts.
struct TmaMatrix {
  enum class Extent { Rows, Reduction, One };
  struct Dimension {
    Extent extent;
    int64_t size;
    /// The coordinate if all digits are 0, and what one more of each digit
    /// adds: of the batch, of rows, of the outer loop, and of the inner loop.
    int64_t start = 0;
    SmallVector<int64_t> steps = {};
  };
  SmallVector<Dimension> dimensions; ///< Outermost first.
  /// Sizes of the digits that count matrices and rows (of the right operand,
  /// result columns), outermost first; none is 1.
  SmallVector<int64_t> batch = {}, rows = {};

  /// Whether rows are innermost, rather than the reduction.
  bool isTransposed() const { return dimensions.back().extent == Extent::Rows; }
  /// Whether rows are those of several taps, or of several channel rows. Each
  /// box has the rows of one.
  bool hasTaps() const { return rows.size() > 1; }
  /// Rows of a box of a tile with so many rows.
  int64_t countBoxRows(int64_t rowsOfTile) const {
    return hasTaps() ? std::gcd(rowsOfTile, rows.back()) : rowsOfTile;
  }
  /// Whether all matrices of the batch have the same operand.
  bool isShared() const;
};

/// Matrix products, one for each group and slice. Most have a window on one
/// side: on the left, rows are positions and the reduction is over taps and
/// channels; on the right, the right operand's rows are taps and channels and
/// the reduction is over positions: the gradient of a filter. Other products
/// are of matrices whose groups are a batch: of plain ones, or of a gradient of
/// a filter whose positions are innermost.
struct TmaGeometry {
  /// A dimension of the filter: coordinate `start + step * index + groupStep *
  /// group`.
  struct Coordinate {
    enum Index { Row, Channel, Tap, Group } index; ///< The meaning of `index`.
    size_t dimension; ///< The spatial dimension of a tap.
    int64_t size, step, start;
    int64_t groupStep = 0;
    /// For a tap, the digit of `phases` that is added.
    std::optional<size_t> phase = std::nullopt;
  };

  /// A loop of the main loop: from 0 to `extent`.
  struct Loop {
    int64_t extent, step;
    int64_t count() const { return llvm::divideCeil(extent, step); }
  };

  TmaWindow window;
  bool reducesPositions;
  /// The batch is slices of the reduction, and in each slice the groups of the
  /// window's channels.
  int64_t slices;
  /// Bytes of the operands' elements: 2, or 4 of f32 as tf32, or 1 of i8.
  int64_t elementBytes;
  int64_t resultBytes; ///< Bytes of an element.

  /// If the reduction is over taps and channels: the right operand's
  /// dimensions, outermost first, and the channels of a slice.
  SmallVector<Coordinate> filter;
  int64_t channelsOfSlice;
  /// Digits of the columns that are joined dgrad phases, outermost first, and
  /// the columns of each phase, which include the index of a row of the filter.
  SmallVector<int64_t> phases;
  int64_t columnsOfPhase;

  /// If the reduction is over positions: the shape of the left operand,
  /// channels innermost, whose positions are `segments` times `slices` runs of
  /// `segmentPositions`.
  SmallVector<int64_t> leftShape;
  int64_t segments, segmentPositions;
  /// Whether taps and channels are rows rather than columns: the window is then
  /// on the left operand, and `leftShape` is the shape of the right operand.
  bool areTapsRows = false;

  /// Both operands of a product of matrices, whose reduction has `segments`
  /// runs of `segmentPositions` in each slice; and the sizes of the digits that
  /// count segments, outermost first.
  std::optional<TmaMatrix> leftMatrix = std::nullopt,
                           rightMatrix = std::nullopt;
  SmallVector<int64_t> segmentDigits = {};
  /// Columns of a tap: its channels, rounded up to whole rows if channels come
  /// in rows.
  int64_t columnsOfTap;
  /// If the reduction is over positions: the slices along each dimension of the
  /// left operand but the channels, and the positions of a slice along it. With
  /// halo tiles, slices are boxes, and a slice is one segment.
  SmallVector<int64_t> sliceCounts, slicePositions;

  /// The steps of the main loop are two nested loops: over taps, and rows of
  /// channels; over halo tiles of the window and rows of channels, and the taps
  /// that share a halo tile; or over segments, and their positions, in order or
  /// halo tile by halo tile.
  Loop getOuterLoop() const;
  Loop getInnerLoop() const;
  /// Whether the inner loop is over taps. Then the whole row of channels is
  /// read before the next: between two taps of a pixel the chip reads only this
  /// row of all its tiles, which stays in the cache.
  bool hasInnerTaps() const {
    return hasHaloTiles() || channelsOfSlice > getRowElements();
  }
  int64_t countSteps() const {
    return getOuterLoop().count() * getInnerLoop().count();
  }
  /// Whether `workgroups` workgroups share the steps of the outer rather than
  /// of the inner loop: of the loops with a step for each workgroup, the one
  /// with the shorter longest share. Several workgroups never copy a halo tile
  /// that steps of the inner loop share.
  bool sharesOuterLoop(int64_t workgroups) const;
  /// The most workgroups that can share the steps.
  int64_t getMostWorkgroups() const;

  /// Elements of the reduction in a row of a tile.
  int64_t getRowElements() const {
    return ::conv::WarpgroupTile::kRowBytes / elementBytes;
  }

  /// Elements of a row that instructions multiply, and their bytes: less than a
  /// whole row if channels do not fill it.
  int64_t getMultipliedElements() const;
  int64_t getMultipliedBytes() const {
    return getMultipliedElements() * elementBytes;
  }

  /// Cache lines that a row of the left operand, or of the right one, spans on
  /// average; and whether cache lines of the left operand have channels of two
  /// groups, whose tiles are best computed side by side.
  double getLeftLines() const;
  double getRightLines() const;
  bool haveGroupsSharedLines() const;

  bool hasHaloTiles() const { return !window.haloTile.empty(); }
  bool hasMatrices() const { return leftMatrix.has_value(); }
  /// Positions of a halo tile, which all taps share; and the columns of a line
  /// of taps and a row of channels, which share a halo tile of a reduction.
  int64_t getHaloTilePositions() const {
    return llvm::product_of(window.haloTile);
  }
  int64_t getHaloTileColumns() const {
    return window.dimensions.back().taps * ::conv::WarpgroupTile::kRowElements;
  }
  /// Elements of a halo tile with its halo along a dimension; the distance of
  /// neighbours along it; the bytes that are copied; and the bytes up to the
  /// next possible start of a halo tile.
  int64_t getHaloTileExtent(size_t dimension) const;
  int64_t getHaloTilePitch(size_t dimension) const;
  /// Bytes from one line of a halo tile to the next.
  int64_t getHaloTileLineBytes() const {
    return getHaloTileExtent(window.rank() - 1) *
           ::conv::WarpgroupTile::kRowBytes;
  }
  /// Channels per window in the outer loop over halo tiles.
  int64_t getChannelsOfHaloTiles() const {
    return llvm::alignTo(channelsOfSlice, getMultipliedElements());
  }
  int64_t getHaloTileCopyBytes() const;
  /// How tiles hold taps that are rows.
  ::conv::TapRows getTapRows() const;
  /// The bytes of a stage that copies do not write.
  int64_t getStageGap(const ::conv::WarpgroupTile &tile) const;
  int64_t getHaloTileBytes() const;
  /// The bytes that copies write for all halo tiles of a tile.
  int64_t getSlotCopyBytes(const ::conv::WarpgroupTile &tile) const {
    return tile.rows / getHaloTilePositions() * getHaloTileCopyBytes();
  }
  /// Each row of 64 columns belongs to one tap or one dgrad phase.
  bool hasRowsOfColumns() const {
    return (reducesPositions && !areTapsRows) || !phases.empty();
  }
  /// Whether rows of an operand's tiles run along the result's channels rather
  /// than along the reduction.
  bool isLeftTransposed() const {
    return reducesPositions || (leftMatrix && leftMatrix->isTransposed());
  }
  bool isRightTransposed() const {
    return reducesPositions || (rightMatrix && rightMatrix->isTransposed()) ||
           (!filter.empty() && filter.back().index == Coordinate::Row);
  }
};

/// How rows of a result are stored to memory.
struct TmaResult {
  enum class Form {
    Lanes,     ///< Each lane stores its own elements.
    Matrix,    ///< Copies of rows that are adjacent.
    Positions, ///< Copies of rows that are the positions of a window: pixels.
    HaloTiles, ///< Copies of the blocks of a halo tile.
  } form = Form::Lanes;
  int64_t rows, columns;
  TmaWindow window; ///< The window of one tap, if rows are its positions.
  /// The batch: either a row of a matrix has the columns of all groups in
  /// order, or each group has rows of its own.
  int64_t groups = 1;
  bool hasRowsOfGroups = false;

  /// Whether copies locate rows as positions of a window.
  bool isIm2col() const { return form == Form::Positions; }
  /// Whether copies can omit columns beyond a group. Copies of positions
  /// continue with the channels of the next group.
  bool clipsGroups() const { return groups == 1 || !isIm2col(); }
  /// Whether copies store tiles, rather than lanes.
  bool isCopied(const ::conv::WarpgroupTile &tile) const {
    return form != Form::Lanes && tile.hasChunks() &&
           (clipsGroups() || columns % tile.chunkColumns() == 0);
  }
};

/// Why the copy engine cannot go over the window; empty if it can.
std::string checkTmaWindow(const TmaWindow &window);

/// Why the copy engine cannot load halo tiles of the window; empty if it can.
std::string checkTmaHaloTiles(const TmaGeometry &geometry);

/// Why `wgmma` cannot multiply elements of these types, or its kernels cannot
/// store the result; empty if they can.
std::string checkTypes(const ViewedProduct &product);

/// The geometry of `result = lhs * transpose(rhs)`; or none, and `obstacle`
/// says what the copy engine needs, as "expects ..., but got ...".
std::optional<TmaGeometry> computeTmaGeometry(const ViewedTensor &lhs,
                                              const ViewedTensor &rhs,
                                              const ViewedTensor &result,
                                              std::string &obstacle);

/// How lanes copy the operands of a product of 16-bit floats; none if they
/// cannot.
std::optional<::conv::Gather> computeGather(const ViewedProduct &product);

/// How lanes load the operands of a product to registers; or none, and
/// `obstacle` says what they need, as "expects ..., but got ...".
std::optional<::conv::LoadedOperands>
computeLoadedOperands(const ViewedProduct &product, std::string &obstacle);

/// The geometry of a product whose operands lanes load: plain matrices, whose
/// reduction is one index and innermost in both.
TmaGeometry getLoadedGeometry(const ViewedProduct &product);

/// The geometry of a product whose operands lanes copy: plain matrices, whose
/// reduction is one index. The views say where elements are.
TmaGeometry getGatheredGeometry(const ViewedProduct &product,
                                const ::conv::Gather &gather);

/// The geometry for 16-bit operands, however they are loaded: without the
/// filter and without the requirements of the copy engine.
std::optional<TmaGeometry> computeWindowGeometry(const ViewedTensor &lhs,
                                                 const ViewedTensor &rhs,
                                                 const ViewedTensor &result,
                                                 std::string &obstacle);

/// Every result has a form, but lanes store elements of other sizes and layouts
/// other than channels innermost.
TmaResult computeTmaResult(const ViewedTensor &result);

/// Whether copies in the boxes of a result find the corresponding elements of
/// an epilogue operand. Lanes load operands of groups.
bool hasBoxesOf(const ViewedTensor &operand, const ViewedTensor &result);

/// The tile of a schedule with the main loop `tma`, with its halo tiles and
/// their halos.
::conv::WarpgroupTile getWarpgroupTile(ScheduleAttr schedule,
                                       const TmaGeometry &geometry);

/// Why a tile does not fit the chip's shared memory (S6); empty if it
/// fits.
std::string checkTmaMemory(const ::conv::WarpgroupTile &tile,
                           const ::conv::ChipInfo &chip);

/// Why the tiles of the schedule cannot be copied; empty if they can.
std::string checkWarpgroupTile(const TmaGeometry &geometry,
                               ScheduleAttr schedule);

} // namespace mlir::conv

#endif // CONV_KERNELS_PARTS_WARPGROUP_TMAGEOMETRY_H
