//===- HostKernelTest.cpp - host kernels against a plain loop ---*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles convolutions with explicit schedules, runs them in this process and
// compares each element with a loop in double precision, under the numeric
// rule: integers bitwise, other data within half an ulp of the result's type
// and (reduction length) * 2^-24 of the sum of absolute products.
//
//===----------------------------------------------------------------------===//

#include "HostProgram.h"

#include "conv/Support/ElementType.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

using namespace conv;
using conv::test::HostProgram;

namespace {

/// An epilogue: its operands' types, its body, and what it computes.
struct Epilogue {
  const char *name;
  const char *operands; ///< One letter each: `k` per channel, `x` of the shape.
  /// Ops on `%acc`, `%o0`, ... of type TYPE that define `%out : OUT`.
  const char *body;
  double (*apply)(double sum, const double *operands);
  double slope;  ///< Largest derivative with respect to the sum.
  int64_t steps; ///< Roundings in f32, each of at most one ulp.
};

struct Case {
  std::string name;
  int64_t batch, channels, filters;
  std::vector<int64_t> input, filter, strides, dilations, low, high;
  ElementType type = ElementType::F32, outType = ElementType::F32;
  bool reductionFirst = false;
  std::string workgroup = "[16, 32]";
  int64_t gemmK = 24;
  const char *raster = "columns";
  const Epilogue *epilogue = nullptr;

