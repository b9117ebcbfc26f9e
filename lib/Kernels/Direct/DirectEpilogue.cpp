//===- DirectEpilogue.cpp - epilogue and store of a box of elements -------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All differences of coordinates are known at compile time, and so is which
// elements share a vector in memory.
//
//===----------------------------------------------------------------------===//

#include "DirectEpilogue.h"
#include "../Parts/EpilogueOps.h"

#include "conv/Dialect/Conv/IR/ViewLookup.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <map>
#include <numeric>

using namespace mlir;
using namespace mlir::conv;

int64_t ElementBox::getNumElements() const {
  int64_t elements = 1;
  for (const Digit &digit : digits)
    elements *= digit.extent;
  return elements;
}

SmallVector<int64_t> ElementBox::getDigits(int64_t element) const {
  SmallVector<int64_t> values(digits.size());
  for (size_t d = digits.size(); d-- > 0; element /= digits[d].extent)
    values[d] = element % digits[d].extent;
  return values;
}

namespace {
/// The box of elements in the result or in one operand of the epilogue.
class BoxAccess {
public:
  BoxAccess(const Kernel &kernel, const ElementBox &box,
            const MatrixOperand &operand, Value buffer);

  /// Selects the box whose first element has these digits, if `isThere`.
  void setFirst(ArrayRef<Value> first, Value isThere);
  /// Narrows vectors until the box contains all elements of each vector.
  void narrowToWhole();
  Value load(int64_t element);
  /// The elements of each vector, in its order.
  SmallVector<SmallVector<int64_t>> getVectors() const;
  /// Stores a vector that consists of these elements.
  void store(Value vector, ArrayRef<int64_t> elements) const;

private:
  /// Coordinates of a vector's first element, relative to the first element of
  /// the box. Elements outside the tensor may share the address of another
  /// element, but never its coordinates.
  using Coordinates = std::vector<int64_t>;
  struct Place {
    Coordinates vector;
    int64_t lane;
  };
  Place getPlace(int64_t element) const;
  /// The number of elements in each vector.
  std::map<Coordinates, int64_t> countElements() const;
  Value createOffset(const Coordinates &vector) const;
  /// True if the element, and so its whole vector, is in the tensor.
  Value createGuard(int64_t element) const;

  int64_t computeWidth() const;
  /// Whether the operand has different elements for different values of a
  /// digit.
  bool dependsOn(size_t digit) const {
    return llvm::any_of(coordinates, [&](const ViewAttr::Coordinate &each) {
      return each.coefficients[digit] != 0;
    });
  }

  const Kernel &kernel;
  const ElementBox &box;
  const MatrixOperand &operand;
  Value buffer;
  SmallVector<ViewAttr::Coordinate> coordinates; ///< The tensor's coordinates.
  /// Conditions of the result's view, which guard the whole box.
  SmallVector<ViewAttr::Coordinate> conditions;
  std::optional<size_t> along; ///< The dimension of vectors.
  int64_t width;
  SmallVector<Value> first;
  Value base, isThere;
  std::map<Coordinates, Value> vectors;
};
} // namespace

/// The dimension whose neighbours are adjacent in memory.
static std::optional<size_t> findContiguous(const MatrixOperand &operand) {
  for (auto [d, stride] : llvm::enumerate(operand.strides))
    if (stride == 1 && operand.getType().getDimSize(d) > 1)
      return d;
  return std::nullopt;
}

BoxAccess::BoxAccess(const Kernel &kernel, const ElementBox &box,
                     const MatrixOperand &operand, Value buffer)
    : kernel(kernel), box(box), operand(operand), buffer(buffer),
      along(findContiguous(operand)) {
  ViewAttr result = kernel.form.result.view;
  assert(operand.view.getDigitSizes() == result.getDigitSizes() &&
         "all of them see the same matrices");
  coordinates = getTensorCoordinates(operand.view);
  conditions = result.getCoordinates();
  conditions.erase(conditions.begin(),
                   conditions.begin() + result.getTensorRank());
  width = computeWidth();
}

