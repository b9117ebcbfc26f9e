//===- ErrorBoundTest.cpp - bounds against brute force ----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks the coefficients of well-known epilogues, and every bound against sums
// and epilogues computed in f32 and compared with f64, on hard data: cancelling
// sums, large biases, the ends of the activations.
//
//===----------------------------------------------------------------------===//

#include "conv/Numerics/ErrorBound.h"

#include "gtest/gtest.h"

#include <cmath>
#include <functional>
#include <random>
#include <vector>

using namespace conv;
using enum EpilogueOp;

namespace {

/// Builds epilogues in the form of the fusion pass.
struct Epilogue {
  EpilogueGraph graph;
  int sum = graph.add(Accumulator);
  int operands = 0;

  int operand() { return graph.add(Operand, {}, operands++); }
  int constant(double value) { return graph.add(Constant, {}, float(value)); }
  int sigmoid(int x) {
    int exp = graph.add(Exp, {graph.add(Neg, {x})});
    return graph.add(Div, {constant(1), graph.add(Add, {constant(1), exp})});
  }
  int silu(int x) { return graph.add(Mul, {x, sigmoid(x)}); }
  int relu(int x) { return graph.add(Max, {x, constant(0)}); }
  int leakyRelu(int x) {
    return graph.add(Select, {graph.add(Greater, {x, constant(0)}), x,
                              graph.add(Mul, {x, constant(0.01)})});
  }
  int geluErf(int x) {
    int erf = graph.add(Erf, {graph.add(Mul, {x, constant(M_SQRT1_2)})});
    int half = graph.add(Mul, {x, constant(0.5)});
    return graph.add(Mul, {half, graph.add(Add, {erf, constant(1)})});
  }
  int geluTanh(int x) {
    int cube = graph.add(Mul, {graph.add(Mul, {x, x}), x});
    int inner = graph.add(Add, {x, graph.add(Mul, {cube, constant(0.044715)})});
    int tanh = graph.add(Tanh, {graph.add(Mul, {inner, constant(0.79788456)})});
    int half = graph.add(Mul, {x, constant(0.5)});
    return graph.add(Mul, {half, graph.add(Add, {tanh, constant(1)})});
  }
  EpilogueGraph yield(int value) {
    graph.yield = value;
    return graph;
  }
};

ErrorBound boundOf(const EpilogueGraph &graph, int64_t reduction,
                   NumericType operand, NumericType result) {
  auto bound = computeErrorBound({reduction, operand}, graph, result);
  if (auto *none = std::get_if<NoErrorBound>(&bound))
    ADD_FAILURE() << "no bound: " << none->reason;
  return std::get<ErrorBound>(bound);
}

std::string whyNone(const EpilogueGraph &graph) {
  auto bound =
      computeErrorBound({9, NumericType::F16}, graph, NumericType::F16);
  auto *none = std::get_if<NoErrorBound>(&bound);
  return none ? none->reason : "";
}

// As back ends compute silu where its result has 16 bits. After a bias, errors
// are relative to the result.
TEST(ErrorBound, LogisticQuotientsBeforeRoundingTo16BitsAreApproximate) {
  Epilogue exact, rounded;
  auto biasedSilu = [](Epilogue &epilogue) {
    return epilogue.silu(
        epilogue.graph.add(Add, {epilogue.sum, epilogue.operand()}));
  };
  int y = biasedSilu(exact), z = biasedSilu(rounded);
  auto getUlp = [](const EpilogueGraph &graph) {
    return boundOf(graph, 1, NumericType::F16, NumericType::F16).outputUlp;
  };
  double granted = getUlp(exact.yield(y));
  double approximate = getUlp(rounded.yield(rounded.graph.add(RoundF16, {z})));
  EXPECT_GT(approximate, granted);
  EXPECT_LT(approximate, 0.54);
  for (float x = -80; x < 20; x += 0.01f) {
    float power = std::exp2(-x * 1.44269504f);
    float divisor = std::fma(power, 0x1p-4f, 0x1p-4f);
    float inverse = std::nextafter(1 / divisor, INFINITY) * 0x1p-4f;
    double want = double(x) / (1 + std::exp(-double(x)));
    double share = power / (1 + double(power));
    double relative = 2 + 3 + (4 + 1.25 * std::fabs(x)) * share; // Granted.
    EXPECT_LE(std::fabs(x * inverse - want),
              relative * 0x1p-24 * std::fabs(want))
        << x;
    EXPECT_LE(relative, (approximate - 0.5) * 0x1p13);
  }
}

TEST(ErrorBound, PlainSumHasItsLengthAndHalfAnUlp) {
  Epilogue epilogue;
  ErrorBound bound = boundOf(epilogue.yield(epilogue.sum), 576,
                             NumericType::F16, NumericType::F16);
  EXPECT_EQ(bound.accumulation, 576);
  EXPECT_EQ(bound.outputUlp, 0.5);
  EXPECT_EQ(bound.operands, 0);
  EXPECT_EQ(bound.constant, 0);
}

TEST(ErrorBound, RoundingToTheResultIsTheHalfUlp) {
  Epilogue epilogue;
  ErrorBound bound =
      boundOf(epilogue.yield(epilogue.graph.add(RoundBF16, {epilogue.sum})),
              576, NumericType::BF16, NumericType::BF16);
  EXPECT_EQ(bound.outputUlp, 0.5);
}

// An activation has its slope for both errors; roundings of operands pass
// through those of the sum.
TEST(ErrorBound, TransformsOfOperandsHaveAShareOfTheirOwn) {
  Accumulation sum{1 << 20, NumericType::F32};
  sum.transforms = 8;
  ErrorBound plain = computeSumBound(sum);
  EXPECT_NEAR(plain.transforms, 8 + 9 * 0x1p-4 / (1 - 0x1p-4), 1e-4);
  Epilogue epilogue;
  auto bound = computeErrorBound(
      sum, epilogue.yield(epilogue.sigmoid(epilogue.sum)), NumericType::F32);
  EXPECT_NEAR(std::get<ErrorBound>(bound).transforms, plain.transforms / 4,
              1e-3);
  EXPECT_EQ(computeSumBound({9, NumericType::F32}).transforms, 0);
}

// An epilogue scales what is rounded by its slope, and adds its own roundings
// of the sum, whether or not the order of additions is known.
TEST(ErrorBound, RoundingsReplaceTheSumWhoseOrderIsKnown) {
  Accumulation sum{64, NumericType::F32};
  EXPECT_EQ(computeSumBound(sum).roundings, 0);
  sum.transforms = 8;
  EXPECT_EQ(computeSumBound(sum).roundings, 1);
  EXPECT_EQ(computeSumBound(sum).besideRoundings,
            computeSumBound(sum).accumulation);
  Epilogue epilogue;
  EpilogueGraph sigmoid = epilogue.yield(epilogue.sigmoid(epilogue.sum));
  auto boundSigmoid = [&] {
    return std::get<ErrorBound>(
        computeErrorBound(sum, sigmoid, NumericType::F32));
  };
  ErrorBound unknown = boundSigmoid();
  sum.hasOrder = true;
  EXPECT_EQ(computeSumBound(sum).besideRoundings, 0);
  ErrorBound known = boundSigmoid();
  EXPECT_NEAR(known.roundings, 0.25, 1e-6);
  EXPECT_EQ(unknown.besideRoundings, unknown.accumulation);
  EXPECT_NEAR(unknown.besideRoundings - known.besideRoundings, 64 * 0.25, 1e-3);
}

TEST(ErrorBound, LongSumsCountTheSecondOrder) {
  Epilogue epilogue;
  EXPECT_EQ(boundOf(epilogue.yield(epilogue.sum), 4096, NumericType::F16,
                    NumericType::F16)
                .accumulation,
            4096);
  double length = 1 << 20;
  double bound = boundOf(epilogue.yield(epilogue.sum), 1 << 20,
                         NumericType::F16, NumericType::F16)
                     .accumulation;
  EXPECT_GT(bound, (length - 1) * (1 + (length - 1) * 0x1p-24));
  EXPECT_LT(bound, length * 1.07);
}

/// `x` rounded to the 11 significant bits of tf32, to nearest even.
double roundToTF32(double x) {
  int exponent;
  double fraction = std::frexp(x, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(fraction, 11)), exponent - 11);
}

