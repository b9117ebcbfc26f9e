//===- BoxVectors.cpp - vectors of a box of elements ------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All differences of coordinates are known at compile time, and so is which
// elements share a vector.
//
//===----------------------------------------------------------------------===//

#include "BoxVectors.h"

#include "conv/Chip/Chip.h"
#include "conv/Dialect/Conv/IR/TypeBytes.h"
#include "conv/Dialect/Conv/IR/ViewLookup.h"
#include "conv/Kernels/Direct/TensorBox.h"

#include "llvm/Support/MathExtras.h"

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

/// The dimension whose neighbours are adjacent in memory.
static std::optional<size_t> findContiguous(const ViewedTensor &tensor) {
  for (auto [d, stride] : llvm::enumerate(tensor.strides))
    if (stride == 1 && tensor.type.getDimSize(d) > 1)
      return d;
  return std::nullopt;
}

BoxVectors::BoxVectors(const ElementBox &box, const ViewedTensor &tensor,
                       ViewAttr result)
    : box(box), coordinates(getTensorCoordinates(tensor.view)),
      conditions(
          llvm::drop_begin(result.getCoordinates(), result.getTensorRank())),
      along(findContiguous(tensor)), width(computeWidth(tensor)) {}

int64_t BoxVectors::computeWidth(const ViewedTensor &tensor) const {
  if (!along)
    return 1;
  const ViewAttr::Coordinate &coordinate = coordinates[*along];
  int64_t width = std::gcd(coordinate.constant,
                           ::conv::kVectorBytes / getElementBytes(tensor.type));
  for (auto [d, stride] : llvm::enumerate(tensor.strides))
    if (d != *along && tensor.type.getDimSize(d) > 1)
      width = std::gcd(width, stride);
  for (auto [coefficient, digit, size] : llvm::zip_equal(
           coordinate.coefficients, box.digits, tensor.view.getDigitSizes())) {
    width = std::gcd(width, coefficient * digit.alignment);
    if (digit.mayExceed || digit.extent < size)
      width = std::gcd(width, coefficient * size);
  }
  for (const ViewAttr::Coordinate &condition : conditions)
    for (auto [step, coefficient] :
         llvm::zip_equal(condition.coefficients, coordinate.coefficients))
      if (step != 0)
        width = std::gcd(width, coefficient);
  return width;
}

BoxVectors::Place BoxVectors::getPlace(int64_t element) const {
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

std::map<BoxVectors::Coordinates, int64_t> BoxVectors::countElements() const {
  std::map<Coordinates, int64_t> counts;
  for (int64_t i = 0; i < box.getNumElements(); ++i)
    ++counts[getPlace(i).vector];
  return counts;
}

void BoxVectors::narrowToWhole() {
  auto isWhole = [&](const auto &entry) { return entry.second == width; };
  while (width > 1 && !llvm::all_of(countElements(), isWhole))
    width /= 2;
}

SmallVector<SmallVector<int64_t>> BoxVectors::list() const {
  std::map<Coordinates, SmallVector<int64_t>> elements;
  for (int64_t i = 0; i < box.getNumElements(); ++i) {
    Place place = getPlace(i);
    SmallVector<int64_t> &lanes = elements[place.vector];
    lanes.resize(width);
    lanes[place.lane] = i;
  }
  return llvm::to_vector(llvm::make_second_range(elements));
}
