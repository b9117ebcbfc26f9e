//===- FormTests.cpp - convolutions in other forms --------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Schedules that name another form than the tensors have: transforms before and
// after the product, padded channels, transposed products, and 8-bit floats as
// f16, at sizes that no tile and no vector divides.
//
//===----------------------------------------------------------------------===//

#include "Execution.h"

using namespace conv;
using namespace conv::test;

namespace {
struct FormCase {
  std::string name;
  /// A function; `$schedule` stands for a chip's.
  std::string function;
  /// The rest of a schedule: the form.
  std::string form;
  /// The type of the operands.
  enum { Float16, Float8, Float32 } type = Float16;
  /// A step of the plan reads only the filter, which is packed in one more
  /// test.
  bool packsFilter = false;
};
struct Chip {
  std::string target, schedule;
  bool hasFloat8; ///< With infinities and negative zero.
  std::string f32Schedule = {};
};
} // namespace

static const Chip kChips[] = {
    {"sim:gfx942",
     "<kernel = #conv.staged_gemm<workgroup = [64, 64], "
     "subgroup = [32, 32], gemm_k = 64, stages = 2, atom = <mfma 32 x 32 x 8>, "
     "main_loop = register_staged, raster = columns>, ",
     false,
     "<kernel = #conv.staged_gemm<workgroup = [64, 64], "
     "subgroup = [32, 32], gemm_k = 16, stages = 2, atom = <mfma 32 x 32 x 2>, "
     "main_loop = register_staged, raster = columns>, "},
    {"sim:gfx1201",
     "<kernel = #conv.staged_gemm<workgroup = [64, 64], "
     "subgroup = [32, 32], gemm_k = 32, stages = 2, atom = "
     "<wmma 16 x 16 x 16>, "
     "main_loop = register_staged, raster = columns>, ",
     true},
};

static const std::string kForward2d = R"(
func.func @f(%x: tensor<2x5x9x11xf16>, %w: tensor<13x5x3x3xf16>, %bias: tensor<13xf16>,
             %r: tensor<2x13x9x11xf16>) -> tensor<2x13x9x11xf16> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NCHW", "KCRS", "NKPQ"> schedule = $schedule
      epilogue(%bias : tensor<13xf16>, %r : tensor<2x13x9x11xf16>) {
  ^bb0(%acc: f32, %b: f16, %residual: f16):
    %b32 = arith.extf %b : f16 to f32
    %r32 = arith.extf %residual : f16 to f32
    %0 = arith.addf %acc, %b32 : f32
    %1 = arith.addf %0, %r32 : f32
    %2 = arith.truncf %1 : f32 to f16
    conv.yield %2 : f16
  } : tensor<2x5x9x11xf16>, tensor<13x5x3x3xf16> -> tensor<2x13x9x11xf16>
  return %y : tensor<2x13x9x11xf16>
}
)";

static const std::string kForward3d = R"(
func.func @f(%x: tensor<1x6x4x5x7xf16>, %w: tensor<10x6x2x3x3xf16>) -> tensor<1x10x3x3x3xf32> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1, 2], dilations = [1, 1, 1], low = [0, 0, 0], high = [0, 0, 0]>
      layouts = <"NCDHW", "KCTRS", "NKZPQ"> schedule = $schedule
      : tensor<1x6x4x5x7xf16>, tensor<10x6x2x3x3xf16> -> tensor<1x10x3x3x3xf32>
  return %y : tensor<1x10x3x3x3xf32>
}
)";

static const std::string kGroups = R"(
func.func @f(%x: tensor<3x12x7x5xf16>, %w: tensor<8x3x3x3xf16>) -> tensor<3x8x7x5xf16> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NCHW", "KCRS", "NKPQ"> groups = 4 schedule = $schedule
      : tensor<3x12x7x5xf16>, tensor<8x3x3x3xf16> -> tensor<3x8x7x5xf16>
  return %y : tensor<3x8x7x5xf16>
}
)";

static const std::string kGroupsData = R"(
func.func @f(%dy: tensor<2x12x5x6xf16>, %w: tensor<12x4x3x3xf16>) -> tensor<2x16x10x11xf16> {
  %dx = conv.backward_data %dy, %w
      window = <strides = [2, 2], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NCHW", "KCRS", "NKPQ"> groups = 4 schedule = $schedule
      : tensor<2x12x5x6xf16>, tensor<12x4x3x3xf16> -> tensor<2x16x10x11xf16>
  return %dx : tensor<2x16x10x11xf16>
}
)";

