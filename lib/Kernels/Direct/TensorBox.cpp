//===- TensorBox.cpp - boxes of digits and of coordinates -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This file has only arithmetic on views. Boxes are widened to whole 16-byte
// vectors, so that everything about them is known at compile time, except for
// the coordinates at which they start.
//
//===----------------------------------------------------------------------===//

#include "conv/Kernels/Direct/TensorBox.h"

#include "conv/Dialect/Conv/IR/TypeBytes.h"
#include "conv/Dialect/Conv/IR/ViewLookup.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;

SmallVector<ViewAttr::Coordinate>
mlir::conv::getTensorCoordinates(ViewAttr view) {
  SmallVector<ViewAttr::Coordinate> coordinates = view.getCoordinates();
  coordinates.truncate(view.getTensorRank());
  return coordinates;
}

bool mlir::conv::isZeroBeyond(const ViewedTensor &tensor, DigitRole role) {
  ViewAttr view = tensor.view;
  for (auto [coordinate, size] :
       llvm::zip_equal(getTensorCoordinates(view), tensor.type.getShape())) {
    int64_t step = view.getCoefficient(coordinate, role);
    if (step > 0 && view.isOnlyMovedBy(coordinate, role) &&
        coordinate.constant + step * view.getSize(role) >= size)
      return true;
  }
  return false;
}

/// The innermost dimension with more than one element.
static size_t findInnermost(ArrayRef<int64_t> sizes) {
  for (size_t d = sizes.size(); d-- > 0;)
    if (sizes[d] > 1)
      return d;
  return sizes.empty() ? 0 : sizes.size() - 1;
}

//===----------------------------------------------------------------------===//
// DigitBox
//===----------------------------------------------------------------------===//

std::optional<DigitBox> DigitBox::compute(ArrayRef<int64_t> digits,
                                          int64_t tile, int64_t run) {
  DigitBox box{llvm::to_vector(digits), SmallVector<int64_t>(digits.size(), 1),
               findInnermost(digits), run};
  int64_t outside = llvm::product_of(digits);
  tile = std::min(tile, outside);
  for (size_t d = digits.size(); d-- > 0 && tile > 1;) {
    outside /= digits[d];
    box.sizes[d] = std::min(tile, digits[d]);
    // A box has either all values of a digit, for whole boxes of the outer
    // digits, or a part of the values that consists of whole runs.
    bool isWhole = tile % digits[d] == 0;
    bool isPart = tile < digits[d] && (outside == 1 || digits[d] % tile == 0) &&
                  tile % box.getRun(d) == 0;
    if (!isWhole && !isPart)
      return std::nullopt;
    tile /= digits[d];
  }
  return box;
}

SmallVector<int64_t> DigitBox::enumerateTiles(ArrayRef<int64_t> digits,
                                              int64_t run) {
  SmallVector<int64_t> tiles;
  int64_t inside = 1;
  for (int64_t size : llvm::reverse(digits)) {
    for (int64_t count = size, least; count > 1;
         count = llvm::divideCeil(size, least + least / 32) - 1) {
      least = llvm::divideCeil(size, count);
      int64_t extent = llvm::alignTo(least, inside == 1 ? run : 1);
      if (extent < size && (tiles.empty() || extent * inside > tiles.back()))
        tiles.push_back(extent * inside);
    }
    inside *= size;
  }
  tiles.push_back(inside);
  return tiles;
}

int64_t DigitBox::getNumTiles() const {
  int64_t tiles = 1;
  for (size_t d = 0; d < getRank(); ++d)
    tiles *= getTiles(d);
  return tiles;
}

int64_t DigitBox::getPadded(size_t digit) const {
  return llvm::alignTo(sizes[digit], getRun(digit));
}

bool DigitBox::mayExceed(size_t digit) const {
  return (getTiles(digit) - 1) * sizes[digit] + getPadded(digit) >
         digits[digit];
}

//===----------------------------------------------------------------------===//
// TensorBox
//===----------------------------------------------------------------------===//

namespace {
/// One digit of a view, in terms of tiles.
struct TiledDigit {
  int64_t padded, tiles, step;
};

class BoxBuilder {
public:
  BoxBuilder(const ViewedTensor &operand, ArrayRef<DigitBox> spaces);
  TensorBox create(bool isAlongBatch, VectorOrder order, int64_t block);

private:
  int64_t findBatchDimension() const;
  void computeExtents();
  void computeCopies();
  void computeStrides(VectorOrder order);
  void computeDistances();
  void computeGuards();
  void computeRun();
  /// Elements along a dimension that the tiles copy for all values of the
  /// digits that move it, `moving`, if the first box starts at `start`.
  double countCopied(int64_t dimension, ArrayRef<size_t> moving,
                     int64_t start) const;

