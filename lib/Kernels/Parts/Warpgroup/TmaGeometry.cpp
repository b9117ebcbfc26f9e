//===- TmaGeometry.cpp - a product as copies of boxes see it ----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Looks up the digits of a product by their roles: images and positions, which
// the window moves over, taps and a channel, which it sees, and the group. What
// coordinates make of them is the window.
//
//===----------------------------------------------------------------------===//

#include "conv/Kernels/Parts/Warpgroup/TmaGeometry.h"

#include "HaloTileView.h"
#include "JoinedRows.h"
#include "MatrixGeometry.h"

#include "conv/Dialect/Conv/IR/ArgumentAttrs.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;
using llvm::formatv;

using Tile = ::conv::TmaTile;

/// Elements of a box in a dimension.
static constexpr int64_t kMaxBox = 256;
/// Most dimensions that a tensor map has.
static constexpr size_t kMaxRank = 5;

TmaGeometry::Loop TmaGeometry::getOuterLoop() const {
  if (reducesPositions || hasMatrices())
    return {segments, 1};
  if (hasHaloTiles())
    return {window.countHaloTilesOfWindow() * getChannelsOfHaloTiles(),
            getMultipliedElements()};
  return hasInnerTaps() ? Loop{channelsOfPart, getRowElements()}
                        : Loop{window.countTaps(), 1};
}

int64_t TmaGeometry::getMultipliedElements() const {
  int64_t row = getRowElements();
  if (reducesPositions || hasMatrices())
    return row;
  // Where halo tiles serve all taps, 96 channels are two rows of 48 rather than
  // one of 64 and one of 32: a few elements are copied twice, but none is
  // multiplied in vain. Who keeps the filter in place counts rows of 64.
  bool areEven = hasHaloTiles() && !filter.empty();
  int64_t rows = areEven ? llvm::divideCeil(channelsOfPart, row) : 1;
  int64_t ofAtom = Tile::kAtomBytes / elementBytes;
  return std::min<int64_t>(
      row, llvm::alignTo(llvm::divideCeil(channelsOfPart, rows), ofAtom));
}

TmaGeometry::Loop TmaGeometry::getInnerLoop() const {
  if (reducesPositions || hasMatrices())
    return {segmentPositions, getRowElements()};
  if (hasHaloTiles())
    return {window.countTapsOfHaloTile(), 1};
  return hasInnerTaps() ? Loop{window.countTaps(), 1}
                        : Loop{channelsOfPart, getRowElements()};
}

namespace {
/// Reads one product; `obstacle` is the first thing that does not fit.
class GeometryReader {
public:
  GeometryReader(const ViewedTensor &lhs, const ViewedTensor &rhs,
                 const ViewedTensor &result, std::string &obstacle)
      : lhs(lhs), rhs(rhs), result(result), obstacle(obstacle) {}

  /// All but the filter, of 16-bit operands; and that with what the copy engine
  /// needs; and one of plain matrices.
  std::optional<TmaGeometry> readWindowed();
  std::optional<TmaGeometry> read();
  std::optional<TmaGeometry> readMatrices();

private:
  bool readProduct();
  bool readHaloTiles();
  bool readTypes();
  bool checkConditions();
  bool readRoles();
  bool readWindow();
  bool readDimension(size_t dimension);
  bool readFilter();
  bool readPositions();
  bool checkElements();
  bool checkChannels();

