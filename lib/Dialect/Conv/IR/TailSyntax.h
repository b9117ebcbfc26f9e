//===- TailSyntax.h - text of a tail -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `custom<Tail>` in ForwardOp.td calls. Defined in ForwardOp.cpp, called
// from generated code in ConvDialect.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_DIALECT_CONV_IR_TAILSYNTAX_H
#define CONV_LIB_DIALECT_CONV_IR_TAILSYNTAX_H

#include "conv/Dialect/Conv/IR/Conv.h"

namespace mlir::conv {

/// Parses `tail(%a : type, ...) { ... }`, or nothing.
ParseResult parseTail(OpAsmParser &parser,
                      SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands,
                      SmallVectorImpl<Type> &types, Region &tail);

void printTail(OpAsmPrinter &printer, ForwardOp op, OperandRange operands,
               TypeRange types, Region &tail);

} // namespace mlir::conv

#endif // CONV_LIB_DIALECT_CONV_IR_TAILSYNTAX_H
