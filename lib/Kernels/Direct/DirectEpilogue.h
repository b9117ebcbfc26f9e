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

/// The elements of the result that a work-item computes at a time: a box in the
/// digits of the result's view.
struct ElementBox {
  /// One digit of the view.
  struct Digit {
    int64_t extent;  ///< Number of values.
    int64_t alignment; ///< Divides the first value; 0 if it is zero.
    bool mayExceed;  ///< Some values may be outside the result.
  };
  SmallVector<Digit> digits;

  int64_t getNumElements() const;
  /// Digits of an element, relative to the first element. The last digit is the
  /// fastest.
  SmallVector<int64_t> getDigits(int64_t element) const;
};

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
