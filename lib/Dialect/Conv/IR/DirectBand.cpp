//===- DirectBand.cpp - groups of few channels as dense matrices *- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which digits are channels, positions and taps follows from the coordinates
// that they move, so that directions and layouts make no difference.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/DirectBand.h"

#include "conv/Dialect/Conv/IR/DirectTiling.h"

#include "llvm/Support/FormatVariadic.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;
using llvm::formatv;

AtomAttr DirectBand::getAtom(MLIRContext *context) {
  return AtomAttr::get(context, AtomKind::MMASync, kRuns, kColumns,
                       kPositions * 2 * kPair);
}

namespace {
class BandBuilder {
public:
  BandBuilder(const ViewedProduct &product, std::string &obstacle)
      : product(product), obstacle(obstacle), lhs(product.lhs.view),
        coordinates(lhs.getCoordinates()), firstRow(lhs.getBatch().size()),
        firstTerm(firstRow + lhs.getRows().size()) {}

  std::optional<DirectBand> create();

private:
  bool findChannels();
  bool findPositions();
  /// The digits of the reduction that move along a dimension.
  SmallVector<size_t> findTerms(size_t dimension) const;

  bool refuse(const std::string &expected) {
    obstacle = "expects " + expected;
    return false;
  }

  const ViewedProduct &product;
  std::string &obstacle;
  ViewAttr lhs;
  SmallVector<ViewAttr::Coordinate> coordinates;
  size_t firstRow, firstTerm; ///< Among the digits of the left operand.
  DirectBand band{};
};
} // namespace

SmallVector<size_t> BandBuilder::findTerms(size_t dimension) const {
  SmallVector<size_t> terms;
  for (auto [d, size] : llvm::enumerate(lhs.getColumns()))
    if (size > 1 && coordinates[dimension].coefficients[firstTerm + d] != 0)
      terms.push_back(d);
  return terms;
}

/// Channels of a matrix follow each other, and those of the next matrix follow
/// them.
bool BandBuilder::findChannels() {
  int64_t columns = std::get<2>(product.result.view.getShape());
  if (!DirectTiling::isAlongBatchOf(product.lhs) ||
      !DirectTiling::isAlongBatchOf(product.result))
    return refuse("channels that follow each other in memory for a "
                  "direct_matrix main loop, but got other layouts");
  size_t digit = firstRow - 1;
  size_t dimension = 0;
  while (coordinates[dimension].coefficients[digit] == 0)
    ++dimension;
  band.channels = coordinates[dimension].coefficients[digit];
  SmallVector<size_t> terms = findTerms(dimension);
  if (terms.size() == 1)
    band.channel = terms.front();
  int64_t size = band.channel ? lhs.getColumns()[*band.channel] : 1;
  int64_t columnDigits = llvm::count_if(product.result.view.getColumns(),
                                        [](int64_t size) { return size > 1; });
  if (terms.size() > 1 || columnDigits > 1 || size != band.channels ||
      columns != band.channels || DirectBand::kVector % band.channels)
    return refuse(formatv("as many input as output channels, a divisor of {0}, "
                          "in a group for a direct_matrix main loop, but got "
                          "{1} and {2}",
                          DirectBand::kVector, size, columns));
  return true;
}

/// Runs move along one dimension, and so does one digit of the reduction.
bool BandBuilder::findPositions() {
  band.position = DigitBox::compute(lhs.getRows(), 1)->innermost;
  size_t digit = firstRow + band.position;
  SmallVector<size_t> dimensions;
  for (auto [d, coordinate] : llvm::enumerate(coordinates))
    if (coordinate.coefficients[digit] != 0)
      dimensions.push_back(d);
  SmallVector<size_t> terms;
  if (dimensions.size() == 1)
    terms = findTerms(dimensions.front());
  if (dimensions.size() != 1 || terms.size() > 1)
    return refuse(formatv("positions that move one coordinate, with one digit "
                          "of the reduction, for a direct_matrix main loop, "
                          "but got {0} and {1}",
                          dimensions.size(), terms.size()));
  band.dimension = dimensions.front();
  ArrayRef<int64_t> steps = coordinates[band.dimension].coefficients;
  band.unit = band.stride = steps[digit];
  band.taps = 1;
  if (!terms.empty()) {
    band.tap = terms.front();
    band.taps = lhs.getColumns()[*band.tap];
    band.tapStride = steps[firstTerm + *band.tap];
    band.unit = std::gcd(band.stride, band.tapStride);
  }
  band.stride /= band.unit;
  band.tapStride /= band.unit;
  return true;
}

std::optional<DirectBand> BandBuilder::create() {
  Type left = product.lhs.type.getElementType();
  if (left != product.rhs.type.getElementType() ||
      !(left.isF16() || left.isBF16())) {
    refuse(formatv("operands of f16 or of bf16 for a direct_matrix main loop, "
                   "but got {0} and {1}",
                   left, product.rhs.type.getElementType()));
    return std::nullopt;
  }
  if (!findChannels() || !findPositions())
    return std::nullopt;
  return band;
}

std::optional<DirectBand> DirectBand::compute(const ViewedProduct &product,
                                              std::string &obstacle) {
  return BandBuilder(product, obstacle).create();
}
