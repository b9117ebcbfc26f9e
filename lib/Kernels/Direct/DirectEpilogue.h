//===- DirectEpilogue.h - epilogue and store of a box of elements ---------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_DIRECT_DIRECTEPILOGUE_H
#define CONV_LIB_KERNELS_DIRECT_DIRECTEPILOGUE_H

#include "../Parts/Kernel.h"
#include "conv/Kernels/Direct/DirectTiling.h"

namespace mlir::conv {

/// The elements of the result that a work-item computes at a time: a box of
/// digits of the result's view.
struct ElementBox {
  /// One digit of the view.
  struct Digit {
    int64_t extent;  ///< Values.
    int64_t granule; ///< The first one is a multiple of this; 0 if it is zero.
    bool mayExceed;  ///< Some may not be in the result.
  };
  SmallVector<Digit> digits;

  int64_t getNumElements() const;
  /// Values of the digits of an element, less those of the first one. The last
  /// digit is the fastest.
  SmallVector<int64_t> getDigits(int64_t element) const;
};

/// What the epilogue reads of a box: for each vector of the result that is
/// stored, one of each operand.
using DirectEpilogueInputs = SmallVector<SmallVector<Value>>;

/// Loads it for the box that starts with `first`, if `isThere`.
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
/// Loads what the epilogue reads, and applies it.
void createDirectEpilogue(const Kernel &kernel, const ElementBox &box,
                          ArrayRef<Value> first, ValueRange sums);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_DIRECT_DIRECTEPILOGUE_H
