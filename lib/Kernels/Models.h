//===- Models.h - the models of all families --------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// Each family that multiplies by atoms defines one of these.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_MODELS_H
#define CONV_LIB_KERNELS_MODELS_H

#include "conv/Kernels/KernelModel.h"

namespace conv {

const KernelModel &getGemmModel();
const KernelModel &getHostModel();
const KernelModel &getLineBufferModel();
const KernelModel &getWarpgroupGemmModel();
const KernelModel &getWeightStationaryModel();

} // namespace conv

#endif // CONV_LIB_KERNELS_MODELS_H
