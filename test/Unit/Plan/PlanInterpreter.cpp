//===- PlanInterpreter.cpp - runs the steps of a plan ---------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanInterpreter.h"

#include <gtest/gtest.h>

#include <numeric>

using namespace mlir;
using namespace mlir::conv;
using namespace mlir::conv::test;

/// The digits of `index`, outermost first.
static SmallVector<int64_t> split(int64_t index, ArrayRef<int64_t> sizes) {
  SmallVector<int64_t> digits(sizes.size());
  for (size_t i = sizes.size(); i-- > 0; index /= sizes[i])
    digits[i] = index % sizes[i];
  return digits;
}

/// Batch, row and column.
using Element = std::array<int64_t, 3>;

namespace {
/// The places of the elements of a view by the attribute's description. Values
/// that the attribute computes for each element are computed once.
class Places {
public:
  explicit Places(ViewAttr view)
      : view(view), coordinates(view.getCoordinates()) {}

  /// Nothing if a condition excludes the element.
  std::optional<SmallVector<int64_t>> locate(const Element &element) const {
    SmallVector<int64_t> digits = split(element[0], view.getBatch());
    llvm::append_range(digits, split(element[1], view.getRows()));
    llvm::append_range(digits, split(element[2], view.getColumns()));
    SmallVector<int64_t> place;
    for (const ViewAttr::Coordinate &coordinate : coordinates)
      place.push_back(std::inner_product(digits.begin(), digits.end(),
                                         coordinate.coefficients.begin(),
                                         coordinate.constant));
    for (int64_t limit : llvm::reverse(view.getLimits()))
      if (int64_t condition = place.pop_back_val();
          condition < 0 || condition >= limit)
        return std::nullopt;
    return place;
  }

private:
  ViewAttr view;
  SmallVector<ViewAttr::Coordinate> coordinates;
};
} // namespace

/// Calls `body` with each element of a view, in order.
template <typename Body> static void forEachElement(ViewAttr view, Body body) {
  auto [matrices, rows, columns] = view.getShape();
  for (int64_t matrix = 0; matrix < matrices; ++matrix)
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t column = 0; column < columns; ++column)
        body(Element{matrix, row, column});
}

/// All matrices of a view.
static Array gather(const Array &tensor, ViewAttr view) {
  Array matrices(view.getShape());
  Places places(view);
  forEachElement(view, [&](const Element &element) {
    auto place = places.locate(element);
    auto found = place ? tensor.find(*place, view.getPadding()) : std::nullopt;
    matrices.elements[*matrices.find(element)] =
        found ? tensor.elements[*found] : 0;
  });
  return matrices;
}

/// Adds `lhs * transpose(rhs)`.
static void multiply(const Array &lhs, const Array &rhs, Array &sum) {
  int64_t rows = sum.shape[1], columns = sum.shape[2];
  int64_t reduction = lhs.shape[2];
  ASSERT_EQ(lhs.shape, (SmallVector<int64_t>{sum.shape[0], rows, reduction}));
  ASSERT_EQ(rhs.shape,
            (SmallVector<int64_t>{sum.shape[0], columns, reduction}));
  for (auto [i, element] : llvm::enumerate(sum.elements)) {
    const int64_t *row = &lhs.elements[i / columns * reduction];
    const int64_t *column =
        &rhs.elements[(i / (rows * columns) * columns + i % columns) *
                      reduction];
    element += std::inner_product(row, row + reduction, column, int64_t(0));
  }
}

/// Writes matrices through a view.
static void scatter(const Array &matrices, ViewAttr view, Array &tensor) {
  Places places(view);
  forEachElement(view, [&](const Element &element) {
    auto place = places.locate(element);
    if (!place)
      return;
    auto found = tensor.find(*place);
    ASSERT_TRUE(found.has_value());
    tensor.elements[*found] = matrices.elements[*matrices.find(element)];
  });
}

/// An element of a vector belongs to the channel, counted over all groups.
static void checkChannels(const PlanSubproblem &subproblem,
                          const Tensor &result) {
  char channel = result.role == TensorRole::Input ? 'C' : 'K';
  size_t group = result.order().find('G');
  Places places(subproblem.target), channels(subproblem.channels);
  forEachElement(subproblem.target, [&](const Element &element) {
    auto place = places.locate(element);
    if (!place)
      return;
    int64_t expected = (*place)[result.order().find(channel)];
    if (group != std::string::npos)
      expected += (*place)[group] * result.sizes.size(channel);
    EXPECT_EQ(channels.locate(element), SmallVector<int64_t>{expected});
  });
}

static void executeSubproblem(const PlanStep &step,
                              const PlanSubproblem &subproblem,
                              const Tensors &tensors,
                              std::vector<Array> &intermediates,
                              Tensor &result) {
  Array sum(subproblem.target.getShape());
  if (subproblem.product)
    multiply(gather(tensors[size_t(subproblem.product->lhsRole)],
                    subproblem.product->lhs),
             gather(tensors[size_t(subproblem.product->rhsRole)],
                    subproblem.product->rhs),
             sum);
  for (const PlanSubproblem::Term &term : subproblem.terms) {
    Array added = gather(intermediates[term.intermediate], term.view);
    ASSERT_EQ(added.shape, sum.shape);
    for (auto [total, element] : llvm::zip(sum.elements, added.elements))
      total += element;
  }
  if (step.intermediate)
    return scatter(sum, subproblem.target, intermediates[*step.intermediate]);
  scatter(sum, subproblem.target, result);
  EXPECT_EQ(bool(subproblem.channels), result.role != TensorRole::Filter);
  if (subproblem.channels)
    checkChannels(subproblem, result);
}

void test::execute(const ConvolutionPlan &plan, const Tensors &tensors,
                   Tensor &result) {
  std::vector<Array> intermediates;
  for (ArrayRef<int64_t> shape : plan.intermediates)
    intermediates.emplace_back(shape, kUnwritten);
  for (const PlanStep &step : plan.steps)
    for (const PlanSubproblem &subproblem : llvm::reverse(step.subproblems))
      executeSubproblem(step, subproblem, tensors, intermediates, result);
}
