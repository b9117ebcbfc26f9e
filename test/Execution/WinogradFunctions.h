//===- WinogradFunctions.h - convolutions of Winograd's tests ---*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions whose `$type` stands for an element type, `$schedule` for a chip's
// schedule, and `$widen` and `$narrow` for conversions to f32 and back.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TEST_EXECUTION_WINOGRADFUNCTIONS_H
#define CONV_TEST_EXECUTION_WINOGRADFUNCTIONS_H

#include <string>

namespace conv::test {

// With a bias, a residual and relu; both images and channels are odd.
inline const std::string kForward = R"(
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
inline const std::string kPadded = R"(
func.func @f(%x: tensor<1x8x9x16x$type>, %w: tensor<32x3x3x16x$type>) -> tensor<1x9x13x32xf32> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [0, 4], high = [3, 2]>
      layouts = <"NHWC", "KRSC", "NPQK"> schedule = $schedule
      : tensor<1x8x9x16x$type>, tensor<32x3x3x16x$type> -> tensor<1x9x13x32xf32>
  return %y : tensor<1x9x13x32xf32>
}
)";

inline const std::string kTiny = R"(
func.func @f(%x: tensor<3x3x3x1x$type>, %w: tensor<1x3x3x1x$type>) -> tensor<3x1x1x1x$type> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
      layouts = <"NHWC", "KRSC", "NPQK"> schedule = $schedule
      : tensor<3x3x3x1x$type>, tensor<1x3x3x1x$type> -> tensor<3x1x1x1x$type>
  return %y : tensor<3x1x1x1x$type>
}
)";

inline const std::string kChannelsFirst = R"(
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
inline const std::string kBackwardData = R"(
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

inline const std::string kOneDimension = R"(
func.func @f(%x: tensor<2x37x6x$type>, %w: tensor<5x3x6x$type>) -> tensor<2x37x5x$type> {
  %y = conv.forward %x, %w
      window = <strides = [1], dilations = [1], low = [1], high = [1]>
      layouts = <"NWC", "KSC", "NQK"> schedule = $schedule
      : tensor<2x37x6x$type>, tensor<5x3x6x$type> -> tensor<2x37x5x$type>
  return %y : tensor<2x37x5x$type>
}
)";

inline const std::string kColumn = R"(
func.func @f(%x: tensor<1x10x7x6x$type>, %w: tensor<5x3x1x6x$type>) -> tensor<1x10x7x5x$type> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 0], high = [1, 0]>
      layouts = <"NHWC", "KRSC", "NPQK"> schedule = $schedule
      : tensor<1x10x7x6x$type>, tensor<5x3x1x6x$type> -> tensor<1x10x7x5x$type>
  return %y : tensor<1x10x7x5x$type>
}
)";

inline const std::string kFive = R"(
func.func @f(%x: tensor<1x7x8x6x$type>, %w: tensor<5x5x5x6x$type>) -> tensor<1x7x8x5x$type> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [2, 2], high = [2, 2]>
      layouts = <"NHWC", "KRSC", "NPQK"> schedule = $schedule
      : tensor<1x7x8x6x$type>, tensor<5x5x5x6x$type> -> tensor<1x7x8x5x$type>
  return %y : tensor<1x7x8x5x$type>
}
)";

inline const std::string kVolume = R"(
func.func @f(%x: tensor<1x3x5x4x6x$type>, %w: tensor<5x3x3x3x6x$type>) -> tensor<1x3x5x4x5x$type> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1, 1], dilations = [1, 1, 1], low = [1, 1, 1], high = [1, 1, 1]>
      layouts = <"NDHWC", "KTRSC", "NZPQK"> schedule = $schedule
      : tensor<1x3x5x4x6x$type>, tensor<5x3x3x3x6x$type> -> tensor<1x3x5x4x5x$type>
  return %y : tensor<1x3x5x4x5x$type>
}
)";

// Padding beyond the filter at one end, and what is added up already.
inline const std::string kWeight = R"(
func.func @f(%x: tensor<3x11x13x5x$type>, %dy: tensor<3x9x17x7x$type>, %r: tensor<7x3x3x5x$type>)
    -> tensor<7x3x3x5x$type> {
  %dw = conv.backward_weight %x, %dy
      window = <strides = [1, 1], dilations = [1, 1], low = [0, 4], high = [0, 2]>
      layouts = <"NHWC", "KRSC", "NPQK"> schedule = $schedule
      epilogue(%r : tensor<7x3x3x5x$type>) {
  ^bb0(%acc: f32, %b: $type):
    %b32 = $widen %b : $type to f32
    %0 = arith.addf %acc, %b32 : f32
    %1 = $narrow %0 : f32 to $type
    conv.yield %1 : $type
  } : tensor<3x11x13x5x$type>, tensor<3x9x17x7x$type> -> tensor<7x3x3x5x$type>
  return %dw : tensor<7x3x3x5x$type>
}
)";

