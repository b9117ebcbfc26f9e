//===- Families.h - all families --------------------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each folder of a family defines one of these functions. Everything else of a
// family is private, except for the headers in include/conv/Kernels.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_FAMILIES_H
#define CONV_LIB_KERNELS_FAMILIES_H

#include "conv/Kernels/KernelFamily.h"

namespace mlir::conv {

const KernelFamily &getDirectFamily();
const KernelFamily &getGemmFamily();
const KernelFamily &getHostFamily();
const KernelFamily &getLineBufferFamily();
const KernelFamily &getWarpgroupGemmFamily();
const KernelFamily &getWeightStationaryFamily();

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_FAMILIES_H
