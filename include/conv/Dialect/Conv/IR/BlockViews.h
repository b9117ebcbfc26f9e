//===- BlockViews.h - views of block transforms -----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A `conv.block_transform` computes matrices from matrices, one for each place
// in a block: element by element, like an element-wise op with several results.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_BLOCKVIEWS_H
#define CONV_DIALECT_CONV_IR_BLOCKVIEWS_H

#include "conv/Dialect/Conv/IR/Conv.h"

namespace mlir::conv {

/// The views of the places in a block, in order, with one matrix each.
SmallVector<ViewAttr> getPlaces(ViewAttr view);

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_BLOCKVIEWS_H
