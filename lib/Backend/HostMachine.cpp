//===- HostMachine.cpp - LLVM's code generator for the host -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostMachine.h"

#include "CodeGenTargets.h"

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ObjectFile.h"

using namespace mlir;

llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
mlir::conv::createHostMachine(StringRef processor, StringRef features,
                              llvm::CodeGenOptLevel level) {
  initializeCodeGenTargets();
  llvm::Triple triple(kHostTriple);
  std::string message;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, message);
  if (!target)
    return llvm::createStringError(message);
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, processor, features, llvm::TargetOptions(), llvm::Reloc::PIC_,
      std::nullopt, level));
}

llvm::Expected<SmallVector<char, 0>>
mlir::conv::emitHostCode(llvm::Module &module, llvm::TargetMachine &machine,
                         llvm::CodeGenFileType format) {
  // Processors of different vendors return different estimates from `rsqrtss`
  // and `rcpps`. After one step of Newton's method, the error can still exceed
  // the bounds in the manifest, so code divides and takes roots instead.
  for (llvm::Function &function : module)
    function.addFnAttr("reciprocal-estimates", "none");
  SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream os(bytes);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, os, nullptr, format))
    return llvm::createStringError("LLVM cannot emit code for " + kHostTriple);
  passes.run(module);
  return bytes;
}

llvm::Expected<SmallVector<std::string>>
mlir::conv::listNeededFunctions(ArrayRef<char> object) {
  auto parsed = llvm::object::ObjectFile::createObjectFile(
      llvm::MemoryBufferRef(StringRef(object.data(), object.size()), "object"));
  if (!parsed)
    return parsed.takeError();
  SmallVector<std::string> needed;
  for (const llvm::object::SymbolRef &symbol : (*parsed)->symbols()) {
    auto flags = symbol.getFlags();
    auto name = symbol.getName();
    if (!flags)
      return flags.takeError();
    if (!name)
      return name.takeError();
    bool isUndefined = *flags & llvm::object::SymbolRef::SF_Undefined;
    if (isUndefined && !name->empty() &&
        !llvm::is_contained(
            {"memcpy", "memmove", "memset", "_GLOBAL_OFFSET_TABLE_"}, *name))
      needed.push_back(name->str());
  }
  return needed;
}
