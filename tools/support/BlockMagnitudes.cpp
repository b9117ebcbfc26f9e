//===- BlockMagnitudes.cpp - what transforms of blocks sum up ---*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The algorithm itself in double precision, whose own roundings are far below
// the bounds.
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
  const double *at(const Sizes &place) const {
    return &values[join(place, sizes) * width];
  }
};

/// Whether a transform takes the elements of its matrix or their magnitudes.
enum class Factors { Signed, Magnitudes };

/// The block multiplied by a matrix along `dimension`.
Block transform(const Block &block, const Matrix &matrix, int dimension,
                Factors factors) {
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
      double factor = row[place[dimension]];
      if (factors == Factors::Magnitudes)
        factor = std::fabs(factor);
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

/// Magnitudes of an operand's transform: of what it is, and of all that is
/// added up.
struct Magnitudes {
  Block own, added;
};

/// Sums of products of two operands' transforms: of what they are, of what one
/// is and the other adds up, and of what both add up.
struct Products {
  Block own, mixed, added;
};

class Evaluator {
public:
  Evaluator(const Step &step, const BlockOperands &operands);
  BlockMagnitudes run();

private:
  Block transformAll(Block block, Matrix BlockTransforms::*of,
                     Factors factors) const {
    for (int d = 0; d < 3; ++d)
      block = transform(block, step.transforms[d].*of, d, factors);
    return block;
  }
  /// The transform of a part of an operand, which `load` copies.
  template <typename Load>
  Magnitudes transformOperand(const BlockOperand &operand,
                              Matrix BlockTransforms::*of,
                              const Load &load) const;
  Sizes spaceOf(Role role) const {
    const char *letters = spatialLetters(role);
    return {step.size(role, letters[0]), step.size(role, letters[1]),
            step.size(role, letters[2])};
  }
  /// A row of the left operand in a tile.
  Magnitudes transformLeft(const Sizes &origin, int64_t row) const;
  /// The filter, or the output's gradient in a tile.
  Magnitudes transformRight(const Sizes &origin) const;
  void addProducts(const Magnitudes &left, const Magnitudes &right,
                   Products &products) const;
  void runBlock(int64_t number);
  void writeResults(Products products, const Sizes &origin, int64_t row);

  const Step &step;
  const BlockOperands &operands;
  bool isForward, isWeight;
  Sizes left, right, filter, target; ///< Sizes of tensors.
  Sizes block, tile, tiles; ///< `block` is how far tiles are from each other.
  double scale = 1; ///< Of all that is computed of integers: they are whole.
  /// By tile for the gradient of a filter, or one.
  std::vector<Magnitudes> rights;
  BlockMagnitudes result;
};

Evaluator::Evaluator(const Step &step, const BlockOperands &operands)
    : step(step), operands(operands),
      isForward(step.direction == Direction::Forward),
      isWeight(step.direction == Direction::BackwardWeight),
      left(spaceOf(step.leftRole())), right(spaceOf(step.rightRole())),
      filter(spaceOf(Role::Filter)), target(spaceOf(step.resultRole())) {
  for (int d = 0; d < 3; ++d) {
    const BlockTransforms &one = step.transforms[d];
    block[d] =
        int64_t(isWeight ? one.filter.front().size() : one.output.size());
    tile[d] = int64_t(one.input.size());
    int64_t tiled = isWeight ? right[d] : target[d];
    tiles[d] = (tiled + block[d] - 1) / block[d];
    scale *=
        findScale(one.input) * findScale(one.filter) * findScale(one.output);
  }
  for (int64_t i = 0; i < (isWeight ? countElements(tiles) : 1); ++i)
    rights.push_back(transformRight(split(i, tiles)));
  int64_t elements = countElements(target) * operands.rows * operands.columns;
  result.products.resize(elements);
  result.transformed.resize(elements);
  result.largest.resize(elements);
  result.exact.resize(elements);
}

template <typename Load>
Magnitudes Evaluator::transformOperand(const BlockOperand &operand,
                                       Matrix BlockTransforms::*of,
                                       const Load &load) const {
  Block values = load(operand.values), magnitudes = values;
  Block own = transformAll(std::move(values), of, Factors::Signed);
  auto takeMagnitudes = [](Block &block) {
    for (double &value : block.values)
      value = std::fabs(value);
  };
  takeMagnitudes(own);
  takeMagnitudes(magnitudes);
  auto add = [](Block &block, const Block &errors) {
    for (size_t i = 0; i < block.values.size(); ++i)
      block.values[i] += errors.values[i];
  };
  if (!operand.errors.empty()) {
    Block errors = load(operand.errors);
    add(magnitudes, errors);
    add(own, transformAll(std::move(errors), of, Factors::Magnitudes));
  }
  return {std::move(own),
          transformAll(std::move(magnitudes), of, Factors::Magnitudes)};
}

Magnitudes Evaluator::transformRight(const Sizes &origin) const {
  int64_t width = operands.reduction * operands.columns;
  auto load = [&](const std::vector<double> &elements) {
    Block loaded(isWeight ? block : filter, width);
    for (int64_t number = 0; number < countElements(loaded.sizes); ++number) {
      Sizes place = split(number, loaded.sizes), position = place;
      bool isInside = true;
      for (int d = 0; d < 3; ++d) {
        if (isWeight)
          position[d] += origin[d] * block[d];
        else if (!isForward)
          position[d] = filter[d] - 1 - place[d];
        isInside &= position[d] < right[d];
      }
      if (isInside)
        std::copy_n(&elements[join(position, right) * width], width,
                    loaded.at(place));
    }
    return loaded;
  };
  return transformOperand(operands.right, &BlockTransforms::filter, load);
}

Magnitudes Evaluator::transformLeft(const Sizes &origin, int64_t row) const {
  int64_t width = operands.reduction;
  auto load = [&](const std::vector<double> &elements) {
    Block loaded(tile, width);
    for (int64_t number = 0; number < countElements(tile); ++number) {
      Sizes place = split(number, tile), position;
      bool isInside = true;
      for (int d = 0; d < 3; ++d) {
        bool isTurned = !isForward && !isWeight;
        int64_t low = isTurned ? filter[d] - 1 - step.low[d] : step.low[d];
        position[d] = origin[d] * block[d] + place[d] - low;
        isInside &= position[d] >= 0 && position[d] < left[d];
      }
      if (isInside)
        std::copy_n(
            &elements[(join(position, left) * operands.rows + row) * width],
            width, loaded.at(place));
    }
    return loaded;
  };
  return transformOperand(operands.left, &BlockTransforms::input, load);
}

void Evaluator::addProducts(const Magnitudes &left, const Magnitudes &right,
                            Products &products) const {
  int64_t columns = operands.columns, reduction = operands.reduction;
  for (int64_t element = 0; element < countElements(tile); ++element) {
    double *own = &products.own.values[element * columns];
    double *mixed = &products.mixed.values[element * columns];
    double *added = &products.added.values[element * columns];
    for (int64_t i = 0; i < reduction; ++i) {
      double leftOwn = left.own.values[element * reduction + i];
      double leftAdded = left.added.values[element * reduction + i];
      int64_t row = (element * reduction + i) * columns;
      const double *rightOwn = &right.own.values[row];
      const double *rightAdded = &right.added.values[row];
      for (int64_t column = 0; column < columns; ++column) {
        own[column] += leftOwn * rightOwn[column];
        mixed[column] +=
            leftOwn * rightAdded[column] + leftAdded * rightOwn[column];
        added[column] += leftAdded * rightAdded[column];
      }
    }
  }
}

void Evaluator::writeResults(Products products, const Sizes &origin,
                             int64_t row) {
  int64_t columns = operands.columns;
  std::vector<double> largest(columns);
  for (size_t i = 0; i < products.added.values.size(); ++i)
    largest[i % columns] =
        std::max(largest[i % columns], products.added.values[i]);
  auto finish = [&](Block &sums) {
    sums = transformAll(std::move(sums), &BlockTransforms::output,
                        Factors::Magnitudes);
  };
  finish(products.own);
  finish(products.mixed);
  finish(products.added);
  for (int64_t element = 0; element < countElements(products.own.sizes);
       ++element) {
    Sizes position = split(element, products.own.sizes);
    bool isInside = true;
    for (int d = 0; d < 3; ++d) {
      position[d] += origin[d] * block[d];
      isInside &= position[d] < target[d];
    }
    if (!isInside)
      continue;
    int64_t first = (join(position, target) * operands.rows + row) * columns;
    for (int64_t column = 0; column < columns; ++column) {
      int64_t from = element * columns + column, to = first + column;
      double added = products.added.values[from];
      result.products[to] = products.own.values[from];
      // Where both operands are rounded.
      result.transformed[to] =
          products.mixed.values[from] + std::ldexp(added, -16);
      result.largest[to] = added;
      result.exact[to] =
          scale > 0 &&
          scale * std::max(added, largest[column]) <= double(1 << 24);
    }
  }
}

/// A row of a tile of the result, or, for the gradient of a filter, of all of
/// it, which adds up all tiles.
void Evaluator::runBlock(int64_t number) {
  int64_t row = number % operands.rows, index = number / operands.rows;
  Block zeros(tile, operands.columns);
  Products products{zeros, zeros, zeros};
  if (!isWeight)
    addProducts(transformLeft(split(index, tiles), row), rights.front(),
                products);
  for (int64_t i = 0; isWeight && i < countElements(tiles); ++i)
    addProducts(transformLeft(split(i, tiles), row), rights[i], products);
  writeResults(std::move(products), split(index, tiles), row);
}

BlockMagnitudes Evaluator::run() {
  int64_t blocks = isWeight ? 1 : countElements(tiles);
  parallelFor(blocks * operands.rows,
              [&](int64_t number) { runBlock(number); });
  return std::move(result);
}

} // namespace

BlockMagnitudes
conv::reference::computeBlockMagnitudes(const Step &step,
                                        const BlockOperands &operands) {
  return Evaluator(step, operands).run();
}
