//===- CodeGenTargets.cpp - what LLVM generates code for ------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CodeGenTargets.h"

#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/RegisterTargetPassConfigCallback.h"

#include <cassert>
#include <mutex>
#include <utility>

using namespace mlir::conv;

/// Adds this thread's passes to pipelines of code generation, if there are any.
static thread_local const CodeGenPassScope::AddPasses *addPasses = nullptr;

CodeGenPassScope::CodeGenPassScope(AddPasses add) : add(std::move(add)) {
  assert(!addPasses && "a thread has one scope at a time");
  addPasses = &this->add;
}

CodeGenPassScope::~CodeGenPassScope() { addPasses = nullptr; }

static void registerCallback() {
  static llvm::RegisterTargetPassConfigCallback callback(
      [](llvm::TargetMachine &machine, llvm::PassManagerBase &,
         llvm::TargetPassConfig *passes) {
        if (addPasses)
          (*addPasses)(machine, *passes);
      });
}

void mlir::conv::initializeCodeGenTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmParser();
    LLVMInitializeAMDGPUAsmPrinter();
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    registerCallback();
  });
}
