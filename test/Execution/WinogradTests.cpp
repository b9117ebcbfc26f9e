//===- WinogradTests.cpp - convolutions by Winograd -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// F(2 x 2, 3 x 3), F(4 x 4, 3 x 3), F(3 x 3, 2 x 2), F(3 x 3, 4 x 4) and others
// at sizes that no tile divides, in all directions, with padding that differs
// at either end, in the layouts of the caller and in others. Small integers are
// exact where the matrices are.
//
//===----------------------------------------------------------------------===//

#include "Execution.h"
#include "WinogradFunctions.h"

#include <gtest/gtest.h>

using namespace conv;
using namespace conv::test;

namespace {
/// Chips with the same schedule, of which most cases run on the first.
struct Chips {
  std::string name;
  std::vector<std::string> targets;
  std::string product; ///< The schedule's fields about the product.
};

struct WinogradCase {
  std::string name;
  std::string tile; ///< `output_tile`.
  std::string function;
  std::string form = ""; ///< More fields of the schedule.
  bool isForAllChips = false;
  bool packsFilter = false; ///< The filter is packed in one more test.
};
} // namespace

static const Chips kChips[] = {
    {"host",
     {"host"},
     "#conv.host_gemm<workgroup = [64, 64], subgroup = [64, 64], gemm_k = 64, "
     "stages = 1, atom = <fma 16 x 4 x 1>, "
     "raster = columns>, "},
    {"mfma",
     {"sim:gfx942", "sim:gfx90a", "sim:gfx950"},
     "#conv.staged_gemm<workgroup = [64, 64], subgroup = [32, "
     "32], gemm_k = 32, stages = 2, "
     "atom = <mfma 32 x 32 x 2>, main_loop = register_staged, "
     "raster = columns>, "},
    {"wmma",
     {"sim:gfx1201", "sim:gfx1100"},
     "#conv.staged_gemm<workgroup = [64, 64], subgroup = [32, "
     "32], gemm_k = 16, stages = 2, "
     "atom = <fma 16 x 32 x 4>, main_loop = register_staged, "
     "raster = columns>, "},
};

static const WinogradCase kCases[] = {
    {"forward_2x2", "[2, 2]", kForward},
    {"forward_4x4", "[4, 4]", kForward, "", /*isForAllChips=*/true},
    {"padded_2x2", "[2, 2]", kPadded, "", false, /*packsFilter=*/true},
    {"padded_4x4", "[4, 4]", kPadded},
    {"tiny_2x2", "[2, 2]", kTiny},
    {"tiny_4x4", "[4, 4]", kTiny},
    {"channels_first_4x4", "[4, 4]", kChannelsFirst},
    {"in_other_layouts_2x2", "[2, 2]", kChannelsFirst,
     R"(, layouts = <"NHWC", "KRSC", "NPQK">)", false, /*packsFilter=*/true},
    {"data_2x2", "[2, 2]", kBackwardData},
    {"data_4x4", "[4, 4]", kBackwardData, "", false, /*packsFilter=*/true},
    {"one_dimension_4", "[4]", kOneDimension},
    {"column_2x1", "[2, 1]", kColumn},
    {"five_2x2", "[2, 2]", kFive},
    {"rectangle_2x4", "[2, 4]", kPadded},
    {"volume_2x2x2", "[2, 2, 2]", kVolume},
    {"weight_2x2", "[2, 2]", kWeight},
    {"weight_4x4", "[4, 4]", kWeight, "", /*isForAllChips=*/true},
    {"weight_in_splits_2x2", "[2, 2]", kWeight, ", splits = 3"},
    {"weight_in_splits_4x4", "[4, 4]", kWeight, ", splits = 5"},
    {"weight_vectors_2x2", "[2, 2]", kWeightVectors},
    {"weight_vectors_4x4", "[4, 4]", kWeightVectors},
    {"weight_tiny_2x2", "[2, 2]", kWeightTiny},
    {"weight_tiny_4x4", "[4, 4]", kWeightTiny},
    {"weight_channels_first_2x2", "[2, 2]", kWeightChannelsFirst},
    {"weight_channels_first_4x4", "[4, 4]", kWeightChannelsFirst},
    {"weight_in_other_layouts_4x4", "[4, 4]", kWeightChannelsFirst,
     R"(, layouts = <"NHWC", "KRSC", "NPQK">)"},
    {"weight_padded_channels_2x2", "[2, 2]", kWeightChannelsFirst,
     R"(, layouts = <"NHWC", "KRSC", "NPQK">, channel_multiple = 4)"},
    {"weight_one_dimension_2", "[2]", kWeightOneDimension},
    {"weight_one_dimension_4", "[4]", kWeightOneDimension},
    {"weight_column_2x1", "[2, 1]", kWeightColumn},
    {"weight_column_4x1", "[4, 1]", kWeightColumn},
    {"weight_line_1x2", "[1, 2]", kWeightLine},
    {"weight_line_1x4", "[1, 4]", kWeightLine},
    {"weight_five_2x2", "[2, 2]", kWeightFive},
    {"weight_rectangle_2x4", "[2, 4]", kWeightVectors},
    {"weight_volume_2x2x2", "[2, 2, 2]", kWeightVolume},
};

static void replaceAll(std::string &text, const std::string &what,
                       const std::string &by) {
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos;
       at += by.size())
    text.replace(at, what.size(), by);
}

/// Between f32 and itself there is nothing to convert, but values keep names.
static void convert(std::string &text, const std::string &type) {
  bool isWide = type == "f32";
  for (const std::string value : {"%b", "%residual", "%0", "%1", "%2"}) {
    std::string same = "arith.maximumf " + value + ", " + value + " : f32";
    replaceAll(text, "$widen " + value + " : $type to f32",
               isWide ? same : "arith.extf " + value + " : $type to f32");
    replaceAll(text, "$narrow " + value + " : f32 to $type",
               isWide ? same : "arith.truncf " + value + " : f32 to $type");
  }
  replaceAll(text, "$type", type);
}

void test::addWinogradTests() {
  const char *const types[] = {"f32", "f16", "bf16"};
  size_t turn = 0;
  for (const WinogradCase &one : kCases) {
    ++turn;
    for (size_t t = 0; t < std::size(types); ++t)
      for (size_t c = 0; c < std::size(kChips); ++c) {
        if (!isExhaustive() && (turn + t + c) % std::size(kChips) != 0)
          continue;
        std::string text = one.function;
        convert(text, types[t]);
        replaceAll(text, "$schedule",
                   "<kernel = " + kChips[c].product +
                       "output_tile = " + one.tile + one.form + ">");
        std::vector<std::string> targets = kChips[c].targets;
        if (!one.isForAllChips)
          targets.resize(1);
        std::string name = one.name + "_" + types[t] + "_" + kChips[c].name;
        addTest("Winograd", name,
                [text, targets] { checkEverywhere(text, targets); });
        if (one.packsFilter)
          addTest("Winograd", name + "_prepacked", [text, targets] {
            checkEverywhere(prepackFilter(text), {targets.front()});
          });
      }
  }
}
