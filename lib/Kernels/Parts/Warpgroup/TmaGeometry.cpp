//===- TmaGeometry.cpp - a product as copies of boxes see it ----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes views apart into the roles that their digits play.
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
  if (!hasHaloTiles())
    return {window.countTaps(), 1};
  return {window.countHaloTilesOfWindow() * getChannelsOfHaloTiles(),
          getRowElements()};
}

TmaGeometry::Loop TmaGeometry::getInnerLoop() const {
  if (reducesPositions || hasMatrices())
    return {segmentPositions, getRowElements()};
  return hasHaloTiles() ? Loop{window.countTapsOfHaloTile(), 1}
                        : Loop{channelsOfPart, getRowElements()};
}

namespace {
/// The multiples of digits in one coordinate of the window's operand, or of
/// another one: those of positions or rows of the filter, those of taps and
/// channels, those of the part, and that of the group.
struct Digits {
  SmallVector<int64_t> positions, taps, parts;
  int64_t group;
  int64_t constant;

  /// Whether no digit counts but one of each.
  bool hasOnly(std::optional<size_t> position,
               std::optional<size_t> tap) const {
    auto others = [](ArrayRef<int64_t> list, std::optional<size_t> one) {
      for (auto [i, value] : llvm::enumerate(list))
        if (value != 0 && i != one)
          return true;
      return false;
    };
    return !others(positions, position) && !others(taps, tap);
  }
};

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
  bool readParts();
  bool readWindow();
  bool readDimension(size_t dimension);
  bool readFilter();
  bool readPositions();
  bool checkElements();
  bool checkChannels();

  const ViewedTensor &getWindow() const {
    return geometry.reducesPositions ? rhs : lhs;
  }
  Digits getDigits(ViewAttr view, const ViewAttr::Coordinate &coordinate) const;
  /// The multiples of the digits of the part in the coordinate of a position or
  /// of the channels, if they count it in steps of `length`.
  SmallVector<int64_t> getParts(size_t split, int64_t length) const;
  int64_t countParts(size_t split) const;
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
  /// For each digit of the part, that of the positions that is split, or the
  /// channels.
  static constexpr size_t kChannels = -1;
  SmallVector<size_t> splits;
  TmaGeometry geometry;
};
} // namespace

Digits GeometryReader::getDigits(ViewAttr view,
                                 const ViewAttr::Coordinate &coordinate) const {
  ArrayRef<int64_t> rest = coordinate.coefficients;
  auto take = [&](size_t count) {
    SmallVector<int64_t> list(rest.take_front(count));
    rest = rest.drop_front(count);
    return list;
  };
  SmallVector<int64_t> batch = take(view.getBatch().size());
  SmallVector<int64_t> rows = take(view.getRows().size());
  SmallVector<int64_t> columns = take(view.getColumns().size());
  if (geometry.reducesPositions)
    std::swap(rows, columns);
  // There is no step to the next of one group.
  int64_t group = view.getBatch().back() > 1 ? batch.back() : 0;
  batch.pop_back();
  return {rows, columns, batch, group, coordinate.constant};
}

SmallVector<int64_t> GeometryReader::getParts(size_t split,
                                              int64_t length) const {
  return llvm::map_to_vector(
      splits, [&](size_t own) { return own == split ? length : int64_t(0); });
}

int64_t GeometryReader::countParts(size_t split) const {
  const size_t *own = llvm::find(splits, split);
  return own == splits.end() ? 1 : lhs.view.getBatch()[own - splits.begin()];
}

