//===- LinkerParts.cpp - parts of LLVM that are never asked for -----------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// lld optimizes at link time, which this project does not use. For that, it
// refers to Polly, which Debian has as a plug-in only, and to all targets of
// LLVM. Definitions in this file keep their archives out: 46 of 160 MB.
//
//===----------------------------------------------------------------------===//

#include "llvm/Plugins/PassPlugin.h"

llvm::PassPluginLibraryInfo getPollyPluginInfo();

llvm::PassPluginLibraryInfo getPollyPluginInfo() { return {}; }

#define CONV_OTHER_TARGET(TARGET)                                              \
  extern "C" void LLVMInitialize##TARGET##TargetInfo();                        \
  extern "C" void LLVMInitialize##TARGET##Target();                            \
  extern "C" void LLVMInitialize##TARGET##TargetMC();                          \
  extern "C" void LLVMInitialize##TARGET##AsmParser();                         \
  extern "C" void LLVMInitialize##TARGET##AsmPrinter();                        \
  void LLVMInitialize##TARGET##TargetInfo() {}                                 \
  void LLVMInitialize##TARGET##Target() {}                                     \
  void LLVMInitialize##TARGET##TargetMC() {}                                   \
  void LLVMInitialize##TARGET##AsmParser() {}                                  \
  void LLVMInitialize##TARGET##AsmPrinter() {}
#include "OtherTargets.def"
