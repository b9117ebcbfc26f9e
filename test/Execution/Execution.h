//===- Execution.h - tests that run convolutions ----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests are registered while the program starts: one per problem, each of which
// compiles once and runs on its targets with integers (waves in order) and with
// normal data (waves in random order), all checks of the simulator on. What was
// compared is in the properties of the test (--gtest_output=json:FILE), which
// tools/dev/summarize_execution.py adds up.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TEST_EXECUTION_H
#define CONV_TEST_EXECUTION_H

#include "conv/Generate/Generate.h"

#include <functional>
#include <string>
#include <vector>

namespace conv::test {

/// The levels of the host that this processor has, and the simulated chips.
const std::vector<std::string> &allTargets();

/// Compiles `text` for `targets` and checks every function with both kinds of
/// data. With an algorithm, only its schedules are considered.
void checkEverywhere(const std::string &text,
                     const std::vector<std::string> &targets = allTargets(),
                     const std::string &algorithm = "");

/// The function with its filter, the argument `%w`, to be packed by another
/// one. `checkEverywhere` checks both together.
std::string prepackFilter(std::string text);

/// Whether the environment variable CONV_EXHAUSTIVE asks for every combination
/// of problems, types and targets, which takes hours. Otherwise they take
/// turns.
bool isExhaustive();

/// A level of the host and some of the chips, the next ones at each call; all
/// of them if `isExhaustive`. Called while tests are added, so that each test
/// has the same chips whichever of them run.
std::vector<std::string> takeTurn(int chips = 1);

/// The chips of a turn with which a problem in three types meets all chips.
inline constexpr int kChipsOfType = 2;

/// Adds a problem in each type, each on the targets of a turn; types take turns
/// too if `typesTakeTurns`. A problem that is there already is not added again.
void addRotated(const std::string &suite, const std::string &name,
                GenOptions options, bool typesTakeTurns = false);

/// The text of a generated problem.
std::string generateText(const GenOptions &options);

/// Adds a test.
void addTest(const std::string &suite, const std::string &name,
             std::function<void()> body);

/// Shape lists of the project.
inline constexpr const char *kTestShapes = "test/shapes/tests.json";
inline constexpr const char *kModelShapes = "bench/shapes/models.json";

/// The shapes of a list, as problems of f32.
std::vector<GenOptions> readShapes(const std::string &file,
                                   const std::string &list);

/// The types of operands, by the commands that name tests.
inline constexpr const char *kCommands[] = {"conv", "convfp16", "convbfp16"};

/// "n2_c32_17x23_k64_5x5_u2x2_p2x2_l1x1_g4", for names of tests.
std::string describe(const GenOptions &options);

// Each file of tests adds its own.
void addDirectTests();
void addDirectionTests();
void addDynamicTests();
void addFormTests();
void addForwardTests();
void addFunctionTests();
void addHostDirectTests();
void addHostTests();
void addLaneCopyTests();
void addPlaceTests();
void addTileTests();
void addResourceTests();
/// Sizes that are chosen with each run.
void addRunTimeSizeTests();
void addSplitTests();
/// What sequences leave for their next tokens, in place of what was there.
void addStateTests();
void addEpilogueTests();
void addTypeTests();
void addWinogradTests();

} // namespace conv::test

#endif // CONV_TEST_EXECUTION_H