static const std::string kGroupsWeight = R"(
func.func @f(%x: tensor<2x10x9x12xf16>, %dy: tensor<2x10x9x18xf16>, %before: tensor<18x3x3x2xf32>)
    -> tensor<18x3x3x2xf32> {
  %dw = conv.backward_weight %x, %dy
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK"> groups = 6 schedule = $schedule
      epilogue(%before : tensor<18x3x3x2xf32>) {
  ^bb0(%acc: f32, %b: f32):
    %0 = arith.addf %acc, %b : f32
    conv.yield %0 : f32
  } : tensor<2x10x9x12xf16>, tensor<2x10x9x18xf16> -> tensor<18x3x3x2xf32>
  return %dw : tensor<18x3x3x2xf32>
}
)";

static const std::string kBackwardData = R"(
func.func @f(%dy: tensor<2x11x5x6xf16>, %w: tensor<11x7x3x3xf16>) -> tensor<2x7x10x11xf16> {
  %dx = conv.backward_data %dy, %w
      window = <strides = [2, 2], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NCHW", "KCRS", "NKPQ"> schedule = $schedule
      : tensor<2x11x5x6xf16>, tensor<11x7x3x3xf16> -> tensor<2x7x10x11xf16>
  return %dx : tensor<2x7x10x11xf16>
}
)";

static const std::string kBackwardWeight = R"(
func.func @f(%x: tensor<2x7x10x9xf16>, %dy: tensor<2x11x10x9xf16>, %before: tensor<11x7x3x3xf32>)
    -> tensor<11x7x3x3xf32> {
  %dw = conv.backward_weight %x, %dy
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NCHW", "KCRS", "NKPQ"> schedule = $schedule
      epilogue(%before : tensor<11x7x3x3xf32>) {
  ^bb0(%acc: f32, %b: f32):
    %0 = arith.addf %acc, %b : f32
    conv.yield %0 : f32
  } : tensor<2x7x10x9xf16>, tensor<2x11x10x9xf16> -> tensor<11x7x3x3xf32>
  return %dw : tensor<11x7x3x3xf32>
}
)";

// Strides, dilations and padding that differ, of lines and of places in a line.
static const std::string kUneven = R"(
func.func @f(%x: tensor<2x3x9x14xf16>, %w: tensor<13x3x3x4xf16>) -> tensor<2x13x8x5xf16> {
  %y = conv.forward %x, %w
      window = <strides = [1, 3], dilations = [2, 1], low = [1, 0], high = [2, 2]>
      layouts = <"NCHW", "KCRS", "NKPQ"> schedule = $schedule
      : tensor<2x3x9x14xf16>, tensor<13x3x3x4xf16> -> tensor<2x13x8x5xf16>
  return %y : tensor<2x13x8x5xf16>
}
)";

static const std::string kUnevenWeight = R"(
func.func @f(%x: tensor<2x9x14x3xf16>, %dy: tensor<2x8x5x13xf16>) -> tensor<13x3x4x3xf16> {
  %dw = conv.backward_weight %x, %dy
      window = <strides = [1, 3], dilations = [2, 1], low = [1, 0], high = [2, 2]>
      layouts = <"NHWC", "KRSC", "NPQK"> schedule = $schedule
      : tensor<2x9x14x3xf16>, tensor<2x8x5x13xf16> -> tensor<13x3x4x3xf16>
  return %dw : tensor<13x3x4x3xf16>
}
)";

// The output has fewer channels than the input; only lines are skipped.
static const std::string kNarrowWeight = R"(
func.func @f(%x: tensor<2x11x10x9xf16>, %dy: tensor<2x3x5x8xf16>) -> tensor<3x11x3x3xf32> {
  %dw = conv.backward_weight %x, %dy
      window = <strides = [2, 1], dilations = [1, 2], low = [1, 1], high = [0, 2]>
      layouts = <"NCHW", "KCRS", "NKPQ"> schedule = $schedule
      : tensor<2x11x10x9xf16>, tensor<2x3x5x8xf16> -> tensor<3x11x3x3xf32>
  return %dw : tensor<3x11x3x3xf32>
}
)";

