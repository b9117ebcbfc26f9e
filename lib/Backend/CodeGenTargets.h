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

/// Registers the processors of all back ends with LLVM, once. LLVM keeps a list
/// that threads must not extend at the same time: when two threads did, each
/// for its own target, one entry was lost. So the first one that generates code
/// adds all targets, instead of MLIR's `SerializeGPUModuleBase::init`.
void initializeCodeGenTargets();

/// While the scope lives, `add` may add passes to every pipeline of code
/// generation that this thread builds; pipelines of other threads are
/// unchanged. LLVM calls a list of callbacks that threads read without a lock,
/// so no other code may register one: `initializeCodeGenTargets` registers it
/// once, and must have been called.
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
