//===- ReferenceElementwiseTest.cpp - element-wise steps --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Steps that read operands in another order or broadcast, compared with values
// computed by hand.
//
//===----------------------------------------------------------------------===//

#include "Evaluate.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace conv;
using namespace conv::reference;

namespace {

artifact::Argument makeArgument(const std::string &access,
                                std::vector<int64_t> shape) {
  artifact::Argument argument;
  argument.name = argument.role = "operand";
  argument.access = access;
  argument.dtype = "f32";
  argument.shape = std::move(shape);
  return argument;
}

/// The 2 x 3 sums of a transposed 3 x 2 tensor and a vector of 3.
artifact::Entry makeEntry(const std::string &strides,
                          const std::string &offset = "0") {
  artifact::Entry entry;
  entry.function = "f";
  entry.target = "host";
  entry.arguments = {makeArgument("read", {3, 2}), makeArgument("read", {3}),
                     makeArgument("write", {2, 3})};
  entry.reference = R"({
    "steps": [{
      "direction": "elementwise", "shape": [2, 3], "output_type": "f32",
      "operands": [{"argument": 0, "strides": )" +
                    strides + R"(, "offset": )" + offset +
                    R"(}, {"argument": 1, "strides": [0, 1]}],
      "tail": [{"op": "addf", "operands": [0, 1], "type": "f32"}],
      "yield": 2}],
    "outputs": [{"argument": 2, "step": 0}]})";
  return entry;
}

std::string toBytes(const std::vector<float> &values) {
  std::string bytes(values.size() * sizeof(float), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

TEST(ReferenceElementwise, ReadsOperandsByTheirStrides) {
  artifact::Entry entry = makeEntry("[1, 2]");
  Result<Program> program = parseProgram(entry);
  ASSERT_TRUE(program) << program.error().message;
  std::vector<Expected> results = evaluate(
      *program, entry,
      {toBytes({1, 2, 3, 4, 5, 6}), toBytes({10, 20, 30}), std::string()});
  ASSERT_EQ(results.size(), 1u);
  std::vector<double> want = {11, 23, 35, 12, 24, 36};
  ASSERT_EQ(results[0].values.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) {
    EXPECT_EQ(results[0].values[i], want[i]);
    EXPECT_TRUE(results[0].exact[i]);
  }
}

TEST(ReferenceElementwise, RefusesOperandsBeyondTheirTensor) {
  Result<Program> program = parseProgram(makeEntry("[1, 3]"));
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().kind, ErrorKind::BadInput);
  EXPECT_NE(program.error().message.find("strides"), std::string::npos)
      << program.error().message;
}

TEST(ReferenceElementwise, ReadsFromAnOffsetAndBackwards) {
  artifact::Entry entry = makeEntry("[1, -2]", "4");
  Result<Program> program = parseProgram(entry);
  ASSERT_TRUE(program) << program.error().message;
  std::vector<Expected> results = evaluate(
      *program, entry,
      {toBytes({1, 2, 3, 4, 5, 6}), toBytes({10, 20, 30}), std::string()});
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].values, (std::vector<double>{15, 23, 31, 16, 24, 32}));
  for (const char *offset : {"3", "5", "-1"})
    EXPECT_FALSE(parseProgram(makeEntry("[1, -2]", offset))) << offset;
}

/// Parts of 3 x 2 and 3 elements, concatenated in the second dimension.
artifact::Entry makeConcatenation(const std::string &operands) {
  artifact::Entry entry = makeEntry("[1, 2]");
  entry.arguments.back().shape = {3, 3};
  entry.reference = R"({
    "steps": [{
      "direction": "concatenation", "shape": [3, 3], "dimension": 1,
      "operands": [)" +
                    operands +
                    R"(], "output_type": "f32"}],
    "outputs": [{"argument": 2, "step": 0}]})";
  return entry;
}

TEST(ReferenceElementwise, ConcatenatesParts) {
  artifact::Entry entry = makeConcatenation(
      R"({"argument": 1, "size": 1}, {"argument": 0, "size": 2})");
  Result<Program> program = parseProgram(entry);
  ASSERT_TRUE(program) << program.error().message;
  std::vector<Expected> results = evaluate(
      *program, entry,
      {toBytes({1, 2, 3, 4, 5, 6}), toBytes({10, 20, 30}), std::string()});
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].values,
            (std::vector<double>{10, 1, 2, 20, 3, 4, 30, 5, 6}));
}

TEST(ReferenceElementwise, RefusesPartsThatDoNotFill) {
  for (const char *operands :
       {"", R"({"argument": 0, "size": 2})", R"({"argument": 0, "size": 3})",
        R"({"argument": 1, "size": 1}, {"argument": 1, "size": 1})",
        R"({"argument": 0, "size": 2}, {"argument": 0, "size": 2})"})
    EXPECT_FALSE(parseProgram(makeConcatenation(operands))) << operands;
}

} // namespace
