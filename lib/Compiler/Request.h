//===- Request.h - what is to be compiled, from C ---------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_COMPILER_REQUEST_H
#define CONV_LIB_COMPILER_REQUEST_H

#include "conv/Compiler/conv_compiler.h"
#include "conv/Pipeline/Compile.h"

#include <memory>

namespace conv::compiler {

/// A module and its options, checked.
struct Request {
  mlir::conv::SourceFile source;
  /// Without an explanation: computing one takes as long as the choice.
  mlir::conv::CompileOptions options;
  mlir::conv::ExplanationForm explanation;       ///< That `explain` gives.
  std::function<void(const std::string &)> warn; ///< May be empty.

  /// If `targets` is not null, it replaces the targets of the options.
  static Result<Request> read(const void *module, size_t size,
                              const conv_compile_options *options,
                              const char *targets = nullptr);

  /// Takes facts of this machine that choices for the host depend on. Code for
  /// other targets, and its key, do not depend on the machine.
  void readHostFacts();

  /// The hash of everything that decides the code: the request, the compiler's
  /// fingerprint, the present database, and the path of ptxas.
  Result<std::string> computeKey() const;

  /// The bytes of the artifact.
  Result<std::string> compile() const;

  /// Why each kernel gets its schedule.
  Result<std::string> explain() const;

private:
  Result<std::string> readStates() const;
};

/// Bytes that handles share.
using Bytes = std::shared_ptr<const std::string>;

/// Keeps a message for `conv_compiler_last_error`.
conv_status fail(const Error &error) noexcept;

/// Runs `body`, which returns a Result<void>; no exception leaves it.
conv_status guard(const std::function<Result<void>()> &body) noexcept;

/// Creates a handle of the bytes.
conv_compilation *createCompilation(Bytes bytes);

} // namespace conv::compiler

#endif // CONV_LIB_COMPILER_REQUEST_H
