//===- DirectEpilogue.h - epilogue and store of a box of elements ---------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_DIRECT_DIRECTEPILOGUE_H
#define CONV_LIB_KERNELS_DIRECT_DIRECTEPILOGUE_H

#include "../Parts/Kernel.h"
#include "BoxVectors.h"
#include "conv/Kernels/Direct/DirectTiling.h"

namespace mlir::conv {

/// What the epilogue reads for a box: one vector of each operand for each
/// vector of the result that is stored.
using DirectEpilogueInputs = SmallVector<SmallVector<Value>>;

/// Loads the epilogue's operands for the box from `first` on, if `isThere`.
DirectEpilogueInputs loadDirectEpilogueInputs(const Kernel &kernel,
                                              const ElementBox &box,
                                              ArrayRef<Value> first,
                                              Value isThere);

/// Applies the epilogue to `sums`, one for each element of the box that starts
/// with `first`, and stores the result with accesses as wide as its layout
/// allows.
void createDirectEpilogue(const Kernel &kernel, const ElementBox &box,
                          ArrayRef<Value> first, ValueRange sums,
                          const DirectEpilogueInputs &epilogue);
/// Loads the operands of the epilogue, and applies it.
void createDirectEpilogue(const Kernel &kernel, const ElementBox &box,
                          ArrayRef<Value> first, ValueRange sums);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_DIRECT_DIRECTEPILOGUE_H
