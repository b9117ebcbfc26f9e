//===- conv-opt.cpp - runs passes on IR -------------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mlir-opt with the dialects and passes of every stage of a convolution, for
// tests and debugging.
//
//===----------------------------------------------------------------------===//

#include "ErrorLine.h"
#include "Output.h"

#include "conv/Pipeline/CheckSource.h"
#include "conv/Pipeline/Pipelines.h"
#include "conv/Support/File.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

#include "llvm/Support/SourceMgr.h"

#include <csignal>

using namespace mlir;
using ::conv::Result;

static constexpr llvm::StringLiteral kTool = "conv-opt";
static constexpr int64_t kMaxInputBytes = int64_t(1) << 30;

/// The input, checked to be safe for MLIR's readers.
static std::optional<mlir::conv::SourceFile>
readSource(const std::string &path, const DialectRegistry &registry) {
  bool isStandardInput = path == "-";
  Result<std::string> text =
      ::conv::readFile(isStandardInput ? "/dev/stdin" : path, kMaxInputBytes);
  if (!text) {
    ::conv::tools::printError(kTool.str(), text.error());
    return std::nullopt;
  }
  mlir::conv::SourceFile source{isStandardInput ? "<stdin>" : path,
                                std::move(*text)};
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.allowUnregisteredDialects();
  llvm::SourceMgr noFiles;
  SourceMgrDiagnosticHandler printer(noFiles, &context);
  return mlir::conv::checkSource(source, &context);
}

/// Between reading and writing, this is `mlir-opt`.
static LogicalResult run(const std::string &input, const std::string &output,
                         DialectRegistry &registry) {
  auto source = readSource(input, registry);
  if (!source)
    return failure();
  std::string text;
  llvm::raw_string_ostream stream(text);
  LogicalResult result =
      MlirOptMain(stream, mlir::conv::copyAligned(source->text, source->name),
                  registry, MlirOptMainConfig::createFromCLOptions());
  if (failed(result) && output != "-")
    return result;
  if (Result<void> written = ::conv::tools::writeOutput(output, text);
      !written) {
    ::conv::tools::printError(kTool.str(), written.error());
    return failure();
  }
  return result;
}

int main(int argc, char **argv) {
  mlir::conv::endWhereMemoryEnds();
  mlir::conv::tryTextInChild();
  std::signal(SIGXFSZ, SIG_IGN); // Reports a failed write as an error.
  DialectRegistry registry;
  mlir::conv::registerDialects(registry);
  mlir::conv::registerPassesAndPipelines();
  // Upstream passes that tests combine with this project's.
  registerCanonicalizerPass();
  registerCSEPass();
  registerLoopInvariantCodeMotionPass();
  registerSymbolDCEPass();
  auto [input, output] = registerAndParseCLIOptions(
      argc, argv, "Runs passes on convolutions\n", registry);
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return asMainReturnCode(MlirOptMain(argc, argv, input, output, registry));
  return asMainReturnCode(run(input, output, registry));
}