static const std::string kNarrowData = R"(
func.func @f(%dy: tensor<2x3x7x8xf16>, %w: tensor<3x11x3x3xf16>) -> tensor<2x11x8x9xf16> {
  %dx = conv.backward_data %dy, %w
      window = <strides = [1, 1], dilations = [1, 2], low = [1, 1], high = [0, 2]>
      layouts = <"NCHW", "KCRS", "NKPQ"> schedule = $schedule
      : tensor<2x3x7x8xf16>, tensor<3x11x3x3xf16> -> tensor<2x11x8x9xf16>
  return %dx : tensor<2x11x8x9xf16>
}
)";

static const std::string kPointwise = R"(
func.func @f(%x: tensor<3x20x7x9xf16>, %w: tensor<37x20x1x1xf16>, %bias: tensor<37xf16>,
             %r: tensor<3x37x7x9xf16>) -> tensor<3x37x7x9xf16> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
      layouts = <"NCHW", "KCRS", "NKPQ"> schedule = $schedule
      epilogue(%bias : tensor<37xf16>, %r : tensor<3x37x7x9xf16>) {
  ^bb0(%acc: f32, %b: f16, %residual: f16):
    %b32 = arith.extf %b : f16 to f32
    %r32 = arith.extf %residual : f16 to f32
    %0 = arith.addf %acc, %b32 : f32
    %1 = arith.addf %0, %r32 : f32
    %2 = arith.truncf %1 : f32 to f16
    conv.yield %2 : f16
  } : tensor<3x20x7x9xf16>, tensor<37x20x1x1xf16> -> tensor<3x37x7x9xf16>
  return %y : tensor<3x37x7x9xf16>
}
)";

static const std::string kPointwiseData = R"(
func.func @f(%dy: tensor<2x37x5x8xf16>, %w: tensor<37x20x1x1xf16>) -> tensor<2x20x5x8xf16> {
  %dx = conv.backward_data %dy, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
      layouts = <"NCHW", "KCRS", "NKPQ"> schedule = $schedule
      : tensor<2x37x5x8xf16>, tensor<37x20x1x1xf16> -> tensor<2x20x5x8xf16>
  return %dx : tensor<2x20x5x8xf16>
}
)";

// Windows of one tap that leave out positions, with padding beside an odd
// image.
static const std::string kLeftOut = R"(
func.func @f(%x: tensor<3x20x7x28xf16>, %w: tensor<37x20x1x1xf16>) -> tensor<3x37x5x10xf16> {
  %y = conv.forward %x, %w
      window = <strides = [2, 3], dilations = [1, 1], low = [1, 0], high = [1, 0]>
      layouts = <"NCHW", "KCRS", "NKPQ"> schedule = $schedule
      : tensor<3x20x7x28xf16>, tensor<37x20x1x1xf16> -> tensor<3x37x5x10xf16>
  return %y : tensor<3x37x5x10xf16>
}
)";

static const std::string kLeftOutFar = R"(
func.func @f(%x: tensor<2x20x3x41xf16>, %w: tensor<17x20x1x1xf16>) -> tensor<2x17x3x9xf16> {
  %y = conv.forward %x, %w
      window = <strides = [1, 5], dilations = [1, 1], low = [0, 0], high = [0, 0]>
      layouts = <"NCHW", "KCRS", "NKPQ"> schedule = $schedule
      : tensor<2x20x3x41xf16>, tensor<17x20x1x1xf16> -> tensor<2x17x3x9xf16>
  return %y : tensor<2x17x3x9xf16>
}
)";

static const std::string kLeftOutWeight = R"(
func.func @f(%x: tensor<2x20x3x7x17xf32>, %dy: tensor<2x13x3x4x9xf32>) -> tensor<13x20x1x1x1xf32> {
  %dw = conv.backward_weight %x, %dy
      window = <strides = [1, 2, 2], dilations = [1, 1, 1], low = [0, 0, 0], high = [0, 0, 0]>
      layouts = <"NCDHW", "KCTRS", "NKZPQ"> schedule = $schedule
      : tensor<2x20x3x7x17xf32>, tensor<2x13x3x4x9xf32> -> tensor<13x20x1x1x1xf32>
  return %dw : tensor<13x20x1x1x1xf32>
}
)";