  const ViewedTensor &getWindow() const {
    return geometry.reducesPositions ? rhs : lhs;
  }
  /// The digits that slices of an index are counted with.
  static DigitRole getSplit(DigitRole role) {
    return {role.letter, DigitPart::Split};
  }
  /// By how much a coordinate moves from one group to the next: there is no
  /// step to the next of one.
  int64_t getGroupStep(ViewAttr view,
                       const ViewAttr::Coordinate &coordinate) const;
  /// Whether only groups, an index, whose slices are `length` of it, and
  /// `others` move a coordinate.
  bool isMovedBy(ViewAttr view, const ViewAttr::Coordinate &coordinate,
                 DigitRole role, int64_t length,
                 ArrayRef<DigitRole> others = {}) const;
  /// The same of an index that counts the coordinate, without a constant.
  bool isCountedBy(ViewAttr view, const ViewAttr::Coordinate &coordinate,
                   DigitRole role, int64_t length) const;
  std::optional<size_t> findPhase(const ViewAttr::Coordinate &coordinate,
                                  unsigned axis) const;
  /// The axis of a spatial dimension (see `DigitRole::getAxis`).
  unsigned getAxis(size_t dimension) const {
    return kMaxSpatialRank - spatialRank + dimension;
  }
  bool readFilterDimension(const ViewAttr::Coordinate &coordinate,
                           int64_t size);
  /// Adds a dimension of the filter, or two.
  void addCoordinate(TmaGeometry::Coordinate coordinate);

  bool refuse(const std::string &expected) {
    obstacle = "expects " + expected;
    return false;
  }

  ViewedTensor lhs, rhs; ///< Positions are in order.
  const ViewedTensor &result;
  SmallVector<int64_t> haloTile;
  std::string &obstacle;
  size_t spatialRank;
  DigitRole image, channel, group;
  SmallVector<DigitRole> positions; ///< Of a dimension without any, no role.
  /// Digits of images, positions, taps and channels are in this order.
  bool areInOrder = true;
  TmaGeometry geometry;
};
} // namespace

int64_t
GeometryReader::getGroupStep(ViewAttr view,
                             const ViewAttr::Coordinate &coordinate) const {
  return view.getSize(group) > 1 ? view.getCoefficient(coordinate, group) : 0;
}

bool GeometryReader::isMovedBy(ViewAttr view,
                               const ViewAttr::Coordinate &coordinate,
                               DigitRole role, int64_t length,
                               ArrayRef<DigitRole> others) const {
  DigitRole split = getSplit(role);
  SmallVector<DigitRole> all = {group, role, split};
  llvm::append_range(all, others);
  int64_t step = view.getCoefficient(coordinate, role) * length;
  return view.isOnlyMovedBy(coordinate, all) &&
         (!view.find(split) || view.getCoefficient(coordinate, split) == step);
}

bool GeometryReader::isCountedBy(ViewAttr view,
                                 const ViewAttr::Coordinate &coordinate,
                                 DigitRole role, int64_t length) const {
  return coordinate.constant == 0 &&
         view.getCoefficient(coordinate, role) == 1 &&
         isMovedBy(view, coordinate, role, length);
}

bool GeometryReader::readHaloTiles() {
  haloTile = getHaloTile(lhs.view);
  for (ViewedTensor *tensor : {&lhs, &rhs}) {
    tensor->view = joinTiles(tensor->view);
    if (!tensor->view)
      return refuse("halo tiles of positions, but got another view");
  }
  return true;
}

bool GeometryReader::readTypes() {
  Type type = lhs.type.getElementType();
  if (!(type.isF16() || type.isBF16() || type.isF32() || type.isInteger(8)) ||
      rhs.type.getElementType() != type)
    return refuse("operands of f16, of bf16, of f32 or of i8, but got others");
  geometry.elementBytes = type.getIntOrFloatBitWidth() / 8;
  geometry.resultBytes = result.type.getElementTypeBitWidth() / 8;
  if (Type element = result.type.getElementType();
      !(element.isF16() || element.isBF16() || element.isF32() ||
        element.isInteger(8) || element.isInteger(32)))
    return refuse("a result of f16, bf16, f32, i8 or i32, but got another");
  for (const ViewedTensor *operand : {&lhs, &rhs})
    if (operand->strides != computeContiguousStrides(operand->type.getShape()))
      return refuse("operands without gaps, but got strides");
  return true;
}

