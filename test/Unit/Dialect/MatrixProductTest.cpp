//===- MatrixProductTest.cpp - products against the definition -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random small convolutions on integers, computed twice: by one loop over every
// index that adds each product where it belongs, and by the matrix products
// that the compiler makes of the op, read and written through their views.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/MatrixProduct.h"
#include "conv/Dialect/Conv/IR/ConvShape.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

using namespace mlir;
using namespace mlir::conv;

namespace {

/// An index for each letter of the order strings.
using Indices = std::array<int64_t, 128>;

const std::string kSpatialLetters[] = {"DHW", "TRS", "ZPQ"};

/// The sizes of a convolution. Channels are those of one group.
struct Sizes {
  int64_t n = 1, groups = 1, c = 1, k = 1;
  SmallVector<int64_t> input, filter, strides, dilations, low, high;
  /// Of input, filter and output.
  std::array<std::string, 3> orders;
  PaddingMode padding = PaddingMode::Zeros;

  size_t getRank() const { return input.size(); }
  /// The letter of spatial dimension `d` of an operand.
  char letter(TensorRole role, size_t d) const {
    return kSpatialLetters[size_t(role)][3 - getRank() + d];
  }
  bool hasGroupDimension() const {
    return orders[0].find('G') != std::string::npos;
  }
  int64_t output(size_t d) const {
    return computeOutputSize(
               {input[d], filter[d], strides[d], dilations[d], low[d], high[d]})
        .value_or(0);
  }
  /// Whether the op verifies: the window fits (C6), and padding is not larger
  /// than its mode allows (C11, C12).
  bool isValid() const {
    for (size_t d = 0; d < getRank(); ++d) {
      int64_t padded = std::max(low[d], high[d]);
      if (output(d) == 0 ||
          (padding == PaddingMode::Reflect && padded >= input[d]) ||
          (padding == PaddingMode::Circular && padded > input[d]))
        return false;
    }
    return true;
  }
  int64_t size(char letter) const;
};

/// The index that stands for one that may be outside of a dimension, or none
/// for a zero: the table of `conv.forward`.
std::optional<int64_t> pad(int64_t index, int64_t size, PaddingMode mode) {
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

/// An operand: its elements are in the order of its order string.
struct Tensor {
  TensorRole role;
  const Sizes &sizes;
  std::vector<int64_t> elements;

  Tensor(TensorRole role, const Sizes &sizes);
  const std::string &order() const { return sizes.orders[size_t(role)]; }
  /// Whether this dimension counts the channels of all groups.
  bool countsGroups(char letter) const;
  SmallVector<int64_t> shape() const;
  /// The number of an element, or none for a zero outside of the tensor.
  std::optional<size_t> find(ArrayRef<int64_t> coordinates,
                             PaddingMode padding = PaddingMode::Zeros) const;
  size_t find(const Indices &indices) const;
  std::string type() const;
};

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

Tensor::Tensor(TensorRole role, const Sizes &sizes)
    : role(role), sizes(sizes), elements(llvm::product_of(shape()), 0) {}

bool Tensor::countsGroups(char letter) const {
  bool isChannel =
      letter == 'K' || (letter == 'C' && role == TensorRole::Input);
  return isChannel && !sizes.hasGroupDimension();
}

SmallVector<int64_t> Tensor::shape() const {
  SmallVector<int64_t> shape;
  for (char letter : order())
    shape.push_back(sizes.size(letter) *
                    (countsGroups(letter) ? sizes.groups : 1));
  return shape;
}

std::optional<size_t> Tensor::find(ArrayRef<int64_t> coordinates,
                                   PaddingMode padding) const {
  size_t element = 0;
  for (auto [coordinate, size] : llvm::zip_equal(coordinates, shape())) {
    std::optional<int64_t> inside = pad(coordinate, size, padding);
    if (!inside)
      return std::nullopt;
    element = element * size + *inside;
  }
  return element;
}

size_t Tensor::find(const Indices &indices) const {
  SmallVector<int64_t> coordinates;
  for (char letter : order())
    coordinates.push_back(
        indices[letter] +
        (countsGroups(letter) ? indices['G'] * sizes.size(letter) : 0));
  return *find(coordinates);
}

std::string Tensor::type() const {
  std::string text = "tensor<";
  for (int64_t size : shape())
    text += std::to_string(size) + "x";
  return text + "f32>";
}

//===----------------------------------------------------------------------===//
// The definition
//===----------------------------------------------------------------------===//

using Tensors = std::array<Tensor, 3>;

template <typename Body>
void forEachIndex(const Sizes &sizes, StringRef letters, Indices &indices,
                  Body body) {
  if (letters.empty())
    return body();
  int64_t &index = indices[letters.front()];
  for (index = 0; index < sizes.size(letters.front()); ++index)
    forEachIndex(sizes, letters.drop_front(), indices, body);
}

/// Sets the input positions that a filter element meets in an output position;
/// false if it meets a zero of the padding.
bool setInputPositions(const Sizes &sizes, Indices &indices) {
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

/// The result in `result`'s place, from the other two tensors.
std::vector<int64_t> computeDefinition(const Tensors &tensors,
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
        product *= tensor.elements[tensor.find(indices)];
    sums[tensors[size_t(result)].find(indices)] += product;
  });
  return sums;
}

//===----------------------------------------------------------------------===//
// The products
//===----------------------------------------------------------------------===//

/// The digits of `index`, outermost first.
SmallVector<int64_t> split(int64_t index, ArrayRef<int64_t> sizes) {
  SmallVector<int64_t> digits(sizes.size());
  for (size_t i = sizes.size(); i-- > 0; index /= sizes[i])
    digits[i] = index % sizes[i];
  return digits;
}

/// Where an element of a view is, as the attribute's description says.
SmallVector<int64_t> locate(ViewAttr view, int64_t matrix, int64_t row,
                            int64_t column) {
  SmallVector<int64_t> digits = split(matrix, view.getBatch());
  llvm::append_range(digits, split(row, view.getRows()));
  llvm::append_range(digits, split(column, view.getColumns()));
  return view.getMap().compose(digits);
}

/// Calls `body` with each index of an element, in order.
template <typename Body> void forEachElement(ViewAttr view, Body body) {
  auto [matrices, rows, columns] = view.getShape();
  for (int64_t matrix = 0; matrix < matrices; ++matrix)
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t column = 0; column < columns; ++column)
        body(matrix, row, column);
}

