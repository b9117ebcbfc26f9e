//===- ScheduleTest.cpp - schedules of ops ----------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests that need IR: the heuristic's choice as a verified attribute, error
// bounds of epilogue regions, and the two forms of an explanation.
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Schedule.h"
#include "conv/Kernels/Parts/Warpgroup/WarpgroupFacts.h"
#include "conv/Schedule/Explain.h"
#include "conv/Schedule/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include "gtest/gtest.h"

#include <random>

using namespace mlir;
using namespace mlir::conv;

namespace {

class ScheduleTest : public testing::Test {
protected:
  ScheduleTest() {
    context.loadDialect<ConvDialect, arith::ArithDialect, func::FuncDialect,
                        math::MathDialect>();
  }

  /// A 3x3 layer for `chip` with the given epilogue.
  ForwardOp parse(StringRef chip, StringRef epilogue = "") {
    std::string source =
        (R"(module attributes {conv.target = #conv.target<")" + chip + R"(">} {
          func.func @f(%x: tensor<8x28x28x64xf16>, %w: tensor<32x3x3x64xf16>,
                       %bias: tensor<32xf16>, %residual: tensor<8x28x28x32xf16>)
              -> tensor<8x28x28x32xf16> {
            %y = conv.forward %x, %w
                window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
                layouts = <"NHWC", "KRSC", "NPQK"> )" +
         epilogue + R"(
                : tensor<8x28x28x64xf16>, tensor<32x3x3x64xf16> -> tensor<8x28x28x32xf16>
            return %y : tensor<8x28x28x32xf16>
          }
        })")
            .str();
    module = parseSourceString<ModuleOp>(source, &context);
    EXPECT_TRUE(module);
    ForwardOp found;
    module->walk([&](ForwardOp op) { found = op; });
    return found;
  }

  ForwardOp select(StringRef chip) {
    ForwardOp op = parse(chip);
    PassManager manager(&context);
    manager.addPass(createSelectSchedulePass());
    EXPECT_TRUE(succeeded(manager.run(*module)));
    return op;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(ScheduleTest, ProblemHasTheSizesOfTheOp) {
  ::conv::Problem problem = computeProblem(parse("gfx942", R"(
      epilogue(%bias : tensor<32xf16>, %residual : tensor<8x28x28x32xf16>) {
      ^bb0(%acc: f32, %b: f16, %r: f16):
        %out = arith.truncf %acc : f32 to f16
        conv.yield %out : f16
      })"),
                                           PlanOptions());
  EXPECT_EQ(problem.batch, 1);
  EXPECT_EQ(problem.rows, 8 * 28 * 28);
  EXPECT_EQ(problem.columns, 32);
  EXPECT_EQ(problem.reduction, 576);
  EXPECT_EQ(problem.products, 1);
  EXPECT_EQ(problem.launches, 1);
  EXPECT_EQ(problem.usefulFlops, problem.flops());
  EXPECT_EQ(problem.lhsRun.elements, 64);
  EXPECT_EQ(problem.rhsRun.elements, 576); // A row.
  EXPECT_TRUE(problem.lhsRun.isAlongReduction);
  EXPECT_TRUE(problem.rhsRun.isAlongReduction);
  EXPECT_FALSE(problem.lhsRun.isApart);
  EXPECT_FALSE(problem.rhsRun.isApart);
  EXPECT_EQ(problem.operand, ::conv::NumericType::F16);
  EXPECT_EQ(problem.epilogueBytes, 2 * (32 + 8 * 28 * 28 * 32));
}

TEST_F(ScheduleTest, OddRowsAreStoredTogetherIfTheyAreWhole) {
  auto describe = [&](StringRef text) {
    module = parseSourceString<ModuleOp>(
        ("func.func @f(%x: tensor<2x9x9x64xbf16>, %w: tensor<255x1x1x64xbf16>, "
         "%v: tensor<2x9x9x33xbf16>, %few: tensor<21x1x1x64xbf16>) {\n" +
         text + "\nreturn\n}")
            .str(),
        &context);
    EXPECT_TRUE(module);
    ConvolutionOpInterface found;
    module->walk([&](ConvolutionOpInterface op) { found = op; });
    return computeProblem(found, PlanOptions());
  };
  ::conv::WarpgroupTile tile{
      .rows = 64, .columns = 32, .stages = 4, .consumers = 1};
  ::conv::Problem rows = describe(R"(
      %y = conv.forward %x, %w
          window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
          layouts = <"NHWC", "KRSC", "NPQK">
          : tensor<2x9x9x64xbf16>, tensor<255x1x1x64xbf16> -> tensor<2x9x9x255xbf16>)");
  EXPECT_TRUE(rows.hasOddResultRows);
  EXPECT_TRUE(::conv::storesOddRows(rows, tile));
  // Columns of other taps have other outer digits.
  ::conv::Problem taps = describe(R"(
      %dw = conv.backward_weight %v, %x
          window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
          layouts = <"NHWC", "KRSC", "NPQK">
          : tensor<2x9x9x33xbf16>, tensor<2x9x9x64xbf16> -> tensor<64x3x3x33xbf16>)");
  EXPECT_TRUE(taps.hasOddResultRows);
  EXPECT_FALSE(::conv::storesOddRows(taps, tile));
  ::conv::Problem few = describe(R"(
      %y = conv.forward %x, %few
          window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
          layouts = <"NHWC", "KRSC", "NPQK">
          : tensor<2x9x9x64xbf16>, tensor<21x1x1x64xbf16> -> tensor<2x9x9x21xbf16>)");
  EXPECT_TRUE(few.hasOddResultRows);
  EXPECT_FALSE(::conv::storesOddRows(few, tile));
}

TEST_F(ScheduleTest, EveryCandidateIsAValidAttribute) {
  ForwardOp op = parse("gfx942");
  Type f16 = Float16Type::get(&context), f32 = Float32Type::get(&context);
  std::mt19937 generator(7);
  auto size = [&](double octaves) {
    return int64_t(std::exp2(
        std::uniform_real_distribution<double>(0, octaves)(generator)));
  };
  for (const ::conv::ChipInfo &chip : ::conv::allChips())
    for (int trial = 0; trial < 30; ++trial) {
      ::conv::Problem problem = computeProblem(op, PlanOptions());
      problem.rows = size(16);
      problem.columns = size(11);
      problem.reduction = size(14);
      bool wide = trial % 2;
      problem.operand =
          wide ? ::conv::NumericType::F32 : ::conv::NumericType::F16;
      ::conv::Ranking ranking = ::conv::rankCandidates(problem, chip);
      for (const ::conv::RankedCandidate &ranked :
           ArrayRef(ranking.accepted).take_front(20)) {
        ScheduleAttr schedule = getSchedule(&context, ranked.candidate,
                                            {.mergedGroups = 2, .splits = 3},
                                            chip, ChosenBy::Heuristic);
        auto emit = [&] { return emitError(op.getLoc()); };
        EXPECT_TRUE(succeeded(ScheduleAttr::verify(
            emit, schedule.getKernel(), schedule.getOutputTile(),
            schedule.getMergedGroups(), schedule.getSplits(),
            schedule.getTransposed(), schedule.getLayouts(),
            schedule.getChannelMultiple(), schedule.getIm2col(),
            schedule.getSpaceToBatch(), schedule.getOperandType(),
            schedule.getChosenBy())));
        EXPECT_TRUE(succeeded(
            verifyScheduleForChip(emit, schedule, chip, wide ? f32 : f16)));
        ::conv::Candidate back = getCandidate(schedule, chip, wide ? f32 : f16);
        EXPECT_EQ(back.workgroup, ranked.candidate.workgroup);
        EXPECT_EQ(back.columnsFastest, ranked.candidate.columnsFastest);
        PlanOptions options = getPlanOptions(schedule);
        EXPECT_EQ(options.mergedGroups, 2);
        EXPECT_EQ(options.splits, 3);
      }
    }
}

TEST_F(ScheduleTest, PlainConvolutionHasItsLengthAsBound) {
  auto bound = computeErrorBound(parse("gfx942"));
  ASSERT_TRUE(std::holds_alternative<::conv::ErrorBound>(bound));
  EXPECT_EQ(std::get<::conv::ErrorBound>(bound).accumulation, 576);
  EXPECT_EQ(std::get<::conv::ErrorBound>(bound).outputUlp, 0.5);
}

TEST_F(ScheduleTest, BiasAndReluKeepTheLength) {
  auto bound = computeErrorBound(parse("gfx942", R"(
      epilogue(%bias : tensor<32xf16>) {
      ^bb0(%acc: f32, %b: f16):
        %zero = arith.constant 0.0 : f32
        %b32 = arith.extf %b : f16 to f32
        %sum = arith.addf %acc, %b32 : f32
        %relu = arith.maximumf %sum, %zero : f32
        %out = arith.truncf %relu : f32 to f16
        conv.yield %out : f16
      })"));
  ASSERT_TRUE(std::holds_alternative<::conv::ErrorBound>(bound));
  EXPECT_EQ(std::get<::conv::ErrorBound>(bound).accumulation, 576);
  EXPECT_EQ(std::get<::conv::ErrorBound>(bound).outputUlp, 0.5 + 0x1p-13);
  EXPECT_EQ(std::get<::conv::ErrorBound>(bound).operands, 0);
}

TEST_F(ScheduleTest, RoundingInTheMiddleCostsItsUlp) {
  auto bound = computeErrorBound(parse("gfx942", R"(
      epilogue(%bias : tensor<32xf16>) {
      ^bb0(%acc: f32, %b: f16):
        %narrow = arith.truncf %acc : f32 to f16
        %out = arith.addf %narrow, %b : f16
        conv.yield %out : f16
      })"));
  ASSERT_TRUE(std::holds_alternative<::conv::ErrorBound>(bound));
  // Half an ulp of f16 of the sum of products: 2^13 roundings of f32.
  EXPECT_NEAR(std::get<::conv::ErrorBound>(bound).accumulation, 576 + 8192,
              1e-6);
}

TEST_F(ScheduleTest, UnknownOperationsAreNamed) {
  auto bound = computeErrorBound(parse("gfx942", R"(
      epilogue() {
      ^bb0(%acc: f32):
        %sine = math.sin %acc : f32
        %out = arith.truncf %sine : f32 to f16
        conv.yield %out : f16
      })"));
  ASSERT_TRUE(std::holds_alternative<::conv::NoErrorBound>(bound));
  EXPECT_EQ(std::get<::conv::NoErrorBound>(bound).reason, "has math.sin");
}

TEST_F(ScheduleTest, ExplanationHasEverySection) {
  for (StringRef chip : {"gfx942", "gfx1201", "host"}) {
    std::string text;
    llvm::raw_string_ostream os(text);
    explainSchedule(select(chip), os);
    for (StringRef part : {"problem     conv", "6272 x 32, reduced over 576",
                           "chosen by   heuristic", "predicted   ",
                           "limited by", "best candidates"})
      EXPECT_TRUE(StringRef(text).contains(part)) << part.str() << "\n" << text;
    // All tiles of the host fit its caches.
    EXPECT_EQ(StringRef(text).contains("\nrejected\n"), chip != "host") << text;
  }
}

TEST_F(ScheduleTest, ExplanationAsJsonAgreesWithTheModel) {
  ForwardOp op = select("gfx942");
  llvm::json::Object object = explainScheduleAsJson(op);
  EXPECT_EQ(object.getString("target"), "gfx942");
  EXPECT_EQ(object.getString("chosen_by"), "heuristic");
  EXPECT_EQ(*object.getNumber("flops"), 2.0 * 6272 * 32 * 576);
  ::conv::Ranking ranking = ::conv::rankCandidates(
      computeProblem(op, getPlanOptions(op.getScheduleAttr())),
      TargetAttr::lookup(op).getInfo());
  EXPECT_EQ(*object.getObject("predicted")->getNumber("seconds"),
            ranking.accepted.front().cost.seconds);
  const llvm::json::Array &candidates = *object.getArray("candidates");
  ASSERT_EQ(candidates.size(), 5u);
  EXPECT_EQ(candidates[0].getAsObject()->getString("schedule"),
            object.getString("schedule"));
}

} // namespace
