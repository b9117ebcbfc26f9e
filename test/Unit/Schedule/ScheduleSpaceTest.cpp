//===- ScheduleSpaceTest.cpp - all schedules of a convolution ---*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Generated schedules compile: the models that list schedules and the verifier
// that accepts them are separate, and agree.
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/ScheduleSpace.h"

#include "conv/Schedule/Passes.h"
#include "conv/Schedule/Schedule.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/DebugStringHelper.h"

#include "llvm/Support/FormatVariadic.h"

#include "gtest/gtest.h"

#include <set>

using namespace mlir;
using namespace mlir::conv;

namespace {

/// A convolution of bf16 without dilation, in textual form.
struct Layer {
  StringRef operation, window, lhs, rhs, result;
  int64_t groups = 1;
  StringRef layouts = R"("NHWC", "KRSC", "NPQK")";
};

constexpr StringRef kSame3 =
    "strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]";
constexpr StringRef kPoint =
    "strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]";
constexpr StringRef kLine =
    "strides = [1], dilations = [1], low = [0], high = [0]";
constexpr StringRef kStem =
    "strides = [2, 2], dilations = [1, 1], low = [3, 3], high = [3, 3]";
constexpr StringRef kHalf =
    "strides = [2, 2], dilations = [1, 1], low = [1, 1], high = [1, 1]";

/// Main loops: tma with and without halo tiles, line_buffer, weight_stationary,
/// direct ones, and loops of single work-items; each direction; strides;
/// split-K slices; transposed products that lanes copy.
constexpr Layer kLayers[] = {
    {"forward", kSame3, "64x28x28x128", "128x3x3x128", "64x28x28x128"},
    {"forward", kPoint, "64x7x7x2048", "512x1x1x2048", "64x7x7x512"},
    {"forward", kStem, "64x224x224x3", "64x7x7x3", "64x112x112x64"},
    {"forward", kSame3, "1x512x512x128", "3x3x3x128", "1x512x512x3"},
    {"backward_data", kHalf, "64x28x28x128", "128x3x3x128", "64x56x56x128"},
    {"backward_data", kStem, "64x112x112x64", "64x7x7x3", "64x224x224x3"},
    {"backward_weight", kSame3, "1x64x64x512", "1x64x64x512", "512x3x3x512"},
    {"backward_weight", kHalf, "64x56x56x128", "64x28x28x128", "128x3x3x128"},
    {"backward_weight", kStem, "64x224x224x3", "64x112x112x64", "64x7x7x3"},
    {"forward", kSame3, "8x28x28x96", "96x3x3x1", "8x28x28x96", 96},
    {"backward_weight", kHalf, "8x28x28x96", "8x14x14x96", "96x3x3x1", 96},
    {"backward_data", kLine, "8x320x196", "320x1x56", "8x56x196", 1,
     R"("NCW", "KSC", "NKQ")"},
};

bool isCompared(const ::conv::ChipInfo &chip) {
  return chip.calibration->direct.isCompared;
}

class ScheduleSpaceTest : public testing::TestWithParam<StringRef> {
protected:
  ScheduleSpaceTest() { context.loadDialect<ConvDialect, func::FuncDialect>(); }

  ConvolutionOpInterface parse(const Layer &layer) {
    std::string source = llvm::formatv(
        R"(module attributes {{conv.target = #conv.target<"{0}">} {{
          func.func @f(%x: tensor<{3}xbf16>, %y: tensor<{4}xbf16>)
              -> tensor<{5}xbf16> {{
            %z = conv.{1} %x, %y window = <{2}>
                layouts = <{7}> groups = {6}
                : tensor<{3}xbf16>, tensor<{4}xbf16> -> tensor<{5}xbf16>
            return %z : tensor<{5}xbf16>
          }
        })",
        GetParam(), layer.operation, layer.window, layer.lhs, layer.rhs,
        layer.result, layer.groups, layer.layouts);
    module = parseSourceString<ModuleOp>(source, &context);
    EXPECT_TRUE(module);
    ConvolutionOpInterface found;
    module->walk([&](ConvolutionOpInterface op) { found = op; });
    return found;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_P(ScheduleSpaceTest, IsSupportedAndHasNothingTwice) {
  for (const Layer &layer : kLayers) {
    ConvolutionOpInterface op = parse(layer);
    const ::conv::ChipInfo &chip = TargetAttr::lookup(op).getInfo();
    std::vector<RankedSchedule> space = rankSchedules(op, chip);
    EXPECT_GT(space.size(), 10u);
    // Direct schedules come first only where their times were not compared.
    EXPECT_EQ(space.front().isFirst, layer.groups > 1 && !isCompared(chip));
    EXPECT_EQ(space.back().isFirst, false);
    std::set<const void *> seen;
    double seconds = 0;
    for (const RankedSchedule &one : space) {
      EXPECT_LE(seconds, one.cost.seconds);
      // The other families are ordered among themselves.
      seconds = one.isFirst ? 0 : one.cost.seconds;
      ScheduleAttr schedule = one.get(&context, chip);
      ASSERT_TRUE(succeeded(verifySupportedSchedule(op, schedule, chip)));
      // Parsing runs the attribute's own verifier.
      ASSERT_EQ(parseAttribute(debugString(Attribute(schedule)), &context),
                schedule);
      EXPECT_TRUE(seen.insert(schedule.getAsOpaquePointer()).second);
    }
  }
}

/// Nothing that is nearly as fast as the best one is left out, and what is left
/// out moves nothing.
TEST_P(ScheduleSpaceTest, BestOnesAreTheFirstOfAll) {
  size_t fewer = 0;
  for (const Layer &layer : kLayers) {
    ConvolutionOpInterface op = parse(layer);
    const ::conv::ChipInfo &chip = TargetAttr::lookup(op).getInfo();
    std::vector<RankedSchedule> all = rankSchedules(op, chip);
    std::vector<RankedSchedule> best =
        rankSchedules(op, chip, std::nullopt, /*reach=*/1.25);
    ASSERT_FALSE(best.empty());
    ASSERT_LE(best.size(), all.size());
    for (auto [one, other] : llvm::zip(best, all)) {
      EXPECT_EQ(one.get(&context, chip), other.get(&context, chip));
      EXPECT_EQ(one.cost.seconds, other.cost.seconds);
    }
    if (best.size() == all.size())
      continue;
    ++fewer;
    const RankedSchedule &next = all[best.size()];
    EXPECT_FALSE(next.isFirst);
    EXPECT_TRUE(best.front().isFirst ||
                next.cost.seconds > best.front().cost.seconds * 1.25);
  }
  EXPECT_GT(fewer, 10u);
}

INSTANTIATE_TEST_SUITE_P(Chips, ScheduleSpaceTest,
                         testing::Values("sm_90a", "gfx942"));

} // namespace