/// All elements of a view, row by row.
std::vector<int64_t> gather(const Tensor &tensor, ViewAttr view) {
  std::vector<int64_t> elements;
  forEachElement(view, [&](int64_t matrix, int64_t row, int64_t column) {
    auto place =
        tensor.find(locate(view, matrix, row, column), view.getPadding());
    elements.push_back(place ? tensor.elements[*place] : 0);
  });
  return elements;
}

/// Writes one product over `result`.
void multiply(const MatrixProduct &product, const Tensors &tensors,
              Tensor &result) {
  std::vector<int64_t> lhs =
      gather(tensors[size_t(product.lhsRole)], product.lhs);
  std::vector<int64_t> rhs =
      gather(tensors[size_t(product.rhsRole)], product.rhs);
  auto [matrices, rows, columns] = product.result.getShape();
  int64_t reduction = product.lhs.getShape()[2];
  ASSERT_EQ(product.lhs.getShape(), (std::array{matrices, rows, reduction}));
  ASSERT_EQ(product.rhs.getShape(), (std::array{matrices, columns, reduction}));
  forEachElement(
      product.result, [&](int64_t matrix, int64_t row, int64_t column) {
        auto place = result.find(locate(product.result, matrix, row, column));
        ASSERT_TRUE(place.has_value());
        const int64_t *left = &lhs[(matrix * rows + row) * reduction];
        const int64_t *right = &rhs[(matrix * columns + column) * reduction];
        result.elements[*place] =
            std::inner_product(left, left + reduction, right, int64_t(0));
      });
}

/// A vector's element is that of the result's channel, counted over all groups.
void checkChannels(const MatrixProduct &product, const Tensor &result) {
  char channel = result.role == TensorRole::Input ? 'C' : 'K';
  size_t group = result.order().find('G');
  forEachElement(product.result, [&](int64_t matrix, int64_t row,
                                     int64_t column) {
    SmallVector<int64_t> place = locate(product.result, matrix, row, column);
    int64_t expected = place[result.order().find(channel)];
    if (group != std::string::npos)
      expected += place[group] * result.sizes.size(channel);
    EXPECT_EQ(locate(product.channels, matrix, row, column),
              SmallVector<int64_t>{expected});
  });
}

//===----------------------------------------------------------------------===//
// Random convolutions
//===----------------------------------------------------------------------===//