  size_t rank() const { return input.size(); }
  std::vector<int64_t> output() const {
    std::vector<int64_t> sizes;
    for (size_t d = 0; d < rank(); ++d)
      sizes.push_back(
          (low[d] + input[d] + high[d] - (dilations[d] * (filter[d] - 1) + 1)) /
              strides[d] +
          1);
    return sizes;
  }
  int64_t reduction() const { return product(filter) * channels; }
  static int64_t product(const std::vector<int64_t> &sizes) {
    int64_t result = 1;
    for (int64_t size : sizes)
      result *= size;
    return result;
  }
};

std::string list(const std::vector<int64_t> &values, const char *separator) {
  std::string text;
  for (int64_t value : values)
    text += (text.empty() ? "" : separator) + std::to_string(value);
  return text;
}

std::string tensor(const std::vector<int64_t> &shape, ElementType type) {
  return "tensor<" + list(shape, "x") + "x" +
         std::string(elementTypeName(type)) + ">";
}

std::vector<int64_t> join(int64_t first, const std::vector<int64_t> &inner,
                          int64_t last) {
  std::vector<int64_t> shape = {first};
  shape.insert(shape.end(), inner.begin(), inner.end());
  shape.push_back(last);
  return shape;
}

std::vector<int64_t> filterShape(const Case &test) {
  if (!test.reductionFirst)
    return join(test.filters, test.filter, test.channels);
  std::vector<int64_t> shape = test.filter;
  shape.push_back(test.channels);
  shape.push_back(test.filters);
  return shape;
}

std::string replaceAll(std::string text, const std::string &from,
                       const std::string &to) {
  for (size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

/// The operands of the epilogue as text: types, names and block
/// arguments.
struct EpilogueText {
  std::string arguments, uses, block, body;
};

EpilogueText epilogueText(const Case &test, const std::string &result) {
  EpilogueText text;
  if (!test.epilogue)
    return text;
  std::string element(elementTypeName(test.type));
  text.block = "%acc: f32";
  for (size_t i = 0; test.epilogue->operands[i]; ++i) {
    std::string name = "%o" + std::to_string(i);
    std::string type =
        test.epilogue->operands[i] == 'k'
            ? tensor({test.filters}, test.type)
            : replaceAll(result,
                         "x" + std::string(elementTypeName(test.outType)) + ">",
                         "x" + element + ">");
    text.arguments += ", %t" + std::to_string(i) + ": " + type;
    text.uses += (i ? ", %t" : "%t") + std::to_string(i) + " : " + type;
    text.block += ", " + name + ": " + element;
  }
  text.body = replaceAll(replaceAll(test.epilogue->body, "TYPE", element),
                         "OUT", std::string(elementTypeName(test.outType)));
  return text;
}

std::string source(const Case &test) {
  std::string x =
      tensor(join(test.batch, test.input, test.channels), test.type);
  std::string w = tensor(filterShape(test), test.type);
  std::string y =
      tensor(join(test.batch, test.output(), test.filters), test.outType);
  auto letters = [&](const char *all) {
    return std::string(all).substr(3 - test.rank());
  };
  std::string spatial = letters("TRS");
  EpilogueText epilogue = epilogueText(test, y);
  std::string result =
      "module attributes {conv.target = #conv.target<\"host\">} {\n"
      "func.func @f(%x: " +
      x + ", %w: " + w + epilogue.arguments + ") -> " + y +
      " {\n%y = conv.forward %x, %w window = <strides = [" +
      list(test.strides, ", ") + "], dilations = [" +
      list(test.dilations, ", ") + "], low = [" + list(test.low, ", ") +
      "], high = [" + list(test.high, ", ") + "]> layouts = <\"N" +
      letters("DHW") + "C\", \"" +
      (test.reductionFirst ? spatial + "CK" : "K" + spatial + "C") + "\", \"N" +
      letters("ZPQ") +
      "K\"> schedule = <kernel = #conv.host_gemm<workgroup = " +
      test.workgroup + ", subgroup = " + test.workgroup +
      ", gemm_k = " + std::to_string(test.gemmK) +
      ", stages = 1, atom = <fma 16 x 4 x 1>, raster = " + test.raster + ">>\n";
  if (test.epilogue)
    result += "epilogue(" + epilogue.uses + ") {\n^bb0(" + epilogue.block +
              "):\n" + epilogue.body + "\nconv.yield %out : " +
              std::string(elementTypeName(test.outType)) + "\n}\n";
  return result + ": " + x + ", " + w + " -> " + y + "\nreturn %y : " + y +
         "\n}\n}\n";
}

/// Elements of one type, and their exact values.
struct Data {
  Data(ElementType type, int64_t count)
      : type(type), bytes(count * elementBytes(type)), count(count) {}
  double at(int64_t index) const {
    return loadElement(type, bytes.data(), index);
  }
  void fill(std::mt19937 &random, bool integers) {
    std::normal_distribution<double> normal;
    std::uniform_int_distribution<int> whole(-3, 3);
    for (int64_t i = 0; i < count; ++i)
      storeElement(type, bytes.data(), i,
                   integers ? whole(random) : normal(random));
  }
  ElementType type;
  std::vector<char> bytes;
  int64_t count;
};

/// The sum of products of one result element, and of their absolute values.
struct Sum {
  double value = 0, magnitude = 0;
};

/// Adds the products of all filter elements, from dimension `d` on. `inputAt`
/// and `filterAt` are pixel numbers so far.
void addProducts(const Case &test, const Data &x, const Data &w,
                 const std::vector<int64_t> &position, int64_t filter, size_t d,
                 int64_t inputAt, int64_t filterAt, Sum &sum) {
  if (d < test.rank()) {
    for (int64_t r = 0; r < test.filter[d]; ++r) {
      int64_t at =
          position[d] * test.strides[d] + r * test.dilations[d] - test.low[d];
      if (at >= 0 && at < test.input[d])
        addProducts(test, x, w, position, filter, d + 1,
                    inputAt * test.input[d] + at, filterAt * test.filter[d] + r,
                    sum);
    }
    return;
  }
  int64_t taps = Case::product(test.filter);
  for (int64_t c = 0; c < test.channels; ++c) {
    int64_t at = test.reductionFirst
                     ? (filterAt * test.channels + c) * test.filters + filter
                     : (filter * taps + filterAt) * test.channels + c;
    double product = x.at(inputAt * test.channels + c) * w.at(at);
    sum.value += product;
    sum.magnitude += std::fabs(product);
  }
}

double identity(double sum, const double *) { return sum; }

/// Runs one case on one kind of data.
void check(const Case &test, const HostProgram &program, bool integers) {
  std::mt19937 random(7);
  std::vector<int64_t> sizes = test.output();
  int64_t pixels = test.batch * Case::product(sizes);
  Data x(test.type, test.batch * Case::product(test.input) * test.channels);
  Data w(test.type, test.reduction() * test.filters);
  Data y(test.outType, pixels * test.filters);
  std::vector<Data> operands;
  for (const char *kind = test.epilogue ? test.epilogue->operands : ""; *kind;
       ++kind)
    operands.emplace_back(test.type,
                          *kind == 'k' ? test.filters : pixels * test.filters);
  x.fill(random, integers);
  w.fill(random, integers);
  // Unwritten elements show as NaN.
  std::memset(y.bytes.data(), 0xff, y.bytes.size());
  std::vector<void *> arguments = {x.bytes.data(), w.bytes.data()};
  for (Data &operand : operands) {
    operand.fill(random, integers);
    arguments.push_back(operand.bytes.data());
  }
  arguments.push_back(y.bytes.data());
  program.run(arguments);

  const Epilogue plain = {"", "", "", identity, 1, 0};
  const Epilogue &epilogue = test.epilogue ? *test.epilogue : plain;
  for (int64_t i = 0; i < y.count; ++i) {
    int64_t filter = i % test.filters, rest = i / test.filters;
    std::vector<int64_t> position(test.rank());
    for (size_t d = test.rank(); d-- > 0; rest /= sizes[d])
      position[d] = rest % sizes[d];
    Sum sum;
    addProducts(test, x, w, position, filter, 0, rest, 0, sum);
    std::vector<double> values;
    double magnitude = std::fabs(sum.value) + 1;
    for (size_t j = 0; j < operands.size(); ++j) {
      values.push_back(
          operands[j].at(epilogue.operands[j] == 'k' ? filter : i));
      magnitude += std::fabs(values.back());
    }
    double expected = epilogue.apply(sum.value, values.data());
    if (integers && epilogue.steps <= 2) {
      char stored[8];
      storeElement(test.outType, stored, 0, expected);
      ASSERT_EQ(loadElement(test.outType, stored, 0), y.at(i))
          << "element " << i << " of integers";
      continue;
    }
    double f32Ulp = std::ldexp(1, -24);
    double bound = 0.5 * ulp(test.outType, expected) +
                   epilogue.slope * test.reduction() * f32Ulp * sum.magnitude +
                   epilogue.steps * 2 * f32Ulp * magnitude;
    ASSERT_LE(std::fabs(y.at(i) - expected), bound)
        << "element " << i << ": got " << y.at(i) << ", expects " << expected;
  }
}

double biasRelu(double sum, const double *o) {
  return std::fmax(sum + o[0], 0);
}
double residual(double sum, const double *o) {
  return (sum + o[0]) * 0.5 + o[1];
}
double gelu(double sum, const double *) {
  return 0.5 * sum * (1 + std::erf(sum * 0.70710678118654752));
}
double geluTanh(double sum, const double *) {
  return 0.5 * sum *
         (1 +
          std::tanh(0.7978845608028654 * (sum + 0.044715 * sum * sum * sum)));
}
double silu(double sum, const double *) { return sum / (1 + std::exp(-sum)); }

const Epilogue kBiasRelu = {"bias_relu", "k", R"(
  %b = arith.extf %o0 : TYPE to f32
  %zero = arith.constant 0.0 : f32
  %sum = arith.addf %acc, %b : f32
  %max = arith.maximumf %sum, %zero : f32
  %out = arith.truncf %max : f32 to OUT)", biasRelu, 1, 1};
const Epilogue kResidual = {"residual", "kx", R"(
  %b = arith.extf %o0 : TYPE to f32
  %r = arith.extf %o1 : TYPE to f32
  %half = arith.constant 0.5 : f32
  %sum = arith.addf %acc, %b : f32
  %scaled = arith.mulf %sum, %half : f32
  %all = arith.addf %scaled, %r : f32
  %out = arith.truncf %all : f32 to OUT)", residual, 1, 2};
const Epilogue kGelu = {"gelu_erf", "", R"(
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %c = arith.constant 0.70710678118654752 : f32
  %arg = arith.mulf %acc, %c : f32
  %e = math.erf %arg : f32
  %p = arith.addf %e, %one : f32
  %h = arith.mulf %acc, %half : f32
  %out = arith.mulf %h, %p : f32)", gelu, 1.13, 8};
const Epilogue kGeluTanh = {"gelu_tanh", "", R"(
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %a = arith.constant 0.044715 : f32
  %c = arith.constant 0.7978845608028654 : f32
  %x2 = arith.mulf %acc, %acc : f32
  %x3 = arith.mulf %x2, %acc : f32
  %ax3 = arith.mulf %x3, %a : f32
  %inner = arith.addf %acc, %ax3 : f32
  %scaled = arith.mulf %inner, %c : f32
  %t = math.tanh %scaled : f32
  %p = arith.addf %t, %one : f32
  %h = arith.mulf %acc, %half : f32
  %out = arith.mulf %h, %p : f32)", geluTanh, 1.13, 16};
const Epilogue kSilu = {"silu", "", R"(
  %one = arith.constant 1.0 : f32
  %n = arith.negf %acc : f32
  %e = math.exp %n : f32
  %d = arith.addf %e, %one : f32
  %out = arith.divf %acc, %d : f32)", silu, 1.1, 8};

/// A case with a square window in each of `input.size()` dimensions.
Case square(int64_t batch, std::vector<int64_t> input, int64_t channels,
            int64_t filters, int64_t filter, int64_t stride, int64_t pad) {
  size_t rank = input.size();
  auto all = [&](int64_t value) { return std::vector<int64_t>(rank, value); };
  Case test{"",          batch,       channels, filters,  std::move(input),
            all(filter), all(stride), all(1),   all(pad), all(pad)};
  return test;
}

std::vector<Case> windows() {
  std::vector<Case> cases;
  auto add = [&](std::string name, Case test) {
    test.name = std::move(name);
    cases.push_back(std::move(test));
  };
  add("one_of_everything", square(1, {1, 1}, 1, 1, 1, 1, 0));
  add("pointwise", square(1, {9, 5}, 33, 21, 1, 1, 0));
  add("stem", square(1, {23, 19}, 3, 16, 7, 2, 3));
  add("filter_larger_than_input", square(1, {2, 2}, 5, 3, 5, 1, 2));
  add("padding_larger_than_filter", square(1, {3, 3}, 4, 4, 2, 1, 4));
  add("stride_larger_than_filter", square(2, {11, 13}, 6, 9, 2, 5, 0));
  Case uneven{"", 3, 13, 11, {9, 14}, {2, 5}, {3, 1}, {2, 1}, {0, 4}, {3, 1}};
  add("uneven_window", uneven);
  uneven.dilations = {1, 3};
  uneven.low = {2, 7};
  add("dilated_columns", uneven);
  uneven.high = {0, 0};
  uneven.low = {0, 0};
  add("dilated_without_padding", uneven);
  add("one_dimension", square(2, {37}, 9, 10, 4, 2, 3));
  add("three_dimensions", square(2, {4, 5, 6}, 3, 6, 3, 2, 1));
  Case tile = square(1, {6, 6}, 10, 30, 3, 1, 1);
  tile.workgroup = "[3, 5]";
  tile.gemmK = 7;
  add("tile_of_no_register_tiles", tile);
  tile.workgroup = "[64, 64]";
  tile.gemmK = 256;
  tile.raster = "rows";
  add("tile_larger_than_the_result", tile);
  return cases;
}

/// Channel counts on both sides of a vector and of a register tile.
std::vector<Case> channelCounts() {
  std::vector<Case> cases;
  for (int64_t channels : {1, 3, 7, 8, 17})
    for (int64_t filters : {1, 5, 19, 64}) {
      cases.push_back(square(2, {7, 5}, channels, filters, 3, 1, 1));
      cases.back().name =
          "c" + std::to_string(channels) + "_k" + std::to_string(filters);
    }
  return cases;
}

constexpr ElementType kTypes[] = {ElementType::F32, ElementType::F16,
                                  ElementType::BF16};

void setType(Case &test, ElementType type, bool reductionFirst) {
  test.type = test.outType = type;
  test.reductionFirst = reductionFirst;
  test.name += "_" + std::string(elementTypeName(type)) +
               (reductionFirst ? "_rsck" : "_krsc");
}

/// Every window in every type; channel counts and types alternate.
std::vector<Case> allCases() {
  std::vector<Case> cases;
  for (const Case &window : windows())
    for (ElementType type : kTypes) {
      cases.push_back(window);
      setType(cases.back(), type, cases.size() % 2 == 0);
    }
  for (const Case &channels : channelCounts()) {
    cases.push_back(channels);
    setType(cases.back(), kTypes[cases.size() % 3], cases.size() % 2 == 0);
  }
  for (const Epilogue *epilogue :
       {&kBiasRelu, &kResidual, &kGelu, &kGeluTanh, &kSilu}) {
    Case test = square(1, {5, 7}, 6, 21, 3, 1, 1);
    test.epilogue = epilogue;
    bool narrow = epilogue == &kBiasRelu || epilogue == &kResidual;
    test.type = ElementType::BF16;
    test.outType = narrow ? ElementType::F16 : ElementType::F32;
    test.name = epilogue->name;
    cases.push_back(test);
  }
  return cases;
}

/// Prints a case in failures.
void PrintTo(const Case &test, std::ostream *os) { *os << test.name; }

class HostKernels : public testing::TestWithParam<Case> {};

TEST_P(HostKernels, MatchAPlainLoop) {
  std::string errors;
  auto program = HostProgram::compile(source(GetParam()), errors);
  ASSERT_TRUE(program) << errors << source(GetParam());
  check(GetParam(), *program, /*integers=*/true);
  if (!HasFatalFailure())
    check(GetParam(), *program, /*integers=*/false);
}

INSTANTIATE_TEST_SUITE_P(Edges, HostKernels, testing::ValuesIn(allCases()),
                         [](const testing::TestParamInfo<Case> &info) {
                           return info.param.name;
                         });

} // namespace
