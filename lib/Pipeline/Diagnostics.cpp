//===- Diagnostics.cpp - MLIR diagnostics as one error ----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A user gets one clear line, not a list of notes: the first error, behind the
// file and position it is about.
//
//===----------------------------------------------------------------------===//

#include "Diagnostics.h"

#include "conv/Dialect/Conv/IR/Unsupported.h"

#include "mlir/IR/Location.h"

using namespace mlir;
using namespace mlir::conv;

/// "file:line:column" of the innermost position in `location`, or empty.
static std::string describe(Location location) {
  std::string place;
  location->walk([&](Location inner) {
    auto position = dyn_cast<FileLineColRange>(inner);
    if (!position)
      return WalkResult::advance();
    place = (position.getFilename().getValue() + ":" +
             Twine(position.getStartLine()) + ":" +
             Twine(position.getStartColumn()))
                .str();
    return WalkResult::interrupt();
  });
  return place;
}

DiagnosticCollector::DiagnosticCollector(MLIRContext *context, std::string name)
    : name(std::move(name)),
      handler(context, [this](Diagnostic &diagnostic) { handle(diagnostic); }) {
}

void DiagnosticCollector::handle(Diagnostic &diagnostic) {
  if (diagnostic.getSeverity() != DiagnosticSeverity::Error || message)
    return;
  place = describe(diagnostic.getLocation());
  message = StringRef(diagnostic.str()).split('\n').first.str();
}

::conv::Error DiagnosticCollector::getError(::conv::ErrorKind otherwise,
                                            StringRef what) const {
  std::string where = (place.empty() ? name : place) + ": error: ";
  if (!message)
    return {otherwise, where + what.str()};
  bool refused = !parseReasonName(*message).empty();
  return {refused ? ::conv::ErrorKind::Unsupported : otherwise,
          where + *message};
}