/// No vector starts before a box or crosses the end of a digit.
int64_t BoxAccess::computeWidth() const {
  if (!along)
    return 1;
  const ViewAttr::Coordinate &coordinate = coordinates[*along];
  int64_t width =
      std::gcd(coordinate.constant,
               kVectorBytes / (operand.getType().getElementTypeBitWidth() / 8));
  for (auto [d, stride] : llvm::enumerate(operand.strides))
    if (d != *along && operand.getType().getDimSize(d) > 1)
      width = std::gcd(width, stride);
  for (auto [coefficient, digit, size] : llvm::zip_equal(
           coordinate.coefficients, box.digits, operand.view.getDigitSizes())) {
    width = std::gcd(width, coefficient * digit.alignment);
    if (digit.mayExceed || digit.extent < size)
      width = std::gcd(width, coefficient * size);
  }
  // A condition excludes all elements of a vector or none.
  for (const ViewAttr::Coordinate &condition : conditions)
    for (auto [step, coefficient] :
         llvm::zip_equal(condition.coefficients, coordinate.coefficients))
      if (step != 0)
        width = std::gcd(width, coefficient);
  return width;
}

BoxAccess::Place BoxAccess::getPlace(int64_t element) const {
  Place place{Coordinates(coordinates.size(), 0), 0};
  SmallVector<int64_t> digits = box.getDigits(element);
  for (auto [d, coordinate] : llvm::enumerate(coordinates))
    place.vector[d] = getShift(coordinate, digits);
  if (along) {
    place.lane = llvm::mod(place.vector[*along], width);
    place.vector[*along] -= place.lane;
  }
  return place;
}

std::map<BoxAccess::Coordinates, int64_t> BoxAccess::countElements() const {
  std::map<Coordinates, int64_t> counts;
  for (int64_t i = 0; i < box.getNumElements(); ++i)
    ++counts[getPlace(i).vector];
  return counts;
}

void BoxAccess::narrowToWhole() {
  auto isWhole = [&](const auto &entry) { return entry.second == width; };
  while (!llvm::all_of(countElements(), isWhole))
    width /= 2;
}

void BoxAccess::setFirst(ArrayRef<Value> digits, Value isBoxThere) {
  const IndexMath &math = kernel.math;
  first.assign(digits.begin(), digits.end());
  isThere = isBoxThere;
  base = math.constant(0);
  for (auto [coordinate, stride] :
       llvm::zip_equal(coordinates, operand.strides)) {
    base = math.add(base, coordinate.constant * stride);
    for (auto [digit, coefficient] :
         llvm::zip_equal(digits, coordinate.coefficients))
      base = math.add(base, math.mul(digit, coefficient * stride));
  }
  vectors.clear();
}

Value BoxAccess::createOffset(const Coordinates &vector) const {
  int64_t distance = 0;
  for (auto [coordinate, stride] : llvm::zip_equal(vector, operand.strides))
    distance += coordinate * stride;
  return kernel.math.add(base, distance);
}

Value BoxAccess::createGuard(int64_t element) const {
  const IndexMath &math = kernel.math;
  ViewAttr result = kernel.form.result.view;
  SmallVector<int64_t> digits = box.getDigits(element);
  Value guard = isThere;
  for (auto [d, size] : llvm::enumerate(result.getDigitSizes()))
    if (box.digits[d].mayExceed && dependsOn(d))
      guard = math.both(guard, math.below(math.add(first[d], digits[d]), size));
  for (auto [condition, limit] :
       llvm::zip_equal(conditions, result.getLimits())) {
    Value index = math.constant(condition.constant);
    bool isRelevant = false;
    for (auto [d, coefficient] : llvm::enumerate(condition.coefficients)) {
      if (coefficient == 0)
        continue;
      index =
          math.add(index, math.mul(math.add(first[d], digits[d]), coefficient));
      isRelevant |= dependsOn(d);
    }
    if (isRelevant)
      guard = math.both(guard, math.below(index, limit));
  }
  return guard;
}

