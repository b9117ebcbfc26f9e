//===- TF32Parts.h - f32 as a sum of tf32 parts -----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor core multiplies f32 as tf32, with 11 significant bits, and ignores
// the other bits. Two tf32 hold an f32 up to 2^-21 of its value. Products of
// parts are exact in f32, and the product of two low parts can be omitted.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_WARPGROUPGEMM_TF32PARTS_H
#define CONV_LIB_KERNELS_WARPGROUPGEMM_TF32PARTS_H

#include "../Parts/Warpgroup/PtxBuilder.h"

namespace mlir::conv {

/// Splits `element`, an f32, into one or two tf32, the high part first, in i32
/// registers as instructions take them. The low part of an infinity is NaN.
SmallVector<Value> createTF32Parts(const PtxBuilder &ptx, Value element,
                                   int64_t count);

/// The element, among the eight reduction elements of an instruction, that is
/// at place `place`. Lanes read a left tile whose rows are innermost without
/// bank conflicts if places take every other element; right tiles have the same
/// order. Lines along the reduction keep their order.
int64_t getReductionElement(int64_t place, bool isLeftTransposed);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_WARPGROUPGEMM_TF32PARTS_H
