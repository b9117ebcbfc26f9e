//===- DynamicTests.cpp - convolutions with a kernel per token --*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All directions, orders and types of small sequences: shorter than a kernel,
// of odd, prime and even lengths, with channels that vectors divide and others,
// and with kernels for each channel and for groups.
//
//===----------------------------------------------------------------------===//

#include "Execution.h"

using namespace conv;
using namespace conv::test;

namespace {
struct DynamicProblem {
  int64_t b, t, d, g, w;
};

const DynamicProblem kProblems[] = {
    {1, 1, 1, 1, 1},    {1, 2, 8, 8, 4},   {2, 7, 13, 13, 3},
    {2, 16, 64, 64, 4}, {3, 9, 24, 24, 2}, {1, 37, 40, 40, 8},
    {2, 11, 32, 4, 4},  {1, 19, 48, 2, 3}, {1, 5, 21, 3, 5},
    {1, 6, 34, 2, 2},   {2, 13, 96, 1, 4}, {1, 300, 16, 16, 1}};

const char *const kDirections[] = {"forward", "backward_input",
                                   "backward_kernel"};
} // namespace

static std::string printSizes(const DynamicProblem &p) {
  return "b" + std::to_string(p.b) + "_t" + std::to_string(p.t) + "_d" +
         std::to_string(p.d) + "_g" + std::to_string(p.g) + "_w" +
         std::to_string(p.w);
}

static std::string printTensor(std::initializer_list<int64_t> sizes,
                               const std::string &element) {
  std::string text = "tensor<";
  for (int64_t size : sizes)
    text += std::to_string(size) + "x";
  return text + element + ">";
}

/// A function of one convolution, with an epilogue behind it that adds a tensor
/// to its sum if `epilogue` is set.
static std::string write(const DynamicProblem &p, const std::string &direction,
                         bool tapsLast, const std::string &element,
                         bool epilogue) {
  bool isInteger = element == "i8", isKernel = direction == "backward_kernel";
  std::string sum = isInteger ? "i32" : "f32";
  std::string out = isInteger ? "i32" : element;
  auto kernels = [&](const std::string &type) {
    return tapsLast ? printTensor({p.b, p.t, p.g, p.w}, type)
                    : printTensor({p.b, p.t, p.w, p.g}, type);
  };
  std::string tokens = printTensor({p.b, p.t, p.d}, element);
  std::string rhs = isKernel ? tokens : kernels(element);
  std::string result =
      isKernel ? kernels(out) : printTensor({p.b, p.t, p.d}, out);
  std::string extra = isKernel ? kernels(sum) : printTensor({p.d}, sum);
  std::string add = isInteger ? "arith.addi" : "arith.addf";
  std::string text = "func.func @f(%a: " + tokens + ", %b: " + rhs +
                     (epilogue ? ", %c: " + extra : "") + ") -> " + result +
                     " {\n  %y = conv.dynamic_" + direction +
                     " %a, %b order = " + (tapsLast ? "BTGW" : "BTWG");
  if (epilogue) {
    text += " epilogue(%c : " + extra + ") {\n  ^bb0(%acc: " + sum +
            ", %e: " + sum + "):\n    %s = " + add + " %acc, %e : " + sum +
            "\n";
    bool narrows = out != sum;
    if (narrows)
      text += "    %o = arith.truncf %s : f32 to " + out + "\n";
    text += std::string("    conv.yield ") + (narrows ? "%o" : "%s") + " : " +
            out + "\n  }";
  }
  return text + " : " + tokens + ", " + rhs + " -> " + result +
         "\n  return %y : " + result + "\n}\n";
}

void conv::test::addDynamicTests() {
  for (const DynamicProblem &problem : kProblems)
    for (const char *direction : kDirections)
      addTest("Dynamic", std::string(direction) + "_" + printSizes(problem),
              [=] {
                for (const char *element : {"bf16", "f32"})
                  checkEverywhere(write(problem, direction, /*tapsLast=*/true,
                                        element, /*epilogue=*/false));
                for (const char *element : {"f16", "i8"})
                  checkEverywhere(write(problem, direction, /*tapsLast=*/false,
                                        element, /*epilogue=*/true));
              });
}
