//===- ScheduleTest.cpp - what a schedule needs of a chip -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/Conv.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::conv;

namespace {
/// A schedule that gfx942 can run with f16; each test changes one field.
struct Fields {
  SmallVector<int64_t> workgroup = {128, 64}, subgroup = {64, 32};
  int64_t gemmK = 32, stages = 2;
  AtomKind kind = AtomKind::MFMA;
  int64_t m = 32, n = 32, k = 8;
  bool onHost = false, isDirect = false;
};

class ScheduleTest : public testing::Test {
protected:
  ScheduleTest() { context.loadDialect<ConvDialect>(); }

  /// The error of `fields` on a chip, or an empty string.
  std::string check(const Fields &fields, StringRef chip, Type elementType) {
    AtomAttr atom =
        AtomAttr::get(&context, fields.kind, fields.m, fields.n, fields.k);
    ScheduleAttr schedule = ScheduleAttr::get(
        getKernel(fields, atom), /*mergedGroups=*/1, /*splits=*/1,
        /*transposed=*/false, ChosenBy::User);
    std::string message;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      message = diagnostic.str();
      return success();
    });
    Location loc = UnknownLoc::get(&context);
    LogicalResult result =
        verifyScheduleForChip([&] { return emitError(loc); }, schedule,
                              *::conv::lookupChip(chip), elementType);
    EXPECT_EQ(failed(result), !message.empty());
    return message;
  }

  KernelAttrInterface getKernel(const Fields &fields, AtomAttr atom) {
    if (fields.onHost)
      return HostGemmAttr::get(&context, fields.workgroup, fields.subgroup,
                               fields.gemmK, fields.stages, atom,
                               Raster::Columns);
    if (fields.isDirect)
      return DirectAttr::get(&context, fields.workgroup, fields.subgroup,
                             fields.gemmK, fields.stages, atom,
                             DirectLoop::Rows, Raster::Columns);
    return StagedGemmAttr::get(&context, fields.workgroup, fields.subgroup,
                               fields.gemmK, fields.stages, atom,
                               StagedLoop::Registers, Raster::Columns,
                               /*lastRound=*/0);
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  Type f16 = Float16Type::get(&context);
  Type f32 = Float32Type::get(&context);
};

TEST_F(ScheduleTest, FitsTheChipItIsFor) {
  EXPECT_EQ(check({}, "gfx942", f16), "");
  EXPECT_EQ(check({}, "gfx90a", f16), "");
}

TEST_F(ScheduleTest, S5AtomOfAnotherChipOrType) {
  EXPECT_EQ(check({}, "gfx1201", f16),
            "expects an atom that gfx1201 has for 'f16', but got "
            "#conv.atom<mfma 32 x 32 x 8>");
  EXPECT_EQ(check({}, "gfx942", f32),
            "expects an atom that gfx942 has for 'f32', but got "
            "#conv.atom<mfma 32 x 32 x 8>");
}

TEST_F(ScheduleTest, S6SharedMemory) {
  Fields fields;
  // 2 * (128 + 64) * 96 * 2 bytes.
  fields.gemmK = 96;
  EXPECT_EQ(check(fields, "gfx942", f16),
            "expects 2 stages of (128 + 64) x 96 elements to fit 65536 bytes "
            "of shared memory, but got elements of 2 bytes");
  EXPECT_EQ(check(fields, "gfx950", f16),
            "expects an atom that gfx950 has for 'f16', but got "
            "#conv.atom<mfma 32 x 32 x 8>");
  fields.k = 16;
  EXPECT_EQ(check(fields, "gfx950", f16), "");
}

TEST_F(ScheduleTest, S6DoesNotOverflow) {
  Fields fields;
  fields.gemmK = int64_t(1) << 62;
  EXPECT_NE(check(fields, "gfx942", f16), "");
  fields = {};
  fields.workgroup = {int64_t(1) << 61, 64};
  EXPECT_NE(check(fields, "gfx942", f16), "");
}

TEST_F(ScheduleTest, S7WorkItems) {
  Fields fields;
  fields.workgroup = {256, 256};
  fields.subgroup = {32, 32};
  fields.gemmK = 16;
  EXPECT_EQ(check(fields, "gfx942", f16),
            "expects at most 1024 work-items, but got 64 subgroups of 64");
}

TEST_F(ScheduleTest, S8VectorsPerWorkItem) {
  Fields fields;
  fields.gemmK = 24;
  EXPECT_EQ(check(fields, "gfx942", f16),
            "expects a tile of 128 x 24 elements of 2 bytes to be whole copies "
            "of 16 bytes by 256 work-items, but got 6144 bytes");
}

TEST_F(ScheduleTest, S9MainLoop) {
  Fields fields;
  fields.onHost = true;
  EXPECT_EQ(check(fields, "gfx942", f16),
            "expects a main loop for gfx942, but got host_gemm");
}

// The direct family is the only one with kernels for GPUs and for the host.
TEST_F(ScheduleTest, S9DirectSuitsEveryChip) {
  Fields fields;
  fields.workgroup = fields.subgroup = {64, 32};
  fields.stages = 1;
  fields.kind = AtomKind::FMA;
  fields.m = 8;
  fields.n = fields.k = 1;
  fields.isDirect = true;
  for (const char *chip : {"gfx942", "gfx1100", "sm_90a", "host"})
    EXPECT_EQ(check(fields, chip, f32), "") << chip;
  fields.isDirect = false;
  fields.m = 16; // An atom of the host's.
  fields.n = 4;
  EXPECT_EQ(check(fields, "host", f32),
            "expects a main loop for host, but got register_staged");
}

TEST_F(ScheduleTest, HostWidensNarrowOperands) {
  Fields fields;
  fields.kind = AtomKind::FMA;
  fields.m = 16;
  fields.n = 4;
  fields.k = 1;
  fields.onHost = true;
  EXPECT_EQ(check(fields, "host", f16), "");
  EXPECT_EQ(check(fields, "host", f32), "");
  EXPECT_EQ(check(fields, "host", IntegerType::get(&context, 8)), "");
  EXPECT_NE(check(fields, "host", IntegerType::get(&context, 16)), "");
}
} // namespace