static const std::string kPointwiseWeight = R"(
func.func @f(%x: tensor<2x5x8x37xf16>, %dy: tensor<2x5x8x20xf16>) -> tensor<20x1x1x37xf32> {
  %dw = conv.backward_weight %x, %dy
      window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
      layouts = <"NHWC", "KRSC", "NPQK"> schedule = $schedule
      : tensor<2x5x8x37xf16>, tensor<2x5x8x20xf16> -> tensor<20x1x1x37xf32>
  return %dw : tensor<20x1x1x37xf32>
}
)";

static const std::string kFloat8 = R"(
func.func @f(%x: tensor<2x5x9x11xf8E4M3FN>, %w: tensor<13x5x3x3xf8E4M3FN>, %r: tensor<2x13x9x11xf8E4M3FN>)
    -> tensor<2x13x9x11xbf16> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NCHW", "KCRS", "NKPQ"> schedule = $schedule
      epilogue(%r : tensor<2x13x9x11xf8E4M3FN>) {
  ^bb0(%acc: f32, %residual: f8E4M3FN):
    %r32 = arith.extf %residual : f8E4M3FN to f32
    %0 = arith.addf %acc, %r32 : f32
    %1 = arith.truncf %0 : f32 to bf16
    conv.yield %1 : bf16
  } : tensor<2x5x9x11xf8E4M3FN>, tensor<13x5x3x3xf8E4M3FN> -> tensor<2x13x9x11xbf16>
  return %y : tensor<2x13x9x11xbf16>
}
)";

// Sums that may be promoted, of products of both formats.
static const std::string kFloat8Data = R"(
func.func @f(%dy: tensor<2x5x6x11xf8E5M2>, %w: tensor<11x3x3x7xf8E4M3FN>) -> tensor<2x10x11x7xf8E5M2> {
  %dx = conv.backward_data %dy, %w
      window = <strides = [2, 2], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK"> arithmetic = promoted schedule = $schedule
      : tensor<2x5x6x11xf8E5M2>, tensor<11x3x3x7xf8E4M3FN> -> tensor<2x10x11x7xf8E5M2>
  return %dx : tensor<2x10x11x7xf8E5M2>
}
)";

static const std::string kFloat8Groups = R"(
func.func @f(%x: tensor<3x7x5x12xf8E4M3FN>, %w: tensor<8x3x3x3xf8E4M3FN>) -> tensor<3x7x5x8xf16> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK"> groups = 4 schedule = $schedule
      : tensor<3x7x5x12xf8E4M3FN>, tensor<8x3x3x3xf8E4M3FN> -> tensor<3x7x5x8xf16>
  return %y : tensor<3x7x5x8xf16>
}
)";

// Results with few channels: windows that move by 2 from an odd position, of
// which the last one ends after the input, and a dilated window.
static const std::string kFoldedData = R"(
func.func @f(%dy: tensor<2x5x6x11xf32>, %w: tensor<11x5x3x3xf32>) -> tensor<2x9x13x3xf32> {
  %dx = conv.backward_data %dy, %w
      window = <strides = [2, 2], dilations = [1, 1], low = [1, 1], high = [3, 0]>
      layouts = <"NHWC", "KRSC", "NPQK"> schedule = $schedule
      : tensor<2x5x6x11xf32>, tensor<11x5x3x3xf32> -> tensor<2x9x13x3xf32>
  return %dx : tensor<2x9x13x3xf32>
}
)";

static const std::string kFoldedDilatedData = R"(
func.func @f(%dy: tensor<3x7x5x4x6xf32>, %w: tensor<7x2x1x3x2xf32>) -> tensor<3x2x13x8x7xf32> {
  %dx = conv.backward_data %dy, %w
      window = <strides = [3, 1, 1], dilations = [1, 3, 2], low = [0, 1, 1], high = [0, 1, 0]>
      layouts = <"NCDHW", "KCTRS", "NKZPQ"> schedule = $schedule
      : tensor<3x7x5x4x6xf32>, tensor<7x2x1x3x2xf32> -> tensor<3x2x13x8x7xf32>
  return %dx : tensor<3x2x13x8x7xf32>
}
)";

