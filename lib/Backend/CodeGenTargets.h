//===- CodeGenTargets.h - what LLVM generates code for ----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_BACKEND_CODEGENTARGETS_H
#define CONV_LIB_BACKEND_CODEGENTARGETS_H

namespace mlir::conv {

/// Makes LLVM know the processors of all back ends, once. LLVM has them in a
/// list that several threads must not extend at a time: of two that did, each
/// for a target of its own, one was lost. So whoever generates code first adds
/// all of them, instead of MLIR's `SerializeGPUModuleBase::init`.
void initializeCodeGenTargets();

} // namespace mlir::conv

#endif // CONV_LIB_BACKEND_CODEGENTARGETS_H
