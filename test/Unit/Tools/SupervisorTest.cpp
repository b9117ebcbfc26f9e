//===- SupervisorTest.cpp - inputs that end a process -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Supervisor.h"

#include <csignal>
#include <gtest/gtest.h>

using namespace conv;
using namespace conv::tools;

/// Answers by the first letter of an input, sometimes with a crash.
static Result<void> answer(const std::string &input) {
  switch (input.empty() ? 'a' : input[0]) {
  case 'b':
    return Error{ErrorKind::BadInput, "bad"};
  case 'c':
    std::raise(SIGSEGV);
    return {};
  case 'd':
    return Error{ErrorKind::System, "a defect"};
  case 'h':
    for (volatile int i = 0;; i = i + 1)
      ;
  default:
    return {};
  }
}

TEST(Supervisor, GoesOnAfterWhateverAnInputDoes) {
  Trial trial{"letters", InputForm::Text, {"a", "b", "c", "d"}, answer};
  Supervisor supervisor(trial, /*seed=*/1, /*secondsPerInput=*/10);
  int64_t crashes = 0, defects = 0, others = 0;
  Answers answers = supervisor.run(0, 200, [&](const Finding &finding) {
    std::string input = supervisor.getInput(finding.number);
    bool crashed = finding.what == "Segmentation fault" && input[0] == 'c';
    bool defect = finding.what == "a defect" && input[0] == 'd';
    ++(crashed ? crashes : defect ? defects : others);
  });
  EXPECT_GT(crashes, 0);
  EXPECT_GT(defects, 0);
  EXPECT_EQ(others, 0);
  EXPECT_GT(answers.fine, 0);
  EXPECT_GT(answers.badInput, 0);
  EXPECT_EQ(answers.fine + answers.badInput + answers.unsupported + crashes +
                defects,
            200);
}

TEST(Supervisor, EndsWhatHangs) {
  Trial trial{"hang", InputForm::Text, {"h"}, answer};
  Supervisor supervisor(trial, /*seed=*/0, /*secondsPerInput=*/1);
  int64_t hangs = 0;
  for (int64_t i = 0; i < 20 && hangs == 0; ++i)
    if (supervisor.getInput(i).starts_with('h'))
      supervisor.run(i, i + 1, [&](const Finding &finding) {
        EXPECT_EQ(finding.what, "takes more than 1 s");
        ++hangs;
      });
  EXPECT_EQ(hangs, 1);
}

TEST(Mutator, GivesTheSameInputForTheSameNumber) {
  std::vector<std::string> corpus = {"func.func @f() { return }",
                                     "%y = conv.forward %x, %w"};
  Mutator text(corpus, InputForm::Text), binary(corpus, InputForm::Binary);
  int64_t changed = 0;
  for (uint64_t i = 0; i < 100; ++i) {
    EXPECT_EQ(text.mutate(i), Mutator(corpus, InputForm::Text).mutate(i));
    changed += binary.mutate(i) != corpus[0] && binary.mutate(i) != corpus[1];
  }
  EXPECT_GT(changed, 80);
}
