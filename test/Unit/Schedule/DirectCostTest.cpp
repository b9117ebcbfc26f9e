//===- DirectCostTest.cpp - costs of direct kernels -------------*- C++ -*-===//
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
#include "../../../lib/Kernels/Direct/DirectUnit.h"

#include "conv/Chip/HostCalibration.h"
#include "conv/Chip/HostProcessor.h"
#include "conv/Kernels/SplitSum.h"
#include "conv/Schedule/DeviceChip.h"
#include "conv/Schedule/Passes.h"

#include "mlir/AsmParser/AsmParser.h"
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

  /// Selects a direct schedule of the convolution in a function's body, which
  /// returns it.
  void select(StringRef chipName, StringRef arguments, StringRef result,
              StringRef convolution) {
    chip = *::conv::lookupChip(chipName.str());
    calibration = *chip.calibration;
    chip.calibration = &calibration;
    std::string source =
        llvm::formatv(
            R"(module attributes {{conv.target = #conv.target<"{0}">} {{
          func.func @f({1}) -> {2} {{
            %y = {3}
            return %y : {2}
          }
        })",
            chipName, arguments, result, convolution)
            .str();
    module = parseSourceString<ModuleOp>(source, &context);
    ASSERT_TRUE(module);
    PassManager manager(&context);
    manager.addPass(createSelectSchedulePass());
    ASSERT_TRUE(succeeded(manager.run(*module)));
    module->walk([&](ConvolutionOpInterface found) { op = found; });
    schedule = op.getScheduleAttr();
    ASSERT_TRUE(schedule && isa<DirectAttr>(schedule.getKernel()));
  }

  /// The gradient of a depthwise filter, of operands of this type, in 8 images
  /// of 80 x 80 pixels.
  void selectGradient(StringRef chipName, StringRef operand, StringRef result,
                      bool isChannelsLast = true) {
    std::string image =
        llvm::formatv("tensor<{0}x{1}>",
                      isChannelsLast ? "8x80x80x48" : "8x48x80x80", operand);
    std::string filter = llvm::formatv(
        "tensor<{0}x{1}>", isChannelsLast ? "48x3x3x1" : "48x1x3x3", result);
    select(chipName, "%x: " + image + ", %dy: " + image, filter,
           llvm::formatv(R"(conv.backward_weight %x, %dy
             window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
             layouts = <{0}> groups = 48 : {1}, {1} -> {2})",
                         isChannelsLast ? R"("NHWC", "KRSC", "NPQK")"
                                        : R"("NCHW", "KCRS", "NKPQ")",
                         image, filter)
               .str());
    ASSERT_GT(schedule.getSplits(), 1);
  }

  /// A depthwise convolution of NCHW images of 56 lines, in f16.
  void selectForward(int64_t width) {
    std::string image = llvm::formatv("tensor<8x48x56x{0}xf16>", width).str();
    select("sm_90a", "%x: " + image + ", %w: tensor<48x1x3x3xf16>", image,
           llvm::formatv(R"(conv.forward %x, %w
             window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
             layouts = <"NCHW", "KCRS", "NKPQ"> groups = 48
             : {0}, tensor<48x1x3x3xf16> -> {0})",
                         image)
               .str());
  }

  /// The gradient of its input with strides of 2: four dgrad phases, which are
  /// columns.
  void selectPhases(int64_t width) {
    std::string image = llvm::formatv("tensor<8x48x56x{0}xf16>", width).str();
    std::string result =
        llvm::formatv("tensor<8x48x28x{0}xf16>", (width + 1) / 2).str();
    select("sm_90a", "%dy: " + result + ", %w: tensor<48x1x3x3xf16>", image,
           llvm::formatv(R"(conv.backward_data %dy, %w
             window = <strides = [2, 2], dilations = [1, 1], low = [1, 1], high = [1, 1]>
             layouts = <"NCHW", "KCRS", "NKPQ"> groups = 48
             : {0}, tensor<48x1x3x3xf16> -> {1})",
                         result, image)
               .str());
  }

  /// Bytes that a work-item stores at a time of a run of rows.
  int64_t countStoredBytes(int64_t run) {
    DirectPlan plan = DirectPlan::get(op, getPlanOptions(schedule));
    return DirectTiling::countStoredBytes(plan.products.front().result, run);
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

// The second cache is that of the machine, if it is known.
TEST_F(DirectCostTest, OperandsBeyondTheSecondCacheAreFar) {
  selectGradient("host_v4", "f32", "f32");
  auto computeFor = [&](int64_t bytes) {
    setSecondCacheBytes(*module, bytes);
    chip = getDeviceChip(op);
    EXPECT_EQ(chip.processor->secondCacheBytes, bytes);
    return compute().computeSeconds;
  };
  chip = getDeviceChip(op);
  double asInTable = compute().computeSeconds;
  EXPECT_EQ(computeFor(chip.processor->secondCacheBytes), asInTable);
  EXPECT_EQ(computeFor(1 << 20), asInTable);
  EXPECT_LT(computeFor(64 << 20), asInTable);
  EXPECT_EQ(computeFor(1 << 20), asInTable);
}

// Input passes through the first cache on its way to the tile. Filter gradients
// were ranked without it.
TEST_F(DirectCostTest, TilesAreBesideTheirInput) {
  ::conv::HostCalibration host;
  auto compareSlow = [&] {
    host = *calibration.host;
    calibration.host = &host;
    double before = compute().computeSeconds;
    host.besideInput *= 2;
    return compute().computeSeconds / before;
  };
  std::string image = "tensor<1x64x48x64xf32>";
  select("host_v4", "%x: " + image + ", %w: tensor<64x3x3x1xf32>", image,
         llvm::formatv(R"(conv.forward %x, %w
           window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
           layouts = <"NHWC", "KRSC", "NPQK"> groups = 64
           : {0}, tensor<64x3x3x1xf32> -> {0})",
                       image)
             .str());
  schedule = cast<ScheduleAttr>(parseAttribute(
      "#conv.schedule<kernel = #conv.direct<workgroup = [48, 32], subgroup = "
      "[48, 32], gemm_k = 9, stages = 1, atom = <fma 16 x 8 x 1>, main_loop = "
      "direct, raster = columns>>",
      &context));
  EXPECT_GT(compareSlow(), 1.01);
  selectGradient("host_v4", "f32", "f32");
  EXPECT_EQ(compareSlow(), 1);
}

