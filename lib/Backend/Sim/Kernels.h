//===- Kernels.h - AMD kernels become host functions ------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns the functions of an amdgcn module into functions of the host.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_BACKEND_SIM_KERNELS_H
#define CONV_LIB_BACKEND_SIM_KERNELS_H

#include "ObjectBuilder.h"

#include "llvm/Support/Error.h"

namespace conv::simgen {

/// Gives every kernel the signature `void(Item *)`: parameters are read from
/// the kernarg block, whose layout is the AMDGPU one. Needs the amdgcn data
/// layout.
llvm::Expected<std::vector<KernelInfo>> convertKernels(llvm::Module &module,
                                                       ObjectBuilder &object);

/// Replaces the LDS globals that each kernel uses by addresses in the arena of
/// the item's workgroup, and notes how many bytes they take. Dynamic shared
/// memory starts after them.
llvm::Error placeLdsGlobals(llvm::Module &module,
                            llvm::MutableArrayRef<KernelInfo> kernels,
                            ObjectBuilder &object);

/// Moves private variables from address space 5 to the stack of the host.
void moveAllocasToHostStack(llvm::Function &kernel);

} // namespace conv::simgen

#endif // CONV_LIB_BACKEND_SIM_KERNELS_H
