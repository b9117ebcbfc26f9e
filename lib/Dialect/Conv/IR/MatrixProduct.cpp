//===- MatrixProduct.cpp - convolutions as matrix products --*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything goes by the letters of the order strings: one letter names the
// same index in every operand. A letter is either a digit of one of the four
// index spaces of the product, or computed from digits.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/MatrixProduct.h"

#include "conv/Dialect/Conv/IR/ConvShape.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;

static constexpr StringLiteral kInputLetters = "DHW";
static constexpr StringLiteral kFilterLetters = "TRS";
static constexpr StringLiteral kOutputLetters = "ZPQ";

namespace {
enum Space { Batch, Rows, Columns, Reduction };

/// Positions of the input, and the filter elements that meet them: position
/// number `i` is `residue + stride * i`, element number `j` is
/// `first + step * j`, and they meet in the output position
/// `offset + advance * i - distance * j`.
struct Residue {
  int64_t residue, stride, positions;
  int64_t first, step, count;
  int64_t offset, advance, distance;
};

class ProductBuilder {
public:
  explicit ProductBuilder(ConvolutionOpInterface op)
      : layouts(op.getLayouts()), shape(ConvolutionShape::get(op)),
        context(op.getContext()), rank(shape.getRank()),
        padding(op.getPadding()) {
    setSize('G', shape.groups);
    setSize('N', shape.n);
    setSize('C', shape.c / shape.groups);
    setSize('K', shape.k / shape.groups);
    for (int64_t d = 0; d < rank; ++d) {
      setSize(letter(kInputLetters, d), shape.input[d]);
      setSize(letter(kFilterLetters, d), shape.filter[d]);
      setSize(letter(kOutputLetters, d), shape.output[d]);
    }
  }

  MatrixProduct createForward();
  SmallVector<MatrixProduct> createBackwardData();
  MatrixProduct createBackwardWeight();

private:
  /// The letter of spatial dimension `d`, outermost first.
  char letter(StringRef letters, int64_t d) const {
    return letters.take_back(rank)[d];
  }
  void setSize(char letter, int64_t size) { sizes[letter] = size; }
  /// Starts a product whose spaces have a digit for each of these letters.
  void setDigits(StringRef rows, StringRef columns, StringRef reduction);
  /// Sets the input's positions from those of output and filter.
  void setInputPositions();
  void setPositions(int64_t d, const Residue &residue);
  Residue computeResidue(int64_t d, int64_t residue) const;
  MatrixProduct createBackwardProduct(ArrayRef<Residue> residues);
  MatrixProduct createZeroProduct();

  AffineExpr coordinate(char letter, bool hasGroup) const;
  ViewAttr createView(StringRef order, Space rows, Space columns) const;
  ViewAttr createVectorView(char channel) const;
  ViewAttr createView(ArrayRef<AffineExpr> coordinates, Space rows,
                      Space columns) const;

  LayoutsAttr layouts;
  ConvolutionShape shape;
  MLIRContext *context;
  int64_t rank;
  PaddingMode padding; ///< Of coordinates outside of the input.
  llvm::SmallDenseMap<char, int64_t> sizes;
  /// Index of a letter: a dimension for each digit, or an expression of those.
  llvm::SmallDenseMap<char, AffineExpr> indices;
  /// The letters of each space, outermost digit first.
  std::array<std::string, 4> digits;
};
} // namespace

/// The letters of `order` that are in `letters`; `innermost` last if it is.
static std::string select(StringRef order, StringRef letters, char innermost) {
  std::string selected;
  for (char letter : order)
    if (letters.contains(letter) && letter != innermost)
      selected += letter;
  if (letters.contains(innermost))
    selected += innermost;
  return selected;
}

void ProductBuilder::setDigits(StringRef rows, StringRef columns,
                               StringRef reduction) {
  digits = {"G", rows.str(), columns.str(), reduction.str()};
  unsigned position = 0;
  for (const std::string &space : digits)
    for (char letter : space)
      indices[letter] = getAffineDimExpr(position++, context);
}

