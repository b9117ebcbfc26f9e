//===- conv-predict.cpp - what the cost models say of schedules -----------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Answers requests, one JSON object a line, for fits of the constants of cost
// models (bench/compare fit). One process answers many.
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "Predictions.h"

#include "ErrorLine.h"
#include "Output.h"

#include "conv/Pipeline/Pipelines.h"
#include "conv/Support/Nesting.h"

#include <iostream>

using ::conv::Error;
using ::conv::ErrorKind;
using ::conv::Result;
using namespace ::conv::tools;
namespace json = llvm::json;

static Result<json::Value> answer(const std::string &line,
                                  mlir::MLIRContext &context) {
  // Readers of JSON and of attributes are recursive.
  if (::conv::findDeepNesting(line))
    return Error{ErrorKind::BadInput, "expects at most " +
                                          std::to_string(::conv::kMaxNesting) +
                                          " levels of nesting"};
  llvm::Expected<json::Value> request = json::parse(line);
  if (!request)
    return Error{ErrorKind::BadInput, llvm::toString(request.takeError())};
  const json::Object *object = request->getAsObject();
  if (!object)
    return Error{ErrorKind::BadInput, "expects an object"};
  return mlir::conv::predict(*object, context);
}

static void print(const json::Value &value) {
  llvm::outs() << value << "\n";
  llvm::outs().flush();
}

/// Answers all requests. Each has a context of its own, since attributes live
/// as long as their context.
static int answerAll() {
  mlir::DialectRegistry registry;
  mlir::conv::registerDialects(registry);
  int code = 0;
  for (std::string line; std::getline(std::cin, line);) {
    mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
    context.loadAllAvailableDialects();
    Result<json::Value> answered = answer(line, context);
    if (answered) {
      print(*answered);
      continue;
    }
    print(json::Object{{"error", answered.error().message}});
    code = static_cast<int>(answered.error().kind);
  }
  return code;
}

static int run(int argc, char **argv) {
  PredictFlags flags;
  if (std::optional<int> code = parsePredictFlags(argc, argv, flags))
    return *code;
  if (flags.constantsOf.empty())
    return answerAll();
  Result<json::Value> constants = mlir::conv::listConstants(flags.constantsOf);
  if (!constants)
    return printError("conv-predict", constants.error());
  print(*constants);
  return 0;
}

int main(int argc, char **argv) {
  return finish("conv-predict", run(argc, argv));
}
