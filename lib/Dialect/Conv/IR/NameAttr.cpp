//===- NameAttr.cpp - names of arguments and results -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verifies `conv.name`, N1 and N2 of the dialect's description. MLIR asks for
// one attribute at a time, so each is compared with those before it.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/Conv.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mlir::conv;

namespace {
/// An argument of a function, or a result of it.
struct Position {
  bool isResult;
  unsigned index;

  std::string describe() const {
    return (isResult ? "result " : "argument ") + std::to_string(index);
  }
  Attribute getName(FunctionOpInterface function) const {
    return isResult
               ? function.getResultAttr(index, ConvDialect::kNameAttr)
               : Attribute(function.getArgAttr(index, ConvDialect::kNameAttr));
  }
  /// Results have no location of their own.
  Location getLoc(FunctionOpInterface function) const {
    return isResult || function.isExternal()
               ? function.getLoc()
               : function.getArgument(index).getLoc();
  }
};
} // namespace

static SmallVector<Position> listPositions(FunctionOpInterface function) {
  SmallVector<Position> positions;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    positions.push_back({false, i});
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    positions.push_back({true, i});
  return positions;
}

static LogicalResult verifyName(FunctionOpInterface function, Position position,
                                Attribute attribute) {
  constexpr size_t kMaxLength = 4096;
  auto emit = [&] {
    return emitError(position.getLoc(function))
           << "expects " << ConvDialect::kNameAttr << " of "
           << position.describe() << " to be ";
  };
  // N1.
  auto name = dyn_cast<StringAttr>(attribute);
  if (!name)
    return emit() << "a string, but got " << attribute;
  StringRef text = name.getValue();
  if (text.empty() || text.size() > kMaxLength)
    return emit() << "1 to " << kMaxLength << " bytes long, but got "
                  << text.size();
  if (!llvm::json::isUTF8(text) ||
      llvm::any_of(text, [](unsigned char c) { return c < 32 || c == 127; }))
    return emit() << "UTF-8 without control characters, but got " << name;
  // N2.
  for (Position earlier : listPositions(function)) {
    if (earlier.isResult == position.isResult &&
        earlier.index == position.index)
      break;
    if (earlier.getName(function) != name)
      continue;
    InFlightDiagnostic diagnostic = emit();
    diagnostic << "a name of its own, but got " << name << " of "
               << earlier.describe() << " again";
    diagnostic.attachNote(earlier.getLoc(function)) << "the first is here";
    return diagnostic;
  }
  return success();
}

/// `attribute` is one of this dialect's at `position` of `op`.
static LogicalResult verify(Operation *op, Position position,
                            NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function || attribute.getName() != ConvDialect::kNameAttr)
    return op->emitOpError("expects ")
           << ConvDialect::kNameAttr
           << " as the only attribute of arguments and results, but got "
           << attribute.getName();
  return verifyName(function, position, attribute.getValue());
}

LogicalResult ConvDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                    unsigned index,
                                                    NamedAttribute attribute) {
  return verify(op, {/*isResult=*/false, index}, attribute);
}

LogicalResult ConvDialect::verifyRegionResultAttribute(
    Operation *op, unsigned, unsigned index, NamedAttribute attribute) {
  return verify(op, {/*isResult=*/true, index}, attribute);
}