static const std::string kFoldedForward = R"(
func.func @f(%x: tensor<2x9x11x10xf32>, %w: tensor<3x5x2x10xf32>, %bias: tensor<3xf32>,
             %r: tensor<2x3x4x11xf32>) -> tensor<2x3x4x11xf32> {
  %y = conv.forward %x, %w
      window = <strides = [2, 1], dilations = [1, 3], low = [2, 1], high = [0, 2]>
      layouts = <"NHWC", "KRSC", "NKPQ"> schedule = $schedule
      epilogue(%bias : tensor<3xf32>, %r : tensor<2x3x4x11xf32>) {
  ^bb0(%acc: f32, %b: f32, %residual: f32):
    %0 = arith.addf %acc, %b : f32
    %1 = arith.mulf %0, %residual : f32
    conv.yield %1 : f32
  } : tensor<2x9x11x10xf32>, tensor<3x5x2x10xf32> -> tensor<2x3x4x11xf32>
  return %y : tensor<2x3x4x11xf32>
}
)";

// Windows over lines and columns only, and over depth only, of volumes whose
// sizes all differ.
static const std::string kStillDepth = R"(
func.func @f(%x: tensor<2x5x3x9x7xf16>, %w: tensor<11x5x1x3x2xf16>, %bias: tensor<11xf16>,
             %r: tensor<2x11x3x5x8xf16>) -> tensor<2x11x3x5x8xf16> {
  %y = conv.forward %x, %w
      window = <strides = [1, 2, 1], dilations = [1, 1, 1], low = [0, 1, 0], high = [0, 1, 2]>
      layouts = <"NCDHW", "KCTRS", "NKZPQ"> schedule = $schedule
      epilogue(%bias : tensor<11xf16>, %r : tensor<2x11x3x5x8xf16>) {
  ^bb0(%acc: f32, %b: f16, %residual: f16):
    %wide = arith.extf %b : f16 to f32
    %0 = arith.addf %acc, %wide : f32
    %1 = arith.extf %residual : f16 to f32
    %2 = arith.addf %0, %1 : f32
    %3 = arith.truncf %2 : f32 to f16
    conv.yield %3 : f16
  } : tensor<2x5x3x9x7xf16>, tensor<11x5x1x3x2xf16> -> tensor<2x11x3x5x8xf16>
  return %y : tensor<2x11x3x5x8xf16>
}
)";

static const std::string kStillDepthData = R"(
func.func @f(%dy: tensor<2x3x5x6x10xf16>, %w: tensor<10x1x3x2x7xf16>) -> tensor<2x3x9x7x7xf16> {
  %dx = conv.backward_data %dy, %w
      window = <strides = [1, 2, 1], dilations = [1, 1, 1], low = [0, 1, 0], high = [0, 1, 0]>
      layouts = <"NDHWC", "KTRSC", "NZPQK"> schedule = $schedule
      : tensor<2x3x5x6x10xf16>, tensor<10x1x3x2x7xf16> -> tensor<2x3x9x7x7xf16>
  return %dx : tensor<2x3x9x7x7xf16>
}
)";

static const std::string kStillLinesWeight = R"(
func.func @f(%x: tensor<3x6x7x3x5xf16>, %dy: tensor<3x9x5x3x5xf16>) -> tensor<9x6x3x1x1xf16> {
  %dw = conv.backward_weight %x, %dy
      window = <strides = [1, 1, 1], dilations = [2, 1, 1], low = [1, 0, 0], high = [1, 0, 0]>
      layouts = <"NCDHW", "KCTRS", "NKZPQ"> schedule = $schedule
      : tensor<3x6x7x3x5xf16>, tensor<3x9x5x3x5xf16> -> tensor<9x6x3x1x1xf16>
  return %dw : tensor<9x6x3x1x1xf16>
}
)";

static const std::string kStillLines = R"(
func.func @f(%x: tensor<2x7x3x5x6xf16>, %w: tensor<10x3x1x1x6xf16>) -> tensor<2x7x3x5x10xf16> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1, 1], dilations = [1, 1, 1], low = [1, 0, 0], high = [1, 0, 0]>
      layouts = <"NDHWC", "KTRSC", "NZPQK"> schedule = $schedule
      : tensor<2x7x3x5x6xf16>, tensor<10x3x1x1x6xf16> -> tensor<2x7x3x5x10xf16>
  return %y : tensor<2x7x3x5x10xf16>
}
)";

