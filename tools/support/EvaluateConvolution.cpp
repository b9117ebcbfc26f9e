//===- EvaluateConvolution.cpp - the reference of a convolution -----------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A convolution in any direction is a sum of small matrix products: one for
// each pair of operand positions that contributes to a position of the result,
// for each group. All tensors are first copied into the order of these
// products, so the loops stay plain. Besides the sum, the loops compute sum
// |a*b| for the numeric rule, and the errors of operands that are results
// themselves. Threads take whole rows; the order of summation, and so every
// bit, does not depend on the number of threads.
//
//===----------------------------------------------------------------------===//

#include "EvaluateConvolution.h"

#include "BlockMagnitudes.h"
#include "Connections.h"
#include "Threads.h"

#include "conv/Support/Npy.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace conv;
using namespace conv::reference;

namespace {

/// A tensor in the order of the matrix products, with the errors of its
/// elements.
struct Tensor {
  std::vector<double> values;
  std::vector<double> errors; ///< Empty if all are zero.
  bool integers = false;      ///< All values are integers without error.
};

/// Rows, columns and reduction of the matrix products of one group: `left[row,
/// i] * right[i, column]`, with the letter of each dimension.
struct ProductLetters {
  char row, reduction, column;
};

ProductLetters productLetters(Direction direction) {
  switch (direction) {
  case Direction::Forward:
    return {'N', 'C', 'K'};
  case Direction::BackwardData:
    return {'N', 'K', 'C'};
  case Direction::BackwardWeight:
    return {'C', 'N', 'K'};
  default: // Other steps have no matrix product.
    return {};
  }
}

/// One dimension of a tensor in memory.
struct Dimension {
  int64_t size = 1, stride = 0;
};

/// The dimension of `letter` in the tensor of `role`: channels are the channels
/// of one group, and `G` is the groups even if the layout has no G.
Dimension findDimension(const Step &step, Role role, char letter) {
  const std::string &layout = step.layout(role);
  auto find = [&](char wanted) {
    Dimension dimension{step.size(role, wanted), 1};
    size_t place = std::min(layout.find(wanted), layout.size());
    for (size_t inner = place + 1; inner < layout.size(); ++inner)
      dimension.stride *= step.shape(role)[inner];
    return dimension;
  };
  char outer = role == Role::Input ? 'C' : 'K'; // Splits into groups without G.
  bool isSplit = layout.find('G') == std::string::npos &&
                 (letter == 'G' || letter == outer);
  if (!isSplit)
    return find(letter);
  Dimension all = find(outer);
  int64_t perGroup = all.size / step.groups;
  return letter == 'G' ? Dimension{step.groups, all.stride * perGroup}
                       : Dimension{perGroup, all.stride};
}

/// For each element in the order of the matrix products (space, group, then
/// `letters`), its index in the tensor of `role`.
std::vector<int64_t> productOrder(const Step &step, Role role,
                                  const std::string &letters) {
  std::vector<int64_t> indices{0};
  for (char letter : spatialLetters(role) + ("G" + letters)) {
    Dimension dimension = findDimension(step, role, letter);
    std::vector<int64_t> next;
    next.reserve(indices.size() * dimension.size);
    for (int64_t base : indices)
      for (int64_t i = 0; i < dimension.size; ++i)
        next.push_back(base + i * dimension.stride);
    indices = std::move(next);
  }
  return indices;
}

/// Sizes of a tensor's spatial dimensions.
std::array<int64_t, 3> findSpace(const Step &step, Role role) {
  const char *letters = spatialLetters(role);
  return {step.size(role, letters[0]), step.size(role, letters[1]),
          step.size(role, letters[2])};
}

class ConvolutionEvaluator {
public:
  ConvolutionEvaluator(const Step &step, const artifact::Entry &entry,
                       const ArgumentBytes &arguments,
                       const ConstantBytes &constants,
                       const std::vector<StepResult> &earlier)
      : step(step), entry(entry), arguments(arguments), constants(constants),
        earlier(earlier), sumsIntegers(!isFloat(typeOf(step.left))),
        letters(productLetters(step.direction)),
        rows(findDimension(step, step.leftRole(), letters.row).size),
        reduction(findDimension(step, step.leftRole(), letters.reduction).size),
        columns(findDimension(step, step.rightRole(), letters.column).size),
        leftSpace(findSpace(step, step.leftRole())),
        rightSpace(findSpace(step, step.rightRole())),
        space(findSpace(step, step.resultRole())),
        left(load(step.left, productOrder(step, step.leftRole(),
                                          {letters.row, letters.reduction}))),
        right(load(step.right,
                   productOrder(step, step.rightRole(),
                                {letters.reduction, letters.column}))),
        resultOrder(productOrder(step, step.resultRole(),
                                 {letters.row, letters.column})),
        result(step.outputType, int64_t(resultOrder.size())) {
    for (int dim = 0; dim < 3; ++dim)
      connections[dim] = findConnections(step, dim);
    for (const EpilogueOperand &operand : step.epilogueOperands)
      epilogueOperands.push_back(loadEpilogueOperand(operand));
    if (!step.transforms.empty())
      blocks = computeBlockMagnitudes(step, {{left.values, left.errors},
                                             {right.values, right.errors},
                                             rows,
                                             reduction,
                                             columns});
  }

