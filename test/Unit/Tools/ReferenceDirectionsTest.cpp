//===- ReferenceDirectionsTest.cpp - every kind of convolution --*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares the reference in all directions, layouts, dimensions, groups and
// padding modes with one loop over every index, which adds each product where
// it belongs.
//
//===----------------------------------------------------------------------===//

#include "Connections.h"
#include "Evaluate.h"
#include "RandomInputs.h"

#include <gtest/gtest.h>

#include <map>

using namespace conv;
using namespace conv::reference;

namespace {

/// A convolution of n 2 with 2 groups of c 2 and k 3. All spatial sizes
/// differ.
struct Case {
  std::array<std::string, 3> layouts;
  std::string padding;
};

constexpr int64_t kGroups = 2;
const std::map<char, int64_t> kSizes = {
    {'N', 2}, {'G', kGroups}, {'D', 3}, {'H', 4}, {'W', 5}, {'T', 2},
    {'R', 3}, {'S', 2},       {'Z', 3}, {'P', 3}, {'Q', 5}};
constexpr std::array<int64_t, 3> kStrides = {2, 2, 1}, kDilations = {1, 2, 2},
                                 kLow = {2, 2, 1};

/// Indices by letter. Channels are the channels of one group.
using Indices = std::map<char, int64_t>;

int64_t dimensionSize(const std::string &layout, int role, char letter) {
  if (letter != 'C' && letter != 'K')
    return kSizes.at(letter);
  int64_t ofGroup = letter == 'C' ? 2 : 3;
  bool hasAllGroups = layout.find('G') == std::string::npos &&
                      !(role == int(Role::Filter) && letter == 'C');
  return ofGroup * (hasAllGroups ? kGroups : 1);
}

std::vector<int64_t> shapeOf(const std::string &layout, int role) {
  std::vector<int64_t> shape;
  for (char letter : layout)
    shape.push_back(dimensionSize(layout, role, letter));
  return shape;
}

int64_t elementOf(const std::string &layout, int role, const Indices &indices) {
  int64_t element = 0;
  for (char letter : layout) {
    int64_t index = indices.at(letter);
    int64_t size = dimensionSize(layout, role, letter);
    if ((letter == 'C' && size == 2 * kGroups) ||
        (letter == 'K' && size == 3 * kGroups))
      index += indices.at('G') * size / kGroups;
    element = element * size + index;
  }
  return element;
}

std::string quoteList(const std::vector<int64_t> &values) {
  std::string text;
  for (int64_t value : values)
    text += (text.empty() ? "[" : ", ") + std::to_string(value);
  return text + "]";
}

artifact::Entry makeEntry(const Case &test, Direction direction) {
  const char *names[] = {"forward", "backward_data", "backward_weight"};
  const char *operands[][2] = {
      {"input", "filter"}, {"grad_output", "filter"}, {"input", "grad_output"}};
  Step step;
  step.direction = direction;
  artifact::Entry entry;
  entry.function = "f";
  entry.target = "host";
  for (Role role : {step.leftRole(), step.rightRole(), step.resultRole()}) {
    artifact::Argument argument;
    argument.name = argument.role = std::to_string(int(role));
    argument.access = role == step.resultRole() ? "write" : "read";
    argument.dtype = "f32";
    argument.shape = shapeOf(test.layouts[int(role)], int(role));
    entry.arguments.push_back(argument);
  }
  size_t rank = test.layouts[0].size() - 2 -
                (test.layouts[0].find('G') != std::string::npos);
  auto takeBack = [&](const std::array<int64_t, 3> &values) {
    return quoteList({values.end() - rank, values.end()});
  };
  std::string layouts, shapes;
  for (int role = 0; role < 3; ++role) {
    layouts += (role ? ", \"" : "\"") + test.layouts[role] + "\"";
    shapes += (role ? ", " : "") + quoteList(shapeOf(test.layouts[role], role));
  }
  const char *const *pair = operands[int(direction)];
  entry.reference =
      std::string(R"({"steps": [{"direction": ")") + names[int(direction)] +
      R"(", "padding": ")" + test.padding + R"(", ")" + pair[0] +
      R"(": {"argument": 0}, ")" + pair[1] +
      R"(": {"argument": 1}, "tail_operands": [], "layouts": [)" + layouts +
      R"(], "shapes": [)" + shapes + R"(], "groups": 2, "strides": )" +
      takeBack(kStrides) + R"(, "dilations": )" + takeBack(kDilations) +
      R"(, "low": )" + takeBack(kLow) +
      R"(, "output_type": "f32", "tail": [], "yield": 0,
      "error_bound": {"accumulation": 1, "output_ulp": 0.5}}],
      "outputs": [{"argument": 2, "step": 0}]})";
  return entry;
}

