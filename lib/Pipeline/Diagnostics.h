//===- Diagnostics.h - MLIR diagnostics as one error ------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_PIPELINE_DIAGNOSTICS_H
#define CONV_PIPELINE_DIAGNOSTICS_H

#include "conv/Support/Result.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mlir::conv {

/// During its lifetime, collects the first error and all remarks and warnings
/// that are reported in a context, and prints nothing.
class DiagnosticCollector {
public:
  /// `name` is the place of diagnostics whose location has no file.
  DiagnosticCollector(MLIRContext *context, std::string name);

  /// The first error as one line. Its kind is `otherwise` unless it is a
  /// refusal with a reason code; `what` is the text if nothing was reported.
  ::conv::Error getError(::conv::ErrorKind otherwise, StringRef what) const;

  /// Each as one line, after its location.
  const std::vector<std::string> &getRemarks() const { return remarks; }
  /// The warnings since the last call.
  std::vector<std::string> takeWarnings() {
    return std::exchange(warnings, {});
  }

private:
  void handle(Diagnostic &diagnostic);

  std::string name;
  std::optional<std::string> message;
  std::string place;
  std::vector<std::string> remarks;
  std::vector<std::string> warnings;
  ScopedDiagnosticHandler handler;
};

} // namespace mlir::conv

#endif // CONV_PIPELINE_DIAGNOSTICS_H
