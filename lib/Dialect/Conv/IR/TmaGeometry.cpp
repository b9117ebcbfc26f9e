//===- TmaGeometry.cpp - a product as copies of boxes see it -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes views apart into the roles that their digits play. Limits are those of
// the PTX ISA's im2col mode and of cuTensorMapEncodeIm2col.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/TmaGeometry.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;
using llvm::formatv;

/// What strides in memory and widths of rows are multiples of, in elements.
static constexpr int64_t kGranule = 16 / ::conv::TmaTile::kElementBytes;
static constexpr int64_t kMaxElementStride = 8;
/// Most dimensions that a tensor map has.
static constexpr size_t kMaxRank = 5;

int64_t TmaGeometry::countRows() const {
  int64_t rows = images;
  for (const Dimension &d : dimensions)
    rows *= d.positions;
  return rows;
}

int64_t TmaGeometry::countTaps() const {
  int64_t taps = 1;
  for (const Dimension &d : dimensions)
    taps *= d.taps;
  return taps;
}

int64_t TmaGeometry::countSteps() const {
  return countTaps() *
         llvm::divideCeil(channels, ::conv::TmaTile::kRowElements);
}

int64_t TmaGeometry::getLowerCorner(size_t dimension) const {
  return -dimensions[dimension].low;
}

int64_t TmaGeometry::getUpperCorner(size_t dimension) const {
  const Dimension &d = dimensions[dimension];
  return (d.positions - 1) * d.stride + 1 - d.low - d.extent;
}

namespace {
/// Reads one product; `obstacle` is the first thing that does not fit.
class GeometryReader {
public:
  GeometryReader(const ViewedTensor &lhs, const ViewedTensor &rhs,
                 const ViewedTensor &result, std::string &obstacle)
      : lhs(lhs), rhs(rhs), result(result), obstacle(obstacle),
        spatialRank(lhs.type.getRank() - 2) {}

  std::optional<TmaGeometry> read();

private:
  bool readTypes();
  bool readImages();
  bool readDimension(size_t dimension);
  bool readRightOperand();
  bool readResult();
  bool checkLimits();

  bool refuse(const std::string &expected) {
    obstacle = "expects " + expected;
    return false;
  }

  const ViewedTensor &lhs, &rhs, &result;
  std::string &obstacle;
  int64_t spatialRank;
  TmaGeometry geometry;
};

/// The multiples of digits of rows and columns in one coordinate. The batch has
/// one element, so that its digits are zero.
struct Digits {
  SmallVector<int64_t> rows, columns;
  int64_t constant;

  Digits(ViewAttr view, const ViewAttr::Coordinate &coordinate)
      : constant(coordinate.constant) {
    ArrayRef<int64_t> all = ArrayRef(coordinate.coefficients)
                                .drop_front(view.getBatch().size());
    rows.assign(all.take_front(view.getRows().size()).begin(),
                all.take_front(view.getRows().size()).end());
    columns.assign(all.drop_front(rows.size()).begin(), all.end());
  }

  /// Whether no digit counts but `row` of the rows and `column` of the columns.
  bool hasOnly(std::optional<size_t> row, std::optional<size_t> column) const {
    auto others = [](ArrayRef<int64_t> list, std::optional<size_t> one) {
      for (auto [i, value] : llvm::enumerate(list))
        if (value != 0 && i != one)
          return true;
      return false;
    };
    return !others(rows, row) && !others(columns, column);
  }
};
} // namespace

bool GeometryReader::readTypes() {
  Type type = lhs.type.getElementType();
  if (!(type.isF16() || type.isBF16()) || rhs.type.getElementType() != type)
    return refuse("operands of f16 or of bf16, but got others");
  Type to = result.type.getElementType();
  if (!(to.isF16() || to.isBF16()))
    return refuse("a result of f16 or bf16, but got another");
  int64_t batch = result.view.getShape()[0];
  return batch == 1 || refuse(formatv("one group, but got {0}", batch));
}

/// Rows are images and positions, columns are taps and channels, both in the
/// order of the tensor.
bool GeometryReader::readImages() {
  size_t digits = spatialRank + 1;
  if (spatialRank < 1 || spatialRank > 3 ||
      lhs.view.getRows().size() != digits ||
      lhs.view.getColumns().size() != digits)
    return refuse("images of 1 to 3 spatial dimensions, but got another view");
  auto coordinates = lhs.view.getCoordinates();
  Digits image(lhs.view, coordinates.front());
  Digits channel(lhs.view, coordinates.back());
  if (!image.hasOnly(0, std::nullopt) || image.rows[0] != 1 ||
      image.constant != 0 || !channel.hasOnly(std::nullopt, spatialRank) ||
      channel.columns[spatialRank] != 1 || channel.constant != 0)
    return refuse("images outermost and channels innermost, but got another "
                  "layout");
  geometry.images = lhs.type.getDimSize(0);
  geometry.channels = lhs.type.getDimSize(lhs.type.getRank() - 1);
  for (int64_t d = 0; d < spatialRank; ++d)
    if (!readDimension(d))
      return false;
  return true;
}

