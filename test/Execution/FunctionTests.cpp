//===- FunctionTests.cpp - modules and functions ----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Several functions in a module, several convolutions in a function, and IR as
// other front ends write it: named linalg operations and tosa.
//
//===----------------------------------------------------------------------===//

#include "Execution.h"

using namespace conv;
using namespace conv::test;

static const char *const kTwoFunctions = R"mlir(
func.func @first(%x: tensor<1x6x6x8xf16>, %w: tensor<16x3x3x8xf16>)
    -> tensor<1x4x4x16xf16> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<1x6x6x8xf16>, tensor<16x3x3x8xf16> -> tensor<1x4x4x16xf16>
  return %y : tensor<1x4x4x16xf16>
}
func.func @second(%x: tensor<2x5x5x3xf32>, %w: tensor<4x1x1x3xf32>)
    -> tensor<2x5x5x4xf32> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<2x5x5x3xf32>, tensor<4x1x1x3xf32> -> tensor<2x5x5x4xf32>
  return %y : tensor<2x5x5x4xf32>
}
)mlir";

// A residual block: the second convolution adds the result of a third one, and
// the result of the first one is returned too.
static const char *const kResidualBlock = R"mlir(
#id = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
func.func @block(%x: tensor<1x8x8x16xf16>, %w1: tensor<24x3x3x16xf16>,
                 %w2: tensor<32x3x3x24xf16>, %w3: tensor<32x1x1x16xf16>)
    -> (tensor<1x8x8x32xf16>, tensor<1x8x8x24xf16>) {
  %a = conv.forward %x, %w1
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<1x8x8x16xf16>, tensor<24x3x3x16xf16> -> tensor<1x8x8x24xf16>
  %shortcut = conv.forward %x, %w3
      window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<1x8x8x16xf16>, tensor<32x1x1x16xf16> -> tensor<1x8x8x32xf16>
  %b = conv.forward %a, %w2
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<1x8x8x24xf16>, tensor<32x3x3x24xf16> -> tensor<1x8x8x32xf32>
  %e = tensor.empty() : tensor<1x8x8x32xf16>
  %y = linalg.generic
      {indexing_maps = [#id, #id, #id],
       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%b, %shortcut : tensor<1x8x8x32xf32>, tensor<1x8x8x32xf16>)
      outs(%e : tensor<1x8x8x32xf16>) {
  ^bb0(%p: f32, %q: f16, %unused: f16):
    %zero = arith.constant 0.0 : f32
    %wide = arith.extf %q : f16 to f32
    %sum = arith.addf %p, %wide : f32
    %relu = arith.maximumf %sum, %zero : f32
    %out = arith.truncf %relu : f32 to f16
    linalg.yield %out : f16
  } -> tensor<1x8x8x32xf16>
  return %y, %a : tensor<1x8x8x32xf16>, tensor<1x8x8x24xf16>
}
)mlir";

// Epilogue operands with wider elements than the result: a run of 8 channels is
// two of their accesses.
static const char *const kWideOperands = R"mlir(
func.func @wide(%x: tensor<1x5x5x64xf16>, %w: tensor<64x3x3x64xf16>,
                %bias: tensor<64xf32>, %residual: tensor<1x5x5x64xf32>)
    -> tensor<1x5x5x64xf16> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      epilogue(%bias : tensor<64xf32>, %residual : tensor<1x5x5x64xf32>) {
      ^bb0(%acc: f32, %b: f32, %r: f32):
        %s = arith.addf %acc, %b : f32
        %t = arith.addf %s, %r : f32
        %o = arith.truncf %t : f32 to f16
        conv.yield %o : f16
      } : tensor<1x5x5x64xf16>, tensor<64x3x3x64xf16> -> tensor<1x5x5x64xf16>
  return %y : tensor<1x5x5x64xf16>
}
)mlir";

// Coordinates of the padding that do not fit 32 bits.
static const char *const kFarPadding = R"mlir(
func.func @far(%x: tensor<1x1x1x8xf16>, %w: tensor<8x3x1x8xf16>)
    -> tensor<1x1x1x8xf32> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [4294967296, 1],
                low = [4294967296, 0], high = [4294967296, 0]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<1x1x1x8xf16>, tensor<8x3x1x8xf16> -> tensor<1x1x1x8xf32>
  return %y : tensor<1x1x1x8xf32>
}
)mlir";