TEST(ErrorBound, RoundedOperandsCountOncePerProduct) {
  Epilogue epilogue;
  constexpr int kLength = 100;
  ErrorBound bound = boundOf(epilogue.yield(epilogue.sum), kLength,
                             NumericType::TF32, NumericType::F32);
  EXPECT_NEAR(bound.accumulation, 16388 + kLength, 0.2);
  // The worst operands are halfway between neighbours, just above a power of
  // two, and all err in the same direction.
  double worst = 1 + 0x1p-11;
  float sum = 0;
  double exact = 0;
  for (int i = 0; i < kLength; ++i) {
    sum += float(roundToTF32(worst) * roundToTF32(worst));
    exact += worst * worst;
  }
  double allowed = std::ldexp(bound.accumulation, -24) * exact;
  EXPECT_LE(std::fabs(double(sum) - exact), allowed);
  EXPECT_GE(std::fabs(double(sum) - exact), 0.9 * allowed);
}

/// `a + b` as a tensor core adds: truncated 25 bits below the larger one, and
/// again to f32 (Fasi, Higham, Mikaitis and Pranesh, "Numerical behavior of
/// NVIDIA tensor cores", 2021).
double addAsTensorCore(double a, double b) {
  if (a == 0 && b == 0)
    return 0;
  double unit =
      std::ldexp(1, std::ilogb(std::max(std::fabs(a), std::fabs(b))) - 24);
  double sum = std::trunc(a / unit) * unit + std::trunc(b / unit) * unit;
  if (sum == 0)
    return 0;
  unit = std::ldexp(1, std::ilogb(sum) - 23);
  return std::trunc(sum / unit) * unit;
}