bool GeometryReader::readDimension(size_t dimension) {
  Digits digits(lhs.view, lhs.view.getCoordinates()[1 + dimension]);
  int64_t stride = digits.rows[1 + dimension];
  int64_t dilation = digits.columns[dimension];
  if (!digits.hasOnly(1 + dimension, dimension) || stride <= 0)
    return refuse("a window that moves along each dimension, but got another "
                  "view");
  int64_t taps = lhs.view.getColumns()[dimension];
  // A walk against the direction of the taps starts at the last one.
  int64_t first = digits.constant + std::min<int64_t>(0, (taps - 1) * dilation);
  geometry.dimensions.push_back({lhs.type.getDimSize(1 + dimension),
                                 lhs.view.getRows()[1 + dimension], taps,
                                 stride, std::abs(dilation), -first,
                                 dilation < 0});
  return true;
}

bool GeometryReader::readRightOperand() {
  using Coordinate = TmaGeometry::Coordinate;
  if (rhs.view.getRows().size() != 1)
    return refuse("channels of the result in one dimension, but got more");
  for (auto [i, coordinate] : llvm::enumerate(rhs.view.getCoordinates())) {
    Digits digits(rhs.view, coordinate);
    int64_t size = rhs.type.getDimSize(i);
    const auto *column =
        llvm::find_if(digits.columns, [](int64_t value) { return value; });
    size_t index = column - digits.columns.begin();
    if (digits.rows[0] == 1 && digits.hasOnly(0, std::nullopt))
      geometry.rightOperand.push_back({Coordinate::Row, 0, size, 1, 0});
    else if (digits.rows[0] == 0 && digits.hasOnly(std::nullopt, index))
      geometry.rightOperand.push_back(
          column == digits.columns.end()
              ? Coordinate{Coordinate::Tap, 0, size, 0, digits.constant}
              : Coordinate{index == size_t(spatialRank) ? Coordinate::Channel
                                                        : Coordinate::Tap,
                           index, size, *column, digits.constant});
    else
      return refuse("a filter of one digit in each dimension, but got another "
                    "view");
  }
  bool isChannel =
      geometry.rightOperand.back().index == Coordinate::Channel;
  if (!isChannel && !geometry.isRightTransposed())
    return refuse("channels innermost in the filter, but got another layout");
  return geometry.rightOperand.size() <= kMaxRank ||
         refuse("a filter of at most 5 dimensions, but got more");
}

/// Rows of the result are dense.
bool GeometryReader::readResult() {
  geometry.resultChannels = result.view.getShape()[2];
  auto coordinates = result.view.getCoordinates();
  size_t rows = result.view.getRows().size();
  bool isDense = coordinates.size() == rows + 1;
  for (size_t i = 0; isDense && i < coordinates.size(); ++i) {
    Digits digits(result.view, coordinates[i]);
    bool isRow = i < rows;
    isDense = digits.constant == 0 &&
              (isRow ? digits.hasOnly(i, std::nullopt) && digits.rows[i] == 1 &&
                           result.view.getRows()[i] == result.type.getDimSize(i)
                     : digits.hasOnly(std::nullopt, 0) &&
                           digits.columns[0] == 1 &&
                           result.view.getColumns().size() == 1);
  }
  return isDense || refuse("a dense result with its channels innermost, but "
                           "got another view");
}

bool GeometryReader::checkLimits() {
  int64_t inner = geometry.rightOperand.back().size;
  if (geometry.channels % kGranule || inner % kGranule ||
      geometry.resultChannels % kGranule)
    return refuse(formatv("channels that are multiples of {0}, but got {1} and "
                          "{2}",
                          kGranule, geometry.channels,
                          geometry.resultChannels));
  // Bits of an offset, and of a corner with its sign.
  int64_t bits = spatialRank == 1 ? 16 : spatialRank == 2 ? 8 : 5;
  int64_t corner = int64_t(1) << (bits - 1);
  for (auto [i, d] : llvm::enumerate(geometry.dimensions)) {
    int64_t lower = geometry.getLowerCorner(i);
    int64_t upper = geometry.getUpperCorner(i);
    if (d.stride > kMaxElementStride)
      return refuse(formatv("strides of at most {0}, but got {1}",
                            kMaxElementStride, d.stride));
    if ((d.taps - 1) * d.dilation >= int64_t(1) << bits ||
        std::min(lower, upper) < -corner || std::max(lower, upper) >= corner)
      return refuse(formatv("a window of {0} bits, but got corners {1} and {2} "
                            "and {3} taps",
                            bits, lower, upper, d.taps));
  }
  return true;
}

std::optional<TmaGeometry> GeometryReader::read() {
  if (readTypes() && readImages() && readRightOperand() && readResult() &&
      checkLimits())
    return std::move(geometry);
  return std::nullopt;
}

std::optional<TmaGeometry>
mlir::conv::computeTmaGeometry(const ViewedTensor &lhs, const ViewedTensor &rhs,
                               const ViewedTensor &result,
                               std::string &obstacle) {
  return GeometryReader(lhs, rhs, result, obstacle).read();
}

std::string mlir::conv::checkTmaTile(const TmaGeometry &geometry,
                                     const ::conv::TmaTile &tile) {
  if (!geometry.isRightTransposed() || tile.hasWholeRowsOfChannels())
    return "";
  return formatv("expects a multiple of {0} channels for a filter with them "
                 "innermost, but got {1}",
                 ::conv::TmaTile::kRowElements, tile.channels);
}