// All of an operand is less than a tile of a transform.
static const std::string kTinyWeight = R"(
func.func @f(%x: tensor<1x4x2x2xf16>, %dy: tensor<1x3x2x3xf16>) -> tensor<3x2x1x2xf16> {
  %dw = conv.backward_weight %x, %dy
      window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
      layouts = <"NHWC", "KRSC", "NPQK"> schedule = $schedule
      : tensor<1x4x2x2xf16>, tensor<1x3x2x3xf16> -> tensor<3x2x1x2xf16>
  return %dw : tensor<3x2x1x2xf16>
}
)";

// One image of 14 lines, in four strips, the last of which has two.
static const std::string kStripsWeight = R"(
func.func @f(%x: tensor<1x15x9x5xf32>, %dy: tensor<1x14x9x11xf32>) -> tensor<11x4x3x5xf32> {
  %dw = conv.backward_weight %x, %dy
      window = <strides = [1, 1], dilations = [1, 1], low = [2, 1], high = [0, 1]>
      layouts = <"NHWC", "KRSC", "NPQK"> schedule = $schedule
      : tensor<1x15x9x5xf32>, tensor<1x14x9x11xf32> -> tensor<11x4x3x5xf32>
  return %dw : tensor<11x4x3x5xf32>
}
)";

// The longest dimension is that of columns.
static const std::string kVolumeWeight = R"(
func.func @f(%x: tensor<1x3x5x11x6xf16>, %dy: tensor<1x3x3x6x9xf16>) -> tensor<9x1x3x2x6xf16> {
  %dw = conv.backward_weight %x, %dy
      window = <strides = [1, 2, 2], dilations = [1, 1, 1], low = [0, 1, 1], high = [0, 1, 1]>
      layouts = <"NDHWC", "KTRSC", "NZPQK"> schedule = $schedule
      : tensor<1x3x5x11x6xf16>, tensor<1x3x3x6x9xf16> -> tensor<9x1x3x2x6xf16>
  return %dw : tensor<9x1x3x2x6xf16>
}
)";