  StepResult run(const std::function<void(double)> &progress) {
    int64_t elements = resultOrder.size();
    parallelFor(
        elements / columns, [&](int64_t row) { runRow(row); }, progress);
    return std::move(result);
  }

private:
  void noteIntegers(Tensor &tensor) const {
    // All integers up to this bound have at most 11 significant bits.
    double largest = step.roundsToTF32 ? 2048 : INFINITY;
    tensor.integers = tensor.errors.empty() &&
                      std::all_of(tensor.values.begin(), tensor.values.end(),
                                  [&](double value) {
                                    return value == std::rint(value) &&
                                           std::fabs(value) <= largest;
                                  });
  }

  ElementType typeOf(TensorRef ref) const {
    return ref.kind == TensorRef::Step
               ? earlier[ref.index].type
               : *lookupElementType(ref.buffer(entry).dtype);
  }

  Tensor load(TensorRef ref, const std::vector<int64_t> &indices) {
    Tensor tensor;
    tensor.values.reserve(indices.size());
    if (ref.kind == TensorRef::Step) {
      const StepResult &from = earlier[ref.index];
      bool inexact = std::find(from.exact.begin(), from.exact.end(), 0) !=
                     from.exact.end();
      for (int64_t index : indices) {
        tensor.values.push_back(from.values[index]);
        if (inexact)
          tensor.errors.push_back(from.exact[index] ? 0 : from.bounds[index]);
      }
    } else {
      std::string_view bytes = ref.kind == TensorRef::Constant
                                   ? constants[ref.index]
                                   : arguments[ref.index];
      for (int64_t index : indices)
        tensor.values.push_back(loadElement(typeOf(ref), bytes.data(), index));
    }
    noteIntegers(tensor);
    return tensor;
  }

  /// An epilogue operand in the result's order, or a vector over channels.
  Tensor loadEpilogueOperand(const EpilogueOperand &operand) {
    if (!operand.perChannel)
      return load(operand.tensor, resultOrder);
    std::vector<int64_t> channels(step.groups * columns);
    std::iota(channels.begin(), channels.end(), 0);
    return load(operand.tensor, channels);
  }

  /// One row of a matrix product, summed over positions.
  struct Sums {
    std::vector<double> value, magnitude, error;
  };

  /// Computes row `index` of all rows, groups and positions of the result.
  void runRow(int64_t index) {
    thread_local Sums sums;
    sums.value.assign(columns, 0);
    sums.magnitude.assign(columns, 0);
    sums.error.assign(columns, 0);

    int64_t row = index % rows, group = index / rows % step.groups;
    int64_t position = index / rows / step.groups;
    int64_t w = position % space[2], h = position / space[2] % space[1];
    int64_t d = position / space[2] / space[1];
    for (Connection outer : connections[0][d])
      for (Connection middle : connections[1][h])
        for (Connection inner : connections[2][w]) {
          auto flatten = [&](const std::array<int64_t, 3> &sizes,
                             int64_t Connection::*side) {
            return (outer.*side * sizes[1] + middle.*side) * sizes[2] +
                   inner.*side;
          };
          int64_t leftMatrix =
              flatten(leftSpace, &Connection::left) * step.groups + group;
          int64_t rightMatrix =
              flatten(rightSpace, &Connection::right) * step.groups + group;
          addRow((leftMatrix * rows + row) * reduction,
                 rightMatrix * reduction * columns, sums);
        }
    finishRow(index, group, sums);
  }