  const ViewedTensor &operand;
  ArrayRef<int64_t> shape;
  int64_t vectorElements; ///< Elements of a 16-byte vector.
  SmallVector<ViewAttr::Coordinate> coordinates;
  SmallVector<TiledDigit> digits;
  TensorBox box;
};
} // namespace

BoxBuilder::BoxBuilder(const ViewedTensor &operand, ArrayRef<DigitBox> spaces)
    : operand(operand), shape(operand.type.getShape()),
      vectorElements(
          TensorBox::getVectorElements(operand.type.getElementType())),
      coordinates(getTensorCoordinates(operand.view)) {
  for (const DigitBox &space : spaces)
    for (size_t d = 0; d < space.getRank(); ++d)
      digits.push_back({space.getPadded(d), space.getTiles(d), space.sizes[d]});
}

/// The dimension that the last digit of the batch moves, or -1.
int64_t BoxBuilder::findBatchDimension() const {
  ArrayRef<DigitRole> batch = operand.view.getBatchRoles();
  std::optional<unsigned> last;
  if (!batch.empty())
    last = operand.view.find(batch.back());
  for (auto [d, coordinate] : llvm::enumerate(coordinates))
    if (last && coordinate.coefficients[*last] != 0)
      return d;
  return -1;
}

void BoxBuilder::computeExtents() {
  auto ofView = llvm::map_to_vector(operand.view.getDigitSizes(),
                                    [](int64_t size) { return size - 1; });
  auto ofTile = llvm::map_to_vector(
      digits, [](const TiledDigit &digit) { return digit.padded - 1; });
  for (auto [size, coordinate] : llvm::zip_equal(shape, coordinates)) {
    auto [before, after] = getShifts(coordinate, ofView);
    bool isInside =
        coordinate.constant + before >= 0 && coordinate.constant + after < size;
    box.padding.push_back(isInside ? PaddingMode::Zeros
                                   : operand.view.getPadding());
    auto [low, high] = getShifts(coordinate, ofTile);
    box.corner.push_back(low);
    box.sizes.push_back(high - low + 1);
  }
}

/// Widens the box to whole copies, at the same places in all tiles.
void BoxBuilder::computeCopies() {
  int64_t innermost = box.innermost;
  box.copyDimension = operand.findClosest();
  int64_t size = shape[box.copyDimension];
  const ViewAttr::Coordinate &coordinate = coordinates[box.copyDimension];
  box.copyWidth = 1;
  if (box.copyDimension == innermost && operand.strides[innermost] == 1 &&
      box.padding[innermost] == PaddingMode::Zeros) {
    box.copyWidth = std::gcd(vectorElements, size);
    for (auto [d, stride] : llvm::enumerate(operand.strides))
      if (int64_t(d) != innermost && shape[d] > 1)
        box.copyWidth = std::gcd(box.copyWidth, stride);
    for (auto [digit, coefficient] : llvm::zip(digits, coordinate.coefficients))
      if (digit.tiles > 1)
        box.copyWidth = std::gcd(box.copyWidth, coefficient * digit.step);
  }
  int64_t &corner = box.corner[box.copyDimension];
  int64_t shift = llvm::mod(coordinate.constant + corner, box.copyWidth);
  corner -= shift;
  box.sizes[box.copyDimension] += shift;
  box.sizes[innermost] = llvm::alignTo(box.sizes[innermost], vectorElements);
}

void BoxBuilder::computeStrides(VectorOrder order) {
  int64_t vectors = box.sizes[box.innermost] / vectorElements;
  box.strides.resize(shape.size());
  box.strides[box.innermost] = 1;
  int64_t stride =
      (order == VectorOrder::Odd ? vectors | 1 : vectors) * vectorElements;
  BoxBlocks &blocks = box.blocks;
  for (size_t d = shape.size(); d-- > 0;) {
    if (int64_t(d) == box.innermost)
      continue;
    box.strides[d] = stride;
    if (blocks.size > 0 && blocks.distance == 0) {
      blocks.dimension = d;
      blocks.vectors = vectors;
      blocks.distance = blocks.size * stride;
      stride = llvm::divideCeil(box.sizes[d], blocks.size) * blocks.distance;
      continue;
    }
    stride *= box.sizes[d];
  }
  if (blocks.size > 0) {
    stride = llvm::alignTo(stride, blocks.countTogether() * blocks.distance);
    blocks.count = stride / blocks.distance;
  }
  box.numElements = stride;
  box.first = 0;
  for (auto [corner, each] : llvm::zip_equal(box.corner, box.strides))
    box.first -= corner * each;
}

