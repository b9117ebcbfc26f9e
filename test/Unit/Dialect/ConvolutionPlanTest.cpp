//===- ConvolutionPlanTest.cpp - plans against the definition --*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random small convolutions on integers, computed twice: by one loop over every
// index that adds each product where it belongs, and by the steps that the
// compiler plans for the op, read and written through their views.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/ConvolutionPlan.h"
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

/// Elements of a shape, the last dimension innermost.
struct Array {
  SmallVector<int64_t> shape;
  std::vector<int64_t> elements;

  explicit Array(ArrayRef<int64_t> shape, int64_t value = 0)
      : shape(shape), elements(llvm::product_of(shape), value) {}
  /// The number of an element, or none for a zero outside of the array.
  std::optional<size_t> find(ArrayRef<int64_t> coordinates,
                             PaddingMode padding = PaddingMode::Zeros) const;
};

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

/// An operand or the result of a convolution.
struct Tensor : Array {
  TensorRole role;
  const Sizes &sizes;

  Tensor(TensorRole role, const Sizes &sizes, int64_t value = 0)
      : Array(getShape(role, sizes), value), role(role), sizes(sizes) {}
  const std::string &order() const { return sizes.orders[size_t(role)]; }
  size_t findIndices(const Indices &indices) const;
  std::string type() const;
  /// Whether this dimension counts the channels of all groups.
  static bool countsGroups(TensorRole role, const Sizes &sizes, char letter);
  static SmallVector<int64_t> getShape(TensorRole role, const Sizes &sizes);
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
        product *= tensor.elements[tensor.findIndices(indices)];
    sums[tensors[size_t(result)].findIndices(indices)] += product;
  });
  return sums;
}

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

/// What no sum of products reaches: an element that was not written.
constexpr int64_t kUnwritten = int64_t(1) << 40;

/// The digits of `index`, outermost first.
SmallVector<int64_t> split(int64_t index, ArrayRef<int64_t> sizes) {
  SmallVector<int64_t> digits(sizes.size());
  for (size_t i = sizes.size(); i-- > 0; index /= sizes[i])
    digits[i] = index % sizes[i];
  return digits;
}

/// Batch, row and column.
using Element = std::array<int64_t, 3>;

/// Where an element of a view is, or nothing if a condition excludes it, as the
/// attribute's description says.
std::optional<SmallVector<int64_t>> locate(ViewAttr view,
                                           const Element &element) {
  SmallVector<int64_t> digits = split(element[0], view.getBatch());
  llvm::append_range(digits, split(element[1], view.getRows()));
  llvm::append_range(digits, split(element[2], view.getColumns()));
  SmallVector<int64_t> place = view.getMap().compose(digits);
  for (int64_t limit : llvm::reverse(view.getLimits()))
    if (int64_t condition = place.pop_back_val();
        condition < 0 || condition >= limit)
      return std::nullopt;
  return place;
}

/// Calls `body` with each element of a view, in order.
template <typename Body> void forEachElement(ViewAttr view, Body body) {
  auto [matrices, rows, columns] = view.getShape();
  for (int64_t matrix = 0; matrix < matrices; ++matrix)
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t column = 0; column < columns; ++column)
        body(Element{matrix, row, column});
}

/// All matrices of a view.
Array gather(const Array &tensor, ViewAttr view) {
  Array matrices(view.getShape());
  forEachElement(view, [&](const Element &element) {
    auto place = locate(view, element);
    auto found = place ? tensor.find(*place, view.getPadding()) : std::nullopt;
    matrices.elements[*matrices.find(element)] =
        found ? tensor.elements[*found] : 0;
  });
  return matrices;
}

