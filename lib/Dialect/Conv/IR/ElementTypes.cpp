//===- ElementTypes.cpp - element types that a chip supports ----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks whether the chip has an atom with the operands' type.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/ElementTypes.h"

#include "conv/Dialect/Conv/IR/ConvShape.h"
#include "conv/Dialect/Conv/IR/Unsupported.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::conv;

LogicalResult mlir::conv::checkElementTypes(ConvolutionOpInterface op,
                                            const ::conv::ChipInfo &chip) {
  ::conv::NumericType operand =
      getMultipliedType(chip, getOperandNumericType(op));
  llvm::SmallSetVector<StringRef, 8> supported;
  for (const ::conv::MatrixAtom &atom : chip.atoms) {
    if (atom.operand == operand)
      return success();
    supported.insert(::conv::getName(atom.operand));
  }
  return emitUnsupported(op.getLoc(), Reason::ElementType)
         << "expects operands of one of the types "
         << llvm::join(supported, ", ") << " for " << chip.name << ", but got "
         << op.getLhs().getType().getElementType() << " and "
         << op.getRhs().getType().getElementType() << " in "
         << stringifyArithmetic(op.getArithmetic()) << " arithmetic";
}
