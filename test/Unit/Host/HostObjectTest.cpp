//===- HostObjectTest.cpp - what host objects promise -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bytes, symbols and libraries of host objects, and runs that need more than
// one comparison: workspaces, values that are not finite, large tensors.
//
//===----------------------------------------------------------------------===//

#include "HostProgram.h"

#include "conv/Support/ElementType.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sys/mman.h>

using namespace conv;
using conv::test::HostProgram;

namespace {

constexpr const char *kAliases = R"(
#schedule = #conv.schedule<kernel = #conv.host_gemm<workgroup = [16, 16], subgroup = [16, 16], gemm_k = 32, stages = 1, atom = <fma 16 x 4 x 1>, raster = columns>>
#pointwise = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#layouts = #conv.layouts<"NHWC", "KRSC", "NPQK">
)";

/// A module of one function.
std::string module(const std::string &function) {
  return kAliases +
         ("module attributes {conv.target = #conv.target<\"host\">} {" +
          function + "}");
}

/// A pointwise convolution of `pixels` f32 pixels of one channel, with an
/// epilogue.
std::string pointwise(int64_t pixels, const std::string &epilogue,
                      const std::string &type = "f32") {
  std::string shape = "tensor<1x1x" + std::to_string(pixels) + "x1x";
  return module(
      "func.func @f(%x: " + shape + "f32>, %w: tensor<1x1x1x1xf32>) -> " +
      shape + type +
      "> { %y = conv.forward %x, %w window = #pointwise "
      "layouts = #layouts schedule = #schedule epilogue() { ^bb0(%acc: f32): " +
      epilogue + " conv.yield %out : " + type + " } : " + shape +
      "f32>, tensor<1x1x1x1xf32> -> " + shape + type +
      "> return %y : " + shape + type + "> }");
}

constexpr const char *kRelu =
    "%zero = arith.constant 0.0 : f32 %out = arith.maximumf %acc, %zero : f32";
constexpr const char *kTanh = "%out = math.tanh %acc : f32";
constexpr const char *kAtan = "%out = math.atan %acc : f32";

std::unique_ptr<HostProgram> compile(const std::string &source) {
  std::string errors;
  auto program = HostProgram::compile(source, errors);
  EXPECT_TRUE(program) << errors << source;
  return program;
}

/// The diagnostics of a source that must not compile.
std::string compileErrors(const std::string &source) {
  std::string errors;
  EXPECT_FALSE(HostProgram::compile(source, errors)) << source;
  return errors;
}

TEST(HostObject, SameInputGivesTheSameBytes) {
  auto first = compile(pointwise(9, kTanh)),
       second = compile(pointwise(9, kTanh));
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->getObject(), second->getObject());
}

TEST(HostObject, NamesTheProcessor) {
  auto program = compile(pointwise(9, kRelu));
  ASSERT_TRUE(program);
  auto *processor = static_cast<const char *>(program->find("conv_cpu"));
  ASSERT_TRUE(processor);
  EXPECT_STREQ(processor, "x86-64-v3");
}

TEST(HostObject, NeedsLibmOnlyForItsFunctions) {
  auto plain = compile(pointwise(9, kRelu)),
       vectors = compile(pointwise(9, kTanh)),
       math = compile(pointwise(9, kAtan));
  ASSERT_TRUE(plain && vectors && math);
  EXPECT_EQ(plain->getObject().find("libm.so.6"), std::string::npos);
  EXPECT_EQ(vectors->getObject().find("libm.so.6"), std::string::npos);
  EXPECT_NE(math->getObject().find("libm.so.6"), std::string::npos);
}

// Rounding f64 to f16 calls a function of LLVM's runtime library.
TEST(HostObject, RefusesFunctionsThatTheHostDoesNotHave) {
  std::string errors =
      compileErrors(pointwise(9,
                              "%wide = arith.extf %acc : f32 to f64 "
                              "%square = arith.mulf %wide, %wide : f64 "
                              "%out = arith.truncf %square : f64 to f16",
                              "f16"));
  EXPECT_NE(errors.find(
                "needs function '__truncdfhf2', which the host does not have"),
            std::string::npos)
      << errors;
}

TEST(HostObject, RefusesSumsThatDoNotFit) {
  std::string source = pointwise(9, kRelu);
  for (const char *name : {"workgroup = [", "subgroup = ["}) {
    size_t at = source.find(name) + std::string(name).size();
    source.replace(at, 6, "1000, 1000");
  }
  std::string errors = compileErrors(source);
  EXPECT_NE(errors.find("expects tiles and sums of at most 262144 bytes for "
                        "host, but got 4"),
            std::string::npos)
      << errors;
}