class Random {
public:
  explicit Random(unsigned seed) : generator(seed) {}
  int64_t upTo(int64_t last, int64_t first = 0) {
    return std::uniform_int_distribution<int64_t>(first, last)(generator);
  }
  Sizes makeSizes(size_t rank, PaddingMode padding);
  Tensors makeTensors(const Sizes &sizes);

private:
  std::string makeOrder(std::string letters, bool hasGroups) {
    if (hasGroups)
      letters += 'G';
    std::shuffle(letters.begin(), letters.end(), generator);
    return letters;
  }
  std::mt19937 generator;
};

Sizes Random::makeSizes(size_t rank, PaddingMode padding) {
  Sizes sizes;
  do {
    sizes = {};
    sizes.padding = padding;
    sizes.n = upTo(2, 1);
    sizes.groups = upTo(3, 1);
    sizes.c = upTo(3, 1);
    sizes.k = upTo(3, 1);
    for (size_t d = 0; d < rank; ++d) {
      sizes.input.push_back(upTo(rank == 3 ? 5 : 9, 1));
      sizes.filter.push_back(upTo(rank == 3 ? 3 : 4, 1));
      sizes.strides.push_back(upTo(4, 1));
      sizes.dilations.push_back(upTo(4, 1));
      sizes.low.push_back(upTo(4));
      sizes.high.push_back(upTo(4));
    }
  } while (!sizes.isValid());
  bool hasGroups = upTo(1);
  const char *channels[] = {"NC", "KC", "NK"};
  for (int role = 0; role < 3; ++role)
    sizes.orders[role] = makeOrder(
        channels[role] + kSpatialLetters[role].substr(3 - rank), hasGroups);
  return sizes;
}

Tensors Random::makeTensors(const Sizes &sizes) {
  Tensors tensors = {Tensor(TensorRole::Input, sizes),
                     Tensor(TensorRole::Filter, sizes),
                     Tensor(TensorRole::Output, sizes)};
  for (Tensor &tensor : tensors)
    for (int64_t &element : tensor.elements)
      element = upTo(9, -9);
  return tensors;
}

/// A direction in the textual form of its op.
struct Form {
  const char *name;
  TensorRole lhs, rhs, result;
};

const Form &getForm(Direction direction) {
  using enum TensorRole;
  static const Form forms[] = {{"forward", Input, Filter, Output},
                               {"backward_data", Output, Filter, Input},
                               {"backward_weight", Input, Output, Filter}};
  return forms[size_t(direction)];
}

std::string print(ArrayRef<int64_t> values) {
  std::string text;
  for (int64_t value : values)
    text += (text.empty() ? "[" : ", ") + std::to_string(value);
  return text + "]";
}

/// The convolution in a function.
std::string print(const Tensors &tensors, Direction direction) {
  const Form &form = getForm(direction);
  const Sizes &sizes = tensors[0].sizes;
  std::string lhs = tensors[size_t(form.lhs)].type();
  std::string rhs = tensors[size_t(form.rhs)].type();
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "func.func @f(%a: " << lhs << ", %b: " << rhs << ") {\n  %r = conv."
         << form.name << " %a, %b window = <strides = " << print(sizes.strides)
         << ", dilations = " << print(sizes.dilations)
         << ", low = " << print(sizes.low) << ", high = " << print(sizes.high)
         << "> layouts = <\"" << llvm::join(sizes.orders, "\", \"")
         << "\"> groups = " << sizes.groups
         << " padding = " << stringifyPaddingMode(sizes.padding) << " : " << lhs
         << ", " << rhs << " -> " << tensors[size_t(form.result)].type()
         << "\n  return\n}\n";
  return text;
}

//===----------------------------------------------------------------------===//
// Tests
//===----------------------------------------------------------------------===//

class MatrixProductTest : public testing::Test {
protected:
  MatrixProductTest() { context.loadDialect<ConvDialect, func::FuncDialect>(); }

  SmallVector<MatrixProduct> getProducts(const Tensors &tensors,
                                         Direction direction);
  /// The definition and the products agree on each element.
  void check(const Tensors &tensors, Direction direction);

  MLIRContext context{MLIRContext::Threading::DISABLED};
};

SmallVector<MatrixProduct>
MatrixProductTest::getProducts(const Tensors &tensors, Direction direction) {
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(print(tensors, direction), &context);
  SmallVector<MatrixProduct> products;
  if (module)
    module->walk(
        [&](ConvolutionOpInterface op) { products = getMatrixProducts(op); });
  return products;
}

