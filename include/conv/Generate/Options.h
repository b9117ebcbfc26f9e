//===- Options.h - a convolution to be written ------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The options of one function, before they are checked against the dialect.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_GENERATE_OPTIONS_H
#define CONV_GENERATE_OPTIONS_H

#include "conv/Support/DriverGrammar.h"

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace conv {

/// The values that `GenOptions::activation` may have.
inline constexpr std::array kActivations = {
    "relu",      "relu6", "leaky_relu", "silu",        "sigmoid", "gelu",
    "gelu_tanh", "tanh",  "hardswish",  "hardsigmoid", "elu",     "mish"};

/// Sizes of depth, height and width, in that order.
using PerDimension = std::array<int64_t, 3>;

/// A convolution. Errors name its fields as the C API does.
struct GenOptions {
  ElementType type = ElementType::F32; ///< Of the operands.
  /// The second operand's, if it differs: both are 8-bit floats.
  std::optional<ElementType> rhsType;
  ConvolutionDirection direction = ConvolutionDirection::Forward;
  int64_t spatialRank = 2;
  int64_t n = 100, c = 3, k = 32, groups = 1;
  PerDimension input = {32, 32, 32}, filter = {3, 3, 3};
  PerDimension stride = {1, 1, 1}, dilation = {1, 1, 1};
  PerDimension low = {0, 0, 0};
  PerDimension high = {-1, -1, -1}; ///< -1: like `low`.
  /// Empty: channels last. The command line always sets layouts.
  std::string inputLayout, filterLayout, outputLayout;
  std::string mode = "conv";              ///< Or "trans", for transposed.
  PerDimension outputPadding = {0, 0, 0}; ///< For a transposed convolution.
  std::string paddingSizes = "default";   ///< -z: default, same or valid.
  std::string padding = "zeros";          ///< Padding mode of the op.

  bool bias = false, residual = false;
  /// None: the operands' type; f32 for 8-bit ones.
  std::optional<ElementType> biasType;
  std::optional<double> scale;
  std::string activation;        ///< Empty: none.
  double activationAlpha = 0.01; ///< Slope of leaky_relu and elu below 0.
  /// None: the operands' type; i32 for i8 without an epilogue.
  std::optional<ElementType> outputType;
  bool tf32 = false;  ///< f32 operands are rounded to tf32.
  bool exact = false; ///< Products of f32 are exact.
  /// Sums of 8-bit floats are promoted from instructions' sums to f32.
  bool promoted = false;

  std::string name; ///< Empty: derived from the problem.

  auto operator<=>(const GenOptions &) const = default;
};

/// A size that callers choose: `?` on a command line and in a type.
inline constexpr int64_t kRunTimeSize = INT64_MIN;

/// A dynamic convolution in one direction, as in the problem of a manifest.
struct DynamicGenOptions {
  std::string direction;    ///< dynamic_forward, dynamic_backward_input, ...
  std::string type = "f32"; ///< f32, f16, bf16 or i8.
  int64_t b = 1, t = 1, d = 1;
  int64_t g = 0; ///< Groups of channels that share a kernel; 0: no groups.
  int64_t w = 4;
  std::string order = "BTGW"; ///< Or BTWG.
  int64_t starts = 0;         ///< Elements of cu_seqlens, or 0.
  bool wideStarts = false;    ///< cu_seqlens has i64 elements.
  bool initialState = false;
  bool oneKernel = false;         ///< One kernel for all tokens.
  std::string normalize = "none"; ///< "none", "softmax" or "l2".

  std::string name; ///< Empty: derived from the problem.

  auto operator<=>(const DynamicGenOptions &) const = default;
};

/// The computation of one function.
/// Sizes that are 0 are absent from the op.
struct StateGenOptions {
  std::string op; ///< causal_update, final_state or dynamic_backward_state.
  std::string type = "f32";
  int64_t b = 1, t = 1, d = 1, w = 0;
  int64_t g = 0;         ///< Groups that share a kernel; 0: one per channel.
  int64_t s = 0;         ///< States of a cache; 0: one per sequence.
  int64_t l = 0;         ///< Tokens of a state of causal_update.
  int64_t p = 0;         ///< Tokens of a final state.
  std::string positions; ///< i32 or i64, or empty for none.
  std::string indices;   ///< i32 or i64, or empty for none.
  std::string order = "BTGW";
  int64_t starts = 0; ///< Elements of cu_seqlens, or 0.
  bool wideStarts = false, initialState = false, oneKernel = false;
  std::string normalize = "none"; ///< "none", "softmax" or "l2".

  std::string name; ///< Empty: derived from the problem.

  auto operator<=>(const StateGenOptions &) const = default;
};

using GenProblem = std::variant<GenOptions, DynamicGenOptions, StateGenOptions>;

/// Whether `paddingSizes` replaces `low` and `high`: MIOpenDriver computes
/// padding only for filters without dilation that are not transposed.
bool usesPaddingSizes(const GenOptions &options);

} // namespace conv

#endif // CONV_GENERATE_OPTIONS_H
