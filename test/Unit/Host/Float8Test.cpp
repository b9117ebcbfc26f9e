//===- Float8Test.cpp - conversions of 8-bit floats on the host -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A convolution with the number one converts every code to f32, and every
// number of interest back. Other back ends share the expansion.
//
//===----------------------------------------------------------------------===//

#include "HostProgram.h"

#include "conv/Support/ElementType.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace conv;
using conv::test::HostProgram;

namespace {

/// A function that multiplies `count` numbers by one.
std::string makeSource(size_t count, const std::string &from,
                       const std::string &to, const std::string &epilogue) {
  std::string x = "tensor<1x1x" + std::to_string(count) + "x1x" + from + ">";
  std::string w = "tensor<1x1x1x1x" + from + ">";
  std::string y = "tensor<1x1x" + std::to_string(count) + "x1x" + to + ">";
  return "module attributes {conv.target = #conv.target<\"host\">} {\n"
         "func.func @f(%x: " +
         x + ", %w: " + w + ") -> " + y +
         " {\n%y = conv.forward %x, %w window = <strides = [1, 1], dilations = "
         "[1, 1], low = [0, 0], high = [0, 0]> layouts = <\"NHWC\", \"KRSC\", "
         "\"NPQK\"> schedule = <kernel = #conv.host_gemm<workgroup = [16, 16]"
         ", subgroup = [16, 16], gemm_k = 8, stages = 1, atom = <fma 16 x 4 x "
         "1>, raster = columns>>\n" +
         epilogue + " : " + x + ", " + w + " -> " + y + "\nreturn %y : " + y +
         "\n}\n}\n";
}

void run(const std::string &source, void *numbers, void *one, void *results) {
  std::string errors;
  std::unique_ptr<HostProgram> program = HostProgram::compile(source, errors);
  ASSERT_TRUE(program) << errors;
  program->run({numbers, one, results});
}

class Float8 : public testing::TestWithParam<ElementType> {
protected:
  double decode(uint8_t code) const {
    return loadElement(GetParam(), &code, 0);
  }
  uint8_t encode(double value) const {
    uint8_t code;
    storeElement(GetParam(), &code, 0, value);
    return code;
  }
  std::string name() const { return std::string(elementTypeName(GetParam())); }
};

TEST_P(Float8, EveryCodeIsWidened) {
  std::vector<uint8_t> codes(256);
  for (size_t i = 0; i < codes.size(); ++i)
    codes[i] = uint8_t(i);
  uint8_t one = encode(1);
  std::vector<float> results(codes.size());
  run(makeSource(codes.size(), name(), "f32", ""), codes.data(), &one,
      results.data());
  for (size_t i = 0; i < codes.size(); ++i) {
    double expected = decode(codes[i]);
    if (std::isnan(expected))
      EXPECT_TRUE(std::isnan(results[i])) << i;
    else
      EXPECT_EQ(results[i], expected) << i;
  }
}

/// All numbers of the type, the midpoints between them, the f32 neighbours of
/// both, and numbers beyond the largest.
std::vector<float> makeNumbers(const std::vector<double> &values) {
  std::vector<float> numbers;
  auto addAround = [&](double value) {
    auto center = float(value);
    for (float number : {center, std::nextafter(center, INFINITY),
                         std::nextafter(center, -INFINITY)}) {
      numbers.push_back(number);
      numbers.push_back(-number);
    }
  };
  for (size_t i = 0; i < values.size(); ++i) {
    addAround(values[i]);
    if (i + 1 < values.size())
      addAround((values[i] + values[i + 1]) / 2);
  }
  double last = values.back() - values[values.size() - 2];
  addAround(values.back() + last / 2);
  addAround(values.back() + last);
  for (float number :
       {std::numeric_limits<float>::max(), std::numeric_limits<float>::min(),
        std::numeric_limits<float>::denorm_min(), INFINITY, NAN})
    addAround(number);
  return numbers;
}

TEST_P(Float8, RoundsToNearestEven) {
  std::vector<double> values;
  for (int code = 0; code < 128; ++code)
    if (std::isfinite(decode(uint8_t(code))))
      values.push_back(decode(uint8_t(code)));
  std::vector<float> numbers = makeNumbers(values);
  std::vector<uint8_t> results(numbers.size());
  float one = 1;
  std::string type = name();
  run(makeSource(
          numbers.size(), "f32", type,
          "epilogue() {\n^bb0(%acc: f32):\n%out = arith.truncf %acc : f32 "
          "to " +
              type + "\nconv.yield %out : " + type + "\n}"),
      numbers.data(), &one, results.data());
  for (size_t i = 0; i < numbers.size(); ++i) {
    // A sum that starts with zero is never negative zero.
    double number = numbers[i] == 0 ? 0 : double(numbers[i]);
    double expected = decode(encode(number));
    if (std::isnan(expected))
      EXPECT_TRUE(std::isnan(decode(results[i]))) << numbers[i];
    else
      EXPECT_EQ(int(results[i]), int(encode(number))) << numbers[i];
  }
}

INSTANTIATE_TEST_SUITE_P(
    Formats, Float8,
    testing::Values(ElementType::F8E4M3FN, ElementType::F8E5M2,
                    ElementType::F8E4M3FNUZ, ElementType::F8E5M2FNUZ),
    [](const auto &info) { return std::string(elementTypeName(info.param)); });

} // namespace
