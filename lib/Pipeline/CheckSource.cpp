//===- CheckSource.cpp - checks before MLIR reads an input ------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR reads, visits and erases nested IR by recursion. The nesting of text is
// measured before it is parsed. Parsers and verifiers of other dialects crash
// on some invalid text, so a tool has a child process parse it first and
// measure its printed size. The nesting of bytecode cannot be seen from
// outside, and its reader allocates whatever counts it finds and checks few
// indices. A child process therefore reads bytecode, within limits, on a stack
// large enough for any nesting in a file of its size, and this process reads
// only what the child has written again.
//
//===----------------------------------------------------------------------===//

#include "conv/Pipeline/CheckSource.h"

#include "Diagnostics.h"
#include "Extent.h"

#include "conv/Support/ChildProcess.h"
#include "conv/Support/Nesting.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/thread.h"

#include <atomic>

using namespace mlir;
using namespace mlir::conv;

/// A nested attribute takes 5 bytes of bytecode and about 200 of stack.
static constexpr uint64_t kStackPerByte = 256;
static constexpr uint64_t kLeastStack = uint64_t(8) << 20;
static constexpr uint64_t kMostStack = uint64_t(1) << 30;
/// Limits for reading bytecode, besides its stack.
static constexpr uint64_t kMemoryPerByte = 64;
static constexpr uint64_t kLeastMemory = uint64_t(256) << 20;
static constexpr uint64_t kBytesPerSecond = uint64_t(1) << 20;
/// The most attributes and types of one op, fully expanded.
static constexpr int64_t kMaxParts = int64_t(1) << 20;

/// Whether a child process parses text first.
static std::atomic_bool triesText = false;

void mlir::conv::tryTextInChild() { triesText = true; }

static InFlightDiagnostic emitErrorIn(const SourceFile &source,
                                      MLIRContext *context, unsigned line = 0,
                                      unsigned column = 0) {
  return emitError(FileLineColLoc::get(context, source.name, line, column));
}

static std::string describeTooDeep() {
  return "expects at most " + std::to_string(::conv::kMaxNesting) +
         " levels of nesting";
}

static std::string describeTooLarge() {
  return "expects attributes and types of at most " +
         std::to_string(kMaxParts) + " parts";
}

/// What is wrong with the size of a module, or an empty string.
static std::string describeSize(ModuleOp module) {
  Extent extent = ExtentCounter().count(module.getOperation());
  if (extent.levels > ::conv::kMaxNesting)
    return describeTooDeep();
  return extent.parts > kMaxParts ? describeTooLarge() : "";
}

std::unique_ptr<llvm::MemoryBuffer> mlir::conv::copyAligned(StringRef bytes,
                                                            StringRef name) {
  // Resources are aligned for vectors or cache lines; a page suffices.
  auto buffer = llvm::WritableMemoryBuffer::getNewUninitMemBuffer(
      bytes.size(), name, llvm::Align(4096));
  if (buffer)
    llvm::copy(bytes, buffer->getBufferStart());
  return buffer;
}

//===----------------------------------------------------------------------===//
// Bytecode
//===----------------------------------------------------------------------===//

static uint64_t getStackBytes(const SourceFile &source) {
  return std::min(kLeastStack + kStackPerByte * source.text.size(), kMostStack);
}

static OwningOpRef<ModuleOp> readBytecode(const SourceFile &source,
                                          MLIRContext *context) {
  llvm::SourceMgr manager;
  manager.AddNewSourceBuffer(copyAligned(source.text, source.name),
                             llvm::SMLoc());
  return parseSourceFile<ModuleOp>(manager, ParserConfig(context));
}

/// What is wrong with a `tensor.pad`, whose verifier does not count operands:
/// reading its sizes would leave their array. Empty if nothing is.
static std::string describePad(ModuleOp module) {
  std::string problem;
  module.walk([&](tensor::PadOp op) {
    for (auto [name, sizes, operands] :
         {std::tuple("low", op.getStaticLow(), op.getLow()),
          std::tuple("high", op.getStaticHigh(), op.getHigh())})
      if (size_t open = llvm::count(sizes, ShapedType::kDynamic);
          open != operands.size())
        problem = llvm::formatv("'tensor.pad' op expects {0} operands for {1}, "
                                "but got {2}",
                                open, name, operands.size());
  });
  return problem;
}

/// What is wrong with a module that MLIR has read, or an empty string.
static std::string describeProblem(ModuleOp module) {
  std::string problem = describePad(module);
  return problem.empty() ? describeSize(module) : problem;
}

/// The first byte of a child's answer: a rewritten module, or an error.
static constexpr char kModule = 'M', kError = 'E';

/// Reads bytecode and writes it again; call it only where a crash is harmless.
static std::string rewriteBytecode(const SourceFile &source,
                                   MLIRContext *context) {
  DiagnosticCollector collector(context, source.name + ":0:0");
  OwningOpRef<ModuleOp> module = readBytecode(source, context);
  if (!module)
    return kError + collector
                        .getError(::conv::ErrorKind::BadInput,
                                  "expects bytecode of a module")
                        .message;
  if (std::string problem = describeProblem(*module); !problem.empty())
    return kError + source.name + ":0:0: error: " + problem;
  std::string result(1, kModule);
  llvm::raw_string_ostream stream(result);
  if (failed(writeBytecodeToFile(*module, stream)))
    return kError + source.name + ":0:0: error: expects a module";
  return result;
}

