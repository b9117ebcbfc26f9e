//===- FormLayouts.h - orders of dimensions in a form -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a form's layouts mean for the tensors of a convolution.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_PLAN_FORMLAYOUTS_H
#define CONV_LIB_PLAN_FORMLAYOUTS_H

#include "conv/Dialect/Conv/IR/LayoutOrder.h"
#include "conv/Plan/OperandForm.h"

namespace mlir::conv {

/// The letters of channels that get zeros. Those of the result of forward and
/// of backward data are not padded, since nothing is read by them.
StringRef getPaddedLetters(Direction direction);

/// The layouts in which spatial dimensions are one.
LayoutsAttr flattenLayouts(LayoutsAttr layouts);

/// The dimensions of a tensor whose spatial ones are one; null if those are not
/// neighbours in their order.
std::optional<SmallVector<ReassociationIndices>> groupSpatial(StringRef order);

/// Whether spatial dimensions are one in the form, but not in the op.
bool flattens(const OperandForm &form, ConvolutionOpInterface op);

/// Whether tensors of the op have gaps in memory.
bool haveGaps(ConvolutionOpInterface op);

} // namespace mlir::conv

#endif // CONV_LIB_PLAN_FORMLAYOUTS_H
