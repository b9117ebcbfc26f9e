//===- DirectCostTest.cpp - costs of reductions of depthwise gradients ----===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each number of a calibration counts for the schedules that it was fitted to,
// and for no others: a chip that differs in this number alone has another cost.
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Kernels/Direct/DirectModel.h"

#include "conv/Kernels/SplitSum.h"
#include "conv/Schedule/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include "gtest/gtest.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::conv;

namespace {

class DirectCostTest : public testing::Test {
protected:
  DirectCostTest() { context.loadDialect<ConvDialect, func::FuncDialect>(); }

  /// Selects a schedule of the gradient of a depthwise filter, of operands of
  /// this type, in 8 images of 80 x 80 pixels.
  void select(StringRef chipName, StringRef operand, StringRef result,
              bool isChannelsLast = true) {
    chip = *::conv::lookupChip(chipName.str());
    calibration = *chip.calibration;
    chip.calibration = &calibration;
    std::string tensor = isChannelsLast ? "8x80x80x48x" : "8x48x80x80x";
    std::string filter = isChannelsLast ? "48x3x3x1x" : "48x1x3x3x";
    std::string source =
        llvm::formatv(
            R"(module attributes {{conv.target = #conv.target<"{0}">} {{
          func.func @f(%x: tensor<{1}>, %dy: tensor<{1}>) -> tensor<{2}> {{
            %dw = conv.backward_weight %x, %dy
                window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
                layouts = <{3}> groups = 48
                : tensor<{1}>, tensor<{1}> -> tensor<{2}>
            return %dw : tensor<{2}>
          }
        })",
            chipName, tensor + operand.str(), filter + result.str(),
            isChannelsLast ? R"("NHWC", "KRSC", "NPQK")"
                           : R"("NCHW", "KCRS", "NKPQ")")
            .str();
    module = parseSourceString<ModuleOp>(source, &context);
    ASSERT_TRUE(module);
    PassManager manager(&context);
    manager.addPass(createSelectSchedulePass());
    ASSERT_TRUE(succeeded(manager.run(*module)));
    module->walk([&](ConvolutionOpInterface found) { op = found; });
    schedule = op.getScheduleAttr();
    ASSERT_TRUE(schedule && isa<DirectAttr>(schedule.getKernel()));
    ASSERT_GT(schedule.getSplits(), 1);
  }

  DirectCost compute() const {
    std::string obstacle;
    std::optional<DirectCost> cost =
        computeDirectCost(op, schedule, chip, obstacle);
    EXPECT_TRUE(cost) << obstacle;
    return cost.value_or(DirectCost());
  }

  static constexpr double kMore = 1e-6; // Seconds.
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  ConvolutionOpInterface op;
  ScheduleAttr schedule;
  ::conv::ChipInfo chip;
  ::conv::Calibration calibration;
};

// The sums of slices were measured after lanes: each slice takes its time.
TEST_F(DirectCostTest, LanesHaveMeasuredSums) {
  select("sm_90a", "i8", "i32");
  DirectCost before = compute();
  ASSERT_TRUE(before.reducesOnLanes);
  ASSERT_TRUE(::conv::hasMeasuredSums(chip));
  calibration.launch.launchSeconds += kMore;
  EXPECT_DOUBLE_EQ(compute().launchSeconds, before.launchSeconds);
  calibration.splitSum.sliceSeconds += kMore;
  EXPECT_NEAR(compute().launchSeconds - before.launchSeconds,
              kMore * double(schedule.getSplits()), kMore / 1000);
}

// Reductions of blocks were fitted with whole launches.
TEST_F(DirectCostTest, BlocksHaveLaunches) {
  select("sm_90a", "f16", "f32");
  ASSERT_TRUE(schedule.reducesBlocks());
  DirectCost before = compute();
  calibration.splitSum.sliceSeconds += kMore;
  EXPECT_DOUBLE_EQ(compute().launchSeconds, before.launchSeconds);
  calibration.launch.launchSeconds += kMore;
  EXPECT_NEAR(compute().launchSeconds - before.launchSeconds, kMore,
              kMore / 1000);
}

// Lanes that read along positions take longer than their counted cycles, and
// their copies as long as the chip needs to issue them.
TEST_F(DirectCostTest, LanesAreCorrected) {
  select("sm_90a", "i8", "i32", /*isChannelsLast=*/false);
  DirectCost before = compute();
  ASSERT_TRUE(before.reducesOnLanes);
  calibration.direct.lanes.seconds += kMore;
  EXPECT_NEAR(compute().launchSeconds - before.launchSeconds, kMore,
              kMore / 1000);
  calibration.direct.lanes.positionCycles *= 10;
  double slow = compute().computeSeconds;
  EXPECT_GT(slow, 2 * before.computeSeconds);
  calibration.direct.lanes.positionCycles /= 10;
  calibration.staged.loadLanesPerClock /= 1000;
  EXPECT_GT(compute().computeSeconds, 2 * before.computeSeconds);
}

} // namespace