bool GeometryReader::checkConditions() {
  for (ViewAttr view : {lhs.view, rhs.view})
    if (!view.getLimits().empty() || view.getPadding() != PaddingMode::Zeros)
      return refuse("no conditions and padding with zeros, but got others");
  return true;
}

/// Images, or what a transposed product has in their place, and positions are
/// rows or what is summed up; taps and channels are on the other side.
bool GeometryReader::readRoles() {
  ViewAttr left = lhs.view;
  geometry.reducesPositions =
      llvm::is_contained(left.getColumnRoles(), DigitRole('n'));
  ArrayRef<DigitRole> moving = left.getRowRoles(), seen = left.getColumnRoles();
  if (geometry.reducesPositions) {
    moving = left.getColumnRoles();
    seen = rhs.view.getRowRoles();
  }
  spatialRank = getWindow().type.getRank() - 2;
  if (left.getBatch().empty() || rhs.view.getRoles().empty() ||
      spatialRank < 1 || spatialRank > kMaxSpatialRank || moving.empty() ||
      moving.size() > spatialRank + 1 || seen.size() != spatialRank + 1)
    return refuse("images of 1 to 3 spatial dimensions, but got another view");
  group = left.getBatchRoles().back();
  image = moving.front();
  channel = seen.back();
  geometry.window.groups = left.getSize(group);
  geometry.parts = llvm::product_of(left.getBatch()) / geometry.window.groups;
  // Digits are in the order of the tensor, as are the rows of tiles.
  moving = moving.drop_front();
  for (size_t d = 0; d < spatialRank; ++d) {
    unsigned axis = getAxis(d);
    positions.emplace_back();
    if (!moving.empty() && moving.front().isPosition() &&
        moving.front().getAxis() == axis) {
      positions.back() = moving.front();
      moving = moving.drop_front();
    }
    areInOrder &= seen[d] == DigitRole(kTaps[axis]);
  }
  areInOrder &= moving.empty() && channel.isChannel();
  return true;
}

bool GeometryReader::readWindow() {
  const auto &[view, type, strides] = getWindow();
  auto coordinates = view.getCoordinates();
  const ViewAttr::Coordinate &first = coordinates.front();
  const ViewAttr::Coordinate &last = coordinates.back();
  TmaWindow &window = geometry.window;
  bool areRows = !geometry.reducesPositions;
  geometry.channelsOfPart = areRows ? view.getSize(channel) : 0;
  geometry.columnsOfTap = areRows ? 0 : view.getSize(channel);
  window.images = type.getDimSize(0);
  window.channels = type.getDimSize(type.getRank() - 1);
  int64_t step = getGroupStep(view, last);
  window.isShared = areRows && window.groups > 1 && step == 0;
  if (!areInOrder || getGroupStep(view, first) != 0 ||
      !isCountedBy(view, first, image, view.getSize(image)) ||
      step * window.groups != (window.hasGroups() ? window.channels : 0) ||
      !isCountedBy(view, last, channel, geometry.channelsOfPart))
    return refuse("images outermost and channels innermost, but got another "
                  "layout");
  window.haloTile = haloTile;
  for (size_t d = 0; d < spatialRank; ++d)
    if (!readDimension(d))
      return false;
  return true;
}

bool GeometryReader::readDimension(size_t dimension) {
  const auto &[view, type, strides] = getWindow();
  ViewAttr::Coordinate coordinate = view.getCoordinates()[1 + dimension];
  ViewAttr::Window window = view.getWindow(coordinate, getAxis(dimension));
  DigitRole position = positions[dimension];
  // A single position does not move.
  int64_t stride = position ? window.stride : 1;
  int64_t size = view.getSize(position), taps = view.getSize(window.tap);
  if (stride <= 0 || getGroupStep(view, coordinate) != 0 ||
      !isMovedBy(view, coordinate, position, size, window.tap))
    return refuse("a window that moves along each dimension, but got another "
                  "view");
  // A walk against the direction of the taps starts at the last one.
  int64_t low = window.low - std::min<int64_t>(0, (taps - 1) * window.dilation);
  geometry.window.dimensions.push_back(
      {type.getDimSize(1 + dimension), size * view.getSize(getSplit(position)),
       taps, stride, std::abs(window.dilation), low, window.dilation < 0});
  return true;
}

