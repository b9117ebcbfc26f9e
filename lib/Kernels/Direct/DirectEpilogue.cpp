//===- DirectEpilogue.cpp - epilogue and store of a box of elements -------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands are loaded and results stored in the vectors of `BoxVectors.h`.
//
//===----------------------------------------------------------------------===//

#include "DirectEpilogue.h"
#include "../Parts/EpilogueOps.h"

#include "conv/Dialect/Conv/IR/ViewLookup.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <map>

using namespace mlir;
using namespace mlir::conv;

namespace {
/// The box of elements in the result or in one operand of the epilogue.
class BoxAccess {
public:
  BoxAccess(const Kernel &kernel, const ElementBox &box,
            const MatrixOperand &operand, Value buffer);

  /// Selects the box whose first element has these digits, if `isThere`.
  void setFirst(ArrayRef<Value> first, Value isThere);
  /// Narrows vectors until the box contains all elements of each vector.
  void narrowToWhole() { vectors.narrowToWhole(); }
  Value load(int64_t element);
  SmallVector<SmallVector<int64_t>> getVectors() const {
    return vectors.list();
  }
  /// Stores a vector that consists of these elements.
  void store(Value vector, ArrayRef<int64_t> elements) const;

private:
  Value createOffset(const BoxVectors::Coordinates &vector) const;
  /// True if the element, and so its whole vector, is in the tensor.
  Value createGuard(int64_t element) const;

  /// Whether the operand has different elements for different values of a
  /// digit.
  bool dependsOn(size_t digit) const {
    return llvm::any_of(vectors.getCoordinates(),
                        [&](const ViewAttr::Coordinate &each) {
                          return each.coefficients[digit] != 0;
                        });
  }

  const Kernel &kernel;
  const ElementBox &box;
  const MatrixOperand &operand;
  Value buffer;
  BoxVectors vectors;
  SmallVector<Value> first;
  Value base, isThere;
  std::map<BoxVectors::Coordinates, Value> loaded;
};
} // namespace

BoxAccess::BoxAccess(const Kernel &kernel, const ElementBox &box,
                     const MatrixOperand &operand, Value buffer)
    : kernel(kernel), box(box), operand(operand), buffer(buffer),
      vectors(box, operand.getViewed(), kernel.form.result.view) {
  assert(operand.view.getDigitSizes() ==
             kernel.form.result.view.getDigitSizes() &&
         "all of them see the same matrices");
}

void BoxAccess::setFirst(ArrayRef<Value> digits, Value isBoxThere) {
  const IndexMath &math = kernel.math;
  first.assign(digits.begin(), digits.end());
  isThere = isBoxThere;
  base = math.constant(0);
  for (auto [coordinate, stride] :
       llvm::zip_equal(vectors.getCoordinates(), operand.strides)) {
    base = math.add(base, coordinate.constant * stride);
    for (auto [digit, coefficient] :
         llvm::zip_equal(digits, coordinate.coefficients))
      base = math.add(base, math.mul(digit, coefficient * stride));
  }
  loaded.clear();
}

Value BoxAccess::createOffset(const BoxVectors::Coordinates &vector) const {
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
  // Conditions guard the whole box.
  for (auto [condition, limit] :
       llvm::zip_equal(vectors.getConditions(), result.getLimits())) {
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
  BoxVectors::Place place = vectors.getPlace(element);
  Value &vector = loaded[place.vector];
  if (!vector)
    vector = kernel.load(buffer, createOffset(place.vector),
                         createGuard(element), vectors.getWidth());
  return vector::ExtractOp::create(kernel.b, vector, place.lane);
}

void BoxAccess::store(Value vector, ArrayRef<int64_t> elements) const {
  kernel.store(vector, buffer,
               createOffset(vectors.getPlace(elements.front()).vector),
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