/// Calls `body` for every combination of indices of `letters`.
template <typename Body>
void forEachIndex(const std::string &letters, Indices &indices, Body body) {
  if (letters.empty())
    return body();
  char letter = letters.front();
  int64_t size = letter == 'C' ? 2 : letter == 'K' ? 3 : kSizes.at(letter);
  for (indices[letter] = 0; indices[letter] < size; ++indices[letter])
    forEachIndex(letters.substr(1), indices, body);
}

std::vector<double> expectedResult(const Case &test, Direction direction,
                                   const ArgumentBytes &bytes, size_t size) {
  Step step;
  step.direction = direction;
  PaddingMode mode = test.padding == "reflect"     ? PaddingMode::Reflect
                     : test.padding == "replicate" ? PaddingMode::Replicate
                     : test.padding == "circular"  ? PaddingMode::Circular
                                                   : PaddingMode::Zeros;
  std::string letters = "NGCK";
  const std::string spatial[] = {"DTZ", "HRP", "WSQ"};
  for (int dim = 0; dim < 3; ++dim)
    if (test.layouts[0].find(spatial[dim][0]) != std::string::npos)
      letters += spatial[dim].substr(1);
  std::vector<double> result(size);
  Indices indices;
  forEachIndex(letters, indices, [&] {
    for (int dim = 0; dim < 3; ++dim) {
      char in = spatial[dim][0], tap = spatial[dim][1], out = spatial[dim][2];
      if (test.layouts[0].find(in) == std::string::npos)
        continue;
      std::optional<int64_t> position =
          findPosition(indices[out] * kStrides[dim] +
                           indices[tap] * kDilations[dim] - kLow[dim],
                       kSizes.at(in), mode);
      if (!position)
        return;
      indices[in] = *position;
    }
    auto element = [&](Role role) {
      return elementOf(test.layouts[int(role)], int(role), indices);
    };
    result[element(step.resultRole())] +=
        loadElement(ElementType::F32, bytes[0].data(),
                    element(step.leftRole())) *
        loadElement(ElementType::F32, bytes[1].data(),
                    element(step.rightRole()));
  });
  return result;
}

TEST(Reference, MatchesOneLoopOverEveryIndex) {
  const std::array<std::string, 3> layouts[] = {
      {"NHWC", "KRSC", "NPQK"},    {"NCHW", "KCRS", "NKPQ"},
      {"NHWGC", "GKRSC", "NPQGK"}, {"CGWNH", "SKCGR", "KQPNG"},
      {"NWC", "KSC", "NQK"},       {"NCW", "SCK", "QNK"},
      {"NDHWC", "KTRSC", "NZPQK"}, {"NGCDHW", "GKCTRS", "NGKZPQ"},
  };
  for (const auto &layout : layouts)
    for (std::string padding : {"zeros", "reflect", "replicate", "circular"})
      for (Direction direction : {Direction::Forward, Direction::BackwardData,
                                  Direction::BackwardWeight}) {
        Case test{layout, padding};
        artifact::Entry entry = makeEntry(test, direction);
        Result<Program> program = parseProgram(entry);
        ASSERT_TRUE(program) << program.error().message;
        ArgumentBytes bytes = {
            randomBytes(entry.arguments[0], RandomKind::Integers, 1),
            randomBytes(entry.arguments[1], RandomKind::Integers, 2), ""};
        Expected got = evaluate(*program, entry, bytes)[0];
        EXPECT_EQ(got.values,
                  expectedResult(test, direction, bytes, got.values.size()))
            << entry.reference;
      }
}

TEST(Reference, PaddingModesFollowPyTorch) {
  auto row = [](PaddingMode mode) {
    std::vector<int64_t> positions;
    for (int64_t i = -2; i < 6; ++i)
      positions.push_back(findPosition(i, 4, mode).value_or(-1));
    return positions;
  };
  using List = std::vector<int64_t>;
  EXPECT_EQ(row(PaddingMode::Zeros), (List{-1, -1, 0, 1, 2, 3, -1, -1}));
  EXPECT_EQ(row(PaddingMode::Reflect), (List{2, 1, 0, 1, 2, 3, 2, 1}));
  EXPECT_EQ(row(PaddingMode::Replicate), (List{0, 0, 0, 1, 2, 3, 3, 3}));
  EXPECT_EQ(row(PaddingMode::Circular), (List{2, 3, 0, 1, 2, 3, 0, 1}));
}

} // namespace
