//===- ConvAttrs.h - attributes of the conv dialect -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares the enums and attributes that ConvAttrs.td describes.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_CONVATTRS_H
#define CONV_DIALECT_CONV_IR_CONVATTRS_H

#include "conv/Chip/Chip.h"
#include "conv/Dialect/Conv/IR/DigitRole.h"

#include "mlir/IR/Attributes.h"
#include "mlir/IR/OpImplementation.h"

#include "conv/Dialect/Conv/IR/ConvEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "conv/Dialect/Conv/IR/ConvAttrs.h.inc"

#endif // CONV_DIALECT_CONV_IR_CONVATTRS_H
