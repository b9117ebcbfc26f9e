//===- ConvolutionOps.h - syntax and checks that ops share ------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions that the code generated from ConvolutionOps.td calls: the syntax of
// an epilogue, and the constraints.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_DIALECT_CONV_IR_CONVOLUTIONOPS_H
#define CONV_LIB_DIALECT_CONV_IR_CONVOLUTIONOPS_H

#include "conv/Dialect/Conv/IR/Conv.h"

namespace mlir::conv {

/// Parses `epilogue(%a : type, ...) { ... }`, or nothing.
ParseResult
parseEpilogue(OpAsmParser &parser,
              SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands,
              SmallVectorImpl<Type> &types, Region &epilogue);

void printEpilogue(OpAsmPrinter &printer, Operation *op, OperandRange operands,
                   TypeRange types, Region &epilogue);

/// Parses `<...>, <...>`: a list of `#conv.view`.
ParseResult parseViews(OpAsmParser &parser, ArrayAttr &views);

void printViews(OpAsmPrinter &printer, Operation *op, ArrayAttr views);

/// Parses views after an epilogue, as `views = <...>, <...>`, or nothing.
ParseResult parseEpilogueViews(OpAsmParser &parser, ArrayAttr &views);

void printEpilogueViews(OpAsmPrinter &printer, Operation *op, ArrayAttr views);

/// Checks C1 to C9 and C11 to C13.
LogicalResult verifyConvolution(ConvolutionOpInterface op);

/// Checks the block of an epilogue that computes an `element` from the sum and
/// one element of each operand.
LogicalResult verifyEpilogueBlock(Operation *op, Block &block, Type accumulator,
                                  ValueRange operands, Type element);

/// Checks O1, O3 and O4 of a `conv.scatter` through `view`.
LogicalResult verifyWritten(Operation *op, RankedTensorType destination,
                            ViewAttr view);

/// O5: whether no element is written through both views.
bool areDisjoint(ViewAttr lhs, ViewAttr rhs);

/// Check K1 to K6 and K8 to K10 of a dynamic convolution, and K7.
LogicalResult verifyDynamic(DynamicOpInterface op);
LogicalResult verifyDynamicEpilogue(DynamicOpInterface op);

/// Whether a kernel has `b` and `t`, or 1 and 1: one for all tokens (K3, L1).
bool isKernelOfTokens(RankedTensorType kernel, int64_t b, int64_t t);

/// Checks C10.
LogicalResult verifyEpilogue(ConvolutionOpInterface op);

} // namespace mlir::conv

#endif // CONV_LIB_DIALECT_CONV_IR_CONVOLUTIONOPS_H
