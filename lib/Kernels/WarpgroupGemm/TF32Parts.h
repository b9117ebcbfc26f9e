//===- TF32Parts.h - f32 as a sum of parts in tf32 --------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor core multiplies f32 as tf32, of 11 significant bits, and ignores the
// others. Two of those hold all of an f32 but 2^-21 of it. Products of parts
// are exact in f32, and the one of two low parts can be left out.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_WARPGROUPGEMM_TF32PARTS_H
#define CONV_LIB_KERNELS_WARPGROUPGEMM_TF32PARTS_H

#include "../Parts/Warpgroup/PtxBuilder.h"

namespace mlir::conv {

/// `element`, an f32, as one or two tf32, the high one first: i32 registers, as
/// instructions take them. Of an infinity, the low one is NaN.
SmallVector<Value> createTF32Parts(const PtxBuilder &ptx, Value element,
                                   int64_t count);

/// The element of the reduction, among the eight of an instruction, that its
/// place `place` has. Lanes read a left tile whose rows are innermost without
/// bank conflicts if places have every other one; right tiles have the same
/// order. Lines along the reduction stay as they are.
int64_t getReductionElement(int64_t place, bool isLeftTransposed);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_WARPGROUPGEMM_TF32PARTS_H
