//===- HostMachine.h - LLVM's code generator for the host -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The common part of the host back end and the simulator: both emit objects for
// every x86-64 machine of a level, not for the one they run on.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_BACKEND_HOSTMACHINE_H
#define CONV_LIB_BACKEND_HOSTMACHINE_H

#include "mlir/Support/LLVM.h"

#include "llvm/Support/CodeGen.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>
#include <string>

namespace mlir::conv {

inline constexpr llvm::StringLiteral kHostTriple = "x86_64-unknown-linux-gnu";

/// `processor` and `features` are names of LLVM's, such as "x86-64-v4" and
/// "+avx512bf16".
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createHostMachine(StringRef processor, StringRef features,
                  llvm::CodeGenOptLevel level);

/// The object or assembly of `module`, which is already optimised.
llvm::Expected<SmallVector<char, 0>> emitHostCode(llvm::Module &module,
                                                  llvm::TargetMachine &machine,
                                                  llvm::CodeGenFileType format);

/// The functions that an object needs from elsewhere, except for memcpy,
/// memmove and memset of libc, which LLVM calls by itself.
llvm::Expected<SmallVector<std::string>>
listNeededFunctions(ArrayRef<char> object);

} // namespace mlir::conv

#endif // CONV_LIB_BACKEND_HOSTMACHINE_H
