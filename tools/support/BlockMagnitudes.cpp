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

#include "BlockAdditions.h"
#include "BlockTransform.h"
#include "Threads.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace conv;
using namespace conv::reference;

namespace {

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

/// The transform of an operand.
struct Operand : Transformed {
  Block magnitudes; ///< Of its elements, at most.

  explicit Operand(Transformed block);
};

Operand::Operand(Transformed block)
    : Transformed(std::move(block)), magnitudes(errors) {
  for (size_t i = 0; i < magnitudes.values.size(); ++i)
    magnitudes.values[i] = magnitude(i);
}

/// Sums of products of two operands' transforms, with those of the magnitudes
/// of what they are and what they add up.
struct Sums {
  Transformed sums; ///< Rounded are the operands, and the additions if their
                    ///< order is known.
  Block products;   ///< Their magnitudes.
  Block mixed;      ///< Of what one operand is and the other adds up.

  explicit Sums(const Block &zeros)
      : sums(zeros, zeros), products(zeros), mixed(zeros) {}
};

class Evaluator {
public:
  Evaluator(const Step &step, const BlockOperands &operands);
  BlockMagnitudes run();

private:
  Transformed transformAll(Transformed block, Matrix BlockTransforms::*of,
                           double secondOrder = 0) const {
    for (int d = 0; d < 3; ++d)
      block = transform(block, step.transforms[d].*of, d, secondOrder);
    return block;
  }
  /// What results add up of magnitudes.
  Block addMagnitudes(Block magnitudes) const;
  /// The transform of a part of an operand, which `load` copies.
  template <typename Load>
  Operand transformOperand(const BlockOperand &operand,
                           Matrix BlockTransforms::*of, const Load &load) const;
  Sizes spaceOf(Role role) const {
    const char *letters = spatialLetters(role);
    return {step.size(role, letters[0]), step.size(role, letters[1]),
            step.size(role, letters[2])};
  }
  /// A row of the left operand in a tile.
  Operand transformLeft(const Sizes &origin, int64_t row) const;
  /// The filter, or the output's gradient in a tile.
  Operand transformRight(const Sizes &origin) const;
  /// Adds the products of one index of the reduction.
  void addProducts(const Operand &left, const Operand &right, int64_t index,
                   Sums &sums, BlockAdditions &additions) const;
  /// Adds those of all tiles, image by image.
  void addTiles(int64_t row, Sums &sums, BlockAdditions &additions) const;
  void runBlock(int64_t number);
  void writeResults(Sums sums, const Sizes &origin, int64_t row);
  /// The most operations on a term, from the operands to a result.
  double countAll() const;
  /// What roundings of what is rounded lose of all that is added up, in units
  /// of 2^-24.
  double getSecondOrder() const {
    double count = countAll();
    return std::ldexp(count * count, -24);
  }

  const Step &step;
  const BlockOperands &operands;
  artifact::Roundings order;
  bool isForward, isWeight;
  Sizes left, right, filter, target; ///< Sizes of tensors.
  Sizes block, tile, tiles; ///< `block` is how far tiles are from each other.
  double scale = 1; ///< Of all that is computed of integers: they are whole.
  /// By tile for the gradient of a filter, or one.
  std::vector<Operand> rights;
  BlockMagnitudes result;
};

/// The additions in order. Artifacts without an order have one slice.
artifact::Roundings getOrder(const Step &step) {
  return step.bound.roundings.value_or(
      artifact::Roundings{.slice = std::numeric_limits<int64_t>::max()});
}

Evaluator::Evaluator(const Step &step, const BlockOperands &operands)
    : step(step), operands(operands), order(getOrder(step)),
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
  result.rounded.resize(elements);
  result.largest.resize(elements);
  result.exact.resize(elements);
}

template <typename Load>
Operand Evaluator::transformOperand(const BlockOperand &operand,
                                    Matrix BlockTransforms::*of,
                                    const Load &load) const {
  Block values = load(operand.values);
  Block errors = operand.errors.empty() ? Block(values.sizes, values.width)
                                        : load(operand.errors);
  return Operand(transformAll({std::move(values), std::move(errors)}, of));
}