TEST_F(DirectCostTest, GpusHaveTheTablesCaches) {
  selectGradient("sm_90a", "f16", "f32");
  setSecondCacheBytes(*module, 1 << 20);
  EXPECT_EQ(getDeviceChip(op).processor, nullptr);
  EXPECT_FALSE((*module)->hasAttr("conv.second_cache_bytes"));
}

// The sums of slices were measured after lanes: each slice takes its time.
TEST_F(DirectCostTest, LanesHaveMeasuredSums) {
  selectGradient("sm_90a", "i8", "i32");
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
  selectGradient("sm_90a", "f16", "f32");
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
  selectGradient("sm_90a", "i8", "i32", /*isChannelsLast=*/false);
  DirectCost before = compute();
  ASSERT_TRUE(before.reducesOnLanes);
  calibration.direct.lanes.seconds += kMore;
  EXPECT_NEAR(compute().launchSeconds - before.launchSeconds, kMore,
              kMore / 1000);
  calibration.direct.lanes.positionCycles *= 10;
  double slow = compute().computeSeconds;
  EXPECT_GT(slow, 2 * before.computeSeconds);
  calibration.direct.lanes.positionCycles /= 10;
  calibration.access.loadLanesPerClock /= 1000;
  EXPECT_GT(compute().computeSeconds, 2 * before.computeSeconds);
}

// Other workgroups fill the waits of one, but not what follows its last step:
// those that start together end together. Five workgroups are three rounds.
TEST_F(DirectCostTest, RoundsEndTogether) {
  const ::conv::ChipInfo &gpu = *::conv::lookupChip("gfx942");
  DirectDemand demand = {.steps = 100, .copyCycles = 1000, .subgroups = 4};
  double before = getUnitCycles(gpu, demand, 5, /*resident=*/2);
  demand.latency = 10;
  EXPECT_DOUBLE_EQ(getUnitCycles(gpu, demand, 5, 2), before + 10);
  demand.lastCycles = 1000;
  EXPECT_DOUBLE_EQ(getUnitCycles(gpu, demand, 5, 2), before + 10 + 3000);
}

