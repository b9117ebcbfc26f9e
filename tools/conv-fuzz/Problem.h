//===- Problem.h - random problems and smaller ones -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_CONVFUZZ_PROBLEM_H
#define CONV_TOOLS_CONVFUZZ_PROBLEM_H

#include "conv/Generate/Generate.h"

#include <random>
#include <string>
#include <vector>

namespace conv::tools {

/// A random problem, small enough to simulate. The compiler may refuse it.
GenOptions randomProblem(std::mt19937_64 &random);

/// Whether conv-gen accepts the problem, and it is small.
bool isValid(const GenOptions &problem);

/// Problems that are one step smaller or simpler, the boldest steps first. All
/// are valid.
std::vector<GenOptions> simplerProblems(const GenOptions &problem);

/// The arguments that make conv-gen write the problem.
std::string formatArguments(const GenOptions &problem);

} // namespace conv::tools

#endif // CONV_TOOLS_CONVFUZZ_PROBLEM_H