  /// Adds the product of a row of the left matrix and the right matrix.
  void addRow(int64_t leftBase, int64_t rightBase, Sums &sums) {
    double *value = sums.value.data(), *magnitude = sums.magnitude.data();
    double *error = sums.error.data();
    for (int64_t i = 0; i < reduction; ++i) {
      double a = left.values[leftBase + i];
      const double *b = &right.values[rightBase + i * columns];
      for (int64_t column = 0; column < columns; ++column) {
        double product = a * b[column];
        value[column] += product;
        magnitude[column] += std::fabs(product);
      }
      double leftError = left.errors.empty() ? 0 : left.errors[leftBase + i];
      if (leftError > 0)
        for (int64_t column = 0; column < columns; ++column)
          error[column] += std::fabs(b[column]) * leftError;
      if (!right.errors.empty())
        for (int64_t column = 0; column < columns; ++column)
          error[column] += (std::fabs(a) + leftError) *
                           right.errors[rightBase + i * columns + column];
    }
  }

  void finishRow(int64_t index, int64_t group, const Sums &sums) {
    thread_local std::vector<Scalar> values;
    for (int64_t column = 0; column < columns; ++column) {
      int64_t element = index * columns + column;
      // Integers add without rounding in f32, or in fewer bits, while every
      // partial sum fits; and always in i32, where the sum wraps around.
      double largest = step.isPromoted ? (1 << 14) - 1 : 1 << 24;
      bool exact = left.integers && right.integers &&
                   (sumsIntegers || sums.magnitude[column] <= largest);
      double ownError = step.bound.accumulation *
                        (sums.magnitude[column] + sums.error[column]);
      if (!step.transforms.empty()) {
        exact &= blocks.exact[element] != 0;
        ownError = boundBlock(element);
      }
      ownError = std::ldexp(ownError, -24);
      double error = sums.error[column];
      if (step.bound.followOperations && !exact)
        error += ownError;
      double sum = sumsIntegers ? double(int32_t(int64_t(sums.value[column])))
                                : sums.value[column];
      values.assign(1, {sum, error, exact});
      double operandSum =
          pushEpilogueOperands(values, group * columns + column, element);
      runEpilogue(step.epilogue, values,
                  step.bound.followOperations ? Rounding::Counted
                                              : Rounding::Ignored);
      if (step.bound.followOperations)
        ownError = 0; // The epilogue's error already includes it.
      ownError += std::ldexp(
          step.bound.operands * operandSum + step.bound.constant, -24);
      result.store(resultOrder[element], values[step.yield],
                   step.bound.outputUlp, ownError);
    }
  }

  /// The error of an element of a step with transforms, in units of 2^-24: by
  /// the narrowest rule that the artifact has. First, there was one sum; then a
  /// share for transforms; then magnitudes of what is rounded.
  double boundBlock(int64_t element) const {
    const artifact::ErrorBound &bound = step.bound;
    if (bound.roundings)
      return bound.roundings->factor * blocks.rounded[element] +
             bound.roundings->accumulation * blocks.products[element];
    if (bound.transforms > 0)
      return bound.accumulation * blocks.products[element] +
             bound.transforms * blocks.transformed[element];
    return bound.accumulation * blocks.largest[element];
  }

  /// Adds one element of each epilogue operand; returns their magnitudes' sum.
  double pushEpilogueOperands(std::vector<Scalar> &values, int64_t channel,
                              int64_t element) {
    double sum = 0;
    for (size_t i = 0; i < epilogueOperands.size(); ++i) {
      const Tensor &operand = epilogueOperands[i];
      int64_t index = step.epilogueOperands[i].perChannel ? channel : element;
      double error = operand.errors.empty() ? 0 : operand.errors[index];
      values.push_back({operand.values[index], error, error == 0});
      sum += std::fabs(operand.values[index]) + error;
    }
    return sum;
  }

  const Step &step;
  const artifact::Entry &entry;
  const ArgumentBytes &arguments;
  const ConstantBytes &constants;
  const std::vector<StepResult> &earlier;
  bool sumsIntegers; ///< Products are summed in i32, not in f32.
  ProductLetters letters;
  int64_t rows, reduction, columns; ///< Of the matrices of one group.
  std::array<int64_t, 3> leftSpace, rightSpace, space;
  std::array<std::vector<std::vector<Connection>>, 3> connections;
  Tensor left, right;
  std::vector<int64_t> resultOrder;
  StepResult result;
  std::vector<Tensor> epilogueOperands;
  BlockMagnitudes blocks; ///< For a step with transforms.
};

} // namespace

StepResult conv::reference::evaluateConvolution(
    const Step &step, const artifact::Entry &entry,
    const ArgumentBytes &arguments, const ConstantBytes &constants,
    const std::vector<StepResult> &earlier,
    const std::function<void(double)> &progress) {
  return ConvolutionEvaluator(step, entry, arguments, constants, earlier)
      .run(progress);
}
