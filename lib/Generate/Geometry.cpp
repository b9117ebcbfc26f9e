//===- Geometry.cpp - a problem in the dialect's terms ----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Letters, sizes and paddings as MIOpenDriver computes them. The op's own
// verifier checks the rest.
//
//===----------------------------------------------------------------------===//

#include "Geometry.h"

#include "conv/Dialect/Conv/IR/ConvShape.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;
using namespace ::conv;
using mlir::conv::Direction;
using mlir::conv::TensorRole;

SmallVector<int64_t> Geometry::getShape(TensorRole role) const {
  StringRef order = getOrder(role);
  SmallVector<int64_t> shape;
  for (char letter : order) {
    int64_t size = letter == 'G' ? groups : sizes.at(letter);
    bool ofOneGroup =
        (letter == 'C' || letter == 'K') &&
        (order.contains('G') || (letter == 'C' && role == TensorRole::Filter));
    shape.push_back(ofOneGroup ? size / groups : size);
  }
  return shape;
}

/// The role of the tensor that the user calls output, or input if `isInput`.
static TensorRole getRole(const GenOptions &options, bool isInput) {
  bool transposed = options.mode == "trans";
  return isInput != transposed ? TensorRole::Input : TensorRole::Output;
}

/// Sets the direction and the names of the tensors.
static void setDirection(const GenOptions &options, Geometry &geometry) {
  TensorRole input = getRole(options, true), output = getRole(options, false);
  auto name = [&](TensorRole role) -> std::string & {
    return geometry.names[int(role)];
  };
  bool isForward = options.direction == ConvolutionDirection::Forward;
  bool isData = options.direction == ConvolutionDirection::BackwardData;
  bool isWeight = options.direction == ConvolutionDirection::BackwardWeight;
  name(input) = isData ? "grad_input" : "input";
  name(TensorRole::Filter) = isWeight ? "grad_filter" : "filter";
  name(output) = isForward ? "output" : "grad_output";
  geometry.direction = isWeight ? Direction::BackwardWeight
                       : (isForward ? output : input) == TensorRole::Output
                           ? Direction::Forward
                           : Direction::BackwardData;
}

/// The meaning of a layout letter for an operand, as one of NCDHWG; 0 if it
/// has none. Accepts the letters of MIOpenDriver, which uses an input's
/// letters for all operands, of rocMLIR, which has digits or `kcyx`, and of
/// the dialect.
static char readLetter(char letter, TensorRole role, int64_t rank) {
  static const std::pair<StringLiteral, StringLiteral> kMeanings[] = {
      {"NCDHWG", "NCDHWG"},               // input
      {"NKCTZDRYHSXWG", "NNCDDDHHHWWWG"}, // filter
      {"NKCZDPHQWG", "NCCDDHHWWG"}};      // output
  if (int64_t digit = letter - '0'; digit >= 0 && digit < rank)
    return "DHW"[3 - rank + digit];
  auto [letters, meanings] = kMeanings[int(role)];
  size_t position = letters.find(llvm::toUpper(letter));
  return position == StringRef::npos ? 0 : meanings[position];
}

/// The order string of a layout, in the letters of the dialect.
static Result<std::string> parseLayout(StringRef field, StringRef value,
                                       TensorRole role, int64_t rank) {
  constexpr StringLiteral kLetters[] = {"NCDHWG", "KCTRSG", "NKZPQG"};
  std::string usual = ("N" + StringRef("DHW").take_back(rank) + "C").str();
  std::string order;
  for (char letter : value.empty() ? StringRef(usual) : value)
    order += readLetter(letter, role, rank);
  std::string expected =
      order.find('G') == std::string::npos ? usual : usual + "G";
  if (!std::is_permutation(order.begin(), order.end(), expected.begin(),
                           expected.end()))
    return badInput(field + ": expects the letters " + usual +
                    " in any order, and G for groups, but got '" + value + "'");
  for (char &letter : order)
    letter = kLetters[int(role)][StringRef("NCDHWG").find(letter)];
  return order;
}

/// If one operand has groups as a dimension, all get one: before the channels
/// that the groups divide, which changes nothing in memory.
static void addGroups(Geometry &geometry) {
  auto hasG = [](StringRef order) { return order.contains('G'); };
  if (llvm::none_of(geometry.orders, hasG))
    return;
  for (auto [order, channel] :
       llvm::zip_equal(geometry.orders, StringRef("CKK")))
    if (!hasG(order))
      order.insert(order.find(channel), "G");
}

