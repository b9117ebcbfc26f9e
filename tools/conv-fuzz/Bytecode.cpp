//===- Bytecode.cpp - MLIR in its other form --------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bytecode.h"

#include "conv/Pipeline/CheckSource.h"
#include "conv/Pipeline/Pipelines.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
namespace tools = ::conv::tools;
using mlir::conv::SourceFile;

namespace {
/// A context that prints nothing.
struct QuietContext {
  QuietContext()
      : context(createRegistry(), MLIRContext::Threading::DISABLED),
        handler(&context, [](Diagnostic &) {}) {
    context.printOpOnDiagnostic(false);
  }

  static DialectRegistry createRegistry() {
    DialectRegistry registry;
    mlir::conv::registerDialects(registry);
    return registry;
  }

  MLIRContext context;
  ScopedDiagnosticHandler handler;
};
} // namespace

std::string tools::convertToBytecode(const std::string &text) {
  QuietContext quiet;
  auto module =
      mlir::conv::parseSource(SourceFile{"fuzz.mlir", text}, &quiet.context);
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  if (!module || failed(writeBytecodeToFile(*module, stream)))
    return "";
  return bytes;
}

bool tools::optimize(const std::string &source) {
  QuietContext quiet;
  auto module =
      mlir::conv::parseSource(SourceFile{"fuzz.mlir", source}, &quiet.context);
  if (!module)
    return false;
  PassManager manager(&quiet.context, ModuleOp::getOperationName());
  mlir::conv::buildLowerToConvPipeline(manager,
                                       mlir::conv::LowerToConvOptions());
  bool lowered = succeeded(manager.run(*module));
  std::string text;
  llvm::raw_string_ostream(text) << *module;
  return lowered;
}
