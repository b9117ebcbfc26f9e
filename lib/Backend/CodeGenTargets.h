//===- CodeGenTargets.h - what LLVM generates code for ----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_BACKEND_CODEGENTARGETS_H
#define CONV_LIB_BACKEND_CODEGENTARGETS_H

#include <functional>

namespace llvm {
class TargetMachine;
class TargetPassConfig;
} // namespace llvm

namespace mlir::conv {

/// Makes LLVM know the processors of all back ends, once. LLVM has them in a
/// list that several threads must not extend at a time: of two that did, each
/// for a target of its own, one was lost. So whoever generates code first adds
/// all of them, instead of MLIR's `SerializeGPUModuleBase::init`.
void initializeCodeGenTargets();

/// While it lives, `add` may add passes to every pipeline of code generation
/// that this thread builds; other threads' pipelines stay as they are. LLVM
/// calls a list of callbacks that several threads read without a lock, so
/// nobody else may register one: `initializeCodeGenTargets` does it once, and
/// must have been called.
class CodeGenPassScope {
public:
  using AddPasses =
      std::function<void(llvm::TargetMachine &, llvm::TargetPassConfig &)>;

  explicit CodeGenPassScope(AddPasses add);
  CodeGenPassScope(const CodeGenPassScope &) = delete;
  CodeGenPassScope &operator=(const CodeGenPassScope &) = delete;
  ~CodeGenPassScope();

private:
  AddPasses add;
};

} // namespace mlir::conv

#endif // CONV_LIB_BACKEND_CODEGENTARGETS_H