Operand Evaluator::transformRight(const Sizes &origin) const {
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

Operand Evaluator::transformLeft(const Sizes &origin, int64_t row) const {
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

void Evaluator::addProducts(const Operand &left, const Operand &right,
                            int64_t index, Sums &sums,
                            BlockAdditions &additions) const {
  int64_t columns = operands.columns;
  for (int64_t element = 0; element < countElements(tile); ++element) {
    int64_t ofLeft = element * operands.reduction + index;
    int64_t to = element * columns, from = ofLeft * columns;
    double leftMagnitude = left.magnitudes.values[ofLeft];
    double leftRounded = left.rounded.values[ofLeft];
    double leftAdded = left.added.values[ofLeft];
    const double *magnitudes = &right.magnitudes.values[from];
    const double *roundings = &right.rounded.values[from];
    const double *added = &right.added.values[from];
    double *products = &sums.products.values[to];
    double *mixed = &sums.mixed.values[to];
    double *rounded = &sums.sums.rounded.values[to];
    double *all = &sums.sums.added.values[to];
    for (int64_t column = 0; column < columns; ++column) {
      products[column] += leftMagnitude * magnitudes[column];
      mixed[column] +=
          leftMagnitude * added[column] + leftAdded * magnitudes[column];
      rounded[column] +=
          leftRounded * magnitudes[column] + leftMagnitude * roundings[column];
      all[column] += leftAdded * added[column];
    }
    additions.add(to, columns, left.values.values[ofLeft],
                  &right.values.values[from], leftMagnitude, magnitudes);
  }
  additions.endProduct();
}

Block Evaluator::addMagnitudes(Block magnitudes) const {
  Block zeros(magnitudes.sizes, magnitudes.width);
  Transformed block(zeros, zeros);
  block.added = std::move(magnitudes);
  return transformAll(std::move(block), &BlockTransforms::output).added;
}

double Evaluator::countAll() const {
  // Splitting operands into parts rounds a sum 53 times more.
  int64_t count = 53, products = operands.reduction;
  for (int d = 0; d < 3; ++d) {
    const BlockTransforms &one = step.transforms[d];
    count += countOperations(one.input) + countOperations(one.filter) +
             countOperations(one.output);
  }
  if (isWeight)
    products *= countElements(tiles);
  int64_t slice = std::min(order.slice, products);
  return double(count + slice + (products + slice - 1) / slice);
}

void Evaluator::writeResults(Sums sums, const Sizes &origin, int64_t row) {
  int64_t columns = operands.columns;
  std::vector<double> largest(columns);
  for (size_t i = 0; i < sums.sums.added.values.size(); ++i)
    largest[i % columns] =
        std::max(largest[i % columns], sums.sums.added.values[i]);
  Block magnitudes = addMagnitudes(std::move(sums.products));
  Block mixed = addMagnitudes(std::move(sums.mixed));
  if (order.unordered == 0) // The transform's roundings are not followed.
    sums.sums.values = sums.sums.errors = Block(tile, columns);
  double secondOrder = getSecondOrder();
  Transformed results =
      transformAll(std::move(sums.sums), &BlockTransforms::output, secondOrder);
  for (int64_t element = 0; element < countElements(magnitudes.sizes);
       ++element) {
    Sizes position = split(element, magnitudes.sizes);
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
      double added = results.added.values[from];
      result.products[to] = magnitudes.values[from];
      // Where both operands are rounded.
      result.transformed[to] = mixed.values[from] + std::ldexp(added, -16);
      result.rounded[to] = results.rounded.values[from] + secondOrder * added;
      result.largest[to] = added;
      result.exact[to] =
          scale > 0 &&
          scale * std::max(added, largest[column]) <= double(1 << 24);
    }
  }
}

void Evaluator::addTiles(int64_t row, Sums &sums,
                         BlockAdditions &additions) const {
  std::vector<Operand> lefts;
  for (int64_t i = 0; i < countElements(tiles); ++i)
    lefts.push_back(transformLeft(split(i, tiles), row));
  for (int64_t image = 0; image < operands.reduction; ++image)
    for (int64_t i = 0; i < countElements(tiles); ++i)
      addProducts(lefts[i], rights[i], image, sums, additions);
}

/// A row of a tile of the result, or, for the gradient of a filter, of all of
/// it, which adds up all tiles.
void Evaluator::runBlock(int64_t number) {
  int64_t row = number % operands.rows, index = number / operands.rows;
  Sums sums(Block(tile, operands.columns));
  BlockAdditions additions(order, getSecondOrder(), sums.sums);
  if (isWeight) {
    addTiles(row, sums, additions);
  } else {
    Operand left = transformLeft(split(index, tiles), row);
    for (int64_t i = 0; i < operands.reduction; ++i)
      addProducts(left, rights.front(), i, sums, additions);
  }
  additions.end();
  writeResults(std::move(sums), split(index, tiles), row);
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