// Vectors and remaining elements treat special values alike.
TEST(HostObject, KeepsValuesThatAreNotFinite) {
  auto program = compile(pointwise(13, kRelu));
  ASSERT_TRUE(program);
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> x = {1, kInfinity, -kInfinity, kNan, -1, 0,         2,
                          3, kNan,      kInfinity,  4,    5,  -kInfinity};
  std::vector<float> w = {2}, y(13, -1);
  program->run({x.data(), w.data(), y.data()});
  for (size_t i = 0; i < x.size(); ++i) {
    if (std::isnan(x[i]))
      EXPECT_TRUE(std::isnan(y[i])) << "element " << i;
    else
      EXPECT_EQ(y[i], std::fmax(2 * x[i], 0.0f)) << "element " << i;
  }
}

// The sum is rounded to bf16, and so is its square: both to nearest even.
TEST(HostObject, RoundsBf16ArithmeticOfEpilogues) {
  auto program = compile(pointwise(257,
                                   "%n = arith.truncf %acc : f32 to bf16 "
                                   "%out = arith.mulf %n, %n : bf16",
                                   "bf16"));
  ASSERT_TRUE(program);
  std::vector<float> x, w = {1};
  for (int i = 0; i < 257; ++i)
    x.push_back(std::ldexp(1.0f + float(i) / 1024, i % 40 - 20));
  std::vector<uint16_t> y(x.size());
  program->run({x.data(), w.data(), y.data()});
  for (size_t i = 0; i < x.size(); ++i) {
    uint16_t stored[1];
    storeElement(ElementType::BF16, stored, 0, x[i]);
    double rounded = loadElement(ElementType::BF16, stored, 0);
    storeElement(ElementType::BF16, stored, 0, rounded * rounded);
    EXPECT_EQ(y[i], stored[0]) << "element " << i << ", of " << x[i];
  }
}

// Between two convolutions the tensor is in the workspace.
TEST(HostObject, RunsTwoConvolutionsThroughTheWorkspace) {
  auto program = compile(module(R"(
    func.func @f(%x: tensor<1x3x5x1xf32>, %v: tensor<2x1x1x1xf32>, %w: tensor<1x1x1x2xf32>) -> tensor<1x3x5x1xf32> {
      %y = conv.forward %x, %v window = #pointwise layouts = #layouts schedule = #schedule
          : tensor<1x3x5x1xf32>, tensor<2x1x1x1xf32> -> tensor<1x3x5x2xf32>
      %z = conv.forward %y, %w window = #pointwise layouts = #layouts schedule = #schedule
          : tensor<1x3x5x2xf32>, tensor<1x1x1x2xf32> -> tensor<1x3x5x1xf32>
      return %z : tensor<1x3x5x1xf32>
    })"));
  ASSERT_TRUE(program);
  ASSERT_GE(program->getWorkspaceBytes(), int64_t(30 * sizeof(float)));
  std::vector<float> x(15), v = {2, 3}, w = {5, 7}, z(15, -1);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = float(i) - 4;
  std::vector<char> workspace(program->getWorkspaceBytes());
  program->run({x.data(), v.data(), w.data(), z.data(), workspace.data()});
  for (size_t i = 0; i < x.size(); ++i)
    EXPECT_EQ(z[i], (2 * 5 + 3 * 7) * x[i]) << "element " << i;
}

// 5 GiB of which kernels read four elements; only their pages exist.
TEST(HostObject, ReachesBeyondFourGigabytes) {
  constexpr int64_t kSide = 50000, kBytes = kSide * kSide * 2;
  auto program = compile(module(R"(
    func.func @f(%x: tensor<1x50000x50000x1xf16>, %w: tensor<1x1x1x1xf16>) -> tensor<1x2x2x1xf32> {
      %y = conv.forward %x, %w
          window = <strides = [49999, 49999], dilations = [1, 1], low = [0, 0], high = [0, 0]>
          layouts = #layouts schedule = #schedule
          : tensor<1x50000x50000x1xf16>, tensor<1x1x1x1xf16> -> tensor<1x2x2x1xf32>
      return %y : tensor<1x2x2x1xf32>
    })"));
  ASSERT_TRUE(program);
  void *x = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (x == MAP_FAILED)
    GTEST_SKIP() << "this machine does not give 5 GiB of addresses";
  uint16_t w[1];
  storeElement(ElementType::F16, w, 0, 2);
  const int64_t corners[] = {0, kSide - 1, (kSide - 1) * kSide,
                             kSide * kSide - 1};
  for (int i = 0; i < 4; ++i)
    storeElement(ElementType::F16, x, corners[i], i + 1);
  std::vector<float> y(4, -1);
  program->run({x, w, y.data()});
  munmap(x, kBytes);
  EXPECT_EQ(y, (std::vector<float>{2, 4, 6, 8}));
}

} // namespace