/// Behind the channels of a group, a row of the left operand may have those of
/// the next one: the filter has zeros there, if groups are a dimension.
void GeometryReader::addCoordinate(TmaGeometry::Coordinate coordinate) {
  using Coordinate = TmaGeometry::Coordinate;
  if (coordinate.index == Coordinate::Channel && coordinate.groupStep != 0 &&
      coordinate.groupStep % geometry.getRowElements() != 0) {
    int64_t groups = geometry.window.groups;
    geometry.filter.push_back({Coordinate::Group, 0, groups, 1, 0});
    coordinate.size /= groups;
    coordinate.groupStep = 0;
  }
  geometry.filter.push_back(coordinate);
}

/// Reads what one dimension of the filter is counted by.
bool GeometryReader::readFilterDimension(const ViewAttr::Coordinate &coordinate,
                                         int64_t size) {
  using Coordinate = TmaGeometry::Coordinate;
  ViewAttr view = rhs.view;
  int64_t groupStep = getGroupStep(view, coordinate);
  DigitRole row = view.getRowRoles().back();
  if (view.getCoefficient(coordinate, row) == 1 &&
      view.isOnlyMovedBy(coordinate, {row, group})) {
    addCoordinate({Coordinate::Row, 0, size, 1, 0, groupStep});
    return true;
  }
  int64_t step = view.getCoefficient(coordinate, channel);
  if (step != 0 &&
      isMovedBy(view, coordinate, channel, geometry.channelsOfPart)) {
    addCoordinate({Coordinate::Channel, spatialRank, size, step,
                   coordinate.constant, groupStep});
    return true;
  }
  if (groupStep == 1 && coordinate.constant == 0 &&
      view.isOnlyMovedBy(coordinate, group)) {
    addCoordinate({Coordinate::Group, 0, size, 1, 0});
    return true;
  }
  for (size_t d = 0; d < spatialRank && groupStep == 0; ++d) {
    DigitRole tap(kTaps[getAxis(d)]);
    std::optional<size_t> phase = findPhase(coordinate, getAxis(d));
    SmallVector<DigitRole> moving = {group, tap};
    if (phase)
      moving.push_back(view.getRowRoles()[*phase]);
    if (!view.isOnlyMovedBy(coordinate, moving))
      continue;
    addCoordinate({Coordinate::Tap, d, size,
                   view.getCoefficient(coordinate, tap), coordinate.constant, 0,
                   phase});
    return true;
  }
  return false;
}

/// The digit of the rows that is added to an element of the filter: a dgrad
/// phase, or a gap, if the filter has one element.
std::optional<size_t>
GeometryReader::findPhase(const ViewAttr::Coordinate &coordinate,
                          unsigned axis) const {
  char position = kInputPositions[axis];
  for (auto [i, role] : llvm::enumerate(rhs.view.getRowRoles()))
    if ((role == DigitRole(position, DigitPart::Phase) ||
         role == DigitRole(position, DigitPart::Gap)) &&
        rhs.view.getCoefficient(coordinate, role) == 1)
      return i;
  return std::nullopt;
}

bool GeometryReader::readFilter() {
  using Coordinate = TmaGeometry::Coordinate;
  rhs = joinRows(rhs);
  ArrayRef<int64_t> rows = rhs.view.getRows();
  geometry.phases = llvm::to_vector(rows.drop_back());
  geometry.columnsOfPhase = rows.back();
  for (auto [coordinate, size] :
       llvm::zip(rhs.view.getCoordinates(), rhs.type.getShape()))
    if (!readFilterDimension(coordinate, size))
      return refuse("a filter of one digit in each dimension, but got another "
                    "view");
  if (!geometry.phases.empty() && !geometry.isRightTransposed())
    return refuse(
        "joined dgrad phases whose channels are innermost in the filter, "
        "but got others");
  if (geometry.filter.back().index == Coordinate::Tap)
    return refuse("channels innermost in the filter, but got another layout");
  return geometry.filter.size() <= kMaxRank ||
         refuse("a filter of at most 5 dimensions, but got more");
}

