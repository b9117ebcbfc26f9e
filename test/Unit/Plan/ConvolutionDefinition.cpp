//===- ConvolutionDefinition.cpp - convolutions on integers ---------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConvolutionDefinition.h"

using namespace mlir;
using namespace mlir::conv;
using namespace mlir::conv::test;

/// The index inside of a dimension that replaces `index`, which may be outside,
/// or none for a zero: the table of `conv.forward`.
static std::optional<int64_t> pad(int64_t index, int64_t size,
                                  PaddingMode mode) {
  if (index >= 0 && index < size)
    return index;
  switch (mode) {
  case PaddingMode::Zeros:
    return std::nullopt;
  case PaddingMode::Reflect:
    return pad(index < 0 ? -index : 2 * (size - 1) - index, size, mode);
  case PaddingMode::Replicate:
    return index < 0 ? 0 : size - 1;
  case PaddingMode::Circular:
    return pad(index < 0 ? index + size : index - size, size, mode);
  }
  llvm_unreachable("every mode is a row of the table");
}

std::optional<size_t> Array::find(ArrayRef<int64_t> coordinates,
                                  PaddingMode padding) const {
  size_t element = 0;
  for (auto [coordinate, size] : llvm::zip_equal(coordinates, shape)) {
    std::optional<int64_t> inside = pad(coordinate, size, padding);
    if (!inside)
      return std::nullopt;
    element = element * size + *inside;
  }
  return element;
}

int64_t Sizes::size(char letter) const {
  switch (letter) {
  case 'N':
    return n;
  case 'G':
    return groups;
  case 'C':
    return c;
  case 'K':
    return k;
  }
  for (size_t d = 0; d < getRank(); ++d) {
    if (letter == this->letter(TensorRole::Input, d))
      return input[d];
    if (letter == this->letter(TensorRole::Filter, d))
      return filter[d];
    if (letter == this->letter(TensorRole::Output, d))
      return output(d);
  }
  llvm_unreachable("no such letter");
}

bool Tensor::countsGroups(TensorRole role, const Sizes &sizes, char letter) {
  bool isChannel =
      letter == 'K' || (letter == 'C' && role == TensorRole::Input);
  return isChannel && !sizes.hasGroupDimension();
}

SmallVector<int64_t> Tensor::getShape(TensorRole role, const Sizes &sizes) {
  SmallVector<int64_t> shape;
  for (char letter : sizes.orders[size_t(role)])
    shape.push_back(sizes.size(letter) *
                    (countsGroups(role, sizes, letter) ? sizes.groups : 1));
  return shape;
}

size_t Tensor::findIndices(const Indices &indices) const {
  SmallVector<int64_t> coordinates;
  for (char letter : order())
    coordinates.push_back(indices[letter] +
                          (countsGroups(role, sizes, letter)
                               ? indices['G'] * sizes.size(letter)
                               : 0));
  return *find(coordinates);
}

std::string Tensor::type() const {
  std::string text = "tensor<";
  for (int64_t size : shape)
    text += std::to_string(size) + "x";
  return text + "f32>";
}

template <typename Body>
static void forEachIndex(const Sizes &sizes, StringRef letters,
                         Indices &indices, Body body) {
  if (letters.empty())
    return body();
  int64_t &index = indices[letters.front()];
  for (index = 0; index < sizes.size(letters.front()); ++index)
    forEachIndex(sizes, letters.drop_front(), indices, body);
}

/// Sets the input positions of a filter element at an output position; false if
/// one of them is a zero of the padding.
static bool setInputPositions(const Sizes &sizes, Indices &indices) {
  for (size_t d = 0; d < sizes.getRank(); ++d) {
    int64_t position =
        indices[sizes.letter(TensorRole::Output, d)] * sizes.strides[d] +
        indices[sizes.letter(TensorRole::Filter, d)] * sizes.dilations[d] -
        sizes.low[d];
    std::optional<int64_t> inside =
        pad(position, sizes.input[d], sizes.padding);
    if (!inside)
      return false;
    indices[sizes.letter(TensorRole::Input, d)] = *inside;
  }
  return true;
}

std::vector<int64_t> test::computeDefinition(const Tensors &tensors,
                                             TensorRole result) {
  const Sizes &sizes = tensors[0].sizes;
  std::string letters = "GNCK";
  for (size_t d = 0; d < sizes.getRank(); ++d)
    letters += {sizes.letter(TensorRole::Filter, d),
                sizes.letter(TensorRole::Output, d)};
  std::vector<int64_t> sums(tensors[size_t(result)].elements.size(), 0);
  Indices indices{};
  forEachIndex(sizes, letters, indices, [&] {
    if (!setInputPositions(sizes, indices))
      return;
    int64_t product = 1;
    for (const Tensor &tensor : tensors)
      if (tensor.role != result)
        product *= tensor.elements[tensor.findIndices(indices)];
    sums[tensors[size_t(result)].findIndices(indices)] += product;
  });
  return sums;
}
