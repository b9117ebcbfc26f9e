//===- conv-opt.cpp - runs passes on IR -------------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mlir-opt with the dialects and passes of every stage of a convolution, for
// tests and debugging. It exits as the other tools do, and leaves an output
// file as it was if anything fails.
//
//===----------------------------------------------------------------------===//

#include "ErrorLine.h"
#include "Output.h"

#include "conv/Dialect/Conv/IR/Conv.h"
#include "conv/Dialect/Conv/IR/Unsupported.h"
#include "conv/Pipeline/CheckSource.h"
#include "conv/Pipeline/Pipelines.h"
#include "conv/Support/File.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"

#include <atomic>
#include <csignal>

using namespace mlir;
using ::conv::ErrorKind;
using ::conv::Result;

static constexpr llvm::StringLiteral kTool = "conv-opt";
static constexpr int64_t kMaxInputBytes = int64_t(1) << 30;

/// Which errors passes have reported, after what reads the input has.
static std::atomic<bool> hasRefusals{false}, hasOtherErrors{false};

/// Notes each error that is reported once the project's dialect is loaded.
static void noteErrors(MLIRContext *context, mlir::conv::ConvDialect *) {
  context->getDiagEngine().registerHandler([](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error) {
      bool isRefusal = !mlir::conv::parseReasonName(diagnostic.str()).empty();
      (isRefusal ? hasRefusals : hasOtherErrors) = true;
    }
    return failure(); // Others print it.
  });
}

/// The exit code of passes that failed.
static int getFailureCode() {
  return int(hasRefusals && !hasOtherErrors ? ErrorKind::Unsupported
                                            : ErrorKind::BadInput);
}

static int printError(const ::conv::Error &error) {
  return ::conv::tools::printError(kTool.str(), error);
}

/// The input, checked to be safe for MLIR's readers; none, and the exit code,
/// if it is not.
static std::optional<mlir::conv::SourceFile>
readSource(const std::string &path, const DialectRegistry &registry,
           int &code) {
  bool isStandardInput = path == "-";
  Result<std::string> text =
      ::conv::readFile(isStandardInput ? "/dev/stdin" : path, kMaxInputBytes);
  if (!text) {
    code = printError(text.error());
    return std::nullopt;
  }
  code = int(ErrorKind::BadInput);
  mlir::conv::SourceFile source{isStandardInput ? "<stdin>" : path,
                                std::move(*text)};
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.allowUnregisteredDialects();
  llvm::SourceMgr noFiles;
  SourceMgrDiagnosticHandler printer(noFiles, &context);
  return mlir::conv::checkSource(source, &context);
}

/// Between reading and writing, this is `mlir-opt`. Returns the exit code.
static int run(const std::string &input, const std::string &output,
               DialectRegistry &registry) {
  int code = 0;
  auto source = readSource(input, registry, code);
  if (!source)
    return code;
  std::string text;
  llvm::raw_string_ostream stream(text);
  LogicalResult result =
      MlirOptMain(stream, mlir::conv::copyAligned(source->text, source->name),
                  registry, MlirOptMainConfig::createFromCLOptions());
  if (failed(result) && output != "-")
    return getFailureCode();
  if (Result<void> written = ::conv::tools::writeOutput(output, text); !written)
    return printError(written.error());
  return succeeded(result) ? 0 : getFailureCode();
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
  registry.addExtension(noteErrors);
  // As `parseCLIOptions`, which exits with 1.
  std::string header =
      registerCLIOptions("Runs passes on convolutions\n", registry);
  llvm::cl::opt<std::string> input(llvm::cl::Positional,
                                   llvm::cl::desc("<input file>"),
                                   llvm::cl::init("-"));
  llvm::cl::opt<std::string> output("o", llvm::cl::desc("Output filename"),
                                    llvm::cl::value_desc("filename"),
                                    llvm::cl::init("-"));
  if (!llvm::cl::ParseCommandLineOptions(argc, argv, header, &llvm::errs()))
    return int(ErrorKind::BadInput);
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return asMainReturnCode(MlirOptMain(argc, argv, input, output, registry));
  return run(input, output, registry);
}
