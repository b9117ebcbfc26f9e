//===- Unsupported.cpp - refusals of valid input ----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The names of the reasons, and the text that carries them from a pass to the
// tool that turns them into an exit code.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/Unsupported.h"

using namespace mlir;
using namespace mlir::conv;

static constexpr StringLiteral kPrefix = "unsupported (";

StringRef mlir::conv::getReasonName(Reason reason) {
  switch (reason) {
  case Reason::PaddingMode:
    return "padding-mode";
  case Reason::DynamicShape:
    return "dynamic-shape";
  case Reason::Layout:
    return "layout";
  case Reason::ElementType:
    return "element-type";
  case Reason::EpilogueOperation:
    return "epilogue-operation";
  case Reason::NotFusable:
    return "not-fusable";
  case Reason::ZeroPoint:
    return "zero-point";
  case Reason::MemRef:
    return "memref-semantics";
  case Reason::DataMovement:
    return "data-movement";
  case Reason::Signature:
    return "signature";
  case Reason::Constant:
    return "constant";
  case Reason::ProblemSize:
    return "problem-size";
  case Reason::Schedule:
    return "schedule";
  case Reason::Prepack:
    return "prepack";
  case Reason::NotRunnable:
    return "not-runnable";
  }
  llvm_unreachable("every reason has a name");
}

InFlightDiagnostic mlir::conv::emitUnsupported(Location location,
                                               Reason reason) {
  return emitError(location) << kPrefix << getReasonName(reason) << "): ";
}

StringRef mlir::conv::parseReasonName(StringRef diagnosticText) {
  size_t begin = diagnosticText.find(kPrefix);
  if (begin == StringRef::npos)
    return "";
  StringRef rest = diagnosticText.drop_front(begin + kPrefix.size());
  return rest.contains("): ") ? rest.take_front(rest.find("): ")) : "";
}