/// Sets the distances between values of each digit, as `getDistances` returns
/// them, from coordinates that were read before.
void BoxBuilder::computeDistances() {
  box.distances.resize(digits.size());
  for (auto [coordinate, stride] : llvm::zip_equal(coordinates, box.strides))
    for (auto [distance, coefficient] :
         llvm::zip_equal(box.distances, coordinate.coefficients))
      distance += coefficient * stride;
}

void BoxBuilder::computeGuards() {
  auto last = llvm::map_to_vector(digits, [](const TiledDigit &digit) {
    return digit.step * (digit.tiles - 1);
  });
  for (auto [d, coordinate] : llvm::enumerate(coordinates)) {
    int64_t first = coordinate.constant + box.corner[d];
    auto [low, high] = getShifts(coordinate, last);
    box.isGuarded.push_back(first + low < 0 ||
                            first + box.sizes[d] + high > shape[d]);
  }
}

void BoxBuilder::computeRun() {
  SmallVector<size_t> closest;
  for (size_t d = 0; d < shape.size(); ++d)
    if (shape[d] > 1)
      closest.push_back(d);
  llvm::sort(closest, [&](size_t a, size_t b) {
    return operand.strides[a] < operand.strides[b];
  });
  box.run = 1;
  for (size_t d : closest) {
    if (operand.strides[d] != box.run)
      return;
    box.run *= std::min(box.sizes[d], shape[d]);
  }
}

/// The sum of `start + step * i`, clamped to [0, `limit`], over all i below
/// `count`.
static double sumClamped(int64_t start, int64_t step, int64_t count,
                         int64_t limit) {
  if (step < 0)
    return sumClamped(start + step * (count - 1), -step, count, limit);
  // The first terms that reach 0 and the limit.
  auto findFirst = [&](int64_t value) {
    return std::clamp<int64_t>(llvm::divideCeilSigned(value - start, step), 0,
                               count);
  };
  int64_t begin = findFirst(0), end = findFirst(limit);
  double terms = double(end - begin);
  return terms * (double(start) + double(step) * double(begin + end - 1) / 2) +
         double(count - end) * double(limit);
}

double BoxBuilder::countCopied(int64_t dimension, ArrayRef<size_t> moving,
                               int64_t start) const {
  int64_t size = box.sizes[dimension], extent = shape[dimension];
  if (moving.empty())
    return double(std::clamp<int64_t>(start + size, 0, extent) -
                  std::clamp<int64_t>(start, 0, extent));
  const TiledDigit &digit = digits[moving.front()];
  int64_t step =
      coordinates[dimension].coefficients[moving.front()] * digit.step;
  if (moving.size() == 1)
    return sumClamped(start + size, step, digit.tiles, extent) -
           sumClamped(start, step, digit.tiles, extent);
  double copied = 0;
  for (int64_t i = 0; i < digit.tiles; ++i)
    copied += countCopied(dimension, moving.drop_front(), start + step * i);
  return copied;
}

TensorBox BoxBuilder::create(bool isAlongBatch, VectorOrder order,
                             int64_t block) {
  box.blocks.size = block;
  int64_t batch = findBatchDimension();
  box.innermost = isAlongBatch && batch >= 0 ? batch : operand.findClosest();
  computeExtents();
  computeCopies();
  computeStrides(order);
  computeDistances();
  computeGuards();
  computeRun();
  box.copied = 1;
  for (size_t d = 0; d < shape.size(); ++d) {
    // The digit with the most tiles comes last, since its sum has a closed
    // form.
    SmallVector<size_t> moving;
    for (size_t digit = 0; digit < digits.size(); ++digit)
      if (coordinates[d].coefficients[digit] != 0)
        moving.push_back(digit);
    llvm::sort(moving, [&](size_t a, size_t b) {
      return std::pair(digits[a].tiles, a) < std::pair(digits[b].tiles, b);
    });
    box.copied *=
        countCopied(d, moving, coordinates[d].constant + box.corner[d]);
  }
  return box;
}

int64_t TensorBox::getVectorElements(Type element) {
  return ::conv::kVectorBytes / getElementBytes(element);
}

TensorBox TensorBox::compute(const ViewedTensor &operand,
                             ArrayRef<DigitBox> spaces, bool isAlongBatch,
                             VectorOrder order, int64_t block) {
  return BoxBuilder(operand, spaces).create(isAlongBatch, order, block);
}