static const FormCase kCases[] = {
    {"forward", kForward2d, R"(layouts = <"NHWC", "KRSC", "NPQK">>)",
     FormCase::Float16, true},
    {"forward_own_result", kForward2d,
     R"(layouts = <"NHWC", "KRSC", "NKPQ">, channel_multiple = 8>)"},
    {"forward_padded", kForward2d, "channel_multiple = 16>"},
    {"forward_3d", kForward3d, R"(layouts = <"NDHWC", "KTRSC", "NZPQK">>)"},
    {"groups", kGroups, R"(layouts = <"NHWC", "KRSC", "NPQK">>)"},
    {"groups_merged", kGroups,
     R"(layouts = <"NHWC", "KRSC", "NKPQ">, channel_multiple = 6>)"},
    {"groups_as_one", kGroups, "channel_multiple = 12>", FormCase::Float16,
     true},
    {"groups_data", kGroupsData,
     R"(layouts = <"NHWC", "KRSC", "NPQK">, channel_multiple = 8>)"},
    {"groups_weight", kGroupsWeight, "channel_multiple = 6>"},
    {"groups_weight_turned", kGroupsWeight,
     R"(layouts = <"NCHW", "KCRS", "NKPQ">, channel_multiple = 4>)"},
    {"data", kBackwardData,
     R"(layouts = <"NHWC", "CRSK", "NPQK">, channel_multiple = 8>)",
     FormCase::Float16, true},
    {"weight", kBackwardWeight,
     R"(layouts = <"NHWC", "KRSC", "NPQK">, channel_multiple = 8>)"},
    {"images_innermost_weight", kBackwardWeight,
     R"(layouts = <"HCWN", "KRSC", "PKQN">>)"},
    {"images_innermost_uneven_weight", kUnevenWeight,
     R"(layouts = <"HCWN", "KRSC", "PKQN">, splits = 3>)"},
    {"images_innermost_groups_weight", kGroupsWeight,
     R"(layouts = <"CHWN", "KRSC", "KPQN">>)"},
    {"positions_innermost_weight", kUnevenWeight,
     R"(layouts = <"NCHW", "KRSC", "NKPQ">>)"},
    {"merged_images", kStillDepth, R"(layouts = <"NHWC", "KRSC", "NPQK">>)",
     FormCase::Float16, true},
    {"merged_images_own_result", kStillDepth,
     R"(layouts = <"NHWC", "KRSC", "NPQK">, channel_multiple = 8>)"},
    {"merged_images_im2col", kStillDepth,
     R"(layouts = <"NHWC", "KRSC", "NPQK">, im2col = 2>)"},
    {"merged_images_data", kStillDepthData,
     R"(layouts = <"NHWC", "CRSK", "NPQK">>)"},
    {"merged_lines_weight", kStillLinesWeight,
     R"(layouts = <"NCHW", "KCRS", "NKPQ">>)"},
    {"merged_lines_turned_weight", kStillLinesWeight,
     R"(layouts = <"NHWC", "KRSC", "NPQK">, splits = 3>)"},
    {"merged_lines_im2col", kStillLines,
     R"(layouts = <"NHWC", "KRSC", "NPQK">, im2col = 2>)"},
    {"strips_f32_weight", kStripsWeight,
     R"(layouts = <"HCWN", "KRSC", "PKQN">, splits = 2, space_to_batch = 4>)",
     FormCase::Float32},
    {"strips_weight", kBackwardWeight,
     R"(layouts = <"HCWN", "KRSC", "PKQN">, space_to_batch = 3>)"},
    {"strips_uneven_weight", kUnevenWeight,
     R"(layouts = <"HCWN", "KRSC", "PKQN">, splits = 2, space_to_batch = 2>)"},
    {"strips_channels_last_weight", kUnevenWeight,
     R"(layouts = <"NHWC", "KRSC", "NPQK">, channel_multiple = 8, space_to_batch = 3>)"},
    {"strips_tiny_weight", kTinyWeight,
     R"(layouts = <"NHWC", "KRSC", "NPQK">, space_to_batch = 2>)"},
    {"strips_groups_weight", kGroupsWeight,
     R"(layouts = <"HCWN", "KRSC", "PKQN">, space_to_batch = 2>)"},
    {"strips_volume_weight", kVolumeWeight,
     R"(layouts = <"DHCWN", "KTRSC", "ZPKQN">, space_to_batch = 4>)"},
    {"merged_strips_weight", kVolumeWeight,
     R"(layouts = <"NHWC", "KRSC", "NPQK">, space_to_batch = 6>)"},
    {"im2col", kForward2d,
     R"(layouts = <"NHWC", "KRSC", "NPQK">, channel_multiple = 8, im2col = 2>)",
     FormCase::Float16, true},
    {"im2col_left_out", kLeftOut,
     R"(layouts = <"NHWC", "KRSC", "NKPQ">, channel_multiple = 8, im2col = 2>)",
     FormCase::Float16, true},
    {"im2col_left_out_far", kLeftOutFar,
     R"(layouts = <"NHWC", "KRSC", "NPQK">, im2col = 1>)"},
    {"im2col_left_out_weight", kLeftOutWeight,
     R"(layouts = <"NDHWC", "KTRSC", "NZPQK">, im2col = 2>)",
     FormCase::Float32},
    {"im2col_lines", kForward2d,
     R"(layouts = <"NHWC", "KRSC", "NKPQ">, im2col = 1>)"},
    {"im2col_3d", kForward3d,
     R"(layouts = <"NDHWC", "KTRSC", "NZPQK">, im2col = 2>)"},
    {"im2col_volume", kForward3d,
     R"(layouts = <"NDHWC", "KTRSC", "NKZPQ">, im2col = 3>)"},
    {"im2col_uneven", kUneven,
     R"(layouts = <"NHWC", "KRSC", "NPQK">, channel_multiple = 8, im2col = 2>)"},
    {"im2col_uneven_lines", kUneven,
     R"(layouts = <"NHWC", "KRSC", "NPQK">, im2col = 1>)"},
    {"im2col_weight", kBackwardWeight,
     R"(layouts = <"NHWC", "KRSC", "NPQK">, channel_multiple = 8, im2col = 2>)"},
    {"im2col_uneven_weight", kUnevenWeight,
     R"(channel_multiple = 8, im2col = 2>)"},
    {"im2col_uneven_weight_lines", kUnevenWeight, "im2col = 1>"},
    {"im2col_narrow_weight", kNarrowWeight,
     R"(layouts = <"NHWC", "KRSC", "NPQK">, channel_multiple = 8, im2col = 1>)"},
    {"im2col_turned_weight", kBackwardWeight,
     R"(layouts = <"NHWC", "CRSK", "NPQK">, channel_multiple = 8, im2col = 2>)"},
    {"im2col_turned_uneven_weight", kUnevenWeight,
     R"(layouts = <"NHWC", "CRSK", "NPQK">, im2col = 2>)"},
    {"im2col_narrow_data", kNarrowData,
     R"(layouts = <"NHWC", "CRSK", "NPQK">, channel_multiple = 8, im2col = 2>)"},
    {"im2col_narrow_data_lines", kNarrowData,
     R"(layouts = <"NCHW", "KRSC", "NPQK">, im2col = 1>)"},
    {"col2im_data", kFoldedData,
     R"(layouts = <"NCHW", "CRSK", "NPQK">, channel_multiple = 4, im2col = 2>)",
     FormCase::Float32},
    {"col2im_data_lines", kFoldedData,
     R"(layouts = <"NHWC", "KRSC", "NPQK">, im2col = 1>)", FormCase::Float32},
    {"col2im_dilated_data", kFoldedDilatedData,
     R"(layouts = <"NCDHW", "CTRSK", "NZPQK">, channel_multiple = 4, im2col = 3>)",
     FormCase::Float32},
    {"col2im_forward", kFoldedForward,
     R"(layouts = <"NHWC", "KRSC", "NKPQ">, channel_multiple = 4, im2col = 2>)",
     FormCase::Float32},
    {"transposed", kPointwise,
     R"(transposed = true, layouts = <"NCW", "KSC", "NKQ">>)"},
    {"turned_weight", kPointwiseWeight,
     R"(layouts = <"NHWC", "CRSK", "NPQK">>)"},
    {"flat", kPointwise, R"(layouts = <"NWC", "KSC", "NQK">>)"},
    {"transposed_data", kPointwiseData,
     R"(transposed = true, layouts = <"NCW", "CSK", "NKQ">>)"},
    {"float8", kFloat8, "operand_type = f16>", FormCase::Float8},
    {"float8_turned", kFloat8,
     R"(layouts = <"NHWC", "KRSC", "NPQK">, channel_multiple = 8, operand_type = f16>)",
     FormCase::Float8},
    {"float8_im2col", kFloat8,
     R"(layouts = <"NHWC", "KRSC", "NKPQ">, channel_multiple = 8, im2col = 2, operand_type = f16>)",
     FormCase::Float8},
    {"float8_data", kFloat8Data, "operand_type = f16>", FormCase::Float8},
    {"float8_data_turned", kFloat8Data,
     R"(layouts = <"NHWC", "CRSK", "NPQK">, channel_multiple = 8, operand_type = f16>)",
     FormCase::Float8},
    {"float8_groups", kFloat8Groups,
     "channel_multiple = 6, operand_type = f16>", FormCase::Float8, true},
};

void test::addFormTests() {
  for (const FormCase &form : kCases)
    for (const Chip &chip : kChips) {
      const std::string &own =
          form.type == FormCase::Float32 ? chip.f32Schedule : chip.schedule;
      if (own.empty() || (form.type == FormCase::Float8 && !chip.hasFloat8))
        continue;
      std::string text = form.function;
      std::string schedule = "$schedule";
      text.replace(text.find(schedule), schedule.size(), own + form.form);
      std::string name = form.name + "_" + chip.target.substr(4);
      addTest("Forms", name,
              [text, chip] { checkEverywhere(text, {chip.target}); });
      bool isLast = &chip == std::end(kChips) - 1;
      if (form.packsFilter && isLast)
        addTest("Forms", name + "_prepacked", [text, chip] {
          checkEverywhere(prepackFilter(text), {chip.target});
        });
    }
}