/// The left operand of a reduction over positions: dense, with its channels
/// innermost.
bool GeometryReader::readPositions() {
  ViewAttr view = lhs.view;
  SmallVector<DigitRole> roles = {image};
  llvm::append_range(roles, positions);
  DigitRole row = view.getRowRoles().back();
  auto coordinates = view.getCoordinates();
  bool isDense = view.getRows().size() == 1 &&
                 coordinates.back().constant == 0 &&
                 view.getCoefficient(coordinates.back(), row) == 1 &&
                 view.isOnlyMovedBy(coordinates.back(), {row, group});
  for (auto [coordinate, role] : llvm::zip(coordinates, roles))
    isDense &= role && getGroupStep(view, coordinate) == 0 &&
               isCountedBy(view, coordinate, role, view.getSize(role));
  if (!isDense)
    return refuse("a dense left operand with its channels innermost, but got "
                  "another view");
  llvm::append_range(geometry.leftShape, lhs.type.getShape());
  // Which of the positions are split, in the order of the batch.
  SmallVector<size_t> splits;
  for (DigitRole part : view.getBatchRoles())
    if (part.part == DigitPart::Split)
      splits.push_back(llvm::find(roles, DigitRole(part.letter)) -
                       roles.begin());
  ArrayRef<int64_t> sizes = view.getColumns();
  if (!haloTile.empty()) {
    geometry.segments = 1;
    geometry.segmentPositions = llvm::product_of(sizes);
    geometry.partPositions = llvm::to_vector(sizes);
    for (DigitRole role : roles)
      geometry.partCounts.push_back(view.getSize(getSplit(role)));
    return llvm::is_sorted(splits) ||
           refuse("parts in the order of positions, but got another");
  }
  if (splits.size() > 1)
    return refuse("positions of which one digit is split, but got more");
  size_t outer = splits.empty() ? 0 : splits.front();
  geometry.segments = llvm::product_of(sizes.take_front(outer));
  geometry.segmentPositions = llvm::product_of(sizes.drop_front(outer));
  return true;
}

/// Instructions transpose elements of 16 bits, and warps those of f32. Blocks
/// of positions are of 16 bits.
bool GeometryReader::checkElements() {
  bool isTransposed =
      geometry.isLeftTransposed() || geometry.isRightTransposed();
  bool hasBlocks = geometry.reducesPositions && geometry.hasHaloTiles();
  if (geometry.elementBytes == Tile::kElementBytes ||
      (!hasBlocks &&
       (!isTransposed || geometry.elementBytes == Tile::kConvertedBytes)))
    return true;
  return refuse(
      "operands of 16 bits, of f32 without halo tiles of a reduction, or "
      "with the reduction innermost, but got others");
}

bool GeometryReader::checkChannels() {
  const TmaWindow &window = geometry.window;
  int64_t granule = Tile::kGranuleBytes / geometry.elementBytes;
  int64_t rowElements = geometry.getRowElements();
  // Those of a group, where boxes start.
  int64_t channels = window.channelsOfGroup(), other;
  if (geometry.reducesPositions)
    other = geometry.leftShape.back() / window.groups;
  else if (const TmaGeometry::Coordinate &last = geometry.filter.back();
           last.groupStep != 0)
    other = last.groupStep;
  else
    other = last.size;
  if (channels % granule || other % granule)
    return refuse(formatv("channels that are multiples of {0}, but got {1} and "
                          "{2}",
                          granule, channels, other));
  if (!geometry.reducesPositions && geometry.parts > 1 &&
      geometry.channelsOfPart % rowElements)
    return refuse(formatv("parts of a multiple of {0} channels, but got {1}",
                          rowElements, geometry.channelsOfPart));
  if (geometry.reducesPositions && !geometry.hasHaloTiles() &&
      window.countTaps() > 1 && geometry.columnsOfTap % Tile::kRowElements)
    return refuse(formatv("a multiple of {0} columns for each tap, but got "
                          "{1}",
                          Tile::kRowElements, geometry.columnsOfTap));
  if (!geometry.phases.empty() && geometry.columnsOfPhase % Tile::kRowElements)
    return refuse(
        formatv("a multiple of {0} columns of each dgrad phase, but got "
                "{1}",
                Tile::kRowElements, geometry.columnsOfPhase));
  return true;
}

