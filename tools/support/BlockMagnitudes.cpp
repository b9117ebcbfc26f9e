//===- BlockMagnitudes.cpp - what transforms of blocks sum up ---*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The algorithm itself, in double precision and with magnitudes only.
//
//===----------------------------------------------------------------------===//

#include "BlockMagnitudes.h"

#include "Threads.h"

#include <cmath>

using namespace conv;
using namespace conv::reference;

namespace {

using Matrix = BlockTransforms::Matrix;
using Sizes = std::array<int64_t, 3>;

int64_t countElements(const Sizes &sizes) {
  return sizes[0] * sizes[1] * sizes[2];
}

/// The coordinates of a number.
Sizes split(int64_t number, const Sizes &sizes) {
  return {number / sizes[2] / sizes[1], number / sizes[2] % sizes[1],
          number % sizes[2]};
}

int64_t join(const Sizes &place, const Sizes &sizes) {
  return (place[0] * sizes[1] + place[1]) * sizes[2] + place[2];
}

/// A block of `sizes` positions, each with `width` neighbouring values.
struct Block {
  Sizes sizes;
  int64_t width;
  std::vector<double> values;

  Block(const Sizes &sizes, int64_t width)
      : sizes(sizes), width(width), values(countElements(sizes) * width) {}
  double *at(const Sizes &place) { return &values[join(place, sizes) * width]; }
};

/// The block multiplied by the magnitudes of a matrix along `dimension`.
Block transform(Block block, const Matrix &matrix, int dimension) {
  Sizes sizes = block.sizes;
  sizes[dimension] = int64_t(matrix.size());
  Block result(sizes, block.width);
  for (int64_t number = 0; number < countElements(sizes); ++number) {
    Sizes place = split(number, sizes);
    double *to = result.at(place);
    const std::vector<double> &row = matrix[place[dimension]];
    for (place[dimension] = 0; place[dimension] < block.sizes[dimension];
         ++place[dimension]) {
      const double *from = block.at(place);
      double factor = std::fabs(row[place[dimension]]);
      for (int64_t i = 0; i < block.width && factor != 0; ++i)
        to[i] += factor * from[i];
    }
  }
  return result;
}

/// The least power of two that makes all elements integers, or 0 if none
/// does.
double findScale(const Matrix &matrix) {
  // Up to this scale, products of several are far from the limits of f32.
  for (double scale = 1; scale <= 256; scale *= 2) {
    bool isWhole = true;
    for (const std::vector<double> &row : matrix)
      for (double value : row)
        isWhole &= value * scale == std::rint(value * scale);
    if (isWhole)
      return scale;
  }
  return 0;
}

class Evaluator {
public:
  Evaluator(const Step &step, const OperandMagnitudes &operands);
  BlockMagnitudes run();

private:
  Block transformAll(Block block, Matrix BlockTransforms::*of) const {
    for (int d = 0; d < 3; ++d)
      block = transform(std::move(block), step.transforms[d].*of, d);
    return block;
  }
  Sizes spaceOf(Role role) const {
    const char *letters = spatialLetters(role);
    return {step.size(role, letters[0]), step.size(role, letters[1]),
            step.size(role, letters[2])};
  }
  Block transformFilter() const;
  Block transformInput(const Sizes &tile, int64_t row) const;
  void runTile(int64_t number);

  const Step &step;
  const OperandMagnitudes &operands;
  bool isForward;
  Sizes source, filter, target; ///< Sizes of operands and of the result.
  Sizes outputTile, tile, tiles;
  double scale = 1; ///< Makes everything computed from integers whole.
  Block weights;
  BlockMagnitudes result;
};

Evaluator::Evaluator(const Step &step, const OperandMagnitudes &operands)
    : step(step), operands(operands),
      isForward(step.direction == Direction::Forward),
      source(spaceOf(step.leftRole())), filter(spaceOf(step.rightRole())),
      target(spaceOf(step.resultRole())), weights({0, 0, 0}, 0) {
  for (int d = 0; d < 3; ++d) {
    const BlockTransforms &one = step.transforms[d];
    outputTile[d] = int64_t(one.output.size());
    tile[d] = int64_t(one.input.size());
    tiles[d] = (target[d] + outputTile[d] - 1) / outputTile[d];
    scale *=
        findScale(one.input) * findScale(one.filter) * findScale(one.output);
  }
  weights = transformFilter();
  int64_t elements = countElements(target) * operands.rows * operands.columns;
  result.sums.resize(elements);
  result.exact.resize(elements);
}

Block Evaluator::transformFilter() const {
  int64_t width = operands.reduction * operands.columns;
  Block block(filter, width);
  for (int64_t number = 0; number < countElements(filter); ++number) {
    Sizes place = split(number, filter);
    for (int d = 0; d < 3 && !isForward; ++d)
      place[d] = filter[d] - 1 - place[d];
    std::copy_n(&operands.right[number * width], width, block.at(place));
  }
  return transformAll(std::move(block), &BlockTransforms::filter);
}

Block Evaluator::transformInput(const Sizes &origin, int64_t row) const {
  Block block(tile, operands.reduction);
  for (int64_t number = 0; number < countElements(tile); ++number) {
    Sizes place = split(number, tile), position;
    bool isInside = true;
    for (int d = 0; d < 3; ++d) {
      int64_t low = isForward ? step.low[d] : filter[d] - 1 - step.low[d];
      position[d] = origin[d] * outputTile[d] + place[d] - low;
      isInside &= position[d] >= 0 && position[d] < source[d];
    }
    if (isInside)
      std::copy_n(
          &operands.left[(join(position, source) * operands.rows + row) *
                         operands.reduction],
          operands.reduction, block.at(place));
  }
  return transformAll(std::move(block), &BlockTransforms::input);
}

void Evaluator::runTile(int64_t number) {
  int64_t columns = operands.columns, row = number % operands.rows;
  Sizes origin = split(number / operands.rows, tiles);
  Block input = transformInput(origin, row);
  Block products(tile, columns);
  std::vector<double> largest(columns);
  for (int64_t element = 0; element < countElements(tile); ++element) {
    double *to = &products.values[element * columns];
    for (int64_t i = 0; i < operands.reduction; ++i) {
      double left = input.values[element * operands.reduction + i];
      const double *right =
          &weights.values[(element * operands.reduction + i) * columns];
      for (int64_t column = 0; column < columns; ++column)
        to[column] += left * right[column];
    }
    for (int64_t column = 0; column < columns; ++column)
      largest[column] = std::max(largest[column], to[column]);
  }
  Block sums = transformAll(std::move(products), &BlockTransforms::output);
  for (int64_t element = 0; element < countElements(outputTile); ++element) {
    Sizes position = split(element, outputTile);
    bool isInside = true;
    for (int d = 0; d < 3; ++d) {
      position[d] += origin[d] * outputTile[d];
      isInside &= position[d] < target[d];
    }
    if (!isInside)
      continue;
    int64_t first = (join(position, target) * operands.rows + row) * columns;
    for (int64_t column = 0; column < columns; ++column) {
      double sum = sums.values[element * columns + column];
      result.sums[first + column] = sum;
      result.exact[first + column] =
          scale > 0 &&
          scale * std::max(sum, largest[column]) <= double(1 << 24);
    }
  }
}

BlockMagnitudes Evaluator::run() {
  parallelFor(countElements(tiles) * operands.rows,
              [&](int64_t number) { runTile(number); });
  return std::move(result);
}

} // namespace

BlockMagnitudes
conv::reference::computeBlockMagnitudes(const Step &step,
                                        const OperandMagnitudes &operands) {
  return Evaluator(step, operands).run();
}