/// Sets the order strings.
static std::optional<Error> setOrders(const GenOptions &options,
                                      Geometry &geometry) {
  auto set = [&](TensorRole role, StringRef field,
                 StringRef value) -> std::optional<Error> {
    Result<std::string> order =
        parseLayout(field, value, role, options.spatialRank);
    if (!order)
      return order.error();
    geometry.orders[int(role)] = *order;
    return std::nullopt;
  };
  if (auto error =
          set(getRole(options, true), "input_layout", options.inputLayout))
    return error;
  if (auto error =
          set(TensorRole::Filter, "filter_layout", options.filterLayout))
    return error;
  if (auto error =
          set(getRole(options, false), "output_layout", options.outputLayout))
    return error;
  addGroups(geometry);
  return std::nullopt;
}

/// The padding before dimension `d` (of three).
static int64_t computeLow(const GenOptions &options, int64_t d) {
  if (!usesPaddingSizes(options))
    return options.low[d];
  if (options.paddingSizes == "valid")
    return 0;
  int64_t rest = options.input[d] % options.stride[d];
  int64_t covered = rest == 0 ? options.stride[d] : rest;
  return std::max<int64_t>(options.filter[d] - covered, 0) / 2;
}

/// `stride * (in - 1) + dilation * (filter - 1) + 1 + outputPadding - low -
/// high`, or none if that overflows or is not positive.
static std::optional<int64_t> computeTransposedSize(const GenOptions &options,
                                                    int64_t d, int64_t low,
                                                    int64_t high) {
  int64_t size, span;
  if (llvm::MulOverflow(options.stride[d], options.input[d] - 1, size) ||
      llvm::MulOverflow(options.dilation[d], options.filter[d] - 1, span) ||
      llvm::AddOverflow(size, span, size) ||
      llvm::AddOverflow<int64_t>(size, 1, size) ||
      llvm::AddOverflow(size, options.outputPadding[d], size) ||
      llvm::SubOverflow(size, low, size) ||
      llvm::SubOverflow(size, high, size) || size <= 0)
    return std::nullopt;
  return size;
}

/// Sets the sizes of dimension `d` (of three).
static std::optional<Error> setSpatial(const GenOptions &options, int64_t d,
                                       Geometry &geometry) {
  int64_t low = computeLow(options, d);
  bool given = !usesPaddingSizes(options) && options.high[d] >= 0;
  int64_t high = given ? options.high[d] : low;
  bool transposed = options.mode == "trans";
  std::optional<int64_t> input =
      transposed ? computeTransposedSize(options, d, low, high)
                 : options.input[d];
  if (!input)
    return badInput(Twine("expects dimension ") + Twine("DHW"[d]) +
                    " of the output to have elements, but got none");
  std::optional<int64_t> output = mlir::conv::computeOutputSize(
      {*input, options.filter[d], options.stride[d], options.dilation[d], low,
       high});
  if (!output)
    return badInput(Twine("expects the window to fit dimension ") +
                    Twine("DHW"[d]) + ", but got filter " +
                    Twine(options.filter[d]) + " with dilation " +
                    Twine(options.dilation[d]) + " on input " + Twine(*input) +
                    " padded by " + Twine(low) + " and " + Twine(high));
  if (transposed && *output != options.input[d])
    return badInput(
        Twine("expects the output padding to be below the stride, ") +
        Twine(options.stride[d]) + ", but got " +
        Twine(options.outputPadding[d]) + " in dimension " + Twine("DHW"[d]));
  geometry.sizes["DHW"[d]] = *input;
  geometry.sizes["TRS"[d]] = options.filter[d];
  geometry.sizes["ZPQ"[d]] = *output;
  geometry.low.push_back(low);
  geometry.high.push_back(high);
  return std::nullopt;
}

auto ::conv::computeGeometry(const GenOptions &options) -> Result<Geometry> {
  Geometry geometry;
  setDirection(options, geometry);
  if (options.spatialRank > 3)
    return badInput("spatial_rank: expects 1, 2 or 3, but got " +
                    Twine(options.spatialRank));
  if (auto error = setOrders(options, geometry))
    return *error;
  if (options.c % options.groups || options.k % options.groups)
    return badInput("groups: expects a divisor of " + Twine(options.c) +
                    " input and " + Twine(options.k) +
                    " output channels, but got " + Twine(options.groups));
  geometry.groups = options.groups;
  bool transposed = options.mode == "trans";
  geometry.sizes = {{'N', options.n},
                    {'C', transposed ? options.k : options.c},
                    {'K', transposed ? options.c : options.k}};
  for (int64_t d = 3 - options.spatialRank; d < 3; ++d)
    if (auto error = setSpatial(options, d, geometry))
      return *error;
  return geometry;
}
