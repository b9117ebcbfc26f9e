//===- FormLayouts.h - dimension orders of a form ---------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the layouts of a form mean for the tensors of a convolution.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_PLAN_FORMLAYOUTS_H
#define CONV_LIB_PLAN_FORMLAYOUTS_H

#include "conv/Dialect/Conv/IR/LayoutOrder.h"
#include "conv/Plan/OperandForm.h"

namespace mlir::conv {

/// The letters of channels that are padded by zeros. The result's channels in
/// forward and backward data are not padded, since no sum reads them.
StringRef getPaddedLetters(Direction direction);

/// The letters of a tensor's spatial dimensions in three dimensions, outermost
/// first; fewer dimensions have the last ones.
StringRef getSpatialLetters(TensorRole role);

/// The layouts with all spatial dimensions collapsed to one.
LayoutsAttr flattenLayouts(LayoutsAttr layouts);

/// The reassociation that collapses the spatial dimensions of a tensor; null if
/// they are not contiguous in its order.
std::optional<SmallVector<ReassociationIndices>> groupSpatial(StringRef order);

/// Whether spatial dimensions are collapsed in the form, but not in the op.
bool flattens(const OperandForm &form, ConvolutionOpInterface op);

/// Whether any tensor of the op has gaps in memory.
bool haveGaps(ConvolutionOpInterface op);

} // namespace mlir::conv

#endif // CONV_LIB_PLAN_FORMLAYOUTS_H
