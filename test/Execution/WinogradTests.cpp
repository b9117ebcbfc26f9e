//===- WinogradTests.cpp - convolutions by Winograd -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// F(2 x 2, 3 x 3), F(4 x 4, 3 x 3) and others at sizes that no tile divides, in
// both directions, with padding that differs at either end, in the layouts of
// the caller and in others. Small integers are exact where the matrices are.
//
//===----------------------------------------------------------------------===//

#include "Execution.h"

#include <gtest/gtest.h>

using namespace conv;
using namespace conv::test;

namespace {
struct Chip {
  std::string target, product; ///< The schedule's fields about the product.
};

struct WinogradCase {
  std::string name;
  std::string tile; ///< `output_tile`.
  /// A function; `$type` stands for an element type, `$schedule` for a chip's.
  std::string function;
  std::string form = ""; ///< More fields of the schedule.
};
} // namespace

static const Chip kChips[] = {
    {"host",
     "#conv.host_gemm<workgroup = [64, 64], subgroup = [64, 64], gemm_k = 64, "
     "stages = 1, atom = <fma 16 x 4 x 1>, "
     "raster = columns>, "},
    {"sim:gfx942", "#conv.staged_gemm<workgroup = [64, 64], subgroup = [32, "
                   "32], gemm_k = 32, stages = 2, "
                   "atom = <mfma 32 x 32 x 2>, main_loop = register_staged, "
                   "raster = columns>, "},
    {"sim:gfx1201", "#conv.staged_gemm<workgroup = [64, 64], subgroup = [32, "
                    "32], gemm_k = 16, stages = 2, "
                    "atom = <fma 16 x 32 x 4>, main_loop = register_staged, "
                    "raster = columns>, "},
};

// With a bias, a residual and relu; both images and channels are odd.
static const std::string kForward = R"(
func.func @f(%x: tensor<2x11x13x5x$type>, %w: tensor<7x3x3x5x$type>, %bias: tensor<7x$type>,
             %r: tensor<2x11x13x7x$type>) -> tensor<2x11x13x7x$type> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK"> schedule = $schedule
      epilogue(%bias : tensor<7x$type>, %r : tensor<2x11x13x7x$type>) {
  ^bb0(%acc: f32, %b: $type, %residual: $type):
    %b32 = $widen %b : $type to f32
    %r32 = $widen %residual : $type to f32
    %0 = arith.addf %acc, %b32 : f32
    %1 = arith.addf %0, %r32 : f32
    %zero = arith.constant 0.0 : f32
    %2 = arith.maximumf %1, %zero : f32
    %3 = $narrow %2 : f32 to $type
    conv.yield %3 : $type
  } : tensor<2x11x13x5x$type>, tensor<7x3x3x5x$type> -> tensor<2x11x13x7x$type>
  return %y : tensor<2x11x13x7x$type>
}
)";

// Whole vectors of channels, and positions before the image and after it.
static const std::string kPadded = R"(
func.func @f(%x: tensor<1x8x9x16x$type>, %w: tensor<32x3x3x16x$type>) -> tensor<1x9x13x32xf32> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [0, 4], high = [3, 2]>
      layouts = <"NHWC", "KRSC", "NPQK"> schedule = $schedule
      : tensor<1x8x9x16x$type>, tensor<32x3x3x16x$type> -> tensor<1x9x13x32xf32>
  return %y : tensor<1x9x13x32xf32>
}
)";

static const std::string kTiny = R"(
func.func @f(%x: tensor<3x3x3x1x$type>, %w: tensor<1x3x3x1x$type>) -> tensor<3x1x1x1x$type> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
      layouts = <"NHWC", "KRSC", "NPQK"> schedule = $schedule
      : tensor<3x3x3x1x$type>, tensor<1x3x3x1x$type> -> tensor<3x1x1x1x$type>
  return %y : tensor<3x1x1x1x$type>
}
)";

static const std::string kChannelsFirst = R"(
func.func @f(%x: tensor<2x6x7x10x$type>, %w: tensor<5x6x3x3x$type>, %bias: tensor<5x$type>)
    -> tensor<2x5x7x10x$type> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NCHW", "KCRS", "NKPQ"> schedule = $schedule
      epilogue(%bias : tensor<5x$type>) {
  ^bb0(%acc: f32, %b: $type):
    %b32 = $widen %b : $type to f32
    %0 = arith.addf %acc, %b32 : f32
    %1 = $narrow %0 : f32 to $type
    conv.yield %1 : $type
  } : tensor<2x6x7x10x$type>, tensor<5x6x3x3x$type> -> tensor<2x5x7x10x$type>
  return %y : tensor<2x5x7x10x$type>
}
)";