Value BoxAccess::load(int64_t element) {
  Place place = getPlace(element);
  Value &loaded = vectors[place.vector];
  if (!loaded)
    loaded = kernel.load(buffer, createOffset(place.vector),
                         createGuard(element), width);
  return vector::ExtractOp::create(kernel.b, loaded, place.lane);
}

SmallVector<SmallVector<int64_t>> BoxAccess::getVectors() const {
  std::map<Coordinates, SmallVector<int64_t>> elements;
  for (int64_t i = 0; i < box.getNumElements(); ++i) {
    Place place = getPlace(i);
    SmallVector<int64_t> &lanes = elements[place.vector];
    lanes.resize(width);
    lanes[place.lane] = i;
  }
  return llvm::to_vector(llvm::make_second_range(elements));
}

void BoxAccess::store(Value vector, ArrayRef<int64_t> elements) const {
  kernel.store(vector, buffer, createOffset(getPlace(elements.front()).vector),
               createGuard(elements.front()));
}

/// A vector of these elements, each of which `getValue` returns.
static Value createVector(const Kernel &kernel, ArrayRef<int64_t> elements,
                          function_ref<Value(int64_t)> getValue) {
  auto values = llvm::map_to_vector(elements, getValue);
  return vector::FromElementsOp::create(
      kernel.b,
      VectorType::get({int64_t(values.size())}, values.front().getType()),
      values);
}

static BoxAccess createResultAccess(const Kernel &kernel,
                                    const ElementBox &box) {
  BoxAccess result(kernel, box, kernel.form.result, kernel.arguments.back());
  result.narrowToWhole();
  return result;
}

DirectEpilogueInputs mlir::conv::loadDirectEpilogueInputs(const Kernel &kernel,
                                                          const ElementBox &box,
                                                          ArrayRef<Value> first,
                                                          Value isThere) {
  SmallVector<BoxAccess, 0> operands;
  for (auto [operand, buffer] :
       llvm::zip(kernel.form.epilogueOperands, kernel.epilogueArguments()))
    operands.emplace_back(kernel, box, operand, buffer);
  for (BoxAccess &operand : operands)
    operand.setFirst(first, isThere);
  DirectEpilogueInputs epilogue;
  for (ArrayRef<int64_t> elements :
       createResultAccess(kernel, box).getVectors()) {
    epilogue.emplace_back();
    for (BoxAccess &operand : operands)
      epilogue.back().push_back(createVector(
          kernel, elements, [&](int64_t i) { return operand.load(i); }));
  }
  return epilogue;
}

// Each stored vector has one epilogue, so that its functions overlap.
void mlir::conv::createDirectEpilogue(const Kernel &kernel,
                                      const ElementBox &box,
                                      ArrayRef<Value> first, ValueRange sums,
                                      const DirectEpilogueInputs &epilogue) {
  BoxAccess result = createResultAccess(kernel, box);
  result.setFirst(first, kernel.math.yes());
  for (auto [elements, loaded] :
       llvm::zip_equal(result.getVectors(), epilogue)) {
    SmallVector<Value> inputs = {
        createVector(kernel, elements, [&](int64_t i) { return sums[i]; })};
    llvm::append_range(inputs, loaded);
    result.store(createEpilogueOps(kernel.b, kernel.form.epilogue, inputs),
                 elements);
  }
}

// Loads cannot move across stores or across the branch of a quotient, so all
// loads come first.
void mlir::conv::createDirectEpilogue(const Kernel &kernel,
                                      const ElementBox &box,
                                      ArrayRef<Value> first, ValueRange sums) {
  createDirectEpilogue(
      kernel, box, first, sums,
      loadDirectEpilogueInputs(kernel, box, first, kernel.math.yes()));
}