/// A sum of products of f32 as `wgmma_3xtf32` computes it, with every product
/// added separately, which is worse than what instructions do.
float sumAs3xTF32(const std::vector<float> &a, const std::vector<float> &b) {
  constexpr size_t kStep = 32;
  float total = 0;
  for (size_t first = 0; first < a.size(); first += kStep) {
    size_t end = std::min(a.size(), first + kStep);
    double sum = 0;
    auto add = [&](auto left, auto right) {
      for (size_t i = first; i < end; ++i)
        sum = addAsTensorCore(sum, left(a[i]) * right(b[i]));
    };
    auto high = [](float x) { return roundToTF32(x); };
    auto low = [](float x) {
      float rest = x - float(roundToTF32(x));
      int exponent;
      double fraction = std::frexp(rest, &exponent);
      return std::ldexp(std::trunc(std::ldexp(fraction, 11)), exponent - 11);
    };
    add(low, high);
    add(high, low);
    add(high, high);
    total += float(sum);
  }
  return total;
}

TEST(ErrorBound, PartsInTF32StayWithinTheBoundOfF32) {
  std::mt19937 random(22);
  for (int64_t length : {60, 147, 576, 2304, 20000}) {
    ASSERT_TRUE(is3xTF32WithinBound(length, (length + 31) / 32, 1));
    for (int round = 0; round < 20; ++round) {
      // Signs that cancel, magnitudes of many orders, and only the worst
      // operands for the high part, or for the low part.
      std::uniform_real_distribution<float> mantissa(1, 2);
      std::uniform_int_distribution<int> exponent(round % 4 == 0 ? -20 : 0, 0);
      std::vector<float> a, b;
      for (int64_t i = 0; i < length; ++i) {
        auto draw = [&] {
          float x = round % 4 == 2   ? 1 + 0x1p-11f
                    : round % 4 == 3 ? 1 + 0x1p-11f - 0x1p-23f
                                     : mantissa(random);
          bool isNegative = round % 4 < 2 && random() % 2;
          return std::ldexp(isNegative ? -x : x, exponent(random));
        };
        a.push_back(draw());
        b.push_back(draw());
      }
      double exact = 0, magnitude = 0;
      for (int64_t i = 0; i < length; ++i) {
        exact += double(a[i]) * b[i];
        magnitude += std::fabs(double(a[i]) * b[i]);
      }
      double error = std::fabs(sumAs3xTF32(a, b) - exact);
      EXPECT_LE(error, std::ldexp(magnitude * double(length), -24))
          << length << " products, round " << round;
    }
  }
  // Shorter sums might exceed the bound.
  EXPECT_FALSE(is3xTF32WithinBound(36, 9, 1));
  EXPECT_FALSE(is3xTF32WithinBound(56, 3, 2));
}

