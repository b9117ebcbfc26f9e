//===- conv-support.cpp - what is supported, as a table ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Asks the compiler's own predicates: every probe runs through the conv
// stage, where each convolution either is refused with a reason or gets its
// schedule.
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "ErrorLine.h"
#include "Output.h"
#include "Probes.h"

#include "conv/Chip/Chip.h"
#include "conv/Pipeline/Compile.h"

#include <cstdio>
#include <map>

using namespace conv;
using namespace conv::tools;

static const char *const kFooter = R"(Example:
  conv-support                                 # all tables, as Markdown

Exit codes: 0 fine, 2 bad usage, 4 system error, or the compiler answers
neither yes nor no.)";

/// The text between two others, or an empty string.
static std::string cut(const std::string &text, const std::string &before,
                       const std::string &after) {
  size_t begin = text.find(before);
  if (begin == std::string::npos)
    return "";
  begin += before.size();
  return text.substr(begin, text.find(after, begin) - begin);
}

/// The compiler's answer for a problem on a chip: the matrix instructions that
/// it would use, or a reason code in quotes.
static Result<std::string> ask(const GenProblem &problem,
                               const std::string &chip) {
  Result<std::string> text = generate(problem);
  mlir::conv::CompileOptions options;
  options.targets = {chip};
  Result<std::string> scheduled =
      text ? mlir::conv::compileToStage({"probe.mlir", *text}, options,
                                        mlir::conv::Stage::Conv)
           : text;
  if (scheduled)
    return cut(*scheduled, "atom = <", " ");
  if (scheduled.error().kind != ErrorKind::Unsupported)
    return scheduled;
  return "`" + cut(scheduled.error().message, "unsupported (", ")") + "`";
}

/// The answer of all chips: `yes`, one reason, or the chips that differ.
static Result<std::string> askEverywhere(const GenProblem &problem) {
  std::map<std::string, std::string> chipsByAnswer;
  for (const ChipInfo &chip : allChips()) {
    Result<std::string> answer = ask(problem, std::string(chip.name));
    if (!answer)
      return answer;
    std::string &chips =
        chipsByAnswer[answer->starts_with('`') ? *answer : "yes"];
    chips += (chips.empty() ? "" : ", ") + std::string(chip.name);
  }
  if (chipsByAnswer.size() == 1)
    return chipsByAnswer.begin()->first;
  std::string text;
  for (const auto &[answer, chips] : chipsByAnswer)
    text += (text.empty() ? "" : "; ") + answer + " on " + chips;
  return text;
}

static Result<void> printProbes() {
  std::printf("| | | forward | backward data | backward weight |\n"
              "| --- | --- | --- | --- | --- |\n");
  std::string axis;
  for (Probe &probe : makeProbes()) {
    std::printf("| %s | %s |", probe.axis == axis ? "" : probe.axis.c_str(),
                probe.value.c_str());
    axis = probe.axis;
    for (ConvolutionDirection direction : kConvolutionDirections) {
      probe.problem.direction = direction;
      Result<std::string> answer = askEverywhere(probe.problem);
      if (!answer)
        return answer.error();
      std::printf(" %s |", answer->c_str());
    }
    std::printf("\n");
  }
  return {};
}

static Result<void> printDynamicProbes() {
  std::printf("\n| | | dynamic forward | backward input | backward kernel |\n"
              "| --- | --- | --- | --- | --- |\n");
  std::string axis;
  for (DynamicProbe &probe : makeDynamicProbes()) {
    std::printf("| %s | %s |", probe.axis == axis ? "" : probe.axis.c_str(),
                probe.value.c_str());
    axis = probe.axis;
    for (const char *direction : {"dynamic_forward", "dynamic_backward_input",
                                  "dynamic_backward_kernel"}) {
      probe.problem.direction = direction;
      // The dialect, rather than the compiler, lacks some of these problems.
      if (Result<std::string> text = generate(probe.problem); !text) {
        std::printf(" |");
        continue;
      }
      Result<std::string> answer = askEverywhere(probe.problem);
      if (!answer)
        return answer.error();
      std::printf(" %s |", answer->c_str());
    }
    std::printf("\n");
  }
  return {};
}

static Result<void> printElementTypes() {
  std::string header = "| target |", line = "| --- |";
  for (const ElementProbe &element : makeElementProbes()) {
    header += " " + element.name() + " |";
    line += " --- |";
  }
  std::printf("\n%s\n%s\n", header.c_str(), line.c_str());
  for (const ChipInfo &chip : allChips()) {
    std::printf("| %s |", std::string(chip.name).c_str());
    for (const ElementProbe &element : makeElementProbes()) {
      GenOptions problem = makeProbes().front().problem;
      problem.spatialRank = 2;
      // Large enough for the chip's best instruction.
      problem.n = 32;
      problem.c = problem.k = 128;
      problem.input = {1, 28, 28};
      problem.type = element.type;
      problem.tf32 = element.tf32;
      Result<std::string> answer = ask(problem, std::string(chip.name));
      if (!answer)
        return answer.error();
      std::printf(" %s |", answer->c_str());
    }
    std::printf("\n");
  }
  return {};
}

static int parseAndPrint(int argc, char **argv) {
  CLI::App app("Prints which convolutions and element types are compiled, as "
               "the tables of README.md.",
               "conv-support");
  setUp(app, mlir::conv::getVersionLine());
  app.footer(kFooter);
  if (std::optional<int> code = parse(app, argc, argv))
    return *code;
  Result<void> done = printProbes();
  if (done)
    done = printDynamicProbes();
  if (done)
    done = printElementTypes();
  return done ? 0 : printError("conv-support", done.error());
}

int main(int argc, char **argv) {
  return finish("conv-support", parseAndPrint(argc, argv));
}
