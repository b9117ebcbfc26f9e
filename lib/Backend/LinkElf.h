//===- LinkElf.h - ELF shared objects from object files ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Links one object file with lld, in process. Code objects for AMD GPUs and
// host objects are both ELF shared libraries.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_BACKEND_LINKELF_H
#define CONV_LIB_BACKEND_LINKELF_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/Support/LLVM.h"

#include <shared_mutex>
#include <string>

namespace mlir::conv {

/// Held while LLVM generates code. Linking waits until all such locks are free,
/// since lld resets LLVM's command-line options, which code generation reads. A
/// thread that holds one must not link.
class CodeGenerationLock {
public:
  CodeGenerationLock();

private:
  std::shared_lock<std::shared_mutex> lock;
};

/// The bytes of the shared library that lld makes of `object`. Same input, same
/// bytes. May be called from several threads; the calls take turns.
/// `neededLibrary` is the name of a library that the loader must load first;
/// this machine need not have it.
FailureOr<std::string> linkShared(ArrayRef<char> object,
                                  function_ref<InFlightDiagnostic()> emitError,
                                  StringRef neededLibrary = "");

} // namespace mlir::conv

#endif // CONV_LIB_BACKEND_LINKELF_H
