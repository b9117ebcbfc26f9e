//===- ParseSource.cpp - text to a module -----------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR reads, walks and erases what is nested by recursion. Brackets of text
// are counted before it is parsed. Bytecode has none to count: it is read on a
// stack that is large enough for whatever a file of its size can nest, and the
// module leaves that stack only if any other is enough for it.
//
//===----------------------------------------------------------------------===//

#include "ParseSource.h"

#include "conv/Support/Nesting.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Parser/Parser.h"

#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Support/thread.h"

using namespace mlir;
using namespace mlir::conv;

/// Bytecode of more bytes is not read; a thread's stack has less than 4 GiB.
static constexpr size_t kMaxBytecode = size_t(8) << 20;
/// A nested attribute takes 5 bytes of a file and about 200 of the stack.
static constexpr unsigned kStackPerByte = 256;
/// For a module that nests nothing.
static constexpr unsigned kLeastStack = 8 << 20;

static void emitTooDeep(Location location) {
  emitError(location) << "expects at most " << ::conv::kMaxNesting
                      << " levels of nesting";
}

namespace {
/// Levels of nesting of attributes, types and ops. An attribute that is used
/// many times is walked once.
class NestingCounter {
public:
  int64_t count(Operation *op) {
    int64_t levels = std::max(countElement(op->getAttrDictionary()),
                              countElement(Attribute(op->getLoc())));
    for (Type type : op->getResultTypes())
      levels = std::max(levels, countElement(type));
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        for (BlockArgument argument : block.getArguments())
          levels = std::max({levels, countElement(argument.getType()),
                             countElement(Attribute(argument.getLoc()))});
        for (Operation &inner : block)
          levels = std::max(levels, count(&inner));
      }
    return 1 + levels;
  }

private:
  template <typename T> int64_t countElement(T attributeOrType) {
    const void *key = attributeOrType.getAsOpaquePointer();
    if (auto found = known.find(key); found != known.end())
      return found->second;
    int64_t levels = 0;
    auto countInner = [&](auto inner) {
      if (inner)
        levels = std::max(levels, countElement(inner));
    };
    attributeOrType.walkImmediateSubElements(
        [&](Attribute inner) { countInner(inner); },
        [&](Type inner) { countInner(inner); });
    return known[key] = 1 + levels;
  }

  DenseMap<const void *, int64_t> known;
};
} // namespace

static OwningOpRef<ModuleOp> parseBytecode(const SourceFile &source,
                                           MLIRContext *context) {
  if (source.text.size() > kMaxBytecode) {
    emitError(FileLineColLoc::get(context, source.name, 0, 0))
        << "expects at most " << kMaxBytecode << " bytes of bytecode, but got "
        << source.text.size();
    return nullptr;
  }
  OwningOpRef<ModuleOp> module;
  unsigned stack = kLeastStack + kStackPerByte * unsigned(source.text.size());
  llvm::thread(std::optional<unsigned>(stack), [&] {
    module = parseSourceString<ModuleOp>(source.text, ParserConfig(context),
                                         source.name);
    if (!module ||
        NestingCounter().count(module->getOperation()) <= ::conv::kMaxNesting)
      return;
    emitTooDeep(FileLineColLoc::get(context, source.name, 0, 0));
    module = nullptr;
  }).join();
  return module;
}

OwningOpRef<ModuleOp> mlir::conv::parseSource(const SourceFile &source,
                                              MLIRContext *context) {
  StringRef text = source.text;
  if (isBytecode(llvm::MemoryBufferRef(text, source.name)))
    return parseBytecode(source, context);
  if (std::optional<size_t> deep = ::conv::findDeepNesting(text)) {
    StringRef before = text.take_front(*deep);
    size_t lineStart = before.rfind('\n') + 1; // npos + 1 is 0.
    emitTooDeep(FileLineColLoc::get(
        context, source.name, before.count('\n') + 1, *deep - lineStart + 1));
    return nullptr;
  }
  return parseSourceString<ModuleOp>(text, ParserConfig(context), source.name);
}
