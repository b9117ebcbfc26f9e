//===- EpilogueSyntax.cpp - assembly format of an epilogue ------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `custom<Epilogue>` of ConvolutionOps.td: operands with their types and a
// region, or nothing at all.
//
//===----------------------------------------------------------------------===//

#include "ConvolutionOps.h"

using namespace mlir;
using namespace mlir::conv;

ParseResult mlir::conv::parseEpilogue(
    OpAsmParser &parser,
    SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands,
    SmallVectorImpl<Type> &types, Region &epilogue) {
  if (failed(parser.parseOptionalKeyword("epilogue")))
    return success();
  auto parseOperand = [&]() -> ParseResult {
    return failure(parser.parseOperand(operands.emplace_back()) ||
                   parser.parseColonType(types.emplace_back()));
  };
  return failure(parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren,
                                                parseOperand) ||
                 parser.parseRegion(epilogue));
}

void mlir::conv::printEpilogue(OpAsmPrinter &printer, Operation *,
                               OperandRange operands, TypeRange types,
                               Region &epilogue) {
  if (epilogue.empty())
    return;
  printer << "epilogue(";
  llvm::interleaveComma(llvm::zip(operands, types), printer, [&](auto pair) {
    printer << std::get<0>(pair) << " : " << std::get<1>(pair);
  });
  printer << ") ";
  printer.printRegion(epilogue);
}
