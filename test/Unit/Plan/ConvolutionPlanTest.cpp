//===- ConvolutionPlanTest.cpp - plans against the definition ---*- C++ -*-===//
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

#include "PlanInterpreter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <random>

using namespace mlir;
using namespace mlir::conv;
using namespace mlir::conv::test;

namespace {

class Random {
public:
  explicit Random(unsigned seed) : generator(seed) {}
  int64_t upTo(int64_t last, int64_t first = 0) {
    return std::uniform_int_distribution<int64_t>(first, last)(generator);
  }
  /// A small number of split-K slices that S12 allows.
  int64_t drawSplits(ConvolutionOpInterface op, PlanOptions options) {
    int64_t most = std::min<int64_t>(getSplittableSize(op, options), 24);
    do
      options.splits = upTo(most, 1);
    while (!canSplit(op, options));
    return options.splits;
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

  /// Keeps the op until the next call.
  ConvolutionOpInterface parse(const Tensors &tensors, Direction direction);
  /// Checks that the definition and the plan agree on each element.
  void check(ConvolutionOpInterface op, const Tensors &tensors,
             const PlanOptions &options);
  /// Checks random problems without options, and with random ones.
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

/// All digits of a view have distinct roles (V5, V6).
static void checkRoles(ViewAttr view) {
  ASSERT_EQ(view.getRoles().size(), view.getDigitSizes().size());
  for (auto [digit, role] : llvm::enumerate(view.getRoles())) {
    EXPECT_TRUE(DigitRole::parse(role.str())) << role.str();
    EXPECT_EQ(view.find(role), digit) << role.str();
  }
}

/// A role names one index in all views of a product (T7).
static void checkRoles(const ConvolutionPlan &plan) {
  for (const PlanStep &step : plan.steps)
    for (const PlanSubproblem &subproblem : step.subproblems) {
      checkRoles(subproblem.target);
      for (const PlanSubproblem::Term &term : subproblem.terms)
        EXPECT_EQ(term.view.getRoles(), subproblem.target.getRoles());
      if (subproblem.channels)
        EXPECT_EQ(subproblem.channels.getRoles(), subproblem.target.getRoles());
      if (!subproblem.product)
        continue;
      ViewAttr lhs = subproblem.product->lhs, rhs = subproblem.product->rhs;
      checkRoles(lhs);
      checkRoles(rhs);
      EXPECT_EQ(lhs.getBatchRoles(), rhs.getBatchRoles());
      EXPECT_EQ(lhs.getColumnRoles(), rhs.getColumnRoles());
      EXPECT_EQ(lhs.getRowRoles(), subproblem.target.getRowRoles());
      EXPECT_EQ(rhs.getRowRoles(), subproblem.target.getColumnRoles());
    }
}

void ConvolutionPlanTest::check(ConvolutionOpInterface op,
                                const Tensors &tensors,
                                const PlanOptions &options) {
  TensorRole role = getForm(op.getDirection()).result;
  Tensor result(role, tensors[0].sizes, kUnwritten);
  ConvolutionPlan plan = planConvolution(op, options);
  checkRoles(plan);
  execute(plan, tensors, result);
  EXPECT_EQ(result.elements, computeDefinition(tensors, role))
      << "merged groups " << options.mergedGroups << ", splits "
      << options.splits << ", halo tile " << print(options.haloTile)
      << (options.joinsPhases ? ", joined dgrad phases" : "")
      << (options.hasChannelRows ? ", rows of channels" : "")
      << (options.transposed ? ", transposed" : "");
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
    do
      options.mergedGroups = random.upTo(sizes.groups, 1);
    while (sizes.groups % options.mergedGroups);
    if (rank >= 2 && random.upTo(1))
      options.haloTile = {random.upTo(2, 1) * PlanOptions::kBlockSize,
                          random.upTo(2, 1) * PlanOptions::kBlockSize};
    options.splits = random.drawSplits(op, options);
    check(op, tensors, options);
    check(op, tensors, {.hasChannelRows = true});
    check(op, tensors, {.splits = options.splits, .hasChannelRows = true});
    check(op, tensors, {.joinsPhases = true});
    check(op, tensors,
          {.mergedGroups = options.mergedGroups, .keepsDeadTaps = true});
    int64_t joined = random.drawSplits(op, {.joinsPhases = true});
    check(op, tensors, {.splits = joined, .joinsPhases = true});
    check(op, tensors, {.haloTile = options.haloTile, .joinsPhases = true});
    PlanOptions turned = {
        .haloTile = {PlanOptions::kBlockSize, PlanOptions::kBlockSize},
        .transposed = true};
    if (!findTransposedObstacle(op, turned.haloTile).empty())
      continue;
    check(op, tensors, turned);
    turned.splits = random.drawSplits(op, turned);
    check(op, tensors, turned);
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

// A gradient of three output channels does not gather nine input channels: the
// input channels are its rows, and columns are taps and output channels.
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
    EXPECT_EQ(plan.steps.front().subproblems.front().product->lhs.getShape()[1],
              9);
    EXPECT_EQ(plan.steps.front().subproblems.front().product->rhs.getShape()[1],
              9 * 3);
    for (int64_t splits : {1, 3, 8})
      check(op, tensors, {.splits = splits});
  }
}

// 12x20 positions in halo tiles of 8x16: two by two halo tiles, each of one
// block by two.
/// S12: a digit that divides evenly is split alone, or else several together.
TEST_F(ConvolutionPlanTest, SeveralDigitsAreSplitEvenly) {
  Sizes sizes = makeSquare(1, 1, 1);
  sizes.n = 6;
  sizes.input = {4, 15};
  Tensors tensors = Random(0).makeTensors(sizes);
  ConvolutionOpInterface op = parse(tensors, Direction::BackwardWeight);
  ASSERT_TRUE(op);
  auto getSlices = [&](int64_t splits) {
    ViewAttr view = planConvolution(op, {.splits = splits})
                        .getLargestProduct()
                        .product->lhs;
    std::vector<std::pair<char, int64_t>> slices;
    for (DigitRole role : view.getBatchRoles())
      if (role.part == DigitPart::Split)
        slices.emplace_back(role.letter, view.getSize(role));
    return slices;
  };
  using Slices = std::vector<std::pair<char, int64_t>>;
  EXPECT_EQ(getSlices(5), (Slices{{'q', 5}}));
  EXPECT_EQ(getSlices(8), (Slices{{'n', 2}, {'p', 4}}));
  EXPECT_EQ(getSlices(24), (Slices{{'n', 6}, {'p', 4}}));
  EXPECT_EQ(getSliceSize(op, {.splits = 8}), 6 * 4 * 15 / 8);
  // Not even, but the longest digit has so many; the last slices are shorter.
  EXPECT_EQ(getSlices(7), (Slices{{'q', 7}}));
  // Slices of the last digit, with others, would be short runs in memory.
  EXPECT_FALSE(canSplit(op, {.splits = 45}));
  EXPECT_FALSE(canSplit(op, {.splits = 17}));
  EXPECT_TRUE(canSplit(op, {.splits = 24}));
  EXPECT_EQ(getSplittableSize(op), 6 * 4 * 15);
}

TEST_F(ConvolutionPlanTest, HaloTilesAreDigits) {
  Sizes sizes = makeSquare(3, 1, 1);
  sizes.input = {12, 20};
  sizes.low = sizes.high = {1, 1};
  Tensors tensors = Random(0).makeTensors(sizes);
  ConvolutionPlan plan = planConvolution(parse(tensors, Direction::Forward),
                                         {.haloTile = {8, 16}});
  ASSERT_EQ(plan.steps.size(), 1u);
  const PlanSubproblem &subproblem = plan.getLargestProduct();
  EXPECT_EQ(subproblem.product->lhs.getRows(),
            ArrayRef<int64_t>({1, 2, 2, 1, 2, 8, 8}));
  EXPECT_EQ(subproblem.product->lhs.getRowRoles(),
            ArrayRef<DigitRole>({'n',
                                 {'p', DigitPart::Tile},
                                 {'q', DigitPart::Tile},
                                 {'p', DigitPart::Block},
                                 {'q', DigitPart::Block},
                                 {'p', DigitPart::In},
                                 {'q', DigitPart::In}}));
  EXPECT_EQ(subproblem.target.getLimits(), ArrayRef<int64_t>({12, 20}));
}

// Products of 1x1 windows whose rows are channels, in each layout.
TEST_F(ConvolutionPlanTest, TransposedIsTheConvolution) {
  Sizes sizes;
  sizes.n = 3;
  sizes.c = 5;
  sizes.k = 7;
  sizes.input = {11};
  sizes.filter = sizes.strides = sizes.dilations = {1};
  sizes.low = sizes.high = {0};
  for (const std::array<std::string, 3> &orders :
       {std::array<std::string, 3>{"NCW", "KSC", "NKQ"},
        std::array<std::string, 3>{"NWC", "CSK", "NQK"},
        std::array<std::string, 3>{"WCN", "SKC", "KQN"}})
    for (Direction direction : {Direction::Forward, Direction::BackwardData}) {
      sizes.orders = orders;
      Tensors tensors = Random(0).makeTensors(sizes);
      ConvolutionOpInterface op = parse(tensors, direction);
      ASSERT_TRUE(op);
      ASSERT_EQ(findTransposedObstacle(op), "");
      check(op, tensors, {.transposed = true});
    }
}

// A transposed product has a window without neighbours.
TEST_F(ConvolutionPlanTest, TransposedNeedsOneElement) {
  Tensors square = Random(0).makeTensors(makeSquare(1, 1, 1));
  EXPECT_NE(findTransposedObstacle(parse(square, Direction::Forward)), "");
  Sizes sizes = makeSquare(1, 1, 1);
  sizes.input = {8};
  sizes.filter = sizes.strides = sizes.dilations = {1};
  sizes.low = sizes.high = {0};
  sizes.orders = {"NWC", "KSC", "NQK"};
  Tensors line = Random(0).makeTensors(sizes);
  EXPECT_NE(findTransposedObstacle(parse(line, Direction::BackwardWeight)), "");
}

/// Products and boxes of zeros of a step, in the order of its subproblems: the
/// columns that each writes, and its reduction, 0 for zeros.
SmallVector<std::pair<int64_t, int64_t>> getWork(const PlanStep &step) {
  SmallVector<std::pair<int64_t, int64_t>> work;
  for (const PlanSubproblem &subproblem : step.subproblems)
    work.push_back(
        {subproblem.target.getShape()[2],
         subproblem.product ? subproblem.product->lhs.getShape()[2] : 0});
  return work;
}

// Taps that see nothing but zeros are not multiplied: of a window that is wider
// than the image on both sides the one in the middle, and of one that begins
// inside of the image all but the last. Their gradients are zeros.
TEST_F(ConvolutionPlanTest, DeadTapsAreNotMultiplied) {
  using Work = SmallVector<std::pair<int64_t, int64_t>>;
  Sizes wide = makeSquare(3, 1, 9);
  wide.low = wide.high = {9, 9};
  Sizes late = makeSquare(3, 1, 5);
  late.low = {0, 5};
  late.high = {10, 5};
  struct {
    Sizes sizes;
    Work forward, data, weight;
  } cases[] = {
      {wide, {{5, 3}}, {{3, 5}}, {{3, 64}, {9, 0}, {9, 0}, {3, 0}, {3, 0}}},
      {late, {{5, 2 * 3 * 3}}, {{3, 2 * 3 * 5}}, {{18, 64}, {9, 0}}}};
  for (auto &[sizes, forward, data, weight] : cases) {
    Tensors tensors = Random(0).makeTensors(sizes);
    for (auto [direction, work] :
         {std::pair(Direction::Forward, forward),
          std::pair(Direction::BackwardData, data),
          std::pair(Direction::BackwardWeight, weight)}) {
      ConvolutionOpInterface op = parse(tensors, direction);
      ASSERT_TRUE(op);
      EXPECT_EQ(getWork(planConvolution(op, {}).steps.back()), work);
      check(op, tensors, {});
      check(op, tensors, {.splits = 2});
      check(op, tensors, {.haloTile = {8, 8}});
      PlanOptions all = {.keepsDeadTaps = true};
      EXPECT_EQ(getWork(planConvolution(op, all).steps.back()).size(), 1u);
      check(op, tensors, all);
    }
  }
}

class DgradPhaseTest : public ConvolutionPlanTest {
protected:
  /// The reductions of backward data's subproblems, 0 without a product.
  SmallVector<int64_t> getReductions(const Sizes &sizes) {
    Tensors tensors = Random(0).makeTensors(sizes);
    SmallVector<int64_t> reductions;
    for (const PlanStep &step :
         planConvolution(parse(tensors, Direction::BackwardData), PlanOptions())
             .steps) {
      numSubproblems.push_back(step.subproblems.size());
      for (const PlanSubproblem &subproblem : step.subproblems)
        reductions.push_back(
            subproblem.product ? subproblem.product->lhs.getShape()[2] : 0);
    }
    return reductions;
  }