// Whole vectors of channels.
inline const std::string kWeightVectors = R"(
func.func @f(%x: tensor<2x8x9x16x$type>, %dy: tensor<2x8x9x32x$type>) -> tensor<32x3x3x16xf32> {
  %dw = conv.backward_weight %x, %dy
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK"> schedule = $schedule
      : tensor<2x8x9x16x$type>, tensor<2x8x9x32x$type> -> tensor<32x3x3x16xf32>
  return %dw : tensor<32x3x3x16xf32>
}
)";

inline const std::string kWeightTiny = R"(
func.func @f(%x: tensor<1x3x3x1x$type>, %dy: tensor<1x1x1x1x$type>) -> tensor<1x3x3x1x$type> {
  %dw = conv.backward_weight %x, %dy
      window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
      layouts = <"NHWC", "KRSC", "NPQK"> schedule = $schedule
      : tensor<1x3x3x1x$type>, tensor<1x1x1x1x$type> -> tensor<1x3x3x1x$type>
  return %dw : tensor<1x3x3x1x$type>
}
)";

inline const std::string kWeightChannelsFirst = R"(
func.func @f(%x: tensor<2x6x7x11x$type>, %dy: tensor<2x5x7x11x$type>) -> tensor<5x6x3x3x$type> {
  %dw = conv.backward_weight %x, %dy
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NCHW", "KCRS", "NKPQ"> schedule = $schedule
      : tensor<2x6x7x11x$type>, tensor<2x5x7x11x$type> -> tensor<5x6x3x3x$type>
  return %dw : tensor<5x6x3x3x$type>
}
)";

inline const std::string kWeightOneDimension = R"(
func.func @f(%x: tensor<2x37x6x$type>, %dy: tensor<2x37x5x$type>) -> tensor<5x3x6x$type> {
  %dw = conv.backward_weight %x, %dy
      window = <strides = [1], dilations = [1], low = [1], high = [1]>
      layouts = <"NWC", "KSC", "NQK"> schedule = $schedule
      : tensor<2x37x6x$type>, tensor<2x37x5x$type> -> tensor<5x3x6x$type>
  return %dw : tensor<5x3x6x$type>
}
)";

inline const std::string kWeightColumn = R"(
func.func @f(%x: tensor<1x10x7x6x$type>, %dy: tensor<1x10x7x5x$type>) -> tensor<5x3x1x6x$type> {
  %dw = conv.backward_weight %x, %dy
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 0], high = [1, 0]>
      layouts = <"NHWC", "KRSC", "NPQK"> schedule = $schedule
      : tensor<1x10x7x6x$type>, tensor<1x10x7x5x$type> -> tensor<5x3x1x6x$type>
  return %dw : tensor<5x3x1x6x$type>
}
)";

inline const std::string kWeightLine = R"(
func.func @f(%x: tensor<2x3x11x6x$type>, %dy: tensor<2x3x13x5x$type>) -> tensor<5x1x3x6x$type> {
  %dw = conv.backward_weight %x, %dy
      window = <strides = [1, 1], dilations = [1, 1], low = [0, 2], high = [0, 2]>
      layouts = <"NHWC", "KRSC", "NPQK"> schedule = $schedule
      : tensor<2x3x11x6x$type>, tensor<2x3x13x5x$type> -> tensor<5x1x3x6x$type>
  return %dw : tensor<5x1x3x6x$type>
}
)";

inline const std::string kWeightFive = R"(
func.func @f(%x: tensor<1x7x8x6x$type>, %dy: tensor<1x7x8x5x$type>) -> tensor<5x5x5x6x$type> {
  %dw = conv.backward_weight %x, %dy
      window = <strides = [1, 1], dilations = [1, 1], low = [2, 2], high = [2, 2]>
      layouts = <"NHWC", "KRSC", "NPQK"> schedule = $schedule
      : tensor<1x7x8x6x$type>, tensor<1x7x8x5x$type> -> tensor<5x5x5x6x$type>
  return %dw : tensor<5x5x5x6x$type>
}
)";

inline const std::string kWeightVolume = R"(
func.func @f(%x: tensor<1x3x5x4x6x$type>, %dy: tensor<1x3x5x4x5x$type>) -> tensor<5x3x3x3x6x$type> {
  %dw = conv.backward_weight %x, %dy
      window = <strides = [1, 1, 1], dilations = [1, 1, 1], low = [1, 1, 1], high = [1, 1, 1]>
      layouts = <"NDHWC", "KTRSC", "NZPQK"> schedule = $schedule
      : tensor<1x3x5x4x6x$type>, tensor<1x3x5x4x5x$type> -> tensor<5x3x3x3x6x$type>
  return %dw : tensor<5x3x3x3x6x$type>
}
)";

} // namespace conv::test

#endif // CONV_TEST_EXECUTION_WINOGRADFUNCTIONS_H