bool GeometryReader::readHaloTiles() {
  haloTile = getHaloTile(lhs.view.getRows());
  if (haloTile.empty())
    haloTile = getHaloTile(lhs.view.getColumns());
  for (ViewedTensor *tensor : {&lhs, &rhs}) {
    tensor->view = removeHaloTiles(tensor->view);
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

bool GeometryReader::readParts() {
  ArrayRef<int64_t> batch = lhs.view.getBatch();
  geometry.window.groups = batch.back();
  geometry.parts = llvm::product_of(batch.drop_back());
  splits.assign(batch.size() - 1, kChannels);
  // Rows of a filter's gradient are its channels, those of others are digits
  // for an image and each dimension.
  size_t rows = lhs.view.getRows().size(), columns = rhs.view.getRows().size();
  geometry.reducesPositions = rows == 1 && columns > 1;
  spatialRank = getWindow().type.getRank() - 2;
  if (spatialRank < 1 || spatialRank > 3 ||
      (geometry.reducesPositions ? columns : rows) != spatialRank + 1 ||
      lhs.view.getColumns().size() != spatialRank + 1)
    return refuse("images of 1 to 3 spatial dimensions, but got another view");
  return true;
}

/// Digits are in the order of the tensor.
bool GeometryReader::readWindow() {
  const auto &[view, type, strides] = getWindow();
  auto coordinates = view.getCoordinates();
  Digits image = getDigits(view, coordinates.front());
  Digits channel = getDigits(view, coordinates.back());
  bool areRows = !geometry.reducesPositions;
  geometry.channelsOfPart = areRows ? lhs.view.getColumns().back() : 0;
  geometry.columnsOfTap = areRows ? 0 : view.getRows().back();
  int64_t images = (areRows ? view.getRows() : view.getColumns()).front();
  geometry.window.images = type.getDimSize(0);
  geometry.window.channels = type.getDimSize(type.getRank() - 1);
  int64_t groups = geometry.window.groups;
  geometry.window.isShared = areRows && groups > 1 && channel.group == 0;
  if (!image.hasOnly(0, std::nullopt) || image.positions[0] != 1 ||
      image.parts != getParts(0, images) || image.constant != 0 ||
      image.group != 0 ||
      channel.group * groups !=
          (geometry.window.hasGroups() ? geometry.window.channels : 0) ||
      !channel.hasOnly(std::nullopt, spatialRank) ||
      channel.taps[spatialRank] != 1 || channel.constant != 0 ||
      channel.parts != getParts(kChannels, geometry.channelsOfPart))
    return refuse("images outermost and channels innermost, but got another "
                  "layout");
  geometry.window.haloTile = haloTile;
  for (size_t d = 0; d < spatialRank; ++d)
    if (!readDimension(d))
      return false;
  return true;
}

bool GeometryReader::readDimension(size_t dimension) {
  const auto &[view, type, strides] = getWindow();
  Digits digits = getDigits(view, view.getCoordinates()[1 + dimension]);
  int64_t stride = digits.positions[1 + dimension];
  int64_t dilation = digits.taps[dimension];
  bool areRows = !geometry.reducesPositions;
  int64_t positions =
      (areRows ? view.getRows() : view.getColumns())[1 + dimension];
  if (!digits.hasOnly(1 + dimension, dimension) || stride <= 0 ||
      digits.group != 0 ||
      digits.parts != getParts(1 + dimension, stride * positions))
    return refuse("a window that moves along each dimension, but got another "
                  "view");
  int64_t taps = (areRows ? view.getColumns() : view.getRows())[dimension];
  // A walk against the direction of the taps starts at the last one.
  int64_t first = digits.constant + std::min<int64_t>(0, (taps - 1) * dilation);
  geometry.window.dimensions.push_back(
      {type.getDimSize(1 + dimension), positions * countParts(1 + dimension),
       taps, stride, std::abs(dilation), -first, dilation < 0});
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

/// The digit of the rows that is added to an element of the filter.
static std::optional<size_t> getPhase(const Digits &digits) {
  ArrayRef<int64_t> phases = ArrayRef(digits.positions).drop_back();
  const int64_t *one = llvm::find(phases, 1);
  if (one == phases.end())
    return std::nullopt;
  return one - phases.begin();
}

bool GeometryReader::readFilter() {
  using Coordinate = TmaGeometry::Coordinate;
  rhs = joinRows(rhs);
  ArrayRef<int64_t> rows = rhs.view.getRows();
  geometry.phases = llvm::to_vector(rows.drop_back());
  geometry.columnsOfPhase = rows.back();
  size_t row = rows.size() - 1;
  for (auto [i, coordinate] : llvm::enumerate(rhs.view.getCoordinates())) {
    Digits digits = getDigits(rhs.view, coordinate);
    std::optional<size_t> phase = getPhase(digits);
    int64_t size = rhs.type.getDimSize(i);
    const auto *tap =
        llvm::find_if(digits.taps, [](int64_t value) { return value != 0; });
    size_t index = tap - digits.taps.begin();
    bool isChannel = index == spatialRank;
    if (digits.parts !=
        getParts(isChannel ? kChannels : index, geometry.channelsOfPart))
      return refuse("channels that are split, but got another digit");
    if (digits.positions[row] == 1 && digits.hasOnly(row, std::nullopt))
      addCoordinate({Coordinate::Row, 0, size, 1, 0, digits.group});
    else if (isChannel && digits.hasOnly(std::nullopt, index))
      addCoordinate({Coordinate::Channel, index, size, *tap, digits.constant,
                     digits.group});
    else if (digits.group == 1 && digits.constant == 0 &&
             tap == digits.taps.end() &&
             digits.hasOnly(std::nullopt, std::nullopt))
      addCoordinate({Coordinate::Group, 0, size, 1, 0});
    else if (digits.group == 0 && !isChannel && digits.hasOnly(phase, index))
      addCoordinate({Coordinate::Tap, tap == digits.taps.end() ? 0 : index,
                     size, tap == digits.taps.end() ? 0 : *tap, digits.constant,
                     0, phase});
    else
      return refuse("a filter of one digit in each dimension, but got another "
                    "view");
  }
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
  ArrayRef<int64_t> sizes = lhs.view.getColumns();
  for (auto [i, coordinate] : llvm::enumerate(lhs.view.getCoordinates())) {
    Digits digits = getDigits(lhs.view, coordinate);
    bool isChannel = i == sizes.size();
    if (digits.constant != 0 || (!isChannel && digits.group != 0) ||
        (isChannel
             ? !digits.hasOnly(std::nullopt, 0) || digits.taps[0] != 1
             : !digits.hasOnly(i, std::nullopt) || digits.positions[i] != 1))
      return refuse("a dense left operand with its channels innermost, but got "
                    "another view");
    for (auto [split, length] : llvm::zip(splits, digits.parts)) {
      if (length == 0)
        continue;
      if (isChannel || length != sizes[i])
        return refuse("positions that are split, but got another digit");
      split = i;
    }
  }
  llvm::append_range(geometry.leftShape, lhs.type.getShape());
  if (!haloTile.empty()) {
    geometry.segments = 1;
    geometry.segmentPositions = llvm::product_of(sizes);
    geometry.partPositions = llvm::to_vector(sizes);
    for (size_t i = 0; i < sizes.size(); ++i)
      geometry.partCounts.push_back(countParts(i));
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
  return readHaloTiles() && readTypes() && checkConditions() && readParts() &&
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