/// Reports "FILE:LINE:COLUMN: error: MESSAGE".
static void emitAgain(StringRef line, MLIRContext *context) {
  auto [place, message] = line.split(": error: ");
  auto [fileAndLine, column] = place.rsplit(':');
  auto [file, row] = fileAndLine.rsplit(':');
  unsigned rowNumber = 0, columnNumber = 0;
  row.getAsInteger(10, rowNumber);
  column.getAsInteger(10, columnNumber);
  emitError(FileLineColLoc::get(context, file, rowNumber, columnNumber))
      << message;
}

static std::optional<SourceFile> checkBytecode(const SourceFile &source,
                                               MLIRContext *context) {
  uint64_t size = source.text.size();
  // Seconds that a busy machine may take for a second of the processor.
  constexpr int64_t kSlowness = 60;
  auto seconds = int64_t(3 + size / kBytesPerSecond);
  ::conv::ChildLimits limits = {
      .memoryBytes =
          int64_t(kLeastMemory + kMemoryPerByte * size + getStackBytes(source)),
      .cpuSeconds = seconds,
      .wallSeconds = kSlowness * seconds};
  auto work = [&] {
    std::string result;
    llvm::thread(std::optional<unsigned>(getStackBytes(source)), [&] {
      result = rewriteBytecode(source, context);
    }).join();
    return result;
  };
  ::conv::Result<std::string> result = ::conv::runInChild(work, limits);
  if (!result) {
    emitErrorIn(source, context)
        << "expects bytecode that MLIR can read, but its reader ended with: "
        << result.error().message;
    return std::nullopt;
  }
  if (result->front() == kModule)
    return SourceFile{source.name, result->substr(1)};
  emitAgain(StringRef(*result).drop_front(), context);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// What is wrong with text that MLIR reads, or with a section of it that
/// --split-input-file of conv-opt would read; empty if nothing is. Text that
/// MLIR refuses is left to the one who reads it next.
static std::string describeParts(const SourceFile &source,
                                 MLIRContext *context) {
  ScopedDiagnosticHandler silence(context, [](Diagnostic &) {});
  auto describe = [&](StringRef text) {
    auto module =
        parseSourceString<ModuleOp>(text, ParserConfig(context), source.name);
    return module ? describeProblem(*module) : "";
  };
  std::string problem = describe(source.text);
  SmallVector<StringRef> parts;
  StringRef(source.text).split(parts, "// -----");
  if (parts.size() > 1)
    for (StringRef part : parts)
      if (problem.empty())
        problem = describe(part);
  return problem;
}

static LogicalResult checkNesting(const SourceFile &source,
                                  MLIRContext *context) {
  StringRef text = source.text;
  std::optional<size_t> deep = ::conv::findDeepNesting(text);
  if (!deep)
    return success();
  StringRef before = text.take_front(*deep);
  size_t lineStart = before.rfind('\n') + 1; // npos + 1 is 0.
  return emitErrorIn(source, context, before.count('\n') + 1,
                     *deep - lineStart + 1)
         << describeTooDeep();
}

static LogicalResult checkText(const SourceFile &source, MLIRContext *context) {
  if (failed(checkNesting(source, context)))
    return failure();
  if (!triesText)
    return success();
  ::conv::TriedWork tried = ::conv::tryInChild(
      [&] { return describeParts(source, context).empty(); });
  if (!tried.crash.empty())
    return emitErrorIn(source, context)
           << "expects text that MLIR can read, but its reader ended with: "
           << tried.crash;
  if (tried.refuses) // The child has shown that reading it is harmless.
    return emitErrorIn(source, context) << describeParts(source, context);
  return success();
}

static bool isBytecode(const SourceFile &source) {
  return mlir::isBytecode(llvm::MemoryBufferRef(source.text, source.name));
}

std::optional<SourceFile> mlir::conv::checkSource(const SourceFile &source,
                                                  MLIRContext *context) {
  if (::isBytecode(source))
    return checkBytecode(source, context);
  if (failed(checkText(source, context)))
    return std::nullopt;
  return source;
}

OwningOpRef<ModuleOp> mlir::conv::parseSource(const SourceFile &source,
                                              MLIRContext *context) {
  if (::isBytecode(source)) {
    std::optional<SourceFile> again = checkBytecode(source, context);
    return again ? readBytecode(*again, context) : nullptr;
  }
  if (failed(checkText(source, context)))
    return nullptr;
  auto module = parseSourceString<ModuleOp>(source.text, ParserConfig(context),
                                            source.name);
  if (!module)
    return nullptr;
  if (std::string problem = describeProblem(*module); !problem.empty()) {
    emitErrorIn(source, context) << problem;
    return nullptr;
  }
  return module;
}
