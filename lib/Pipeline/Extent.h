//===- Extent.h - printed size of attributes and types ----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attributes and types share common parts, so that the text of a type in a
// short file can be huge: `!b = tuple<!a, !a>` twenty times over is a million
// words. Code that prints or visits a type checks its extent first.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_PIPELINE_EXTENT_H
#define CONV_LIB_PIPELINE_EXTENT_H

#include "mlir/IR/Operation.h"

#include "llvm/ADT/DenseMap.h"

namespace mlir::conv {

struct Extent {
  int64_t levels = 0; ///< Levels of nesting.
  int64_t parts = 0;  ///< Attributes and types in its text, up to 2^61.
};

/// Measures attributes, types and ops. A shared part is visited once.
class ExtentCounter {
public:
  Extent count(Attribute attribute) { return countElement(attribute); }
  Extent count(Type type) { return countElement(type); }
  /// The largest extent of the attributes and types of `op` and of all ops in
  /// it, and the nesting of ops and attributes.
  Extent count(Operation *op);

private:
  template <typename T> Extent countElement(T attributeOrType);

  llvm::DenseMap<const void *, Extent> known;
};

} // namespace mlir::conv

#endif // CONV_LIB_PIPELINE_EXTENT_H
