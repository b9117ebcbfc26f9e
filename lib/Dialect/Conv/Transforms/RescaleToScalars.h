//===- RescaleToScalars.h - tosa.rescale as arithmetic ----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requantisation, element by element.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_DIALECT_CONV_TRANSFORMS_RESCALETOSCALARS_H
#define CONV_LIB_DIALECT_CONV_TRANSFORMS_RESCALETOSCALARS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::conv {

/// A pattern that turns `tosa.rescale` with constant multipliers and shifts
/// into an element-wise `linalg.generic` on integers.
void populateRescaleToScalarsPatterns(RewritePatternSet &patterns);

} // namespace mlir::conv

#endif // CONV_LIB_DIALECT_CONV_TRANSFORMS_RESCALETOSCALARS_H