/// A sum of products as `wgmma` of 8-bit floats computes it: 32 products and
/// the sum so far are truncated 14 bits from the leading bit of the largest,
/// and the sum of each `promotion` products is added in f32.
float sumAsPromoted(const std::vector<double> &products, size_t promotion) {
  constexpr size_t kInstruction = 32;
  float total = 0;
  for (size_t part = 0; part < products.size(); part += promotion) {
    size_t end = std::min(products.size(), part + promotion);
    double sum = 0;
    for (size_t first = part; first < end; first += kInstruction) {
      size_t last = std::min(end, first + kInstruction);
      double largest = std::fabs(sum);
      for (size_t i = first; i < last; ++i)
        largest = std::max(largest, std::fabs(products[i]));
      if (largest == 0)
        continue;
      double unit = std::ldexp(1, std::ilogb(largest) - 13);
      sum = std::trunc(sum / unit) * unit;
      for (size_t i = first; i < last; ++i)
        sum += std::trunc(products[i] / unit) * unit;
    }
    total += float(sum);
  }
  return total;
}

TEST(ErrorBound, PromotedSumsHaveTheErrorOfEachPart) {
  Epilogue epilogue;
  EpilogueGraph graph = epilogue.yield(epilogue.sum);
  std::mt19937 random(23);
  for (int64_t promotion : {32, 64, 128})
    for (int64_t length : {27, 128, 576, 4608}) {
      Accumulation sum{length, NumericType::F8, promotion};
      double accumulation =
          std::get<ErrorBound>(computeErrorBound(sum, graph, NumericType::F32))
              .accumulation;
      double worst = 0;
      for (int round = 0; round < 20; ++round) {
        // Random products of many magnitudes, or one large product in each part
        // and others that are truncated completely.
        std::uniform_int_distribution<int> exponent(-18, 0);
        std::vector<double> products;
        double exact = 0, magnitude = 0;
        for (int64_t i = 0; i < length; ++i) {
          double small = round == 0 ? 0x1.ep-14
                                    : std::ldexp(double(1 + random() % 225),
                                                 exponent(random));
          bool isNegative = round != 0 && random() % 2;
          products.push_back(round == 0 && i % promotion == 0 ? 1
                             : isNegative                     ? -small
                                                              : small);
          exact += products.back();
          magnitude += std::fabs(products.back());
        }
        double error = std::fabs(sumAsPromoted(products, promotion) - exact);
        worst = std::max(worst, error * 0x1p24 / magnitude);
      }
      EXPECT_LE(worst, accumulation) << promotion << " of " << length;
      // The bound does not exceed the worst case.
      if (length >= promotion)
        EXPECT_GE(worst, 0.75 * accumulation) << promotion << " of " << length;
    }
}

TEST(ErrorBound, BiasAddsHalfAnUlpOfF32) {
  Epilogue epilogue;
  EpilogueGraph graph = epilogue.yield(
      epilogue.graph.add(Add, {epilogue.sum, epilogue.operand()}));
  ErrorBound f32 = boundOf(graph, 9, NumericType::F16, NumericType::F32);
  EXPECT_EQ(f32.accumulation, 9);
  EXPECT_EQ(f32.outputUlp, 0.5);
  EXPECT_EQ(f32.operands, 0);
  ErrorBound f16 = boundOf(graph, 9, NumericType::F16, NumericType::F16);
  EXPECT_EQ(f16.outputUlp, 0.5 + 0x1p-13);
}

