//===- CheckPacks.cpp - artifacts against the reference ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs every function of .convpack files on a device, with normal data and with
// small integers, and compares the results with the float64 reference. It needs
// neither compiler nor LLVM, so that files made elsewhere can be checked on a
// machine that only has the GPU:
//
//   conv_check_packs cuda *.convpack
//
//===----------------------------------------------------------------------===//

#include "CheckTarget.h"

#include <cstdio>
#include <set>

using namespace conv;
using namespace conv::tools;

/// Checks one function with one kind of data; true if all results are right.
static bool checkFunction(const artifact::Artifact &artifact,
                          const std::string &function,
                          const std::string &device, RandomKind kind) {
  CheckOptions options;
  options.kind = kind;
  ExpectedResults expected;
  Result<CheckSummary> summary =
      checkTarget(artifact, function, device, options, expected);
  const char *data = kind == RandomKind::Normal ? "normal" : "integers";
  if (!summary) {
    std::printf("FAIL %s %s: %s\n", function.c_str(), data,
                summary.error().message.c_str());
    return false;
  }
  std::printf("ok %s %s: %lld elements, %lld exact, worst error/bound %.3f\n",
              function.c_str(), data, (long long)summary->elements,
              (long long)summary->exact, summary->worstRatio);
  return true;
}

int main(int argc, char **argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: conv_check_packs DEVICE FILE.convpack...\n");
    return 2;
  }
  int passed = 0, failed = 0;
  for (int i = 2; i < argc; ++i) {
    Result<artifact::Artifact> artifact = artifact::Artifact::read(argv[i]);
    if (!artifact) {
      std::printf("FAIL %s\n", artifact.error().message.c_str());
      ++failed;
      continue;
    }
    std::set<std::string> functions;
    for (const artifact::Entry &entry : artifact->manifest.entries)
      functions.insert(entry.function);
    for (const std::string &function : functions)
      for (RandomKind kind : {RandomKind::Normal, RandomKind::Integers})
        ++(checkFunction(*artifact, function, argv[1], kind) ? passed : failed);
  }
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed || !passed;
}
