//===- CompilerVersion.cpp - version of the compiler ------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file of its own, because it is recompiled whenever any source changes.
//
//===----------------------------------------------------------------------===//

#include "conv/Pipeline/Compile.h"

#include "Fingerprint.inc"

#include "llvm/Config/llvm-config.h"

::conv::artifact::Compiler mlir::conv::getCompilerVersion() {
  return {CONV_VERSION, LLVM_VERSION_STRING, CONV_FINGERPRINT};
}

std::string mlir::conv::getVersionLine() {
  ::conv::artifact::Compiler compiler = getCompilerVersion();
  return "conv " + compiler.version + " (LLVM " + compiler.llvm + ", sources " +
         compiler.fingerprint.substr(0, 12) + ")";
}