// A row of the tile has 64 vectors, and there are 32 work-items.
static const char *const kLongRows = R"mlir(
func.func @rows(%x: tensor<1x6x6x64xf16>, %w: tensor<16x3x3x64xf16>)
    -> tensor<1x6x6x16xf32> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      schedule = <kernel = #conv.staged_gemm<workgroup = [16, 16],
                  subgroup = [16, 16], gemm_k = 512, stages = 2,
                  atom = <wmma 16 x 16 x 16>, main_loop = register_staged,
                  raster = columns>>
      : tensor<1x6x6x64xf16>, tensor<16x3x3x64xf16> -> tensor<1x6x6x16xf32>
  return %y : tensor<1x6x6x16xf32>
}
)mlir";

static const char *const kPaddedLinalg = R"mlir(
func.func @nhwc_fhwc(%x: tensor<1x7x9x5xf32>, %w: tensor<6x3x3x5xf32>)
    -> tensor<1x4x5x6xf32> {
  %zero = arith.constant 0.0 : f32
  %padded = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<1x7x9x5xf32> to tensor<1x9x11x5xf32>
  %e = tensor.empty() : tensor<1x4x5x6xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<1x4x5x6xf32>)
      -> tensor<1x4x5x6xf32>
  %y = linalg.conv_2d_nhwc_fhwc
      {strides = dense<2> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%padded, %w : tensor<1x9x11x5xf32>, tensor<6x3x3x5xf32>)
      outs(%init : tensor<1x4x5x6xf32>) -> tensor<1x4x5x6xf32>
  return %y : tensor<1x4x5x6xf32>
}
)mlir";

static const char *const kFilterLast = R"mlir(
func.func @nhwc_hwcf(%x: tensor<2x6x6x8xf16>, %w: tensor<3x2x8x12xf16>)
    -> tensor<2x4x5x12xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x4x5x12xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<2x4x5x12xf32>)
      -> tensor<2x4x5x12xf32>
  %y = linalg.conv_2d_nhwc_hwcf
      {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<2x6x6x8xf16>, tensor<3x2x8x12xf16>)
      outs(%init : tensor<2x4x5x12xf32>) -> tensor<2x4x5x12xf32>
  return %y : tensor<2x4x5x12xf32>
}
)mlir";

static const char *const kTosa = R"mlir(
func.func @tosa(%x: tensor<1x8x8x4xf32>, %w: tensor<8x3x3x4xf32>,
                %b: tensor<8xf32>) -> tensor<1x8x8x8xf32> {
  %zp = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}>
      : () -> tensor<1xf32>
  %c = tosa.conv2d %x, %w, %b, %zp, %zp
      {acc_type = f32, pad = array<i64: 1, 1, 1, 1>,
       stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>}
      : (tensor<1x8x8x4xf32>, tensor<8x3x3x4xf32>, tensor<8xf32>,
         tensor<1xf32>, tensor<1xf32>) -> tensor<1x8x8x8xf32>
  %y = tosa.clamp %c {min_val = 0.0 : f32, max_val = 6.0 : f32}
      : (tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
  return %y : tensor<1x8x8x8xf32>
}
)mlir";

// Tiles on the host need not be whole vectors: columns of the second start in
// the middle of 8 channels.
static const char *const kUnevenTiles = R"mlir(
#schedule = #conv.schedule<kernel = #conv.host_gemm<workgroup = [20, 36],
  subgroup = [4, 4], gemm_k = 24, stages = 1, atom = <fma 16 x 4 x 1>,
  raster = columns>>
func.func @uneven_tiles(%x: tensor<1x9x9x8xf32>, %dy: tensor<1x9x9x20xf32>)
    -> tensor<20x3x3x8xf32> {
  %dw = conv.backward_weight %x, %dy
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
      : tensor<1x9x9x8xf32>, tensor<1x9x9x20xf32> -> tensor<20x3x3x8xf32>
  return %dw : tensor<20x3x3x8xf32>
}
)mlir";

void test::addFunctionTests() {
  auto add = [](const char *name, const char *text) {
    addTest("Function", name, [text] { checkEverywhere(text); });
  };
  add("two_functions", kTwoFunctions);
  add("residual_block", kResidualBlock);
  add("epilogue_operands_wider_than_result", kWideOperands);
  add("padding_beyond_32_bits", kFarPadding);
  addTest("Function", "more_vectors_in_a_row_than_work_items", [] {
    checkEverywhere(kLongRows, {"sim:gfx1100", "sim:gfx1201"});
  });
  addTest("Function", "uneven_tiles_on_the_host",
          [] { checkEverywhere(kUnevenTiles, {"host"}); });
  add("linalg_nhwc_fhwc_with_pad", kPaddedLinalg);
  add("linalg_nhwc_hwcf", kFilterLast);
  add("tosa_conv2d_clamp", kTosa);
}