TEST(ErrorBound, TwoAdditionsMayCancelAndCountTheOperands) {
  Epilogue epilogue;
  int biased = epilogue.graph.add(Add, {epilogue.sum, epilogue.operand()});
  ErrorBound bound = boundOf(
      epilogue.yield(epilogue.graph.add(Add, {biased, epilogue.operand()})), 9,
      NumericType::F16, NumericType::F32);
  EXPECT_EQ(bound.accumulation, 10);
  EXPECT_EQ(bound.operands, 1);
}

TEST(ErrorBound, SlopesOfActivationsMultiplyTheSum) {
  struct Case {
    int (Epilogue::*activation)(int);
    double slope;
  };
  for (auto [activation, slope] :
       {Case{&Epilogue::relu, 1}, Case{&Epilogue::leakyRelu, 1},
        Case{&Epilogue::sigmoid, 0.25}, Case{&Epilogue::silu, 1.09984},
        Case{&Epilogue::geluErf, 1.12890},
        Case{&Epilogue::geluTanh, 1.12912}}) {
    Epilogue epilogue;
    ErrorBound bound =
        boundOf(epilogue.yield((epilogue.*activation)(epilogue.sum)), 10000,
                NumericType::F32, NumericType::F32);
    double sum = 10000 / (1 - 10000 * 0x1p-24);
    // The remainder is the few roundings of the epilogue itself.
    EXPECT_GE(bound.accumulation, slope * sum * 0.9999);
    EXPECT_LE(bound.accumulation, slope * sum + 5);
    EXPECT_EQ(bound.operands, 0);
    EXPECT_EQ(bound.constant, 0);
  }
}

TEST(ErrorBound, ScaleMultipliesTheSum) {
  Epilogue epilogue;
  EXPECT_EQ(boundOf(epilogue.yield(epilogue.graph.add(
                        Mul, {epilogue.sum, epilogue.constant(0.25)})),
                    64, NumericType::F16, NumericType::F16)
                .accumulation,
            16);
}

TEST(ErrorBound, SaysWhyThereIsNone) {
  Epilogue jump;
  int positive = jump.graph.add(Greater, {jump.sum, jump.constant(0.3)});
  EXPECT_EQ(whyNone(jump.yield(jump.graph.add(
                Select, {positive, jump.constant(1), jump.constant(0)}))),
            "jumps, overflows, or grows without bound");
  Epilogue exponential;
  EXPECT_EQ(
      whyNone(exponential.yield(exponential.graph.add(Exp, {exponential.sum}))),
      "jumps, overflows, or grows without bound");
  Epilogue gate;
  EXPECT_EQ(
      whyNone(gate.yield(gate.graph.add(Mul, {gate.sum, gate.operand()}))),
      "multiplies or compares two varying values");
}

double ulp(double value, int digits, int smallestExponent) {
  int exponent = value == 0 ? smallestExponent : std::ilogb(value);
  return std::exp2(std::max(exponent, smallestExponent) - (digits - 1));
}

/// Numbers of very different sizes, some of them zero.
struct HardNumbers {
  std::mt19937 generator;
  float operator()(double largest) {
    std::uniform_real_distribution<double> sign(-1, 1), exponent(-12, 0);
    if (generator() % 8 == 0)
      return 0;
    return float(sign(generator) * largest * std::exp2(exponent(generator)));
  }
};

using MakeEpilogue = std::function<EpilogueGraph(Epilogue &)>;

/// Largest error over bound of the epilogue after sums of `reduction` products.
double worstRatio(const EpilogueGraph &graph, int operands, int64_t reduction) {
  ErrorBound bound =
      boundOf(graph, reduction, NumericType::F32, NumericType::F32);
  HardNumbers number{std::mt19937(reduction)};
  double worst = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    double largest = std::exp2(double(trial % 24) - 12);
    float sum = 0;
    double reference = 0, magnitude = 0;
    for (int64_t i = 0; i < reduction; ++i) {
      float a = number(largest), b = number(1);
      sum = std::fma(a, b, sum);
      reference += double(a) * b;
      magnitude += std::fabs(double(a) * b);
    }
    std::vector<float> narrow;
    std::vector<double> wide;
    double operandMagnitude = 0;
    for (int i = 0; i < operands; ++i) {
      // In every other trial the operands cancel almost completely.
      float value = i > 0 && trial % 2 ? -narrow[0] * (1 + 0x1p-20f)
                                       : number(std::exp2(trial % 14 - 7));
      narrow.push_back(value);
      wide.push_back(value);
      operandMagnitude += std::fabs(double(value));
    }
    double want = evaluateEpilogue<double>(graph, reference, wide);
    double got = evaluateEpilogue<float>(graph, sum, narrow);
    double allowed =
        bound.outputUlp * ulp(want, 24, -126) +
        0x1p-24 * (bound.accumulation * magnitude +
                   bound.operands * operandMagnitude + bound.constant);
    worst = std::max(worst, std::fabs(got - want) / allowed);
  }
  return worst;
}

