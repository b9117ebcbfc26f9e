//===- CodeGenTargetsTest.cpp - what LLVM generates code for --------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Backend/CodeGenTargets.h"

#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Target/RegisterTargetPassConfigCallback.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"
#include "gtest/gtest.h"

#include <memory>
#include <optional>
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

/// How often one thread's scopes, which come and go, were asked for passes.
static int countAdditions(const llvm::Target &target, int rounds,
                          bool isAdding) {
  llvm::Triple triple("amdgcn-amd-amdhsa");
  std::unique_ptr<llvm::TargetMachine> machine(target.createTargetMachine(
      triple, "gfx942", "", llvm::TargetOptions(), std::nullopt));
  llvm::legacy::PassManager manager;
  std::unique_ptr<llvm::TargetPassConfig> passes(
      machine->createPassConfig(manager));
  int count = 0;
  for (int round = 0; round < rounds; ++round) {
    std::optional<CodeGenPassScope> scope;
    if (isAdding)
      scope.emplace([&](llvm::TargetMachine &of, llvm::TargetPassConfig &to) {
        count += &of == machine.get() && &to == passes.get();
      });
    llvm::invokeGlobalTargetPassConfigCallbacks(*machine, manager,
                                                passes.get());
  }
  return count;
}

// LLVM's callbacks belong to the whole process. When each code generation
// registered its own, another thread called it, or one under construction.
TEST(CodeGenTargets, ThreadsAddPassesToTheirOwnPipelinesOnly) {
  constexpr int kRounds = 20000;
  initializeCodeGenTargets();
  std::string message;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(
      llvm::Triple("amdgcn-amd-amdhsa"), message);
  ASSERT_NE(target, nullptr) << message;
  std::vector<int> counts(4, -1);
  {
    std::vector<std::jthread> threads;
    for (size_t i = 0; i < counts.size(); ++i)
      threads.emplace_back(
          [&, i] { counts[i] = countAdditions(*target, kRounds, i % 2 == 0); });
  }
  EXPECT_EQ(counts, (std::vector<int>{kRounds, 0, kRounds, 0}));
}

} // namespace
