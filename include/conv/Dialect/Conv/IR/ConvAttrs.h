//===- ConvAttrs.h - attributes of the conv dialect -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares the enums and attributes that ConvAttrs.td, KernelAttrs.td,
// LaunchAttr.td and ScheduleAttr.td describe.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_CONVATTRS_H
#define CONV_DIALECT_CONV_IR_CONVATTRS_H

#include "conv/Chip/Chip.h"
#include "conv/Dialect/Conv/IR/DigitRole.h"
#include "conv/Dialect/Conv/IR/DirectLoop.h"
#include "conv/Dialect/Conv/IR/Producer.h"
#include "conv/Dialect/Conv/IR/StagedLoop.h"

#include "mlir/IR/Attributes.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"

#include "conv/Dialect/Conv/IR/ConvEnums.h.inc"

namespace mlir {
namespace conv {
using ::conv::AtomKind;
using ::conv::DirectLoop;
using ::conv::Producer;
using ::conv::StagedLoop;

/// The name in schedules, such as "mfma" or "async_staged".
StringRef stringifyAtomKind(AtomKind kind);
StringRef stringifyLoop(StagedLoop mainLoop);
StringRef stringifyLoop(DirectLoop mainLoop);
} // namespace conv

template <> struct FieldParser<::conv::AtomKind, ::conv::AtomKind> {
  static FailureOr<::conv::AtomKind> parse(AsmParser &parser);
};
template <> struct FieldParser<::conv::StagedLoop, ::conv::StagedLoop> {
  static FailureOr<::conv::StagedLoop> parse(AsmParser &parser);
};
template <> struct FieldParser<::conv::DirectLoop, ::conv::DirectLoop> {
  static FailureOr<::conv::DirectLoop> parse(AsmParser &parser);
};
} // namespace mlir

namespace conv {
inline mlir::AsmPrinter &operator<<(mlir::AsmPrinter &printer, AtomKind kind) {
  printer << mlir::conv::stringifyAtomKind(kind);
  return printer;
}
inline mlir::AsmPrinter &operator<<(mlir::AsmPrinter &printer,
                                    StagedLoop mainLoop) {
  printer << mlir::conv::stringifyLoop(mainLoop);
  return printer;
}
inline mlir::AsmPrinter &operator<<(mlir::AsmPrinter &printer,
                                    DirectLoop mainLoop) {
  printer << mlir::conv::stringifyLoop(mainLoop);
  return printer;
}
} // namespace conv

namespace mlir::conv {
class AtomAttr;
} // namespace mlir::conv

#include "conv/Dialect/Conv/IR/KernelAttrInterface.h.inc"

#define GET_ATTRDEF_CLASSES
#include "conv/Dialect/Conv/IR/ConvAttrs.h.inc"

#endif // CONV_DIALECT_CONV_IR_CONVATTRS_H