struct NamedEpilogue {
  const char *name;
  MakeEpilogue make;
};

class ErrorBoundOf : public testing::TestWithParam<NamedEpilogue> {};

TEST_P(ErrorBoundOf, HoldsForRealSums) {
  Epilogue epilogue;
  EpilogueGraph graph = GetParam().make(epilogue);
  for (int64_t reduction : {1, 2, 27, 144}) {
    double worst = worstRatio(graph, epilogue.operands, reduction);
    EXPECT_LE(worst, 1) << reduction;
    // A bound that no case approaches would prove nothing.
    EXPECT_GT(worst, 0) << reduction;
  }
}

/// `activation(sum + bias)`.
MakeEpilogue biased(int (Epilogue::*activation)(int)) {
  return [activation](Epilogue &epilogue) {
    int y = epilogue.graph.add(Add, {epilogue.sum, epilogue.operand()});
    return epilogue.yield((epilogue.*activation)(y));
  };
}
MakeEpilogue plain(int (Epilogue::*activation)(int)) {
  return [activation](Epilogue &epilogue) {
    return epilogue.yield((epilogue.*activation)(epilogue.sum));
  };
}
EpilogueGraph biasResidualRelu(Epilogue &epilogue) {
  int y = epilogue.graph.add(Add, {epilogue.sum, epilogue.operand()});
  return epilogue.yield(
      epilogue.relu(epilogue.graph.add(Add, {y, epilogue.operand()})));
}
EpilogueGraph siluThenResidual(Epilogue &epilogue) {
  int y = epilogue.silu(
      epilogue.graph.add(Add, {epilogue.sum, epilogue.operand()}));
  return epilogue.yield(epilogue.graph.add(Add, {y, epilogue.operand()}));
}
EpilogueGraph centredSigmoid(Epilogue &epilogue) {
  int y = epilogue.sigmoid(epilogue.sum);
  return epilogue.yield(epilogue.graph.add(Sub, {y, epilogue.constant(0.5)}));
}

INSTANTIATE_TEST_SUITE_P(
    Epilogues, ErrorBoundOf,
    testing::Values(NamedEpilogue{"relu", plain(&Epilogue::relu)},
                    NamedEpilogue{"leaky_relu", plain(&Epilogue::leakyRelu)},
                    NamedEpilogue{"sigmoid", plain(&Epilogue::sigmoid)},
                    NamedEpilogue{"silu", plain(&Epilogue::silu)},
                    NamedEpilogue{"gelu_erf", plain(&Epilogue::geluErf)},
                    NamedEpilogue{"gelu_tanh", plain(&Epilogue::geluTanh)},
                    NamedEpilogue{"bias_relu", biased(&Epilogue::relu)},
                    NamedEpilogue{"bias_sigmoid", biased(&Epilogue::sigmoid)},
                    NamedEpilogue{"bias_silu", biased(&Epilogue::silu)},
                    NamedEpilogue{"bias_gelu_erf", biased(&Epilogue::geluErf)},
                    NamedEpilogue{"bias_gelu_tanh",
                                  biased(&Epilogue::geluTanh)},
                    NamedEpilogue{"bias_residual_relu", biasResidualRelu},
                    NamedEpilogue{"silu_then_residual", siluThenResidual},
                    NamedEpilogue{"centred_sigmoid", centredSigmoid}),
    [](const auto &info) { return std::string(info.param.name); });

} // namespace
