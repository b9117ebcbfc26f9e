//===- Registry.cpp - the list of kernel families -------------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A new family is a folder, a line in Families.h, and a line in this file.
//
//===----------------------------------------------------------------------===//

#include "Families.h"

using namespace mlir;
using namespace mlir::conv;

ArrayRef<const KernelFamily *> mlir::conv::getKernelFamilies() {
  static const KernelFamily *const kFamilies[] = {
      &getDirectFamily(),        &getGemmFamily(),
      &getHostFamily(),          &getLineBufferFamily(),
      &getWarpgroupGemmFamily(), &getWeightStationaryFamily(),
  };
  return kFamilies;
}

const KernelFamily &mlir::conv::getKernelFamily(ScheduleAttr schedule) {
  return **llvm::find_if(getKernelFamilies(), [&](const KernelFamily *family) {
    return family->has(schedule.getKernel());
  });
}

const KernelFamily &
mlir::conv::getKernelFamily(const ::conv::KernelModel &model) {
  return **llvm::find_if(getKernelFamilies(), [&](const KernelFamily *family) {
    return family->getModel() == &model;
  });
}

const KernelFamily &mlir::conv::getKernelFamily(StringRef loopName) {
  return **llvm::find_if(getKernelFamilies(), [&](const KernelFamily *family) {
    return llvm::is_contained(family->getLoopNames(), loopName);
  });
}