void MatrixProductTest::check(const Tensors &tensors, Direction direction) {
  SCOPED_TRACE(print(tensors, direction));
  TensorRole role = getForm(direction).result;
  Tensor result(role, tensors[0].sizes);
  // No sum of products is that large: what is not written is found.
  llvm::fill(result.elements, int64_t(1) << 60);
  SmallVector<MatrixProduct> products = getProducts(tensors, direction);
  ASSERT_FALSE(products.empty());
  for (const MatrixProduct &product : products) {
    multiply(product, tensors, result);
    EXPECT_EQ(bool(product.channels), role != TensorRole::Filter);
    if (product.channels)
      checkChannels(product, result);
  }
  EXPECT_EQ(result.elements, computeDefinition(tensors, role));
}

class RandomProductTest
    : public MatrixProductTest,
      public testing::WithParamInterface<std::tuple<Direction, int>> {};

TEST_P(RandomProductTest, IsTheConvolution) {
  auto [direction, rank] = GetParam();
  for (unsigned seed = 0; seed < 200 && !HasFailure(); ++seed) {
    Random random(seed);
    Sizes sizes = random.makeSizes(rank, PaddingMode::Zeros);
    check(random.makeTensors(sizes), direction);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Directions, RandomProductTest,
    testing::Combine(testing::Values(Direction::Forward,
                                     Direction::BackwardData,
                                     Direction::BackwardWeight),
                     testing::Values(1, 2, 3)),
    [](const testing::TestParamInfo<RandomProductTest::ParamType> &info) {
      return std::to_string(std::get<1>(info.param)) + "D_" +
             getForm(std::get<0>(info.param)).name;
    });

class PaddedProductTest : public MatrixProductTest,
                          public testing::WithParamInterface<PaddingMode> {};

// The gradient of the input is a product of views only where padding is zeros.
TEST_P(PaddedProductTest, IsTheConvolution) {
  for (Direction direction : {Direction::Forward, Direction::BackwardWeight})
    for (unsigned seed = 0; seed < 150 && !HasFailure(); ++seed) {
      Random random(seed);
      Sizes sizes = random.makeSizes(/*rank=*/1 + seed % 3, GetParam());
      check(random.makeTensors(sizes), direction);
    }
}

INSTANTIATE_TEST_SUITE_P(Modes, PaddedProductTest,
                         testing::Values(PaddingMode::Reflect,
                                         PaddingMode::Replicate,
                                         PaddingMode::Circular),
                         [](const testing::TestParamInfo<PaddingMode> &info) {
                           return stringifyPaddingMode(info.param).str();
                         });

/// Backward data of 8x8 pixels of `NHWC` in the usual layouts.
Sizes makeSquare(int64_t filter, int64_t stride, int64_t dilation) {
  Sizes sizes;
  sizes.c = 3;
  sizes.k = 5;
  sizes.input = {8, 8};
  sizes.filter = {filter, filter};
  sizes.strides = {stride, stride};
  sizes.dilations = {dilation, dilation};
  sizes.low = sizes.high = {0, 0};
  sizes.orders = {"NHWC", "KRSC", "NPQK"};
  return sizes;
}

/// The reductions of the products, in order.
class ResidueTest : public MatrixProductTest {
protected:
  SmallVector<int64_t> getReductions(const Sizes &sizes) {
    SmallVector<int64_t> reductions;
    for (const MatrixProduct &product :
         getProducts(Random(0).makeTensors(sizes), Direction::BackwardData))
      reductions.push_back(product.lhs.getShape()[2]);
    return reductions;
  }
};

// Each residue of the positions by the strides has its own filter elements:
// together they are all 3x3, none is multiplied by a zero between strides.
TEST_F(ResidueTest, HasTheFilterElementsThatMeetIt) {
  EXPECT_EQ(getReductions(makeSquare(3, 1, 1)), (SmallVector<int64_t>{9 * 5}));
  EXPECT_EQ(getReductions(makeSquare(3, 2, 1)),
            (SmallVector<int64_t>{4 * 5, 2 * 5, 2 * 5, 1 * 5}));
}

// Positions that no filter element meets are written first, by a product of
// one zero. With a dilation of 2, only even positions meet any.
TEST_F(ResidueTest, WithoutFilterElementsIsZeroed) {
  EXPECT_EQ(getReductions(makeSquare(1, 3, 1)), (SmallVector<int64_t>{1, 5}));
  EXPECT_EQ(getReductions(makeSquare(3, 2, 2)),
            (SmallVector<int64_t>{1, 9 * 5}));
}

} // namespace
