//===- CheckSource.cpp - whether MLIR survives an input ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR reads, walks and erases what is nested by recursion. The nesting of text
// is measured before it is parsed. Bytecode has none that shows, and its reader
// makes room for every count that it finds: a child process reads it first,
// within limits, on a stack that is large enough for whatever a file of its
// size can nest.
//
//===----------------------------------------------------------------------===//

#include "conv/Pipeline/CheckSource.h"

#include "Extent.h"

#include "conv/Support/ChildProcess.h"
#include "conv/Support/Nesting.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Parser/Parser.h"

#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/thread.h"

using namespace mlir;
using namespace mlir::conv;

/// A nested attribute takes 5 bytes of bytecode and about 200 of the stack.
static constexpr uint64_t kStackPerByte = 256;
static constexpr uint64_t kLeastStack = uint64_t(8) << 20;
static constexpr uint64_t kMostStack = uint64_t(1) << 30;
/// What reading bytecode may take, beside its stack.
static constexpr uint64_t kMemoryPerByte = 64;
static constexpr uint64_t kLeastMemory = uint64_t(256) << 20;
static constexpr uint64_t kBytesPerSecond = uint64_t(1) << 20;
/// Attributes and types of one op, written out.
static constexpr int64_t kMaxParts = int64_t(1) << 20;

static InFlightDiagnostic emitErrorIn(const SourceFile &source,
                                      MLIRContext *context, unsigned line = 0,
                                      unsigned column = 0) {
  return emitError(FileLineColLoc::get(context, source.name, line, column));
}

static std::string describeTooDeep() {
  return "expects at most " + std::to_string(::conv::kMaxNesting) +
         " levels of nesting";
}

/// What is wrong with the size of a module, or nothing.
static std::string describeSize(ModuleOp module) {
  Extent extent = ExtentCounter().count(module.getOperation());
  if (extent.levels > ::conv::kMaxNesting)
    return describeTooDeep();
  if (extent.parts > kMaxParts)
    return "expects attributes and types of at most " +
           std::to_string(kMaxParts) + " parts";
  return "";
}

std::unique_ptr<llvm::MemoryBuffer> mlir::conv::copyAligned(StringRef bytes,
                                                            StringRef name) {
  // Resources are aligned for vectors or cache lines; a page is enough for any.
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
  OwningOpRef<ModuleOp> module;
  llvm::thread(std::optional<unsigned>(getStackBytes(source)), [&] {
    llvm::SourceMgr manager;
    manager.AddNewSourceBuffer(copyAligned(source.text, source.name),
                               llvm::SMLoc());
    module = parseSourceFile<ModuleOp>(manager, ParserConfig(context));
  }).join();
  return module;
}

/// What is wrong with the size of what bytecode says; to be called where
/// reading it may do harm.
static std::string tryBytecode(const SourceFile &source, MLIRContext *context) {
  std::string problem;
  llvm::thread(std::optional<unsigned>(getStackBytes(source)), [&] {
    if (OwningOpRef<ModuleOp> module = readBytecode(source, context))
      problem = describeSize(*module);
  }).join();
  return problem;
}

static LogicalResult checkBytecode(const SourceFile &source,
                                   MLIRContext *context) {
  uint64_t size = source.text.size();
  ::conv::ChildLimits limits = {
      .memoryBytes = int64_t(kLeastMemory + kMemoryPerByte * size +
                             2 * getStackBytes(source)),
      .cpuSeconds = int64_t(10 + size / kBytesPerSecond)};
  ::conv::Result<std::string> problem =
      ::conv::runInChild([&] { return tryBytecode(source, context); }, limits);
  if (!problem)
    return emitErrorIn(source, context)
           << "expects bytecode that MLIR can read, but its reader ended with: "
           << problem.error().message;
  if (!problem->empty())
    return emitErrorIn(source, context) << *problem;
  return success();
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static LogicalResult checkText(const SourceFile &source, MLIRContext *context) {
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

static bool isBytecode(const SourceFile &source) {
  return mlir::isBytecode(llvm::MemoryBufferRef(source.text, source.name));
}

LogicalResult mlir::conv::checkSource(const SourceFile &source,
                                      MLIRContext *context) {
  return ::isBytecode(source) ? checkBytecode(source, context)
                              : checkText(source, context);
}

OwningOpRef<ModuleOp> mlir::conv::parseSource(const SourceFile &source,
                                              MLIRContext *context) {
  if (failed(checkSource(source, context)))
    return nullptr;
  if (::isBytecode(source))
    return readBytecode(source, context);
  auto module = parseSourceString<ModuleOp>(source.text, ParserConfig(context),
                                            source.name);
  if (!module)
    return nullptr;
  if (std::string problem = describeSize(*module); !problem.empty()) {
    emitErrorIn(source, context) << problem;
    return nullptr;
  }
  return module;
}