void ProductBuilder::setInputPositions() {
  for (int64_t d = 0; d < rank; ++d)
    indices[letter(kInputLetters, d)] =
        indices[letter(kOutputLetters, d)] * shape.strides[d] +
        indices[letter(kFilterLetters, d)] * shape.dilations[d] - shape.low[d];
}

/// Solves `residue + stride * i + low = stride * p + dilation * r` for `r`.
Residue ProductBuilder::computeResidue(int64_t d, int64_t residue) const {
  int64_t stride = shape.strides[d], dilation = shape.dilations[d];
  int64_t divisor = std::gcd(stride, dilation);
  Residue result{};
  result.residue = residue;
  result.stride = stride;
  result.advance = 1;
  result.positions = llvm::divideCeil(shape.input[d] - residue, stride);
  result.step = stride / divisor;
  result.distance = dilation / divisor;
  int64_t position = residue + shape.low[d];
  while (result.first < shape.filter[d] && result.first < result.step &&
         (position - result.first * dilation) % stride != 0)
    ++result.first;
  if (result.first == std::min(shape.filter[d], result.step))
    return result; // No filter element: `count` is zero.
  result.count = llvm::divideCeil(shape.filter[d] - result.first, result.step);
  result.offset = (position - result.first * dilation) / stride;
  return result;
}

void ProductBuilder::setPositions(int64_t d, const Residue &residue) {
  AffineExpr position = indices[letter(kInputLetters, d)];
  AffineExpr element = indices[letter(kFilterLetters, d)];
  indices[letter(kInputLetters, d)] =
      position * residue.stride + residue.residue;
  indices[letter(kFilterLetters, d)] = element * residue.step + residue.first;
  indices[letter(kOutputLetters, d)] =
      position * residue.advance + residue.offset - element * residue.distance;
}

/// Without a letter for groups, a channel counts those of all groups, but for
/// the filter's input channels, which are those of one group anyway.
AffineExpr ProductBuilder::coordinate(char letter, bool hasGroup) const {
  AffineExpr index = indices.lookup(letter);
  if (hasGroup || !StringRef("CK").contains(letter))
    return index;
  return indices.lookup('G') * sizes.lookup(letter) + index;
}

ViewAttr ProductBuilder::createView(ArrayRef<AffineExpr> coordinates,
                                    Space rows, Space columns) const {
  SmallVector<AffineExpr> dimensions(llvm::sum_of(llvm::map_range(
      digits, [](const std::string &space) { return space.size(); })));
  std::array<SmallVector<int64_t>, 3> viewSizes;
  unsigned position = 0;
  for (auto [space, list] :
       llvm::zip(std::array{Batch, rows, columns}, viewSizes)) {
    size_t first = 0;
    for (int before = Batch; before < space; ++before)
      first += digits[before].size();
    for (auto [i, letter] : llvm::enumerate(digits[space])) {
      dimensions[first + i] = getAffineDimExpr(position++, context);
      list.push_back(sizes.lookup(letter));
    }
  }
  SmallVector<AffineExpr> results;
  for (AffineExpr coordinate : coordinates)
    results.push_back(coordinate.replaceDims(dimensions));
  return ViewAttr::get(context, viewSizes[0], viewSizes[1], viewSizes[2],
                       AffineMap::get(position, 0, results, context),
                       /*limits=*/{}, padding);
}

ViewAttr ProductBuilder::createView(StringRef order, Space rows,
                                    Space columns) const {
  bool isFilter = order.contains('K') && order.contains('C');
  SmallVector<AffineExpr> coordinates;
  for (char letter : order)
    coordinates.push_back(coordinate(
        letter, order.contains('G') || (isFilter && letter == 'C')));
  return createView(coordinates, rows, columns);
}

ViewAttr ProductBuilder::createVectorView(char channel) const {
  return createView(coordinate(channel, /*hasGroup=*/false), Rows, Columns);
}

