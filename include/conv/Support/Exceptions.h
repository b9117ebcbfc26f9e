//===- Exceptions.h - for code that is compiled without them ----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM and MLIR neither throw nor catch. Exceptions pass through them all the
// same, and run no destructors on their way.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SUPPORT_EXCEPTIONS_H
#define CONV_SUPPORT_EXCEPTIONS_H

#include "conv/Support/Result.h"

#include <functional>
#include <optional>

namespace conv {

/// Runs `body`. An exception that it throws becomes a system error.
std::optional<Error> catchErrors(const std::function<void()> &body);

/// Throws an exception with this text.
[[noreturn]] void throwError(const char *message);

} // namespace conv

#endif // CONV_SUPPORT_EXCEPTIONS_H