  SmallVector<size_t>
      numSubproblems; ///< Subproblems of the steps of all plans so far.
};

// Each dgrad phase of the positions has its own filter elements: together they
// are all 3x3, and none is multiplied by a zero between strides.
TEST_F(DgradPhaseTest, HasTheFilterElementsThatMeetIt) {
  EXPECT_EQ(getReductions(makeSquare(3, 1, 1)), (SmallVector<int64_t>{9 * 5}));
  EXPECT_EQ(getReductions(makeSquare(3, 2, 1)),
            (SmallVector<int64_t>{4 * 5, 2 * 5, 2 * 5, 1 * 5}));
}

// Positions that no filter element meets are subproblems without a product: by
// dgrad phase in lines with other positions, and whole lines. With a dilation
// of 2, only even positions meet any.
TEST_F(DgradPhaseTest, WithoutFilterElementsIsZeroed) {
  EXPECT_EQ(getReductions(makeSquare(1, 3, 1)),
            (SmallVector<int64_t>{5, 0, 0, 0, 0}));
  EXPECT_EQ(getReductions(makeSquare(3, 2, 2)),
            (SmallVector<int64_t>{9 * 5, 0, 0}));
}

// One kernel computes all dgrad phases.
TEST_F(DgradPhaseTest, SharesAKernel) {
  getReductions(makeSquare(3, 2, 1));
  getReductions(makeSquare(4, 3, 1));
  EXPECT_EQ(numSubproblems, (SmallVector<size_t>{4, 9}));
}

// If there are many, they are columns of one product, even if the filter is
// shorter than a stride, or dilated; and if a few more have as many elements.
TEST_F(DgradPhaseTest, IsJoined) {
  EXPECT_EQ(getReductions(makeSquare(4, 4, 1)), (SmallVector<int64_t>{5}));
  EXPECT_EQ(getReductions(makeSquare(6, 4, 1)), (SmallVector<int64_t>{4 * 5}));
  EXPECT_EQ(getReductions(makeSquare(1, 4, 1)), (SmallVector<int64_t>{5}));
  EXPECT_EQ(getReductions(makeSquare(2, 4, 3)), (SmallVector<int64_t>{5}));
  EXPECT_EQ(getReductions(makeSquare(3, 3, 1)), (SmallVector<int64_t>{5}));
  EXPECT_EQ(numSubproblems, SmallVector<size_t>(5, 1));
}

// Strides and dilations of 2 and of 6 leave gaps between positions.
TEST_F(DgradPhaseTest, HasGaps) {
  for (int64_t filter : {1, 2, 3}) {
    Sizes sizes = makeSquare(filter, 4, 2);
    sizes.strides = {6, 2};
    sizes.dilations = {4, 2};
    sizes.input = {19, 9};
    sizes.low = {3, 1};
    sizes.high = {2, 4};
    Tensors tensors = Random(0).makeTensors(sizes);
    ConvolutionOpInterface op = parse(tensors, Direction::BackwardData);
    ASSERT_TRUE(op);
    EXPECT_EQ(planConvolution(op, {}).getProducts().size(), 1u);
    check(op, tensors, {});
    check(op, tensors, {.hasChannelRows = true});
  }
}

} // namespace
