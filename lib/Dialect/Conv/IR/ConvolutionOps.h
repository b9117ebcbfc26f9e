//===- ConvolutionOps.h - what the three ops share --------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the code generated from ConvolutionOps.td calls, in ConvDialect.cpp: the
// text of a tail, and the constraints.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_DIALECT_CONV_IR_CONVOLUTIONOPS_H
#define CONV_LIB_DIALECT_CONV_IR_CONVOLUTIONOPS_H

#include "conv/Dialect/Conv/IR/Conv.h"

namespace mlir::conv {

/// Parses `tail(%a : type, ...) { ... }`, or nothing.
ParseResult parseTail(OpAsmParser &parser,
                      SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands,
                      SmallVectorImpl<Type> &types, Region &tail);

void printTail(OpAsmPrinter &printer, Operation *op, OperandRange operands,
               TypeRange types, Region &tail);

/// Parses `<...>, <...>`: a list of `#conv.view`.
ParseResult parseViews(OpAsmParser &parser, ArrayAttr &views);

void printViews(OpAsmPrinter &printer, Operation *op, ArrayAttr views);

/// The same behind a tail, as `views = <...>, <...>`, or nothing.
ParseResult parseTailViews(OpAsmParser &parser, ArrayAttr &views);

void printTailViews(OpAsmPrinter &printer, Operation *op, ArrayAttr views);

/// Checks C1 to C9 and C11 to C13.
LogicalResult verifyConvolution(ConvolutionOpInterface op);

/// Checks the block of a tail that makes an `element` of the sum and of one of
/// each operand.
LogicalResult verifyTailBlock(Operation *op, Block &block, Type accumulator,
                              ValueRange operands, Type element);

/// What a `conv.scatter` through `view` must not do: O1, O3 and O4.
LogicalResult verifyWritten(Operation *op, RankedTensorType destination,
                            ViewAttr view);

/// O5: whether no element is written through both views.
bool areDisjoint(ViewAttr lhs, ViewAttr rhs);

/// Checks C10.
LogicalResult verifyTail(ConvolutionOpInterface op);

} // namespace mlir::conv

#endif // CONV_LIB_DIALECT_CONV_IR_CONVOLUTIONOPS_H