MatrixProduct ProductBuilder::createForward() {
  std::string spatial = kOutputLetters.take_back(rank).str();
  std::string filter = kFilterLetters.take_back(rank).str();
  setDigits(select(layouts.getOutput(), "N" + spatial, 0), "K",
            select(layouts.getFilter(), "C" + filter,
                   layouts.getInput().back() == 'C' ? 'C' : 0));
  setInputPositions();
  return {TensorRole::Input,
          TensorRole::Filter,
          createView(layouts.getInput(), Rows, Reduction),
          createView(layouts.getFilter(), Columns, Reduction),
          createView(layouts.getOutput(), Rows, Columns),
          createVectorView('K')};
}

MatrixProduct ProductBuilder::createBackwardWeight() {
  std::string spatial = kOutputLetters.take_back(rank).str();
  std::string filter = kFilterLetters.take_back(rank).str();
  setDigits("K", select(layouts.getFilter(), "C" + filter, 0),
            select(layouts.getOutput(), "N" + spatial, 0));
  setInputPositions();
  return {TensorRole::Output,
          TensorRole::Input,
          createView(layouts.getOutput(), Rows, Reduction),
          createView(layouts.getInput(), Columns, Reduction),
          createView(layouts.getFilter(), Rows, Columns),
          ViewAttr()};
}

MatrixProduct
ProductBuilder::createBackwardProduct(ArrayRef<Residue> residues) {
  for (auto [d, residue] : llvm::enumerate(residues)) {
    setSize(letter(kInputLetters, d), residue.positions);
    setSize(letter(kFilterLetters, d), residue.count);
  }
  std::string spatial = kInputLetters.take_back(rank).str();
  std::string filter = kFilterLetters.take_back(rank).str();
  setDigits(select(layouts.getInput(), "N" + spatial, 0), "C",
            select(layouts.getFilter(), "K" + filter,
                   layouts.getOutput().back() == 'K' ? 'K' : 0));
  for (auto [d, residue] : llvm::enumerate(residues))
    setPositions(d, residue);
  return {TensorRole::Output,
          TensorRole::Filter,
          createView(layouts.getOutput(), Rows, Reduction),
          createView(layouts.getFilter(), Columns, Reduction),
          createView(layouts.getInput(), Rows, Columns),
          createVectorView('C')};
}

/// All of the input, as a product of elements from outside of both operands.
MatrixProduct ProductBuilder::createZeroProduct() {
  SmallVector<Residue> all;
  for (int64_t d = 0; d < rank; ++d)
    all.push_back({.residue = 0,
                   .stride = 1,
                   .positions = shape.input[d],
                   .first = -1,
                   .step = 0,
                   .count = 1,
                   .offset = -1,
                   .advance = 0,
                   .distance = 0});
  // One product is enough to get a zero.
  setSize('K', 1);
  MatrixProduct product = createBackwardProduct(all);
  setSize('K', shape.k / shape.groups);
  return product;
}

SmallVector<MatrixProduct> ProductBuilder::createBackwardData() {
  // All combinations of the residues of each dimension, the last one fastest.
  SmallVector<SmallVector<Residue>> combinations = {{}};
  bool isUntouched = false;
  for (int64_t d = 0; d < rank; ++d) {
    SmallVector<SmallVector<Residue>> longer;
    for (const SmallVector<Residue> &combination : combinations)
      for (int64_t i = 0; i < std::min(shape.strides[d], shape.input[d]); ++i) {
        Residue residue = computeResidue(d, i);
        isUntouched |= residue.count == 0;
        if (residue.count == 0)
          continue;
        longer.push_back(combination);
        longer.back().push_back(residue);
      }
    combinations = std::move(longer);
  }
  SmallVector<MatrixProduct> products;
  if (isUntouched)
    products.push_back(createZeroProduct());
  for (ArrayRef<Residue> residues : combinations)
    products.push_back(createBackwardProduct(residues));
  return products;
}

SmallVector<MatrixProduct>
mlir::conv::getMatrixProducts(ConvolutionOpInterface op) {
  ProductBuilder builder(op);
  switch (op.getDirection()) {
  case Direction::Forward:
    return {builder.createForward()};
  case Direction::BackwardData:
    return builder.createBackwardData();
  case Direction::BackwardWeight:
    return {builder.createBackwardWeight()};
  }
  llvm_unreachable("every direction is a list of products");
}
