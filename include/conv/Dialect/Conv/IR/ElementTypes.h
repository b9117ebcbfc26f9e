//===- ElementTypes.h - element types that a chip supports ------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The only check of operands that depends on the chip.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_ELEMENTTYPES_H
#define CONV_DIALECT_CONV_IR_ELEMENTTYPES_H

#include "conv/Chip/Chip.h"
#include "conv/Dialect/Conv/IR/Conv.h"

namespace mlir::conv {

/// Refuses, with a reason code, operand types that the chip cannot multiply.
LogicalResult checkElementTypes(ConvolutionOpInterface op,
                                const ::conv::ChipInfo &chip);

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_ELEMENTTYPES_H
