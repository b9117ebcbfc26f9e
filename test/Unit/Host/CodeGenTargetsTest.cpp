//===- CodeGenTargetsTest.cpp - what LLVM generates code for --------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Backend/CodeGenTargets.h"

#include "llvm/MC/TargetRegistry.h"
#include "llvm/TargetParser/Triple.h"
#include "gtest/gtest.h"

#include <thread>
#include <vector>

using namespace mlir::conv;

namespace {

// Back ends compile on threads of their own.
TEST(CodeGenTargets, AllAreThereForEveryThread) {
  std::vector<int> found(8, 0);
  {
    std::vector<std::jthread> threads;
    for (int &count : found)
      threads.emplace_back([&count] {
        initializeCodeGenTargets();
        for (const char *name : {"x86_64-unknown-linux-gnu",
                                 "amdgcn-amd-amdhsa", "nvptx64-nvidia-cuda"}) {
          std::string message;
          count += llvm::TargetRegistry::lookupTarget(llvm::Triple(name),
                                                      message) != nullptr;
        }
      });
  }
  EXPECT_EQ(found, std::vector<int>(8, 3));
}

} // namespace
