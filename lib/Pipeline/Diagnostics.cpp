//===- Diagnostics.cpp - MLIR diagnostics as one error ----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A user gets one clear line instead of a list of notes: the first error,
// preceded by its file and position.
//
//===----------------------------------------------------------------------===//

#include "Diagnostics.h"

#include "Extent.h"

#include "conv/Dialect/Conv/IR/Unsupported.h"

#include "mlir/IR/AsmState.h"
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

/// Prints a part of a message, or only its length if its text is too long.
static void printShort(const DiagnosticArgument &argument,
                       raw_ostream &stream) {
  using Kind = DiagnosticArgument::DiagnosticArgumentKind;
  constexpr int64_t kMaxParts = 1000;
  ExtentCounter counter;
  int64_t parts = 0;
  if (argument.getKind() == Kind::Attribute)
    parts = counter.count(argument.getAsAttribute()).parts;
  else if (argument.getKind() == Kind::Type)
    parts = counter.count(argument.getAsType()).parts;
  if (parts > kMaxParts)
    stream << "(" << parts << " parts)";
  else if (argument.getKind() != Kind::Attribute)
    argument.print(stream);
  else {
    Attribute attribute = argument.getAsAttribute();
    AsmState state(attribute.getContext(),
                   OpPrintingFlags().elideLargeElementsAttrs());
    attribute.print(stream, state);
  }
}

/// The first line of a message, shortened if it is longer than anybody would
/// read.
static std::string print(Diagnostic &diagnostic) {
  constexpr size_t kMaxLength = 2000;
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (const DiagnosticArgument &argument : diagnostic.getArguments())
    printShort(argument, stream);
  StringRef line = StringRef(text).split('\n').first;
  if (line.size() <= kMaxLength)
    return line.str();
  return line.take_front(kMaxLength).str() + "...";
}

DiagnosticCollector::DiagnosticCollector(MLIRContext *context, std::string name)
    : name(std::move(name)),
      handler(context, [this](Diagnostic &diagnostic) { handle(diagnostic); }) {
}

void DiagnosticCollector::handle(Diagnostic &diagnostic) {
  if (diagnostic.getSeverity() != DiagnosticSeverity::Error) {
    std::string where = describe(diagnostic.getLocation());
    auto &list = diagnostic.getSeverity() == DiagnosticSeverity::Warning
                     ? warnings
                     : remarks;
    list.push_back((where.empty() ? name : where) + ": " + print(diagnostic));
  }
  if (diagnostic.getSeverity() != DiagnosticSeverity::Error || message)
    return;
  place = describe(diagnostic.getLocation());
  message = print(diagnostic);
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