/// Adds `lhs * transpose(rhs)`.
void multiply(const Array &lhs, const Array &rhs, Array &sum) {
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
void scatter(const Array &matrices, ViewAttr view, Array &tensor) {
  forEachElement(view, [&](const Element &element) {
    auto place = locate(view, element);
    if (!place)
      return;
    auto found = tensor.find(*place);
    ASSERT_TRUE(found.has_value());
    tensor.elements[*found] = matrices.elements[*matrices.find(element)];
  });
}

/// A vector's element is that of the result's channel, counted over all groups.
void checkChannels(const PlanPart &part, const Tensor &result) {
  char channel = result.role == TensorRole::Input ? 'C' : 'K';
  size_t group = result.order().find('G');
  forEachElement(part.target, [&](const Element &element) {
    auto place = locate(part.target, element);
    if (!place)
      return;
    int64_t expected = (*place)[result.order().find(channel)];
    if (group != std::string::npos)
      expected += (*place)[group] * result.sizes.size(channel);
    EXPECT_EQ(locate(part.channels, element), SmallVector<int64_t>{expected});
  });
}

/// Runs one part of a step.
void execute(const PlanStep &step, const PlanPart &part, const Tensors &tensors,
             std::vector<Array> &intermediates, Tensor &result) {
  Array sum(part.target.getShape());
  if (part.product)
    multiply(gather(tensors[size_t(part.product->lhsRole)], part.product->lhs),
             gather(tensors[size_t(part.product->rhsRole)], part.product->rhs),
             sum);
  for (const PlanPart::Term &term : part.terms) {
    Array added = gather(intermediates[term.intermediate], term.view);
    ASSERT_EQ(added.shape, sum.shape);
    for (auto [total, element] : llvm::zip(sum.elements, added.elements))
      total += element;
  }
  if (step.intermediate)
    return scatter(sum, part.target, intermediates[*step.intermediate]);
  scatter(sum, part.target, result);
  EXPECT_EQ(bool(part.channels), result.role != TensorRole::Filter);
  if (part.channels)
    checkChannels(part, result);
}

/// Runs the steps one after the other. Parts of a step do not depend on each
/// other: the last one runs first.
void execute(const ConvolutionPlan &plan, const Tensors &tensors,
             Tensor &result) {
  std::vector<Array> intermediates;
  for (ArrayRef<int64_t> shape : plan.intermediates)
    intermediates.emplace_back(shape, kUnwritten);
  for (const PlanStep &step : plan.steps)
    for (const PlanPart &part : llvm::reverse(step.parts))
      execute(step, part, tensors, intermediates, result);
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

class ConvolutionPlanTest : public testing::Test {
protected:
  ConvolutionPlanTest() {
    context.loadDialect<ConvDialect, func::FuncDialect>();
  }

  /// Keeps the op until the next one.
  ConvolutionOpInterface parse(const Tensors &tensors, Direction direction);
  /// The definition and the plan agree on each element.
  void check(ConvolutionOpInterface op, const Tensors &tensors,
             const PlanOptions &options);
  /// Random problems without options, and with random ones.
  void checkRandom(Direction direction, size_t rank, PaddingMode padding,
                   unsigned seeds);

  MLIRContext context{MLIRContext::Threading::DISABLED};
  OwningOpRef<ModuleOp> module;
};

ConvolutionOpInterface ConvolutionPlanTest::parse(const Tensors &tensors,
                                                  Direction direction) {
  module = parseSourceString<ModuleOp>(print(tensors, direction), &context);
  ConvolutionOpInterface found;
  if (module)
    module->walk([&](ConvolutionOpInterface op) { found = op; });
  return found;
}

void ConvolutionPlanTest::check(ConvolutionOpInterface op,
                                const Tensors &tensors,
                                const PlanOptions &options) {
  TensorRole role = getForm(op.getDirection()).result;
  Tensor result(role, tensors[0].sizes, kUnwritten);
  execute(planConvolution(op, options), tensors, result);
  EXPECT_EQ(result.elements, computeDefinition(tensors, role))
      << "merged groups " << options.mergedGroups << ", splits "
      << options.splits << ", patch " << print(options.patch)
      << (options.joinsResidues ? ", joined residues" : "");
}

void ConvolutionPlanTest::checkRandom(Direction direction, size_t rank,
                                      PaddingMode padding, unsigned seeds) {
  for (unsigned seed = 0; seed < seeds && !HasFailure(); ++seed) {
    Random random(seed);
    Sizes sizes = random.makeSizes(rank, padding);
    Tensors tensors = random.makeTensors(sizes);
    SCOPED_TRACE(print(tensors, direction));
    ConvolutionOpInterface op = parse(tensors, direction);
    ASSERT_TRUE(op);
    check(op, tensors, PlanOptions());
    PlanOptions options;
    options.splits = random.upTo(getSplittableSize(op), 1);
    do
      options.mergedGroups = random.upTo(sizes.groups, 1);
    while (sizes.groups % options.mergedGroups);
    if (rank == 2 && random.upTo(1))
      options.patch = {random.upTo(2, 1) * PlanOptions::kBlockSize,
                       random.upTo(2, 1) * PlanOptions::kBlockSize};
    check(op, tensors, options);
    check(op, tensors, {.joinsResidues = true});
  }
}

class RandomPlanTest
    : public ConvolutionPlanTest,
      public testing::WithParamInterface<std::tuple<Direction, int>> {};

TEST_P(RandomPlanTest, IsTheConvolution) {
  auto [direction, rank] = GetParam();
  checkRandom(direction, rank, PaddingMode::Zeros, /*seeds=*/150);
}

TEST_P(RandomPlanTest, IsTheConvolutionOfOtherPadding) {
  auto [direction, rank] = GetParam();
  for (PaddingMode padding :
       {PaddingMode::Reflect, PaddingMode::Replicate, PaddingMode::Circular})
    checkRandom(direction, rank, padding, /*seeds=*/50);
}

INSTANTIATE_TEST_SUITE_P(
    Directions, RandomPlanTest,
    testing::Combine(testing::Values(Direction::Forward,
                                     Direction::BackwardData,
                                     Direction::BackwardWeight),
                     testing::Values(1, 2, 3)),
    [](const testing::TestParamInfo<RandomPlanTest::ParamType> &info) {
      return std::to_string(std::get<1>(info.param)) + "D_" +
             getForm(std::get<0>(info.param)).name;
    });

/// 8x8 positions in the usual layouts.
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

// A gradient of three output channels does not gather nine input channels:
// these are its rows, and columns are taps and output channels.
TEST_F(ConvolutionPlanTest, FewOutputChannelsHaveTheWindows) {
  Sizes sizes = makeSquare(3, 1, 2);
  sizes.n = 2;
  sizes.c = 9;
  sizes.k = 3;
  sizes.low = {1, 2};
  sizes.high = {3, 0};
  for (const std::array<std::string, 3> &orders :
       {std::array<std::string, 3>{"NHWC", "KRSC", "NPQK"},
        std::array<std::string, 3>{"NCHW", "KCRS", "NKPQ"}}) {
    sizes.orders = orders;
    Tensors tensors = Random(0).makeTensors(sizes);
    ConvolutionOpInterface op = parse(tensors, Direction::BackwardWeight);
    ASSERT_TRUE(op);
    ConvolutionPlan plan = planConvolution(op, PlanOptions());
    EXPECT_EQ(plan.steps.front().parts.front().product->lhs.getShape()[1], 9);
    EXPECT_EQ(plan.steps.front().parts.front().product->rhs.getShape()[1],
              9 * 3);
    for (int64_t splits : {1, 3, 8})
      check(op, tensors, {.splits = splits});
  }
}

// 12x20 positions in patches of 8x16: two by two patches, of which each has one
// block by two.
TEST_F(ConvolutionPlanTest, PatchesAreDigits) {
  Sizes sizes = makeSquare(3, 1, 1);
  sizes.input = {12, 20};
  sizes.low = sizes.high = {1, 1};
  Tensors tensors = Random(0).makeTensors(sizes);
  ConvolutionPlan plan =
      planConvolution(parse(tensors, Direction::Forward), {.patch = {8, 16}});
  ASSERT_EQ(plan.steps.size(), 1u);
  const PlanPart &part = plan.getLargestProduct();
  EXPECT_EQ(part.product->lhs.getRows(),
            ArrayRef<int64_t>({1, 2, 2, 1, 2, 8, 8}));
  EXPECT_EQ(part.target.getLimits(), ArrayRef<int64_t>({12, 20}));
}

class ResidueTest : public ConvolutionPlanTest {
protected:
  /// The reductions of backward data's parts, 0 without a product.
  SmallVector<int64_t> getReductions(const Sizes &sizes) {
    Tensors tensors = Random(0).makeTensors(sizes);
    SmallVector<int64_t> reductions;
    for (const PlanStep &step :
         planConvolution(parse(tensors, Direction::BackwardData), PlanOptions())
             .steps) {
      numParts.push_back(step.parts.size());
      for (const PlanPart &part : step.parts)
        reductions.push_back(part.product ? part.product->lhs.getShape()[2]
                                          : 0);
    }
    return reductions;
  }

  SmallVector<size_t> numParts; ///< Of the steps of all plans so far.
};

// Each residue of the positions by the strides has its own filter elements:
// together they are all 3x3, none is multiplied by a zero between strides.
TEST_F(ResidueTest, HasTheFilterElementsThatMeetIt) {
  EXPECT_EQ(getReductions(makeSquare(3, 1, 1)), (SmallVector<int64_t>{9 * 5}));
  EXPECT_EQ(getReductions(makeSquare(3, 2, 1)),
            (SmallVector<int64_t>{4 * 5, 2 * 5, 2 * 5, 1 * 5}));
}

// Positions that no filter element meets are parts without a product: those in
// the lines of the others by residue, and whole lines. With a dilation of 2,
// only even positions meet any.
TEST_F(ResidueTest, WithoutFilterElementsIsZeroed) {
  EXPECT_EQ(getReductions(makeSquare(1, 3, 1)),
            (SmallVector<int64_t>{5, 0, 0, 0, 0}));
  EXPECT_EQ(getReductions(makeSquare(3, 2, 2)),
            (SmallVector<int64_t>{9 * 5, 0, 0}));
}

// One kernel computes all residues, unless there are many.
TEST_F(ResidueTest, SharesAKernel) {
  getReductions(makeSquare(3, 2, 1));
  getReductions(makeSquare(3, 3, 1));
  getReductions(makeSquare(4, 4, 1));
  EXPECT_EQ(numParts, (SmallVector<size_t>{4, 9, 9, 7}));
}

} // namespace