// The output is larger than the input's padding makes of it in one dimension,
// and smaller in the other.
static const std::string kBackwardData = R"(
func.func @f(%dy: tensor<2x7x12x6x$type>, %w: tensor<6x3x3x9x$type>, %r: tensor<2x9x11x9x$type>)
    -> tensor<2x9x11x9x$type> {
  %dx = conv.backward_data %dy, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [0, 3], high = [0, 0]>
      layouts = <"NHWC", "KRSC", "NPQK"> schedule = $schedule
      epilogue(%r : tensor<2x9x11x9x$type>) {
  ^bb0(%acc: f32, %b: $type):
    %b32 = $widen %b : $type to f32
    %0 = arith.addf %acc, %b32 : f32
    %1 = $narrow %0 : f32 to $type
    conv.yield %1 : $type
  } : tensor<2x7x12x6x$type>, tensor<6x3x3x9x$type> -> tensor<2x9x11x9x$type>
  return %dx : tensor<2x9x11x9x$type>
}
)";

static const std::string kOneDimension = R"(
func.func @f(%x: tensor<2x37x6x$type>, %w: tensor<5x3x6x$type>) -> tensor<2x37x5x$type> {
  %y = conv.forward %x, %w
      window = <strides = [1], dilations = [1], low = [1], high = [1]>
      layouts = <"NWC", "KSC", "NQK"> schedule = $schedule
      : tensor<2x37x6x$type>, tensor<5x3x6x$type> -> tensor<2x37x5x$type>
  return %y : tensor<2x37x5x$type>
}
)";

static const std::string kColumn = R"(
func.func @f(%x: tensor<1x10x7x6x$type>, %w: tensor<5x3x1x6x$type>) -> tensor<1x10x7x5x$type> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 0], high = [1, 0]>
      layouts = <"NHWC", "KRSC", "NPQK"> schedule = $schedule
      : tensor<1x10x7x6x$type>, tensor<5x3x1x6x$type> -> tensor<1x10x7x5x$type>
  return %y : tensor<1x10x7x5x$type>
}
)";

static const std::string kFive = R"(
func.func @f(%x: tensor<1x7x8x6x$type>, %w: tensor<5x5x5x6x$type>) -> tensor<1x7x8x5x$type> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [2, 2], high = [2, 2]>
      layouts = <"NHWC", "KRSC", "NPQK"> schedule = $schedule
      : tensor<1x7x8x6x$type>, tensor<5x5x5x6x$type> -> tensor<1x7x8x5x$type>
  return %y : tensor<1x7x8x5x$type>
}
)";

static const std::string kVolume = R"(
func.func @f(%x: tensor<1x3x5x4x6x$type>, %w: tensor<5x3x3x3x6x$type>) -> tensor<1x3x5x4x5x$type> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1, 1], dilations = [1, 1, 1], low = [1, 1, 1], high = [1, 1, 1]>
      layouts = <"NDHWC", "KTRSC", "NZPQK"> schedule = $schedule
      : tensor<1x3x5x4x6x$type>, tensor<5x3x3x3x6x$type> -> tensor<1x3x5x4x5x$type>
  return %y : tensor<1x3x5x4x5x$type>
}
)";

static const WinogradCase kCases[] = {
    {"forward_2x2", "[2, 2]", kForward},
    {"forward_4x4", "[4, 4]", kForward},
    {"padded_2x2", "[2, 2]", kPadded},
    {"padded_4x4", "[4, 4]", kPadded},
    {"tiny_2x2", "[2, 2]", kTiny},
    {"tiny_4x4", "[4, 4]", kTiny},
    {"channels_first_4x4", "[4, 4]", kChannelsFirst},
    {"in_other_layouts_2x2", "[2, 2]", kChannelsFirst,
     R"(, layouts = <"NHWC", "KRSC", "NPQK">)"},
    {"data_2x2", "[2, 2]", kBackwardData},
    {"data_4x4", "[4, 4]", kBackwardData},
    {"one_dimension_4", "[4]", kOneDimension},
    {"column_2x1", "[2, 1]", kColumn},
    {"five_2x2", "[2, 2]", kFive},
    {"rectangle_2x4", "[2, 4]", kPadded},
    {"volume_2x2x2", "[2, 2, 2]", kVolume},
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
  for (const WinogradCase &one : kCases)
    for (const char *type : {"f32", "f16", "bf16"})
      for (const Chip &chip : kChips) {
        std::string text = one.function;
        convert(text, type);
        replaceAll(text, "$schedule",
                   "<kernel = " + chip.product + "output_tile = " + one.tile +
                       one.form + ">");
        std::string target = chip.target.substr(chip.target.find(':') + 1);
        addTest("Winograd", one.name + "_" + type + "_" + target,
                [text, chip] { checkEverywhere(text, {chip.target}); });
      }
}