// LLVM gives 130 registers to three outputs of a 3x3 window in bf16 on gfx1201,
// and 132 on gfx950, which read 24 vectors ahead.
TEST_F(DirectCostTest, RegistersHoldWhatIsReadAhead) {
  for (const char *name : {"gfx950", "gfx1201"})
    EXPECT_NEAR(double(countDirectRegisters(
                    *::conv::lookupChip(name),
                    {.sums = 24, .ahead = 24 * 4, .copied = 4 * 4})),
                131, 8)
        << name;
}

// Reads run ahead from line to line only where lines follow each other, and as
// far as all vectors of a box.
TEST_F(DirectCostTest, BoxesReadAhead) {
  std::string image = "tensor<8x56x56x64xf32>";
  select("gfx942", "%x: " + image + ", %w: tensor<64x3x3x1xf32>", image,
         llvm::formatv(R"(conv.forward %x, %w
           window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
           layouts = <"NHWC", "KRSC", "NPQK"> groups = 64
           : {0}, tensor<64x3x3x1xf32> -> {0})",
                       image)
             .str());
  auto countResident = [&](int64_t outputs) {
    schedule = cast<ScheduleAttr>(parseAttribute(
        llvm::formatv("#conv.schedule<kernel = #conv.direct<workgroup = [{0}, "
                      "4], subgroup = [{0}, 4], gemm_k = 9, stages = 1, atom "
                      "= <fma 4 x {1} x 1>, main_loop = direct, raster = "
                      "columns>>",
                      8 * outputs, outputs)
            .str(),
        &context));
    return compute().residentWorkgroups;
  };
  // 18 vectors ahead and 4 sums, 24 and 28: about 70 and 130 registers.
  EXPECT_EQ(countResident(1), 7 * 4);
  EXPECT_EQ(countResident(7), 3 * 4);
  calibration.direct.registers.ofAhead *= 2;
  EXPECT_EQ(countResident(1), 4 * 4);
  EXPECT_EQ(countResident(7), 2 * 4);
}

// Eight workgroups of a unit hide each other's waits, and two do not: by the
// clock, 5.5 and 11.4 us on gfx950.
TEST_F(DirectCostTest, FewWorkgroupsWait) {
  select("gfx950", "%x: tensor<64x144x28x28xf32>, %w: tensor<144x1x5x5xf32>",
         "tensor<64x144x14x14xf32>",
         R"(conv.forward %x, %w
           window = <strides = [2, 2], dilations = [1, 1], low = [2, 2], high = [2, 2]>
           layouts = <"NCHW", "KCRS", "NKPQ"> groups = 144
           : tensor<64x144x28x28xf32>, tensor<144x1x5x5xf32>
             -> tensor<64x144x14x14xf32>)");
  auto predict = [&](int64_t rows) {
    schedule = cast<ScheduleAttr>(parseAttribute(
        llvm::formatv("#conv.schedule<kernel = #conv.direct<workgroup = [{0}, "
                      "1], subgroup = [{1}, 1], gemm_k = 25, stages = 1, atom "
                      "= <fma 1 x 4 x 1>, main_loop = direct, raster = rows>>",
                      rows, rows / 4)
            .str(),
        &context));
    return compute().seconds();
  };
  EXPECT_LT(predict(784), predict(2548));
}

// A run is stored in vectors that no line starts inside of.
TEST_F(DirectCostTest, RunsAreStoredInVectorsOfLines) {
  selectForward(/*width=*/56);
  EXPECT_EQ(countStoredBytes(8), 16);
  EXPECT_EQ(countStoredBytes(4), 8);
  EXPECT_EQ(countStoredBytes(1), 2);
  selectForward(/*width=*/60);
  EXPECT_EQ(countStoredBytes(8), 8);
  selectForward(/*width=*/57);
  EXPECT_EQ(countStoredBytes(8), 2);
}

// Two phases are side by side in memory.
TEST_F(DirectCostTest, PhasesAreStoredTogether) {
  selectPhases(/*width=*/56);
  EXPECT_EQ(countStoredBytes(4), 16);
  EXPECT_EQ(countStoredBytes(1), 4);
}

// A run that fills a sector only with several stores takes longer.
TEST_F(DirectCostTest, PartsOfSectorsAreStoredSlowly) {
  auto compareSlow = [&] {
    DirectCost before = compute();
    calibration.direct.queue.partStoreCost *= 100;
    return compute().computeSeconds / before.computeSeconds;
  };
  selectForward(/*width=*/57);
  EXPECT_GT(compareSlow(), 2);
  selectForward(/*width=*/56);
  EXPECT_EQ(compareSlow(), 1);
}

} // namespace
