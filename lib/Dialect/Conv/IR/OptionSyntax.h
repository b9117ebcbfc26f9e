//===- OptionSyntax.h - optional parameters of attributes -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declarative assembly formats cannot distinguish several optional parameters
// that all start with a comma, nor parse an optional part in the middle of a
// list. Here options are `, name = value`, in any order, and are printed only
// if they differ from their defaults.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_DIALECT_CONV_IR_OPTIONSYNTAX_H
#define CONV_LIB_DIALECT_CONV_IR_OPTIONSYNTAX_H

#include "conv/Dialect/Conv/IR/Conv.h"

namespace mlir::conv {

/// The attribute of a family of kernels.
ParseResult parseKernel(AsmParser &parser, KernelAttrInterface &kernel);
void printKernel(AsmPrinter &printer, KernelAttrInterface kernel);

ParseResult parseScheduleOptions(AsmParser &parser,
                                 SmallVector<int64_t> &outputTile,
                                 int64_t &mergedGroups, int64_t &splits,
                                 bool &transposed, LayoutsAttr &layouts,
                                 int64_t &channelMultiple, int64_t &im2col,
                                 int64_t &spaceToBatch, Type &operandType,
                                 ChosenBy &chosenBy);
void printScheduleOptions(AsmPrinter &printer, ArrayRef<int64_t> outputTile,
                          int64_t mergedGroups, int64_t splits, bool transposed,
                          LayoutsAttr layouts, int64_t channelMultiple,
                          int64_t im2col, int64_t spaceToBatch,
                          Type operandType, ChosenBy chosenBy);

ParseResult parseWarpgroupOptions(AsmParser &parser,
                                  SmallVector<int64_t> &haloTile,
                                  int64_t &cluster, int64_t &promotion,
                                  Producer &producer);
void printWarpgroupOptions(AsmPrinter &printer, ArrayRef<int64_t> haloTile,
                           int64_t cluster, int64_t promotion,
                           Producer producer);

/// Parses `batch = [g = 1], rows = [...], columns = [...]`, where a digit is
/// its size, with or without its role.
ParseResult parseDigits(AsmParser &parser, SmallVector<int64_t> &batch,
                        SmallVector<int64_t> &rows,
                        SmallVector<int64_t> &columns,
                        SmallVector<DigitRole> &roles);
void printDigits(AsmPrinter &printer, ArrayRef<int64_t> batch,
                 ArrayRef<int64_t> rows, ArrayRef<int64_t> columns,
                 ArrayRef<DigitRole> roles);

ParseResult parseViewOptions(AsmParser &parser, SmallVector<int64_t> &limits,
                             PaddingMode &padding);
void printViewOptions(AsmPrinter &printer, ArrayRef<int64_t> limits,
                      PaddingMode padding);

} // namespace mlir::conv

#endif // CONV_LIB_DIALECT_CONV_IR_OPTIONSYNTAX_H