std::string mlir::conv::checkTmaHaloTiles(const TmaGeometry &geometry) {
  // S14.
  const TmaWindow &window = geometry.window;
  if (window.rank() > TmaWindow::kHaloTileRank && window.groups > 1)
    return formatv("expects one group for halo tiles of volumes, but got {0}",
                   window.groups);
  for (auto [i, d] : llvm::enumerate(window.dimensions)) {
    if (!window.isInHaloTile(i))
      continue;
    if (d.stride != 1)
      return formatv(
          "expects a window that moves by 1 over halo tiles, but got {0}",
          d.stride);
    if (geometry.getHaloTileExtent(i) > kMaxBox)
      return formatv("expects halo tiles of at most {0} elements with their "
                     "halos, but got {1}",
                     kMaxBox, geometry.getHaloTileExtent(i));
    if (geometry.reducesPositions && window.haloTile[i] != Tile::kBlockSize)
      return formatv(
          "expects halo tiles of a reduction to have {0} positions a "
          "side, but got {1}",
          Tile::kBlockSize, window.haloTile[i]);
  }
  return "";
}

bool GeometryReader::readProduct() {
  geometry = {};
  return readHaloTiles() && readTypes() && checkConditions() && readRoles() &&
         (!geometry.reducesPositions || readPositions()) && readWindow();
}

std::optional<TmaGeometry> GeometryReader::readWindowed() {
  if (!readProduct())
    return std::nullopt;
  if (int64_t groups = geometry.window.groups; groups > 1) {
    refuse(formatv("one group, but got {0}", groups));
    return std::nullopt;
  }
  if (geometry.elementBytes == Tile::kElementBytes)
    return geometry;
  refuse("operands of f16 or of bf16, but got others");
  return std::nullopt;
}

std::optional<TmaGeometry> GeometryReader::read() {
  if (!readProduct() || (!geometry.reducesPositions && !readFilter()) ||
      !checkElements() || !checkChannels())
    return std::nullopt;
  obstacle = geometry.hasHaloTiles() ? checkTmaHaloTiles(geometry)
                                     : checkTmaWindow(geometry.window);
  if (!obstacle.empty())
    return std::nullopt;
  return geometry;
}

std::optional<TmaGeometry> GeometryReader::readMatrices() {
  geometry = {};
  if (!readTypes() || !mlir::conv::readMatrices(lhs, rhs, geometry))
    return std::nullopt;
  return geometry;
}

std::optional<TmaGeometry>
mlir::conv::computeTmaGeometry(const ViewedTensor &lhs, const ViewedTensor &rhs,
                               const ViewedTensor &result,
                               std::string &obstacle) {
  if (auto geometry = GeometryReader(lhs, rhs, result, obstacle).read())
    return geometry;
  std::string other; // What a window needs says more.
  return GeometryReader(lhs, rhs, result, other).readMatrices();
}

std::optional<TmaGeometry> mlir::conv::computeWindowGeometry(
    const ViewedTensor &lhs, const ViewedTensor &rhs,
    const ViewedTensor &result, std::string &obstacle) {
  return GeometryReader(lhs, rhs, result, obstacle).readWindowed();
}
